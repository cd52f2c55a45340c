"""Adapter: stores. PostgreSQL, embedded or at a URL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from saidonce.errors import SaidonceError

if TYPE_CHECKING:
    from saidonce.adapters.postgres.embedded import EmbeddedServer
    from saidonce.foundation.ports import Clock, Store

__all__ = ["open_store", "started_ahead"]


def open_store(
    database_url: str,
    data_dir: Path,
    org: str,
    clock: Clock | None = None,
    replica: tuple[str, float] = ("", 0.0),
    must_exist: bool = False,
) -> Store:
    """Open an organisation's store: at a URL if one is given, else on the embedded server of a data folder.

    Args:
        replica: URL of a streaming copy for reads that may lag, empty for none, and its oldest age in seconds.
        must_exist: whether to refuse a place without a base instead of creating one there.

    Raises:
        NoBaseError: there is no base, and there must be one.
        StoreUnavailableError: the database cannot be reached or started; the message says what to do.
        StoreError: the database was made by another version of this program.
        UsageError: the organisation's name is empty or too long.
    """
    from saidonce.adapters.postgres.embedded import EmbeddedServer  # noqa: PLC0415  needed only when a store is opened
    from saidonce.adapters.postgres.postgres import PostgresStore, with_replica  # noqa: PLC0415
    from saidonce.adapters.postgres.presence import check_presence  # noqa: PLC0415

    if must_exist:
        check_presence(database_url, data_dir)
    if database_url:
        store = PostgresStore(database_url, org, clock)
        return with_replica(store, *replica) if replica[0] else store
    server = EmbeddedServer(data_dir)
    try:
        return PostgresStore(server.url, org, clock, revive=server.ensure, on_close=server.close, own=server.home)
    except BaseException:  # whatever stops the opening, an interruption too: nobody else would stop the server
        server.close()
        raise


@contextmanager
def started_ahead(database_url: str, data_dir: Path) -> Iterator[None]:
    """Begin to start the embedded server in a thread, for a program that starts and is about to open a store.

    The server is held until the block ends. If it cannot start, whoever opens the store learns it. No base is created.

    Args:
        database_url: URL of another server; with one, nothing is started.
    """
    if database_url:
        yield
        return
    servers: list[EmbeddedServer] = []
    thread = Thread(target=_start, args=(data_dir, servers), name="saidonce-server")
    thread.start()
    try:
        yield
    finally:
        thread.join()
        for server in servers:
            server.close()


def _start(data_dir: Path, servers: list[EmbeddedServer]) -> None:
    from saidonce.adapters.postgres.embedded import EmbeddedServer  # noqa: PLC0415  heavy
    from saidonce.adapters.postgres.presence import has_database  # noqa: PLC0415

    with suppress(SaidonceError):
        if has_database(data_dir):
            servers.append(EmbeddedServer(data_dir))
