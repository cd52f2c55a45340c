"""Invented streams of rulings and verdicts: nothing clears past a veto, and nothing incomplete is authorised."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judges import Judge
from saidonce.foundation.codec import rules_hash, verdict_from_json, verdict_to_json
from saidonce.foundation.model import (
    AWAY,
    ESCAPE_HATCH,
    Failure,
    GateState,
    GateVerdict,
    Opinion,
    Outcome,
    Override,
    Question,
    Reason,
    Ruling,
    Step,
    Submission,
    Verdict,
)
from saidonce.foundation.settings.policy import GATE
from saidonce.gate import AdmittedIndex, Gate, authorize, define
from world import NOW, world

STREAMS = int(os.environ.get("TEST_STREAMS", "80"))
"""How many streams are invented; 10,000 for the proof."""

pytestmark = pytest.mark.timeout(3_600)

many = settings(
    max_examples=STREAMS, deadline=None, database=None, suppress_health_check=list(HealthCheck), print_blob=True
)

numbers = st.one_of(st.floats(-1.5, 1.5), st.sampled_from([float("nan"), float("inf"), 0.0, 1.0]))
rulings = st.builds(
    Ruling,
    opinion=st.sampled_from(Opinion),
    of=st.sampled_from(["", "first", "x" * 32]),
    reason=st.text(max_size=5),
    confidence=numbers,
    adjudicator=st.sampled_from(["", "judge"]),
    cost=numbers,
    failure=st.one_of(st.none(), st.sampled_from(Failure)),
)
words = st.sampled_from(["count 30 shirts", "count 90 shirts", "count shirts", "never count shirts", "sail the ferry"])
submissions = st.builds(
    Submission,
    text=st.builds(lambda a, b: f"Please {a} in the stock room of the {b} shop before noon.", words, words),
    fields=st.sampled_from([(), (("line", "soft"),), (("line", "hard"),)]),
)
streams = st.lists(st.tuples(submissions, st.one_of(st.none(), rulings)), min_size=2, max_size=6)


class Stream(Judge):
    """Says what hypothesis invents; a DUPLICATE without a name points at the first that is shown."""

    def __init__(self) -> None:
        super().__init__(self._say)
        self.next: Ruling | None = None
        self.said: list[tuple[Question, Any]] = []

    def _say(self, question: Question) -> Any:
        ruling = self.next
        if ruling is not None and ruling.of == "first":
            ruling = replace(ruling, of=question.shown[0].match.id)
        self.said.append((question, ruling))
        return ruling


@many
@given(streams, st.booleans(), st.booleans(), st.booleans())
def test_no_stream_of_rulings_clears_past_a_veto(
    stream: list[tuple[Submission, Ruling | None]], asks: bool, hatch: bool, objection_clears: bool
) -> None:
    w = world(gate_llm_enabled=asks, gate_escape_hatch=hatch, gate_objection_clears=objection_clears)
    judge = Stream()
    definition = define(w.base, "g")
    gate = Gate(w.base, definition, AdmittedIndex("g", definition.model, definition.dim), judge)
    contents: set[str] = set()
    for submission, ruling in stream:
        judge.next, judge.said = ruling, []
        verdict = gate.check(submission)
        said = verdict.verdict
        assert said is not None
        clear = authorize(verdict)
        content = f"{submission.text} {submission.fields}"
        assert not (clear and content in contents), "the same content was cleared twice"
        contents.update([content] if clear else [])
        assert clear == bool(verdict.admitted), "what is kept is what is authorised"
        assert clear != verdict.blocked
        answered = judge.said[-1][1] if judge.said else None
        if verdict.reason is Reason.LLM_CLEARED:
            assert answered is not None
            assert answered.opinion is Opinion.DISTINCT
            assert answered.failure is None
        if verdict.reason is Reason.OVERRIDE:
            assert hatch
            assert answered is not None
            assert answered.failure in AWAY
        if said.reason is Reason.RULED_DUPLICATE:
            shown = next(s for s in judge.said[-1][0].shown if s.match.id == said.of)
            assert not shown.objections, "a ruling joined past an objection"
        assert verdict_from_json(verdict_to_json(verdict)) == verdict
    assert gate.replay().different == ()


def _whole() -> GateVerdict:
    w = world(gate_llm_enabled=True)
    definition = define(w.base, "g")
    judge = Judge()
    gate = Gate(w.base, definition, AdmittedIndex("g", definition.model, definition.dim), judge)
    gate.check(Submission("Please count the shirts in the stock room of the shop before noon."))
    return gate.check(Submission("Please count the shirts in the stock room of the shop, before noon today."))


WHOLE = _whole()

verdicts = st.builds(
    Verdict,
    outcome=st.sampled_from(Outcome),
    reason=st.sampled_from(Reason),
    of=st.sampled_from(["", WHOLE.near[0].id]),
    similarity=st.sampled_from([0.0, WHOLE.similarity, 0.5, float("nan")]),
    trail=st.sampled_from([(), (Step("band", "x"),)]),
)
changes: dict[str, st.SearchStrategy[Any]] = {
    "state": st.sampled_from(GateState),
    "verdict": st.one_of(st.none(), verdicts),
    "near": st.sampled_from([(), WHOLE.near, (replace(WHOLE.near[0], similarity=0.5),)]),
    "rules": st.sampled_from(
        [None, WHOLE.rules, replace(WHOLE.rules, asks=False), replace(WHOLE.rules, escape_hatch=True)]  # type: ignore[type-var]
    ),
    "policy": st.sampled_from(["", WHOLE.policy, "0" * 32]),
    "ruling": st.one_of(st.none(), rulings),
    "fingerprint": st.sampled_from(["", WHOLE.fingerprint]),
    "id": st.sampled_from(["", WHOLE.id]),
    "gate": st.sampled_from(["", "g"]),
    "released_at": st.sampled_from([None, None, NOW]),
    "override": st.one_of(
        st.none(),
        st.builds(
            Override, st.sampled_from(["", " ", "ann", ESCAPE_HATCH]), st.sampled_from(["", "why"]), st.just(NOW)
        ),
    ),
}


@many
@given(st.fixed_dictionaries({}, optional=changes), st.booleans())
def test_no_incomplete_or_contradictory_verdict_is_authorised(changed: dict[str, Any], rehash: bool) -> None:
    verdict = replace(WHOLE, **changed)
    if rehash and verdict.rules is not None:
        verdict = replace(verdict, policy=rules_hash(verdict.rules))
    if not authorize(verdict):
        return
    said, rules, ruling = verdict.verdict, verdict.rules, verdict.ruling
    assert said is not None
    assert rules is not None
    assert verdict.state is GateState.RULED
    assert verdict.policy == rules_hash(rules)
    assert (verdict.released_at, bool(verdict.id), bool(verdict.gate), bool(verdict.fingerprint)) == (None, *[True] * 3)
    assert said.trail
    assert said.similarity == max((n.similarity for n in verdict.near), default=0.0)
    if verdict.override is not None:
        assert verdict.override.by.strip()
        assert verdict.override.why
        assert said.outcome is not Outcome.DISTINCT
        assert said.reason is not Reason.SAME_CONTENT
        assert verdict.override.by != ESCAPE_HATCH or (rules.escape_hatch and ruling and ruling.failure in AWAY)
        return
    assert (said.outcome, said.of) == (Outcome.DISTINCT, "")
    match said.reason:
        case Reason.NO_MATCHES:
            assert (verdict.near, ruling) == ((), None)
        case Reason.BELOW_THRESHOLD:
            assert said.similarity < rules.clear_below
        case Reason.LLM_CLEARED:
            assert rules.asks
            assert ruling is not None
            assert (ruling.opinion, ruling.failure) == (Opinion.DISTINCT, None)
        case other:
            raise AssertionError(f"{other} was authorised")


def test_the_whole_verdict_is_authorised() -> None:
    """So that the property above does not hold of nothing."""
    assert WHOLE.reason is Reason.LLM_CLEARED
    assert authorize(WHOLE)
    assert GATE.clear_below <= WHOLE.similarity < 1.0
