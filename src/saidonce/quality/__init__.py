"""Evaluation: pairs, thresholds, retrieval, contrast, conversations.

In: labelled pairs, queries with relevant documents, scenarios, a `Context`. Out: figures with intervals, certificates.
May touch: `kb`, `gate`, `repairs`, `adjudication`, `matching`, `foundation`. The product's start never imports it.
Start reading: `pairs.py`, `calibrate.py`, `retrieval.py`, `conversation.py`.
"""
