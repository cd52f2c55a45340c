"""Greedy keep-first selection: ranked texts in, each kept or pointing at the kept one it repeats."""

from __future__ import annotations

from collections.abc import Sequence

from saidonce.ladder.rung import Guard
from saidonce.model import Candidate, Fate, Objection, Relation


def keep_first(
    ranked: Sequence[Candidate | None],
    pairs: Sequence[tuple[int, int, float]],
    guards: Sequence[Guard],
    most_asked: int = 5,
) -> tuple[Fate, ...]:
    """Walk ranked texts; keep each that repeats no kept one.

    A text is dropped only for a text that is itself kept (no chains), the most similar one to
    which no guard objects. Order never changes.

    Args:
        ranked: best first; None for a text without an embedding, which is always kept.
        pairs: (i, j, similarity) with i < j, every pair at or above the threshold.
        guards: asked in order, the first objection holds a pair apart.
        most_asked: nearest kept texts that the guards are asked about for one text. Bounds the work
            on documents of many look-alikes. Source: seed 002, top-k = 5.

    Returns:
        One fate for each text, in input order.
    """
    above: list[list[tuple[float, int]]] = [[] for _ in ranked]
    for i, j, similarity in pairs:
        above[j].append((-similarity, i))
    fates: list[Fate] = []
    kept_by_content: dict[tuple[str, str], int] = {}
    for place, candidate in enumerate(ranked):
        if candidate is None:
            fates.append(Fate(place, Relation.KEPT, place))
            continue
        key = (candidate.content_hash, candidate.kind)
        if key in kept_by_content:
            fates.append(Fate(place, Relation.EXACT, kept_by_content[key]))
            continue
        near = [(i, -negative) for negative, i in sorted(above[place]) if fates[i].relation is Relation.KEPT]
        fate = _fate(place, candidate, ranked, near[:most_asked], guards)
        fates.append(fate)
        if fate.relation is Relation.KEPT:
            kept_by_content[key] = place
    return tuple(fates)


def _fate(
    place: int,
    candidate: Candidate,
    ranked: Sequence[Candidate | None],
    near: Sequence[tuple[int, float]],
    guards: Sequence[Guard],
) -> Fate:
    held_apart: tuple[int, tuple[Objection, ...]] | None = None
    for i, similarity in near:
        other = ranked[i]
        assert other is not None  # pairs exist only between texts with embeddings
        objections = next((tuple(found) for guard in guards if (found := guard(candidate, other))), ())
        if not objections:
            return Fate(place, Relation.NEAR, i, similarity)
        if held_apart is None:
            held_apart = (i, objections)
    if held_apart is None:
        return Fate(place, Relation.KEPT, place)
    return Fate(place, Relation.KEPT, place, objections=held_apart[1], near_miss=held_apart[0])
