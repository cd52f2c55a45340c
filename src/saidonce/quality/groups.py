"""Union-find over names, so that related examples stay on one side of a split."""

from __future__ import annotations

from collections.abc import Iterable


class NameGroups:
    """Disjoint sets of names; each is represented by its smallest name, independent of the order of calls."""

    def __init__(self) -> None:
        self._parents: dict[str, str] = {}

    def connect(self, names: Iterable[str]) -> None:
        """Merge the sets of several names."""
        roots = {self.root(name) for name in names}
        self._parents.update(dict.fromkeys(roots, min(roots)))

    def root(self, name: str) -> str:
        """Return the smallest name of the set that contains a name."""
        while (above := self._parents.setdefault(name, name)) != name:
            self._parents[name] = name = self._parents.setdefault(above, above)
        return name
