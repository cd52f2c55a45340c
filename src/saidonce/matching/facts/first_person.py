"""Whether a text speaks in the first person of one: "I undertake to pay" is another promise in each mouth."""

from __future__ import annotations

import re
from functools import cache

from saidonce.foundation.model import UNKNOWN_LANGUAGE
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.lexicon import TAGS, table

_WORD = re.compile(r"(?<![\w(.\u2019'-])[^\W\d_]+(?:['\u2019](?=\w))?(?![)\d_]|\.\w)")
_MARKED = re.compile(r"^\W*[iI][.)]", re.M)
_GAP = re.compile(r"[^\S\n\r]+")
"""What stands between a word and its number: blanks on one line."""

_ANOTHERS = re.compile(
    r"^[ \t]*>.*$|\"[^\"\n]*\"|\u201c[^\u201d\n]*\u201d|\u201e[^\u201c\u201d\n]*[\u201c\u201d]"
    r"|\u00ab[^\u00bb\n]*\u00bb",
    re.M,
)
"""Lines of a mail that is answered, and words in quotation marks: those of somebody else."""


@remembered(8_192)
def is_in_first_person(text: str, language: str) -> bool:
    """Return whether a text says "I", "me" or "my" outside of what it quotes; no table of the language: it does not.

    "We" may be the firm of both who say it, and counts for nothing. The number of "Part I" is none, nor is a mark,
    nor a small "i", unless the text itself begins small, as somebody writes who writes everything so.
    """
    persons, numbered = _words_of(language)
    own = _MARKED.sub("", _ANOTHERS.sub(" ", text))
    hits = list(_WORD.finditer(own))
    writes_small = bool(hits) and hits[0][0][0].islower()
    before, end = "", 0
    for hit in hits:
        word = _folded(hit)
        is_number = word == "i" and before in numbered and _GAP.fullmatch(own, end, hit.start()) is not None
        if word in persons and not is_number and (hit[0] != "i" or writes_small):
            return True
        before, end = word, hit.end()
    return False


def _folded(hit: re.Match[str]) -> str:
    return hit[0].casefold().replace("\u2019", "'")


@cache
def _words_of(language: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of the first person, and those that stand before a number, in the table of a language.

    Of a short text of which nobody knows the language, they may be those of any.
    """
    tags = TAGS if language == UNKNOWN_LANGUAGE else (language,) if language in TAGS else ()
    tables = [table(f"languages/{tag}") for tag in tags]
    persons, numbered = (
        frozenset(word for words in tables for word in words.get(name, "").split())
        for name in ("first_person", "numbered")
    )
    return persons, numbered
