"""The outside behind ports: PostgreSQL, embedders, language models, senders of notices.

In: calls of the ports in `foundation.ports`. Out: stored rows, vectors, replies, sent messages.
May touch: `foundation`, network and disk. Only `app`, `testing` and `interfaces` know an adapter by name.
Start reading: `postgres/postgres.py`, then `postgres/records.py`.
"""
