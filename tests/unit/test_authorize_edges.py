"""What `authorize` says at each edge of its whitelist: one step inside it clears, one step outside it does not."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from saidonce.foundation.codec import fingerprint_of, rules_hash
from saidonce.foundation.model import (
    ESCAPE_HATCH,
    FactKind,
    Failure,
    GateFields,
    GateRules,
    GateState,
    GateVerdict,
    Near,
    Objection,
    Opinion,
    Outcome,
    Override,
    Reason,
    Ruling,
    Span,
    Step,
    Submission,
    Verdict,
)
from saidonce.gate import authorize
from world import NOON

ASKING = GateRules(0.8, 0.9, 5, True, False, True, GateFields(), "m", ())
SILENT = replace(ASKING, asks=False, objection_clears=True, clear_below=0.9)
DISTINCT = Ruling(Opinion.DISTINCT, confidence=0.5, adjudicator="judge")
AWAY_RULING = Ruling(Opinion.UNSURE, adjudicator="judge", failure=Failure.TIMEOUT)
VALUE = Objection(FactKind.NUMBER, Span(0, 1, "3"), Span(0, 1, "4"))
ABSENT = Objection(FactKind.NUMBER, Span(0, 1, "3"), Span(1, 1, ""))
TRAIL = (Step("band", "x"),)


def verdict(
    reason: Reason,
    similarities: tuple[float, ...] = (),
    rules: GateRules = ASKING,
    outcome: Outcome = Outcome.DISTINCT,
    **other: Any,
) -> GateVerdict:
    near = other.pop("near", tuple(Near(f"n{n}", s) for n, s in enumerate(similarities)))
    decided = Verdict(outcome, reason, "", max([n.similarity for n in near], default=0.0), TRAIL)
    submission = Submission("Count the shirts.")
    whole = GateVerdict(
        "gv-1", "g", submission, fingerprint_of(submission), GateState.RULED, NOON, verdict=decided, near=near,
        rules=rules, policy=rules_hash(rules),
    )  # fmt: skip
    return replace(whole, **other)


def ruled(similarity: float = 0.85, **ruling: Any) -> GateVerdict:
    return verdict(Reason.LLM_CLEARED, (similarity,), ruling=replace(DISTINCT, **ruling))


def blocked(override: Override, reason: Reason = Reason.ABOVE_THRESHOLD, **other: Any) -> GateVerdict:
    return verdict(reason, (0.95,), outcome=Outcome.DUPLICATE, override=override, **other)


ANN = Override("ann", "it is another shop", NOON)
HATCH = Override(ESCAPE_HATCH, "nobody answers", NOON)

CLEARED = {
    "nothing near": verdict(Reason.NO_MATCHES),
    "below the threshold": verdict(Reason.BELOW_THRESHOLD, (0.79, 0.3)),
    "the opposite is near": verdict(Reason.BELOW_THRESHOLD, (-1.0,)),
    "thresholds at both ends": verdict(
        Reason.LLM_CLEARED, (0.0,), replace(ASKING, clear_below=0.0, duplicate_from=1.0), ruling=DISTINCT
    ),
    "thresholds that are one": verdict(Reason.BELOW_THRESHOLD, (0.7,), replace(ASKING, duplicate_from=0.8)),
    "ruled distinct": ruled(),
    "ruled distinct at the threshold": ruled(0.8),
    "ruled distinct of equals": ruled(1.0),
    "ruled without confidence": ruled(confidence=0.0),
    "ruled with all confidence": ruled(confidence=1.0),
    "an objection": verdict(Reason.OBJECTION, rules=SILENT, near=(Near("a", 0.95, (ABSENT, VALUE)), Near("b", 0.5))),
    "let through by a person": blocked(ANN),
    "let through because the judge was away": blocked(HATCH, Reason.NO_RULING, ruling=AWAY_RULING),
}

REFUSED = {
    "no verdict but alike": SimpleNamespace(
        similarity=0.85, **{name: getattr(CLEARED["ruled distinct"], name) for name in GateVerdict.__slots__}
    ),
    "rules of another kind": replace(CLEARED["nothing near"], rules=SimpleNamespace(k=5)),  # type: ignore[arg-type]
    "an id that is no text": replace(CLEARED["nothing near"], id=7),  # type: ignore[arg-type]
    "nothing decided": replace(CLEARED["nothing near"], verdict=None),
    "not ruled": replace(CLEARED["ruled distinct"], state=GateState.PENDING),
    "an id of another kind": replace(CLEARED["ruled distinct"], id="1"),
    "no gate": replace(CLEARED["ruled distinct"], gate=""),
    "taken back": replace(CLEARED["ruled distinct"], released_at=NOON),
    "another submission": replace(CLEARED["ruled distinct"], submission=Submission("Count the shoes.")),
    "other rules": replace(CLEARED["ruled distinct"], rules=replace(ASKING, k=6)),
    "a threshold below 0": verdict(Reason.LLM_CLEARED, (0.5,), replace(ASKING, clear_below=-0.1), ruling=DISTINCT),
    "a threshold above 1": verdict(Reason.LLM_CLEARED, (0.85,), replace(ASKING, duplicate_from=1.01), ruling=DISTINCT),
    "thresholds that cross": verdict(Reason.LLM_CLEARED, (0.95,), replace(ASKING, clear_below=0.91), ruling=DISTINCT),
    "a similarity below -1": verdict(Reason.BELOW_THRESHOLD, (0.5, -1.01)),
    "a similarity above 1": ruled(1.01),
    "a similarity without end": verdict(Reason.BELOW_THRESHOLD, (0.5, float("-inf"))),
    "no trail": replace(CLEARED["nothing near"], verdict=replace(CLEARED["nothing near"].verdict, trail=())),  # type: ignore[type-var]
    "another similarity than the nearest": replace(
        CLEARED["below the threshold"], verdict=replace(CLEARED["below the threshold"].verdict, similarity=0.3)  # type: ignore[type-var]
    ),
    "nothing near, with something near": verdict(Reason.NO_MATCHES, (0.0,)),
    "nothing near, with a ruling": verdict(Reason.NO_MATCHES, ruling=DISTINCT),
    "below, with nothing near": verdict(Reason.BELOW_THRESHOLD),
    "below, with a ruling": verdict(Reason.BELOW_THRESHOLD, (0.5,), ruling=DISTINCT),
    "below, at the threshold": verdict(Reason.BELOW_THRESHOLD, (0.8,)),
    "below, above it": verdict(Reason.BELOW_THRESHOLD, (0.85,)),
    "ruled where nobody is asked": verdict(
        Reason.LLM_CLEARED, (0.95,), replace(SILENT, objection_clears=False), ruling=DISTINCT
    ),
    "ruled below the threshold": ruled(0.79),
    "ruled, with nothing near": verdict(
        Reason.LLM_CLEARED, (), replace(ASKING, clear_below=0.0), ruling=DISTINCT
    ),
    "ruled by nobody": verdict(Reason.LLM_CLEARED, (0.85,)),
    "ruled unsure": ruled(opinion=Opinion.UNSURE),
    "ruled with a failure": ruled(failure=Failure.TIMEOUT),
    "ruled distinct of something": ruled(of="n0"),
    "ruled by a judge without a name": ruled(adjudicator=""),
    "ruled with less than no confidence": ruled(confidence=-0.1),
    "ruled with more than all confidence": ruled(confidence=1.1),
    "ruled with a confidence that is none": ruled(confidence=float("nan")),
    "distinct of something": replace(
        CLEARED["ruled distinct"], verdict=replace(CLEARED["ruled distinct"].verdict, of="n0")  # type: ignore[type-var]
    ),
    "cleared, but no distinct outcome": verdict(
        Reason.LLM_CLEARED, (0.85,), outcome=Outcome.REVIEW, ruling=DISTINCT
    ),
    "a reason that clears nothing": verdict(Reason.ABOVE_THRESHOLD, (0.95,)),
    "an objection that says nothing of a value": verdict(
        Reason.OBJECTION, rules=SILENT, near=(Near("a", 0.95, (ABSENT,)),)
    ),
    "an objection to one of two": verdict(
        Reason.OBJECTION, rules=SILENT, near=(Near("a", 0.95, (VALUE,)), Near("b", 0.92))
    ),
    "an objection to one above the threshold, none at it": verdict(
        Reason.OBJECTION, rules=SILENT, near=(Near("a", 0.95, (VALUE,)), Near("b", 0.9))
    ),
    "an objection to nothing near": verdict(Reason.OBJECTION, rules=SILENT, near=(Near("a", 0.85, (VALUE,)),)),
    "an objection where it does not clear": verdict(
        Reason.OBJECTION, rules=replace(SILENT, objection_clears=False), near=(Near("a", 0.95, (VALUE,)),)
    ),
    "an objection where somebody is asked": verdict(
        Reason.OBJECTION, rules=replace(SILENT, asks=True), near=(Near("a", 0.95, (VALUE,)),)
    ),
    "an objection after a ruling": verdict(
        Reason.OBJECTION, rules=SILENT, near=(Near("a", 0.95, (VALUE,)),), ruling=DISTINCT
    ),
    "let through by nobody": blocked(replace(ANN, by=" ")),
    "let through without a reason": blocked(replace(ANN, why=" ")),
    "let through though not blocked": replace(CLEARED["ruled distinct"], override=ANN),
    "let through with the same content": blocked(ANN, Reason.SAME_CONTENT),
    "the hatch where it is shut": blocked(
        HATCH, Reason.NO_RULING, ruling=AWAY_RULING, rules=replace(ASKING, escape_hatch=False)
    ),
    "the hatch where nobody is asked": blocked(
        HATCH, Reason.NO_RULING, ruling=AWAY_RULING, rules=replace(ASKING, asks=False)
    ),
    "the hatch after a ruling": blocked(HATCH, Reason.NO_RULING, ruling=DISTINCT),
    "the hatch without a ruling": blocked(HATCH, Reason.NO_RULING),
    "the hatch for another reason": blocked(HATCH, ruling=AWAY_RULING),
}  # fmt: skip


@pytest.mark.parametrize("name", CLEARED)
def test_inside_the_whitelist(name: str) -> None:
    assert authorize(CLEARED[name]) is True


@pytest.mark.parametrize("name", REFUSED)
def test_outside_of_it(name: str) -> None:
    assert authorize(REFUSED[name]) is False  # type: ignore[arg-type]
