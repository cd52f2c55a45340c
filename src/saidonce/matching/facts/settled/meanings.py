"""Forms of one meaning in which a negation, a modal verb or a bound is only part of the form: "without delay"."""

from __future__ import annotations

import re
from functools import cache
from typing import TypeAlias

from saidonce.foundation.model import Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.lexicon import language_table, lines
from saidonce.matching.facts.settled.sight import Sight

ANSWER = 12
"""Characters behind a question in which a "no" answers it."""

LONGEST = 2_000
"""Characters of a text up to which forms are looked for in all of it."""

_ASKS = re.compile(r"\?\W*$")


def has_one_meaning(sight: Sight) -> bool:
    """Return whether what an objection quotes belongs to a form, and the other sentence has another of one meaning.

    Either sentence has forms of that meaning as often as the other. Where two sentences are aligned that do not belong
    together, both texts have one form each.
    """
    sentences = (_with_answer(sight.one, sight.a), _with_answer(sight.two, sight.b))
    if _show(sentences, sight.at, sight.language):
        return True
    if max(len(sight.a), len(sight.b)) > LONGEST:
        return False
    return _show((sight.a, sight.b), (sight.objection.a, sight.objection.b), sight.language, most=1)


def _show(texts: tuple[str, str], at: tuple[Span, Span], language: str, most: int | None = None) -> bool:
    """Return whether two texts have forms of one meaning in which stands what is quoted."""
    one, two = (_read(text, language) for text in texts)
    return any(_are_of_one(one[meaning], two[meaning], at, most) for meaning in one.keys() & two.keys())


_Hits: TypeAlias = "list[tuple[int, tuple[int, int]]]"


@remembered(4_096)
def _read(text: str, language: str) -> dict[int, _Hits]:
    """Return the forms of a text with their places, by their meaning."""
    hits = {meaning: _hits(forms, text) for meaning, forms in enumerate(_meanings(language))}
    return {meaning: of_it for meaning, of_it in hits.items() if of_it}


def _are_of_one(one: _Hits, two: _Hits, at: tuple[Span, Span], most: int | None) -> bool:
    """Return whether two texts have the same number of forms, none of them in both, and what is quoted is in them."""
    if len(one) != len(two) or (most is not None and len(one) > most):
        return False
    if {n for n, _ in one} & {n for n, _ in two}:
        return False  # the form itself stands on both sides: it is something else that differs
    return all(
        not place.text or any(_holds(hit, place) for _, hit in side) for side, place in zip((one, two), at, strict=True)
    )


def _hits(forms: tuple[re.Pattern[str], ...], text: str) -> _Hits:
    """Return the forms of a text with their places, without those that lie in another one."""
    hits = [(n, m.span()) for n, form in enumerate(forms) for m in form.finditer(text)]
    return [(n, at) for n, at in hits if not any(at != o and o[0] <= at[0] and at[1] <= o[1] for _, o in hits)]


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
