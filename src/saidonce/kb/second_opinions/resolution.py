"""Decisions that an opinion may make by itself: a merge, a dismissal, or none; both can be reverted."""

from __future__ import annotations

from dataclasses import dataclass

from saidonce.foundation.model import GrayMode, Opinion, Ruling, Verb


@dataclass(frozen=True, slots=True)
class Ground:
    """Circumstances of an opinion.

    Attributes:
        mode: of the collection.
        settle_from: confidence from which an opinion settles.
        objected: a guard objects to the named pair, or the opinion names none that was shown.
        withheld: nothing may be merged without a person now.
        decides_all: people decide everything in this base (setting auto_merge is off).
    """

    mode: GrayMode
    settle_from: float
    objected: bool
    withheld: bool
    decides_all: bool


def outcome(ruling: Ruling, ground: Ground) -> Verb | None:
    """Return MERGE or DISMISS, or None: the pair then stays with a person.

    A merge needs a confident "duplicate" without an objection, where merging is allowed; a dismissal a confident
    "distinct". Failed, unsure and less confident opinions do nothing.
    """
    if ground.mode is not GrayMode.SETTLE or ground.decides_all or ruling.failure is not None:
        return None
    if not ruling.confidence >= ground.settle_from:
        return None
    if ruling.opinion is Opinion.DISTINCT:
        return Verb.DISMISS
    if ruling.opinion is Opinion.DUPLICATE and not ground.objected and not ground.withheld:
        return Verb.MERGE
    return None
