"""What adjudicators remember and spend, kept with the gates of an organisation."""

from __future__ import annotations

from datetime import date

from saidonce.foundation.model import Ruling
from saidonce.foundation.ports import Gates
from saidonce.foundation.text import digest


class StoredRulings:
    """A cache of rulings that outlives its process; one that is known is not replaced."""

    def __init__(self, gates: Gates) -> None:
        self._gates = gates

    def get(self, key: str, adjudicator: str) -> Ruling | None:
        """Return the ruling that this adjudicator stored under a key, or None."""
        named = digest(key, adjudicator)
        return self._gates.rulings([named]).get(named)

    def put(self, key: str, adjudicator: str, ruling: Ruling) -> None:
        """Keep a ruling."""
        self._gates.remember({digest(key, adjudicator): ruling})


class StoredBudget:
    """What one organisation may spend on rulings a day, whatever number of processes spends it; 0 does not limit."""

    def __init__(self, gates: Gates, most_calls: int, most_cost: float) -> None:
        self._gates = gates
        self._most_calls = most_calls
        self._most_cost = most_cost

    def spend(self, day: date, n: int, cost: float) -> bool:
        """Take n rulings and a cost in US dollars from a day's budget; say whether they were taken."""
        return self._gates.spend(day, n, cost, self._most_calls, self._most_cost)
