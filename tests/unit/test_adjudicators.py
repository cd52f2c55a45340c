"""Who rules at the gate, as the settings name them."""

from __future__ import annotations

from typing import Any

import pytest

from saidonce.adapters.embed import open_embedder
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.app.adjudicators import open_adjudicator
from saidonce.errors import SaidonceError, SettingsError
from saidonce.foundation.model import Candidate, Failure, Match, Question, Shown
from saidonce.foundation.ports import Adjudicator, Embedder
from saidonce.foundation.settings.policy import load_settings
from saidonce.foundation.text import content_hash
from saidonce.testing.memory import MemoryStore
from world import FixedClock


def opened(embedder: Embedder | None = None, **settings: Any) -> Adjudicator | None:
    store = MemoryStore("north", clock=FixedClock())
    return open_adjudicator(load_settings(**settings), store, lambda: embedder or HashedEmbedder(), FixedClock())


def question(a: str, b: str) -> Question:
    one, other = (Candidate(text, content_hash(text)) for text in (a, b))
    return Question(one, (Shown(Match("m", 0.78, other)),))


def test_nobody_rules_unless_somebody_is_named() -> None:
    assert opened() is None
    assert opened(gate_adjudicator=" , ") is None


def test_the_local_judge_rules_without_a_network() -> None:
    judge = opened(open_embedder("minilm", threads=1), gate_adjudicator="local")
    assert judge is not None
    (ruling,) = judge.rule([question("Count the shirts in the shop.", "Count the drills in the hardware shop.")])
    assert ruling.failure is None
    assert (ruling.n_tokens, ruling.cost) == (0, 0.0)


def test_a_local_judge_of_another_embedder_is_refused() -> None:
    with pytest.raises(SaidonceError, match="trained on similarities of"):
        opened(HashedEmbedder(), gate_adjudicator="local")


def test_several_are_asked_in_turn_and_what_costs_is_counted() -> None:
    judge = opened(
        open_embedder("minilm", threads=1), gate_adjudicator="local, auto-rater",
        gate_auto_rater_url="http://127.0.0.1:9", gate_budget_calls_per_day=1, gate_llm_timeout_ms=200,
        gate_llm_poll_interval_ms=20,
    )  # fmt: skip
    assert judge is not None
    assert " > " in judge.name
    unsure = [question(f"The hall opens at {n}.", f"The hall is opened at about {n}.") for n in ("nine", "ten", "two")]
    rulings = judge.rule(unsure)
    assert {r.failure for r in rulings} <= {None, Failure.UNREACHABLE, Failure.TIMEOUT, Failure.BUDGET}


@pytest.mark.parametrize("name", ["auto-rater", "somebody", "local,nobody"])
def test_what_cannot_be_opened_is_refused_by_name(name: str) -> None:
    with pytest.raises(SettingsError):
        opened(open_embedder("minilm", threads=1), gate_adjudicator=name)
