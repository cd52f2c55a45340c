"""How the two texts of an open pair differ, in one word: what the queue is grouped by and rules are about."""

from __future__ import annotations

import re
from collections.abc import Mapping

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

_WORD_OR_SPACE = re.compile(r"\S+|\s+")

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

    Both have as many words and the same space between them, and all words that differ are the same two; signs around
    both are left out.
    """
    mine, theirs = _WORD_OR_SPACE.findall(a), _WORD_OR_SPACE.findall(b)
    if len(mine) != len(theirs):
        return ""
    changed = {(x, y) for x, y in zip(mine, theirs, strict=True) if x != y}
    if len(changed) != 1 or any(word.isspace() for pair in changed for word in pair):
        return ""
    before, after = changed.pop()
    while before[:1] == after[:1] and len(before) > 1 < len(after) and not before[0].isalnum():
        before, after = before[1:], after[1:]
    while before[-1:] == after[-1:] and len(before) > 1 < len(after) and not before[-1].isalnum():
        before, after = before[:-1], after[:-1]
    return f"{before} -> {after}"


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
