"""Words and phrases of danger in other languages, read in every message whatever its language."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from rapidfuzz.distance import OSA

from saidonce.foundation.remembering import remembered
from saidonce.foundation.text import folded
from saidonce.repairs.conversation import no_danger
from saidonce.repairs.conversation.emergency import PhraseMatch, known_dangers
from saidonce.repairs.conversation.phrase_syntax import Phrases, whole_words

LANGUAGES = ("es", "fr", "de", "pl", "pt", "ro", "ar", "zh", "ga", "it", "nl")
"""Languages with a file `packs/dangers_LANGUAGE.toml`, beside English."""

MIN_TYPO_CHARS = 7
"""Shorter words must match exactly: across languages, half of them are one letter away from something harmless."""

LOOKALIKES = frozenset("apagado apagada apagados apagadas bloccata bloccato bloccati bloccate".split())
"""Words one typing mistake away from a danger in one of the languages, and other words."""

MAX_ALONE = 3
"""Most words of a message that is nothing but a danger: "Feuer!", "au feu"."""

_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_QUESTION_MARKS = ("?", "\uff1f", "\u061f")


@dataclass(frozen=True, slots=True)
class ForeignKind:
    """The lists of one class in one language: `sure` gets the safety text, the others a question."""

    kind: str
    words: frozenset[str]
    sure: Phrases
    possible: Phrases


@dataclass(frozen=True, slots=True)
class ForeignDangers:
    """One language: what is taken out first, what calms, what a clause about no danger says, and its classes."""

    language: str
    harmless: Phrases
    calm: Phrases
    everyday: Phrases
    kinds: tuple[ForeignKind, ...]


def find_foreign(message: str) -> tuple[PhraseMatch, ...]:
    """Return the dangers that other languages' lists find, sure ones first, each class once.

    Calming words and question marks turn a sure danger into a possible one, and never remove it.
    """
    text = folded(message)
    masked = without_harmless(message)
    is_calm = calms(message) or any(mark in text for mark in _QUESTION_MARKS)
    matches: dict[str, PhraseMatch] = {}
    for language in foreign_dangers():
        for match in _found_in(language, masked, is_calm, is_whole=masked == text):
            known = matches.get(match.kind)
            if known is None or (match.is_sure and not known.is_sure):
                matches[match.kind] = match
    return tuple(sorted(matches.values(), key=lambda m: not m.is_sure))


@remembered(4_096)
def calms(message: str) -> bool:
    """Return whether a message holds calming words of any of the languages."""
    text = folded(message)
    return any(language.calm.search(text) for language in foreign_dangers())


def says_affairs(clause: str, language: str) -> bool:
    """Return whether a clause complains, or speaks of payment, contract or a date, by the list of its language."""
    text = folded(clause)
    return any(known.everyday.search(text) for known in foreign_dangers() if known.language == language)


@lru_cache(maxsize=1)
def foreign_dangers() -> tuple[ForeignDangers, ...]:
    """Return the lists of all languages."""
    return tuple(_read(language) for language in LANGUAGES)


@remembered(4_096)
def without_harmless(message: str) -> str:
    """Return a folded message with the harmless compounds of all languages masked, and what means no danger in them."""
    text = folded(message)
    for language in foreign_dangers():
        text = language.harmless.masked(text)
    return no_danger.masked(text)


def _found_in(language: ForeignDangers, masked: str, is_calm: bool, is_whole: bool) -> list[PhraseMatch]:
    tokens = _TOKEN.findall(masked)
    is_alone = is_whole and len(tokens) <= MAX_ALONE
    matches = []
    for each in language.kinds:
        sure, possible = each.sure.search(masked), each.possible.search(masked)
        word = "" if sure or possible else _first_word(tokens, each.words, language.language)
        phrase = sure.group() if sure else possible.group() if possible else word
        if phrase:
            is_sure = not is_calm and (
                sure is not None or (is_alone and bool(_first_word(tokens, each.words, language.language)))
            )
            matches.append(PhraseMatch(each.kind, f"{language.language}: {' '.join(phrase.split())}", is_sure))
    return matches


def _first_word(tokens: Sequence[str], words: frozenset[str], language: str) -> str:
    return next((w for t in tokens if (w := _word(t, words, language))), "")


@lru_cache(maxsize=65_536)
def _word(token: str, words: frozenset[str], language: str) -> str:
    """Return the danger word that a token is, or is one typing mistake away from; empty without.

    None of the lookalikes is: "apagado" (out) is no "alagado" (flooded); nor is any word of the language, such as
    "Schüssel" (bowl), a mistyped "Schüsse" (shots).
    """
    if token in words:
        return token
    if len(token) < MIN_TYPO_CHARS or token in _english_dangers() or token in LOOKALIKES:
        return ""
    if token in right_words(language):
        return ""
    near = (w for w in words if len(w) >= MIN_TYPO_CHARS and OSA.distance(token, w, score_cutoff=1) <= 1)
    return min(near, default="")


@lru_cache(maxsize=1)
def _english_dangers() -> frozenset[str]:
    """Return the danger words of English, which is read by its own lists: "monoxide" is no mistake for "monoxido"."""
    return frozenset().union(*(words for _, words in known_dangers().words))


@lru_cache(maxsize=16)
def right_words(language: str) -> frozenset[str]:
    """Return words of a language that lie near one of its lists and are right as they are, folded."""
    file = resources.files("saidonce.repairs.conversation") / "packs" / f"right_words_{language}.txt"
    return frozenset(file.read_text(encoding="utf-8").split()) if file.is_file() else frozenset()


@lru_cache(maxsize=16)
def words_of_danger(language: str) -> frozenset[str]:
    """Return all whole words of a language's lists of danger, folded."""
    kinds = _rows(language)["kind"].values()
    return words_alone(language) | whole_words(folded(p) for row in kinds for p in (*row["sure"], *row["phrases"]))


@lru_cache(maxsize=16)
def words_alone(language: str) -> frozenset[str]:
    """Return the words of a language that are a danger without others, folded."""
    return frozenset(w for row in _rows(language)["kind"].values() for w in folded(row["words"]).split())


@lru_cache(maxsize=16)
def harmless_words(language: str) -> frozenset[str]:
    """Return all whole words of a language's harmless compounds, folded."""
    return whole_words(map(folded, _rows(language).get("harmless", ())))


def _rows(language: str) -> dict[str, Any]:
    file = resources.files("saidonce.repairs.conversation") / "packs" / f"dangers_{language}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _read(language: str) -> ForeignDangers:
    rows = _rows(language)
    is_spaced = rows.get("script") != "unspaced"
    for row in rows["kind"].values():
        row |= {name: [_with_glued(p, rows.get("glued", ())) for p in row[name]] for name in ("sure", "phrases")}
    kinds = tuple(_kind(kind, row, is_spaced) for kind, row in rows["kind"].items())
    harmless, calm, everyday = (_phrases(rows.get(name, ()), is_spaced) for name in ("harmless", "calm", "everyday"))
    return ForeignDangers(language, harmless, calm, everyday, kinds)


def _with_glued(phrase: str, glued: Sequence[str]) -> str:
    """Return a phrase whose words may also have a small word glued to their front, as "and" is in Arabic."""
    return " ".join(
        word if not word.strip("~") or word.startswith("-") else "/".join(
            (word, *(small + each for each in word.split("/") for small in glued))
        ) for word in phrase.split()
    )  # fmt: skip


def _kind(kind: str, row: dict[str, Any], is_spaced: bool) -> ForeignKind:
    words = frozenset(folded(row["words"]).split())
    return ForeignKind(kind, words, _phrases(row["sure"], is_spaced), _phrases(row["phrases"], is_spaced))


def _phrases(phrases: Sequence[str], is_spaced: bool) -> Phrases:
    return Phrases.of([folded(p) for p in phrases], is_spaced)
