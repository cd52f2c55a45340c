"""How the two texts of an open pair differ, in one word: what the queue is grouped by and rules are about."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from saidonce.foundation.model import Differs, FactKind
from saidonce.matching.agreement import Accord, Agreement

LABELS: Mapping[Differs, str] = {
    Differs.SAME: "say the same",
    Differs.MORE: "one says more",
    Differs.WORDING: "other words, not shown to say the same",
    Differs.NAME: "other commands or names",
    Differs.VERSION: "other versions",
    Differs.NUMBER: "other numbers or amounts",
    Differs.DATE: "other dates or times",
    Differs.DENIAL: "one negates what the other says",
    Differs.DEGREE: "must or may, all or some",
    Differs.ROLE: "who does what, or in which order",
    Differs.SHAPE: "another kind of text, language, table or heading",
    Differs.DECIDED: "a text of one was kept apart from the other",
    Differs.SEVERAL: "several facts differ",
}
"""What people read for each."""

CONTRADICTING = frozenset(Differs) - {Differs.SAME, Differs.MORE, Differs.WORDING}
"""Differences in which the texts state different things."""

SHOWN = frozenset((Differs.SAME, Differs.MORE))
"""Differences in which it is shown that all that one text states stands in the other."""

MOST_CHANGED = 4
"""Words of a text that one change replaces, or puts in their place."""

LONGEST_CHANGE = 120
"""Letters of both sides of a change; a longer one has no name that people read."""

_WORD = re.compile(r"\s*\S+")
"""A word with the space in front of it."""

FOLDED = frozenset((Differs.SAME, Differs.MORE, Differs.WORDING, Differs.NAME, Differs.VERSION))
"""Differences of which pairs with one change are one entry of the queue.

A value, a date or a denial may be right in one place and wrong in the next: each of these pairs has its own entry.
"""

RULABLE = CONTRADICTING - {Differs.DECIDED, Differs.SEVERAL}
"""Differences that a rule may be about: of one sort, and with a fact on each side that can be shown."""

_CLASSES: Mapping[FactKind, Differs] = {
    FactKind.NUMBER: Differs.NUMBER,
    FactKind.UNIT: Differs.NUMBER,
    FactKind.AMOUNT: Differs.NUMBER,
    FactKind.DATE: Differs.DATE,
    FactKind.FREQUENCY: Differs.DATE,
    FactKind.VERSION: Differs.VERSION,
    FactKind.IDENTIFIER: Differs.NAME,
    FactKind.NAME: Differs.NAME,
    FactKind.TERM: Differs.NAME,
    FactKind.NEGATION: Differs.DENIAL,
    FactKind.OPPOSITE: Differs.DENIAL,
    FactKind.TENSE: Differs.DATE,
    FactKind.MODALITY: Differs.DEGREE,
    FactKind.QUANTIFIER: Differs.DEGREE,
    FactKind.ROLE: Differs.ROLE,
    FactKind.KIND: Differs.SHAPE,
    FactKind.LANGUAGE: Differs.SHAPE,
    FactKind.TABLE_SHAPE: Differs.SHAPE,
    FactKind.SECTION_ROLE: Differs.SHAPE,
    FactKind.HEADING: Differs.SHAPE,
    FactKind.SPEAKER: Differs.NAME,
    FactKind.DECISION: Differs.DECIDED,
}


def differs_by(accord: Accord) -> Differs:
    """Return how two texts differ, as their comparison has it."""
    match accord.agreement:
        case Agreement.SAME:
            return Differs.SAME
        case Agreement.REPEATS_A | Agreement.REPEATS_B:
            return Differs.MORE
        case Agreement.OPEN:
            return Differs.WORDING
        case Agreement.OBJECTED:
            # That a program read or heard a text says nothing about what differs.
            classes = {_CLASSES[o.kind] for o in accord.objections if o.kind is not FactKind.RECOGNISED}
            return classes.pop() if len(classes) == 1 else Differs.SEVERAL if classes else Differs.WORDING


def one_change(a: str, b: str) -> str:
    """Return the one change that makes a text of another, such as "release-7 -> release-8"; empty if there are more.

    The same few words were replaced by the same others wherever the texts differ; signs around both are left out. Of
    words that were added or left out the one before them is named, too: "the -> the TLS". Between all other words both
    have the same space.
    """
    mine, theirs = _WORD.findall(a), _WORD.findall(b)
    i = k = 0
    found: set[tuple[str, str]] = set()
    while i < len(mine) or k < len(theirs):
        if mine[i : i + 1] == theirs[k : k + 1]:
            i, k = i + 1, k + 1
            continue
        n, m = _replaced(mine[i:], theirs[k:])
        found.add(_change((mine, i, n), (theirs, k, m)))
        if not n + m or len(found) > 1:
            return ""
        i, k = i + n, k + m
    if not found:
        return ""
    before, after = found.pop()
    is_named = any(map(str.isalnum, before)) == any(map(str.isalnum, after))
    return f"{before} -> {after}" if is_named and len(before) + len(after) <= LONGEST_CHANGE else ""


def _replaced(mine: Sequence[str], theirs: Sequence[str]) -> tuple[int, int]:
    """Return how many words were replaced by how many, where two texts begin to differ; no words where it is unclear.

    None of the words is one of the others, and behind them both have the same two words, or end.
    """
    sizes = [(n, total - n) for total in range(1, 2 * MOST_CHANGED + 1) for n in range(total + 1)]
    fitting = (size for size in sizes if max(size) <= MOST_CHANGED and size[0] <= len(mine) and size[1] <= len(theirs))
    return next(((n, m) for n, m in fitting if _is_change(mine[: n + 2], n, theirs[: m + 2], m)), (0, 0))


def _is_change(mine: Sequence[str], n: int, theirs: Sequence[str], m: int) -> bool:
    one, other = ([word.strip() for word in words] for words in (mine, theirs))
    if one[n : n + 1] != other[m : m + 1] or mine[n + 1 :] != theirs[m + 1 :] or set(one[:n]) & set(other[:m]):
        return False
    return not n or not m or mine[0].removesuffix(one[0]) == theirs[0].removesuffix(other[0])


def _change(mine: tuple[Sequence[str], int, int], theirs: tuple[Sequence[str], int, int]) -> tuple[str, str]:
    """Return the words replaced, each of a text from a place on, with the one before or behind where one has none."""
    has_both = bool(mine[2] and theirs[2])
    is_first = mine[1] == 0 or theirs[1] == 0
    before, after = (
        " ".join("".join(words[at - (not has_both and not is_first) : at + n + (not has_both and is_first)]).split())
        for words, at, n in (mine, theirs)
    )
    while before[:1] == after[:1] and len(before) > 1 < len(after) and not before[0].isalnum():
        before, after = before[1:], after[1:]
    while before[-1:] == after[-1:] and len(before) > 1 < len(after) and not before[-1].isalnum():
        before, after = before[:-1], after[:-1]
    return before, after


def likeness(accord: Accord, similarity: float) -> float:
    """Return how likely two texts say the same: a whole number for their agreement, and below it the finer order.

    Pairs that say the same come before repeats, these before open ones, contradicted ones last; among equals the
    judge's lowest score decides where it was asked, their similarity where it was not.

    Args:
        accord: of the two texts.
        similarity: 0..1.
    """
    ranks = {Agreement.SAME: 3, Agreement.REPEATS_A: 2, Agreement.REPEATS_B: 2, Agreement.OPEN: 1}
    scores = [answer.score for _, answer in accord.judged]
    fine = min(scores) if scores else similarity
    return round(ranks.get(accord.agreement, 0) + min(max(fine, 0.0), 0.999999), 6)
