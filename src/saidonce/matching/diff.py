"""Two texts as runs of characters, differing words and differing facts marked apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from rapidfuzz.distance import Indel

from saidonce.foundation.model import FactKind, Objection, Span

_TOKEN = re.compile(r"\w+|[^\w\s]+|\s+")


class Mark(StrEnum):
    """How a run differs from the other text."""

    SAME = "same"
    WORD = "word"
    FACT = "fact"


@dataclass(frozen=True, slots=True)
class DiffRun:
    """A stretch of a text; `kinds` names the facts that differ there, joined by a comma."""

    text: str
    mark: Mark
    kinds: str = ""


def marked(a: str, b: str, objections: Sequence[Objection]) -> tuple[tuple[DiffRun, ...], tuple[DiffRun, ...]]:
    """Cut two texts into runs, in order; joined again the runs are the texts.

    Args:
        a: one text.
        b: the other.
        objections: facts that differ, with spans in `a` and `b`.
    """
    words_a, words_b = _tokens(a), _tokens(b)
    changed_a: list[Span] = []
    changed_b: list[Span] = []
    for op in Indel.opcodes([t.text for t in words_a], [t.text for t in words_b]):
        if op.tag != "equal":
            changed_a.extend(t for t in words_a[op.src_start : op.src_end] if t.text.strip())
            changed_b.extend(t for t in words_b[op.dest_start : op.dest_end] if t.text.strip())
    return (
        _runs(a, changed_a, [(o.a, o.kind) for o in objections]),
        _runs(b, changed_b, [(o.b, o.kind) for o in objections]),
    )


def as_added(objections: Sequence[Objection], a: str, b: str) -> tuple[Objection, ...]:
    """Return objections, each to a word that stands in one text alone with all that was added around it.

    So "unless it is raining" is quoted whole, and not by its last word.

    Args:
        objections: with spans in `a` and `b`.
    """
    return tuple(_as_added(o, a, b) for o in objections)


def _as_added(objection: Objection, a: str, b: str) -> Objection:
    if objection.kind is not FactKind.TERM or bool(objection.a.text) == bool(objection.b.text):
        return objection
    if objection.a.text:
        return replace(objection, a=_added_stretch(a, b, objection.a))
    return replace(objection, b=_added_stretch(b, a, objection.b))


def _added_stretch(text: str, other: str, at: Span) -> Span:
    """Return all words around a place that one text has and the other has not, without the marks at their ends.

    Where other words stand in their place, or there are more than MOST_ADDED characters, the place itself.
    """
    tokens = _tokens(text)
    ops = Indel.opcodes([t.text.casefold() for t in tokens], [t.text.casefold() for t in _tokens(other)])
    is_replaced = {op.src_start for op in ops if op.tag != "equal" and op.dest_start < op.dest_end}
    for op in ops:
        own = [t for t in tokens[op.src_start : op.src_end] if t.text[0].isalnum()]
        if op.tag == "equal" or not own or not (own[0].start <= at.start and at.end <= own[-1].end):
            continue
        start, end = own[0].start, own[-1].end
        if is_replaced.isdisjoint((op.src_start, op.src_end)) and end - start <= MOST_ADDED:
            return Span(start, end, text[start:end])
    return at


MOST_ADDED = 120
"""Characters of an added stretch that are shown as one difference."""


def highlighted(content: str, words: Iterable[str]) -> tuple[DiffRun, ...]:
    """Cut a text into runs, with the words marked that begin with one of some stems, whatever their case."""
    stems = tuple(w.casefold() for w in words if w)
    hits = [t for t in _tokens(content) if stems and t.text.casefold().startswith(stems)]
    return _runs(content, hits, [])


def _tokens(text: str) -> list[Span]:
    return [Span.of(m) for m in _TOKEN.finditer(text)]


def _runs(text: str, changed: Iterable[Span], facts: Iterable[tuple[Span, str]]) -> tuple[DiffRun, ...]:
    marks = [Mark.SAME] * len(text)
    kinds: list[str] = [""] * len(text)
    for span in changed:
        marks[span.start : span.end] = [Mark.WORD] * (span.end - span.start)
    for span, kind in facts:
        for at in range(span.start, min(span.end, len(text))):
            marks[at] = Mark.FACT
            kinds[at] = kind if kinds[at] in ("", kind) else f"{kinds[at]}, {kind}"
    runs: list[DiffRun] = []
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or (marks[at], kinds[at]) != (marks[start], kinds[start]):
            runs.append(DiffRun(text[start:at], marks[start], kinds[start]))
            start = at
    return tuple(runs)
