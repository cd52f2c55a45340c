"""What stands in place of a fact that only one of two texts states, for people and models to read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rapidfuzz.distance import Levenshtein

from saidonce.foundation.model import Objection, Span
from saidonce.matching.facts.result import Change, Pairing

_WORD = re.compile(r"\S+")
_ENDS = ".,;:!?)]}\"'"

LONGEST, MOST_WORDS = 60, 1_000
"""Characters of what is shown in a fact's place, and words of a sentence up to which it is looked for."""


def with_replaced(objections: Sequence[Objection], changes: Sequence[Change]) -> tuple[Objection, ...]:
    """Return objections in which a fact stands beside the words that are in its place in the aligned sentence.

    One without such words stays as it is: there is nothing in its place, or too much to be read as one thing.
    """
    aligned = [c for c in changes if c.relation in (Pairing.REWORDED, Pairing.CONFLICT)]
    return tuple(_filled(o, aligned) for o in objections)


def _filled(objection: Objection, aligned: Sequence[Change]) -> Objection:
    if bool(objection.a.text) == bool(objection.b.text):
        return objection
    if objection.b.text:
        turned = [Change(c.b, c.a, c.relation) for c in aligned]
        return _filled(objection.mirrored, turned).mirrored
    fact = objection.a
    change = next((c for c in aligned if c.a.start <= fact.start and fact.end <= c.a.end), None)
    there = change and next(_in_place_of(fact, change), None)
    return replace(objection, b=there) if there else objection


def _in_place_of(fact: Span, change: Change) -> Iterator[Span]:
    """Yield the words of the other sentence that stand between the same words as a fact does."""
    here, there = _words(change.a), _words(change.b)
    if max(len(here), len(there)) > MOST_WORDS:
        return
    at = [n for n, word in enumerate(here) if word.start < fact.end and fact.start < word.end]
    opcodes = Levenshtein.opcodes(*([word.text.casefold() for word in words] for words in (here, there)))
    for code in opcodes:
        if code.tag != "replace" or not at or not code.src_start <= at[0] <= at[-1] < code.src_end:
            continue
        start, end = there[code.dest_start].start, there[code.dest_end - 1].end
        if end - start <= LONGEST:
            yield Span(start, end, change.b.text[start - change.b.start : end - change.b.start])


def _words(of: Span) -> list[Span]:
    """Return the words of a stretch without the marks at their ends."""
    bare_words = []
    for match in _WORD.finditer(of.text):
        bare = match.group().strip(_ENDS) or match.group()
        start = of.start + match.start() + match.group().index(bare)
        bare_words.append(Span(start, start + len(bare), bare))
    return bare_words
