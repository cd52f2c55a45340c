"""The copy of the search index of a real base: made, used by the next start, left out where it is not wanted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.app.opening import search_copy_of
from saidonce.foundation.settings.policy import Settings, load_settings
from saidonce.kb.search import saved

HANDBOOK = """# House

The key of the yard hangs in the office on the second floor.

Backups of the finance server are kept for thirty days.

Visitors sign the book at the desk before they go upstairs.
"""


def searched(settings: Settings) -> list[tuple[str, float]]:
    base = KnowledgeBase(settings)
    try:
        return [(hit.block.id, hit.score) for hit in base.search("where is the key").hits]
    finally:
        base.close()


def test_a_start_begins_with_the_copy_and_answers_the_same(
    data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved, "LEAST", 1)
    (tmp_path / "house.md").write_text(HANDBOOK)
    common: dict[str, Any] = {"data_dir": data_dir, "judge": "none", "log_enabled": False}
    without = load_settings(**common, search_cache="none")
    base = KnowledgeBase(without)
    base.ingest([tmp_path / "house.md"])
    base.close()
    expected = searched(without)
    assert expected
    assert not (data_dir / "search-cache").exists()

    read: list[bool] = []
    real = saved.read_copy

    def noted(path: Path, whose: saved.Whose) -> saved.Copy | None:
        copy = real(path, whose)
        read.append(copy is not None)
        return copy

    monkeypatch.setattr(saved, "read_copy", noted)
    for n_shards in (1, 1, 3, 3):
        assert searched(load_settings(**common, search_shards=n_shards)) == expected
    assert read == [False, True, False, True]
    (copy,) = (data_dir / "search-cache").iterdir()
    assert (copy.parent.stat().st_mode | copy.stat().st_mode) & 0o077 == 0


def test_where_a_copy_lies(tmp_path: Path) -> None:
    url = "postgresql://u@h/d"
    embedded = load_settings(data_dir=tmp_path)
    places = [
        search_copy_of(embedded, "m"), search_copy_of(embedded, "n"),
        search_copy_of(load_settings(data_dir=tmp_path, org="north"), "m"),
        search_copy_of(load_settings(database_url=url, search_cache=str(tmp_path)), "m"),
    ]  # fmt: skip
    assert all(place is not None and place.is_relative_to(tmp_path) for place in places)
    assert len(set(places)) == 4
    assert search_copy_of(load_settings(database_url=url), "m") is None
    assert search_copy_of(load_settings(data_dir=tmp_path, search_cache="none"), "m") is None
