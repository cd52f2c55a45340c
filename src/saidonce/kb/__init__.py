"""The knowledge base: ingest, merge by survivorship, search, review and undo, second opinions, explanations.

In: a `Context`, and sources, queries or decisions of people. Out: receipts, hits, open pairs, explanations; every
change of a block is an entry of the log.
May touch: `matching`, `documents`, `foundation`; the outside through ports alone.
Start reading: `ingest/flow.py`, `search/flow.py`, `review/actions.py`; `canonical/rebuild_blocks.py` folds the log.
"""
