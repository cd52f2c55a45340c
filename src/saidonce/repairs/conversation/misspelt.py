"""Misspelt words of danger: what a message says if a word that no dictionary knows is one mistake away from the lists.

Only mistakes that phones and hurry make count: two letters swapped, one missing, one doubled, one beside its place on
the keyboard, one that sounds alike, a small word glued to the front. A word of the language is never a mistake.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from rapidfuzz import process
from rapidfuzz.distance import OSA

from saidonce.foundation.text import folded
from saidonce.repairs.conversation import emergency, foreign_dangers
from saidonce.repairs.conversation.gloss import table
from saidonce.repairs.conversation.spoken import ENGLISH, frequent_words

LANGUAGES = (ENGLISH, "de", "es", "fr", "it")
"""Languages with a list of right words: English has a whole dictionary, the others `packs/right_words_LANGUAGE.txt`."""

MIN_CHARS = 3
"""Shorter words are never read as misspelt."""

MIN_ANY_MISTAKE = 7
"""Letters of a word from which any one mistake counts."""

MIN_MISSING = 4
"""Letters of a word from which one may be missing, or be another one."""

_SWAPPED, _LEFT_OUT, _BESIDE, _ANY = 1, 2, 3, 4
"""Mistakes, the likeliest first: swapped or doubled letters, one missing, one beside its place, any other."""

N_ENGLISH_WORDS = 100_000
"""All of the dictionary."""

N_EVERYDAY_WORDS = 3_000
"""Most frequent English words, any of which a misspelt one may as well stand for."""

_TOKEN = re.compile(r"[^\W\d_]+")
_KEYS = {
    "en": ("qwertyuiop", "asdfghjkl", "zxcvbnm"), "de": ("qwertzuiop", "asdfghjkl", "yxcvbnm"),
    "fr": ("azertyuiop", "qsdfghjklm", "wxcvbn"),
}  # fmt: skip
_ALIKE = ("mn", "bv", "sz", "cs", "ck", "iy", "dt", "gj", "ei")
_GLUED = {
    "en": ("of", "the", "a", "in", "on", "my", "is"), "de": ("nach", "im", "der", "die", "das", "am"),
    "es": ("de", "a", "el", "la", "un", "hay"), "fr": ("de", "le", "la", "un", "du", "au"),
    "it": ("di", "a", "il", "la", "un", "ce"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ListedWords:
    """Words of one language.

    Attributes:
        danger: words of the lists of danger, folded.
        alone: those of them that are a danger without others.
        harmless: words of the lists of what is harmless, folded.
        right: words that are right as they are, folded.
        glued: small words that may be glued to the front of another.
        beside: letters that are struck for one another, or sound alike, as pairs.
    """

    danger: frozenset[str]
    alone: frozenset[str]
    harmless: frozenset[str]
    right: frozenset[str]
    glued: tuple[str, ...]
    beside: frozenset[str]


def meant(text: str, language: str) -> str:
    """Return a message with each misspelt word of danger as it was meant; as it is if there is none."""
    return _read(text, language, is_everyday=False)


def meant_everyday(text: str, language: str) -> str:
    """Return the same with misspelt words of the lists of what is harmless as well; words of danger go first."""
    return _read(text, language, is_everyday=True)


def is_doubtful(text: str, language: str) -> bool:
    """Return whether an everyday word is as near to a misspelt word of danger: "fre" may be "free", too."""
    if language != ENGLISH:
        return False  # Of other languages only the words beside dangers are known.
    return any(_is_doubtful(folded(m.group())) for m in _TOKEN.finditer(text))


def _read(text: str, language: str, is_everyday: bool) -> str:
    if language not in LANGUAGES:
        return text
    return _TOKEN.sub(lambda m: _meant(folded(m.group()), language, is_everyday) or m.group(), text)


@lru_cache(maxsize=65_536)
def _meant(token: str, language: str, is_everyday: bool = False) -> str:
    """Return the word of the lists that a token stands for, the least mistake first; empty for every other word."""
    known = words_of(language)
    if len(token) < MIN_CHARS or token in known.danger or token in known.right or _is_glossed(token, language):
        return ""
    if word := _nearest(token, known.danger, known.beside) or _unglued(token, known):
        return word
    return _nearest(token, known.harmless, known.beside) if is_everyday else ""


def _nearest(token: str, words: frozenset[str], beside: frozenset[str]) -> str:
    one_away = process.extract(token, words, scorer=OSA.distance, score_cutoff=1, limit=None)
    near = ((kind, word) for word, *_ in one_away if (kind := _mistake(token, word, beside)))
    return min(near, default=(0, ""))[1]


def _unglued(token: str, known: ListedWords) -> str:
    apart = ((small, token.removeprefix(small)) for small in known.glued)
    return next((f"{small} {rest}" for small, rest in apart if rest != token and rest in known.alone), "")


@lru_cache(maxsize=4_096)
def _is_doubtful(token: str) -> bool:
    known = words_of(ENGLISH)
    word = _meant(token, ENGLISH)
    most = _mistake(token, word, known.beside) if word else 0
    everyday = frequent_words(N_EVERYDAY_WORDS) - known.danger if most else ()
    return any(0 < _mistake(token, w, known.beside) <= most for w in everyday if abs(len(w) - len(token)) <= 1)


def _mistake(token: str, word: str, beside: frozenset[str]) -> int:
    """Return which mistake makes a token of a word, the likeliest as 1; 0 if none does."""
    longer = len(token) - len(word)
    if token == word or abs(longer) > 1 or OSA.distance(token, word, score_cutoff=1) > 1:
        return 0
    at = next((n for n, (a, b) in enumerate(zip(token, word, strict=False)) if a != b), min(len(token), len(word)))
    if longer == 0 and sorted(token) == sorted(word):
        return _SWAPPED
    if longer > 0 and token[at] in token[max(0, at - 1) : at] + token[at + 1 : at + 2]:
        return _SWAPPED
    if len(word) < MIN_MISSING or at == 0:
        return 0
    return _missing(word, at) if longer < 0 else _another(token, word, at, beside)


def _missing(word: str, at: int) -> int:
    if word[at] == word[at - 1]:
        return _SWAPPED
    return _LEFT_OUT if at < len(word) - 1 or len(word) > MIN_MISSING else 0


def _another(token: str, word: str, at: int, beside: frozenset[str]) -> int:
    """Return the mistake of a letter instead of another, or between two: beside its place, or any in a long word."""
    near = word[at] if len(token) == len(word) else token[at - 1] + token[at + 1 : at + 2]
    if any(token[at] + letter in beside for letter in near):
        return _BESIDE
    return _ANY if len(word) >= MIN_ANY_MISTAKE else 0


def _is_glossed(token: str, language: str) -> bool:
    return language != ENGLISH and any(w == token for p in table(language).phrases.get(token[:2], ()) for w in p.words)


@lru_cache(maxsize=8)
def words_of(language: str) -> ListedWords:
    """Return the words of a language that has a list of right ones."""
    if language == ENGLISH:
        danger, alone, harmless = emergency.listed_words()
        right = frozenset(map(folded, frequent_words(N_ENGLISH_WORDS))) | emergency.known_dangers().lookalikes
    else:
        danger, alone = foreign_dangers.words_of_danger(language), foreign_dangers.words_alone(language)
        harmless, right = foreign_dangers.harmless_words(language), foreign_dangers.right_words(language)
    return ListedWords(
        danger, alone, harmless, right | harmless, _GLUED[language], _beside(_KEYS.get(language, _KEYS["en"]))
    )


def _beside(rows: Sequence[str]) -> frozenset[str]:
    """Return pairs of letters, in both orders, of neighbouring keys and of those that sound alike."""
    along = {a + b for row in rows for a, b in pairwise(row)}
    below = {row[n] + under[m] for row, under in pairwise(rows) for n in range(len(row)) for m in (n - 1, n)
             if 0 <= m < len(under)}  # fmt: skip
    pairs = along | below | set(_ALIKE)
    return frozenset(pairs | {pair[::-1] for pair in pairs})
