"""The one signature of all rungs, and what passes between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from saidonce.foundation.model import Candidate, Match, Objection, Outcome, Reason, Ruling, Step
from saidonce.foundation.settings.policy import Policy

Guard = Callable[[Candidate, Candidate], Sequence[Objection]]
"""Compares a candidate with a kept text: which facts differ; nothing if it has no objection."""


@dataclass(frozen=True, slots=True)
class Case:
    """A candidate on its way up the ladder.

    Attributes:
        matches: kept items, nearest first, ties by id.
        guards: in the order in which they are asked.
        ruling: of the adjudicator, if one was asked.
        objected: set by the guards when they spoke against every match that would settle.
        objections: of the guards to each match that is near enough, by its id; only those that have any.
        doubt: why the adjudicator settled nothing.
    """

    candidate: Candidate
    matches: tuple[Match, ...]
    policy: Policy
    guards: tuple[Guard, ...]
    ruling: Ruling | None = None
    objected: bool = False
    objections: tuple[tuple[str, tuple[Objection, ...]], ...] = ()
    doubt: Reason | None = None

    def because(self, doubt: Reason) -> Case:
        """Return the same case with the reason why it is still open."""
        return replace(self, doubt=doubt)


@dataclass(frozen=True, slots=True)
class Finding:
    """What one rung found; `outcome` and `reason` are set by the rung that settles the case."""

    step: Step
    case: Case
    outcome: Outcome | None = None
    reason: Reason | None = None
    of: str = ""


Rung = Callable[[Case], Finding]


def first_objection(guards: Sequence[Guard], candidate: Candidate, kept: Candidate) -> tuple[Objection, ...]:
    """Return the objections of the first guard that has any, in the order of the guards; empty if none objects.

    Guards behind it are not asked, so that cheap ones spare the dear ones.
    """
    return next((tuple(objections) for guard in guards if (objections := guard(candidate, kept))), ())
