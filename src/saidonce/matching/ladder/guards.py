"""Rung 4: guards compare facts and structure, and may hold apart what similarity would join."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from saidonce.foundation.model import (
    RECOGNISED_KINDS,
    UNKNOWN_LANGUAGE,
    Candidate,
    FactKind,
    Kind,
    Objection,
    Outcome,
    Reason,
    Span,
    Step,
)
from saidonce.matching.ladder.rung import Case, Finding, Guard, first_objection


def guards(case: Case) -> Finding:
    """Ask the guards about each match that is near enough, nearest first.

    Settles as duplicate of the nearest match at or above `duplicate_from` to which no guard
    objects, unless an adjudicator has a word there too, and of one at or above `same_from` to which none objects
    whichever of the two came first. When guards object to all from `duplicate_from` on, the
    case goes on as objected; below it objections are only recorded.
    """
    policy = case.policy
    noted: list[tuple[str, tuple[Objection, ...]]] = []
    free = False
    for match in case.matches:
        if match.similarity < policy.clear_below:
            break
        objections = first_objection(case.guards, case.candidate, match.kept)
        if objections:
            noted.append((match.id, objections))
        elif match.similarity >= policy.duplicate_from:
            free = True
            if not policy.asks_above:
                step = Step("guards", "no objection", match.id, match.similarity, _flat(noted))
                return Finding(step, case, Outcome.DUPLICATE, Reason.ABOVE_THRESHOLD, match.id)
        elif match.similarity >= policy.same_from and not first_objection(case.guards, match.kept, case.candidate):
            step = Step("guards", "each states all of the other", match.id, match.similarity, _flat(noted))
            return Finding(step, case, Outcome.DUPLICATE, Reason.SAME_STATEMENT, match.id)
    top = case.matches[0]
    objected = top.similarity >= policy.duplicate_from and not free
    finding = f"objections to {len(noted)} of the near matches" if noted else "no objection"
    step = Step("guards", finding, top.id, top.similarity, _flat(noted))
    return Finding(step, replace(case, objected=objected, objections=tuple(noted)))


def _flat(noted: Sequence[tuple[str, tuple[Objection, ...]]]) -> tuple[Objection, ...]:
    return tuple(o for _, objections in noted for o in objections)


def same_kind(a: Candidate, b: Candidate) -> Sequence[Objection]:
    """Object to joining, say, a heading with a paragraph. Source: seed 001, "What Is NOT Deduplicated".

    How a page lays out what it states, in a paragraph, a list or a table, is left to those who read the words. Code and
    a paragraph or a list say the same if they have the same words and signs, in their order.
    """
    kinds = {a.kind, b.kind}
    if len(kinds) == 1 or kinds <= LAYOUTS or (kinds <= _SET and _words_and_signs(a) == _words_and_signs(b)):
        return ()
    return (other_kind(a, b),)


def other_kind(a: Candidate, b: Candidate) -> Objection:
    """Return the objection to two kinds of text."""
    return _objection(FactKind.KIND, a.kind, b.kind)


LAYOUTS = frozenset((Kind.PARAGRAPH, Kind.LIST, Kind.TABLE))
"""Layouts in which a page may state one thing."""

_SET = frozenset((Kind.PARAGRAPH, Kind.LIST, Kind.CODE))
"""Kinds of text that may be set as code."""

_BULLET = re.compile(r"^[ \t]*(?:[-*\u2022]|\d{1,3}[.)])[ \t]+", re.MULTILINE)
"""The mark in front of an item of a list."""


def _words_and_signs(of: Candidate) -> list[str]:
    """Return what a text is written with, without the blanks between and the marks in front of the items of a list."""
    return (_BULLET.sub("", of.text) if of.kind is Kind.LIST else of.text).split()


def same_language(a: Candidate, b: Candidate) -> Sequence[Objection]:
    """Object if both languages are known and differ. Source: seed 002, "Translated content"."""
    if UNKNOWN_LANGUAGE in (a.language, b.language) or a.language == b.language:
        return ()
    return (_objection(FactKind.LANGUAGE, a.language, b.language),)


def same_section_role(a: Candidate, b: Candidate) -> Sequence[Objection]:
    """Object if both section roles are known and differ. Source: seed 002, "Boilerplate".

    Under a heading of one name a text has one role, whatever the number of its section: whether that has parts of its
    own says nothing about it. The caption of a picture has one role wherever the picture stands.
    """
    if not a.section_role or not b.section_role or a.section_role == b.section_role:
        return ()
    names = [without_number(side.section).casefold() for side in (a, b)]
    if names[0] and names[0] == names[1]:
        return ()
    if a.kind is b.kind is Kind.CAPTION:
        return ()
    return (_objection(FactKind.SECTION_ROLE, a.section_role, b.section_role),)


_NUMBERED = re.compile(
    r"(?:(?:chapter|section|part|appendix|kapitel|abschnitt|teil|anhang|chapitre|partie|annexe|cap[i\u00ed]tulo|anexo"
    r"|capitolo|hoofdstuk|bijlage)\s+)?(?:(?-i:[A-Z]\.)?\d+(?:[.-]\d+)*[.:)]?|(?-i:[A-Z])[.)])\s+(?=\S)"
    r"|(?:table|figure|example|tabelle|abbildung|beispiel|tableau|exemple|tabla|figura|ejemplo|tabella|esempio|tabela"
    r"|tabel|figuur|voorbeeld)\s+(?:(?-i:[A-Z])\.)?\d+(?:[.-]\d+)*\s?[.:]\s+(?=\S)",
    re.IGNORECASE,
)
"""The number of a section, table or figure in front of its name: "4.2", "C.4.", "Chapter 3.", "Table D.1."."""


def without_number(heading: str) -> str:
    """Return a heading without the number of its section, table or figure."""
    return heading[m.end() :] if (m := _NUMBERED.match(heading)) else heading


def is_one_section(a: Candidate, b: Candidate) -> bool:
    """Return whether two texts stand right under headings of one name."""
    return bool(a.section) and a.section.casefold() == b.section.casefold()


def is_lead(heading: str) -> bool:
    """Return whether a heading is a line that introduces what stands below it: "Not sold in 2024:"."""
    return heading.rstrip("*_ ").endswith((":", "\uff1a"))


def stands_elsewhere(guards: Sequence[Guard], a: Candidate, b: Candidate) -> bool:
    """Return whether a guard objects to two texts of the same words under two headings, or of two people."""
    here, there = ({heading.casefold() for heading in side.headings} for side in (a, b))
    is_elsewhere = bool(here and there) and len(here | there) > 1
    is_elsewhere = is_elsewhere or (bool(a.rows) and bool(here) is not bool(there) and any(map(is_lead, here | there)))
    is_of_two = are_two_people(a.speaker, b.speaker) or are_two_people(a.writer, b.writer)
    return (is_elsewhere or is_of_two) and bool(first_objection(guards, a, b))


def same_speaker(a: Candidate, b: Candidate) -> Sequence[Objection]:
    """Object if both speakers are known and differ: what two people promise is promised twice.

    What mails quote is compared as what mails say.
    """
    if a.is_quoted or b.is_quoted or not are_two_people(a.speaker, b.speaker):
        return ()
    return (_objection(FactKind.SPEAKER, a.speaker, b.speaker),)


def are_two_people(a: str, b: str) -> bool:
    """Return whether both names are known and differ by more than case, accents, the order of their words, and a role.

    A role stands in brackets, or beside the words of a whole name: "Marisol Okonjo, chair". "J. Smith" may be John
    Smith. Two addresses at two domains are those of two people, whatever stands before the domain.
    """
    if not a or not b or a == b:
        return False
    one, other = _words_of_name(a), _words_of_name(b)
    domains = _domain(a), _domain(b)
    if all(domains) and domains[0] != domains[1]:
        return True
    less, more = sorted((one, other), key=len)
    return one != other and not (len(less) >= _WHOLE_NAME and _may_be_among(less, more))


_WHOLE_NAME = 2
"""Words of a name that are enough to tell one person from another."""


def _may_be_among(less: frozenset[str], more: frozenset[str]) -> bool:
    """Return whether each word of a name is one of another name or, beside a word of both, an initial of one there.

    An initial may be one of either name, and stands for one word.
    """
    lone, left = less - more, sorted(more - less)
    if lone and all(_is_initial(word) for word in less & more):
        return False
    for word in sorted(lone, key=len, reverse=True):
        full = next((w for w in left if _abbreviates(w, word) or _abbreviates(word, w)), None)
        if full is None:
            return False
        left.remove(full)
    return True


def _abbreviates(initial: str, word: str) -> bool:
    return _is_initial(initial) and word.startswith(initial)


def _is_initial(word: str) -> bool:
    """Return whether a word is one letter of a script whose names have more of them."""
    return len(word) == 1 and word.isalpha() and word < _BEYOND_INITIALS


_BEYOND_INITIALS = "\u0590"
"""First letter behind those of the Latin, Greek, Cyrillic and Armenian scripts."""


@lru_cache(maxsize=4_096)
def _words_of_name(name: str) -> frozenset[str]:
    """Return the words of a name without what stands in brackets; those of an address if they are a whole name."""
    bare = _bare_name(name)
    local, at, _ = bare.partition("@")
    words = frozenset(_WORD.findall(local))
    return words if not at or len(words) >= _WHOLE_NAME else frozenset((bare,))


def _domain(name: str) -> str:
    return _bare_name(name).partition("@")[2].strip("<> ")


def _bare_name(name: str) -> str:
    """Return a name in small letters without what stands in brackets, and Latin letters without accents."""
    bare = _BRACKETED.sub(" ", name) if _BRACKETED.sub("", name).strip() else name
    apart = unicodedata.normalize("NFD", bare.casefold().strip())
    return unicodedata.normalize("NFC", _ACCENTED.sub(r"\1", apart))


_ACCENTED = re.compile("([a-z])[\u0300-\u036f]+")
_BRACKETED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|<[^<>]*>")
_WORD = re.compile(r"[^\W_]+")


def same_table_shape(a: Candidate, b: Candidate) -> Sequence[Objection]:
    """Object if two tables differ in rows or columns. Source: seed 002, "Tables and lists".

    The objection quotes the first row that differs.
    """
    shapes = [(len(t.rows), max(map(len, t.rows), default=0)) for t in (a, b)]
    if not a.rows or not b.rows or shapes[0] == shapes[1]:
        return ()
    quoted = _differing_rows(_row_spans(a), _row_spans(b))
    if quoted:
        return (Objection(FactKind.TABLE_SHAPE, *quoted),)
    shapes_shown = [f"{n_rows} rows x {n_columns} columns" for n_rows, n_columns in shapes]
    return (_objection(FactKind.TABLE_SHAPE, shapes_shown[0], shapes_shown[1]),)


def _row_spans(table: Candidate) -> list[Span]:
    """Return where each row stands in the text; nothing if the text is not its rows, one a line."""
    lines = list(re.finditer(r"[^\n]+", table.text))
    return [Span.of(m) for m in lines] if len(lines) == len(table.rows) else []


def _differing_rows(of_a: Sequence[Span], of_b: Sequence[Span]) -> tuple[Span, Span] | None:
    """Return the first two rows that differ beside one first cell, or else the first row that one table lacks."""
    if not of_a or not of_b:
        return None
    rows_b = {_first_cell(row): row for row in reversed(of_b)}
    for row in of_a:
        other = rows_b.get(_first_cell(row))
        if other is not None and other.text != row.text:
            return row, other
    texts_a, texts_b = ({row.text for row in rows} for rows in (of_a, of_b))
    end_a, end_b = (Span(rows[-1].end, rows[-1].end, "") for rows in (of_a, of_b))
    lacking = [(row, end_b) for row in of_a if row.text not in texts_b]
    lacking += [(end_a, row) for row in of_b if row.text not in texts_a]
    return lacking[0] if lacking else None


def _first_cell(row: Span) -> str:
    return row.text.split(" | ")[0].strip().casefold()


SURE_FROM = 0.8
"""Confidence below which recognised words merge and are folded by nobody but a person."""

_FIGURE = re.compile(r"\d")


def surely_recognised(a: Candidate, b: Candidate) -> Sequence[Objection]:
    """Object if a text was heard, was read and states a figure, or was read unsurely.

    A misread figure looks like any other, so that two equal ones prove nothing; what is heard confuses words that
    sound alike, numbers among them ("three" and "free").
    """
    for side in (a, b):
        if not is_recognised(side):
            continue
        is_unsure = side.place is not None and (side.place.confidence or 0.0) < SURE_FROM
        if is_unsure or side.kind is Kind.TRANSCRIPT:
            return (_objection(FactKind.RECOGNISED, _surely(a), _surely(b)),)
        if figure := _FIGURE.search(side.text):
            at = Span.of(figure)
            nothing = Span(0, 0, "")
            return (Objection(FactKind.RECOGNISED, at if side is a else nothing, at if side is b else nothing),)
    return ()


def is_recognised(of: Candidate) -> bool:
    """Return whether a program read or heard a text.

    One of such a kind counts as recognised where its place is unknown.
    """
    return of.place.is_recognised if of.place is not None else of.kind in RECOGNISED_KINDS


def _surely(of: Candidate) -> str:
    confidence = of.place.confidence if of.place is not None else None
    return "text" if confidence is None else f"confidence {confidence:.2f}"


def _objection(kind: FactKind, a: str, b: str) -> Objection:
    """Return an objection about the whole texts: its spans quote the property and point at no characters."""
    return Objection(kind, Span(0, 0, str(a)), Span(0, 0, str(b)))


STRUCTURAL_GUARDS: tuple[Guard, ...] = (
    same_kind, same_language, same_section_role, same_table_shape, same_speaker, surely_recognised,
)  # fmt: skip
