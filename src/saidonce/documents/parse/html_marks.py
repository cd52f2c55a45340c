"""The numbers that a browser shows before the items of an ordered list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import repeat

from lxml import etree

from saidonce.documents.parse.counting import counted


def marks_of(node: etree._Element) -> Iterator[str]:
    """Yield the marker of each list item: its number as a browser displays it in an ordered list, else empty."""
    if node.tag != "ol":
        yield from repeat("")
    n_items = sum(1 for child in node if child.tag == "li")
    is_reversed = node.get("reversed") is not None
    number = _whole(node.get("start"), n_items if is_reversed else 1)
    for child in node:
        if child.tag == "li":
            number = _whole(child.get("value"), number)
            yield f"{_counted(number, node.get('type') or '')}."
            number += -1 if is_reversed else 1
    yield from repeat("")


def _whole(text: str | None, otherwise: int) -> int:
    return int(text) if text and re.fullmatch(r"-?[0-9]{1,6}", text.strip()) else otherwise


def _counted(number: int, form: str) -> str:
    written = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}.get(form, "decimal")
    return counted(number, written)
