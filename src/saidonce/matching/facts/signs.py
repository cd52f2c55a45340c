"""Room facts: the signs of code and formulas, which the words of a text leave out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from saidonce.foundation.model import FactKind, Objection, Span

_CODE_TOKEN = re.compile(r"\w+|[^\w\s]")
_STRUCK = re.compile("(?<=\\w)[\u0335-\u0338\u20d2\u20d3\u20d8-\u20da\u20e5\u20ea\u20eb]")
"""Marks that strike a letter through."""

_OPERATOR = re.compile(r"(?<=\S[ \t])(?:[-+*/^%<>]|[=!<>]=|[=!]==|&&|\|\||->|<-)(?=[ \t]\S)")


def other_signs(a: str, b: str) -> tuple[Objection, ...]:
    """Object to the first sign between two words that is another one in the other text: "a + b", "a - b".

    Signs are compared where both texts have as many of them; a sign at the beginning of a line marks a list. What
    is struck through in one text alone is objected to, too.
    """
    if not (a.isascii() and b.isascii()) and (struck := _struck(a, b)):
        return struck
    here, there = list(_OPERATOR.finditer(a)), list(_OPERATOR.finditer(b))
    if len(here) != len(there):
        return ()
    turned = ((x, y) for x, y in zip(here, there, strict=True) if x.group() != y.group())
    spans = (Objection(FactKind.IDENTIFIER, *(Span(m.start(), m.end(), m.group()) for m in pair)) for pair in turned)
    return tuple(spans)[:1]


def _struck(a: str, b: str) -> tuple[Objection, ...]:
    """Object if one text has more letters struck through than the other."""
    here, there = list(_STRUCK.finditer(a)), list(_STRUCK.finditer(b))
    if len(here) == len(there):
        return ()
    return (Objection(FactKind.IDENTIFIER, _letter_of(here), _letter_of(there)),)


def _letter_of(marks: Sequence[re.Match[str]]) -> Span:
    """Return the first letter that is struck through, with its mark; an empty span without one."""
    if not marks:
        return Span(0, 0, "")
    start, end = marks[0].start() - 1, marks[0].end()
    return Span(start, end, marks[0].string[start:end])


def is_same_code(a: str, b: str) -> bool:
    """Whether two pieces of code have the same words and signs in the same order, whatever the space between them."""
    return _CODE_TOKEN.findall(a) == _CODE_TOKEN.findall(b)
