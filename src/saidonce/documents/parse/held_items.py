"""The items of a list that is being read; the last one grows at a cost in proportion to what is added."""

from __future__ import annotations

from saidonce.documents.parse.draft import ListItem


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

    def taken(self) -> list[ListItem]:
        """Return all items, and forget them."""
        items, self._items = self._items, []
        return [(depth, "".join(parts).strip(), mark) for depth, parts, mark in items]
