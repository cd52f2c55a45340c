"""What somebody can, may, must, should or will do, in words that are no modal verb: "is able to", "has a duty to"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from saidonce.foundation.model import UNKNOWN_LANGUAGE, FactKind, Objection
from saidonce.matching.facts.analyse import Token, tokens_of
from saidonce.matching.facts.lexicon import language_table, lines, stem

PREFIX = 4
"""Letters that the name of a deed has in common with its verb: "payment", "pay" (fewer in a short verb)."""

BEFORE, ABOUT, BY_ITSELF, HANDED = "before", "about", "by itself", "handed"
"""Where the deed stands: behind the words, with its doer between or behind; in front of them; in what one gets."""


@dataclass(frozen=True, slots=True)
class ModalWording:
    """Words that say the same of a deed as some modal verbs.

    Attributes:
        verbs: modal verbs as they are written.
        pattern: of the words.
        deed: where the deed stands by them.
    """

    verbs: frozenset[str]
    pattern: re.Pattern[str]
    deed: str


@dataclass(frozen=True, slots=True)
class Deed:
    """What a modal verb is about: who, and does what; whether it is done to them."""

    doer: Token | None
    verb: Token
    is_done_to: bool


def obliges_otherwise(objection: Objection, a: str, b: str, language: str = UNKNOWN_LANGUAGE) -> bool:
    """Return whether the side that lacks a modal verb says of the same deed in other words what the verb says of it.

    "Members can vote" and "members are able to vote". Never of a verb that is denied, or of what could have been.
    """
    if bool(objection.a.text) == bool(objection.b.text):
        return False
    with_it, without, at = (a, b, objection.a) if objection.a.text else (b, a, objection.b)
    tokens = tokens_of(with_it, language)
    place = next((n for n, t in enumerate(tokens) if t.start == at.start), None)
    deed = None if place is None else _deed(tokens, place)
    if place is None or deed is None:
        return False
    others = tokens_of(without, language)
    wordings = (w for w in _wordings(language) if tokens[place].word in w.verbs)
    return any(_is_of(deed, wording, m, others) for wording in wordings for m in wording.pattern.finditer(without))


def _deed(tokens: Sequence[Token], at: int) -> Deed | None:
    """Return what a modal verb is about; None if it is denied or in the past, or nothing follows."""
    behind = tokens[at + 1 : at + 4]
    if any(t.kind is FactKind.NEGATION for t in (*tokens[max(0, at - 1) : at], *behind[:2])) or not behind:
        return None
    if behind[0].word == "have":
        return None
    verb = next((t for t in behind if t.content or t.word in _GETTING), None)
    return None if verb is None else Deed(tokens[at - 1] if at else None, verb, behind[0].word == "be")


def _is_of(deed: Deed, wording: ModalWording, match: re.Match[str], others: Sequence[Token]) -> bool:
    """Return whether words on the other side are about the same deed of the same doer."""
    before = [t for t in others if t.end <= match.start()]
    behind = [t for t in others if t.start >= match.end()]
    if any(t.kind is FactKind.NEGATION for t in (*before[-1:], *behind[:1])):
        return False
    if wording.deed == BEFORE:
        is_deed = any(_is_deed(deed.verb, t) for t in before) or deed.verb.word in _LIGHT
        return is_deed and deed.doer is not None and _is_there(deed.doer, others, is_free=deed.verb.word not in _LIGHT)
    if wording.deed == HANDED:
        return deed.verb.word in _GETTING and deed.doer is not None and _is_there(deed.doer, others, is_free=True)
    if not any(
        _is_deed(deed.verb, t) for t in [t for t in behind if t.content][: 1 if wording.deed == BY_ITSELF else 3]
    ):
        return False
    if wording.deed == ABOUT:
        return deed.doer is None or _is_there(deed.doer, behind, is_free=True)
    is_same = bool(before) and deed.doer is not None and before[-1].key == deed.doer.key
    is_done_to = behind[0].word in ("be", "being") or match.group().endswith("in need of")
    return is_same and deed.is_done_to == is_done_to


def _is_deed(verb: Token, word: Token) -> bool:
    """Return whether a word names the deed of a verb."""
    one, two = stem(verb.word), stem(word.word)
    return one == two or (
        word.content and two.startswith(one[:PREFIX]) and one.startswith(two[: min(PREFIX, len(one))])
    )


def _is_there(doer: Token, tokens: Sequence[Token], is_free: bool = False) -> bool:
    """Return whether a doer is named, or is "you" or its like where nobody need be."""
    return (is_free and doer.word in _ANYBODY) or any(t.key == doer.key for t in tokens)


_ANYBODY = frozenset("you one we".split())
_LIGHT = frozenset("made done".split())
_GETTING = frozenset(
    "get obtain find borrow buy see seen read viewed downloaded bought found collected obtained".split()
)


def obliges_alone(a: str, b: str, language: str = UNKNOWN_LANGUAGE) -> bool:
    """Return whether only one text names a leave or a duty, and the other has no modal verb and no such word."""
    sides = tokens_of(a, language), tokens_of(b, language)
    one, two = (frozenset(word for t in side for word in t.word.split()) for side in sides)
    for nouns, answers in _nouns(language):
        if bool(one & nouns) != bool(two & nouns):
            other, tokens = (two, sides[1]) if one & nouns else (one, sides[0])
            if not other & answers and not any(t.kind is FactKind.MODALITY for t in tokens):
                return True
    return False


@cache
def _nouns(language: str) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    rows = lines(language_table(language).get("relations", {}).get("modal_nouns", ""))
    sides = (row.split("=") for row in rows)
    return tuple((frozenset(nouns.split()), frozenset(answers.split())) for nouns, answers in sides)


@cache
def _wordings(language: str) -> tuple[ModalWording, ...]:
    return tuple(_read(language))


def _read(language: str) -> Iterator[ModalWording]:
    table = language_table(language).get("relations", {}).get("modal_wordings", {})
    for deed in (BY_ITSELF, ABOUT, BEFORE, HANDED):
        for row in lines(table.get(deed.replace(" ", "_"), "")):
            verbs, _, words = row.partition("=")
            named = frozenset(v.strip() for v in verbs.split(","))
            yield ModalWording(named, re.compile(rf"\b(?:{words.strip()})\b", re.IGNORECASE), deed)
