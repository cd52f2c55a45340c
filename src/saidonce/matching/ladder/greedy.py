"""Greedy keep-first selection: ranked texts in, each kept or pointing at the kept one it repeats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from saidonce.foundation.model import Candidate, Fate, Objection, Relation
from saidonce.matching.ladder.rung import Guard, first_objection

MOST_ASKED = 5
"""Nearest kept texts that the guards are asked about for one text; bounds the work on documents of many look-alikes.

Source: seed 002, top-k = 5.
"""

RulesOut = Callable[[Candidate, Candidate], bool]
"""Tells at little cost that a guard will object to a pair; where it says no, the guards decide."""


def keep_first(
    ranked: Sequence[Candidate | None],
    pairs: Iterable[tuple[int, int, float]],
    guards: Sequence[Guard],
    most_asked: int = MOST_ASKED,
) -> tuple[Fate, ...]:
    """Walk ranked texts; keep each that repeats no kept one.

    A text is dropped only for a text that is itself kept (no chains), the most similar one to
    which no guard objects. Order never changes.

    Args:
        ranked: best first; None for a text without an embedding, which is always kept.
        pairs: (i, j, similarity) with i < j, every pair at or above the threshold.
        guards: asked in order, the first objection holds a pair apart.
        most_asked: nearest kept texts that the guards are asked about for one text.

    Returns:
        One fate for each text, in input order.
    """
    return Selection(guards, most_asked).take(ranked, pairs)


class Selection:
    """`keep_first` for texts that come in batches: the batches give what all of them at once would."""

    def __init__(
        self, guards: Sequence[Guard], most_asked: int = MOST_ASKED, rules_out: RulesOut | None = None
    ) -> None:
        """See `keep_first` for the other arguments.

        Args:
            rules_out: spares the guards pairs that cannot pass; decides nothing.
        """
        self._guards = guards
        self._most_asked = most_asked
        self._rules_out = rules_out or (lambda _candidate, _kept: False)
        self._n_taken = 0
        self._kept: dict[int, Candidate] = {}
        self._by_content: dict[tuple[str, str], int] = {}

    def take(self, ranked: Sequence[Candidate | None], pairs: Iterable[tuple[int, int, float]]) -> tuple[Fate, ...]:
        """Walk the next texts; places in pairs and fates count over all texts taken so far.

        Args:
            ranked: the next texts, best first.
            pairs: every pair of these texts, and for each its pairs with kept ones before, of which
                those with one more than the `most_asked` nearest suffice.
        """
        above: list[list[tuple[float, int]]] = [[] for _ in ranked]
        for i, j, similarity in pairs:
            above[j - self._n_taken].append((-similarity, i))
        fates: list[Fate] = []
        for place, (candidate, before) in enumerate(zip(ranked, above, strict=True), self._n_taken):
            fates.append(self._settled(place, candidate, before))
        self._n_taken += len(ranked)
        return tuple(fates)

    def _settled(self, place: int, candidate: Candidate | None, before: list[tuple[float, int]]) -> Fate:
        if candidate is None:
            return Fate(place, Relation.KEPT, place)
        key = (candidate.content_hash, candidate.kind)
        if key in self._by_content:
            return Fate(place, Relation.EXACT, self._by_content[key])
        near = [(i, -negative) for negative, i in sorted(before) if i in self._kept]
        fate = self._fate(place, candidate, near[: self._most_asked])
        if fate.relation is Relation.KEPT:
            self._by_content[key] = place
            self._kept[place] = candidate
            fate = replace(fate, undecided=len(near) > self._most_asked)
        return fate

    def _fate(self, place: int, candidate: Candidate, near: Sequence[tuple[int, float]]) -> Fate:
        """The nearest kept text to which no guard objects; if there is none, what holds the nearest of all apart."""
        held_apart: tuple[int, tuple[Objection, ...]] | None = None
        for i, similarity in near:
            kept = self._kept[i]
            if held_apart is not None and self._rules_out(candidate, kept):
                continue
            objections = first_objection(self._guards, candidate, kept)
            if not objections:
                return Fate(place, Relation.NEAR, i, similarity)
            held_apart = held_apart or (i, objections)
        if held_apart is None:
            return Fate(place, Relation.KEPT, place)
        return Fate(place, Relation.KEPT, place, objections=held_apart[1], near_miss=held_apart[0])
