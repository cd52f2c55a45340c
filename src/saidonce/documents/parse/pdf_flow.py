"""Rejoin text split by pages: sentences that continue on the next page, running heads inside them, drop capitals."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from saidonce.documents.parse.draft import one_line
from saidonce.documents.parse.pdf_lines import ENDS, PageLine
from saidonce.foundation.model import Element, Kind

SAME_PLACE = 3.0
"""Difference in points of the feet of lines that stand at the same place of two pages."""

MIN_PAGES = 2
_FIGURES = re.compile(r"\d+")
_NUMBER_ONLY = re.compile(r"[\W_]*+(?:\w+ )?[\divxlc]+(?: \w+ \d+)?[\W_]*", re.I)
_WORDS_OF_ONE = frozenset("AIOÀYE")


def running_lines(pages: Sequence[Sequence[PageLine]]) -> list[set[str]]:
    """Return, for each page, its lines that occur at the same place of other pages, numbers aside."""
    places: dict[tuple[str, int], set[int]] = defaultdict(set)
    for number, lines in enumerate(pages):
        for line in lines:
            for place in _near(line):
                places[_FIGURES.sub("0", line.text), place].add(number)
    return [
        {
            one_line(line.text)
            for line in lines
            if any(len(places[_FIGURES.sub("0", line.text), place]) >= MIN_PAGES for place in _near(line))
        }
        for lines in pages
    ]


def _near(line: PageLine) -> tuple[int, int]:
    """Return the two bands of a page that a line is in, so that neighbours share at least one."""
    return int(line.foot // (2 * SAME_PLACE)) * 2, int((line.foot + SAME_PLACE) // (2 * SAME_PLACE)) * 2 + 1


def flowing(elements: Iterable[Element], running: Sequence[set[str]]) -> list[Element]:
    """Return the elements of a document with drop capitals joined to their words and split sentences rejoined.

    A sentence is split if the last text of a page has no end and the first of the next page begins in lower case.

    Args:
        running: the running headers and footers of each page, from the first.
    """
    whole: list[Element] = []
    body: int | None = None
    for element in _with_initials(_without_heads(elements, running)):
        if _is_running(element, running):
            whole.append(element)
        elif body is not None and _goes_on(whole[body], element):
            whole[body] = replace(whole[body], text=_together(whole[body].text, element.text))
        else:
            body = len(whole)
            whole.append(element)
    return whole


def _goes_on(before: Element, after: Element) -> bool:
    is_text = before.kind is Kind.PARAGRAPH and after.kind is Kind.PARAGRAPH
    is_next = before.page is not None and after.page == before.page + 1
    return is_text and is_next and not ENDS.search(before.text) and after.text[:1].islower()


def _together(before: str, after: str) -> str:
    is_broken = re.search(r"\w[-\u2010]$", before) is not None
    return before + after if is_broken else f"{before} {after}"


def _is_running(element: Element, running: Sequence[set[str]]) -> bool:
    if element.page is None or element.page > len(running):
        return False
    return one_line(element.text) in running[element.page - 1] or bool(_NUMBER_ONLY.fullmatch(element.text))


def _without_heads(elements: Iterable[Element], running: Sequence[set[str]]) -> Iterable[Element]:
    """Yield the elements, running heads separated from the paragraphs that the layout joined them to."""
    for element in elements:
        heads = running[element.page - 1] if element.page is not None and element.page <= len(running) else set()
        head = next((one for one in sorted(heads) if element.text.startswith(f"{one} ")), "")
        if element.kind is not Kind.PARAGRAPH or not head:
            yield element
            continue
        yield replace(element, text=head)
        yield replace(element, text=element.text.removeprefix(head).lstrip())


def _with_initials(elements: Iterable[Element]) -> Iterable[Element]:
    """Yield the elements, a single capital joined to the paragraph whose first word it begins."""
    initial: Element | None = None
    for element in elements:
        if initial is not None:
            if element.kind is Kind.PARAGRAPH and element.page == initial.page and element.text[:1].islower():
                gap = " " if initial.text in _WORDS_OF_ONE else ""
                yield replace(element, text=f"{initial.text}{gap}{element.text}")
                initial = None
                continue
            yield initial
        is_initial = len(element.text) == 1 and element.text.isupper()
        initial = element if is_initial and element.kind in (Kind.HEADING, Kind.PARAGRAPH) else None
        if initial is None:
            yield element
    if initial is not None:
        yield initial
