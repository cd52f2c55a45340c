"""What changes places in front of words that refer to the order of it: "the latter", "the second request".

Whole statements, and members of a list, may stand in any order; not where another sentence says which of them is meant
by its place among them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise

from rapidfuzz.distance import LCSseq

from saidonce.foundation.model import FactKind, Objection, Span
from saidonce.matching.facts.analyse import Token, tokens_of
from saidonce.matching.facts.compare import compare
from saidonce.matching.facts.lexicon import language_table, lines, word_list
from saidonce.matching.facts.sentence_relations import span_of

LONGEST = 4_000
"""Characters of a text up to which it is read."""

_PARAGRAPHS = 3
"""Paragraphs, that of a reference and those before, of which it may name a part: the points of a list."""

_MOVABLE = (FactKind.DATE, FactKind.FREQUENCY)
"""Kinds of words that no such reference is made to."""

_COUNTED = re.compile(
    r"\bthe (?:first|second|third|fourth|fifth|last|next|previous|preceding|other)\b(?: (?P<what>[a-z][\w-]*))?",
    re.IGNORECASE,
)
"""A place in an order, and what stands there."""


def referred_otherwise(a: str, b: str, language: str) -> tuple[Objection, ...]:
    """Object to the first words, or sentences, that stand in another order before words that refer to their order."""
    if max(len(a), len(b)) > LONGEST:
        return ()
    return _named_otherwise(a, b, language) or _counted_otherwise(a, b, language) or _numbered_otherwise(a, b, language)


_STEP = re.compile(r"^[ \t]*\(?(?P<n>\d{1,3})[.)][ \t]+(?P<step>\S[^\n]*)$", re.MULTILINE)
_FIGURE = re.compile(r"(?P<before>[^\W\d_]+)\.? (?P<n>\d{1,3})(?![\d.,:%]\d|[\w%\u20ac$\u00a3\u00b0])")


def _numbered_otherwise(a: str, b: str, language: str) -> tuple[Objection, ...]:
    """Object to the first step with another number in each text, where one of them names a step by its number.

    "Continue with 3" below steps 3 and 4 is no step of a list that begins with 1.
    """
    if "\n" not in a or "\n" not in b:
        return ()
    here, there = ({hit["step"].casefold().strip(): hit for hit in _STEP.finditer(text)} for text in (a, b))
    other = next((step for step in here if step in there and here[step]["n"] != there[step]["n"]), None)
    if other is None or not any(_names_a_step(text, steps, language) for text, steps in ((a, here), (b, there))):
        return ()
    return (Objection(FactKind.IDENTIFIER, Span.of(here[other]), Span.of(there[other])),)


def _names_a_step(text: str, steps: Mapping[str, re.Match[str]], language: str) -> bool:
    """Return whether a text names one of its steps by the number, behind a word that leads to one."""
    numbers = {hit["n"].lstrip("0") for hit in steps.values()}
    return any(
        hit["n"] in numbers and hit["before"].casefold() in word_list(language, "refers")
        for hit in _FIGURE.finditer(text)
    )


@cache
def _references(language: str) -> re.Pattern[str] | None:
    """Return the expression for words that name one of two or more by its place: "the latter"."""
    rows = list(lines(language_table(language).get("standing", {}).get("refers_to_order", "")))
    return re.compile(rf"(?:{'|'.join(rows)})", re.IGNORECASE) if rows else None


def _named_otherwise(a: str, b: str, language: str) -> tuple[Objection, ...]:
    """Object to the first words in another order before the last "the latter" of both texts."""
    listed = _references(language)
    hits = [list(listed.finditer(text)) for text in (a, b)] if listed else [[], []]
    if not all(hits):
        return ()
    here, there = (_before(text, of[-1].start(), language) for text, of in zip((a, b), hits, strict=True))
    common = Counter(t.key for t in here) & Counter(t.key for t in there)
    here, there = ([t for t in side if t.key in common] for side in (here, there))
    keys = [t.key for t in here], [t.key for t in there]
    if LCSseq.similarity(*keys) == common.total():
        return ()
    moved = next(op for op in LCSseq.opcodes(*keys) if op.tag != "equal")
    one, two = here[min(moved.src_start, len(here) - 1)], there[min(moved.dest_start, len(there) - 1)]
    return (Objection(FactKind.ROLE, span_of(a, one), span_of(b, two)),)


def _before(text: str, end: int, language: str) -> Sequence[Token]:
    """Return the content words of the paragraphs up to a place that it may refer to, but no dates."""
    start = end
    for _ in range(_PARAGRAPHS):
        start = max(0, text.rfind("\n\n", 0, start))
    between = (t for t in tokens_of(text, language) if start <= t.start and t.end <= end)
    return [t for t in between if t.content and t.kind not in _MOVABLE]


def _counted_otherwise(a: str, b: str, language: str) -> tuple[Objection, ...]:
    """Object to the first two sentences that stand the other way round in one English text, ahead of such a place."""
    if language != "en":
        return ()  # in other languages no sentence may change places
    here, there = (_counted(text) for text in (a, b))
    if here.keys().isdisjoint(there):
        return ()
    aligned = sorted((c for c in compare(a, b, language).changes if c.a.text and c.b.text), key=lambda c: c.a.start)
    for word in (w for w in here if w in there):
        before = [c for c in aligned if c.a.end <= here[word] and c.b.end <= there[word]]
        turned = next(((x, y) for x, y in pairwise(before) if y.b.start < x.b.start), None)
        if turned is not None:
            x, y = turned
            one, two = (
                Span(x.a.start, y.a.end, a[x.a.start : y.a.end]),
                Span(y.b.start, x.b.end, b[y.b.start : x.b.end]),
            )
            return (Objection(FactKind.ROLE, one, two),)
    return ()


def _counted(text: str) -> dict[str, int]:
    """Return each place in an order -> where it is named last; not one of a calendar or house: "the first floor"."""
    free = word_list("en", "has_places")
    hits = (m for m in _COUNTED.finditer(text) if (m["what"] or "").casefold() not in free)
    return {m[0].casefold(): m.start() for m in hits}
