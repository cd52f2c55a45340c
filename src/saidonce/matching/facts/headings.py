"""Headings that contradict each other by words that the guards of their language do not read: "allowed", "banned"."""

from __future__ import annotations

import re
from functools import cache

from saidonce.matching.facts.lexicon import lines, table
from saidonce.matching.facts.pauses import language_of_script
from saidonce.matching.facts.plain.tables import in_simplified
from saidonce.matching.facts.scan import folded_word

_WITHIN_WORDS = ("ko", "zh", "ja")
"""Languages in which a word is looked for within others."""

_KANA, _HAN = re.compile("[\u3040-\u30ff]"), re.compile("[\u4e00-\u9fff]")
_POINTS = re.compile("[\u0591-\u05c7]")
_PREFIXES = {
    "ar": "[\u0648\u0641]?[\u0628\u0644\u0643]?(?:\u0627\u0644)?",
    "he": "[\u05d5\u05d4\u05d1\u05dc\u05e9\u05de]{0,2}",
}
"""What may be written onto a word: "and", "the", "in", "for"."""


def headings_contradict(a: str, b: str, language: str) -> bool:
    """Return whether two headings stand at opposite poles, or one denies what the other says.

    Args:
        language: of the texts under them; a heading is too short to tell its own.
    """
    tag = _language(f"{a} {b}", language)
    if tag not in table("headings"):
        return False
    one, two = (_folded(text, tag) for text in (a, b))
    for n in range(len(_poles(tag))):
        sides = _side(one, tag, n), _side(two, tag, n)
        if sides in ((0, 1), (1, 0)):
            return True
    denials = frozenset(table("headings")[tag]["denials"].split())
    here, there = ([word for word in text.split() if word not in denials] for text in (one, two))
    n_denials = [sum(word in denials for word in text.split()) for text in (one, two)]
    return here == there and n_denials[0] % 2 != n_denials[1] % 2


def _language(text: str, language: str) -> str:
    """Return the language of two headings: that of the texts under them, or else that of their script."""
    if language in table("headings"):
        return language
    if _KANA.search(text):
        return "ja"
    return "zh" if _HAN.search(text) else language_of_script(text, language)


def _folded(text: str, language: str) -> str:
    if language == "zh":
        text = in_simplified(text, text)
    return " ".join(folded_word(word.strip(".,:;!?()[]\"'\u060c\u0964")) for word in _POINTS.sub("", text).split())


@cache
def _poles(language: str) -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """Return for each line of a table the expressions for the words of its two sides.

    The words of one side that hold one of the other are found first: "not allowed" is no "allowed".
    """
    rows = (line.split(" | ") for line in lines(table("headings")[language]["poles"]))
    return tuple((_any_of(here, language), _any_of(there, language)) for here, there in rows)


def _any_of(words: str, language: str) -> re.Pattern[str]:
    gap = r"\s*" if language in _WITHIN_WORDS else r"\s+"
    listed = sorted((folded_word(word) for word in words.split()), key=len, reverse=True)
    any_of = "|".join(gap.join(map(re.escape, word.split("_"))) for word in listed)
    if language in _WITHIN_WORDS:
        return re.compile(any_of)
    return re.compile(rf"(?<!\S){_PREFIXES.get(language, '')}(?:{any_of})(?!\S)")


def _side(text: str, language: str, n: int) -> int | None:
    """Return at which pole of a line a heading stands; None where it stands at none or at both."""
    here, there = _poles(language)[n]
    is_there = there.search(text) is not None
    is_here = here.search(there.sub(" ", text)) is not None
    return None if is_here == is_there else int(is_there)
