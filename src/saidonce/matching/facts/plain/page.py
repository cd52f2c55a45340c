"""How a text is laid out and set: links, marks before lines, and the width of characters."""

from __future__ import annotations

import re

from saidonce.matching.facts.fences import fenced, with_fenced
from saidonce.matching.facts.plain.tables import JOINED, SPACELESS
from saidonce.matching.facts.signs import is_same_code

_DEFINED = re.compile(
    r"^[ \t]*\[([^\]\n]{1,60})\]:[ \t]*<?(\S{1,400}?)>?(?:[ \t]+\"[^\"\n]*\")?[ \t]*(?:\n|\Z)", re.MULTILINE
)
_REFERENCE = re.compile(r"\[([^\]\n]{1,200})\]\[([^\]\n]{0,60})\]")


def with_addresses(text: str) -> str:
    """Write the address of a link behind its words, where it is defined elsewhere in the text."""
    if "]:" not in text:
        return text
    known = {hit[1].casefold(): hit[2] for hit in _DEFINED.finditer(text)}
    if not known:
        return text

    def written(hit: re.Match[str]) -> str:
        address = known.get((hit[2] or hit[1]).casefold())
        return f"[{hit[1]}]({address})" if address else hit[0]

    return _REFERENCE.sub(written, _DEFINED.sub("", text)).rstrip()


WIDE = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5E) if chr(wide - 0xFEE0) not in ",.;?!"} | {
    0x3000: " ", 0xFF5E: "\u301c",
}  # fmt: skip
"""Wide letters, digits and signs -> the narrow ones; marks between clauses are left as they are."""

HEAD = re.compile(
    r"^[ \t]*(?:[\u25a0\u25c6\u25cf\u25b6\u25ba\u2605\u203b\u2022\u30fb]|(?:[*-]|#{1,6})(?=[ \t]))[ \t]*", re.MULTILINE
)
_NUMBERED = re.compile(r"^[ \t]*(?:\((\d{1,2})\)|(\d{1,2})[.\u3001)])[ \t]*(?!\d)", re.MULTILINE)
LINE_END = re.compile(r"[\uff1b;\uff0c,\u3001]$", re.MULTILINE)


def on_a_plain_page(text: str, _other: str, language: str) -> str:
    """Write wide characters as narrow ones, and lines without bullets, headings' marks and last commas."""
    if language not in JOINED:
        return text
    text = text.translate(WIDE)
    if language not in SPACELESS:
        return text
    text = _NUMBERED.sub(lambda hit: f"{hit[1] or hit[2]}. ", HEAD.sub("", text))
    return LINE_END.sub("", text) if "\n" in text.strip() else text


def with_the_same_code(text: str, other: str) -> str:
    """Write code between fences that is the same in both texts in one of the two ways."""
    mine, theirs = fenced(text), fenced(other)
    if not mine or len(mine) != len(theirs):
        return text
    pairs = zip((p.text for p in mine), (p.text for p in theirs), strict=True)
    return with_fenced(text, [min(one, two) if is_same_code(one, two) else one for one, two in pairs])


_CLAUSE_NUMBER = re.compile(r"\s*(\d{1,3}(?:\.\d{1,3}){1,4})\.?[ \t]+(?=[A-Z])")
_NUMBERED_LINE = re.compile(r"\n\s*\d{1,3}(?:\.\d{1,3})+\b")


def without_one_number(a: str, b: str) -> tuple[str, str]:
    """Leave out the number of the clause that both texts are: "6.1 The Bond is held by Ida", "6.1 Ida holds the Bond".

    Of several clauses in a text the numbers say in which order they stand.
    """
    here, there = _CLAUSE_NUMBER.match(a), _CLAUSE_NUMBER.match(b)
    if here is None or there is None or here[1] != there[1] or any(map(_NUMBERED_LINE.search, (a, b))):
        return a, b
    return a[here.end() :], b[there.end() :]
