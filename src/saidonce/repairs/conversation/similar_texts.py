"""Room: one text beside others on the decision ladder, for whatever a conversation compares."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from saidonce.foundation import text
from saidonce.foundation.model import Candidate, Match, Vector, Verdict
from saidonce.foundation.settings.policy import Policy
from saidonce.matching.guards import guards_of
from saidonce.matching.ladder import Case, decide
from saidonce.matching.vectors import canonical_cosines


def candidate(said: str) -> Candidate:
    """What the ladder sees of a text."""
    return Candidate(said, text.content_hash(said), language=text.language(said))


def compared(mine: Candidate, kept: Sequence[tuple[str, Candidate]], vectors: Vector, policy: Policy) -> Verdict:
    """Take a text up the ladder against kept ones, (id, text) in the order that breaks ties.

    Args:
        mine: the text that asks.
        kept: what there is.
        vectors: shape (1 + number of kept, dim) float32: of `mine`, then of each kept one.
        policy: whose thresholds, guards and number of matches hold.
    """
    similar = canonical_cosines(vectors[0], np.ascontiguousarray(vectors[1:])).tolist()
    matches = [Match(id_, similarity, one) for (id_, one), similarity in zip(kept, similar, strict=True)]
    nearest = tuple(sorted(matches, key=lambda m: -m.similarity)[: policy.k])
    return decide(Case(mine, nearest, policy, guards_of(policy)))
