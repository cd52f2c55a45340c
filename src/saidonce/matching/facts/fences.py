"""Code between fences in a text of words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from saidonce.foundation.model import Span
from saidonce.foundation.remembering import remembered

_FENCE = re.compile(r"(?<![ \t])[ \t]*+(?<!`)(`{3,}+|~{3,}+)([^`\n]*+)")
"""A line that opens a piece of code, with all that it says of it, or closes one."""

BARE_FENCE = re.compile(r"(?<![ \t])[ \t]*+(?:`{3,}+|~{3,}+)[ \t]*+[\w+#.-]*+[ \t]*+")
"""Such a line with a language at most, which says nothing about what is done."""


@remembered(2_048)
def fenced(text: str) -> tuple[Span, ...]:
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


def with_fenced(text: str, instead: Sequence[str]) -> str:
    """Return a text with other code between its fences, in their order."""
    parts, at = [], 0
    for piece, other in zip(fenced(text), instead, strict=True):
        parts += [text[at : piece.start], other]
        at = piece.end
    return "".join((*parts, text[at:]))
