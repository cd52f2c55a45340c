"""What two sentences of the same words say in two ways all the same: by a place, a mark, a capital or a zero.

No way to put a sentence in plain words excuses such a difference, since all of them pass over it.
"""

from __future__ import annotations

from collections.abc import Callable

from saidonce.foundation.model import UNKNOWN_LANGUAGE, FactKind, Objection, Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts import attached, grouping, near_phrases, scope, spelled
from saidonce.matching.facts.analyse import guess
from saidonce.matching.facts.compare import compare
from saidonce.matching.facts.leads import hung_elsewhere
from saidonce.matching.facts.result import Pairing

LONGEST = 1_000
"""Characters of a sentence up to which it is read."""

_RULES: tuple[Callable[[str, str, str], grouping.Places | None], ...] = (
    *grouping.RULES,
    *scope.RULES,
    *attached.RULES,
    *spelled.RULES,
    *near_phrases.RULES,
)


@remembered(4_096)
def other_reading(a: str, b: str, language: str = UNKNOWN_LANGUAGE) -> tuple[Objection, ...]:
    """Object to the first words of two aligned sentences that are read otherwise though they are the same words."""
    tables = guess(f"{a}\n{b}") if language == UNKNOWN_LANGUAGE else language
    if hung := hung_elsewhere(a, b, tables):
        return hung
    for change in compare(a, b, language).changes:
        if change.relation in (Pairing.DELETED, Pairing.INSERTED) or change.a.text == change.b.text:
            continue
        if max(len(change.a.text), len(change.b.text)) > LONGEST:
            continue
        for rule in _RULES:
            if places := rule(change.a.text, change.b.text, tables):
                sides = (_within(s, p) for s, p in zip((change.a, change.b), places, strict=True))
                return (Objection(FactKind.TERM, *sides),)
    return ()


def _within(sentence: Span, place: Span | None) -> Span:
    return place.moved(sentence.start) if place else Span(sentence.end, sentence.end, "")
