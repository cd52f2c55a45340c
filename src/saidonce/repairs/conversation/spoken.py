"""The language of a message. Short texts mislead a detector, so known words decide first, then what was spoken.

script -> phrases of each language's table against English words -> detector, for long texts only -> the language before
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from saidonce.foundation import text as texts
from saidonce.foundation.model import UNKNOWN_LANGUAGE
from saidonce.repairs.conversation.gloss import STRONG, TAGS, find, table, tokens

ENGLISH = "en"

MIN_DETECTED_WORDS = 4
"""Words from which the detector alone may name a language, if next to none of them is English."""

MIN_CHARS = 15
"""Characters from which the detector is asked at all: it is right in 88 % of texts of 15 to 40."""

MIN_FOR_ENGLISH = 2
"""English words that take a conversation back to English; one ("ok", "photo", "thanks") is used in every language."""

MAX_FAULT_WORDS = 2
"""Most words of a message that is nothing but a fault."""

N_ENGLISH_WORDS = 40_000

_SCRIPTS = (
    ("ar", "\u0600", "\u06ff"), ("ja", "\u3040", "\u30ff"), ("zh", "\u3400", "\u9fff"), ("ko", "\uac00", "\ud7af"),
    ("ru", "\u0400", "\u04ff"), ("el", "\u0370", "\u03ff"), ("he", "\u0590", "\u05ff"), ("hi", "\u0900", "\u097f"),
    ("bn", "\u0980", "\u09ff"), ("pa", "\u0a00", "\u0a7f"), ("gu", "\u0a80", "\u0aff"), ("ta", "\u0b80", "\u0bff"),
    ("th", "\u0e00", "\u0e7f"), ("am", "\u1200", "\u137f"), ("ka", "\u10a0", "\u10ff"), ("hy", "\u0530", "\u058f"),
)  # fmt: skip
"""Languages by the first and last letter of their script; the first stands for all of a shared one."""

_IN_A_SCRIPT = re.compile("[" + "".join(f"{first}-{last}" for _, first, last in _SCRIPTS) + "]")
"""A character of any of them: most messages have none, and every message of a conversation is read at each turn."""

_SAME_SCRIPT = {"ar": ("fa", "ur", "ps", "ku"), "ru": ("uk", "bg", "sr", "mk", "be"), "hi": ("mr", "ne")}


_LETTERS_OF = {
    "pl": "\u0142\u0105\u0119\u015b\u017c\u017a\u0107\u0144", "de": "\u00df\u00e4\u00f6\u00fc",
    "es": "\u00f1\u00bf\u00a1", "pt": "\u00e3\u00f5", "ro": "\u0219\u021b\u0103\u015f\u0163",
    "fr": "\u00e8\u00ea\u00ee\u0153\u00f9",
}  # fmt: skip
"""Letters that only one of the languages has, or has most often: each counts like a word."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """The language of a message as a two-letter tag.

    Attributes:
        is_sure: whether more speaks for it than for English; if not, what matters is told in both.
    """

    language: str
    is_sure: bool = True


def spoken(text: str, before: str = ENGLISH) -> Spoken:
    """Return the language of a message.

    Args:
        text: the message.
        before: the conversation's language; a message that tells nothing ("1", "ok", a name) leaves it as it is.
    """
    script = _script(text)
    if script:
        return Spoken(script)
    return _latin(text, before)


def heard_in(messages: tuple[str, ...], before: str = ENGLISH) -> tuple[str, ...]:
    """Return the language of each message of a conversation, in order, the first after `before`."""
    languages: list[str] = []
    for one in messages:
        before = spoken(one, before).language if one.strip() else before
        languages.append(before)
    return tuple(languages)


def _script(text: str) -> str:
    if _IN_A_SCRIPT.search(text) is None:
        return ""
    letters = [c for c in text if c.isalpha()]
    foreign = [tag for c in letters for tag, first, last in _SCRIPTS if first <= c <= last]
    if not foreign or len(foreign) * 2 < len(letters):
        return ""
    tag = "ja" if "ja" in foreign else max(set(foreign), key=lambda t: (foreign.count(t), t))
    shared = _SAME_SCRIPT.get(tag, ())
    detected = texts.language(text, MIN_CHARS) if shared else tag
    return detected if detected in shared else tag


@lru_cache(maxsize=4_096)
def _latin(text: str, before: str) -> Spoken:
    words = [t.word for t in tokens(text) if t.word.isalpha()]
    detected = texts.language(text, MIN_CHARS) if len(words) > 2 else UNKNOWN_LANGUAGE
    best, most, n_english, is_strong = _most_likely(text, words, detected, before)
    if _is_another(detected) and len(words) >= MIN_DETECTED_WORDS and max(most, n_english) * 2 < len(words):
        return Spoken(detected)
    enough = len(words) > 2 or is_strong or best == before
    if most > n_english and enough:
        return Spoken(best)
    if n_english >= MIN_FOR_ENGLISH and n_english > most:
        return Spoken(ENGLISH)
    if most and before == ENGLISH and (enough or _is_one_fault(text, best, n_english)):
        return Spoken(best, is_sure=False)
    guess = len(words) >= MIN_DETECTED_WORDS and n_english * 3 <= len(words) and detected in TAGS
    return Spoken(detected, is_sure=False) if guess else Spoken(before)


def _most_likely(text: str, words: Sequence[str], detected: str, before: str) -> tuple[str, int, int, bool]:
    """Return the language with the most words of its own, their number, that of English ones, and if one is enough."""
    english = english_words()
    best, most, n_english, is_strong = ENGLISH, 0, sum(w in english for w in words), False
    for tag in _candidates(before):
        n_own, n_else, strong = _evidence(text, tag)
        n_own += sum(c in _LETTERS_OF.get(tag, "") for c in text.lower()) + (tag == detected and n_own > 0)
        if n_own > most:
            best, most, n_english, is_strong = tag, n_own, n_else, strong
    return best, most, n_english, is_strong


def _is_one_fault(text: str, tag: str, n_english: int) -> bool:
    """Return whether a message is no more than a fault in one language: "kapie", "tropft", "gotea".

    No other language may have the word, and English none.
    """
    words = [t for t in tokens(text) if t.word.isalpha()]
    if n_english or len(words) > MAX_FAULT_WORDS:
        return False
    whole = [t for t in _candidates(ENGLISH) if any(hit.n == len(words) for hit in find(table(t), words, text))]
    return whole == [tag] and any(hit.phrase.section == "faults" for hit in find(table(tag), words, text))


def _is_another(language: str) -> bool:
    """Return whether a detected language is one without a table."""
    return language not in (UNKNOWN_LANGUAGE, ENGLISH, *TAGS)


def _candidates(before: str) -> tuple[str, ...]:
    """Return the languages with tables, the one before first: it wins ties."""
    latin = tuple(t for t in TAGS if t not in ("ar", "zh"))
    return (before, *(t for t in latin if t != before)) if before in latin else latin


def _evidence(text: str, tag: str) -> tuple[int, int, bool]:
    """Return how many words only the language has, how many only English has, and whether one word is enough."""
    english, words = english_words(), [t for t in tokens(text) if t.word.isalpha()]
    covered: dict[int, bool] = {}
    is_strong = False
    for hit in find(table(tag), words, text):
        here = words[hit.first : hit.first + hit.n]
        own = any(w.word not in english for w in here)
        counts = own or (hit.n > 1 and not all(w.word in english_core() for w in here))
        is_strong = is_strong or (counts and (hit.phrase.section in STRONG or hit.n > 1))
        covered.update({hit.first + n: counts for n in range(hit.n)})
    n_else = sum(t.word in english for n, t in enumerate(words) if n not in covered)
    return sum(covered.values()), n_else, is_strong


@lru_cache(maxsize=1)
def english_words() -> frozenset[str]:
    """Return the more frequent English words."""
    return frequent_words(N_ENGLISH_WORDS) - _NO_ENGLISH


def frequent_words(n_words: int) -> frozenset[str]:
    """Return so many of the most frequent words of English texts, and those of messages."""
    rows = (resources.files("symspellpy") / "frequency_dictionary_en_82_765.txt").read_text("utf-8-sig").splitlines()
    return frozenset(row.split()[0] for row in rows[:n_words]) | _CHAT


@lru_cache(maxsize=1)
def english_core() -> frozenset[str]:
    """Return the words that English sentences are made of."""
    rows = (resources.files("symspellpy") / "frequency_dictionary_en_82_765.txt").read_text("utf-8-sig").splitlines()
    return frozenset(row.split()[0] for row in rows[:250]) - _NO_ENGLISH


_CHAT = frozenset(
    "ok okay pls plz thx ta ty hiya gonna wanna gotta dont cant wont isnt doesnt didnt im ive ill its id theres whats u"
    " ur r gas photo pic pics mould leccy loo telly hob fob lmk asap nvm tmrw yep yeah nope nah".split()
)
_NO_ENGLISH = frozenset(
    "la le les el los las der die das des den dem und que qui est hay para por con una un une von auf mit nicht ich sie"
    " du est pas je ne dans sur et da do dos das na em se te mi su si di il de del al y o e ao nie jest jak ale tak"
    " nu sau cu pe ce din hola ciao bonjour merci danke gracias casa agua ist aus bei nach zu wie wir".split()
) - frozenset("do die den par si".split())
"""Words that a dictionary of English texts holds, although they belong to others."""
