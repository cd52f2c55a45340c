"""Comparison of texts of a conversation on the decision ladder."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from saidonce.foundation import text
from saidonce.foundation.model import Candidate, Match, Vector, Verdict
from saidonce.foundation.settings.policy import Policy
from saidonce.matching.guards import guards_of
from saidonce.matching.ladder import Case, decide
from saidonce.matching.vectors import canonical_cosines


def candidate(content: str) -> Candidate:
    """Return a text's candidate for the ladder."""
    return Candidate(content, text.content_hash(content), language=text.language(content))


def compare(mine: Candidate, earlier: Sequence[tuple[str, Candidate]], vectors: Vector, policy: Policy) -> Verdict:
    """Match a text on the ladder against earlier ones, (id, text) in the order that breaks ties.

    Args:
        mine: the new text.
        earlier: texts to compare it with.
        vectors: shape (1 + number of earlier texts, dim) float32: of `mine`, then of each earlier one.
        policy: thresholds, guards and number of matches.
    """
    similar = canonical_cosines(vectors[0], np.ascontiguousarray(vectors[1:])).tolist()
    matches = [Match(id_, similarity, one) for (id_, one), similarity in zip(earlier, similar, strict=True)]
    nearest = tuple(sorted(matches, key=lambda m: -m.similarity)[: policy.k])
    return decide(Case(mine, nearest, policy, guards_of(policy)))
