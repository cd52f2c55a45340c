"""An English message with its typing mistakes and slang read as the words that the rules know.

Only words that no dictionary knows change, and only into a word of the rules that is one or two letters away; the
reading is a gloss, so reports and pages keep the resident's own spelling. Dangers are looked for in the message itself.
"""

from __future__ import annotations

import re
from functools import lru_cache

from rapidfuzz.distance import OSA

from saidonce.foundation.text import normalise
from saidonce.repairs.conversation import lexicon
from saidonce.repairs.conversation.acts import ENGLISH, SpeechAct, phrases_of
from saidonce.repairs.conversation.gloss import Gloss, GlossPiece
from saidonce.repairs.conversation.spoken import frequent_words

N_KNOWN_WORDS = 100_000
"""All of the dictionary: a rare word ("spout") is no typing mistake. The few that mostly are stand in the slang."""

MIN_TYPO_CHARS = 4
"""Shorter words change only where a letter is missing twice in a row: "dor"."""

MIN_TWO_CHARS = 8
"""Words from this length may have two typing mistakes; shorter ones if they sound alike."""

MIN_BARE_CHARS = 3
"""Letters of a word without its vowels."""

_VOWEL = re.compile(r"[aeiou]")
_WORD = re.compile(r"(?:some|sum|any|every)1(?!\w)|[^\W\d_]+(?:['\u2019][^\W\d_]+)*", re.IGNORECASE)
_CHUNK = re.compile(r"\S+")
_NO_PROSE = re.compile(r"[@/\\\d_#]|\.\w")
_SOUNDS = (("ph", "f"), ("ck", "k"), ("c", "k"), ("q", "k"), ("z", "s"), ("y", "i"))
_VOWELS = re.compile(r"(?<=.)[aeiouh]")
_DOUBLE = re.compile(r"(.)\1+")


def read(text: str) -> Gloss:
    """Return a message as the rules read it, each word tied to its source; without segments if nothing changes."""
    return _read(text)


@lru_cache(maxsize=4_096)
def _read(text: str) -> Gloss:
    words = [m for chunk in _CHUNK.finditer(text) if _is_prose(chunk.group())
             for m in _WORD.finditer(text, *chunk.span())]  # fmt: skip
    heard = _with_slang([(m, _word(m.group(), is_name=_is_name(text, m))) for m in words])
    if all(m.group() == word for m, word in heard):
        return Gloss(text, text)
    reading, at = "", 0
    segments: list[GlossPiece] = []
    for match, word in heard:
        for mark in _CHUNK.finditer(text, at, match.start()):
            start = len(reading) + mark.start() - at
            segments.append(GlossPiece(start, start + len(mark.group()), *mark.span()))
        reading += text[at : match.start()]
        segments.append(GlossPiece(len(reading), len(reading) + len(word), match.start(), match.end()))
        reading, at = reading + word, match.end()
    for mark in _CHUNK.finditer(text, at):
        start = len(reading) + mark.start() - at
        segments.append(GlossPiece(start, start + len(mark.group()), *mark.span()))
    return Gloss(text, reading + text[at:], tuple(segments), len(words), len(words))


def _is_prose(chunk: str) -> bool:
    return not _NO_PROSE.search(chunk) or normalise(chunk).strip(".,!?") in slang()


def _with_slang(heard: list[tuple[re.Match[str], str]]) -> list[tuple[re.Match[str], str]]:
    """Return words with those of the table of slang replaced; of two words together, the second one."""
    table = slang()
    before, result = "", []
    for match, word in heard:
        plain = normalise(word)
        result.append((match, table.get(f"{before} {plain}") or table.get(plain, word)))
        before = plain
    return result


@lru_cache(maxsize=1)
def slang() -> dict[str, str]:
    """Return what words of the street and of telephones stand for, from the tables of English."""
    known = phrases_of(ENGLISH)
    return dict(known.slang) if known is not None else {}


@lru_cache(maxsize=1)
def known_words() -> tuple[str, ...]:
    """Return the words of the rules that a mistyped one may stand for, things, places and faults first."""
    first = sorted(lexicon.THINGS | lexicon.PLACES | lexicon.FAULTS | lexicon.WORSE)
    known = phrases_of(ENGLISH)
    acts = known.acts.values() if known is not None else ()
    listed = sorted({w for a in acts for p in a.phrases for w in re.findall(r"[a-z]{4,}(?!\*|[a-z])", p)})
    plurals = [f"{w}s" for w in first if w in lexicon.THINGS and not w.endswith("s")]
    stems = known.acts[SpeechAct.FAULT].phrases if known is not None else ()
    grown = [f"{p[:-1]}{end}" for p in stems if re.fullmatch(r"[a-z]{4,}\*", p) for end in ("", "s", "ing", "ed", "y")]
    return tuple(dict.fromkeys((*first, *plurals, *grown, *listed)))


def _word(word: str, is_name: bool) -> str:
    plain = normalise(word)
    if is_name or "'" in plain or len(plain) < MIN_TYPO_CHARS - 1 or plain in slang() or plain in _correct():
        return word
    return _near(plain) or word


@lru_cache(maxsize=1)
def _correct() -> frozenset[str]:
    return frequent_words(N_KNOWN_WORDS) | frozenset(known_words())


@lru_cache(maxsize=65_536)
def _near(word: str) -> str:
    """Return the word of the rules that a mistyped word stands for; of several as near, the first; empty without."""
    if not _VOWEL.search(word) and word in _with_vowels():
        return _with_vowels()[word]
    if len(word) < MIN_TYPO_CHARS:
        return next((w for w in known_words() if len(w) == len(word) + 1 and _DOUBLE.sub(r"\1", w) == word), "")
    most = 2 if len(word) >= MIN_TYPO_CHARS + 1 else 1
    sound = _sound(word)
    best, nearest = "", most + 1.0
    for known in known_words():
        if known[0] != word[0] or len(known) < MIN_TYPO_CHARS - 1 or abs(len(known) - len(word)) > most:
            continue
        distance = OSA.distance(word, known, score_cutoff=most)
        is_near = distance <= 1 or len(word) >= MIN_TWO_CHARS or _sound(known) == sound
        # Two letters swapped are no other letters: "takl" is "talk" before "tank" or "take".
        rank = distance - (0.5 if sorted(known) == sorted(word) else 0.0)
        if is_near and rank < nearest:
            best, nearest = known, rank
    return best


@lru_cache(maxsize=1)
def _with_vowels() -> dict[str, str]:
    """Return what letters without vowels stand for: "tlk" is "talk"; left out where two known words share them."""
    bare: dict[str, set[str]] = {}
    for word in known_words():
        if len(skeleton := _VOWEL.sub("", word)) >= MIN_BARE_CHARS and skeleton != word:
            bare.setdefault(skeleton, set()).add(word)
    return {skeleton: next(iter(words)) for skeleton, words in bare.items() if len(words) == 1}


def _sound(word: str) -> str:
    for letters, alike in _SOUNDS:
        word = word.replace(letters, alike)
    return _DOUBLE.sub(r"\1", _VOWELS.sub("", word))


def _is_name(text: str, match: re.Match[str]) -> bool:
    """Return whether a word begins with a capital in the middle of a sentence that is not all in capitals."""
    word, before = match.group(), text[: match.start()].rstrip()
    return word[0].isupper() and not word.isupper() and bool(before) and before[-1] not in ".!?:\n"
