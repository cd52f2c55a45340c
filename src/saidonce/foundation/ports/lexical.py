"""What a lexical search finds: candidates and statistics of their words, row by row or as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray


class LexicalRow(NamedTuple):
    """A block that contains some of the terms of a query, with what BM25 needs.

    Attributes:
        n_terms: length of the block, counts of all its terms.
        counts: occurrences of each query term, in the query's order.
    """

    block_id: str
    n_terms: int
    counts: tuple[int, ...]


class LexicalColumns(Sequence[LexicalRow]):
    """Rows that a store gives as columns: of a thousand, each is made only when somebody looks at it.

    Attributes:
        block_ids: of the rows, ascending.
        n_terms: lengths, shape (n,).
        counts: occurrences of each query term, shape (n, n query terms).
    """

    def __init__(
        self, block_ids: Sequence[str], n_terms: NDArray[np.integer[Any]], counts: NDArray[np.integer[Any]]
    ) -> None:
        """Take columns of one length."""
        self.block_ids = block_ids
        self.n_terms = n_terms
        self.counts = counts

    def __len__(self) -> int:
        return len(self.block_ids)

    @overload
    def __getitem__(self, at: int) -> LexicalRow: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[LexicalRow]: ...
    def __getitem__(self, at: int | slice) -> LexicalRow | Sequence[LexicalRow]:
        if isinstance(at, slice):
            return LexicalColumns(self.block_ids[at], self.n_terms[at], self.counts[at])
        return LexicalRow(self.block_ids[at], int(self.n_terms[at]), tuple(self.counts[at].tolist()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


@dataclass(frozen=True)
class LexicalPool:
    """Candidates of a lexical search with the statistics of the searched collections.

    Attributes:
        n_blocks: blocks in the searched collections, before filters.
        mean_terms: mean length of those blocks.
        n_containing: blocks that contain each query term, in the query's order.
        rows: by block id; every filtered block that contains all query terms, or one of the
            rarest terms whose `n_containing` add up to the cap (always at least the rarest).
    """

    n_blocks: int
    mean_terms: float
    n_containing: tuple[int, ...]
    rows: Sequence[LexicalRow]

    @cached_property
    def columns(self) -> LexicalColumns:
        """The rows as columns."""
        if isinstance(self.rows, LexicalColumns):
            return self.rows
        counts = np.array([row.counts for row in self.rows], np.int64).reshape(len(self.rows), len(self.n_containing))
        lengths = np.array([row.n_terms for row in self.rows], np.int64)
        return LexicalColumns([row.block_id for row in self.rows], lengths, counts)
