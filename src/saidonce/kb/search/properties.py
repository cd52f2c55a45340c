"""What the search index keeps of each block beside its vector, and how little of it differs from block to block."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import fields
from typing import Any, NamedTuple

from saidonce.foundation.filters import passes
from saidonce.foundation.model import Filterable, Filters
from saidonce.foundation.ports import VectorRow

_NAMES = tuple(one.name for one in fields(Filterable))


class Known(NamedTuple):
    """A live block: the number of its properties, and what is its own."""

    which: int
    rev: int
    salience: float
    text_key: str
    mark: int


class Properties:
    """Live blocks by id. What filters look at is kept once for all blocks that share it, as those of a document do."""

    def __init__(self) -> None:
        self._numbers: dict[Filterable, int] = {}
        self.kinds: list[Filterable] = []
        self.blocks: dict[str, Known] = {}

    def __len__(self) -> int:
        return len(self.blocks)

    def clear(self) -> None:
        """Forget everything."""
        self._numbers.clear()
        self.kinds.clear()
        self.blocks.clear()

    def take_in(self, batch: Iterable[VectorRow]) -> None:
        """Take in changed blocks."""
        for row in batch:
            if row.gone:
                self.blocks.pop(row.block_id, None)
            else:
                which = self.number(Filterable(**{name: getattr(row, name) for name in _NAMES}))
                self.blocks[row.block_id] = Known(which, row.rev, row.salience, row.text_key, row.mark)

    def number(self, shared: Filterable) -> int:
        """Return the number of some properties; a new one if they are new."""
        number = self._numbers.setdefault(shared, len(self.kinds))
        if number == len(self.kinds):
            self.kinds.append(shared)
        return number

    def row(self, block_id: str) -> VectorRow | None:
        """Return a live block without its vectors; None if there is none."""
        known = self.blocks.get(block_id)
        if known is None:
            return None
        shared: dict[str, Any] = {name: getattr(self.kinds[known.which], name) for name in _NAMES}
        return VectorRow(
            **shared, block_id=block_id, rev=known.rev, gone=False, salience=known.salience, text_key=known.text_key,
            text=None, context=None, mark=known.mark,
        )  # fmt: skip

    def passing(self, filters: Filters) -> Iterator[str]:
        """Yield the ids of the blocks that pass filters."""
        passing = [passes(shared, filters) for shared in self.kinds]
        return (block_id for block_id, known in self.blocks.items() if passing[known.which])

    def ids(self, collections: Collection[str]) -> Iterator[str]:
        """Yield the ids of the blocks of some collections; of all without any."""
        if not collections:
            return iter(self.blocks)
        inside = [shared.collection in collections for shared in self.kinds]
        return (block_id for block_id, known in self.blocks.items() if inside[known.which])

    def languages(self, collections: Collection[str]) -> tuple[str, ...]:
        """Return the languages of the blocks of some collections, of all without any, sorted."""
        live = (self.kinds[which] for which in {known.which for known in self.blocks.values()})
        return tuple(sorted({one.language for one in live if not collections or one.collection in collections}))

    def total(self) -> int:
        """Return the sum of all marks modulo 2^64."""
        return sum(known.mark for known in self.blocks.values()) % 2**64
