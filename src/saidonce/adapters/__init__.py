"""The outside behind ports: PostgreSQL, models, upstream sources, senders of notices, encryption, the clock.

In: calls of the ports in `foundation.ports`. Out: stored rows, vectors, replies, files, sent messages.
May touch: `foundation`, network and disk. Only `app`, `testing` and `interfaces` know an adapter by name.
Start reading: `postgres/postgres.py`, then `postgres/records.py`.
"""
