"""What all of several things have or must do, written as what each of them does."""

from __future__ import annotations

import re
from functools import cache

from saidonce.foundation.text import sentences
from saidonce.matching.facts.plain.fronted import WORD, scope
from saidonce.matching.facts.plain.tables import capital, options, pairs


def each_for_all(text: str, other: str, language: str) -> str:
    """Write "all flats have a balcony" as "each flat has a balcony" if the other text says it so.

    Not beside a figure, which may count all of them together, and not beside a word such as "only".
    """
    at = _all_of(language)
    if at is None:
        return text
    each = {hit["noun"].lower(): hit for hit in _each_of(language).finditer(other)}
    if not each:
        return text

    numbers = dict(pairs(language, "numbers"))

    def written(hit: re.Match[str]) -> str:
        many, verb = hit["noun"].lower(), numbers[hit["verb"].lower()]
        one = next(
            (e for noun, e in each.items() if e["verb"].lower() == verb and is_plural(many, noun, language)), None
        )
        if one is None:
            return hit[0]
        return capital(one[0]) if hit[0][:1].isupper() else one[0][:1].lower() + one[0][1:]

    parts, start = [], 0
    for span in sentences(text):
        words = {w.lower() for w in WORD.findall(span.text)}
        is_plain = scope(language).isdisjoint(words) and not any(w[0].isdigit() for w in words)
        parts += [text[start : span.start], at.sub(written, span.text) if is_plain else span.text]
        start = span.end
    return "".join((*parts, text[start:]))


@cache
def _all_of(language: str) -> re.Pattern[str] | None:
    quantifier, verbs = options(language, "all"), "|".join(many for many, _ in pairs(language, "numbers"))
    if not quantifier or not verbs:
        return None
    return re.compile(rf"\b(?:{quantifier}) (?P<noun>\w+) (?P<verb>{verbs})\b", re.IGNORECASE)


@cache
def _each_of(language: str) -> re.Pattern[str]:
    verbs = "|".join(one for _, one in pairs(language, "numbers"))
    return re.compile(rf"\b(?:{options(language, 'each')}) (?P<noun>\w+) (?P<verb>{verbs})\b", re.IGNORECASE)


def is_plural(many: str, one: str, language: str) -> bool:
    """Return whether a noun is the plural of another, by the endings of its language."""
    return any(
        many.endswith(of_many) and many.removesuffix(of_many) + of_one == one
        for of_many, of_one in pairs(language, "plurals")
    )
