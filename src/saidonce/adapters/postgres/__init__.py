"""Adapter: stores. PostgreSQL, embedded or at a URL."""

from __future__ import annotations

from pathlib import Path

from saidonce.foundation.ports import Clock, Store

__all__ = ["open_store"]


def open_store(
    database_url: str, data_dir: Path, org: str, clock: Clock | None = None, replica: tuple[str, float] = ("", 0.0)
) -> Store:
    """Open an organisation's store: at a URL if one is given, else on the embedded server of a data folder.

    Args:
        replica: URL of a streaming copy for reads that may lag, empty for none, and its oldest age in seconds.

    Raises:
        StoreUnavailableError: the database cannot be reached or started; the message says what to do.
        StoreError: the database was made by another version of this program.
        UsageError: the organisation's name is empty or too long.
    """
    from saidonce.adapters.postgres.embedded import EmbeddedServer  # noqa: PLC0415  needed only when a store is opened
    from saidonce.adapters.postgres.postgres import PostgresStore, with_replica  # noqa: PLC0415

    if database_url:
        store = PostgresStore(database_url, org, clock)
        return with_replica(store, *replica) if replica[0] else store
    server = EmbeddedServer(data_dir)
    try:
        return PostgresStore(server.url, org, clock, revive=server.ensure, on_close=server.close, own=server.home)
    except BaseException:  # whatever stops the opening, an interruption too: nobody else would stop the server
        server.close()
        raise
