"""Pairs that other processes compare: the table is the one that this process would make."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace

import pytest

import saidonce.kb.pairs
from saidonce.errors import ArtefactError
from saidonce.foundation.context import Workers
from saidonce.foundation.model import Equivalence, Rewording, TextPair
from saidonce.foundation.workers import LocalEngine
from saidonce.kb.pairs import NearTexts, catch_up, rule_in_force
from world import World, world

catching_up = sys.modules["saidonce.kb.pairs.catch_up"]

ROOMS = {
    f"{n}.md": f"{lead} of the archive in room {n % 3} are kept for {n} days and tested every month by the team there."
    for n, lead in enumerate(("Backups", "All backups", "The backups", "Copies", "Old copies", "The old copies") * 3)
}


class Agreeing:
    """A judge for which everything is the same."""

    def __init__(self, name: str = "agreeing") -> None:
        self.name = name

    def judge(self, rewordings: Sequence[Rewording]) -> list[Equivalence]:
        return [Equivalence(is_same=True, score=1.0, is_certain=True) for _ in rewordings]


def agreeing() -> Agreeing:
    return Agreeing()


def replaced() -> Agreeing:
    return Agreeing("another")


@pytest.fixture(scope="module")
def engine() -> Iterator[LocalEngine]:
    with closing(LocalEngine(2)) as opened:
        yield opened


def filled(workers: Workers | None, judge: Agreeing | None = None) -> World:
    base = world(dedup_from=0.5)
    base.base = replace(base.base, judge=judge, workers=workers)
    base.ingest(ROOMS)
    return base


def compared(base: World) -> list[TextPair]:
    catch_up(base.base, NearTexts(base.embedder.model, base.embedder.dim))
    assert base.base.store.pairs.counts(rule_in_force(base.base)).n_waiting == 0
    return sorted((p for batch in base.base.store.pairs.listed() for p in batch), key=lambda p: (p.a, p.b))


@pytest.mark.parametrize("judge", [None, agreeing], ids=["guards", "guards-and-judge"])
def test_workers_make_the_table_that_one_process_makes(
    engine: LocalEngine, judge: Callable[[], Agreeing] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = agreeing() if judge else None
    expected = compared(filled(None, opened))
    monkeypatch.setattr(catching_up, "FEWEST_FOR_WORKERS", 1)
    monkeypatch.setattr(catching_up, "COMPARED_AT_ONCE", 4)
    monkeypatch.setattr(catching_up, "compare_texts", None)  # nothing is compared here
    assert compared(filled(Workers(engine, judge or _no_judge), opened)) == expected
    assert len(expected) > 20


def _no_judge() -> None:
    return None


def test_a_judge_that_was_replaced_meanwhile_answers_nothing(
    engine: LocalEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catching_up, "FEWEST_FOR_WORKERS", 1)
    base = filled(Workers(engine, replaced), agreeing())
    with pytest.raises(ArtefactError, match="replaced while texts were compared"):
        compared(base)
    assert base.base.store.pairs.counts(rule_in_force(base.base)).n_unjudged > 20


def test_for_a_few_pairs_no_process_is_started() -> None:
    with closing(LocalEngine(2)) as idle:
        assert compared(filled(Workers(idle, _no_judge)))
        assert not idle.is_running


def test_what_is_asked_for_at_most_is_kept_to(engine: LocalEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catching_up, "FEWEST_FOR_WORKERS", 1)
    monkeypatch.setattr(catching_up, "COMPARED_AT_ONCE", 4)
    base = filled(Workers(engine, _no_judge))
    near = NearTexts(base.embedder.model, base.embedder.dim)
    saidonce.kb.pairs.catch_up(base.base, near, 18)
    assert saidonce.kb.pairs.catch_up(base.base, near, 7).n_compared == 7
