"""English messages with words of another language between: "the persiana in the living room no sube"."""

from __future__ import annotations

from functools import lru_cache

from saidonce.repairs.conversation.gloss import TAGS, FoldedWord, Gloss, PhraseHit, find, in_english, table, tokens
from saidonce.repairs.conversation.spoken import ENGLISH, english_words

MIN_FOREIGN = 2
"""Words of another language from which a message mixes both; one may be a name."""

MIN_CHARS = 3
"""Letters of such a word: the "en" of "en suite" and the "s" of "there's" are none."""

_POLITE = frozenset({"whole", "courtesy"})
"""Sections whose words people use in any language: "hola", "gracias"."""

_LATIN = tuple(tag for tag in TAGS if tag not in ("ar", "zh"))


@lru_cache(maxsize=4_096)
def read_mixed(text: str) -> Gloss | None:
    """Return an English message with its words of one other language as English ones; None if it has too few of them.

    Only phrases with a word that is none in English are read so.
    """
    words = tokens(text)
    each = {tag: _foreign(tag, words, text) for tag in _LATIN}
    best = max(_LATIN, key=lambda tag: _n_words(each[tag], words))
    if _n_words(each[best], words) < MIN_FOREIGN:
        return None
    return in_english(text, words, each[best], ENGLISH)


def _foreign(tag: str, words: tuple[FoldedWord, ...], text: str) -> tuple[PhraseHit, ...]:
    hits = find(table(tag), words, text)
    return tuple(h for h in hits if any(map(_is_foreign, words[h.first : h.first + h.n])))


def _is_foreign(word: FoldedWord) -> bool:
    return len(word.word) >= MIN_CHARS and word.word not in english_words()


def _n_words(hits: tuple[PhraseHit, ...], words: tuple[FoldedWord, ...]) -> int:
    """Return how many different words of phrases are none in English, courtesies aside."""
    own = (h for h in hits if h.phrase.section not in _POLITE)
    return len({w.word for h in own for w in words[h.first : h.first + h.n] if _is_foreign(w)})
