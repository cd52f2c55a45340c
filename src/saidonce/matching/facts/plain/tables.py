"""The tables of ways to say one thing, as expressions that find them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from saidonce.matching.facts.lexicon import known_words, lines, past_forms, table

LONGEST_SENTENCE = 300
"""Characters up to which a sentence is written otherwise: expressions with several gaps take long on a longer one."""

SPACELESS = ("zh", "ja")
"""Languages in which a phrase has no word boundary around it."""

JOINED = (*SPACELESS, "ko")
"""Those, and one in which particles are written together with the word before them."""


@cache
def ways(language: str) -> dict[str, str]:
    """Return the table of one language; empty without one."""
    hit: dict[str, str] = table("plain").get(language, {})
    return hit


_OF_SEVERAL_WORDS = ("opening", "closing", "one_of", "by", "all", "past_passive")
"""Lists whose members may have several words."""


@cache
def options(language: str, name: str) -> str:
    """Return the members of a list of a table, divided by blanks, bars or lines, as alternatives of an expression."""
    listed = ways(language).get(name, "_").strip()
    parts = re.split(r"[|\n]", listed) if name in _OF_SEVERAL_WORDS else listed.split()
    kept = [re.escape(p.strip()) for p in parts if p.strip() not in ("", "_")]
    return "|".join(sorted(kept, key=len, reverse=True))


def one_of(words: Iterable[str]) -> str:
    """Return an expression that finds the longest of some words, which are in small letters.

    Those that begin alike are divided by their next letter, so that few are tried at each place of a text.
    """
    listed = sorted(set(words), key=len, reverse=True)
    if len(listed) < _FEWEST_DIVIDED:
        return "|".join(map(re.escape, listed))
    behind: dict[str, list[str]] = {}
    for word in listed:
        behind.setdefault(word[:1], []).append(word[1:])
    is_whole = behind.pop("", None) is not None
    parts = [f"{re.escape(first)}(?:{one_of(rest)})" for first, rest in behind.items()]
    return "|".join((*parts, "") if is_whole else parts)


_FEWEST_DIVIDED = 4


@cache
def phrases(language: str) -> tuple[dict[str, str], re.Pattern[str] | None]:
    """Return phrase in small letters -> what it is written as, and the expression that finds any of them.

    None without any.
    """
    listed = (line.split(" = ") for line in lines(ways(language).get("phrases", "")))
    known = {left.strip().lower(): right.strip() for left, right in listed} | _forms_of_verbs(language)
    if not known:
        return {}, None
    any_of = one_of(known)
    if language in JOINED:
        return known, re.compile(any_of)
    return known, re.compile(rf"(?<![\w-])(?:{any_of})(?:(?<=')|(?![\w-]))", re.IGNORECASE)


_ENDINGS = {
    "de": ("en", "en t te ten end"),
    "fr": ("er", "er e ent é ée és ées ez ant era eront ait aient"),
    "es": ("ar", "ar a an ado ada ados adas e en ó aron ando ará arán aba aban arse"),
    "it": ("are", "are a ano ato ata ati ate i ino ando erà eranno ava avano"),
}
"""Ending of the infinitives in a list of verbs, and those of their regular forms, by language."""


def _forms_of_verbs(language: str) -> dict[str, str]:
    """Return the regular forms of each listed verb -> the same form of the verb that it is written as."""
    if language not in _ENDINGS:
        return {}
    infinitive, endings = _ENDINGS[language]
    stems = [
        (left.removesuffix(infinitive), right.removesuffix(infinitive)) for left, right in pairs(language, "verbs")
    ]
    return {_form(one, end, language): _form(two, end, language) for one, two in stems for end in endings.split()}


_SPELLED = {
    "es": (("ei", "c", "qu"), ("ei", "g", "gu"), ("ei", "z", "c")),
    "it": (("ei", "c", "ch"), ("ei", "g", "gh"), ("i", "i", ""), ("e", "ci", "c"), ("e", "gi", "g")),
    "fr": (("a", "c", "ç"), ("a", "g", "ge")),
}
"""How the end of a stem is spelled before an ending that begins with one of some letters."""


def _form(stem: str, ending: str, language: str) -> str:
    """Return a stem with an ending, spelled as it sounds: "verific" and "i" are "verifichi"."""
    for before, end, spelled in _SPELLED.get(language, ()):
        if ending[0] in before and stem.endswith(end):
            return stem.removesuffix(end) + spelled + ending
    return stem + ending


Frame = tuple[re.Pattern[str], str]
"""An expression with gaps, and what it is written as."""


@cache
def frames(language: str, name: str) -> tuple[Frame, ...]:
    """Return phrases with a gap, as expressions, and what each is written as; "_" stands for nothing."""
    return tuple(map(_frame, lines(ways(language).get(name, ""))))


def _frame(row: str) -> Frame:
    left, right = row.split(" => ")
    return re.compile(left.strip()), right.strip().removeprefix("_")


@cache
def values(language: str) -> tuple[tuple[tuple[str, ...], Frame], ...]:
    """Return words in small letters, and a frame that finds nothing in a text without any of them."""
    rows = (row.split(" :: ") for row in lines(ways(language).get("values", "")))
    return tuple((tuple(any_of.split("|")), _frame(frame)) for any_of, frame in rows)


@cache
def value_words(language: str) -> frozenset[str]:
    """Return the words of all frames of values, in small letters."""
    return frozenset(word for any_of, _ in values(language) for word in any_of)


@cache
def pairs(language: str, name: str) -> tuple[tuple[str, str], ...]:
    """Return what stands before and behind "=" in each member of a list, in its order."""
    return tuple((left, right) for left, _, right in (p.partition("=") for p in ways(language).get(name, "").split()))


def in_simplified(text: str, other: str) -> str:
    """Write traditional Chinese characters as simplified ones.

    A simplified character that two words share stands for a traditional one only beside a text that is simplified
    throughout: in two traditional texts "queen" and "back" are two words, of which one is written as both in simplified
    ones.
    """
    pairs, shared = _simplified()
    if not any(ord(c) in pairs for c in other) and not _simplified_only().isdisjoint(other):
        return text.translate(pairs)
    return text.translate({c: simple for c, simple in pairs.items() if simple not in shared})


@cache
def _simplified() -> tuple[dict[int, str], frozenset[str]]:
    """Return traditional character -> simplified one, and the simplified ones of two words."""
    here, there = ("".join(ways("zh")[name].split()) for name in ("traditional", "simplified"))
    pairs = {ord(one): two for one, two in zip(here, there, strict=True)}
    return pairs, frozenset(ways("zh")["own_words"]) | {c for c in there if there.count(c) > 1}


@cache
def _simplified_only() -> frozenset[str]:
    """Return simplified characters that no traditional text has."""
    pairs, _ = _simplified()
    return frozenset(pairs.values()) - frozenset(ways("zh")["own_words"])


@cache
def base_of_participle(word: str) -> str:
    """Return the verb whose English participle a word is: "store" for "stored"; empty if it is none."""
    if (base := past_forms().get(word)) is not None:
        return base
    if not word.endswith("ed") or len(word) < _SHORTEST:
        return ""
    return _first_known(word[:-2], y=word.endswith("ied") and f"{word[:-3]}y")


@cache
def base_of_gerund(word: str) -> str:
    """Return the verb whose "-ing" form a word is: "store" for "storing"; empty if it is none."""
    return _first_known(word[:-3], y="") if word.endswith("ing") and len(word) >= _SHORTEST else ""


_SHORTEST = 5


def _first_known(cut: str, y: str | bool) -> str:
    """Return the verb that an ending was cut from: with a final e, with one letter of two, or as it is."""
    doubled = len(cut) > 2 and cut[-1] == cut[-2] and cut[-1] not in "sl"
    tried = (y or "", cut[:-1] if doubled else "", cut if not cut.endswith(_NEEDS_E) else "", f"{cut}e", cut)
    return next((verb for verb in tried if verb and verb in known_words()), "")


_NEEDS_E = ("v", "c", "u", "at", "iz", "g", "s", "or", "ur", "ar", "us", "ov", "id")


def capital(text: str) -> str:
    """Return a text with its first letter as a capital."""
    return text[:1].upper() + text[1:]


def small(text: str) -> str:
    """Return a text with its first letter small, unless its first word has capitals or figures elsewhere or is "I"."""
    first = text.split(" ", 1)[0]
    return text if first[1:] != first[1:].lower() or first == "I" else text[:1].lower() + text[1:]
