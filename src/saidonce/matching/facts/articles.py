"""Articles that say the case, number or gender of the word behind them, and so who does what to whom."""

from __future__ import annotations

import re
from functools import cache

from saidonce.foundation.model import Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.lexicon import language_table, past_forms
from saidonce.matching.facts.scan import folded_word

_WORD = re.compile(r"[^\W\d_]+")
_BETWEEN = re.compile(r"[ \t]+|['\u2019]")
MOST_ATTRIBUTES = 3
"""Words between a German article and its noun, all of which begin with a small letter."""


def other_article(a: str, b: str, language: str) -> tuple[Span, Span] | None:
    """Return where the first word stands whose articles in one sentence can be none of those in the other.

    "Der Stadt" and "die Stadt" are two cases, "le prix" and "les prix" two numbers; "la abre" and "lo abre" name two
    things. Languages without a table of such articles have nothing to tell. In English the place of the article tells
    "have lost the key" from "have the lost key".
    """
    if language == "en":
        return _held_or_done(a, b)
    here, there = _marked(a, language), _marked(b, language)
    for word, (marks, at) in here.items():
        other = there.get(word)
        if other is not None and not marks & other[0]:
            return at, other[1]
    return None


ARTICLES = "the|an?|your|our|their|its|his|her|my"
"""English articles, and the owners that stand in their place, as alternatives of an expression."""

_HELD = re.compile(rf"\b(?:have|has|had|having)\s+(?P<article>(?:{ARTICLES}|this|that)\s+)?(?P<word>[a-z]+)\b")


def _held_or_done(a: str, b: str) -> tuple[Span, Span] | None:
    """Return where "have" has an article before a past participle in one of two sentences, and not in the other."""
    here, there = ({hit["word"]: hit for hit in _HELD.finditer(text)} for text in (a, b))
    for word in (w for w in here if w in there):
        one, two = here[word], there[word]
        if bool(one["article"]) != bool(two["article"]) and (word.endswith("ed") or word in past_forms()):
            return _span(a, *one.span()), _span(b, *two.span())
    return None


@cache
def _marks(language: str) -> dict[str, frozenset[str]]:
    """Return article -> what it may mark, each a gender, number and case together."""
    rows = language_table(language).get("relations", {}).get("marks", "").split()
    return {folded_word(word): frozenset(marks.split(".")) for word, _, marks in (row.partition("=") for row in rows)}


@remembered(8_192)
def _marked(sentence: str, language: str) -> dict[str, tuple[frozenset[str], Span]]:
    """Return each word after an article -> all that its articles may mark, and the position of the first article."""
    known = _marks(language)
    marked: dict[str, tuple[frozenset[str], Span]] = {}
    if not known:
        return marked
    words = list(_WORD.finditer(sentence))
    for n, article in enumerate(words):
        marks = known.get(folded_word(article.group()))
        key, end = _governed(words, n, sentence, language) if marks else ("", 0)
        if marks and key:
            before, at = marked.get(key, (frozenset(), _span(sentence, article.start(), end)))
            marked[key] = marks | before, at
    return marked


def _span(text: str, start: int, end: int) -> Span:
    return Span(start, end, text[start:end])


def _governed(words: list[re.Match[str]], n: int, sentence: str, language: str) -> tuple[str, int]:
    """Return the word that an article belongs to, and where it ends.

    For a German relative ", den", this is the word after it.
    """
    noun = _behind(words, n, sentence, language)
    if noun is None and language == "de" and 0 < n < len(words) - 1:
        is_relative = sentence[words[n - 1].end() : words[n].start()].strip() == ","
        return (f",{folded_word(words[n + 1].group())}", words[n + 1].end()) if is_relative else ("", 0)
    return (folded_word(noun.group()), noun.end()) if noun is not None else ("", 0)


def _behind(words: list[re.Match[str]], n: int, sentence: str, language: str) -> re.Match[str] | None:
    """Return the word that an article belongs to: the next one, in German the next noun.

    None if something separates them.
    """
    for m in range(n + 1, min(len(words), n + 2 + MOST_ATTRIBUTES * (language == "de"))):
        if not _BETWEEN.fullmatch(sentence, words[m - 1].end(), words[m].start()):
            return None
        if language != "de" or words[m].group()[0].isupper():
            return words[m]
        if folded_word(words[m].group()) in _marks(language):
            return None
    return None
