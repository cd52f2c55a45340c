"""Greedy keep-first selection: ranked texts in, each kept or pointing at the kept one it repeats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from saidonce.foundation.model import Candidate, Fate, Objection, Relation
from saidonce.matching.ladder.fact_key import FactKey
from saidonce.matching.ladder.guards import is_recognised, stands_elsewhere, surely_recognised
from saidonce.matching.ladder.rung import Guard, first_objection

MOST_ASKED = 1_000
"""Kept texts that the guards are asked about for one text; a text with more that could win, and a repeat of none of
these, is undecided. Bounds the work on thousands of look-alikes without a figure."""

Nearest = Callable[[int, NDArray[np.intp], int], Iterable[tuple[int, float]]]
"""Return (place, similarity) of so many nearest of some places to a text, of those at or above the threshold."""


def keep_first(
    ranked: Sequence[Candidate | None],
    pairs: Iterable[tuple[int, int, float]],
    guards: Sequence[Guard],
    most_asked: int = MOST_ASKED,
    key: FactKey | None = None,
    one_way_from: float = 0.0,
) -> tuple[Fate, ...]:
    """Walk ranked texts; keep each that repeats no kept one.

    A text is dropped only for a text that is itself kept (no chains): of all kept texts at or above the threshold
    the most similar one to which no guard objects. Order never changes.

    Args:
        ranked: best first; None for a text without an embedding, which is always kept.
        pairs: (i, j, similarity) with i < j, every pair at or above the threshold.
        guards: asked in order, the first objection holds a pair apart.
        most_asked: kept texts that the guards are asked about for one text; if more could win, it is undecided.
        key: spares the guards pairs that cannot pass; decides nothing.
        one_way_from: similarity below which a text is dropped only if the kept one could be dropped for it, too.

    Returns:
        One fate for each text, in input order.
    """
    return Selection(guards, most_asked, key, one_way_from=one_way_from).take(ranked, pairs)


class KeptTexts:
    """Kept texts by their place, and the first of each content; in memory.

    Attributes:
        n_taken: texts decided so far, kept or not.
    """

    def __init__(self) -> None:
        self.n_taken = 0
        self._texts: dict[int, Candidate] = {}
        self._by_content: dict[tuple[str, str], int] = {}

    def same(self, place: int, candidate: Candidate) -> int | None:  # noqa: ARG002 - of stores that know it by place
        """Return the place of the kept text of the same content; None if there is none."""
        return self._by_content.get((candidate.content_hash, candidate.kind))

    def add(self, place: int, candidate: Candidate) -> None:
        """Keep a text; places ascend from call to call."""
        self._by_content[candidate.content_hash, candidate.kind] = place
        self._texts[place] = candidate

    def places(self) -> NDArray[np.intp]:
        """Return the places of all kept texts, ascending."""
        return np.fromiter(self._texts, np.intp)

    def __contains__(self, place: int) -> bool:
        return place in self._texts

    def __getitem__(self, place: int) -> Candidate:
        return self._texts[place]


class Selection:
    """`keep_first` for texts that come in batches: the batches give what all of them at once would."""

    def __init__(
        self,
        guards: Sequence[Guard],
        most_asked: int = MOST_ASKED,
        key: FactKey | None = None,
        nearest: Nearest | None = None,
        kept: KeptTexts | None = None,
        one_way_from: float = 0.0,
    ) -> None:
        """See `keep_first` for the other arguments.

        Args:
            nearest: compares a text with kept ones; needed where `take` is not given all of their pairs.
            kept: what holds the kept texts; in memory if None.
        """
        self._guards = guards
        self._most_asked = most_asked
        self._key = key
        self._nearest = nearest
        self._kept = KeptTexts() if kept is None else kept
        self._one_way_from = one_way_from
        self._also: dict[int, Candidate] = {}

    def take(
        self,
        ranked: Sequence[Candidate | None],
        pairs: Iterable[tuple[int, int, float]],
        n_listed: int | None = None,
    ) -> tuple[Fate, ...]:
        """Walk the next texts; places in pairs and fates count over all texts taken so far.

        Args:
            ranked: the next texts, best first.
            pairs: every pair of these texts, and for each its pairs with kept ones before: all of them, or at least
                the `n_listed` nearest, ties by place.
        """
        above: list[list[tuple[float, int]]] = [[] for _ in ranked]
        start = self._kept.n_taken
        for i, j, similarity in pairs:
            above[j - start].append((-similarity, i))
        fates: list[Fate] = []
        for place, (candidate, before) in enumerate(zip(ranked, above, strict=True), start):
            is_whole = n_listed is None or len(before) < n_listed or sum(i < start for _, i in before) < n_listed
            fates.append(self._settled(place, candidate, before, is_whole=is_whole))
        self._kept.n_taken += len(ranked)
        return tuple(fates)

    def _settled(
        self, place: int, candidate: Candidate | None, before: list[tuple[float, int]], *, is_whole: bool
    ) -> Fate:
        if candidate is None:
            return Fate(place, Relation.KEPT, place)
        same = self._kept.same(place, candidate)
        if same is not None and not self._is_held_apart(candidate, same):
            self._stands_for(same, candidate)
            return Fate(place, Relation.EXACT, same)
        near = [(i, -negative) for negative, i in sorted(before) if i in self._kept]
        fate = self._fate(place, candidate, near, is_whole=is_whole)
        if fate.relation is Relation.KEPT:
            self._kept.add(place, candidate)
            if self._key is not None:
                self._key.add(place, candidate)
        else:
            self._stands_for(fate.of, candidate)
        return fate

    def _stands_for(self, of: int, candidate: Candidate) -> None:
        """Note the headings of a dropped text: no other may be dropped for the kept one that contradicts them."""
        if not candidate.headings:
            return
        kept = self._seen(of)
        if more := [heading for heading in candidate.headings if heading not in kept.headings]:
            self._also[of] = replace(kept, also_under=(*kept.also_under, *more))

    def _seen(self, of: int) -> Candidate:
        """Return a kept text with the headings of all that it stands for."""
        return self._also[of] if of in self._also else self._kept[of]

    def _is_held_apart(self, candidate: Candidate, same: int) -> bool:
        """Return whether something other than its words holds a text apart from a kept one of the same words."""
        if is_recognised(candidate) and surely_recognised(candidate, self._kept[same]):
            return True
        return stands_elsewhere(self._guards, candidate, self._seen(same))

    def _fate(self, place: int, candidate: Candidate, near: Sequence[tuple[int, float]], *, is_whole: bool) -> Fate:
        """Return the nearest kept text to which no guard objects.

        If there is none, return what holds the nearest of all apart, if that is near enough to be dropped for.
        """
        if not near:
            return Fate(place, Relation.KEPT, place)
        of, similarity = near[0]
        objections = self._objections(candidate, of, similarity)
        if not objections:
            return Fate(place, Relation.NEAR, of, similarity)
        kept = Fate(place, Relation.KEPT, place)
        if similarity >= self._one_way_from:
            kept = replace(kept, objections=objections, near_miss=of)
        n_asked = 1
        for i, similarity in self._others(place, candidate, near, is_whole=is_whole):
            if n_asked == self._most_asked:
                return replace(kept, undecided=True)
            if not self._objections(candidate, i, similarity):
                return Fate(place, Relation.NEAR, i, similarity)
            n_asked += 1
        return kept

    def _others(
        self, place: int, candidate: Candidate, near: Sequence[tuple[int, float]], *, is_whole: bool
    ) -> Iterator[tuple[int, float]]:
        """Yield the kept texts behind the nearest that may win, nearest first, ties by place."""
        if is_whole:
            for i, similarity in near[1:]:
                if self._key is None or self._key.may_win(candidate, self._kept[i]):
                    yield i, similarity
            return
        assert self._nearest is not None, "a list that is not whole needs something to look further"
        places = self._kept.places() if self._key is None else self._key.places(candidate)
        nearest = self._nearest(place, places[places != near[0][0]], self._most_asked)
        yield from sorted(nearest, key=lambda pair: (-pair[1], pair[0]))

    def _objections(self, candidate: Candidate, of: int, similarity: float) -> tuple[Objection, ...]:
        kept = self._seen(of)
        objections = first_objection(self._guards, candidate, kept)
        if objections or similarity >= self._one_way_from:
            return objections
        return first_objection(self._guards, kept, candidate)
