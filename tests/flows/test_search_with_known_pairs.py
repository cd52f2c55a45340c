"""A search takes from the pair table what it knows, and says the same without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saidonce.foundation.model import Candidate, Equivalence, Rewording
from saidonce.kb.pairs import NearTexts, catch_up, comparison
from saidonce.kb.search import SearchReport
from saidonce.matching.agreement import Accord, agreement
from world import World, world

BACKUPS = "Backups of the archive are kept for 30 days in two regions and tested every month by the operations team."
REWORDED = (
    "The doors of the house are locked by the guard on duty at ten in the evening.",
    "The doors of the house are shut by the guard on duty at ten in the evening.",
)
SAID = (
    BACKUPS,
    BACKUPS.replace("30", "90"),
    BACKUPS.replace("are kept", "were kept"),
    BACKUPS.replace("two regions and tested", "two regions, and tested"),
    f"{BACKUPS} The archive is closed on Sundays.",
    BACKUPS.replace("30", "thirty"),
    BACKUPS.upper(),
    f"# {BACKUPS}",
    f"| Backups of the archive | kept for |\n|---|---|\n| all | {BACKUPS} |",
    f"| Backups of the archive | kept for |\n|---|---|\n| all \\| some | {BACKUPS} |",
    "Sicherungen des Archivs werden 30 Tage lang in zwei Regionen aufbewahrt und jeden Monat vom Betrieb geprüft.",
    "The heating of both houses is serviced every October by the firm that installed it.",
)


def caught_up(base: World) -> NearTexts:
    cache = NearTexts(base.embedder.model, base.embedder.dim)
    catch_up(base.base, cache)
    return cache


def told(report: SearchReport) -> SearchReport:
    """All of a report but how long it took."""
    return replace(report, took_ms={})


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Which texts were compared."""
    pairs: list[tuple[str, str]] = []

    def counted(a: Candidate, b: Candidate) -> Accord:
        pairs.append((a.text, b.text))
        return agreement(a, b)

    monkeypatch.setattr(comparison, "agreement", counted)
    return pairs


def alike(**settings: Any) -> World:
    base = world(min_relevance=0.0, dedup_from=0.5, **settings)
    base.ingest({f"{n}.md": f"Backups of room {n} are kept for {n} days by the team of room {n}." for n in range(12)})
    return base


def test_a_search_compares_nothing_that_is_known(asked: list[tuple[str, str]]) -> None:
    base = alike()
    first = base.search("backups of rooms", k=10)
    assert asked, "nothing was known"
    caught_up(base)
    asked.clear()
    again = base.search("backups of rooms", k=10)
    assert asked == []
    assert told(again) == told(first)
    assert len(again.hits) == 10


def test_a_search_that_looks_farther_down_compares_nothing_that_is_known(asked: list[tuple[str, str]]) -> None:
    """The first look is at 60 texts, which are said to be 100; most repeat others, so that it looks at 120."""
    base = world(min_relevance=0.0, dedup_from=0.5, pool=200)
    rooms = "backups of the archive room are kept for {} days by the team".format
    base.ingest({f"{n:03}.md": f"{rooms(n % 12)}{' ' * n}.\n" for n in range(60)})
    base.ingest({f"z{n:03}.md": f"{rooms(100 + n)}, and by nobody but the team of building {n}." for n in range(60)})
    first = base.search("backups of the archive room", k=20)
    assert asked, "nothing was known"
    caught_up(base)
    asked.clear()
    again = base.search("backups of the archive room", k=20)
    assert asked == []
    assert told(again) == told(first)
    assert len(again.hits) == 20


def test_one_new_text_is_all_that_is_compared(asked: list[tuple[str, str]]) -> None:
    base = alike()
    caught_up(base)
    new = "Backups of room 99 are kept for 99 days by the team of room 99."
    base.put("new.md", new)
    asked.clear()
    base.search("backups of rooms", k=13)
    assert asked
    assert all(new in pair for pair in asked)


def test_records_of_one_template_are_not_compared_with_all_that_state_other_figures(
    asked: list[tuple[str, str]],
) -> None:
    base = alike()
    first = base.search("backups of rooms", k=10)
    assert len(first.hits) == 10
    assert 0 < len(asked) < 12  # each with its nearest, and not with all eleven others


def test_what_other_guards_found_is_not_taken(asked: list[tuple[str, str]]) -> None:
    base = alike()
    caught_up(base)
    pairs = base.base.store.pairs
    stale = [replace(p, guards="0", agreement="same", objections=()) for batch in pairs.listed() for p in batch]
    pairs.put_answers(stale)
    asked.clear()
    assert len(base.search("backups of rooms", k=10).hits) == 10
    assert asked


@given(chosen=st.lists(st.sampled_from(range(len(SAID))), min_size=2, max_size=9), part=st.integers(0, 12))
def test_the_table_changes_no_answer(chosen: list[int], part: int) -> None:
    base = world(min_relevance=0.0, dedup_from=0.5)
    base.ingest({f"{place}-{n}.md": f"{SAID[n]}{' ' * place}\n" for place, n in enumerate(chosen)})
    queries = ("backups of the archive", "Sicherungen des Archivs", "heating of houses")
    base.base.store.pairs.drop()
    without = [told(base.search(query, k=5)) for query in queries]
    cache = NearTexts(base.embedder.model, base.embedder.dim)
    catch_up(base.base, cache, most=part)
    assert [told(base.search(query, k=5)) for query in queries] == without
    catch_up(base.base, cache)
    assert [told(base.search(query, k=5)) for query in queries] == without


def test_a_table_whose_cells_its_words_do_not_tell_is_compared_on_the_spot(asked: list[tuple[str, str]]) -> None:
    base = world(min_relevance=0.0, dedup_from=0.3)
    base.ingest({"a.md": SAID[8], "b.md": SAID[9]})
    caught_up(base)
    asked.clear()
    (first, *_) = base.search("backups of the archive").hits
    assert first.block.rows
    assert len(asked) <= 1


@dataclass
class Agreeable:
    """A judge that says yes, and remembers what it was asked."""

    name: str = "agreeable"
    asked: list[Rewording] = field(default_factory=list)

    def judge(self, rewordings: Sequence[Rewording]) -> list[Equivalence]:
        self.asked += rewordings
        return [Equivalence(is_same=True, score=0.9) for _ in rewordings]


def test_a_judge_is_asked_once_about_a_pair_and_never_in_a_search_that_knows_its_answer() -> None:
    base = world(min_relevance=0.0, dedup_from=0.5)
    base.ingest({"a.md": REWORDED[0], "b.md": REWORDED[1]})
    assert len(base.search("closing of the doors").hits) == 2
    judge = Agreeable()
    base.base = replace(base.base, judge=judge)
    on_the_spot = base.search("closing of the doors")
    assert len(on_the_spot.hits) == 1
    assert judge.asked
    caught_up(base)
    judge.asked.clear()
    assert told(base.search("closing of the doors")) == told(on_the_spot)
    assert judge.asked == []
    (near,) = base.why(on_the_spot.hits[0].block.id).near
    assert (near.agreement, near.judge) == ("same", "agreeable")
    base.base = replace(base.base, judge=None)
    assert len(base.search("closing of the doors").hits) == 2, "another judge's answer is not taken"
    caught_up(base)
    assert len(base.search("closing of the doors").hits) == 2


def test_the_comparison_is_the_same_whichever_text_comes_first() -> None:
    texts = [Candidate(text, text, language=language) for text in SAID[:6] for language in ("en", "und")]
    for a in texts:
        for b in texts:
            accord = comparison.compare_texts(a, b)
            assert accord.mirrored == comparison.compare_texts(b, a)
            assert comparison.held_apart_by(accord) or accord.agreement in ("same", "repeats_b")
