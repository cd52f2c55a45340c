"""What a conversation has not told yet: the ladder's use for repeats, over what was said and what could be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from saidonce import text
from saidonce.engine import guards_of
from saidonce.ladder import Case, decide
from saidonce.model import Candidate, Match, Outcome
from saidonce.policy import REPEAT
from saidonce.ports import Embedder
from saidonce.vectors import canonical_cosines


def unsaid(embedder: Embedder, said: Sequence[str], texts: Sequence[str]) -> tuple[bool, ...]:
    """Tell of each text whether it says more than what was said already.

    A text that states another fact than all it resembles is no repeat. Costs an embedding of each text.
    """
    told = [t for t in dict.fromkeys(said) if t.strip()]
    if not told or not texts:
        return (True,) * len(texts)
    kept = [_candidate(t) for t in told]
    vectors = embedder.embed([*told, *texts])
    rows = np.ascontiguousarray(vectors[: len(told)])
    return tuple(
        _says_more(_candidate(one), canonical_cosines(vector, rows).tolist(), kept)
        for one, vector in zip(texts, vectors[len(told) :], strict=True)
    )


def _says_more(mine: Candidate, similar: Sequence[float], kept: Sequence[Candidate]) -> bool:
    ranked = sorted(zip(similar, range(len(kept)), strict=True), key=lambda row: (-row[0], row[1]))
    matches = tuple(Match(str(n), similarity, kept[n]) for similarity, n in ranked[: REPEAT.k])
    return decide(Case(mine, matches, REPEAT, guards_of(REPEAT))).outcome is not Outcome.DUPLICATE


def _candidate(said: str) -> Candidate:
    return Candidate(said, text.content_hash(said), language=text.language(said))
