"""The application in this process over a small base, for what needs neither a browser nor a database."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.interfaces.http import create_app
from saidonce.interfaces.http.site import Site
from saidonce.testing import MemoryStore
from website import token_of
from world import World

_bases: list[KnowledgeBase] = []
"""Opened by the test that runs; `close_bases` closes them, for a base that ingests has parsing processes."""


def close_bases() -> None:
    """Close every base that `in_process` opened."""
    while _bases:
        _bases.pop().close()


@dataclass
class InProcess:
    """An application with one browser, which follows no redirects."""

    w: World
    base: KnowledgeBase
    client: TestClient
    site: Site
    opened: list[str] = field(default_factory=list)

    def token(self) -> str:
        """The token of this browser's forms."""
        return token_of(self.client.get("/sign-in").text)

    def post(self, path: str, **given: object) -> Any:
        """Send a form of our own."""
        return self.client.post(path, data={"csrf": self.token(), **given})


def in_process(
    w: World, folder: Path, patch: pytest.MonkeyPatch, *, local: bool = True, **changes: object
) -> InProcess:
    """Serve a small base; whoever comes is its one person unless people were added."""
    opened: list[str] = []
    store = w.base.store
    assert isinstance(store, MemoryStore)

    def open_store(_url: str, _folder: Path, org: str, **_: object) -> MemoryStore:
        opened.append(org)
        return store

    patch.setattr("saidonce.app.knowledge_base.open_store", open_store)
    patch.setattr("saidonce.app.knowledge_base.open_embedder", lambda *_: w.embedder)
    settings = w.base.settings.model_copy(update={"org": store.org, "data_dir": folder, **changes})
    base = KnowledgeBase(settings)
    _bases.append(base)
    app = create_app(base, local=local)
    client = TestClient(app, "http://127.0.0.1", raise_server_exceptions=False, follow_redirects=False)
    return InProcess(w, base, client, app.state.site, opened)
