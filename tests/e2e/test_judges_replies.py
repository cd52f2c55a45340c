"""Judges over a real connection, each case of `tests/cases/replies`: what a person would not clear is held.

`python -m benchmarks.faults` plays the auto-raters among them, too.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator

import pytest
from benchmarks.replies import Play, plays, rated, rater_stage

from chat_replies import chat_stage, judged
from saidonce.foundation.model import Failure, Ruling

RATER, CHAT = plays("auto_rater"), plays("chat")
OF_THE_SERVICE = frozenset({Failure.MALFORMED, Failure.CONTRADICTION, Failure.REFUSED, Failure.TIMEOUT,
                            Failure.UNREACHABLE, Failure.CANARY})  # fmt: skip


@pytest.fixture(autouse=True)
def _direct(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    yield
    gc.collect()


def wrong(cases: list[Play], tried: Callable[[Play], tuple[Ruling, bool]]) -> list[str]:
    """Play cases; return those that did not end as they must, each with its ruling."""
    found = []
    for play in cases:
        ruling, cleared = tried(play)
        if cleared != (play.must == "clear"):
            found.append(f"{play.name}: {ruling.failure or ruling.opinion}: {ruling.reason}")
    return found


def kinds(cases: tuple[Play, ...]) -> list[str]:
    return list(dict.fromkeys(f"{play.must}: {play.kind}" for play in cases))


def of(kind: str, cases: tuple[Play, ...]) -> list[Play]:
    return [play for play in cases if f"{play.must}: {play.kind}" == kind]


def test_the_lists_are_long_enough() -> None:
    assert sum(play.must == "hold" for play in RATER) >= 200
    assert sum(play.must == "hold" for play in CHAT) >= 100
    assert sum(play.must == "clear" for play in (*RATER, *CHAT)) >= 60
    for cases in (RATER, CHAT):
        assert len({play.name for play in cases}) == len(cases)


@pytest.mark.parametrize("kind", kinds(RATER))
def test_an_auto_rater_clears_what_a_person_would_clear(kind: str) -> None:
    with rater_stage() as stage:
        assert wrong(of(kind, RATER), lambda play: rated(stage, play)) == []


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("kind", kinds(CHAT))
def test_a_chat_endpoint_clears_what_a_person_would_clear(kind: str) -> None:
    with chat_stage() as stage:
        assert wrong(of(kind, CHAT), lambda play: judged(stage, play)) == []


@pytest.mark.parametrize("kind", ["hold: contradictions", "hold: doubt", "hold: sameness", "hold: replay"])
def test_what_takes_a_clear_back_is_a_contradiction_and_no_opinion(kind: str) -> None:
    """It can be asked again, and is remembered nowhere; some break the form, too."""
    with rater_stage() as stage:
        causes = {rated(stage, play)[0].failure for play in of(kind, RATER)[:12]}
    assert causes <= {Failure.CONTRADICTION, Failure.MALFORMED}
    assert Failure.CONTRADICTION in causes
