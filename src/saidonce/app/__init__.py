"""Composition roots: what is wired to what, for the library, the commands, the server and the worker.

In: `Settings`. Out: `KnowledgeBase`, `Reviewer`, `Repairs`, adjudicators, all opened at most once and closed in order.
May touch: every district below, and the adapters.
Start reading: `knowledge_base.py`, then `repairs_service/wiring.py`.
"""
