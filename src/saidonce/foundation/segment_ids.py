"""Ids of the segments of a document: equal for equal ones at every ingest, and each once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from saidonce.foundation import text
from saidonce.foundation.model import Kind


class SegmentIds:
    """Makes the ids of one document's segments; equal segments are numbered in the order they come.

    Args:
        taken: ids that other segments of the document have.
    """

    def __init__(self, document_id: str, taken: Iterable[str] = ()) -> None:
        self._document_id = document_id
        self._taken = set(taken)
        self._n_times: Counter[str] = Counter()

    def new(self, kind: Kind, heading_path: Sequence[str], words: str) -> str:
        """Return the id of one more segment, which no other one has."""
        stem = text.digest(self._document_id, kind, *heading_path, words)
        while True:
            self._n_times[stem] += 1
            n = self._n_times[stem]
            id_ = stem if n == 1 else text.digest(stem, str(n))
            if id_ not in self._taken:
                self._taken.add(id_)
                return id_
