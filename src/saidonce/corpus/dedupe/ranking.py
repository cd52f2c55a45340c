"""The order of a corpus's rows: of several repeats, the first is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b

from saidonce.foundation.model import CorpusRow, Vector
from saidonce.foundation.text import content_hash, normalise


class KeepBy(StrEnum):
    """The choice among several repeats.

    `longest` and `newest` depend on the rows alone, not on their order; `first` is their order.
    """

    LONGEST = "longest"
    NEWEST = "newest"
    FIRST = "first"


@dataclass(frozen=True, slots=True)
class RankedTexts:
    """The different texts of a corpus, in the order of preference.

    Attributes:
        places: for each text the place of its row.
        hashes: content hashes of the texts; several may have one, where they differ in layout or in their vectors.
        of: for each row with a text, by its place, the rank of its text.
    """

    places: tuple[int, ...]
    hashes: tuple[str, ...]
    of: dict[int, int]


def rank(rows: Sequence[CorpusRow], keep_by: KeepBy, vectors: Vector | None = None) -> RankedTexts:
    """Rank rows with a text; rows of the same text are one, represented by the first of them.

    With a caller's vectors, one a row, only rows of the same vector are one.

    Longest means the most characters in normal form, newest the latest date, rows without a date
    last and then the longest. Ties go by content hash and then by identity; rows of equal identity
    are interchangeable.
    """
    places = [place for place, row in enumerate(rows) if row.text is not None]
    normal = {place: normalise(rows[place].text or "") for place in places}
    hashes = {place: content_hash(rows[place].text or "", normal=normal[place]) for place in places}

    def longest(place: int) -> tuple[int, str, str]:
        return -len(normal[place]), hashes[place], rows[place].identity

    def newest(place: int) -> tuple[float, int, str, str]:
        dated_at = rows[place].dated_at
        return (float("inf") if dated_at is None else -dated_at, *longest(place))

    if keep_by is KeepBy.LONGEST:
        places.sort(key=longest)
    elif keep_by is KeepBy.NEWEST:
        places.sort(key=newest)
    ranks: dict[tuple[str | None, bytes], int] = {}
    stands: list[int] = []
    of: dict[int, int] = {}
    for place in places:
        vector = b"" if vectors is None else blake2b(vectors[place].tobytes(), digest_size=16).digest()
        of[place] = ranks.setdefault((rows[place].text, vector), len(ranks))
        if of[place] == len(stands):
            stands.append(place)
    return RankedTexts(tuple(stands), tuple(hashes[place] for place in stands), of)
