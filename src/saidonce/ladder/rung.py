"""The one signature of all rungs, and what passes between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from saidonce.model import Candidate, Match, Objection, Outcome, Reason, Step
from saidonce.policy import Policy

Guard = Callable[[Candidate, Candidate], Sequence[Objection]]
"""Compares a candidate with a kept text: which facts differ; nothing if it has no objection."""


@dataclass(frozen=True, slots=True)
class Case:
    """A candidate on its way up the ladder.

    Attributes:
        matches: kept items, nearest first, ties by id.
        guards: in the order in which they are asked.
        objected: set by the guards when they spoke against every match that would settle.
    """

    candidate: Candidate
    matches: tuple[Match, ...]
    policy: Policy
    guards: tuple[Guard, ...]
    objected: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """What one rung found; `outcome` and `reason` are set by the rung that settles the case."""

    step: Step
    case: Case
    outcome: Outcome | None = None
    reason: Reason | None = None
    of: str = ""


Rung = Callable[[Case], Finding]
