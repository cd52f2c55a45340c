"""The items of a list that is being read; the last one grows at a cost in proportion to what is added."""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import dedent

from saidonce.documents.parse.draft import ListItem

MOST_CODE_LINES = 12
"""Lines of an example that stays a part of its item; a longer one is code of its own."""


class HeldItems:
    """Items with their depths and marks, until their list ends."""

    def __init__(self) -> None:
        self._items: list[tuple[int, list[str], str]] = []

    def __bool__(self) -> bool:
        return bool(self._items)

    def add(self, depth: int, text: str, mark: str = "") -> None:
        """Begin an item."""
        self._items.append((depth, [text] if text else [], mark))

    def grow(self, text: str, between: str) -> None:
        """Add text to the last item, after a separator if it has text already."""
        parts = self._items[-1][1]
        parts += [between, text] if parts else [text]

    def hold_code(self, lines: Sequence[str]) -> bool:
        """Add an example to the last item if the item introduces it and it is short; return whether it was added.

        "The default is:" would stand apart from its value otherwise. Where the depth of a line says something, code
        stays code.
        """
        kept = dedent("\n".join(line.rstrip() for line in lines if line.strip()))
        parts = self._items[-1][1] if self._items else []
        is_flat = bool(kept) and not re.search(r"^\s", kept, re.M)
        if not is_flat or kept.count("\n") >= MOST_CODE_LINES or not (parts and parts[-1].rstrip().endswith(":")):
            return False
        self.grow(kept, "\n")
        return True

    def taken(self) -> list[ListItem]:
        """Return all items, and forget them."""
        items, self._items = self._items, []
        return [(depth, "".join(parts).strip(), mark) for depth, parts, mark in items]
