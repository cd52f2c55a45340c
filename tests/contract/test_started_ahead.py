"""The embedded server is started while a program is still imported, and held as long as the program works."""

from __future__ import annotations

from pathlib import Path

import pytest

from saidonce.adapters.postgres import open_store, started_ahead
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.errors import StoreUnavailableError


def test_it_runs_for_the_store_that_is_opened_meanwhile_and_stops_after_the_block(data_dir: Path) -> None:
    with started_ahead("", data_dir):
        store = open_store("", data_dir, "acme")
        assert store.rev() == 0
        store.close()
        watching = EmbeddedServer(data_dir)
        pid = watching.pid
        assert pid is not None  # closing the store stopped nothing
    assert watching.pid == pid  # nor did the block, since another client holds it
    watching.close()
    assert watching.pid is None


def test_a_block_that_opens_nothing_and_fails_leaves_no_server(data_dir: Path) -> None:
    with pytest.raises(KeyboardInterrupt), started_ahead("", data_dir):
        raise KeyboardInterrupt
    assert (data_dir / "postgres").is_dir()  # it was started
    watching = EmbeddedServer(data_dir)
    assert watching.pid is not None
    watching.close()
    assert watching.pid is None


def test_nothing_is_started_beside_a_server_that_is_named(tmp_path: Path) -> None:
    with started_ahead("postgresql://somewhere/else", tmp_path / "base"):
        pass
    assert not (tmp_path / "base").exists()


def test_who_opens_the_store_learns_why_it_cannot_start(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with started_ahead("", file / "base"), pytest.raises(StoreUnavailableError, match="cannot write"):
        open_store("", file / "base", "acme")
