"""Whether a verdict lets its submission through: a whitelist, and everything else is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite

from saidonce.foundation.codec import fingerprint_of, rules_hash
from saidonce.foundation.model import (
    AWAY,
    ESCAPE_HATCH,
    GateRules,
    GateState,
    GateVerdict,
    Opinion,
    Outcome,
    Reason,
    Verdict,
)


def authorize(verdict: GateVerdict) -> bool:
    """Return whether a submission may be created, from its verdict alone.

    Only a reason that is known to clear clears: nothing near, below the threshold, a stored ruling that it is
    distinct, an objection where the rules say so, or an override that says who and why. A verdict that is incomplete,
    contradicts itself, or was taken back by people or by the judge that cleared it, does not, nor does anything that is
    no verdict, such as None or an id.

    Source: seed 000, "the gate whitelists clear reasons".
    """
    try:
        return _is_verdict(verdict) and _is_cleared(verdict)
    except (AttributeError, TypeError, ValueError):
        return False  # a part of another type than a verdict's: it is not whole


def _is_verdict(value: object) -> bool:
    """Return whether a value of any type is a verdict that was ruled on under rules."""
    return isinstance(value, GateVerdict) and isinstance(value.rules, GateRules)


def _is_cleared(verdict: GateVerdict) -> bool:
    decided, rules = verdict.verdict, verdict.rules
    if decided is None or rules is None or not _is_whole(verdict, rules) or not _is_sound(verdict, decided):
        return False
    if verdict.override is not None:
        return _is_let_through(verdict, decided, rules)
    clears = _CLEARS.get(decided.reason)
    return clears is not None and decided.outcome is Outcome.DISTINCT and not decided.of and clears(verdict, rules)


def _is_whole(verdict: GateVerdict, rules: GateRules) -> bool:
    """Return whether nothing is missing and every hash is that of its content."""
    return (
        verdict.state is GateState.RULED
        and verdict.id.startswith("gv-")
        and bool(verdict.gate)
        and verdict.released_at is None
        and (verdict.retraction is None or (verdict.audit is not None and verdict.audit.right))
        and verdict.fingerprint == fingerprint_of(verdict.submission)
        and verdict.policy == rules_hash(rules)
        and 0.0 <= rules.clear_below <= rules.duplicate_from <= 1.0
    )


def _is_sound(verdict: GateVerdict, decided: Verdict) -> bool:
    """Return whether the ladder's similarity is that of the nearest match and its trail has an end."""
    similarities = [n.similarity for n in verdict.near]
    if not all(isfinite(s) and -1.0 <= s <= 1.0 for s in similarities):
        return False
    return bool(decided.trail) and decided.similarity == max(similarities, default=0.0)


def _is_new(verdict: GateVerdict, rules: GateRules) -> bool:
    del rules
    return not verdict.near and verdict.ruling is None and verdict.similarity == 0.0


def _is_far(verdict: GateVerdict, rules: GateRules) -> bool:
    return bool(verdict.near) and verdict.ruling is None and verdict.similarity < rules.clear_below


def _is_ruled_distinct(verdict: GateVerdict, rules: GateRules) -> bool:
    ruling = verdict.ruling
    return (
        rules.asks
        and verdict.similarity >= rules.clear_below
        and bool(verdict.near)
        and ruling is not None
        and ruling.opinion is Opinion.DISTINCT
        and ruling.failure is None
        and not ruling.of
        and bool(ruling.adjudicator)
        and 0.0 <= ruling.confidence <= 1.0
    )


def _is_objected(verdict: GateVerdict, rules: GateRules) -> bool:
    near = [n for n in verdict.near if n.similarity >= rules.duplicate_from]
    clears = rules.objection_clears and not rules.asks and verdict.ruling is None
    return clears and bool(near) and all(any(o.differs_in_value for o in n.objections) for n in near)


def _is_let_through(verdict: GateVerdict, decided: Verdict, rules: GateRules) -> bool:
    """Return whether a person overrode a block with a reason; equal content stays blocked despite an override."""
    override, ruling = verdict.override, verdict.ruling
    if override is None or not override.by.strip() or not override.why.strip():
        return False
    if decided.outcome is Outcome.DISTINCT or decided.reason is Reason.SAME_CONTENT:
        return False
    if override.by != ESCAPE_HATCH:
        return True
    was_away = ruling is not None and ruling.failure in AWAY
    return rules.escape_hatch and rules.asks and decided.reason is Reason.NO_RULING and was_away


_CLEARS: Mapping[Reason, Callable[[GateVerdict, GateRules], bool]] = {
    Reason.NO_MATCHES: _is_new,
    Reason.BELOW_THRESHOLD: _is_far,
    Reason.LLM_CLEARED: _is_ruled_distinct,
    Reason.OBJECTION: _is_objected,
}
"""The reasons that clear, each with what must then stand in the verdict; no other reason does."""
