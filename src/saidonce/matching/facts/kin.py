"""Words of one family of which each text has another, in languages other than English.

"Someone" and "something", "always" and "all", "the whole floor" and "each floor" are of one class elsewhere, where it
is asked how much is meant; "was to" and "is to" are one duty. In the place of each other they say two things.
"""

from __future__ import annotations

import re
from functools import cache

from saidonce.foundation.model import Span
from saidonce.matching.facts.lexicon import lines, table
from saidonce.matching.facts.sentence_relations import Places

_Row = tuple[re.Pattern[str], re.Pattern[str]]


def was_so(a: str, b: str, language: str) -> Places | None:
    """Return the first modal verb that is in the past in one of two sentences and in the present in the other."""
    return _exchanged(a, b, language, "then")


def is_other_kin(a: str, b: str, language: str) -> Places | None:
    """Return the first words of one family of which one stands in one sentence and another in the second."""
    return _exchanged(a, b, language, "pairs")


def is_done_to_them(a: str, b: str, language: str) -> Places | None:
    """Return the first pronoun that one sentence has alone, and that without its verb would be an article.

    "Lo ha visto il cane" says whom the dog saw, "ha visto il cane" that somebody saw the dog.
    """
    for words in _lone(language):
        if place := _more(words, a, b):
            return place, None
        if place := _more(words, b, a):
            return None, place
    return None


def _exchanged(a: str, b: str, language: str, name: str) -> Places | None:
    for row in _rows(language, name):
        for left, right in (row, row[::-1]):
            if (place := _more(left, a, b)) and (other := _more(right, b, a)):
                return place, other
    return None


def _more(words: re.Pattern[str], here: str, there: str) -> Span | None:
    """Return the last place of words that one text has more often than the other."""
    hits = list(words.finditer(here))
    return Span.of(hits[-1]) if len(hits) > len(words.findall(there)) else None


@cache
def _lone(language: str) -> tuple[re.Pattern[str], ...]:
    rows = lines(table("kin").get(language, {}).get("lone", ""))
    return tuple(re.compile(rf"(?<![\w'\u2019-]){row}", re.IGNORECASE) for row in rows)


@cache
def _rows(language: str, name: str) -> tuple[_Row, ...]:
    rows = (row.split(" <> ") for row in lines(table("kin").get(language, {}).get(name, "")))
    return tuple((_whole(left), _whole(right)) for left, right in rows)


def _whole(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{words.strip()})(?:(?<=['\u2019])|(?![\w-]))", re.IGNORECASE)


RULES = (was_so, is_other_kin, is_done_to_them)
"""What is looked for in two aligned sentences, in this order."""
