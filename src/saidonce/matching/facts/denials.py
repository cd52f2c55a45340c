"""Denials that change places between the clauses of two texts.

"Covers the lens but not the strap", "the lens is not covered, the strap is".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from saidonce.foundation.model import FactKind, Objection, Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.analyse import Token
from saidonce.matching.facts.compare import compare
from saidonce.matching.facts.lexicon import LANGUAGES, stem
from saidonce.matching.facts.result import Pairing
from saidonce.matching.facts.settled.elsewhere import Clause, clauses

LONGEST = 4_000
"""Characters of a text up to which it is read."""

_Words = dict[str, Token]


def denied_in_turn(a: str, b: str, language: str) -> tuple[Objection, ...]:
    """Object where each of two texts denies something that the other one states.

    What is said of both, "covered", may be denied in one clause and stated in another; what is denied alone in one text
    and stated alone in the other has changed places with something else. Between other words that may be chance: it
    is no contradiction, but nothing that a judge may overrule.
    """
    if language not in LANGUAGES or max(len(a), len(b)) > LONGEST:
        return ()
    if not (_denies(a, language) and _denies(b, language)):
        return ()
    changes = [c for c in compare(a, b, language).changes if c.relation is not Pairing.EQUAL]
    (denied, stated), (theirs, others) = (
        _sides(_clauses(text, [s for s in of if s.text], language))
        for text, of in ((a, [c.a for c in changes]), (b, [c.b for c in changes]))
    )
    lost = next((key for key in denied if key in others), None)
    new = next((key for key in theirs if key in stated), None)
    if lost is None or new is None:
        return ()
    return (Objection(FactKind.TERM, _span(a, denied[lost]), _span(b, others[lost])),)


@remembered(4_096)
def _denies(text: str, language: str) -> bool:
    """Return whether any clause of a text is denied."""
    return any(map(_is_denied, clauses(text, language)))


def _is_denied(clause: Clause) -> bool:
    return sum(t.kind is FactKind.NEGATION for t in clause.tokens) % 2 == 1


def _clauses(text: str, sentences: Sequence[Span], language: str) -> Iterable[Clause]:
    """Return the clauses of some sentences of a text."""
    return (
        clause
        for clause in clauses(text, language)
        if any(s.start <= clause.tokens[0].start < s.end for s in sentences)
    )


def _sides(of: Iterable[Clause]) -> tuple[_Words, _Words]:
    """Return the words that are denied alone, and those that are stated alone."""
    denied: _Words = {}
    stated: _Words = {}
    for clause in of:
        side = denied if _is_denied(clause) else stated
        for token in clause.tokens:
            if token.content and token.kind is None:
                side.setdefault(stem(token.key), token)
    both = denied.keys() & stated.keys()
    return ({k: t for k, t in denied.items() if k not in both}, {k: t for k, t in stated.items() if k not in both})


def _span(text: str, token: Token) -> Span:
    return Span(token.start, token.end, text[token.start : token.end])
