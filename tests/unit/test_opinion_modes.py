"""The modes of collections as they are written, and the likelihood that an opinion gives a pair."""

from __future__ import annotations

import pytest

from judges import Judge
from saidonce.adapters.embed import open_embedder
from saidonce.adjudication import Chain
from saidonce.app.adjudicators import open_second
from saidonce.errors import SettingsError
from saidonce.foundation.model import (
    Candidate,
    Failure,
    GrayMode,
    Match,
    Opinion,
    Question,
    Ruling,
    SecondOpinion,
    Shown,
    gray_modes,
)
from saidonce.foundation.settings.policy import load_settings
from saidonce.matching.fail_closed import rulings_on
from saidonce.testing.memory import MemoryStore
from world import NOW, FixedClock


@pytest.mark.parametrize(
    ("written", "main", "handbook"),
    [
        ("people", GrayMode.PEOPLE, GrayMode.PEOPLE),
        ("", GrayMode.PEOPLE, GrayMode.PEOPLE),
        (" sort ", GrayMode.SORT, GrayMode.SORT),
        ("handbook=settle", GrayMode.PEOPLE, GrayMode.SETTLE),
        ("sort, handbook = propose", GrayMode.SORT, GrayMode.PROPOSE),
        ("handbook=people,settle", GrayMode.SETTLE, GrayMode.PEOPLE),
    ],
)
def test_modes_are_read(written: str, main: GrayMode, handbook: GrayMode) -> None:
    modes = gray_modes(written)
    assert (modes.of("main"), modes.of("handbook")) == (main, handbook)
    assert modes.asks is (main is not GrayMode.PEOPLE or handbook is not GrayMode.PEOPLE)
    assert load_settings(gray_zone=written).gray_zone == written


@pytest.mark.parametrize("written", ["always", "sort,propose", "=sort", "a=", "a=b", "a=sort,a=settle", "Sort"])
def test_malformed_modes_are_refused_at_start(written: str) -> None:
    with pytest.raises(SettingsError, match="gray_zone"):
        load_settings(gray_zone=written)


@pytest.mark.parametrize(
    ("ruling", "likelihood"),
    [
        (Ruling(Opinion.DUPLICATE, "x", confidence=0.9), 0.9),
        (Ruling(Opinion.DUPLICATE, "x", confidence=0.3), 0.5),
        (Ruling(Opinion.DISTINCT, confidence=0.75), 0.25),
        (Ruling(Opinion.DISTINCT, confidence=0.1), 0.5),
        (Ruling(Opinion.UNSURE, confidence=0.9), 0.5),
        (Ruling(Opinion.UNSURE, confidence=0.9, probability=0.1), 0.1),
        (Ruling(Opinion.DISTINCT, confidence=1.0, probability=0.0), 0.0),
        (Ruling(Opinion.UNSURE, failure=Failure.TIMEOUT, probability=0.7), None),
    ],
)
def test_likelihood(ruling: Ruling, likelihood: float | None) -> None:
    assert SecondOpinion(1, "t", "j", ruling, NOW).likelihood == likelihood


QUESTION = Question(Candidate("a", "1"), (Shown(Match("m", 0.9, Candidate("b", "2"))),))


@pytest.mark.parametrize(
    ("first", "second", "probability"),
    [
        (Ruling(Opinion.DISTINCT, probability=0.1), Ruling(Opinion.DUPLICATE, "m"), 0.1),
        (Ruling(Opinion.UNSURE, probability=0.4), Ruling(Opinion.DUPLICATE, "m", confidence=0.9), None),
        (Ruling(Opinion.UNSURE, probability=0.4), Ruling(Opinion.UNSURE), 0.4),
        (Ruling(Opinion.UNSURE, probability=0.4), Ruling(Opinion.UNSURE, failure=Failure.TIMEOUT), 0.4),
        (Ruling(Opinion.UNSURE), Ruling(Opinion.UNSURE, probability=0.6), 0.6),
    ],
)
def test_a_chain_tells_the_probability_of_whoever_settles_or_else_the_first_known(
    first: Ruling, second: Ruling, probability: float | None
) -> None:
    (ruling,) = Chain([Judge(lambda _q: first), Judge(lambda _q: second)]).rule([QUESTION])
    assert ruling.probability == probability


@pytest.mark.parametrize("probability", [-0.1, 1.1, float("nan")])
def test_a_probability_that_is_none_is_no_ruling(probability: float) -> None:
    (ruling,) = rulings_on(Judge(lambda _q: Ruling(Opinion.UNSURE, probability=probability)), [QUESTION])
    assert ruling.failure is Failure.MALFORMED


def test_somebody_has_to_be_named() -> None:
    store, embedder = MemoryStore("north"), open_embedder("minilm", threads=1)
    local = open_second(load_settings(), store, lambda: embedder, FixedClock())
    (ruling,) = rulings_on(local, [QUESTION])
    assert ruling.probability is not None
    for wrong in ("", "nobody"):
        with pytest.raises(SettingsError, match="gray_zone_adjudicator"):
            open_second(load_settings(gray_zone_adjudicator=wrong), store, lambda: embedder, FixedClock())
