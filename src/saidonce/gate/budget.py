"""What adjudicators remember and spend, kept with the gates of an organisation."""

from __future__ import annotations

from datetime import date

from saidonce.foundation.model import Opinion, ReviewNote, Ruling
from saidonce.foundation.ports import Gates
from saidonce.foundation.text import digest


class StoredRulings:
    """A cache of rulings that outlives its process; one that is known is not replaced.

    Args:
        anew: an "unsure" that is known does not count, and gives way to the next ruling.
    """

    def __init__(self, gates: Gates, anew: bool = False) -> None:
        self._gates = gates
        self._anew = anew

    def get(self, key: str, adjudicator: str) -> Ruling | None:
        """Return the ruling that this adjudicator stored under a key, or None."""
        named = digest(key, adjudicator)
        ruling = self._gates.rulings([named]).get(named)
        return None if self._anew and ruling is not None and ruling.opinion is Opinion.UNSURE else ruling

    def put(self, key: str, adjudicator: str, ruling: Ruling) -> None:
        """Keep a ruling."""
        self._gates.remember({digest(key, adjudicator): ruling}, anew=self._anew)


class StoredReviews:
    """Reviews that an auto-rater was sent and has not finished, kept with the gates of an organisation."""

    def __init__(self, gates: Gates) -> None:
        self._gates = gates

    def open_review(self, key: str) -> ReviewNote | None:
        """Return the note of a review, or None."""
        return self._gates.review(key)

    def note(self, review: ReviewNote) -> None:
        """Note a review, in place of an earlier note of its key."""
        self._gates.note_review(review)

    def drop(self, key: str) -> None:
        """Drop the note of a review; it is over."""
        self._gates.drop_review(key)


class StoredBudget:
    """What one organisation may spend on rulings a day, whatever number of processes spends it; 0 does not limit."""

    def __init__(self, gates: Gates, most_calls: int, most_cost: float) -> None:
        self._gates = gates
        self._most_calls = most_calls
        self._most_cost = most_cost

    def spend(self, day: date, n: int, cost: float) -> bool:
        """Take n rulings and a cost in US dollars from a day's budget; say whether they were taken."""
        return self._gates.spend(day, n, cost, self._most_calls, self._most_cost)
