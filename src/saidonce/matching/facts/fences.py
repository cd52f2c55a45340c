"""Code between fences in a text of words, which has the same words and signs in the same order as its counterpart."""

from __future__ import annotations

import re

from saidonce.foundation.model import FactKind, Objection, Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.signs import is_same_code

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})([^`\n]*)")


def other_fenced(a: str, b: str) -> tuple[Objection, ...]:
    """Object to the first piece of code between fences that is another one in the other text.

    Pieces are compared in their order where both texts have as many; else a text's words tell what it has more.
    """
    here, there = _fenced(a), _fenced(b)
    if len(here) != len(there):
        return ()
    other = next(((x, y) for x, y in zip(here, there, strict=True) if not is_same_code(x.text, y.text)), None)
    return (Objection(FactKind.IDENTIFIER, *other),) if other else ()


@remembered(2_048)
def _fenced(text: str) -> tuple[Span, ...]:
    """Return what stands between each line of strokes and the next that closes it."""
    if "```" not in text and "~~~" not in text:
        return ()
    pieces: list[Span] = []
    mark, start, at = "", 0, 0
    for line in text.splitlines(keepends=True):
        hit = _FENCE.fullmatch(line.rstrip("\r\n"))
        if hit and not mark:
            mark, start = hit[1], at + len(line)
        elif hit and hit[1].startswith(mark) and not hit[2].strip():
            pieces.append(Span(start, at, text[start:at]))
            mark = ""
        at += len(line)
    return tuple(pieces)
