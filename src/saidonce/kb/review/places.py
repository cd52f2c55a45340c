"""Where passages stand, and whether one stands in a later edition where another stood before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from saidonce.foundation.model import Attribution, Block
from saidonce.kb.canonical import Editions
from saidonce.kb.review.passages_beside import folded
from saidonce.matching.ladder import without_number

_Place = tuple[str, tuple[str, ...]]
"""A document by name, and the headings there."""


def has_taken_place(one: Block, two: Block, names: Mapping[str, tuple[str, ...]], editions: Editions) -> bool:
    """Return whether one edition of a page has the one passage under a heading, and another the other one instead.

    Then the one was changed into the other there, wherever else the former still stands: of two settings with one
    default, one has another now. Where nothing shows which documents are editions, all headings have to be the same.

    Args:
        one: a passage with all places where it stands, in whatever order.
        two: the other one.
        names: of documents, by each of their names.
        editions: of the collection.
    """
    mine, theirs = _places(one, names), _places(two, names)
    return any(
        _is_gone(mine, here, there[0]) and _is_gone(theirs, there, here[0]) and _is_one_page(here, there, editions)
        for here in mine
        for there in theirs
        if here[0] != there[0] and here[1][-1:] == there[1][-1:]
    )


def _places(block: Block, names: Mapping[str, tuple[str, ...]]) -> Counter[_Place]:
    return Counter(
        (name, _path(a)) for a in block.attributions for name in names.get(a.document, (a.document,))
    )  # fmt: skip


def _path(attribution: Attribution) -> tuple[str, ...]:
    """Return the headings of a place, that of the whole page as one name: it may name the edition."""
    path = folded(attribution.heading_path)
    return ("", *path[1:]) if path and path[0] == without_number(attribution.title).casefold() else path


def _is_gone(places: Counter[_Place], place: _Place, document: str) -> bool:
    """Return whether a passage stands less often in that place of another document."""
    return places[document, place[1]] < places[place]


def _is_one_page(here: _Place, there: _Place, editions: Editions) -> bool:
    return here[1] == there[1] and editions.is_one_page(here[0], there[0])
