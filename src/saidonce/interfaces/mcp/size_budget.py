"""How much one result may hold: texts are shortened from the end, lists too, and every cut is named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar, get_args

from saidonce.interfaces.views.base import View
from saidonce.interfaces.views.mcp import Limit, McpResult

MAX_RESULT_CHARS = 40_000
"""Characters of stored text in one result."""

MAX_CUTS = 40
"""Cuts that are named one by one."""

R = TypeVar("R", bound=McpResult)
V = TypeVar("V", bound=View)


def fitted(result: R) -> R:
    """Return a result shortened to the limits of its fields and of all results, with its cuts named."""
    budget = _Budget()
    shortened = budget.fit(result, "")
    return shortened.model_copy(update={"cut": (*result.cut, *budget.cuts)})


class _Budget:
    """What is left of a result's size, and what was cut so far."""

    def __init__(self) -> None:
        self._left = MAX_RESULT_CHARS
        self._cuts: list[str] = []

    @property
    def cuts(self) -> tuple[str, ...]:
        """What was cut, in words."""
        shown = self._cuts[:MAX_CUTS]
        more = len(self._cuts) - len(shown)
        return (*shown, f"{more} more cuts") if more else tuple(shown)

    def fit(self, view: V, where: str) -> V:
        """Return a view with its fields shortened, in their order."""
        parts = {
            name: self._part(
                getattr(view, name), field.annotation, field.metadata, f"{where}.{name}" if where else name
            )
            for name, field in type(view).model_fields.items()
        }
        return view.model_copy(update=parts)

    def _part(self, value: Any, annotation: Any, metadata: Iterable[Any], where: str) -> Any:
        most = next((limit.most for limit in metadata if isinstance(limit, Limit)), None)
        if isinstance(value, View):
            return self.fit(value, where)
        if most is None:
            return value
        return self._text(value, where, most) if isinstance(value, str) else self._items(value, annotation, where, most)

    def _text(self, content: str, where: str, most: int) -> str:
        """Return the beginning of a text, as far as there is room."""
        n = max(0, min(len(content), most, self._left))
        self._left -= n
        if n < len(content):
            self._cuts.append(f"{where}: the first {n} of {len(content)} characters")
        return content[:n]

    def _items(self, items: Sequence[Any], annotation: Any, where: str, most: int) -> tuple[Any, ...]:
        """Return the first of some items, as long as there is room."""
        inner = get_args(annotation)[0]
        parts: list[Any] = []
        for place, item in enumerate(items):
            if place >= most or self._left <= 0:
                self._cuts.append(f"{where}: the first {place} of {len(items)}")
                break
            parts.append(self._part(item, inner, get_args(inner)[1:], f"{where}[{place}]"))
        return tuple(parts)
