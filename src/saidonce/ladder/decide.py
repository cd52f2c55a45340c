"""The loop: rungs in order, the first that settles wins, each leaves a step in the trail."""

from __future__ import annotations

from saidonce.ladder.band import band
from saidonce.ladder.fingerprint import fingerprint
from saidonce.ladder.guards import guards
from saidonce.ladder.nearest import nearest
from saidonce.ladder.rung import Case, Rung
from saidonce.ladder.unsure import when_unsure
from saidonce.model import Step, Verdict

RUNGS: tuple[Rung, ...] = (fingerprint, nearest, band, guards, when_unsure)


def decide(case: Case) -> Verdict:
    """Take a candidate up the ladder.

    Raises:
        AssertionError: no rung settled, which the last one rules out.
    """
    trail: list[Step] = []
    for rung in RUNGS:
        finding = rung(case)
        trail.append(finding.step)
        case = finding.case
        if finding.outcome is not None and finding.reason is not None:
            nearest_similarity = case.matches[0].similarity if case.matches else 0.0
            return Verdict(finding.outcome, finding.reason, finding.of, nearest_similarity, tuple(trail))
    raise AssertionError("the last rung settles every case")
