"""Stage 7: the decision on every row, from the fates of the texts; counts and digest of all."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saidonce.corpus.dedupe.report import MOST_REPEATED, DigestSum, by_similarity
from saidonce.corpus.run.order import ranked_in
from saidonce.corpus.run.rows import NO_TEXT, TROUBLE, Report, Rows
from saidonce.corpus.run.work import WorkFolder, map_array
from saidonce.foundation.model import Ending

ENDINGS = tuple(Ending)
_CODE = {ending: code for code, ending in enumerate(ENDINGS)}
_KEPT = np.array([ending.is_kept for ending in ENDINGS])
_SLAB = 65_536


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """The decisions on all rows of a run; arrays by place.

    Attributes:
        ending: code of the ending, in the order of `Ending`.
        of: place of the kept row that it repeats or is held apart from; -1 without one.
        first: place of the first row that is decided on; rows before it are those of `--against`.
        n_texts: different texts that were compared.
    """

    rows: Rows
    ending: NDArray[np.uint8]
    of: NDArray[np.int64]
    similarity: NDArray[np.float64]
    undecided: NDArray[np.bool_]
    first: int
    n_texts: int
    objections_at: NDArray[np.int64]
    objections_bytes: NDArray[np.int64]
    _objections: bytes

    @property
    def is_kept(self) -> NDArray[np.bool_]:
        """Return whether each row is kept."""
        kept: NDArray[np.bool_] = _KEPT[self.ending]
        return kept

    @property
    def cluster(self) -> NDArray[np.int64]:
        """For each row the place of the kept row that stands for it; its own if it is kept or cannot be read."""
        own = np.arange(len(self.ending))
        return np.where(self.is_kept | (self.of < 0), own, self.of)

    def objections(self, place: int) -> list[Any]:
        """Return the objections that keep a row apart, as plain data."""
        at, n = int(self.objections_at[place]), int(self.objections_bytes[place])
        listed: list[Any] = json.loads(self._objections[at : at + n]) if n else []
        return listed

    def places(self, *endings: Ending) -> Iterator[int]:
        """Yield the places of rows with some endings, ascending."""
        chosen = np.isin(self.ending[self.first :], [_CODE[ending] for ending in endings])
        yield from (np.flatnonzero(chosen) + self.first).tolist()


def decide(work: WorkFolder, first: int) -> Decisions:
    """Return the decision on every row.

    Args:
        first: place of the first row that is decided on.
    """
    ranked = ranked_in(work.path)
    rows, fates, rank_of = ranked.rows, map_array(work.path / "fates.npy"), map_array(work.path / "rank_of.npy")
    kind = np.asarray(rows.table["kind"])
    n = len(kind)
    ending = np.full(n, _CODE[Ending.KEPT], dtype=np.uint8)
    of = np.full(n, -1, dtype=np.int64)
    similarity = np.ones(n)
    at, size, undecided = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.bool_)
    for low in range(0, n, _SLAB):
        places = np.flatnonzero(rank_of[low : low + _SLAB] >= 0) + low
        ranks = rank_of[places]
        fate = fates[ranks]
        stands = ranked.stands[ranks]
        repeats = fate["relation"] > 0
        same = ~repeats & (stands != places)
        apart = ~repeats & ~same & (fate["near_miss"] >= 0)
        ending[places[repeats]] = np.array([0, _CODE[Ending.EXACT], _CODE[Ending.NEAR]])[fate["relation"][repeats]]
        of[places[repeats]] = ranked.stands[fate["of"][repeats]]
        similarity[places[repeats]] = fate["similarity"][repeats]
        ending[places[same]], of[places[same]] = _CODE[Ending.EXACT], stands[same]
        ending[places[apart]] = _CODE[Ending.HELD_APART]
        of[places[apart]] = ranked.stands[fate["near_miss"][apart]]
        similarity[places[apart]] = fate["apart"][apart]
        at[places[apart]] = fate["objections_at"][apart]
        size[places[apart]] = fate["objections_bytes"][apart]
        undecided[places] = fate["undecided"] & ~same
    ending[kind == NO_TEXT], ending[kind == TROUBLE] = _CODE[Ending.NO_TEXT], _CODE[Ending.UNREADABLE]
    blob = (work.path / "objections").read_bytes()
    return Decisions(rows, ending, of, similarity, undecided, first, len(ranked), at, size, blob)


def digest_of(decisions: Decisions, report: Report) -> str:
    """Return the digest of the decisions on all rows, the same as of any other way to come to them."""
    rows, total, n = decisions.rows, DigestSum(), len(decisions.ending)
    for place in range(decisions.first, n):
        of = int(decisions.of[place])
        ending, similarity = ENDINGS[decisions.ending[place]], float(decisions.similarity[place])
        total.add(rows.identity(place), str(ending), "-" if of < 0 else rows.identity(of), similarity)
        if place % _SLAB == 0:
            report("adding up the digest", place, n)
    return str(total)


def summarise(decisions: Decisions, digest: str) -> dict[str, Any]:
    """Count endings, similarities of dropped rows, facts that held rows apart, and the most repeated rows."""
    own = decisions.ending[decisions.first :]
    n_rows = len(own)
    counted = np.bincount(own, minlength=len(ENDINGS))
    endings = {ending: int(counted[code]) for ending, code in _CODE.items()}
    n_dropped = endings[Ending.EXACT] + endings[Ending.NEAR]
    near = np.flatnonzero(own == _CODE[Ending.NEAR]) + decisions.first
    near_contents = np.ascontiguousarray(decisions.rows.table["content"][near])
    apart = Counter(
        kind
        for place in decisions.places(Ending.HELD_APART)
        for kind in {str(one["kind"]) for one in decisions.objections(place)}
    )
    return {
        "rows": n_rows,
        "kept": sum(n for ending, n in endings.items() if ending.is_kept),
        "dropped": n_dropped,
        "share_dropped": round(n_dropped / n_rows, 6) if n_rows else 0.0,
        "by_ending": {str(ending): n for ending, n in endings.items()},
        "undecided": int(np.count_nonzero(decisions.undecided[decisions.first :])),
        "texts_compared": decisions.n_texts,
        "near_copies": len(near) - len(np.unique(near_contents)),
        "near_by_similarity": by_similarity(decisions.similarity[near].tolist()),
        "held_apart_by_fact": dict(sorted(apart.items(), key=lambda item: (-item[1], item[0]))),
        "most_repeated": _most_repeated(decisions),
        "digest": digest,
    }


def _most_repeated(decisions: Decisions) -> list[dict[str, Any]]:
    own = slice(decisions.first, None)
    places, counts = np.unique(
        decisions.of[own][~decisions.is_kept[own] & (decisions.of[own] >= 0)], return_counts=True
    )
    most = np.lexsort((places, -counts))[:MOST_REPEATED]
    rows = decisions.rows
    return [
        {"row": int(rows.table["number"][place]), "id": rows.id(int(place)), "repeats": int(count)}
        for place, count in zip(places[most], counts[most], strict=True)
    ]
