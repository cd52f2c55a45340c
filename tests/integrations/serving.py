"""A server with a reader's key, and documents to rerank: what every client of this folder is shown."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from saidonce import KnowledgeBase
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.foundation.model import Role, Scope
from saidonce.interfaces.http import create_app
from saidonce.platform import access
from saidonce.testing import MemoryStore

QUERY = "How long are backups kept?"
MENU = "The canteen serves soup and salad on Mondays."
KEPT = "Backups are kept for 30 days and then removed from all servers."
AGAIN = "Backups are kept for 30 days, and then removed from all servers."
OTHER = "Backups are kept for 90 days and then removed from all servers."
DOCUMENTS = [MENU, KEPT, AGAIN, OTHER]


@dataclass(frozen=True)
class At:
    """Where a server listens, and a key for it."""

    url: str
    key: str


@contextmanager
def serving(data_dir: Path) -> Iterator[At]:
    """Serve an empty base."""
    base = KnowledgeBase(data_dir=data_dir)
    store = MemoryStore("default")
    base._lazy.opened |= {"store": store, "embedder": HashedEmbedder()}
    now = base.base.clock.now()
    access.add_person(store, "ann", "", Role.READER, now)
    _, key = access.make_key(store, "ann", "reranker", [Scope.READ], now, secrets.token_bytes)
    server = uvicorn.Server(uvicorn.Config(create_app(base, local=False), port=0, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield At(f"http://127.0.0.1:{port}", key)
    finally:
        server.should_exit = True
        thread.join()
        base.close()


def check(places: list[int], scores: list[float]) -> None:
    """What says something stands first, the repeat last with score 0."""
    assert set(places[:2]) == {1, 3}
    assert places[2:] == [0, 2]
    assert scores == sorted(scores, reverse=True)
    assert scores[2] > scores[3] == 0.0
