"""Room: words that some languages write as one: "compostzak" is a sack, and of compost."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from saidonce.foundation import text

COMPOUNDING = frozenset({"de", "nl", "sv", "da", "no", "nb", "nn", "fi", "hu", "et"})

LEAST_PART = 5
"""Letters of the stem of a part that is looked for in longer words; shorter ones are parts of many by chance."""

_LEAST_OTHER = 3
"""Letters of the rest of a word."""

_JOINTS = ("", "s", "n", "en", "es", "er", "e")
"""What is written between two parts."""

_LEAST_OF_TWO = 4
"""Letters of the first of two parts that make up a word together."""


def is_in_compound(word: str, content: str, language: str) -> bool:
    """Return whether a text has a longer word with this one as its first or last part, or both parts of it.

    "gereedschap" stands in "tuingereedschap", and "compostzakken" where compost and zakken do.
    """
    if language not in COMPOUNDING or len(word) < LEAST_PART or not word.isalpha():
        return False
    held = _stems(content, language)
    stem = _stem(word, language)
    longer = (one for one in held if len(one) >= len(stem) + _LEAST_OTHER)
    if len(stem) >= LEAST_PART and any(one.startswith(stem) or one.endswith(stem) for one in longer):
        return True
    places = range(_LEAST_OF_TWO, len(word) - _LEAST_OTHER)
    return any(_is_made_of(word[:at], word[at:], held, language) for at in places)


def _is_made_of(first: str, last: str, held: Collection[str], language: str) -> bool:
    """Return whether a text has both parts of a word, the first without what joins them."""
    if _stem(last, language) not in held:
        return False
    bare = (first.removesuffix(joint) for joint in _JOINTS if first.endswith(joint))
    return any(len(part) >= _LEAST_OF_TWO and _stem(part, language) in held for part in bare)


@lru_cache(maxsize=512)
def _stems(content: str, language: str) -> frozenset[str]:
    return frozenset(text.terms(content, language))


@lru_cache(maxsize=4_096)
def _stem(word: str, language: str) -> str:
    return next(iter(text.terms_of((word,), language)), word)
