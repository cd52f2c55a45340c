"""Titles of Word documents that are set in bold letters, without a style that says so."""

from __future__ import annotations

import re

from lxml import etree

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
MAX_TITLE = 80
TITLES_FROM = 2
"""Bold lines over text, from which they are titles: one alone may be a remark or a name."""

_ENDS = re.compile(r"[.,;:!?…][\"'”’»)\]]*$")
_OFF = ("0", "false", "off")


def bold_titles(body: etree._Element) -> set[etree._Element]:
    """Return the paragraphs of a body that are titles: short, wholly bold, unstyled, and over a text that is not."""
    titles = set()
    paragraphs = [node for node in body.iterchildren(f"{W}p") if _text(node)]
    for node in paragraphs:
        below = node.getnext()
        while below is not None and below.tag == f"{W}p" and not _text(below):
            below = below.getnext()
        if below is None or not _is_title(node):
            continue
        if below.tag == f"{W}tbl" or (below.tag == f"{W}p" and not _is_bold(below)):
            titles.add(node)
    return titles if len(titles) >= TITLES_FROM else set()


def _is_title(node: etree._Element) -> bool:
    text = _text(node)
    is_listed = node.find(f"{W}pPr/{W}numPr") is not None
    is_short = len(text) <= MAX_TITLE and not _ENDS.search(text) and any(c.isalpha() for c in text)
    return is_short and not is_listed and _is_bold(node)


def _is_bold(node: etree._Element) -> bool:
    """Return whether all words of a paragraph are bold by their own marks."""
    runs = [run for run in node.iter(f"{W}r") if "".join(t.text or "" for t in run.iter(f"{W}t")).strip()]
    marks = (run.find(f"{W}rPr/{W}b") for run in runs)
    return bool(runs) and all(mark is not None and mark.get(f"{W}val") not in _OFF for mark in marks)


def _text(node: etree._Element) -> str:
    return "".join(t.text or "" for t in node.iter(f"{W}t")).strip()
