"""What the text of a hit has in common with the hits above it, sentence by sentence, and what differs.

Both texts are compared once; a sentence counts as stated only if it is equal, or borne out by the guards.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile

from saidonce.foundation.model import UNKNOWN_LANGUAGE, Candidate, FactKind, Kind, Objection, Span
from saidonce.foundation.text import content_hash, normalise, words
from saidonce.kb.parts_of_texts import indented
from saidonce.kb.search import Hit
from saidonce.matching import facts
from saidonce.matching.facts import Change, Comparison, Pairing
from saidonce.matching.guards import REPEAT_GUARDS, apart_by_place, candidate_in_place
from saidonce.matching.ladder import first_objection

LEAST_SHARED = 20
"""Characters that two hits must share, in whole sentences, for one to count as a variant of the other."""

_FEW_WORDS, _ALIKE = 5, 0.4
"""Words from which a stretch is a sentence, and the share of them that another one has too if the two are set side by
side as a difference."""

_LEAST_OF_LONGER = 0.5
"""Share of a sentence's words that another one has at least, in their order, if the sentence is that one and more."""

_ENDS = re.compile(r"[.!?:;](?=\s|$)|[\n\u3002\uff01\uff1f]+")


@dataclass(frozen=True, slots=True)
class SharedText:
    """What a hit and the hit of a passage both state.

    Attributes:
        at: place of the passage.
        stated: stretches of the hit that the passage's hit states as well.
    """

    at: int
    comparison: Comparison
    stated: tuple[Span, ...]

    @property
    def size(self) -> int:
        """Characters of the hit that the passage's hit states as well."""
        return sum(len(span.text) for span in self.stated)

    def states(self, of: Span) -> bool:
        """Return whether a stretch of the hit lies in what the passage's hit states."""
        return any(span.holds(of) for span in self.stated)


def shared_texts(hits: Sequence[Hit], hit: Hit) -> list[SharedText]:
    """Return what a hit shares with each of the hits above it, most first, of equals the one that stands higher.

    Of those that share no sentence, only look-alikes: that a search held apart, or with a sentence that adds words to
    one of the other.
    """
    shared = []
    for at, other in enumerate(hits):
        is_look_alike = hit.held_apart is not None and hit.held_apart.block_id == other.block.id
        if not is_look_alike and not _may_share(other.block.text, hit.block.text):
            continue
        comparison = facts.compare(other.block.text, hit.block.text, _language_of(other, hit))
        stated = tuple(c.b for c in comparison.changes if c.b.text.strip() and _is_stated(c.b, c.a, c, hit))
        one = SharedText(at, comparison, stated)
        if is_look_alike or one.size >= LEAST_SHARED or any(map(_extends, comparison.changes)):
            shared.append(one)
    return sorted(shared, key=lambda one: (-one.size, one.at))


def conflicts_of(comparison: Comparison) -> tuple[Objection, ...]:
    """Return the facts that differ, those of the second text first; no two sentences that have little in common.

    Words that a sentence adds to one of the other text are named together, even if no guard reads a fact in them.
    """
    objections = facts.with_replaced(comparison.objections, comparison.changes)
    named = [o.mirrored for o in objections if (o.a.text or o.b.text) and _are_comparable(o.a.text, o.b.text)]
    for change in comparison.changes:
        if added := _added_words(change):
            there, here = added
            within = [o for o in named if _lies_in(o.a, o.b, here) or _lies_in(o.b, o.a, there)]
            kind = within[0].kind if within else FactKind.TERM
            named = [*(o for o in named if o not in within), Objection(kind, here, there)]
    return tuple(named)


def _lies_in(stated: Span, there: Span, added: Span) -> bool:
    """Return whether a fact that one text alone states lies in the words that it adds."""
    return bool(stated.text) and not there.text and added.holds(stated)


def _are_comparable(a: str, b: str) -> bool:
    """Return whether two stretches are short, or enough alike for a reader to see what differs."""
    one, two = (Counter(words(content)) for content in (a, b))
    shorter = min(one.total(), two.total())
    return shorter < _FEW_WORDS or (one & two).total() >= _ALIKE * shorter


def apart_by_headings(other: Hit, hit: Hit) -> tuple[Objection, ...]:
    """Return the objection to the headings or the speakers of two hits; what is shown of either belongs to its own."""
    return tuple(apart_by_place(_in_places(hit), _in_places(other)))


def _in_places(hit: Hit) -> Candidate:
    """Return what a hit says, with the headings over it and over all that repeats it."""
    mine = candidate_in_place(hit.block)
    others = (heading for twin in hit.also_in for heading in candidate_in_place(twin.block).headings)
    return replace(mine, also_under=(*mine.also_under, *others))


def contradicted_in_order(best: SharedText, other: Hit, hit: Hit) -> tuple[Objection, ...]:
    """Return what the guards object to between all that two hits share: the order of its sentences says something.

    Sentence by sentence nothing of it differs.
    """
    pairs = [(c.a, c.b) for c in best.comparison.changes if c.a.text.strip() and best.states(c.b) and c.b.text.strip()]
    here, there = sorted(pairs, key=lambda pair: pair[1].start), sorted(pairs, key=lambda pair: pair[0].start)
    if here == there:
        return ()
    kind, language = hit.block.kind, _language_of(other, hit)
    texts = (
        "\n".join(indented(hit.block.text, b) for _, b in here),
        "\n".join(indented(other.block.text, a) for a, _ in there),
    )
    return _objections(*texts, kind, language)


def contradicts_whole(other: Hit, hit: Hit) -> tuple[Objection, ...]:
    """Return what the guards object to between two whole hits of which each has all sentences of the other.

    A member that has moved below another head stands in both.
    """
    kind, language = hit.block.kind, _language_of(other, hit)
    return _objections(hit.block.text, other.block.text, kind, language)


def states_all(comparison: Comparison, hit: Hit) -> bool:
    """Return whether a hit states all of the text that it was compared with."""
    return all(_is_stated(c.a, c.b, c, hit) for c in comparison.changes if c.a.text.strip())


def _is_stated(text: Span, by: Span, change: Change, hit: Hit) -> bool:
    """Return whether one side of an aligned stretch is stated by the other: equal, or borne out by the guards.

    What is aligned as equal may still differ in words of grammar: "is closed", "was closed".
    """
    if change.relation not in (Pairing.EQUAL, Pairing.REWORDED):
        return False
    if normalise(text.text) == normalise(by.text):
        return True
    kind, language = hit.block.kind, hit.block.language
    return not _objections(text.text, by.text, kind, language)


def _objections(one: str, other: str, kind: Kind, language: str) -> tuple[Objection, ...]:
    """Return the guards' objections to leaving out one text where the other stands."""
    return first_objection(REPEAT_GUARDS, *(Candidate(c, content_hash(c), kind, language) for c in (one, other)))


def _language_of(other: Hit, hit: Hit) -> str:
    return hit.block.language if hit.block.language == other.block.language else UNKNOWN_LANGUAGE


def _may_share(a: str, b: str) -> bool:
    """Return whether two texts may have a line or sentence in common, or with the other's words and more.

    A cheap test before the comparison.
    """
    one, other = _pieces(a), _pieces(b)
    return not one.texts.isdisjoint(other.texts) or any(
        _may_extend(x, y) or _may_extend(y, x) for x in one.in_words for y in other.in_words
    )


@dataclass(frozen=True, slots=True)
class _Pieces:
    """The normalised lines and sentences of a text, and the words of those that are long enough to extend."""

    texts: frozenset[str]
    in_words: tuple[frozenset[str], ...]


@lru_cache(maxsize=100)
def _pieces(content: str) -> _Pieces:
    """Return the lines and sentences of a text; remembered, since each hit is held against all before it."""
    texts = frozenset(piece for raw in _ENDS.split(content) if (piece := normalise(raw)))
    return _Pieces(texts, tuple(frozenset(words(piece)) for piece in sorted(texts) if len(piece) >= LEAST_SHARED))


def _may_extend(shorter: frozenset[str], longer: frozenset[str]) -> bool:
    return shorter <= longer and len(shorter) >= _LEAST_OF_LONGER * len(longer)


def _extends(change: Change) -> bool:
    """Return whether one side of an aligned stretch has all words of the other in their order, and some more."""
    shorter, longer = sorted((words(change.a.text), words(change.b.text)), key=len)
    if not _LEAST_OF_LONGER * len(longer) <= len(shorter) < len(longer) or len("".join(shorter)) < LEAST_SHARED:
        return False
    rest = iter(longer)
    return all(word in rest for word in shorter)


def _added_words(change: Change) -> tuple[Span, Span] | None:
    """Return the one stretch that a side of an aligned stretch adds to the other, of the first side and of the second.

    That of the other side is empty, and stands at its end; None if there is no such stretch.
    """
    if not _extends(change):
        return None
    adds_here = len(words(change.b.text)) > len(words(change.a.text))
    shorter, longer = (change.a, change.b) if adds_here else (change.b, change.a)
    added = _inserted(shorter.text, longer.text)
    if not added.text:
        return None
    none = Span(shorter.end, shorter.end, "")
    return (none, added.moved(longer.start)) if adds_here else (added.moved(longer.start), none)


def _inserted(shorter: str, longer: str) -> Span:
    """Return the stretch of a text without which it has the words of another; an empty one if there are several."""
    own = [match for match in re.finditer(r"\S+", longer) if words(match[0])]
    mine, others = ([words(match[0]) for match in own], [words(part) for part in shorter.split() if words(part)])
    before = _n_equal(mine, others)
    after = min(_n_equal(mine[::-1], others[::-1]), len(others) - before)
    if before + after < len(others):
        return Span(0, 0, "")
    start, end = own[before].start(), own[len(own) - after - 1].end()
    end = start + len(longer[start:end].rstrip(",.;:!?"))
    return Span(start, end, longer[start:end])


def _n_equal(one: Sequence[list[str]], other: Sequence[list[str]]) -> int:
    """Return how many words are the same from the beginning on."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
