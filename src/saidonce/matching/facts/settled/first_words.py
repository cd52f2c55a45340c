"""First words of sentences, whose capital names nobody."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from saidonce.foundation.model import Span
from saidonce.matching.facts.lexicon import language_table, lines, words_of
from saidonce.matching.facts.settled.sight import Sight

SHARED, ENDING = 3, 2
"""First letters that two forms of one verb share at least, and letters of their endings."""

_OPENING = re.compile(r"[\W\d_]*(?:[a-z][.)]\s+)?")


def names_nobody(sight: Sight) -> bool:
    """Return whether the two words that are taken for names open their sentences and are no names.

    They are words of grammar of one meaning, or two forms of one verb that an article follows: "abre la tapa", "abra la
    tapa". In English the dictionary tells names, and in German nouns have capitals, too.
    """
    if sight.language in ("en", "de"):
        return False
    sides = ((sight.one.text, sight.at[0]), (sight.two.text, sight.at[1]))
    if not all(_opens(text, at) for text, at in sides):
        return False
    words = tuple(at.text.casefold() for at in sight.at)
    if any(frozenset(words) <= group for group in _groups(sight.language)):
        return True
    if any(word in _polite(sight.language) for word in words):
        return True
    return _is_one_verb(*words) and all(_leads(text, at, sight.language) for text, at in sides)


def _opens(text: str, at: Span) -> bool:
    opening = _OPENING.match(text)
    return opening is not None and opening.end() == at.start


def _is_one_verb(one: str, two: str) -> bool:
    """Return whether two words differ in their endings only, and not in accents alone."""
    bare = [_bare(word) for word in (one, two)]
    if bare[0] == bare[1]:
        return False
    shared = next((n for n, (x, y) in enumerate(zip(*bare, strict=False)) if x != y), min(map(len, bare)))
    return shared >= SHARED and max(map(len, bare)) - shared <= ENDING


def _bare(text: str) -> str:
    """Return a text without accents."""
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


def _leads(text: str, at: Span, language: str) -> bool:
    """Return whether an article, or its like, stands right behind a word."""
    behind = re.match(r"\s+([^\W\d_]+)", text[at.end :])
    return behind is not None and behind[1].casefold() in _behind(language)


@cache
def _groups(language: str) -> tuple[frozenset[str], ...]:
    """Return words of grammar that open sentences, those of one meaning together."""
    rows = lines(language_table(language).get("relations", {}).get("opening", ""))
    return tuple(frozenset(row.split()) for row in rows)


@cache
def _polite(language: str) -> frozenset[str]:
    return words_of(language_table(language).get("relations", {}).get("asks_politely", ""))


@cache
def _behind(language: str) -> frozenset[str]:
    return words_of(language_table(language).get("relations", {}).get("behind_verbs", ""))
