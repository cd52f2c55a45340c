"""Depths of the items of a list in Word, where a list may be made of several.

Each of the styles "List Bullet", "List Bullet 2" and "List Number 2" is a list of its own with one level: only the
distance from the margin says that a member lies below another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

LEAST_STEP = 100
"""Twentieths of a point that an item of another list stands farther from the margin, if it lies deeper."""


@dataclass(frozen=True, slots=True)
class ListPlace:
    """Where an item stands.

    Attributes:
        list: its definition; items of one are compared by their level.
        left: distance from the margin, in twentieths of a point; None if nothing states it.
    """

    list: str = ""
    level: int = 0
    left: int | None = None

    def lies_below(self, other: ListPlace) -> bool:
        """Return whether an item that follows another one is a member of it."""
        if self.list == other.list:
            return self.level > other.level
        if self.left is None or other.left is None:
            return self.level > other.level
        return self.left >= other.left + LEAST_STEP


def depths(places: Sequence[ListPlace]) -> list[int]:
    """Return how deep each of the items in a row lies; the first one may lie deeper than one that follows."""
    deep: list[int] = []
    open_: list[ListPlace] = []
    for place in reversed(places):
        if places[0].lies_below(place) and (not open_ or place.lies_below(open_[-1])):
            open_.append(place)
    for place in places:
        while open_ and not place.lies_below(open_[-1]):
            open_.pop()
        deep.append(len(open_))
        open_.append(place)
    return deep
