"""The loop: rungs in order, the first that settles wins, each leaves a step in the trail."""

from __future__ import annotations

from saidonce.foundation.model import Question, Step, Verdict
from saidonce.matching.ladder.adjudicate import adjudicate, is_asked, question
from saidonce.matching.ladder.band import band
from saidonce.matching.ladder.fingerprint import fingerprint
from saidonce.matching.ladder.guards import guards
from saidonce.matching.ladder.nearest import nearest
from saidonce.matching.ladder.rung import Case, Rung
from saidonce.matching.ladder.unsure import when_unsure

RUNGS: tuple[Rung, ...] = (fingerprint, nearest, band, guards, adjudicate, when_unsure)


def decide(case: Case) -> Verdict:
    """Take a candidate up the ladder.

    Raises:
        AssertionError: no rung settled, which the last one rules out.
    """
    rungs = RUNGS if case.policy.asks else tuple(rung for rung in RUNGS if rung is not adjudicate)
    trail: list[Step] = []
    for rung in rungs:
        finding = rung(case)
        trail.append(finding.step)
        case = finding.case
        if finding.outcome is not None and finding.reason is not None:
            nearest_similarity = case.matches[0].similarity if case.matches else 0.0
            return Verdict(finding.outcome, finding.reason, finding.of, nearest_similarity, tuple(trail))
    raise AssertionError("the last rung settles every case")


def ask(case: Case) -> Question | None:
    """What an adjudicator has to be asked before the case is decided; None if no adjudicator has a word in it."""
    if not case.policy.asks:
        return None
    for rung in RUNGS[: RUNGS.index(adjudicate)]:
        finding = rung(case)
        case = finding.case
        if finding.outcome is not None:
            return None
    return question(case) if is_asked(case) else None
