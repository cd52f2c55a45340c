"""Room facts: the tables of words, read once from the files beside this module."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any

import Stemmer

from saidonce.foundation.model import FactKind

LANGUAGES = ("en", "de", "fr", "es")
"""Languages with tables of their own; the rest are compared by numbers, dates, identifiers and units."""

Phrases = dict[str, tuple[tuple[tuple[str, ...], str, FactKind | None], ...]]
"""First word -> (all words, key, kind), longest first."""

_ENGLISH = Stemmer.Stemmer("english")


TABLES = ("classes", "opposites", "polarity", "quantities", "relations", "synonyms", "words_of_grammar")
"""Names of the tables of words."""


@cache
def table(name: str) -> dict[str, Any]:
    """One table file as a mapping."""
    return tomllib.loads((resources.files(__package__) / "data" / f"{name}.toml").read_text("utf-8"))


def lines(block: str) -> Iterator[str]:
    """Lines of a block of a table that hold something."""
    return (line.strip() for line in block.splitlines() if line.strip() and not line.startswith("#"))


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Key under which the inflections and spellings of a word are one."""
    word = _same_forms().get(word, word)
    if len(word) < 4 or not word.isascii():
        return word
    word = _british(word)
    stemmed = str(_ENGLISH.stemWord(word))
    return f"{stemmed}er" if _is_agent(word) and not stemmed.endswith(("er", "or")) else stemmed


_AGENT = re.compile(r"(\w{3,})(?:er|or)s?")


def _is_agent(word: str) -> bool:
    """Whether a word names who does what a verb says; "insurer" and "insured" have one stem and are two parties."""
    found = _AGENT.fullmatch(word)
    return found is not None and not known_words().isdisjoint((found[1], f"{found[1]}e"))


def _british(word: str) -> str:
    """Fold British and American endings; the result need not be a word."""
    for old, new in (("isation", "ization"), ("ise", "ize"), ("ised", "ized"), ("ising", "izing"), ("yse", "yze"),
                     ("ysed", "yzed"), ("ysing", "yzing"), ("our", "or"), ("ours", "ors"), ("oured", "ored"),
                     ("ouring", "oring"), ("tre", "ter"), ("tres", "ters"), ("lling", "ling"), ("lled", "led"),
                     ("iour", "ior"), ("ioural", "ioral")):  # fmt: skip
        if word.endswith(old) and len(word) > len(old) + 2:
            return word[: -len(old)] + new
    return word


@cache
def _same_forms() -> dict[str, str]:
    forms: dict[str, str] = {}
    tables = table("synonyms")
    for line in (*lines(tables["spellings"]), *lines(tables["irregular"])):
        first, *rest = line.split()
        forms.update(dict.fromkeys(rest, first))
    return forms


@cache
def telling(language: str) -> dict[str, str]:
    """Word of grammar -> key, for those whose coming or going changes what is claimed; empty without a table."""
    rows = table("words_of_grammar")["telling"].get(language, "").split()
    return {word.casefold(): key or word for word, _, key in (row.partition("=") for row in rows)}


@dataclass(frozen=True, slots=True)
class Grammar:
    """The words of grammar of one language."""

    articles: frozenset[str]
    function: frozenset[str]
    phrases: Phrases


@cache
def grammar(language: str) -> Grammar:
    """Articles, function words and operator phrases; of a language without a table only what all share."""
    words = table("words_of_grammar")
    phrases: list[tuple[str, str, FactKind | None]] = []
    for name, kind in (("modality", FactKind.MODALITY), ("quantifier", FactKind.QUANTIFIER),
                       ("frequency", FactKind.FREQUENCY)):  # fmt: skip
        phrases += [(p, f"{name}:{key}", kind) for key, row in words[name].items() for p in row.split("|")]
    phrases += [(p, f"bound:{key}", FactKind.QUANTIFIER) for key, row in words["bound"].items() for p in row.split("|")]
    phrases += [(w, NEGATION, FactKind.NEGATION) for w in words["negation"].get(language, "").split()]
    phrases += [(old, stem(new), None) for old, new in _equations(words["plain"]["phrases"])]
    return Grammar(
        frozenset(words["articles"].get(language, "").split()),
        frozenset(words["function"].get(language, "").split()),
        _by_first_word(phrases if language in LANGUAGES else []),
    )


NEGATION = "not!"
"""Key of every word that negates."""


def _equations(block: str) -> Iterator[tuple[str, str]]:
    for line in lines(block):
        old, new = line.rsplit(" = ", 1) if " = " in line else (line, line)
        yield old.strip(), new.strip()


def _by_first_word(phrases: Iterable[tuple[str, str, FactKind | None]]) -> Phrases:
    found: dict[str, dict[tuple[str, ...], tuple[str, FactKind | None]]] = {}
    for phrase, key, kind in phrases:
        words = tuple(phrase.replace("-", " ").replace("'", " ").split())
        found.setdefault(words[0], {}).setdefault(words, (key, kind))
    return {
        first: tuple(sorted(((w, *v) for w, v in rest.items()), key=lambda row: -len(row[0])))
        for first, rest in found.items()
    }


@cache
def hints() -> tuple[tuple[str, frozenset[str]], ...]:
    """Per language the frequent words that give it away."""
    return tuple((name, frozenset(words.split())) for name, words in table("words_of_grammar")["hints"].items())


N_KNOWN_WORDS = 60_000


@cache
def known_words() -> frozenset[str]:
    """English words that exist, so that no other word is a misspelling of them.

    The most frequent ones of symspellpy's dictionary, whose rows are a word and its count, most
    frequent first.
    """
    rows = (resources.files("symspellpy") / "frequency_dictionary_en_82_765.txt").read_text("utf-8-sig").splitlines()
    return frozenset(row.split(" ", 1)[0] for row in rows[:N_KNOWN_WORDS])


@cache
def operators() -> frozenset[str]:
    """English words that act in a phrase, a number or as grammar: the ones whose misspelling would hide a fact."""
    numbers = table("quantities")
    phrases = (w for rows in grammar("en").phrases.values() for words, _, _ in rows for w in words)
    others = (
        numbers["cardinal"]["en"],
        numbers["tens"]["en"],
        "hundred thousand million billion",
        numbers["ordinal"]["words"],
    )
    return frozenset(w for w in (*phrases, *grammar("en").function, *" ".join(others).split()) if len(w) > 2)


def _memberships(groups: Iterable[Iterable[str]]) -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, words in enumerate(groups):
        for word in words:
            found.setdefault(stem(word.replace("_", " ")), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


@cache
def synonyms() -> dict[str, frozenset[int]]:
    """Stem -> groups of words that may stand for each other."""
    return _memberships(line.split() for line in lines(table("synonyms")["groups"]))


@cache
def classes() -> dict[str, frozenset[int]]:
    """Stem -> classes whose members exclude each other."""
    return _memberships(line.split() for line in lines(table("classes")["classes"]))


@cache
def qualifiers() -> frozenset[str]:
    """Stems of words that change what is claimed by standing there."""
    return frozenset(stem(w) for w in table("classes")["qualifiers"].split())


@cache
def symmetric() -> frozenset[str]:
    """Stems of predicates whose two sides may change places."""
    return frozenset(stem(w) for w in table("synonyms")["symmetric"].split())


@cache
def opposites() -> dict[str, frozenset[str]]:
    """Word or stem -> the words and stems at the other pole."""
    found: dict[str, set[str]] = {}
    for fold, block in ((stem, table("opposites")["poles"]), (str, table("opposites")["pronouns"])):
        for line in lines(block):
            here, there = ({fold(w) for w in side.split()} for side in line.split(" | "))
            _oppose(found, here, there)
    return {word: frozenset(others) for word, others in found.items()}


def _oppose(found: dict[str, set[str]], here: set[str], there: set[str]) -> None:
    for one, other in ((here, there), (there, here)):
        for word in one - other:
            found.setdefault(word, set()).update(other - one)


@cache
def opposite_prefixes() -> frozenset[tuple[str, str]]:
    """Pairs of prefixes before the same rest that name two facts, in both orders."""
    pairs = [tuple(line.split(" | ")) for line in lines(table("opposites")["prefixes"])]
    return frozenset((a, b) for one, two in pairs for a, b in ((one, two), (two, one)))


@cache
def negating_prefixes() -> tuple[str, ...]:
    """Prefixes that negate when the bare word stands on the other side."""
    return tuple(str(table("opposites")["negating_prefixes"]).split())
