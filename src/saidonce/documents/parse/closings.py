"""Find the line that closes a block, in one pass over the lines however many blocks stay open."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Sequence


class Closings:
    """The lines of a text by what they close.

    Args:
        closed_by: returns what a line closes; empty if nothing.
    """

    def __init__(self, lines: Sequence[str], closed_by: Callable[[str], str]) -> None:
        self._places: dict[str, list[int]] = defaultdict(list)
        for at, line in enumerate(lines):
            if name := closed_by(line):
                self._places[name].append(at)

    def after(self, at: int, name: str) -> int | None:
        """Return the first line after one that closes a block of a name; None if none does."""
        places = self._places.get(name, [])
        first = bisect_right(places, at)
        return places[first] if first < len(places) else None
