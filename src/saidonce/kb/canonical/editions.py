"""Room: what the names of documents show about two passages: that one page, or one edition of a manual, has both."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import IntEnum
from itertools import combinations

FEWEST_PAGES = 2
"""Pages that two editions have both, before what their names differ in counts as the mark of editions."""

MOST_NAMES = 40
"""Documents of one text that are compared by name; a footer of more shows nothing about editions."""

MOST_MARKS = 50
"""Marks that are looked for among all names, those that the most texts show."""

Mark = tuple[str, str]
"""The two stretches, sorted, by which the names of two editions of a page differ."""

Page = tuple[str, str]
"""What stands before and behind such a stretch: the name of a page in every edition."""


class CoexistenceLevel(IntEnum):
    """How much the documents show; each level is weaker than the next."""

    TWO_PAGES = 1
    ONE_EDITION = 2
    KEPT_PAGES = 3
    BOTH_EDITIONS = 4
    ONE_DOCUMENT = 5


@dataclass(frozen=True, slots=True)
class Coexistence:
    """Where two passages stand side by side.

    Attributes:
        level: TWO_PAGES of both editions, one edition has the one on the first, the other edition the other on the
            second; ONE_EDITION has them on two pages; KEPT_PAGES, these pages are in the other edition, too;
            BOTH_EDITIONS have them; ONE_DOCUMENT has both.
        mine, theirs: the documents that show it, by name.
    """

    level: CoexistenceLevel
    mine: tuple[str, ...]
    theirs: tuple[str, ...]

    @property
    def in_words(self) -> str:
        """The documents as people read them."""
        if self.level is CoexistenceLevel.ONE_DOCUMENT:
            return f"{self.mine[0]} has both"
        return f"{_listed(self.mine)} {_have(self.mine)} the one, {_listed(self.theirs)} {_have(self.theirs)} the other"


class Editions:
    """The editions that the documents of a collection show by their names and by the texts that they have in common."""

    def __init__(self, names: Iterable[str], shared: Iterable[AbstractSet[str]]) -> None:
        """Find the marks of editions.

        Args:
            names: all names of documents.
            shared: names of the documents of each text, and all names of each document.
        """
        self._names = frozenset(names)
        self._counts: dict[Mark, int] = {}
        seen = Counter(mark for group in shared for mark in {mark for mark, _ in _marks(group)})
        likeliest = sorted(seen, key=lambda mark: (-seen[mark], mark))[:MOST_MARKS]
        self._known = {mark for mark in likeliest if self._n_pages(mark) >= FEWEST_PAGES}
        most = max(map(self._n_pages, self._known), default=0)
        self._stretches = {each for mark in self._known if self._n_pages(mark) * 2 > most for each in mark}

    def coexistence(self, mine: AbstractSet[str], theirs: AbstractSet[str]) -> Coexistence | None:
        """Return where two texts stand side by side; None where nothing shows it.

        Nothing does where one edition of a page has the one and another edition of that page the other: then the one
        may have taken the other's place. Where names differ in several ways, those count that tell most pages apart:
        a folder of each release beside pages whose names begin alike.

        Args:
            mine: names of the documents of one text.
            theirs: names of those of the other.
        """
        if both := mine & theirs:
            return Coexistence(CoexistenceLevel.ONE_DOCUMENT, (min(both),), (min(both),))
        own = {mark for mark, _ in _marks(mine)} & {mark for mark, _ in _marks(theirs)}
        marks = own | self._known
        replacing = [self._n_pages(mark) for mark in marks if _has_one_page(mine, theirs, mark)]
        most = max(replacing, default=0)
        shown = [
            c
            for mark in sorted(marks)
            if self._n_pages(mark) > most and (c := self._by(mark, mine, theirs, is_shown=mark in own)) is not None
        ]
        return max(shown, key=lambda c: c.level, default=None)

    def is_one_page(self, one: str, other: str) -> bool:
        """Return whether two names may be those of one page in two editions.

        They differ in a mark of editions; where no marks are known, in any one stretch.
        """
        marks = {mark for mark, _ in _marks({one, other})}
        return bool(marks & self._known) or (not self._known and bool(marks))

    def beside(self, name: str, other: str) -> frozenset[str]:
        """Return the documents of the edition of one, as its name differs from that of the same page in another.

        Of a folder of an edition that is all that is in it.
        """
        for mark, page in _marks({name, other}):
            edition = next(each for each in mark if _name(page, each) == name)
            is_folder = "/" in page[1]
            return frozenset(
                each
                for each in self._names
                if any(not is_folder or before == page[0] for before, _ in _pages({each}, edition))
            )
        return frozenset((name,))

    def without_edition(self, name: str) -> str:
        """Return the name of a document without what tells most pages of its edition from those of another one."""
        for tokens in map(_tokens, sorted(self._stretches)):
            name = "".join(_without(_tokens(name), tokens))
        return name

    def is_edition(self, word: str) -> bool:
        """Return whether a word alone is what tells the pages of two editions apart: a year, such as "2025"."""
        return word in self._stretches

    def _n_pages(self, mark: Mark) -> int:
        """Return the number of pages that both editions of a mark have."""
        if mark not in self._counts:
            self._counts[mark] = len({_last_parts(page) for page in _whole(self._names, mark)})
        return self._counts[mark]

    def _by(
        self, mark: Mark, mine: AbstractSet[str], theirs: AbstractSet[str], *, is_shown: bool
    ) -> Coexistence | None:
        """Return what one mark shows; a pair of which both texts stand in both editions shows the mark by itself."""
        one, two = mark
        ours, others = _whole(mine, mark), _whole(theirs, mark)
        if is_shown and ours and others:
            return Coexistence(CoexistenceLevel.BOTH_EDITIONS, _named(ours[0], mark), _named(others[0], mark))
        for edition in mark if mark in self._known else ():
            own, other = _pages(mine, edition), _pages(theirs, edition)
            if own and other:
                kept = [
                    all(_name(p, edition) in self._names for edition in (one, two) for p in (a, b))
                    for a in own
                    for b in other
                ]
                level = CoexistenceLevel.KEPT_PAGES if any(kept) else CoexistenceLevel.ONE_EDITION
                return Coexistence(level, (_name(min(own), edition),), (_name(min(other), edition),))
        return self._on_two_pages(mark, mine, theirs) if mark in self._known else None

    def _on_two_pages(self, mark: Mark, mine: AbstractSet[str], theirs: AbstractSet[str]) -> Coexistence | None:
        """Return that each of two texts is in one edition, on pages that both have; what left a page is on neither."""
        for own, other in (mark, mark[::-1]):
            ours, others = _pages(mine, own), _pages(theirs, other)
            if ours and others and all(_name(p, e) in self._names for p in ours | others for e in mark):
                return Coexistence(CoexistenceLevel.TWO_PAGES, (_name(min(ours), own),), (_name(min(others), other),))
        return None


def step_between(one: str, other: str) -> Mark:
    """Return the two stretches by which the names of two documents differ, in their order; both empty for one name."""
    before, after, mine, theirs = _apart(one, other)
    left, right = ("".join(t[before : len(t) - after]) for t in (mine, theirs))
    return left, right


def _apart(one: str, other: str) -> tuple[int, int, list[str], list[str]]:
    """Return how many parts two names have in common at the beginning and at the end, and the parts of each."""
    mine, theirs = _tokens(one), _tokens(other)
    most = min(len(mine), len(theirs))
    before = next((i for i in range(most) if mine[i] != theirs[i]), most)
    after = next((i for i in range(most - before) if mine[-1 - i] != theirs[-1 - i]), most - before)
    return before, after, mine, theirs


def _marks(names: AbstractSet[str]) -> Iterator[tuple[Mark, Page]]:
    """Yield the mark and the page of each two names that differ in one stretch."""
    if len(names) > MOST_NAMES:
        return
    for a, b in combinations(sorted(names), 2):
        before, after, one, two = _apart(a, b)
        middle = ["".join(t[before : len(t) - after]) for t in (one, two)]
        if all(middle):
            yield (min(middle), max(middle)), ("".join(one[:before]), "".join(one[len(one) - after :]))


def _tokens(name: str) -> list[str]:
    return re.findall(r"[^\W_]+|[\W_]", name)


def _without(tokens: Sequence[str], stretch: Sequence[str]) -> Iterator[str]:
    """Yield some tokens without each occurrence of a stretch of them."""
    at = 0
    while at < len(tokens):
        if tokens[at : at + len(stretch)] == stretch:
            at += len(stretch)
        else:
            yield tokens[at]
            at += 1


def _pages(names: AbstractSet[str], edition: str) -> set[Page]:
    """Return the pages that some names are in an edition: what stands around its stretch, wherever that stands."""
    stretch = _tokens(edition)
    pages = set()
    for name in names:
        if edition not in name:
            continue
        tokens = _tokens(name)
        for i in range(len(tokens) - len(stretch) + 1):
            if tokens[i : i + len(stretch)] == stretch:
                pages.add(("".join(tokens[:i]), "".join(tokens[i + len(stretch) :])))
    return pages


def _whole(names: AbstractSet[str], mark: Mark) -> list[Page]:
    """Return the pages that stand among some names in both editions."""
    return sorted(_pages(names, mark[0]) & _pages(names, mark[1]))


def _has_one_page(mine: AbstractSet[str], theirs: AbstractSet[str], mark: Mark) -> bool:
    ours, others = ({p for edition in mark for p in _pages(names, edition)} for names in (mine, theirs))
    return bool(ours & others)


def _named(page: Page, mark: Mark) -> tuple[str, ...]:
    return tuple(_name(page, edition) for edition in mark)


def _name(page: Page, edition: str) -> str:
    return f"{page[0]}{edition}{page[1]}"


def _last_parts(page: Page) -> str:
    """Return a page without its folders, by which pages of several editions and languages are counted once."""
    return f"{page[0].rpartition('/')[2]} {page[1].rpartition('/')[2]}"


def _listed(names: tuple[str, ...]) -> str:
    return " and ".join(names)


def _have(names: tuple[str, ...]) -> str:
    return "have" if len(names) > 1 else "has"
