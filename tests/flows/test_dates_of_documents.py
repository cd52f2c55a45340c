"""Bounds on dates where documents share blocks: a block is found by the date of any document that states it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from world import World, world

DEPOSIT = "The deposit is three rents, and is returned two months after the keys."
BADGES = "Visitors of the archive wear a badge for as long as they stay in the building."


def dated(year: int, statement: str) -> str:
    return f"---\ndate: {year}-01-05\n---\n\n{statement}"


def day(year: int) -> datetime:
    return datetime(year, 1, 1, tzinfo=UTC)


@pytest.fixture
def editions() -> World:
    base = world(collection_use="canonical", min_relevance=0.0)
    base.ingest({
        "2020.md": dated(2020, DEPOSIT),
        "2025.md": dated(2025, DEPOSIT),
        "badges.md": dated(2020, BADGES),
        "undated.md": BADGES,
    })  # fmt: skip
    assert len(base.blocks()) == 2
    return base


def test_since_finds_what_a_newer_document_states_unchanged(editions: World) -> None:
    (hit,) = editions.search("deposit and badges", since=day(2024)).hits
    assert hit.block.text == DEPOSIT
    assert hit.block.authored_at == datetime(2020, 1, 5, tzinfo=UTC)
    assert hit.block.documents == ("2020.md", "2025.md")


def test_until_and_both_bounds_ask_for_one_document_within_them(editions: World) -> None:
    assert set(editions.texts("deposit and badges", until=day(2021))) == {DEPOSIT, BADGES}
    assert editions.texts("deposit and badges", since=day(2021), until=day(2024)) == []
    assert editions.texts("deposit and badges", since=day(2026)) == []


def test_a_document_that_is_named_as_well_is_the_one_that_has_to_lie_within_them(editions: World) -> None:
    assert editions.texts("deposit", since=day(2024), documents=("2025.md",)) == [DEPOSIT]
    assert editions.texts("deposit", since=day(2024), documents=("2020.md",)) == []


def test_beside_a_collection_of_single_documents_the_date_of_a_block_decides(editions: World) -> None:
    editions.set(collection_use="evidence")
    editions.put("2025.md", dated(2021, DEPOSIT), "evidence")
    assert editions.texts("deposit", since=day(2024)) == []
    assert editions.texts("deposit", since=day(2024), collections=("main",)) == [DEPOSIT]
