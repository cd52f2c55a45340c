"""First words of sentences, whose capital names nobody."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

from saidonce.foundation.model import Span
from saidonce.matching.facts.lexicon import grammar, language_table, words_of
from saidonce.matching.facts.settled.sight import Sight

SHARED = 4
"""First letters by which an inflected word is known."""

_OPENING = re.compile(r"[\W\d_]*(?:[a-z][.)]\s+)?")
_WORD = re.compile(r"[^\W\d_]+")


def names_nobody(sight: Sight) -> bool:
    """Return whether a word that is taken for a name opens its sentence and is a word of grammar, or a verb.

    A verb is what stands right before an article there, and what is written with a small letter elsewhere in the texts.
    """
    if sight.language in ("en", "de"):
        return False  # there the dictionary tells, and nouns have capitals
    sides = ((sight.one.text, sight.at[0]), (sight.two.text, sight.at[1]))
    (one, at_one), (two, at_two) = sides
    if any(_opens(text, at) and at.text.casefold() in _opening_words(sight.language) for text, at in sides):
        return True
    if _is_in(at_one.text, two) or _is_in(at_two.text, one) or _bare(at_one.text) == _bare(at_two.text):
        return False  # the two have exchanged their places, or differ in an accent alone
    return any(_opens(text, at) and _is_no_name(text, at, sight) for text, at in sides)


def _is_in(word: str, text: str) -> bool:
    """Return whether the beginning of a word stands in a text behind its first word."""
    first = _WORD.search(text)
    return first is not None and _bare(word)[:SHARED] in _bare(text[first.end() :])


def _bare(text: str) -> str:
    """Return a text in small letters without accents."""
    return "".join(c for c in unicodedata.normalize("NFD", text.casefold()) if not unicodedata.combining(c))


def _opens(text: str, at: Span) -> bool:
    opening = _OPENING.match(text)
    return opening is not None and opening.end() == at.start


def _is_no_name(text: str, at: Span, sight: Sight) -> bool:
    first, *others = _WORD.findall(at.text)
    if others:
        return False
    tables = grammar(sight.language)
    word = first.casefold()
    if word in tables.function:
        return True
    if any(_stands_small(first, side) for side in (sight.a, sight.b)):
        return True
    behind = re.match(r"\s+([^\W\d_]+)['\u2019]?", text[at.end :])
    return behind is not None and behind[1].casefold() in _articles(sight.language, tuple(tables.articles))


def _stands_small(word: str, text: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(word.lower())}(?!\w)", text))


@cache
def _opening_words(language: str) -> frozenset[str]:
    return words_of(language_table(language).get("relations", {}).get("opening", ""))


@cache
def _articles(language: str, articles: Sequence[str]) -> frozenset[str]:
    return frozenset(articles) | words_of(language_table(language).get("relations", {}).get("behind_verbs", ""))
