"""Struck-out text of RTF."""

from __future__ import annotations

import re
from collections.abc import Iterator

from saidonce.documents.parse.struck import MARK

_TOKEN = re.compile(r"\\'[0-9a-fA-F]{2}|\\([a-z]+)(-?\d+)? ?|\\[^a-z]|[{}]|[^\\{}]+", re.S)
_STRIKES = frozenset({"strike", "striked", "strikedl"})
_SHOWN = frozenset("u tab emdash endash bullet lquote rquote ldblquote rdblquote emspace enspace".split())
_OUTSIDE = re.compile(r"\{\s*(?:\\\*\s*\\\w+|\\(?:stylesheet|fonttbl|colortbl|info)\b)")
"""Groups that hold no text of the document."""

_PLACED = f"\\u{ord(MARK) - 0x10000}?"
"""What is written where something was struck out: the mark, as RTF writes its code."""


def without_struck(markup: str) -> str:
    """Return RTF whose struck text is replaced by marks, one for each passage; everything else stays."""
    if "\\strike" not in markup:
        return markup
    return "".join(_kept(markup))


def _kept(markup: str) -> Iterator[str]:
    held: list[bool] = []
    is_struck, is_open = False, False
    outside = 0
    for token in _TOKEN.finditer(markup):
        text, word = token.group(), token.group(1)
        if text == "{":
            held.append(is_struck)
            outside = outside or (len(held) if _OUTSIDE.match(markup, token.start()) else 0)
        elif text == "}":
            outside = 0 if outside == len(held) else outside
            is_struck = held.pop() if held else False
        elif word in _STRIKES:
            is_struck = token.group(2) != "0"
        elif word == "plain":
            is_struck = False
        is_text = word in _SHOWN if word else text[:2] == "\\'" or text[0] not in "\\{}"
        if is_struck and not outside and is_text:
            if not is_open and text.strip():
                yield _PLACED
                is_open = True
            continue
        is_open = is_open and not (is_text and text.strip()) and word not in ("par", "cell", "row", "line")
        yield text
