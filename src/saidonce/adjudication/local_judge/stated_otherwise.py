"""Differences that both texts state: a reason to call them distinct that can be quoted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from saidonce.foundation.model import UNKNOWN_LANGUAGE, Candidate, FactKind, Objection, Span
from saidonce.foundation.text import words
from saidonce.matching import facts
from saidonce.matching.agreement import agreement
from saidonce.matching.facts.lexicon import stem
from saidonce.matching.guards import in_read_language

RULE: Final = "states-1"
"""Version of this rule, as the judge's name carries it."""

_BY: Final = "by"
_ENGLISH: Final = frozenset(("en", UNKNOWN_LANGUAGE))
"""A text whose language is not known is read as English or not at all."""

_TURNS: Final = frozenset((FactKind.OPPOSITE, FactKind.NEGATION))


def stated_otherwise(a: Candidate, b: Candidate) -> Objection | None:
    """Return the first difference between two texts that both of them state; None if there is none.

    It is another value or name in the same position, a word and its opposite, or the same word order in the active and
    the passive, so that agent and patient are swapped. These do not count: two changes that may cancel each other
    ("less happy", "more unhappy"), words that both texts have and that may only have moved, and what only one text
    states. Nor does anything in an unsupported language, or in texts whose other words differ so much that positions
    cannot be aligned.
    """
    if not _is_read(a, b):
        return None
    pair = _Pair(a, b, agreement(a, b).objections)
    return next((o for o in pair.objections if pair.is_shown(o)), None)


def _is_read(a: Candidate, b: Candidate) -> bool:
    """Return whether word tables read both texts; texts too short to detect are read as one, without names."""
    if not in_read_language(a, b):
        return True
    both = f"{_plain(a.text)} {_plain(b.text)}"
    return facts.is_read(both, both, (a.language, b.language))


def _plain(text: str) -> str:
    """Return a text without its capitalised words, except its first word."""
    return " ".join(w for n, w in enumerate(text.split()) if not n or not w[0].isupper())


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two texts and the guards' objections to joining them."""

    a: Candidate
    b: Candidate
    objections: tuple[Objection, ...]

    def is_shown(self, o: Objection) -> bool:
        one, two = words(o.a.text), words(o.b.text)
        if not one or not two or one == two:
            return False
        if o.kind is FactKind.ROLE:
            return self.a.language in _ENGLISH and _is_other_voice(one, two)
        n_turns = sum(each.kind in _TURNS for each in self.objections)
        is_statement = o.differs_in_value or o.kind is FactKind.NAME or (o.kind is FactKind.OPPOSITE and n_turns == 1)
        has_moved = _positions(one, self.b) and _positions(two, self.a)
        return is_statement and not has_moved and not self._is_reworded_beside(o)

    def _is_reworded_beside(self, o: Objection) -> bool:
        """Return whether the texts differ much apart from the objected words."""
        language = self.a.language if self.a.language == self.b.language else UNKNOWN_LANGUAGE
        return facts.is_reworded(_without(self.a.text, o.a), _without(self.b.text, o.b), language)


def _positions(phrase: list[str], side: Candidate) -> bool:
    return set(words(side.text)).issuperset(phrase)


def _without(text: str, part: Span) -> str:
    return f"{text[: part.start]} {text[part.end :]}"


def _is_other_voice(one: list[str], two: list[str]) -> bool:
    """Return whether two clauses have the same words in the same order, except for an extra "by" in one."""
    if (_BY in one) == (_BY in two):
        return False
    return [stem(w) for w in one if w != _BY] == [stem(w) for w in two if w != _BY]


def in_words(o: Objection) -> str:
    """Return a difference as text for people: its kind, and the words of each text."""
    return f"{o.kind.value} {o.a.text!r} against {o.b.text!r}"
