"""Common parts of the three Office formats: core properties, charts, XML."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from lxml import etree

from saidonce.documents.parse.dates import utc
from saidonce.documents.parse.draft import DocumentDraft, one_line

_XML_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
_JUNK_TITLE = re.compile(
    r"(?:microsoft (?:word|powerpoint|excel) - .*|(?:word|powerpoint|excel) (?:document|presentation|template)"
    r"|untitled.*|powerpoint[- ]pr.*|pr[eéä]sentation ?\d*|slide ?\d*|document ?\d*|dokument ?\d*|title|\(anonymous\)"
    r"|.*\.(?:docx?|pptx?|xlsx?|indd|tex|dvi|pdf))",
    re.I,
)
_TOOLS = frozenset("python-docx openpyxl xlsxwriter (anonymous) anonymous unknown user author administrator".split())
_TEMPLATE_DAYS = frozenset({(2013, 12, 23), (2013, 1, 27)})
"""Dates in the empty templates of popular writing libraries."""

MIN_DESCRIPTION = 3
"""Words from which the description of a picture is one, not a label."""

_FILE_NAME = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?|emf|wmf)$", re.I)
_GUESSES = ("escription automatically generated", "AI-generated content may be incorrect.")
"""What Office adds to the descriptions that it makes up."""

CHART = "http://schemas.openxmlformats.org/drawingml/2006/chart"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"


def title_or_none(title: str) -> str:
    """Return a title written by the author; empty if a program filled it in."""
    plain = one_line(title)
    return "" if _JUNK_TITLE.fullmatch(plain) else plain


def author_or_none(author: str) -> str:
    """Return the name of a person or organisation; empty for a program's name."""
    plain = one_line(author)
    return "" if plain.casefold() in _TOOLS else plain


def read_core(core: Any, draft: DocumentDraft) -> None:
    """Read title, author and date from core properties; the date is that of the last change."""
    draft.title = title_or_none(core.title or "")
    draft.author = author_or_none(_text(core, "author", "creator"))
    draft.language = core.language or ""
    for moment in (core.modified, core.created):
        if isinstance(moment, datetime) and (moment.year, moment.month, moment.day) not in _TEMPLATE_DAYS:
            draft.authored_at = utc(moment)
            return


def parse_xml(content: bytes) -> etree._Element:
    """Parse a part of a package without entities, document types and network.

    Raises:
        lxml.etree.XMLSyntaxError: it is not well formed.
    """
    return etree.fromstring(content, _XML_PARSER)


def _text(core: Any, *names: str) -> str:
    for name in names:
        value = getattr(core, name, None)
        if isinstance(value, str) and value:
            return value
    return ""


def read_chart(root: etree._Element, draft: DocumentDraft, page: int | None = None) -> None:
    """Add a chart's title as a caption and its numbers as a table."""
    title = next(root.iter(f"{{{CHART}}}title"), None)
    if title is not None:
        draft.caption("".join(node.text or "" for node in title.iter(f"{{{DRAWING}}}t")), page)
    draft.table(_chart_rows(root), page)


def _chart_rows(chart: etree._Element) -> list[list[str]]:
    """Return the data table of a chart: categories down, series across."""

    def points(series: etree._Element, name: str) -> dict[int, str]:
        node = series.find(f"{{{CHART}}}{name}")
        nodes = node.iter(f"{{{CHART}}}pt") if node is not None else ()
        return {number_of(point.get("idx")): point.findtext(f"{{{CHART}}}v") or "" for point in nodes}

    every = list(chart.iter(f"{{{CHART}}}ser"))
    values = [points(series, "val") or points(series, "yVal") for series in every]
    categories: dict[int, str] = {}
    for series in every:
        categories = categories or points(series, "cat") or points(series, "xVal")
    names = [next((v.text or "" for v in series.iterfind(f"{{{CHART}}}tx//{{{CHART}}}v")), "") for series in every]
    places = sorted({*categories, *(place for column in values for place in column)})
    return [["", *names], *([categories.get(at, ""), *(column.get(at, "") for column in values)] for at in places)]


def number_of(text: str | None) -> int:
    """Return an attribute as an integer; 0 if it is not one."""
    try:
        return int(text or 0)
    except ValueError:
        return 0


def description_of(text: str | None) -> str:
    """Return what a person wrote about a picture; empty for a label, a file name, or the guess of a program."""
    words = " ".join((text or "").split())
    is_guess = words.endswith(_GUESSES)
    return words if len(words.split()) >= MIN_DESCRIPTION and not is_guess and not _FILE_NAME.search(words) else ""
