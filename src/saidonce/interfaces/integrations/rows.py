"""Rows of a corpus in memory, without their repeats: what `saidonce dedupe` does, for data sets."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from saidonce.adapters.embed import open_embedder
from saidonce.corpus.dedupe import DedupeOptions, KeepBy, dedupe
from saidonce.corpus.files import Fields
from saidonce.errors import UsageError
from saidonce.foundation.model import Ending, Objection, Vector
from saidonce.foundation.ports import Embedder
from saidonce.matching.guards import REPEAT_GUARDS

AnyRow = TypeVar("AnyRow", bound="str | Mapping[str, Any]")


@dataclass(frozen=True, slots=True)
class Dropped(Generic[AnyRow]):
    """A row that repeats a kept one: its place, the kept one's, why, and their canonical similarity."""

    row: AnyRow
    place: int
    of: int
    reason: Ending
    similarity: float


@dataclass(frozen=True, slots=True)
class DedupedRows(Generic[AnyRow]):
    """What stays of rows, in their order, and what does not.

    Attributes:
        kept_places: places of the kept rows, for `Dataset.select` and the like.
        held_apart: for a kept row that looks like another one, that one's place and which facts differ.
        digest: SHA-256 over all decisions.
    """

    kept: tuple[AnyRow, ...]
    dropped: tuple[Dropped[AnyRow], ...]
    kept_places: tuple[int, ...]
    held_apart: Mapping[int, tuple[int, tuple[Objection, ...]]]
    digest: str


def dedupe_rows(
    rows: Iterable[AnyRow],
    fields: Fields | str = "text",
    vectors: Vector | Embedder | None = None,
    *,
    threshold: float = 0.90,
    keep: KeepBy | str = KeepBy.LONGEST,
    guarded: bool = True,
) -> DedupedRows[AnyRow]:
    """Return rows without their repeats.

    Args:
        rows: texts, or mappings with a text in one field, such as a `datasets.Dataset`; one without is kept.
        fields: name of that field, or several names as `Fields`.
        vectors: shape (n, dim) float32, unit rows, one per row, or an embedder; the built-in model by default.
        keep: which of several repeats stays: longest, newest (by the date field) or first.
        guarded: rows that state different facts stay.

    Raises:
        UsageError: the threshold, the way to keep or the vectors make no sense, or no row has the field.
        ModelUnavailableError: the embedder failed.
    """
    listed = list(rows)
    names = Fields(fields) if isinstance(fields, str) else fields
    if keep not in set(KeepBy):
        raise UsageError(f"keep must be one of {', '.join(KeepBy)}, not {keep!r}")
    corpus = [names.row(number, _bytes(row), _record(row, names)) for number, row in enumerate(listed, 1)]
    if corpus and all(row.text is None for row in corpus):
        raise UsageError(f"no row has text in the field {names.text!r}")
    options = DedupeOptions(threshold, KeepBy(keep), REPEAT_GUARDS if guarded else ())
    result = dedupe(corpus, vectors if vectors is not None else open_embedder("minilm"), options)
    kept = tuple(d.place for d in result.decisions if d.ending.is_kept)
    dropped = tuple(
        Dropped(listed[d.place], d.place, d.of, d.ending, d.similarity)
        for d in result.decisions
        if not d.ending.is_kept and d.of is not None
    )
    apart = {d.place: (d.of, d.objections) for d in result.decisions if d.ending.is_kept and d.of is not None}
    return DedupedRows(tuple(listed[place] for place in kept), dropped, kept, apart, result.digest)


def _record(row: str | Mapping[str, Any], fields: Fields) -> Mapping[str, Any]:
    return {fields.text: row} if isinstance(row, str) else row


def _bytes(row: str | Mapping[str, Any]) -> bytes:
    """Return the bytes of a row's identity."""
    return json.dumps(row if isinstance(row, str) else dict(row), sort_keys=True, default=repr).encode()
