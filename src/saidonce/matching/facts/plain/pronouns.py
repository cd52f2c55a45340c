"""A pronoun that can mean one thing of its sentence only: "the valve is checked when it leaks"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from saidonce.foundation.text import sentences
from saidonce.matching.facts.plain.tables import LONGEST_SENTENCE

_MOST = 12
"""Sentences of a text that are looked at."""

_LONGEST_NAME = 3
"""Words behind the article by which a thing is named."""

_POLITE = "Sie"
"""Whoever is spoken to, or what a sentence before names: German does not tell."""

_WORD = re.compile(r"[^\W_]+(?:[-'\u2019][^\W_]+)*|[^\w\s]")


@dataclass(frozen=True, slots=True)
class _Grammar:
    """Which pronouns may stand for what each article names.

    Attributes:
        pronouns: pronoun -> the articles, in small letters, of what it may stand for.
        articles: all words that begin with the name of some thing.
        plural: whether a noun tells its number by a final "s", as the pronoun does.
    """

    pronouns: Mapping[str, frozenset[str]]
    articles: frozenset[str]
    plural: bool = False


_NAMING = frozenset("the a an your our their its his her my this that these those each every any some no".split())

_OF: Mapping[str, _Grammar] = {
    "en": _Grammar(dict.fromkeys(("it", "they", "them"), _NAMING), _NAMING, plural=True),
    "de": _Grammar(
        {"er": frozenset(("der",)), "sie": frozenset(("die",)), "es": frozenset(("das",)), "ihn": frozenset(("den",))},
        frozenset(
            "der die das den dem des ein eine einen einem einer eines ihr ihre ihren ihrem unser unsere unseren sein"
            " seine seinen jeder jede jedes jeden jedem kein keine keinen dieser diese dieses diesen diesem".split()
        ),
    ),
    "fr": _Grammar(
        {"il": frozenset(("le",)), "elle": frozenset(("la",))},
        frozenset(
            "le la les l un une des du au aux son sa ses leur leurs votre vos notre nos ce cette ces chaque".split()
        ),
    ),
    "nl": _Grammar(
        {"hij": frozenset(("de",)), "het": frozenset(("het",))},
        frozenset("de het een uw ons onze hun zijn haar elke elk iedere ieder geen deze dit die dat".split()),
    ),
}


def with_names(text: str, other: str, language: str) -> str:
    """Write a pronoun as the name that a sentence of the other text has in its place, if it can mean nothing else.

    The thing is named before in the same sentence or the one before, and no other is: between two things the pronoun
    says nothing, except that it is not the one that acts ("the board approves it").
    """
    grammar = _OF.get(language)
    if grammar is None or "\n" in text or not _pronouns(language).search(text):
        return text
    mine, theirs = ([s.text for s in sentences(t)] for t in (text, other))
    if max(len(mine), len(theirs)) > _MOST:
        return text
    lone = [t for t in theirs if t not in mine and len(t) <= LONGEST_SENTENCE]
    before = ["", *mine]
    written = [
        s if s in theirs else next((t for t in lone if _is_named((b, s), t, grammar)), s)
        for b, s in zip(before, mine, strict=False)
    ]
    return " ".join(written) if written != mine else text


@cache
def _pronouns(language: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(_OF[language].pronouns)})\b", re.IGNORECASE)


def _is_named(one: tuple[str, str], two: str, grammar: _Grammar) -> bool:
    """Return whether two sentences differ in pronouns of the first alone, each of which has its name in the second.

    Args:
        one: the sentence before the first one, and the first one.
    """
    if max(map(len, one)) > LONGEST_SENTENCE:
        return False
    before, here, there = _WORD.findall(one[0]), _WORD.findall(one[1]), _WORD.findall(two)
    n_names, at, place = 0, 0, 0
    while at < len(here) and place < len(there):
        if here[at].casefold() == there[place].casefold():
            at, place = at + 1, place + 1
            continue
        if here[at] == _POLITE:
            return False
        width = _width_of_name([*before, *here[: at + 2]], here[at], there[place:], grammar)
        if not width:
            return False
        n_names, at, place = n_names + 1, at + 1, place + width
    return n_names > 0 and at == len(here) and place == len(there)


def _width_of_name(here: Sequence[str], pronoun: str, there: Sequence[str], grammar: _Grammar) -> int:
    """Return how many words of `there` a pronoun stands for; 0 if it may mean something else.

    Args:
        here: all words before the pronoun, the pronoun, and the word behind it.
    """
    pronoun, article = pronoun.casefold(), there[0].casefold()
    if article not in grammar.pronouns.get(pronoun, ()):
        return 0
    for width in range(2, _LONGEST_NAME + 2):
        named = [word.casefold() for word in there[:width]]
        if here[-1:] == there[width : width + 1] and _means(here[:-2], named, pronoun, grammar):
            return width
    return 0


def _means(before: Sequence[str], named: Sequence[str], pronoun: str, grammar: _Grammar) -> bool:
    """Return whether of all things named before a pronoun only the one named so, article first, can be meant."""
    article, *name = named
    if not name or not all(word[0].isalpha() for word in name):
        return False
    if grammar.plural and (pronoun == "it") == _is_plural(name[-1]):
        return False
    words = [word.casefold() for word in before]
    begins = [n for n, word in enumerate(words) if word in grammar.articles and not _acts(words, n)]
    if grammar.plural:
        begins = [n for n in begins if not _is_barred(words, n, pronoun)]
    meant = [n for n in begins if words[n + 1 : n + 1 + len(name)] == name and article in (words[n], *_KNOWN)]
    return bool(meant) and len(meant) == len(begins)


_KNOWN = frozenset("the der die das den le la de het".split())
"""Articles of a thing that was named before, by whatever article."""


def _is_plural(noun: str) -> bool:
    return noun.endswith("s") and not noun.endswith(("ss", "us", "is"))


def _is_barred(words: Sequence[str], n: int, pronoun: str) -> bool:
    """Return whether an English pronoun cannot mean what is named at a place: the subject, or one of another number.

    The number shows where a small word or a comma follows the noun; elsewhere the noun may be a longer one.
    """
    if pronoun == "them" and n == 0:
        return True
    return n + 2 < len(words) and words[n + 2] in _BEHIND and _is_plural(words[n + 1]) == (pronoun == "it")


_BEHIND = frozenset("and or but in on at of to for with from by after before until when while if because , ;".split())


def _acts(words: Sequence[str], n: int) -> bool:
    """Return whether the thing named last does to another what the last word says: "and the board approves"."""
    return n == len(words) - 3 and n > 0 and words[n - 1] in ("and", "but", "then", ",")
