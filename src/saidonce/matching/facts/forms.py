"""Forms of one English word, and words that only share its stem."""

from __future__ import annotations

from functools import cache

from saidonce.foundation.model import FactKind
from saidonce.matching.facts.analyse import Token
from saidonce.matching.facts.lexicon import is_past, known_words, one_spelling, table


def are_forms(a: Token, b: Token, leads: bool) -> bool:
    """Return whether two words of one stem are forms or spellings of one word.

    Args:
        leads: whether they stand right before what they may describe; there "reserve" and "reserved" are two words.
    """
    if any(x.word.endswith("ing") and is_past(y.word) for x, y in ((a, b), (b, a))):
        return False  # "was asked", "was asking"
    one, two = _spelled(a.word), _spelled(b.word)
    if one == two or " " in a.word or " " in b.word:
        return True
    if a.kind is not FactKind.NAME and not {a.word, b.word} <= known_words():
        return True  # a misspelling
    if _nouns(one) & _nouns(two):
        return True
    if a.kind is FactKind.NAME or {one, two} & _apart():
        return False
    return bool(_adjectives(one) & _adjectives(two) or (not leads and _verbs(one) & _verbs(two)))


def _spelled(word: str) -> str:
    """Return a word in one of its spellings."""
    word = one_spelling(word)
    return _variants().get(word, word)


@cache
def _variants() -> dict[str, str]:
    """Return spelling -> the other spelling of the same word, of both numbers."""
    rows = [row.split("=") for row in table("synonyms")["variants"].split()]
    return {f"{one}{end}": f"{two}{end}" for one, two in rows for end in ("", "s")}


@cache
def _apart() -> frozenset[str]:
    """Return adverbs that say something else than their adjectives: "lately"."""
    return frozenset(table("synonyms")["adverbs_apart"].split())


_NOUN = (("ies", "y"), ("es", ""), ("es", "e"), ("es", "is"), ("s", ""), ("ae", "a"), ("ves", "f"), ("ves", "fe"))
_ADJECTIVE = (("ily", "y"), ("bly", "ble"), ("ally", "al"), ("ically", "ic"), ("ly", ""), ("ly", "l"), ("ly", "le"))
_VERB = (
    ("ies", "y"), ("es", ""), ("es", "e"), ("s", ""), ("ied", "y"), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"),
    ("ying", "ie"),
)  # fmt: skip


def _nouns(word: str) -> set[str]:
    return _bases(word, _NOUN)


def _adjectives(word: str) -> set[str]:
    return _bases(word, _ADJECTIVE)


def _verbs(word: str) -> set[str]:
    bases = _bases(word, _VERB)
    return bases | {base[:-1] for base in bases if base[-2:-1] == base[-1:] and base != word}


_SHORTEST = 2


def _bases(word: str, endings: tuple[tuple[str, str], ...]) -> set[str]:
    """Return a word, and what it may be a form of by its ending."""
    cut = {f"{word.removesuffix(end)}{base}" for end, base in endings if word.endswith(end)}
    return {word, *(each for each in cut if len(each) >= _SHORTEST)}
