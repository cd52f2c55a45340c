"""Code between fences in a text of words, which has the same words and signs in the same order as its counterpart."""

from __future__ import annotations

import re

from saidonce.foundation.model import FactKind, Objection, Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.signs import is_same_code

_FENCED = re.compile(r"^[ \t]*(`{3,}|~{3,})[^\n`]*\n(.*?)^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)


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
    return (
        tuple(Span(m.start(2), m.end(2), m[2]) for m in _FENCED.finditer(text))
        if "```" in text or "~~~" in text
        else ()
    )
