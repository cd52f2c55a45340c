"""Second opinions on pairs that wait for a person: how far they count, and what one of them said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from saidonce.foundation.model.verdicts import Opinion, Ruling

UNKNOWN = -1.0
"""Likelihood of a pair without an opinion, which sorts it last."""


class GrayMode(StrEnum):
    """How far a second opinion on an open pair counts; each does what those before it do."""

    PEOPLE = "people"
    SORT = "sort"
    PROPOSE = "propose"
    SETTLE = "settle"


@dataclass(frozen=True, slots=True)
class GrayModes:
    """The mode of each collection: its own, or the one of all others."""

    others: GrayMode = GrayMode.PEOPLE
    own: Mapping[str, GrayMode] | None = None

    def of(self, collection: str) -> GrayMode:
        """Return the mode of a collection."""
        return (self.own or {}).get(collection, self.others)

    @property
    def asks(self) -> bool:
        """Return whether an opinion is asked anywhere."""
        return any(mode is not GrayMode.PEOPLE for mode in (self.others, *(self.own or {}).values()))


def gray_modes(written: str) -> GrayModes:
    """Read modes: one for all collections, and `COLLECTION=MODE` for single ones, with commas between.

    Raises:
        ValueError: it is nothing of the kind, or says two things of one collection.
    """
    others: list[GrayMode] = []
    own: dict[str, GrayMode] = {}
    for part in (part.strip() for part in written.split(",") if part.strip()):
        name, equals, mode = part.rpartition("=")
        if mode.strip() not in list(GrayMode) or bool(equals) is not bool(name.strip()) or name.strip() in own:
            raise ValueError(f"{part!r}: give one of {', '.join(GrayMode)}, and COLLECTION=MODE for single ones")
        if equals:
            own[name.strip()] = GrayMode(mode.strip())
        else:
            others.append(GrayMode(mode.strip()))
    if len(others) > 1:
        raise ValueError(f"{written!r} sets two modes for all collections")
    return GrayModes(others[0] if others else GrayMode.PEOPLE, own)


@dataclass(frozen=True, slots=True)
class SecondOpinion:
    """What an adjudicator said of a flag's texts as they stood; never altered.

    Attributes:
        flag: number of the flag.
        texts: hash of the candidate's text and of those it was compared with; of others it says nothing.
        adjudicator: name of whoever was asked; the ruling names who of several answered last.
        ruling: with its opinion, reason, confidence, duration and cost, or the failure.
        n_failed: failures in a row on the same texts, this one included; 0 if it is none.
        seq: its number in the organisation, from 1; 0 before it is stored.
    """

    flag: int
    texts: str
    adjudicator: str
    ruling: Ruling
    at: datetime
    n_failed: int = 0
    seq: int = 0

    @property
    def is_stated(self) -> bool:
        """Return whether there is an opinion, and not a failure."""
        return self.ruling.failure is None

    @property
    def outcome(self) -> str:
        """The opinion, or the cause of the failure."""
        return str(self.ruling.failure or self.ruling.opinion)

    @property
    def likelihood(self) -> float | None:
        """Probability that the candidate repeats one of the texts, 0..1; None after a failure.

        Where the adjudicator gives none, its confidence in its opinion tells; one that is unsure says a half.
        """
        ruling = self.ruling
        if ruling.failure is not None:
            return None
        if ruling.probability is not None:
            return ruling.probability
        sure = max(0.5, ruling.confidence)
        return {Opinion.DUPLICATE: sure, Opinion.DISTINCT: 1.0 - sure, Opinion.UNSURE: 0.5}[ruling.opinion]
