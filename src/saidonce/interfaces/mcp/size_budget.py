"""How much one result may hold: texts are shortened from the end, lists too, and every cut is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

MAX_RESULT_CHARS = 40_000
"""Characters of stored text in one result."""

MAX_TEXT_CHARS = 6_000
"""Characters of one stored text."""

MAX_NAME_CHARS = 300
"""Characters of a title, a heading or a document's name."""

MAX_CUTS = 40
"""Cuts that are told one by one."""

T = TypeVar("T")
U = TypeVar("U")


class SizeBudget:
    """What is left of a result's size, and what was cut so far."""

    def __init__(self, n_chars: int = MAX_RESULT_CHARS) -> None:
        self._left = n_chars
        self._cuts: list[str] = []

    @property
    def cuts(self) -> list[str]:
        """What was cut, in words."""
        shown = self._cuts[:MAX_CUTS]
        more = len(self._cuts) - len(shown)
        return [*shown, f"{more} more cuts"] if more else shown

    def text(self, content: str, where: str, most: int = MAX_TEXT_CHARS) -> str:
        """Give the beginning of a text that still has room."""
        n = max(0, min(len(content), most, self._left))
        self._left -= n
        if n < len(content):
            self._cuts.append(f"{where}: the first {n} of {len(content)} characters")
        return content[:n]

    def name(self, content: str, where: str) -> str:
        """Give a title, a heading or a name, shortened if it is very long."""
        return self.text(content, where, MAX_NAME_CHARS)

    def names(self, contents: Sequence[str], where: str, most: int = 50) -> list[str]:
        """Give several of them."""
        return self.items(contents, where, most, self.name)

    def items(self, items: Sequence[T], where: str, most: int, tell: Callable[[T, str], U]) -> list[U]:
        """Tell the first of some items, as long as there is room; each is told where it stands."""
        told: list[U] = []
        for place, item in enumerate(items):
            if place >= most or self._left <= 0:
                self._cuts.append(f"{where}: the first {place} of {len(items)}")
                break
            told.append(tell(item, f"{where}[{place}]"))
        return told
