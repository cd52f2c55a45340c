"""What an opinion may bring about by itself: a merge, a dismissal, or nothing; both can be taken back."""

from __future__ import annotations

from dataclasses import dataclass

from saidonce.foundation.model import GrayMode, Opinion, Ruling, Verb


@dataclass(frozen=True, slots=True)
class Ground:
    """What stands beside an opinion when it is weighed.

    Attributes:
        mode: of the collection.
        settle_from: confidence from which an opinion settles.
        objected: a guard objects to the pair that the opinion names, or it names none that was shown.
        withheld: nothing may be merged without a person now.
        decides_all: people decide everything in this base (setting auto_merge is off).
    """

    mode: GrayMode
    settle_from: float
    objected: bool
    withheld: bool
    decides_all: bool


def outcome(ruling: Ruling, ground: Ground) -> Verb | None:
    """Give MERGE or DISMISS, or None: then the pair stays with a person.

    A merge needs a confident "duplicate" without an objection, where merging is allowed; a dismissal a confident
    "distinct". Whatever failed, is unsure or not confident enough does nothing.
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
