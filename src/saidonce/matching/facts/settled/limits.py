"""The limits that a sentence sets: "more than 30 must not" and "at most 30 may" are one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from saidonce.foundation.model import FactKind
from saidonce.matching.facts.analyse import Token
from saidonce.matching.facts.lexicon import NEGATION, language_table, words_of
from saidonce.matching.facts.settled.sight import Sight

REACH = 5
"""Tokens between a value and the word that makes a limit of it."""

_VALUES = frozenset((FactKind.NUMBER, FactKind.UNIT, FactKind.AMOUNT))
_SIDES = {"bound:least": ">=", "bound:most": "<=", "bound:more": ">", "bound:less": "<"}
_TURNED = {">=": "<", "<": ">=", "<=": ">", ">": "<="}
_PARTS = frozenset(
    (*_SIDES, NEGATION, "quantifier:only", *(f"modality:{m}" for m in ("must", "may", "should", "free")))
)
_CUTS = re.compile(r"[;:.!?]|, ")
_BACK = {">=": "<=", "<=": ">=", ">": "<", "<": ">"}
_OPERATES = (FactKind.NEGATION, FactKind.MODALITY, FactKind.QUANTIFIER)

Limit = tuple[str, str]
"""A side of a value, and how firmly it is set: "must", "should", "may" or "free"."""


def sets_one_limit(sight: Sight) -> bool:
    """Return whether two sentences set the same limits to all the values that they limit, whatever denies them.

    What is objected to stands in the clause of such a limit, and is a part of it.
    """
    quoted = [t.key for t in sight.quoted if t.kind in _OPERATES]
    if not quoted or not _PARTS.issuperset(quoted):
        return False
    return any(_agree(sight, cuts) for cuts in (_CUTS, _opening(sight.language)))


def _agree(sight: Sight, cuts: re.Pattern[str]) -> bool:
    """Return whether the limits in the clauses that an expression parts are the same."""
    one, two = (
        _limits(tokens, text.text, cuts, sight.language)
        for tokens, text in zip(sight.tokens, (sight.one, sight.two), strict=True)
    )
    if not one or {k: limit for k, (limit, _) in one.items()} != {k: limit for k, (limit, _) in two.items()}:
        return False
    places = [[clause for _, clause in side.values()] for side in (one, two)]
    return all(
        not at.text or any(lo <= at.start and at.end <= hi for lo, hi in side)
        for side, at in zip(places, sight.at, strict=True)
    )


def _limits(
    tokens: Sequence[Token], text: str, cuts: re.Pattern[str], language: str
) -> dict[str, tuple[Limit, tuple[int, int]]]:
    """Return value -> the limit that a sentence sets to it, and the clause in which it does."""
    limits: dict[str, tuple[Limit, tuple[int, int]]] = {}
    for n, value in enumerate(tokens):
        if value.kind not in _VALUES:
            continue
        at = _limiting(tokens, n, language)
        if at is None:
            continue
        lo, hi = _clause(text, cuts, min(value.start, tokens[at].start), max(value.end, tokens[at].end))
        clause = [t for t in tokens if lo <= t.start < hi]
        if limit := _limit(tokens[at], value, clause, text[value.end : hi], language):
            limits[value.key] = limit, (lo, hi)
    return limits


def _limiting(tokens: Sequence[Token], n: int, language: str) -> int | None:
    """Return the place of the nearest word that limits a value; no other value stands between."""
    for step in range(1, REACH + 1):
        for at in (n - step, n + step):
            if 0 <= at < len(tokens) and _side(tokens[at], language):
                between = tokens[min(at, n) + 1 : max(at, n)]
                return None if any(t.kind in _VALUES for t in between) else at
    return None


def _side(token: Token, language: str) -> str:
    if side := _SIDES.get(token.key):
        return side
    return next((side for side, words in _verbs(language) if token.word in words), "")


def _clause(text: str, cuts: re.Pattern[str], start: int, end: int) -> tuple[int, int]:
    """Return the part of a sentence around a place that nothing cuts off."""
    lo = max((m.end() for m in cuts.finditer(text, 0, start)), default=0)
    after = cuts.search(text, end)
    return lo, after.start() if after else len(text)


def _limit(at: Token, value: Token, clause: Sequence[Token], behind: str, language: str) -> Limit | None:
    """Return the limit that a word sets to a value in a clause; None where the clause says it in too many ways."""
    side = _side(at, language)
    words, ahead = _ahead(language)
    if at.word in words and ahead is not None and ahead.match(behind):
        side = _BACK[side]  # "no later than two days before"
    operators = [t for t in clause if t.kind in _OPERATES and t is not at and t is not value]
    denials = [t for t in operators if t.kind is FactKind.NEGATION]
    modals = {t.key.removeprefix("modality:") for t in operators if t.kind is FactKind.MODALITY} - {"will"}
    is_only = any(t.key == "quantifier:only" for t in operators)
    if len(denials) > 1 or len(modals) > 1:
        return None
    if modals == {"free"}:
        return None if denials else (_TURNED[side], "only")
    if denials:
        return _TURNED[side], "should" if modals == {"should"} else "must"
    if is_only:
        return (side, "only") if modals in ({"must"}, {"may"}) else None
    if modals == {"may"}:
        return side, "must" if side == "<=" else "may"
    return side, "should" if modals == {"should"} else "must"


@cache
def _opening(language: str) -> re.Pattern[str]:
    """Return what parts clauses: marks, and the words that open one."""
    words = language_table(language).get("relations", {}).get("conditions", "").split()
    opened = "".join(rf"|\b{word}\b" for word in words)
    return re.compile(f"{_CUTS.pattern}{opened}", re.IGNORECASE)


@cache
def _verbs(language: str) -> tuple[tuple[str, frozenset[str]], ...]:
    table = language_table(language).get("relations", {})
    return tuple((side, words_of(table.get(name, ""))) for name, side in (("exceeding", ">"), ("falling_below", "<")))


@cache
def _ahead(language: str) -> tuple[frozenset[str], re.Pattern[str] | None]:
    """Return the bounds that name the latest or earliest time, and what says behind a span that it counts back."""
    table = language_table(language).get("relations", {})
    timed, behind = table.get("bounds_of_time", ""), table.get("counts_back", "")
    words = frozenset(word for word in timed.split("|") if word)
    return words, re.compile(rf"\W*(?:{behind})\b", re.IGNORECASE) if behind else None
