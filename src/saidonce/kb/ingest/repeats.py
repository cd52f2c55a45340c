"""Repeats inside one document. Source: seed 001, phase 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from saidonce.documents import salience
from saidonce.foundation.model import Relation, Segment, SegmentFate, Vector
from saidonce.foundation.settings.policy import Settings
from saidonce.matching.guards import CANONICAL_GUARDS, candidate
from saidonce.matching.ladder import keep_first
from saidonce.matching.vectors import near_pairs


@dataclass(frozen=True, slots=True)
class Repeats:
    """Fates of a document's segments, and the boost of each kept one, by its id."""

    fates: tuple[SegmentFate, ...]
    boosts: Mapping[str, float]


def remove_repeats(segments: Sequence[Segment], vectors: Sequence[Vector | None], settings: Settings) -> Repeats:
    """Return the fate of each segment of one document, and the boosts of kept ones.

    Segments below the salience floor are set aside. The others are compared by salience, highest
    first, equal ones in document order. Exact repeats are dropped without a boost; a paraphrase of equal content
    boosts the segment it repeats, once for each wording. A segment without a vector is kept.

    Args:
        segments: of one document, in order.
        vectors: of their texts, unit rows; None without one.
        settings: thresholds, floor and boosts.
    """
    above = [i for i, s in enumerate(segments) if s.salience >= settings.salience_floor]
    order = sorted(above, key=lambda i: -segments[i].salience)
    ranked = [candidate(segments[i]) if vectors[i] is not None else None for i in order]
    pairs = _near(order, vectors, settings.repeat_from) if settings.repeat_enabled else []
    walked = keep_first(ranked if settings.repeat_enabled else [None] * len(order), pairs, CANONICAL_GUARDS)
    fates: dict[int, SegmentFate] = {
        i: SegmentFate(s.id, None, "", 0.0) for i, s in enumerate(segments) if s.salience < settings.salience_floor
    }
    wordings: dict[str, set[str]] = {}
    for fate in walked:
        kept_id = segments[order[fate.of]].id
        near_miss = segments[order[fate.near_miss]].id if fate.near_miss is not None else ""
        fates[order[fate.index]] = SegmentFate(
            segments[order[fate.index]].id, fate.relation, kept_id, fate.similarity, fate.objections, near_miss
        )
        if fate.relation is Relation.NEAR:
            wordings.setdefault(kept_id, set()).add(segments[order[fate.index]].content_hash)
    boosts = {
        kept_id: salience.boost(len(hashes), settings.boost_per_repeat, settings.boost_decay, settings.boost_log_base)
        for kept_id, hashes in wordings.items()
        if settings.boost_enabled
    }
    return Repeats(tuple(fates[i] for i in range(len(segments))), boosts)


def _near(order: Sequence[int], vectors: Sequence[Vector | None], threshold: float) -> list[tuple[int, int, float]]:
    """Return near pairs among the ranked segments that have vectors, as places in the ranking."""
    places = [place for place, i in enumerate(order) if vectors[i] is not None]
    rows = [v for place in places if (v := vectors[order[place]]) is not None]
    if len(rows) < 2:
        return []
    return [(places[i], places[j], s) for i, j, s in near_pairs(np.stack(rows), threshold)]
