"""Flow step: the fail-closed point. Whatever an adjudicator does becomes a ruling in storable form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

from saidonce.errors import where
from saidonce.foundation.codec import storable
from saidonce.foundation.model import Failure, Opinion, Question, Ruling
from saidonce.foundation.ports import Adjudicator

MAX_REASON = 2_000
"""Longest stored reason of a ruling, in characters."""


def rulings_on(adjudicator: Adjudicator, questions: Sequence[Question]) -> list[Ruling]:
    """Ask an adjudicator to rule; any fault of it becomes a failure of each ruling, never an answer."""
    name = "unknown"
    try:
        name = adjudicator.name
        rulings: Sequence[Ruling | None] = adjudicator.rule(questions)
    except Exception as failed:  # noqa: BLE001  the fail-closed point: nothing that a judge does may clear by accident
        failure = Ruling(Opinion.UNSURE, reason=where(failed), adjudicator=name, failure=Failure.UNREACHABLE)
        rulings = [failure] * len(questions)
    if len(rulings) != len(questions):
        wrong = f"{len(rulings)} rulings on {len(questions)} questions"
        rulings = [Ruling(Opinion.UNSURE, reason=wrong, adjudicator=name, failure=Failure.MALFORMED)] * len(questions)
    return [_sound(ruling, name) for ruling in rulings]


def _sound(ruling: Ruling | None, name: str) -> Ruling:
    """Return the ruling in storable form; a ruling outside the contract becomes a failure."""
    if not isinstance(ruling, Ruling):
        return Ruling(Opinion.UNSURE, reason="no ruling", adjudicator=name, failure=Failure.MALFORMED)
    numbers = (ruling.confidence, ruling.cost)
    is_sane = all(isfinite(n) for n in numbers) and 0.0 <= ruling.confidence <= 1.0 and ruling.cost >= 0.0
    is_sane = is_sane and (ruling.probability is None or 0.0 <= ruling.probability <= 1.0)
    contradicts = ruling.opinion is not Opinion.UNSURE and ruling.failure is not None
    misnamed = ruling.opinion is not Opinion.DUPLICATE and bool(ruling.of)
    if not is_sane or contradicts or misnamed or not isinstance(ruling.opinion, Opinion):
        return Ruling(Opinion.UNSURE, reason="malformed ruling", adjudicator=name, failure=Failure.MALFORMED)
    return replace(
        ruling, reason=storable(ruling.reason)[:MAX_REASON], of=storable(ruling.of),
        adjudicator=storable(ruling.adjudicator or name),
    )  # fmt: skip


def overtaken(name: str) -> Ruling:
    """Return a failed ruling: the stored texts changed while the adjudicator ruled."""
    why = "the kept texts changed while the adjudicator ruled"
    return Ruling(Opinion.UNSURE, reason=why, adjudicator=name, failure=Failure.OVERTAKEN)
