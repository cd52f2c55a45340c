"""The loop: rungs in order, the first that settles wins, each leaves a step in the trail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from saidonce.foundation.model import Question, Ruling, Step, Verdict
from saidonce.matching.ladder.adjudicate import adjudicate, is_asked, question
from saidonce.matching.ladder.band import band
from saidonce.matching.ladder.fingerprint import fingerprint
from saidonce.matching.ladder.guards import guards
from saidonce.matching.ladder.nearest import nearest
from saidonce.matching.ladder.rung import Case, Rung
from saidonce.matching.ladder.unsure import when_unsure

RUNGS: tuple[Rung, ...] = (fingerprint, nearest, band, guards, adjudicate, when_unsure)
_BEFORE_RULING = RUNGS[: RUNGS.index(adjudicate)]


@dataclass(frozen=True, slots=True)
class Climb:
    """How far a case comes without an adjudicator: to a verdict, or to the question that one has to answer.

    Attributes:
        case: as the last rung left it.
        trail: steps of the rungs so far.
        settled: the verdict, if one of those rungs gave it.
        question: for an adjudicator; None if it has no word in the case.
    """

    case: Case
    trail: tuple[Step, ...] = ()
    settled: Verdict | None = None
    question: Question | None = None

    def verdict(self, ruling: Ruling | None = None) -> Verdict:
        """Return the verdict under a ruling on the question, None if nobody ruled; no rung is climbed twice.

        Raises:
            AssertionError: no rung settled, which the last one rules out.
        """
        above = (adjudicate, when_unsure) if self.case.policy.asks else (when_unsure,)
        top = self if self.settled is not None else _taken(replace(self.case, ruling=ruling), above, self.trail)
        assert top.settled is not None, "the last rung settles every case"
        return top.settled


def decide(case: Case) -> Verdict:
    """Take a candidate up the ladder, under the case's ruling if there is one."""
    return climb(case).verdict(case.ruling)


def climb(case: Case) -> Climb:
    """Take a candidate up the ladder as far as it comes without an adjudicator."""
    below = _taken(case, _BEFORE_RULING)
    if below.settled is not None or not is_asked(below.case):
        return below
    return replace(below, question=question(below.case))


def ask(case: Case) -> Question | None:
    """Return what an adjudicator has to be asked before the case is decided; None if it has no word in it."""
    return climb(case).question


def _taken(case: Case, rungs: Sequence[Rung], trail: tuple[Step, ...] = ()) -> Climb:
    """Take a case up some rungs, until one settles it."""
    for rung in rungs:
        finding = rung(case)
        case, trail = finding.case, (*trail, finding.step)
        if finding.outcome is not None and finding.reason is not None:
            similarity = case.matches[0].similarity if case.matches else 0.0
            return Climb(case, trail, Verdict(finding.outcome, finding.reason, finding.of, similarity, trail))
    return Climb(case, trail)
