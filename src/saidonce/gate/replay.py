"""Verdicts replayed from what is stored: the same inputs must give the same bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from saidonce.foundation.codec import fingerprint_of, ladder_bytes, rules_hash
from saidonce.foundation.model import Admission, Candidate, GateRules, GateState, GateVerdict, Match, Near
from saidonce.gate.rules import policy_of, prepare
from saidonce.matching.guards import GUARDS
from saidonce.matching.ladder import Case, decide, first_objection


@dataclass(frozen=True, slots=True)
class Replay:
    """Outcome of a replay of verdicts.

    Attributes:
        n: replayed verdicts; pending ones have nothing to replay.
        different: (id, what differs), by id.
    """

    n: int
    n_pending: int
    different: tuple[tuple[str, str], ...]


def differs(verdict: GateVerdict, compared: Mapping[str, Admission]) -> str:
    """Replay a verdict and return what differs from the stored one; empty if nothing does.

    Args:
        verdict: ruled.
        compared: what it was compared with, by id.
    """
    stored, rules = verdict.verdict, verdict.rules
    if verdict.state is not GateState.RULED or stored is None or rules is None:
        return "it has no ruling"
    if flaw := _flaw(verdict, rules):
        return flaw
    mine = prepare(verdict.submission, rules.fields).candidate
    needed = [n for n in verdict.near if n.similarity >= rules.clear_below or n.id == stored.of]
    if missing := [n.id for n in needed if n.id not in compared]:
        return f"what it was compared with is missing: {missing[0]}"
    texts: dict[str, Candidate] = {n.id: compared[n.id].candidate for n in needed}
    near = tuple(
        Near(
            n.id, n.similarity, first_objection(GUARDS, mine, texts[n.id]) if n.similarity >= rules.clear_below else ()
        )
        for n in verdict.near
    )
    if near != verdict.near:
        return "the guards give another result"
    matches = tuple(Match(n.id, n.similarity, texts.get(n.id, Candidate("", ""))) for n in verdict.near)
    again = decide(Case(mine, matches, policy_of(rules), GUARDS, verdict.ruling))
    return "" if ladder_bytes(again) == ladder_bytes(stored) else "the ladder gives another result"


def _flaw(verdict: GateVerdict, rules: GateRules) -> str:
    if fingerprint_of(verdict.submission) != verdict.fingerprint:
        return "the submission differs from the one that was judged"
    if rules_hash(rules) != verdict.policy:
        return "the rules differ from those that it names"
    if rules.guards != tuple(guard.__name__ for guard in GUARDS):
        return "the guards have changed"
    return ""
