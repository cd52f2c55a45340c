"""The result of a deduplication, in numbers, and its digest."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from saidonce.foundation.model import CorpusRow, Ending, RowDecision
from saidonce.foundation.text import normalise

_BANDS = (0.90, 0.92, 0.94, 0.96, 0.98, 0.99, 1.0)
MOST_REPEATED = 10


@dataclass(frozen=True, slots=True)
class Deduped:
    """The decision on every row, in the order of the corpus.

    Attributes:
        digest: of all decisions, see `digest`.
        n_texts: different texts that were compared.
    """

    decisions: tuple[RowDecision, ...]
    digest: str
    n_texts: int

    @property
    def kept(self) -> list[bool]:
        """Return whether each row is kept."""
        return [d.ending.is_kept for d in self.decisions]


class DigestSum:
    """The sum, modulo 2^256, of a SHA-256 of each row's decision: equal in whatever order and parts rows are added."""

    def __init__(self) -> None:
        self._sum = 0

    def add(self, row: str, ending: str, of: str, similarity: float) -> None:
        """Add the decision on one row.

        Args:
            row, of: identities of the row, and of the kept row that it repeats or is held apart from; "-" without one.
        """
        line = f"{row} {ending} {of} {similarity.hex()}"
        self._sum = (self._sum + int.from_bytes(hashlib.sha256(line.encode()).digest(), "big")) % (1 << 256)

    def __str__(self) -> str:
        """Return it as 64 hex digits."""
        return f"{self._sum:064x}"


def digest(rows: Sequence[CorpusRow], decisions: Sequence[RowDecision]) -> str:
    """Return the digest of all decisions, 64 hex digits: see `DigestSum`.

    Equal for every order in which rows come where `keep_by` depends on the rows alone.
    """
    total = DigestSum()
    for d in decisions:
        of = "-" if d.of is None else rows[d.of].identity
        total.add(rows[d.place].identity, str(d.ending), of, d.similarity)
    return str(total)


def summary(rows: Sequence[CorpusRow], deduped: Deduped) -> dict[str, Any]:
    """Count endings, similarities of dropped rows, facts that held rows apart, and the most repeated rows."""
    endings = Counter(d.ending for d in deduped.decisions)
    near = [d.similarity for d in deduped.decisions if d.ending is Ending.NEAR]
    facts = Counter(kind for d in deduped.decisions for kind in {str(o.kind) for o in d.objections})
    repeated = Counter(d.of for d in deduped.decisions if d.of is not None and not d.ending.is_kept)
    most = sorted(repeated.items(), key=lambda item: (-item[1], item[0]))[:MOST_REPEATED]
    n_dropped = endings[Ending.EXACT] + endings[Ending.NEAR]
    return {
        "rows": len(rows),
        "kept": sum(n for ending, n in endings.items() if ending.is_kept),
        "dropped": n_dropped,
        "share_dropped": round(n_dropped / len(rows), 6) if rows else 0.0,
        "by_ending": {str(ending): endings[ending] for ending in Ending},
        "undecided": sum(d.undecided for d in deduped.decisions),
        "texts_compared": deduped.n_texts,
        "near_copies": _copies(rows, deduped),
        "near_by_similarity": by_similarity(near),
        "held_apart_by_fact": dict(sorted(facts.items(), key=lambda item: (-item[1], item[0]))),
        "most_repeated": [{"row": rows[place].number, "id": rows[place].id, "repeats": n} for place, n in most],
        "digest": deduped.digest,
    }


def _copies(rows: Sequence[CorpusRow], deduped: Deduped) -> int:
    """Count near-repeats equal word for word to an earlier near-repeat; endings look at kept rows only."""
    texts = [normalise(rows[d.place].text or "") for d in deduped.decisions if d.ending is Ending.NEAR]
    return len(texts) - len(set(texts))


def by_similarity(near: Sequence[float]) -> dict[str, int]:
    """Count near-repeats from each step up to the next, lowest first."""
    steps = [step for step in (0.0, *_BANDS) if step < 1.0]
    edges = [*steps[1:], 2.0]
    counted = {f"{low:.2f}": sum(low <= one < high for one in near) for low, high in zip(steps, edges, strict=True)}
    return {low: n for low, n in counted.items() if n}
