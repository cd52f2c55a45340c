"""Passive clauses turned to the active, so that the order of words can be compared with an active text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache, partial
from typing import NamedTuple

from saidonce.foundation.model import Span
from saidonce.foundation.remembering import remembered
from saidonce.foundation.text import normalise
from saidonce.matching.facts.lexicon import is_past, language_table, stem, words_of

_WORD_OR_STOP = re.compile(r"([^\W_]+(?:['\u2019-][^\W_]+)*)|[.;:!?,\n]")
"""A word, or with no group what ends a clause."""

_ELIDED = re.compile("(?:[ld]|qu|dell|nell|all|dall|sull|un)['\u2019](?=\\w{2})")
"""An article or preposition written together with its noun: "l'expert", "un expert" share that noun."""
_BE = frozenset("is are was were be been being".split())
_HELPS = frozenset(("being", "been", "not"))
_GETS = frozenset("get gets got".split())
_PARTICLES = frozenset("up down out off over in on away back".split())
_CONJUNCTIONS = frozenset(
    "after before when whenever if unless until while because although though once since that which who where"
    " as".split()
)
_PARTICIPLE = ("ed", "en", "n", "t", "d")


@cache
def _small_words() -> frozenset[str]:
    """Return English words of grammar; those that end like a participle ("not", "in", "then") are none."""
    return words_of(language_table("en")["function"])


MOST_ASKED = 6
"""Words of a question in which a participle is looked for."""


class KeyedWord(NamedTuple):
    """A word of a text under the key by which it is compared; where it begins, and as it is written."""

    key: str
    start: int
    written: str

    @property
    def span(self) -> Span:
        """Where the word stands."""
        return Span(self.start, self.start + len(self.written), self.written)


_new_word: Callable[[tuple[str, int, str]], KeyedWord] = partial(tuple.__new__, KeyedWord)
"""Makes a word of its fields in a third of the time; a text has hundreds."""

Clause = Sequence[KeyedWord]


def words_in_order(a: str, b: str) -> tuple[list[KeyedWord], list[KeyedWord]]:
    """Return the words of two texts; a clause that is passive in one text only stands as its active one would.

    "The roof was mended by Ida" reads "Ida mended the roof" beside a text that has "mend" in the
    active. The verb then has one key on both sides.
    """
    turned = _turned(a, b)
    return _flat(_clauses(a), turned), _flat(_clauses(b), turned)


def is_turned(a: str, b: str) -> bool:
    """Return whether a verb stands in the passive in one text and in the active in the other."""
    return bool(_turned(a, b))


def is_past_in_both(passive: str, active: str) -> bool:
    """Return whether each verb that stands in the passive in the first text alone is a past in the second: "painted".

    "Was painted by Ida" says when, as "Ida painted" does, and "Ida paints" says another time.
    """
    stems = _turned(passive, active)
    words = [w.key for clause in _clauses(active) for w in clause]
    pasts = {stem(w) for w in words if is_past(w)}
    return bool(stems) and stems <= pasts


@remembered(4_096)
def _turned(a: str, b: str) -> frozenset[str]:
    """Return the stems of verbs that are passive in one text only and stand in the other, too."""
    only_a, only_b = _verbs(a) - _verbs(b), _verbs(b) - _verbs(a)
    return (only_a & _stems(b) if only_a else only_a) | (only_b & _stems(a) if only_b else only_b)


@remembered(8_192)
def _clauses(text: str) -> tuple[Clause, ...]:
    """Return words between punctuation; a conjunction stands by itself, so that it stays where it is."""
    clauses: list[list[KeyedWord]] = [[]]
    for match in _WORD_OR_STOP.finditer(text):
        written = match[1]
        if written is None:
            clauses.append([])
            continue
        word = _new_word((_key(written), match.start(), written))
        if word.key in _CONJUNCTIONS:
            clauses += [[word], []]
        else:
            clauses[-1].append(word)
    return tuple(_stated(clause) for clause in clauses)


@lru_cache(maxsize=16_384)
def _key(written: str) -> str:
    """Return a word without case, and without an article or preposition that is written together with it."""
    key = written.casefold() if written.isascii() else normalise(written)
    return _ELIDED.sub("", key) if len(key) > 2 and key[-1] != "'" else key


def _stated(clause: list[KeyedWord]) -> Clause:
    """Return a clause; one that asks in the passive ("is Ann trusted by Tom") in the order of a statement."""
    if not clause or clause[0].key not in _BE:
        return tuple(clause)
    asked = (n for n in range(2, min(MOST_ASKED, len(clause) - 1)) if clause[n + 1].key == "by")
    at = next((n for n in asked if clause[n].key.endswith(_PARTICIPLE)), None)
    return tuple(clause) if at is None else (*clause[1:at], clause[0], *clause[at:])


def _flat(clauses: Sequence[Clause], turned: frozenset[str]) -> list[KeyedWord]:
    if not turned:
        return [w for clause in clauses for w in clause]
    words = (w for clause in clauses for w in _active(clause, turned))
    return [w._replace(key=s) if (s := stem(w.key)) in turned else w for w in words]


@remembered(8_192)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(w.key) for clause in _clauses(text) for w in clause)


@remembered(8_192)
def _verbs(text: str) -> frozenset[str]:
    """Return the stems of all verbs in the passive."""
    return frozenset(stem(clause[at].key) for clause in _clauses(text) for _, at in _passives(clause))


def _passives(clause: Clause) -> Iterator[tuple[int, int]]:
    """Yield places of a form of "be" with something before it, and of the participle behind it."""
    for be in range(1, len(clause) - 1):
        helping = clause[be].key
        if helping not in _BE and helping not in _GETS:
            continue
        at = be + 1
        while at + 1 < len(clause) and (clause[at].key.endswith("ly") or clause[at].key in _HELPS):
            at += 1
        is_passive = (helping in _BE or clause[at].key.endswith("ed")) and clause[at].key not in _small_words()
        if is_passive and clause[at].key.endswith(_PARTICIPLE) and clause[be - 1].key not in _BE:
            yield be, at


def _active(clause: Clause, turned: frozenset[str]) -> Clause:
    """Return a clause with its passive turned: whom it is done by, the verb, what it is done to, the rest."""
    passive = next(((be, at) for be, at in _passives(clause) if stem(clause[at].key) in turned), None)
    if passive is None:
        return clause
    be, at = passive
    patient, verb, rest = clause[:be], clause[be + 1 : at + 1], clause[at + 1 :]
    if rest and rest[0].key in _PARTICLES:
        verb, rest = (*verb, rest[0]), rest[1:]
    by = next((n for n, w in enumerate(rest) if w.key == "by"), len(rest))
    end = next((n for n in range(by + 2, len(rest)) if rest[n].key in _BEHIND_DOER), len(rest))
    modal = max((n + 1 for n, w in enumerate(patient) if w.key in _MODALS), default=0)
    helps = patient[modal - 1 :] if modal == len(patient) else []
    patient = patient[: len(patient) - len(helps)]
    return [*rest[by + 1 : end], *helps, *verb, *patient, *rest[:by], *rest[end:]]


_MODALS = frozenset("must will can may should shall".split())
_BEHIND_DOER = frozenset("on at for in within during every each twice once from to into daily weekly monthly".split())
"""Words with which what follows a doer begins: when, where, how often."""
