"""Room: the stems of an Arabic word: without the article, what is written together with it, and its ending.

Of the Snowball stemmer's stems, those of one word with and without the article often differ.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files

_LETTERS = str.maketrans("أإآٱىةئ", "اااايهي")
_LEAST_STEM = 3
_VERB, _PERSONS = 4, "ايتن"
_LEAST_BARE = 4
"""Letters that remain of a word whose first one may be a small word of its own."""


def arabic_stems(word: str) -> tuple[str, ...]:
    """Return the stem of a word, and that of the rest where its first letter may be a small word or say who does it.

    "I pay" and "he pays" are of one root, of three letters.
    """
    plain = word.translate(_LETTERS)
    article, letter, ending = _patterns()
    bare = article.sub("", plain)
    stem = ending.sub("", bare)
    if bare != plain:
        return (stem,)
    if len(stem) == _VERB and stem[0] in _PERSONS:
        return (stem, stem[1:])
    if letter.match(plain):
        return (stem, ending.sub("", article.sub("", plain[1:])))
    return (stem,)


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    table = tomllib.loads((files("saidonce.foundation") / "data" / "arabic.toml").read_text("utf-8"))
    article, letter, ending = (
        "|".join(sorted(table[name].split(), key=lambda part: (-len(part), part)))
        for name in ("article", "letter", "ending")
    )
    return (
        re.compile(f"^(?:{article})(?=.{{{_LEAST_STEM - 1}}})"),
        re.compile(f"^(?:{letter})(?=.{{{_LEAST_BARE - 1}}})"),
        re.compile(f"(?<=.{{{_LEAST_STEM}}})(?:{ending})$|(?<=.{{2}})(?:ه)$"),
    )
