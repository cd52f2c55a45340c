"""A table, a list or a paragraph in the layout in which the other text states the same.

What a table states is each cell under its row and column, whichever of the two is written across; a list of points, or
a sentence, states it where it has the name of each row, and each cell together with its heading, and nothing else. A
definition is its term with its text. The points of a list are the members of a sentence. Nothing of this is a step, and
no row leans on another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from saidonce.foundation.text import sentences
from saidonce.matching.facts.plain.rows import Heading, is_one_of, rows_of, stated_in_points, stated_in_sentences
from saidonce.matching.facts.plain.stretches import Entries, Place, Points, Table, entries, folded, lines_of, lists, tables
from saidonce.matching.facts.plain.tables import options, ways
from saidonce.matching.facts.table_rows import counts_in_order


def in_the_layout_of(text: str, other: str, language: str) -> str:
    """Write what is a table or list in either of two texts as the other text has it, where both state the same."""
    if "\n" not in text and "\n" not in other:
        return text
    for rule in (_with_tables, _with_entries, _with_members):
        text = rule(text, other, language)
    return text


def _with_tables(text: str, other: str, language: str) -> str:
    """Write each table as the table, list or sentences in which the other text states it."""
    for table in reversed(tables(text)):
        place = next(_same_statements(table, other, language), None)
        if place is not None and text[slice(*table.place)] != other[slice(*place)]:
            text = _exchanged(text, table.place, other, place)
    return text


def _same_statements(table: Table, other: str, language: str) -> Iterator[Place]:
    if any(map(counts_in_order, table.rows[0])):
        return
    rows = rows_of(table, language)
    if not rows:
        return
    for theirs in tables(other):
        if _is_turned(table, theirs, other, language):
            yield theirs.place
    if not tables(other):
        yield from stated_in_points(rows, other)
        yield from stated_in_sentences(rows, other)


def _is_turned(one: Table, two: Table, other: str, language: str) -> bool:
    """Return whether two tables state the same, and the rows of one are the columns of the other.

    What heads the names of the rows is missing in one of them; the names show it, or the text has it.
    """
    here, there = (_cells_by_names(table, language) for table in (one, two))
    if not here or any(map(counts_in_order, two.rows[0])):
        return False
    corners = [folded(table.rows[0][0]) for table in (one, two)]
    if all(corners) and corners[0] != corners[1]:
        return False
    known = not any(corners) or all(_is_shown(corner, language, other) for corner in corners if corner)
    return known and here == {(column, row): cell for (row, column), cell in there.items()}


def _is_shown(corner: str, language: str, text: str) -> bool:
    is_kind = is_one_of(corner, language, "kinds")
    return is_kind or Heading((corner,), language).names_rows((), text)


def _cells_by_names(table: Table, language: str) -> dict[tuple[str, str], str]:
    rows = rows_of(table, language)
    return {(row.head, label): cell for row in rows for label, cell in zip(row.heading.labels[1:], row.cells[1:], strict=True)}


def _exchanged(text: str, mine: Place, other: str, theirs: Place) -> str:
    """Write a stretch as one of the other text, with what parts it there from its neighbours."""
    before, after = text[: mine.start].rstrip(), text[mine.end :].lstrip()
    gap_before = other[len(other[: theirs.start].rstrip()) : theirs.start] if before else ""
    behind = other[theirs.end :]
    gap_after = behind[: len(behind) - len(behind.lstrip())] if after else ""
    return f"{before}{gap_before or ' ' * bool(before)}{other[slice(*theirs)]}{gap_after or ' ' * bool(after)}{after}"


def _with_entries(text: str, other: str, language: str) -> str:
    """Write terms with what is stated of each as the other text lays out the same terms; what it states may differ."""
    theirs = [e for e in entries(other) if _is_definition(e, other, language)]
    for mine in reversed(entries(text)):
        if not _is_definition(mine, text, language):
            continue
        form = next((e for e in theirs if {x.head for x in e.entries} == {x.head for x in mine.entries}), None)
        if form is not None and len(mine.entries) == len(form.entries):
            rewritten = _in_form(mine, form, other)
            if rewritten != text[slice(*mine.place)]:
                done = other[: form.place.start] + rewritten + other[form.place.end :]
                place = Place(form.place.start, form.place.start + len(rewritten))
                return _exchanged(text, mine.place, done, place)
    return text


def _is_definition(of: Entries, text: str, language: str) -> bool:
    """Return whether neither a number nor a heading says that the terms have an order, and no table heads its texts."""
    if any(counts_in_order(entry.head) or entry.head[:1].isdigit() for entry in of.entries):
        return False
    table = next((t for t in tables(text) if t.place == of.place), None)
    if table is None:
        return True
    key, value = (folded(cell) for cell in table.rows[0])
    return (not key or is_one_of(key, language, "kinds")) and (not value or is_one_of(value, language, "explains"))


def _in_form(mine: Entries, form: Entries, other: str) -> str:
    """Return what is stated of each term, laid out and in the order of another text."""
    rests = {entry.head: entry.rest.text for entry in mine.entries}
    written, at = [], form.place.start
    for entry in form.entries:
        theirs = entry.rest
        is_same = folded(rests[entry.head]) == folded(theirs.text)
        written += [other[at : theirs.start], theirs.text if is_same else rests[entry.head]]
        at = theirs.end
    return "".join((*written, other[at : form.place.end]))


def _with_members(text: str, other: str, language: str) -> str:
    """Write a list as the sentence of the other text that has its points as members, in whichever order."""
    joint = ways(language).get("and")
    if not joint:
        return text
    for points in reversed(lists(text)):
        if _is_of_one(points, language):
            continue
        for line in lines_of(other):
            hit = next((h for s in sentences(line.text) if (h := _members(s.text, points, joint))), None)
            if hit is not None:
                return _as_sentence(text, points, hit)
    return text


def _is_of_one(points: Points, language: str) -> bool:
    """Return whether the points are steps, a choice, or no members of a sentence."""
    if counts_in_order(points.lead.text) or re.search(rf"\b(?:{options(language, 'one_of')})\b", points.lead.text.lower()):
        return True
    return any("," in point.text or ". " in point.text or "?" in point.text for point in points.points)


def _members(sentence: str, points: Points, joint: str) -> tuple[str, str] | None:
    """Return what stands before the members in a sentence that ends with them, and the members."""
    wanted = sorted(folded(point.text) for point in points.points)
    bare = sentence.rstrip(" .;")
    for cut in [m.end() for m in re.finditer(r"\s", bare)]:
        members = [folded(m) for m in re.split(rf",(?: {joint})? | {joint} ", bare[cut:])]
        if sorted(members) == wanted:
            return sentence[:cut], sentence[cut:]
    return None


def _as_sentence(text: str, points: Points, hit: tuple[str, str]) -> str:
    """Write a list and the line above it as one sentence."""
    opening, members = hit
    lead = points.lead.text
    heading = re.sub(r"^[#\s]+", "", lead)
    start = points.lead.start if lead else points.place.start
    if folded(heading) == folded(opening):
        lead = opening
    elif lead.rstrip().endswith(":"):
        lead = lead.rstrip(" :") + " "
    else:
        return text
    before, after = text[:start].rstrip(), text[points.place.end :].lstrip()
    gap = text[len(before) : start]
    return f"{before}{gap}{lead}{members}{'' if members.endswith('.') else '.'}{' ' * bool(after)}{after}"
