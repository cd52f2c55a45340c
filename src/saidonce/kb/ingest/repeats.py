"""Repeats inside one document. Source: seed 001, phase 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from saidonce.documents import salience
from saidonce.foundation.model import Candidate, Fate, Relation, Segment, SegmentFate, Vector
from saidonce.foundation.ports import EquivalenceJudge
from saidonce.foundation.settings.policy import Settings
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import says_the_same
from saidonce.matching.guards import candidate_in_place
from saidonce.matching.ladder import MOST_ASKED, FactKey
from saidonce.matching.selection import SelectionOptions, select_first, stated_figures


@dataclass(frozen=True, slots=True)
class Repeats:
    """Fates of a document's segments, and the boost of each kept one, by its id.

    Attributes:
        n_undecided: kept segments with more look-alikes than were compared.
    """

    fates: tuple[SegmentFate, ...]
    boosts: Mapping[str, float]
    n_undecided: int = 0


def remove_repeats(
    segments: Sequence[Segment],
    vectors: Sequence[Vector | None],
    settings: Settings,
    judge: EquivalenceJudge | None = None,
) -> Repeats:
    """Return the fate of each segment of one document, and the boosts of kept ones.

    Segments below the salience floor are set aside. The others are compared by salience, highest
    first, equal ones in document order; each is compared with every kept one that is similar enough. Exact repeats are
    dropped without a boost. A near one is dropped only if it says the same as the segment it repeats: all that either
    states is accounted for in the other, or the judge bears out what differs in words. It boosts that segment, once for
    each wording. A segment without a vector is kept.

    Args:
        segments: of one document, in order.
        vectors: of their texts, unit rows; None without one.
        settings: thresholds, floor and boosts.
        judge: bears out re-wordings; without one they all stay.

    Raises:
        ModelUnavailableError: the judge failed.
    """
    above = [i for i, s in enumerate(segments) if s.salience >= settings.salience_floor]
    order = sorted(above, key=lambda i: -segments[i].salience)
    walked = _walk([segments[i] for i in order], [vectors[i] for i in order], settings, judge)
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
    return Repeats(tuple(fates[i] for i in range(len(segments))), boosts, sum(f.undecided for f in walked))


def says_nothing_else(a: str, b: str, language: str) -> bool:
    """Return whether two pieces of a document say the same, so that joining one with its neighbours hides a repeat."""
    one, other = (Candidate(text, content_hash(text), language=language) for text in (a, b))
    return not says_the_same()(one, other)


def _walk(
    ranked: Sequence[Segment], vectors: Sequence[Vector | None], settings: Settings, judge: EquivalenceJudge | None
) -> tuple[Fate, ...]:
    """Return the fates of the ranked segments; one without a vector is kept and compared with nothing."""
    compared = [place for place, vector in enumerate(vectors) if vector is not None and settings.repeat_enabled]
    fates = {place: Fate(place, Relation.KEPT, place) for place in range(len(ranked))}
    if compared:
        rows = np.stack([row for place in compared if (row := vectors[place]) is not None])
        near_from = min(settings.repeat_from, settings.same_from)
        options = SelectionOptions(near_from, (says_the_same(judge),), MOST_ASKED, one_way_from=settings.repeat_from)
        texts = [candidate_in_place(ranked[place]) for place in compared]
        selected = select_first(texts.__getitem__, rows, options, FactKey(stated_figures))
        fates |= {compared[fate.index]: _with_global_places(fate, compared) for fate in selected}
    return tuple(fates[place] for place in range(len(ranked)))


def _with_global_places(fate: Fate, places: Sequence[int]) -> Fate:
    """Return a fate whose numbers are places in the whole ranking."""
    near_miss = None if fate.near_miss is None else places[fate.near_miss]
    return replace(fate, index=places[fate.index], of=places[fate.of], near_miss=near_miss)
