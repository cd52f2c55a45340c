"""Phrases, courtesy and abbreviations written in one way."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from rapidfuzz.distance import OSA

from saidonce.foundation.remembering import remembered
from saidonce.foundation.text import one_off
from saidonce.matching.facts.lexicon import known_words, operators, stem
from saidonce.matching.facts.plain.tables import SPACELESS, capital, frames, options, phrases, ways
from saidonce.matching.facts.synonymy import FEWEST_OF_A_KNOWN_NAME, is_typo, respelled

_UN_PARTICIPLE = re.compile(r"\b[Uu]n[a-z]{2,}ed\b(?! by\b)")


def in_one_wording(text: str, _other: str, language: str) -> str:
    """Write phrases of one meaning in one way."""
    known, found_by = phrases(language)
    if found_by is None:
        return text

    def written(hit: re.Match[str]) -> str:
        right = known[hit[0].lower()]
        if right == "_":
            return ""
        if hit[0].endswith("'") and not right.endswith("'"):
            right += " "  # "afin d'éviter", "pour éviter"
        at_start = not hit.string[: hit.start()].rstrip() or hit.string[: hit.start()].rstrip()[-1] in ".!?"
        return capital(right) if hit[0][:1].isupper() and (at_start or len(hit[0]) == 1) else right

    return _framed(found_by.sub(written, text), language, "frames")


def with_denials_in_one_word(text: str, other: str, language: str) -> str:
    """Write "not opened" as the other text has it, "unopened"; where it has no such word, it may be a passive's.

    Never beside an agent: who unlocked the door did something, and by whom it was not locked did nothing.
    """
    if language != "en":
        return text
    for word in dict.fromkeys(hit[0].lower() for hit in _UN_PARTICIPLE.finditer(other)):
        text = re.sub(rf"\bnot {word[2:]}\b(?! by\b)", word, text)
    return text


def _framed(text: str, language: str, name: str) -> str:
    """Write what a list of phrases with gaps finds, one after the other."""
    for frame, right in frames(language, name):
        if frame.search(text):  # what is to be written is made ready before anything is looked for
            text = frame.sub(right, text)
    return text


def in_one_mood(text: str, _other: str, language: str) -> str:
    """Write an infinitive that bids as the imperative, and one way to say what has to be done as another."""
    return _framed(text, language, "biddings")


@cache
def _opening(language: str) -> re.Pattern[str] | None:
    listed = options(language, "opening")
    if not listed:
        return None
    if language in SPACELESS:
        called = options(language, "sent_for") or "(?!)"
        return re.compile(rf"(?:(?<=[。！？，、\n])|^)(?:{listed})(?![假求客教]|{called})(\w)")
    return re.compile(rf"(?:(?<=[.!?\n] )|(?<=\n)|^)(?:{listed})(?:,? )(\w)", re.IGNORECASE)


@cache
def _closing(language: str) -> re.Pattern[str] | None:
    listed = options(language, "closing")
    return re.compile(rf",? (?:{listed})(?=[.!]?(?:\s|$))", re.IGNORECASE) if listed else None


def without_courtesy(text: str, _other: str, language: str) -> str:
    """Leave out "please" and what only leads up to a statement."""
    opening, closing = _opening(language), _closing(language)
    text = opening.sub(lambda m: m[1].upper(), text) if opening else text
    return closing.sub("", text) if closing else text


_WORD = re.compile(r"(?<![\w`'-])[A-Za-z]{3,}(?![\w`'-])")


def spelled_right(text: str, other: str, language: str) -> str:
    """Write a word that does not exist as the only one that it can be a misspelling of.

    That is a word of the other text, or else one that exists and is a form of one, or an operator such as "without".
    """
    if language != "en":
        return text
    if not _has_unknown(text):
        return text
    there, meant, stems = _there(other)

    def written(hit: re.Match[str]) -> str:
        word = hit[0].lower()
        before = text[: hit.start()].rstrip()
        is_short_name = hit[0][0].isupper() and len(word) < FEWEST_OF_A_KNOWN_NAME and before[-1:] not in ("", *".!?:")
        if word in there or word in known_words() or hit[0].isupper() or is_short_name:
            return hit[0]
        right = [one for one in meant if _is_slip(word, one)]
        right = right or [one for one in _meant_by(word) if stem(one) in stems or one in operators()]
        return _cased_as(hit[0], right[0]) if len(right) == 1 else hit[0]

    return _WORD.sub(written, text)


@remembered(8_192)
def _has_unknown(text: str) -> bool:
    """Return whether an English text has a word that does not exist."""
    return any(hit[0].lower() not in known_words() for hit in _WORD.finditer(text))


@remembered(4_096)
def _there(text: str) -> tuple[frozenset[str], tuple[str, ...], frozenset[str]]:
    """Return the words of an English text, in order those of them that exist, and the stems of all."""
    words = frozenset(hit[0].lower() for hit in _WORD.finditer(text))
    return words, tuple(sorted(words & known_words())), frozenset(map(stem, words))


@lru_cache(maxsize=16_384)
def _meant_by(word: str) -> list[str]:
    """Return the existing words of which a word may be a misspelling."""
    swapped = respelled(word)
    return [swapped] if swapped != word else [w for w in one_off(word) if w in known_words() and _is_slip(word, w)]


def _is_slip(word: str, meant: str) -> bool:
    """Return whether a word differs from an existing one in two letters that changed places, or in one within it.

    A letter at its ends may make it another word: "atypical", "licensees".
    """
    if not is_typo(word, meant) or OSA.distance(word, meant) != 1:
        return False
    return sorted(word) == sorted(meant) or (len(word) != len(meant) and (word[0], word[-2:]) == (meant[0], meant[-2:]))


def _cased_as(model: str, word: str) -> str:
    return capital(word) if model[0].isupper() else word


_LONG = re.compile(r"\b((?:[\w'-]{1,60} ){1,7}[\w'-]{1,60}) \(([A-Z][A-Za-z]*[A-Z])\)")
_SHORT = re.compile(r"\b([A-Z][A-Za-z]*[A-Z]) \(((?:[\w'-]+ ){1,7}[\w'-]+)\)")
_SMALL = frozenset("of and the for in on to de la le du des der die das und et y e".split())


def spelled_out(text: str, other: str, _language: str) -> str:
    """Write an abbreviation that either text defines as what it stands for."""
    for short, long in sorted({**_defined(text), **_defined(other)}.items()):
        for form in (f"{long} ({short})", f"{short} ({long})"):
            text = re.sub(re.escape(form), long, text, flags=re.IGNORECASE)
        text = re.sub(rf"(?<![\w-]){re.escape(short)}(?![\w-])", long, text)
    return text


def _defined(text: str) -> dict[str, str]:
    """Return abbreviation -> words whose first letters it has."""
    if "(" not in text:
        return {}
    known: dict[str, str] = {}
    for hit in _LONG.finditer(text):
        words = hit[1].split()
        longs = (words[-n:] for n in range(2, len(words) + 1))
        if long := next((each for each in longs if _initials(each, hit[2])), None):
            known[hit[2]] = " ".join(long)
    return known | {m[1]: m[2] for m in _SHORT.finditer(text) if _initials(m[2].split(), m[1])}


def abbreviations(text: str) -> frozenset[str]:
    """Return the abbreviations that a text says the meaning of."""
    return frozenset(_defined(text))


def _initials(words: list[str], short: str) -> bool:
    letters = [[w[0] for w in re.split(r"-", word) if w] for word in words]
    flat = [c for of_word in letters for c in of_word]
    kept = [c for word, of_word in zip(words, letters, strict=True) for c in of_word if word.casefold() not in _SMALL]
    return words[0].casefold() not in _SMALL and short.casefold() in (
        "".join(flat).casefold(),
        "".join(kept).casefold(),
    )


_LIST = re.compile(r" ?:[ \t]*\n(?P<items>(?:[ \t]*+[-*\u2022][ \t]++[^\n]++(?:\n|\Z)){2,}+)")
_FOLLOWS = re.compile(r"(?<!\s)\s*+(?:the following|folgendes|folgende)(?: \w+)?\s*+$", re.IGNORECASE)


def in_running_text(text: str, _other: str, language: str) -> str:
    """Write a list whose points are members of one sentence as that sentence."""
    joined = ways(language).get("and")
    hit = _LIST.search(text)
    if not joined or hit is None or hit["items"].count("\n") > 12:
        return text
    start = text.rfind("\n", 0, hit.start()) + 1
    lead = text[start : hit.start()]
    items = [re.sub(r"^[-*\u2022\s]+|(?<![,;.\s])[,;.\s]++$", "", line) for line in hit["items"].strip().splitlines()]
    one_of = options(language, "one_of")
    are_members = all(len(i.split()) <= 8 and ". " not in i and not i.rstrip("*_ ").endswith(":") for i in items)
    if not are_members or re.search(rf"\b(?:{one_of})\b", lead.lower()):
        return text
    items[-1] = re.sub(rf"^{joined} ", "", items[-1])
    lead = without_following(lead)
    sentence = f"{lead} {', '.join(items[:-1])} {joined} {items[-1]}."
    rest = text[hit.end() :].strip()
    return text[:start] + sentence + (f" {rest}" if rest else "")


def without_following(lead: str) -> str:
    """Return what leads up to a list without the words that only point to it: "bring the following"."""
    return _FOLLOWS.sub("", lead)
