"""A table, a list or a paragraph in the layout in which the other text states the same.

What a table states is each cell under its row and column, whichever of the two is written across; a list of points, or
a sentence, states it where it has the name of each row, and each cell together with its heading, and nothing else. A
definition is its term with its text. The points of a list are the members of a sentence. Nothing of this is a step, and
no row leans on another one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from saidonce.foundation.model import FactKind
from saidonce.foundation.text import sentences
from saidonce.matching.facts.analyse import tokens_of
from saidonce.matching.facts.lexicon import word_list
from saidonce.matching.facts.plain.hours import with_hours
from saidonce.matching.facts.plain.points import are_things, is_in_order, may_pass, word_count
from saidonce.matching.facts.plain.rows import (
    Heading,
    by_person,
    columns_of,
    is_one_of,
    rows_of,
    stated_in_points,
    stated_in_sentences,
)
from saidonce.matching.facts.plain.steps import with_steps
from saidonce.matching.facts.plain.stretches import Entries, Extent, Grid, Points, entries, folded, lists, tables
from saidonce.matching.facts.plain.tables import options, ways
from saidonce.matching.facts.plain.turned import may_be_turned
from saidonce.matching.facts.plain.words import without_following
from saidonce.matching.facts.table_rows import counts_in_order


def in_the_layout_of(text: str, other: str, language: str) -> str:
    """Write what is a table or list in either of two texts as the other text has it, where both state the same."""
    if "\n" not in text and "\n" not in other:
        return text
    for rule in (with_hours, _with_tables, _with_entries, with_steps, _with_members):
        text = rule(text, other, language)
    return text


def in_one_layout(a: str, b: str, language: str) -> tuple[str, str] | None:
    """Write one of two texts in the layout of the other; None where neither comes to be written otherwise."""
    one = in_the_layout_of(a, b, language)
    two = b if one != a else in_the_layout_of(b, a, language)
    return (one, two) if (one, two) != (a, b) else None


def with_shared_put_by(one: str, two: str, put_by: Callable[[str], str]) -> tuple[str, str]:
    """Write tables, lists and definitions that both texts have, word for word, as a sentence that stands for each.

    So the rest is read as running text. The line that leads up to one belongs to it: what it names may be what a
    pronoun behind it means.
    """
    for stretch in _shared(one, two):
        places = [(text, text.find(stretch)) for text in (one, two)]
        if all(_is_by_itself(text[:at]) for text, at in places):
            mark = put_by(stretch)
            one, two = (_joined(text[:at], f"{mark}.", text[at + len(stretch) :]) for text, at in places)
    return one, two


def _shared(one: str, two: str) -> list[str]:
    """Return the stretches that stand once in each of two texts, the longest first."""
    laid = [each.place for of in (tables(one), lists(one), entries(one)) for each in of]
    written = {_with_lead(one, place) for place in laid} | {hit[0] for hit in _HEADING.finditer(one)}
    shared = [s for s in written if "\n" in s or _HEADING.fullmatch(s)]
    return sorted((s for s in shared if one.count(s) == two.count(s) == 1), key=lambda s: (-len(s), s))


def _with_lead(text: str, place: Extent) -> str:
    """Return a stretch with the line above it, if that ends with a colon."""
    lines = text[: place.start].rstrip().rpartition("\n")
    leads = lines[2].rstrip("*_ ").endswith(":")
    return text[len(lines[0]) + len(lines[1]) if leads else place.start : place.end]


_HEADING = re.compile(r"^(?:#{1,6} [^\n]+|\*\*[^*\n]+\*\*)$", re.MULTILINE)


def _is_by_itself(before: str) -> bool:
    return not before.strip() or before.rstrip().rstrip("*_")[-1:] in (".", "!", "?")


def _joined(*parts: str) -> str:
    return " ".join(part.strip() for part in parts if part.strip())


def _with_tables(text: str, other: str, language: str) -> str:
    """Write each table as the table, list or sentences in which the other text states it."""
    for table in reversed(tables(text)):
        place = next(_same_statements(table, other, language), None)
        if place is not None and text[slice(*table.place)] != other[slice(*place)]:
            text = _exchanged(text, table.place, other, place)
    return text


def _same_statements(table: Grid, other: str, language: str) -> Iterator[Extent]:
    if any(map(counts_in_order, table.rows[0])):
        return
    rows = rows_of(table, language)
    if not rows:
        return
    for theirs in tables(other):
        if _state_the_same(table, theirs, other, language):
            yield theirs.place
    if "|" in other:
        return
    for each in filter(None, (rows, columns_of(table, language), by_person(table, language))):
        yield from stated_in_points(each, other)
        yield from stated_in_sentences(each, other)


def _state_the_same(one: Grid, two: Grid, other: str, language: str) -> bool:
    """Return whether each cell of two tables stands under the same two headings, whichever is that of its row.

    What heads the names of the rows may be missing in one of them: the names show it, or the text has it.
    """
    here, there = (_cells_by_names(table, language) for table in (one, two))
    if not here or any(map(counts_in_order, two.rows[0])):
        return False
    corners = [folded(table.rows[0][0]) for table in (one, two)]
    if here == there:
        return corners[0] == corners[1]
    if all(corners) or not may_be_turned(one.rows, language, is_headed=any(corners)):
        return False
    heads = [row[0].casefold() for row in one.rows[1:]], [row[0].casefold() for row in two.rows[1:]]
    known = all(
        _is_shown(corner, names, language, other) for corner, names in zip(corners, heads, strict=True) if corner
    )
    return known and here == {(column, row): cell for (row, column), cell in there.items()}


def _is_shown(corner: str, names: Sequence[str], language: str, other: str) -> bool:
    """Return whether what heads names is shown by them, or stands outside the tables of another text."""
    outside = "\n".join(line for line in other.splitlines() if "|" not in line)
    if is_one_of(corner, language, "kinds") or all(name.split(" ")[0] == corner for name in names):
        return True
    return Heading((corner,), language).names_rows(names, outside)


def _cells_by_names(table: Grid, language: str) -> dict[tuple[str, str], str]:
    rows = rows_of(table, language)
    return {
        (row.head, label): cell
        for row in rows
        for label, cell in zip(row.heading.labels[1:], row.cells[1:], strict=True)
    }


def _exchanged(text: str, mine: Extent, other: str, theirs: Extent) -> str:
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
                place = Extent(form.place.start, form.place.start + len(rewritten))
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
    """Write a list as the list or sentence of the other text that has its points as members.

    They stand in another order only if none is a step.
    """
    joint = ways(language).get("and")
    if not joint:
        return text
    for points in reversed(lists(text)):
        if is_in_order(points) or _is_of_one(points, language):
            continue
        if (turned := _turned_points(points, other, language)) is not None:
            return _exchanged(text, points.place, other, turned.place)
        hits = (_members(s.text, points, language) for s in sentences(other) if "\n" not in s.text)
        if (hit := next(filter(None, hits), None)) is not None:
            return _as_sentence(text, points, hit)
    return text


def _turned_points(points: Points, other: str, language: str) -> Points | None:
    """Return the list of another text that has the same things below the same line in another order."""
    mine = [folded(point.text) for point in points.points]
    if may_pass(points, language) or not are_things([point.text for point in points.points], language):
        return None
    for theirs in lists(other):
        members = [folded(point.text) for point in theirs.points]
        is_led_alike = folded(points.lead.text.strip("# ")) == folded(theirs.lead.text.strip("# "))
        if is_led_alike and mine != members and sorted(mine) == sorted(members):
            return theirs
    return None


def _is_of_one(points: Points, language: str) -> bool:
    """Return whether the points are a choice, or no members of a sentence."""
    if re.search(rf"\b(?:{options(language, 'one_of')})\b", points.lead.text.lower()):
        return True
    return any("," in point.text or ". " in point.text or "?" in point.text for point in points.points)


class _Members(NamedTuple):
    """A sentence that ends with the members of a list."""

    opening: str
    members: str


def _members(sentence: str, points: Points, language: str) -> _Members | None:
    """Return a sentence that ends with the points of a list as members, written as the points are."""
    mine = {_read(point.text, language): point.text for point in points.points}
    joint = ways(language)["and"]
    parting = re.compile(rf"(,(?: {joint})? | {joint} )")
    bare = sentence.rstrip(" .;")
    for cut in [m.end() for m in re.finditer(r"\s", bare)]:
        pieces = parting.split(bare[cut:])
        keys = [_read(member, language) for member in pieces[::2]]
        if len(keys) != len(points.points) or len(set(keys)) != len(keys) or set(keys) != set(mine):
            continue
        if _may_reach_over(pieces[::2], language):
            return None
        if keys != list(mine) and (may_pass(points, language) or not _may_be_turned(pieces[::2], language)):
            return None
        theirs = [
            own if folded(own := mine[key]) != folded(member) else member
            for key, member in zip(keys, pieces[::2], strict=True)
        ]
        pieces[::2] = [member.rstrip(" ;,.") for member in theirs]
        return _Members(sentence[:cut], "".join(pieces) + sentence[len(bare) :])
    return None


def _read(member: str, language: str) -> tuple[str, ...]:
    """Return what the words of a member say, by which two of them belong together: "two" is 2."""
    return tuple(t.key for t in tokens_of(member, language)) or (folded(member),)


def _may_reach_over(members: Sequence[str], language: str) -> bool:
    """Return whether an attribute of the first or last member of a sentence may be of all: "old chairs and tables".

    Not so where another member has an attribute, a number or an article of one thing of its own.
    """
    counts = [_own_words(m, language) for m in members]
    leads = counts[0] > 1 and all(n == 1 for n in counts[1:])
    is_behind = language in _ROMANCE and members[-1].rstrip(" .;,").endswith(_OF_ALL)
    most = 1 if is_behind else _SHORT
    return leads or (counts[-1] > most and all(0 < n <= _SHORT for n in counts[:-1]))


def _own_words(member: str, language: str) -> int:
    """Count the words of a member without an article of several; 0 with a number or an article of one thing."""
    first, _, rest = member.partition(" ")
    if first.lower() in word_list(language, "all_of") | word_list(language, "some_of"):
        return word_count(rest, language)
    counts = any(t.kind is FactKind.NUMBER for t in tokens_of(member, language)[:1])
    return 0 if counts else word_count(member, language)


def _may_be_turned(members: Sequence[str], language: str) -> bool:
    """Return whether members of a sentence stood in another order in a list, and no attribute of one may be of all."""
    if not are_things(members, language):
        return False
    first, last = (word_count(m, language) for m in (members[0], members[-1]))
    return not (first > 1 and any(word_count(m, language) == 1 for m in members[1:])) and not (
        last > _SHORT and first == 1
    )


_SHORT = 2
_ROMANCE = ("fr", "es", "it", "pt")
_OF_ALL = ("s", "x", "i", "e")
"""Endings of an attribute behind its noun that may be of several: "mesas rotas"."""


def _as_sentence(text: str, points: Points, hit: _Members) -> str:
    """Write a list and the line above it as one sentence."""
    lead = points.lead.text
    start = points.lead.start if lead else points.place.start
    if folded(lead.strip("# ")) == folded(hit.opening):
        lead = hit.opening
    elif lead.rstrip().endswith(":"):
        lead = without_following(lead.rstrip(" :")) + " "
    else:
        return text
    before, after = text[:start].rstrip(), text[points.place.end :].lstrip()
    gap = text[len(before) : start]
    end = "" if hit.members.endswith(".") else "."
    return f"{before}{gap}{lead}{hit.members}{end}{' ' * bool(after)}{after}"
