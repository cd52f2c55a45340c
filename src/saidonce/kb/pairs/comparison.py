"""The comparison of two texts, the same whichever comes first, and as the pair table keeps it."""

from __future__ import annotations

from dataclasses import replace

from saidonce.foundation.model import Candidate, FactKind, Kind, Objection, Row, Span, TextPair, split_text_id
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Accord, Agreement, agreement
from saidonce.matching.ladder import STRUCTURAL_GUARDS, first_objection

_NOTHING = Span(0, 0, "")
_UNTOLD = (Objection(FactKind.TERM, _NOTHING, _NOTHING),)

_TURNED = {Agreement.REPEATS_A: Agreement.REPEATS_B, Agreement.REPEATS_B: Agreement.REPEATS_A}


def compared(a: Candidate, b: Candidate) -> Accord:
    """Compare two texts, always in one order, so that swapping them swaps the sides of the answer and nothing else.

    Texts of different kinds, languages or shapes of tables are held apart, though their words may be the same.
    """
    if _order(b) < _order(a):
        return mirrored(compared(b, a))
    objections = first_objection(STRUCTURAL_GUARDS, a, b)
    return Accord(Agreement.OBJECTED, objections, objections) if objections else agreement(a, b)


def mirrored(accord: Accord) -> Accord:
    """Return the same answer with the two texts swapped."""
    return replace(
        accord,
        agreement=_TURNED.get(accord.agreement, accord.agreement),
        objections=tuple(o.mirrored for o in accord.objections),
        unaccounted=tuple(o.mirrored for o in accord.unaccounted),
    )


def held_apart_by(accord: Accord) -> tuple[Objection, ...]:
    """Return what keeps text `a` from being dropped for text `b`; empty if `a` says nothing that `b` does not."""
    if accord.agreement in (Agreement.SAME, Agreement.REPEATS_B):
        return ()
    return accord.objections or accord.unaccounted or _UNTOLD


def candidate_of(name: str, words: str) -> Candidate:
    """Return a text as the comparison sees it, by its name in the pair table and its words."""
    _, kind, language = split_text_id(name)
    return Candidate(words, content_hash(words), kind, language, rows=rows_in(words) if kind is Kind.TABLE else ())


def rows_in(words: str) -> tuple[Row, ...]:
    """Return the rows of a table by its words: one a line, cells joined by strokes."""
    return tuple(tuple(line.split(" | ")) for line in words.split("\n"))


def is_told_by_words(candidate: Candidate) -> bool:
    """Return whether a text's name and words tell all of it: a cell with a stroke or a line in it they do not."""
    return candidate.kind is not Kind.TABLE or candidate.rows == rows_in(candidate.text)


def answered(pair: TextPair, a: Candidate, b: Candidate, guards: str) -> TextPair:
    """Return a pair with what the comparison of its texts finds."""
    accord = compared(a, b)
    return replace(
        pair,
        guards=guards,
        agreement=accord.agreement.value,
        objections=accord.objections,
        unaccounted=accord.unaccounted,
        judge=None,
        judged=None,
    )


def accord_of(pair: TextPair) -> Accord:
    """Return what stands in the pair table as the comparison gave it, after the judge where one was heard."""
    return Accord(Agreement(pair.judged or pair.agreement), pair.objections, pair.unaccounted)


def _order(candidate: Candidate) -> tuple[str, str, str, tuple[Row, ...]]:
    return candidate.text, candidate.kind.value, candidate.language, candidate.rows
