"""Whether two sentences deny in other words: "do not smoke", "smoking is forbidden"."""

from __future__ import annotations

from collections import Counter
from functools import cache

from saidonce.foundation.model import UNKNOWN_LANGUAGE, FactKind, Objection
from saidonce.matching.facts.analyse import Token, tokens_of
from saidonce.matching.facts.lexicon import language_table, words_of
from saidonce.matching.facts.synonymy import is_negative


def denies_otherwise(objection: Objection, a: str, b: str, language: str = UNKNOWN_LANGUAGE) -> bool:
    """Return whether what a negation objects to may be a denial in other words on the side that lacks it.

    It may if that side has a denying word of its own, or if what objects is no negation but a word
    with a negating prefix whose base the other side lacks: "uncertainty", "doubt".
    """
    if bool(objection.a.text) == bool(objection.b.text):
        return False
    with_it, without = (a, b) if objection.a.text else (b, a)
    own, other = tokens_of(with_it, language), tokens_of(without, language)
    word = (objection.a.text or objection.b.text).casefold()
    if language == "en" and is_negative(word):
        return not any(t.word in word[2:] or word[2:] in t.word for t in other if len(t.word) > 3)
    return bool(_denials(other, language) - _denials(own, language))


def _denials(tokens: list[Token], language: str) -> Counter[str]:
    words = _denying(language)
    return Counter(t.word for t in tokens if t.kind is FactKind.NEGATION or t.word in words or _is_prefixed(t))


def _is_prefixed(token: Token) -> bool:
    return token.language == "en" and is_negative(token.word)


@cache
def _denying(language: str) -> frozenset[str]:
    return words_of(language_table(language).get("relations", {}).get("denying", ""))
