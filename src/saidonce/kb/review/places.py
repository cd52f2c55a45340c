"""Where passages stand, and whether one stands in a later edition where another stood before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from saidonce.foundation.model import Attribution, Block
from saidonce.kb.canonical import Coexistence, Editions
from saidonce.kb.review.passages_beside import PassagesBeside, folded
from saidonce.matching.ladder import without_number

Place = tuple[str, tuple[str, ...]]
"""A document by name, and the headings there."""


@dataclass(frozen=True, slots=True)
class Where:
    """What shows where two passages stand.

    Attributes:
        names: all names of a document, by each of them.
    """

    names: Mapping[str, tuple[str, ...]]
    editions: Editions
    passages: PassagesBeside

    def of(self, one: Block, two: Block) -> Coexistence | None:
        """Return where two passages stand side by side; None if nothing shows it, or one took the other's place."""
        shown = self.editions.coexistence(names_of(one, self.names), names_of(two, self.names))
        return None if shown is None or _has_taken_place(one, two, self) else shown


def names_of(block: Block, names: Mapping[str, tuple[str, ...]]) -> frozenset[str]:
    """Return all names of the documents that support a block; a page that two editions share is one document."""
    return frozenset(name for d in {block.document, *block.documents} for name in names.get(d, (d,)))


def _has_taken_place(one: Block, two: Block, where: Where) -> bool:
    """Return whether one edition of a page has the one passage under a heading, and another the other one instead.

    Then the one was changed into the other there, wherever else the former still stands: of two settings with one
    default, one has another now. The heading may have changed, too, if each edition has but one of the two. Where
    nothing shows which documents are editions, all headings have to be the same.
    """
    mine, theirs = places_of(one, where.names), places_of(two, where.names)
    return any(
        _is_gone(mine, here, there[0]) and _is_gone(theirs, there, here[0]) and _is_one_place(here, there, where)
        for here in mine
        for there in theirs
        if here[0] != there[0]
    )


def places_of(block: Block, names: Mapping[str, tuple[str, ...]]) -> Counter[Place]:
    """Return where a block stands: each name of a document that supports it, with the headings there."""
    return Counter(
        (name, _path(a)) for a in block.attributions for name in names.get(a.document, (a.document,))
    )  # fmt: skip


def _path(attribution: Attribution) -> tuple[str, ...]:
    """Return the headings of a place, that of the whole page as one name: it may name the edition."""
    path = folded(attribution.heading_path)
    return ("", *path[1:]) if path and path[0] == without_number(attribution.title).casefold() else path


def _is_gone(places: Counter[Place], place: Place, document: str) -> bool:
    """Return whether a passage stands less often in that place of another document."""
    return places[document, place[1]] < places[place]


def _is_one_place(here: Place, there: Place, where: Where) -> bool:
    if not where.editions.is_one_page(here[0], there[0]):
        return False
    (mine, own), (theirs, other) = here, there
    if own == other or not own or not other:
        return own == other
    is_renamed = own[:-1] == other[:-1]
    return is_renamed and not (
        where.passages.has_heading(theirs, own[-1]) or where.passages.has_heading(mine, other[-1])
    )
