"""Judges over a real connection, each case of `tests/cases/replies`: what a person would not clear is held.

`python -m benchmarks.faults` plays the auto-raters among them, too.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from benchmarks.replies import CASE, PATIENT_MS, Play, plays, rated, rater_stage

from chat_replies import chat_stage, judged
from saidonce.adapters.llm import open_chat
from saidonce.adjudication import AutoRater, JudgeOptions, ModelJudge, RaterOptions
from saidonce.errors import SettingsError
from saidonce.foundation.model import Failure, Opinion, Ruling
from saidonce.matching.ladder import ask

RATER, CHAT = plays("auto_rater"), plays("chat")


@pytest.fixture(autouse=True)
def _direct(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture(autouse=True, scope="module")
def _closed() -> Iterator[None]:
    """Connections left open are warnings when they are collected: of these tests, not the next."""
    yield
    gc.collect()


def wrong(cases: list[Play], tried: Callable[[Play], tuple[Ruling, bool]]) -> list[str]:
    """Play cases; return those that did not end as they must, each with its ruling."""
    found = []
    for play in cases:
        ruling, cleared = tried(play)
        if cleared != (play.must == "clear"):
            found.append(f"{play.name}: {ruling.failure or ruling.opinion}: {ruling.reason}")
        elif ruling.failure is Failure.TIMEOUT and play.deadline_ms == PATIENT_MS:
            found.append(f"{play.name}: nothing answers until the deadline; write `waits = true`")
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


SHARES = pytest.mark.parametrize("nth", [5, pytest.param(1, marks=pytest.mark.slow)])
"""Of each kind every fifth case in the check, the first of all; all of them in `make proofs`."""


@SHARES
@pytest.mark.parametrize("kind", kinds(RATER))
def test_an_auto_rater_clears_what_a_person_would_clear(kind: str, nth: int) -> None:
    with rater_stage() as stage:
        assert wrong(of(kind, RATER)[::nth], lambda play: rated(stage, play)) == []


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@SHARES
@pytest.mark.parametrize("kind", kinds(CHAT))
def test_a_chat_endpoint_clears_what_a_person_would_clear(kind: str, nth: int) -> None:
    with chat_stage() as stage:
        assert wrong(of(kind, CHAT)[::nth], lambda play: judged(stage, play)) == []


@pytest.mark.parametrize("kind", ["hold: contradictions", "hold: doubt", "hold: sameness", "hold: replay"])
def test_what_takes_a_clear_back_is_a_contradiction_and_no_opinion(kind: str) -> None:
    """It can be asked again, and is remembered nowhere; some break the form, too."""
    with rater_stage() as stage:
        causes = {rated(stage, play)[0].failure for play in of(kind, RATER)[:4]}
    assert causes <= {Failure.CONTRADICTION, Failure.MALFORMED}
    assert Failure.CONTRADICTION in causes


def rated_with(polls: list[str], **options: Any) -> Ruling:
    """Have one question rated by a service with these polls."""
    question = ask(CASE)
    assert question is not None
    with rater_stage() as stage:
        url = stage.url(Play("", "", {"is": "", "polls": polls}))
        (ruling,) = AutoRater(url, b"a secret", RaterOptions(PATIENT_MS, 5, **options)).rule([question])
    return ruling


TAKEN_BACK = '{"id": "$ID", "status": "failed", "error": "retracted"}'


def test_a_clear_that_is_taken_back_within_its_window_never_counted() -> None:
    late = ["ok"] * 6 + [TAKEN_BACK]
    assert rated_with(late).opinion is Opinion.DISTINCT, "without a window two looks are enough"
    ruling = rated_with(late, window_ms=400)
    assert (ruling.opinion, ruling.failure) == (Opinion.UNSURE, Failure.REFUSED)
    duplicate = '{"id": "$ID", "status": "done", "result": {"classification": "duplicate", "review_feedback": "m1"}}'
    ruling = rated_with([*["ok"] * 6, duplicate], window_ms=400)
    assert (ruling.failure, ruling.reason) == (Failure.CONTRADICTION, "it retracted its clear")
    assert rated_with(["ok"], window_ms=60).opinion is Opinion.DISTINCT


def test_a_least_confidence_has_to_be_stated() -> None:
    states, silent = (
        '{"id": "$ID", "status": "done", "result": {"classification": "distinct"' + rest + "}}"
        for rest in (', "confidence": 0.85', "")
    )
    assert rated_with([states]).opinion is Opinion.DISTINCT
    assert rated_with([silent]).opinion is Opinion.DISTINCT
    assert rated_with([states], least_confidence=0.8).opinion is Opinion.DISTINCT
    assert rated_with([states], least_confidence=0.9).failure is Failure.CONTRADICTION
    assert rated_with([silent], least_confidence=0.5).failure is Failure.CONTRADICTION
    assert rated_with(["ok"], least_confidence=0.9).opinion is Opinion.DISTINCT


@pytest.mark.parametrize(
    ("options", "setting"),
    [
        ({"timeout_ms": 500, "interval_ms": 500}, "gate_llm_poll_interval_ms"),
        ({"timeout_ms": 500, "interval_ms": 50, "window_ms": 500}, "gate_retraction_window_ms"),
        ({"least_confidence": 1.5}, "gate_least_confidence"),
    ],
)
def test_options_that_would_never_rule_are_refused_by_their_settings(options: dict[str, Any], setting: str) -> None:
    with pytest.raises(SettingsError, match=setting):
        RaterOptions(**options)


def test_a_name_tells_services_under_one_host_apart() -> None:
    urls = ("https://h/a", "https://h/b", "https://h:8443/a", "http://h/a", "https://h")
    assert len({AutoRater(url, b"a secret").name for url in urls}) == len(urls)
    chat = open_chat("openai:m", 1.0, "http://127.0.0.1:9", "none")
    names = {ModelJudge(chat, b"a secret", JudgeOptions(address=a)).name for a in ("", "h/a", "h/b")}
    assert len(names) == 3
