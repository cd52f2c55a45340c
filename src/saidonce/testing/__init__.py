"""In-memory stores for tests and trials, with the same answers as PostgreSQL.

In: the calls of `foundation.ports.Store`. Out: the same answers as the adapter's, checked by one suite of contracts.
May touch: `foundation`, and the pure codecs of `adapters.postgres`. The product's start never imports it.
Start reading: `memory.py`.
"""

from saidonce.testing.memory import MemoryDatabase, MemoryStore

__all__ = ["MemoryDatabase", "MemoryStore"]
