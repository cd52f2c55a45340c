"""Forms of one meaning in which a negation, a modal verb or a bound is only part of the form: "without delay"."""

from __future__ import annotations

import re
from functools import cache

from saidonce.foundation.model import Span
from saidonce.matching.facts.lexicon import language_table, lines
from saidonce.matching.facts.settled.sight import Sight


ANSWER = 12
"""Characters behind a question in which a "no" answers it."""

_ASKS = re.compile(r"\?\W*$")


def has_one_meaning(sight: Sight) -> bool:
    """Return whether what an objection quotes belongs to a form, and the other sentence has another of one meaning.

    Either sentence has forms of that meaning as often as the other.
    """
    return any(_shows(forms, sight) for forms in _meanings(sight.language))


def _shows(forms: tuple[re.Pattern[str], ...], sight: Sight) -> bool:
    texts = (_with_answer(sight.one, sight.a), _with_answer(sight.two, sight.b))
    hits = [[(n, m.span()) for n, form in enumerate(forms) for m in form.finditer(text)] for text in texts]
    if len(hits[0]) != len(hits[1]) or not hits[0]:
        return False
    if {n for n, _ in hits[0]} & {n for n, _ in hits[1]}:
        return False  # the form itself stands on both sides: it is something else that differs
    return all(not at.text or any(_holds(place, at) for _, place in side) for side, at in zip(hits, sight.at, strict=True))


def _with_answer(sentence: Span, text: str) -> str:
    """Return a sentence; a question with the first words behind it, which may answer it."""
    return text[sentence.start : sentence.end + ANSWER] if _ASKS.search(sentence.text) else sentence.text


def _holds(place: tuple[int, int], at: Span) -> bool:
    return place[0] <= at.start and at.end <= place[1]


@cache
def _meanings(language: str) -> tuple[tuple[re.Pattern[str], ...], ...]:
    """Return the meanings of a language, each as its forms."""
    rows = lines(language_table(language).get("relations", {}).get("one_meaning", ""))
    return tuple(tuple(re.compile(form.strip(), re.IGNORECASE) for form in row.split(" = ")) for row in rows)
