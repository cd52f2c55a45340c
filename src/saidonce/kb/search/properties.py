"""What the search index keeps of each block beside its vector, and how little of it differs from block to block."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from itertools import chain, compress
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saidonce.foundation.filters import passes
from saidonce.foundation.model import Filterable, Filters, Kind
from saidonce.foundation.ports import VectorRow

_NAMES = tuple(one.name for one in fields(Filterable))


class KnownBlock(NamedTuple):
    """A live block: the number of its properties, and what is its own."""

    which: int
    rev: int
    salience: float
    text_key: str
    mark: int


class IndexedBlock(NamedTuple):
    """What a search looks up of a live block, some hundred times: what filters look at, and what is its own."""

    properties: Filterable
    salience: float
    text_key: str

    @property
    def collection(self) -> str:
        """Its collection."""
        return self.properties.collection

    @property
    def kind(self) -> Kind:
        """Its kind."""
        return self.properties.kind

    @property
    def language(self) -> str:
        """Its language."""
        return self.properties.language

    @property
    def authored_at(self) -> datetime | None:
        """When it was written, if that is known."""
        return self.properties.authored_at


@dataclass(frozen=True, slots=True, eq=False)
class KnownBlocks:
    """Blocks of a copy as columns, which may be mapped from its file, and take a third of the memory of objects.

    Attributes:
        rows: place in the columns by id; blocks that change are taken out.
        which, revs, salience, text_keys, marks: see `KnownBlock`; text keys as ASCII bytes.
    """

    rows: dict[str, int]
    which: NDArray[np.int32]
    revs: NDArray[np.int64]
    salience: NDArray[np.float64]
    text_keys: NDArray[np.bytes_]
    marks: NDArray[np.int64]

    def at(self, row: int) -> KnownBlock:
        """Return the block of a row."""
        revision, mark, key = int(self.revs[row]), int(self.marks[row]), self.text_keys[row].decode()
        return KnownBlock(int(self.which[row]), revision, float(self.salience[row]), key, mark)

    def shown(self, ids: Iterable[str]) -> Iterator[tuple[str, int, float, str]]:
        """Yield what a search looks up of those of some blocks that are here: id, number, salience and text key.

        The columns are read once for all of them: number by number takes many times as long.
        """
        held = {id_: row for id_ in ids if (row := self.rows.get(id_)) is not None}
        places = np.fromiter(held.values(), np.intp, len(held))
        columns = (np.asarray(column)[places].tolist() for column in (self.which, self.salience, self.text_keys))
        for id_, which, salience, key in zip(held, *columns, strict=True):
            yield id_, which, salience, key.decode()

    def numbers(self) -> NDArray[np.int32]:
        """Return the numbers of the properties of the blocks that are left, in the order of `rows`."""
        return self.which[np.fromiter(self.rows.values(), np.intp, len(self.rows))]


class Properties:
    """Live blocks by id. What filters look at is kept once for all blocks that share it, as those of a document do."""

    def __init__(self, kinds: Iterable[Filterable] = (), copied: Iterable[KnownBlocks] = ()) -> None:
        """Begin with the blocks of a copy, and with the numbered properties that they have, each once."""
        self.kinds: list[Filterable] = list(kinds)
        self._numbers: dict[Filterable, int] = dict(zip(self.kinds, range(len(self.kinds)), strict=True))
        self._copied = list(copied)
        self._blocks: dict[str, KnownBlock] = {}
        self._total = sum(int(part.marks.sum()) for part in self._copied)

    def __len__(self) -> int:
        return len(self._blocks) + sum(len(part.rows) for part in self._copied)

    def get(self, block_id: str) -> KnownBlock | None:
        """Return a live block; None if there is none."""
        if (block := self._blocks.get(block_id)) is not None or not self._copied:
            return block
        places = ((part, part.rows.get(block_id)) for part in self._copied)
        return next((part.at(row) for part, row in places if row is not None), None)

    def clear(self) -> None:
        """Forget everything."""
        self._numbers.clear()
        self.kinds.clear()
        self._copied.clear()
        self._blocks.clear()
        self._total = 0

    def take_in(self, batch: Iterable[VectorRow]) -> None:
        """Take in changed blocks."""
        for row in batch:
            before = self.get(row.block_id)
            if before:
                self._forget(row.block_id)
                self._total -= before.mark
            if not row.gone:
                which = self._number(Filterable(**{name: getattr(row, name) for name in _NAMES}))
                self._blocks[row.block_id] = KnownBlock(which, row.rev, row.salience, row.text_key, row.mark)
                self._total += row.mark

    def _forget(self, block_id: str) -> None:
        self._blocks.pop(block_id, None)
        for part in self._copied:
            part.rows.pop(block_id, None)

    def _number(self, shared: Filterable) -> int:
        """Return the number of some properties; a new one if they are new."""
        number = self._numbers.setdefault(shared, len(self.kinds))
        if number == len(self.kinds):
            self.kinds.append(shared)
        return number

    def row(self, block_id: str) -> IndexedBlock | None:
        """Return what is known of a live block, without its vectors; None if there is none."""
        known = self.get(block_id)
        return IndexedBlock(self.kinds[known.which], known.salience, known.text_key) if known else None

    def rows(self, block_ids: Collection[str]) -> dict[str, IndexedBlock]:
        """Return the same of those of some blocks that are live, by id."""
        kinds = self.kinds
        own = ((id_, known) for id_ in block_ids if (known := self._blocks.get(id_)) is not None)
        rows = {id_: IndexedBlock(kinds[known.which], known.salience, known.text_key) for id_, known in own}
        for part in self._copied:
            for id_, which, salience, key in part.shown(block_ids):
                rows[id_] = IndexedBlock(kinds[which], salience, key)
        return rows

    def passing(self, filters: Filters) -> Iterator[str]:
        """Yield the ids of the blocks that pass filters."""
        return self._with([passes(shared, filters) for shared in self.kinds])

    def by_language(self, collections: Collection[str]) -> dict[str, Iterator[str]]:
        """Return the ids of the blocks of some collections, of all without any, by the language of the blocks."""
        numbers = np.fromiter(map(itemgetter(0), self._blocks.values()), np.intp, len(self._blocks))
        parts: list[tuple[Iterable[str], NDArray[np.integer[Any]]]] = [(self._blocks, numbers)]
        parts += [(part.rows, part.numbers()) for part in self._copied]
        of_language: dict[str, list[int]] = {}
        for which in sorted(set().union(*(np.unique(of_each).tolist() for _, of_each in parts))):
            if not collections or self.kinds[which].collection in collections:
                of_language.setdefault(self.kinds[which].language, []).append(which)
        ids: dict[str, Iterator[str]] = {}
        for language, kinds in of_language.items():
            is_right = np.zeros(len(self.kinds), dtype=np.bool_)
            is_right[kinds] = True
            ids[language] = chain(*(compress(rows, is_right[of_each].tolist()) for rows, of_each in parts))
        return ids

    def _with(self, are_right: Sequence[bool]) -> Iterator[str]:
        """Yield the ids of the blocks whose properties are right, by the numbers of these."""
        for part in self._copied:
            yield from compress(part.rows, np.array(are_right, dtype=np.bool_)[part.numbers()].tolist())
        yield from (block_id for block_id, known in self._blocks.items() if are_right[known.which])

    def languages(self, collections: Collection[str]) -> tuple[str, ...]:
        """Return the languages of the blocks of some collections, of all without any, sorted."""
        numbers = {known.which for known in self._blocks.values()}
        numbers.update(*(np.unique(part.numbers()).tolist() for part in self._copied))
        live = (self.kinds[which] for which in numbers)
        return tuple(sorted({one.language for one in live if not collections or one.collection in collections}))

    def total(self) -> int:
        """Return the sum of all marks modulo 2^64."""
        return self._total % 2**64
