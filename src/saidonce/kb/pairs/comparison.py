"""The comparison of two texts, the same whichever comes first, and as the pair table keeps it."""

from __future__ import annotations

from dataclasses import replace

from saidonce.foundation.model import (
    RECOGNISED_KINDS,
    Candidate,
    FactKind,
    Kind,
    Objection,
    PairRule,
    Row,
    Span,
    TextPair,
    split_text_id,
)
from saidonce.foundation.ports import EquivalenceJudge
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Accord, Agreement, agreement, borne_out
from saidonce.matching.ladder import STRUCTURAL_GUARDS, first_objection

_NOTHING = Span(0, 0, "")
_WITHOUT_PLACE = (Objection(FactKind.TERM, _NOTHING, _NOTHING),)


def compare_texts(a: Candidate, b: Candidate, judge: EquivalenceJudge | None = None) -> Accord:
    """Compare two texts, always in one order, so that swapping them swaps the sides of the answer and nothing else.

    Texts of different kinds, but for layouts of one statement, languages or shapes of tables are held apart, though
    their words may be the same.

    Args:
        a: one text.
        b: the other.
        judge: is asked what the guards leave open; None without one.

    Raises:
        ModelUnavailableError: the judge's files failed.
    """
    if _order(b) < _order(a):
        return compare_texts(b, a, judge).mirrored
    objections = first_objection(STRUCTURAL_GUARDS, a, b)
    if objections:
        return Accord(Agreement.OBJECTED, objections, objections)
    return borne_out(a, b, agreement(a, b), judge)


def held_apart_by(accord: Accord) -> tuple[Objection, ...]:
    """Return the objections to dropping text `a` in favour of text `b`; empty if `b` states all of `a`."""
    if accord.agreement in (Agreement.SAME, Agreement.REPEATS_B):
        return ()
    return accord.objections or accord.unaccounted or _WITHOUT_PLACE


def candidate_of(name: str, words: str) -> Candidate:
    """Return a text as the comparison sees it, by its name in the pair table and its words."""
    _, kind, language = split_text_id(name)
    name_of_text = content_hash(words, kind is Kind.CODE)
    return Candidate(words, name_of_text, kind, language, rows=rows_in(words) if kind is Kind.TABLE else ())


def rows_in(words: str) -> tuple[Row, ...]:
    """Return the rows of a table by its words: one a line, cells joined by strokes."""
    return tuple(tuple(line.split(" | ")) for line in words.split("\n"))


def is_whole_in_words(candidate: Candidate) -> bool:
    """Return whether a text's name and words tell all of it.

    They do not of a cell with a stroke or a line in it, nor of how surely words were recognised.
    """
    if candidate.kind in RECOGNISED_KINDS:
        return False
    return candidate.kind is not Kind.TABLE or candidate.rows == rows_in(candidate.text)


def with_accord(pair: TextPair, accord: Accord, rule: PairRule) -> TextPair:
    """Return a pair with the result of comparing its texts under a rule, including the judge's if it was open."""
    was_asked = bool(accord.judged)
    return replace(
        pair,
        guards=rule.guards,
        agreement=(Agreement.OPEN if was_asked else accord.agreement).value,
        objections=accord.objections,
        unaccounted=accord.unaccounted,
        judge=rule.judge,
        judged=accord.agreement.value if was_asked else None,
        answers=accord.judged,
    )


def accord_of(pair: TextPair) -> Accord:
    """Return a stored comparison of the pair table as the comparison returned it."""
    agreement = Agreement(pair.judged or pair.agreement)
    judge = (pair.judge or "") if pair.answers else ""
    return Accord(agreement, pair.objections, pair.unaccounted, pair.answers, judge)


def _order(candidate: Candidate) -> tuple[str, str, str, tuple[Row, ...]]:
    return candidate.text, candidate.kind.value, candidate.language, candidate.rows
