"""Repeats in a ranked list, searched only as far down as needed. Source: seed 001, phase 2."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from saidonce.foundation.model import Candidate, Fate, Objection, Relation, Vector
from saidonce.matching.guards import REPEAT_GUARDS
from saidonce.matching.ladder import FactKey, Guard, first_objection, keep_first
from saidonce.matching.selection import stated_figures
from saidonce.matching.vectors import near_pairs

LOOK_AT_LEAST = 50
LOOK_PER_HIT = 3
"""Ranked texts compared with each other before any further down the list."""


@dataclass(frozen=True, slots=True)
class RepeatRule:
    """Which texts of a ranked list repeat others.

    Attributes:
        threshold: canonical similarity from which a text may repeat another, and state less than it.
        guards: each of them, or one of several, objects to a figure that only the candidate states.
        same_from: similarity from which a text may repeat another, too, if each states all of the other.
        keeps_fuller: a lower text that states all of a higher one, and more, is kept instead of it.
    """

    threshold: float
    guards: Sequence[Guard] = REPEAT_GUARDS
    same_from: float = 1.0
    keeps_fuller: bool = False


def first_look(n_hits: int) -> int:
    """Return the number of ranked texts compared at first."""
    return max(LOOK_AT_LEAST, LOOK_PER_HIT * n_hits)


Front: TypeAlias = "Callable[[int], tuple[Sequence[Candidate], Sequence[Vector | None]]]"
"""Returns so many of the best texts of a ranking, each with its unit vector, shape (dim,); fewer if there are no more.
A text without a vector is kept."""


def front(ranked: Sequence[Candidate], vectors: Sequence[Vector | None]) -> Front:
    """Return the front of a list that is known whole."""
    return lambda n: (ranked[:n], vectors[:n])


def fates_down_to(n_hits: int, first: Front, rule: RepeatRule) -> tuple[Fate, ...]:
    """Return the fates of the first ranked texts, down to where `n_hits` are kept, and some more for their repeats.

    This spares the guards most of a list of look-alikes.

    Args:
        n_hits: texts wanted.
        first: the front of the ranking, asked for more as long as too few are kept.
        rule: what repeats what.

    Returns:
        One fate for each text, in ranked order. A text repeats a higher one; with `keeps_fuller` a lower one, too, in
        which case that one stands in its place (see `places_of_groups`).
    """
    n, rule = first_look(n_hits), _remembering(rule)
    fates: tuple[Fate, ...] = ()
    while True:
        ranked, vectors = first(n)
        if len(ranked) == len(fates):
            return fates
        fates = _fates(ranked, vectors, rule)
        if sum(f.relation is Relation.KEPT for f in fates) >= n_hits:
            return fates
        n *= 2


def places_of_groups(fates: Sequence[Fate]) -> dict[int, int]:
    """Return the places of the kept texts, each with that of the highest text that it stands for, in this order.

    The two differ where a text is kept instead of a higher one.
    """
    first: dict[int, int] = {}
    for fate in fates:
        first[fate.of] = min(first.get(fate.of, fate.index), fate.index)
    return dict(sorted(first.items(), key=lambda group: group[1]))


_KEY = FactKey(stated_figures)

NearPair = tuple[int, int, float]
"""Places of two ranked texts, the higher first, and their canonical similarity."""


def fates_among(ranked: Sequence[Candidate | None], near: Sequence[NearPair], rule: RepeatRule) -> tuple[Fate, ...]:
    """Return the fates of ranked texts, best first; a text that is None, or in no pair of another content, is kept.

    Pairs below the threshold are repeats only if each text states all of the other.
    """
    return _fates_among(ranked, near, _remembering(rule))


def _fates_among(ranked: Sequence[Candidate | None], near: Sequence[NearPair], rule: RepeatRule) -> tuple[Fate, ...]:
    key = FactKey(stated_figures) if rule.guards else None
    if not rule.keeps_fuller or not rule.guards:
        return keep_first(ranked, near, rule.guards, key=key, one_way_from=rule.threshold)
    return _with_the_fuller(ranked, near, rule)


def _remembering(rule: RepeatRule) -> RepeatRule:
    """Return a rule whose guards are asked once of each pair, where a list is walked more than once."""
    return replace(rule, guards=(_asked_once(rule.guards),)) if rule.keeps_fuller and rule.guards else rule


def _fates(ranked: Sequence[Candidate], vectors: Sequence[Vector | None], rule: RepeatRule) -> tuple[Fate, ...]:
    compared = [text if v is not None else None for text, v in zip(ranked, vectors, strict=True)]
    places = [place for place, v in enumerate(vectors) if v is not None]
    rows = [v for v in vectors if v is not None]
    near = near_pairs(np.stack(rows), min(rule.threshold, rule.same_from)) if len(rows) > 1 else []
    return _fates_among(compared, [(places[i], places[j], s) for i, j, s in near], rule)


def _asked_once(guards: Sequence[Guard]) -> Guard:
    """Return the guards as one that remembers what they say of a pair."""
    known: dict[tuple[Candidate, Candidate], tuple[Objection, ...]] = {}

    def asked_once(candidate: Candidate, kept: Candidate) -> Sequence[Objection]:
        pair = candidate, kept
        if pair not in known:
            known[pair] = first_objection(guards, *pair)
        return known[pair]

    return asked_once


def _with_the_fuller(
    ranked: Sequence[Candidate | None], near: Sequence[NearPair], rule: RepeatRule
) -> tuple[Fate, ...]:
    """Move texts up to the place of a higher one of which they state all, and more; walk the list in that order.

    A text moves once, so that this ends even where three texts each seem to state all of the next.
    """
    order = list(range(len(ranked)))
    moved: set[int] = set()
    while True:
        fates = _walked(order, ranked, near, rule)
        kept = {fate.index for fate in fates if fate.relation is Relation.KEPT}
        lower = _near_and_lower([place for place in order if place in kept], near, rule.threshold)
        move = next(
            ((i, j) for i, j in lower if j not in moved and _states_more(ranked[j], ranked[i], rule.guards)), None
        )
        if move is None:
            return tuple(sorted(fates, key=lambda fate: fate.index))
        higher, fuller = move
        order.remove(fuller)
        order.insert(order.index(higher), fuller)
        moved.add(fuller)


def _walked(
    order: Sequence[int], ranked: Sequence[Candidate | None], near: Sequence[NearPair], rule: RepeatRule
) -> list[Fate]:
    """Return the fates of texts that are walked in an order of their own."""
    at = {place: n for n, place in enumerate(order)}
    pairs = [(min(at[i], at[j]), max(at[i], at[j]), similarity) for i, j, similarity in near]
    texts, key = [ranked[place] for place in order], FactKey(stated_figures)
    return [
        replace(
            fate,
            index=order[fate.index],
            of=order[fate.of],
            near_miss=None if fate.near_miss is None else order[fate.near_miss],
        )
        for fate in keep_first(texts, pairs, rule.guards, key=key, one_way_from=rule.threshold)
    ]


def _near_and_lower(order: Sequence[int], near: Sequence[NearPair], threshold: float) -> list[tuple[int, int]]:
    """Return the pairs of these places that are similar enough, the higher first; the nearest of each first."""
    at = {place: n for n, place in enumerate(order)}
    pairs = [(at[i], at[j], s) for i, j, s in near if s >= threshold and i in at and j in at]
    ranked = sorted((min(i, j), -similarity, max(i, j)) for i, j, similarity in pairs)
    return [(order[higher], order[lower]) for higher, _, lower in ranked]


def _states_more(fuller: Candidate | None, text: Candidate | None, guards: Sequence[Guard]) -> bool:
    """Return whether a text states all of another, which does not state all of it."""
    if fuller is None or text is None or not _KEY.may_win(text, fuller):
        return False
    return not first_objection(guards, text, fuller) and bool(first_objection(guards, fuller, text))
