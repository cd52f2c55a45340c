"""Lists that were typed by hand: paragraphs that each begin with a bullet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from saidonce.documents.parse.draft import tidy_list
from saidonce.foundation.model import Element, Kind

_BULLETED = re.compile(r"[\u2022\u25cf\u25e6\u25aa\u25a0\u2023\u2219\u2043\u00b7\uf0b7\uf0a7]\s+(?=\S)")
"""Signs that stand at the beginning of a line as bullets alone; a dash there may begin direct speech."""

MIN_ITEMS = 2
"""Bullets one below another, from which they are a list."""


def with_lists(elements: Iterable[Element]) -> Iterator[Element]:
    """Yield the elements of a document, paragraphs in a row that begin with bullets as one list."""
    held: list[Element] = []
    for element in elements:
        if held and (not _is_bulleted(element) or (element.page, element.place) != (held[0].page, held[0].place)):
            yield from _together(held)
            held = []
        if _is_bulleted(element):
            held.append(element)
        else:
            yield element
    yield from _together(held)


def _is_bulleted(element: Element) -> bool:
    is_text = element.kind is Kind.PARAGRAPH and (element.place is None or element.place.is_quoted)
    return is_text and all(map(_BULLETED.match, element.text.split("\n")))


def _together(held: list[Element]) -> Iterator[Element]:
    lines = [line for element in held for line in element.text.split("\n")]
    if len(lines) < MIN_ITEMS:
        yield from held
        return
    items = "\n".join(_BULLETED.sub("- ", line, count=1) for line in lines)
    yield replace(held[0], kind=Kind.LIST, text=tidy_list(items))
