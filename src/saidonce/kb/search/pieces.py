"""Room: what stands for words where a script writes none apart: runs of a few characters between small words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from saidonce.foundation import text
from saidonce.foundation.spaceless import HANGUL, HIRAGANA, IDEOGRAPHS, KATAKANA, OTHERS, simplified
from saidonce.foundation.stop_words import stop_words

_RUN = re.compile(f"([{KATAKANA}]{{2,}})|([{IDEOGRAPHS}]+)|([{HANGUL}]+)|([{OTHERS}]+)")
_LATIN = "a-z0-9"
_ALL_RUNS = re.compile(
    f"(?<![{_LATIN}-])[{_LATIN}]+(?:-[{_LATIN}]+)*|{_RUN.pattern}|(?<![{HIRAGANA}{IDEOGRAPHS}])([{HIRAGANA}]{{2,}})"
    f"|(?<=[{IDEOGRAPHS}])([{HIRAGANA}]{{2,}})"
)
_PARTICLE = re.compile(
    f"(?<=..)(?:{'|'.join(sorted(stop_words()['particles'], key=lambda word: (-len(word), word)))})$"
)
"""Behind a Korean noun or verb."""

_ENDS = "\u11ab\u11af\u11b7\u11b8\u11bb"
"""Consonants with which a Korean ending begins, written in the last syllable of the verb: "끝나다", "끝난"."""

_VERB = "る"
"""Ends what a Japanese verb has behind its ideograph."""

_KANA = re.compile(f"[{HIRAGANA}{KATAKANA}]")

_BLANK = "\x00"
"""Stands for each character of a small word in hiragana."""

_PAIR = 2
_LONGER = 3
"""Characters of a piece in scripts whose vowels are characters of their own."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A few characters of a query that are looked up in a block.

    Attributes:
        text: the characters, Chinese ones simplified.
        written: as the query has them.
        places: where they stand in the query; neighbours share some.
        weak: those of the places whose character writes a small word as often as a part of a longer one: it counts
            where a block holds it beside another, and is not missed.
        whole: characters of such a script that make one word; each counts as this part of a word.
        is_kana: it is of hiragana, and no part of a small word or an ending.
        is_simplified: it is looked up in Chinese characters of either form; of a Japanese query, none is.
    """

    text: str
    written: str
    places: tuple[int, ...]
    weak: frozenset[int]
    whole: int
    is_kana: bool = False
    is_simplified: bool = False

    def is_in(self, content: str) -> bool:
        """Return whether a text of `searched_text` holds the piece; figures and Latin letters as a word.

        A Korean verb is held with the consonant of an ending, too.
        """
        if self.is_kana:
            return self.text in _without_kana_words(content)
        content = _simplified(content) if self.is_simplified else content
        if self.text not in content:
            return len(self.text) == _PAIR and self._is_verb_in(content)
        return not self.text.isascii() or bool(
            re.search(f"(?<![{_LATIN}]){re.escape(self.text)}(?![{_LATIN}])", content)
        )

    def _is_verb_in(self, content: str) -> bool:
        letters = unicodedata.normalize("NFD", self.text)
        if not "\u1100" <= letters[0] <= "\u1112" or not "\u1161" <= letters[-1] <= "\u1175":
            return False  # not Korean, or ends with a consonant
        return re.search(f"{letters}[{_ENDS}]", _letters_of(content)) is not None


def has_pieces(word: str) -> bool:
    """Return whether a word is written in a script of which pieces are looked up."""
    return text.is_spaceless(word) or _RUN.search(text.normalise(word)) is not None


def pieces(query: str) -> tuple[Piece, ...]:
    """Return the pieces of a query that say something, each once, in order.

    They are pairs of ideographs, or one that stands alone; runs of katakana; pairs of Hangul and of hiragana; threes of
    Thai, Lao, Tibetan, Burmese and Khmer; and Latin letters and figures written together with one of these. Hiragana
    writes endings and small words, too, which are left out; what is left of them behind an ideograph is weak.
    """
    cut: dict[str, Piece] = {}
    normal = text.normalise(query)
    is_simplified = _KANA.search(normal) is None
    for word in re.finditer(r"\S+", simplified(normal) if is_simplified else normal):
        if not has_pieces(word[0]):
            continue  # its words are searched as words
        for piece in _pieces(_without_small_words(word[0]), word.start()):
            written = normal[piece.places[0] : piece.places[-1] + 1]
            cut.setdefault(piece.text, replace(piece, written=written, is_simplified=is_simplified))
    return tuple(cut.values())


def _without_small_words(word: str) -> str:
    """Return a word with blanks in place of the small words, so that the places of the others stay."""
    return _without_kana_words(_small_words().sub(lambda small: " " * len(small[0]), word))


@lru_cache(maxsize=4_096)
def _without_kana_words(content: str) -> str:
    for pattern in _kana_words():
        content = pattern.sub(lambda small: _BLANK * len(small[0]), content)
    return content


def searched_text(title: str, heading_path: tuple[str, ...], content: str) -> str:
    """Return the text of a block with its title and headings, in which pieces are looked up."""
    return text.normalise("\n".join((title, *heading_path, content)))


def _pieces(written: str, offset: int) -> Iterator[Piece]:
    """Yield the pieces of a word without small words; those of weak characters alone say nothing."""
    for run in _ALL_RUNS.finditer(written):
        _, ideographs, hangul, others, kana, ending = run.groups()
        if hangul in stop_words()["particles"]:
            continue  # behind a small word
        kept = _PARTICLE.sub("", hangul) if hangul else run[0]
        if ending and ending.endswith(_VERB):
            continue
        whole = _PAIR if ideographs or hangul or kana or ending else _LONGER if others else len(kept)
        for at in range(max(1, len(kept) - whole + 1)):
            part = kept[at : at + whole]
            start = offset + run.start() + at
            weak = frozenset(
                start + n for n, character in enumerate(part) if ending or character in stop_words()["weak"]
            )
            if ending or len(weak) < len(part):
                yield Piece(part, part, tuple(range(start, start + len(part))), weak, whole, bool(kana or ending))


@cache
def _small_words() -> re.Pattern[str]:
    """Match the small words, the longest first."""
    words = stop_words()["spaceless"]
    return _any_of(words | {simplified(word) for word in words})


@cache
def _kana_words() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Match the small words and endings that are written in hiragana, the longest first; then lone particles."""
    words, *lone = (stop_words()[name] for name in ("hiragana", "kana_particles", "kana_ends"))
    both, ends = ("".join(sorted(characters)) for characters in lone)
    return _any_of(words), re.compile(
        f"(?<![{HIRAGANA}])[{both}]|[{both}](?![{HIRAGANA}])|[{ends}](?![{HIRAGANA}{_BLANK}])"
    )


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(sorted(words, key=lambda word: (-len(word), word))))


@lru_cache(maxsize=4_096)
def _simplified(content: str) -> str:
    return simplified(content)


@lru_cache(maxsize=4_096)
def _letters_of(content: str) -> str:
    return unicodedata.normalize("NFD", content)
