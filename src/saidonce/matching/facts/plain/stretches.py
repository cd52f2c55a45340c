"""The stretches of a text that are laid out: its tables, its lists, and what it states of one term after the other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from saidonce.foundation.model import Span
from saidonce.foundation.remembering import remembered
from saidonce.foundation.text import sentences

_RULE = re.compile(r"[\s|:+=-]*-[\s|:+=-]*")
_BULLET = re.compile(r"[ \t]*[-*\u2022][ \t]+(?P<item>\S.*)")
_DEFINES = re.compile(r":[ \t]+(?P<rest>\S.*)")
_HEADS = (
    re.compile(r"(?P<mark>\*{1,3}|__?)(?P<head>[^*\n]{1,60}?) ?(?::(?P=mark)|(?P=mark) ?:)[ \t]+(?P<rest>\S.*)"),
    re.compile(r"(?P<mark>\*{1,3}|__?)(?P<head>[^*\n]{1,60}?)(?P=mark) [-\u2013\u2014][ \t]+(?P<rest>\S.*)"),
)
"""A term that is set off, and what is stated of it: "**Term:** text", "**Term** \N{EN DASH} text"."""
_PLAIN_HEADS = (
    re.compile(r"(?P<head>[^:;.\n]{1,60}?) ?:[ \t]+(?P<rest>\S.*)"),
    re.compile(r"(?P<head>[^:;.\n]{1,60}?) [\u2013\u2014][ \t]+(?P<rest>\S.*)"),
)
"""A term as it may stand in front of a point of a list."""

MOST_ROWS = 24


class Extent(NamedTuple):
    """Where a stretch begins and ends in its text."""

    start: int
    end: int


Cells = tuple[str, ...]


class TermText(NamedTuple):
    """A term, and the place of what is stated of it."""

    head: str
    rest: Span


@dataclass(frozen=True, slots=True)
class Grid:
    """A table, by its rows, of which the first heads the others."""

    place: Extent
    rows: tuple[Cells, ...]


@dataclass(frozen=True, slots=True)
class Entries:
    """Terms with what is stated of each: a list of definitions, or lines or sentences that begin with a term."""

    place: Extent
    entries: tuple[TermText, ...]


@dataclass(frozen=True, slots=True)
class Points:
    """The points of a list with the line right above it, which may be empty."""

    place: Extent
    lead: Span
    points: tuple[Span, ...]


def folded(written: str) -> str:
    """Return a term, label or cell without the marks that set it off, in small letters."""
    bare = re.sub(r"(?<!\w)[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?!\w)", "", written)
    return " ".join(bare.split()).strip(" ;,.:").casefold()


def lines_of(text: str) -> list[Span]:
    """Return the lines of a text without what ends them."""
    done, at = [], 0
    for line in text.split("\n"):
        done.append(Span(at, at + len(line), line))
        at += len(line) + 1
    return done


@remembered(1_024)
def tables(text: str) -> tuple[Grid, ...]:
    """Return the tables of a text that have a heading and no row longer or shorter than it."""
    done = []
    for run in _runs(lines_of(text), lambda line: line.text.count("|") > 1):
        rows = tuple(_cells(line.text) for line in run if not _RULE.fullmatch(line.text))
        if 1 < len(rows) <= MOST_ROWS and len({len(row) for row in rows}) == 1 and len(rows[0]) > 1:
            done.append(Grid(Extent(run[0].start, run[-1].end), rows))
    return tuple(done)


def _cells(line: str) -> Cells:
    bare = line.strip()
    bare = bare[1:] if bare.startswith("|") else bare
    bare = bare[:-1] if bare.endswith("|") and not bare.endswith("\\|") else bare
    return tuple(cell.strip() for cell in re.split(r"(?<!\\)\|", bare))


@remembered(1_024)
def lists(text: str) -> tuple[Points, ...]:
    """Return the lists of a text that have no numbers, each with the line above it."""
    all_lines = lines_of(text)
    done = []
    for run in _runs(all_lines, _is_point):
        points = [line for line in run if line.text.strip()]
        above = [line for line in all_lines if line.end < run[0].start and line.text.strip()]
        lead = above[-1] if above and not _is_point(above[-1]) else Span(run[0].start, run[0].start, "")
        if 1 < len(points) <= MOST_ROWS:
            spans = tuple(_behind(line, hit.start("item")) for line in points if (hit := _BULLET.fullmatch(line.text)))
            done.append(Points(Extent(run[0].start, points[-1].end), lead, spans))
    return tuple(done)


def _is_point(line: Span) -> bool:
    return _BULLET.fullmatch(line.text) is not None


def _behind(line: Span, at: int) -> Span:
    return Span(line.start + at, line.end, line.text[at:])


@remembered(1_024)
def entries(text: str) -> tuple[Entries, ...]:
    """Return where a text states something of one term after the other: in a list, in definitions, in its sentences."""
    return (*_in_points(text), *_in_definitions(text), *_in_sentences(text), *_in_tables(text))


def _in_points(text: str) -> Iterator[Entries]:
    for points in lists(text):
        headed = [_headed(point, (*_HEADS, *_PLAIN_HEADS)) for point in points.points]
        yield from _of(points.place, headed)


def _headed(of: Span, heads: Sequence[re.Pattern[str]]) -> TermText | None:
    """Return the term that a stretch begins with, and what it states of it."""
    hit = next((m for head in heads if (m := head.fullmatch(of.text))), None)
    if hit is None:
        return None
    rest = hit["rest"].rstrip(" ;,.")
    return TermText(
        folded(hit["head"]), Span(of.start + hit.start("rest"), of.start + hit.start("rest") + len(rest), rest)
    )


def _of(place: Extent, headed: Sequence[TermText | None]) -> Iterator[Entries]:
    """Yield what is stated of two terms and more, of which none stands twice."""
    kept = tuple(entry for entry in headed if entry is not None)
    if len(kept) == len(headed) > 1 and len({entry.head for entry in kept}) == len(kept):
        yield Entries(place, kept)


def _in_definitions(text: str) -> Iterator[Entries]:
    """Yield terms in a line of their own, each with a line below it that begins with a colon."""
    run: list[tuple[Span, Span]] = []
    written = [line for line in lines_of(text) if line.text.strip()]
    for term, line in [*pairwise(written), (None, None)]:
        if term and line and not term.text.startswith(":") and _DEFINES.fullmatch(line.text):
            run.append((term, line))
        elif not (line and run and run[-1][1] is term and not line.text.startswith(":")):
            yield from _defined(run)
            run = []


def _defined(run: Sequence[tuple[Span, Span]]) -> Iterator[Entries]:
    headed = []
    for term, line in run:
        rest = line.text[1:].strip()
        start = line.start + line.text.index(rest, 1)
        headed.append(TermText(folded(term.text), Span(start, start + len(rest.rstrip(" ;,.")), rest.rstrip(" ;,."))))
    if headed:
        yield from _of(Extent(run[0][0].start, run[-1][1].end), headed)


def _in_sentences(text: str) -> Iterator[Entries]:
    """Yield sentences one behind the other of which each begins with a term that is set off."""
    run: list[tuple[Span, TermText]] = []
    for sentence in (*sentences(text), None):
        entry = _headed(sentence, _HEADS) if sentence else None
        if sentence and entry:
            run.append((sentence, entry))
        elif run:
            yield from _of(Extent(run[0][0].start, run[-1][0].end), [of_term for _, of_term in run])
            run = []


def _in_tables(text: str) -> Iterator[Entries]:
    """Yield tables of two columns, whatever heads them."""
    for table in tables(text):
        if len(table.rows[0]) == _TERM_AND_TEXT:
            rows = [line for line in lines_of(text[: table.place.end]) if line.start >= table.place.start]
            body = [line for line in rows if not _RULE.fullmatch(line.text)][1:]
            yield from _of(table.place, [_row(line, row) for line, row in zip(body, table.rows[1:], strict=True)])


_TERM_AND_TEXT = 2


def _row(line: Span, row: Cells) -> TermText | None:
    if not all(row):
        return None
    start = line.start + line.text.rindex(row[1])
    bare = row[1].rstrip(" ;,.")
    return TermText(folded(row[0]), Span(start, start + len(bare), bare))


def _runs(all_lines: Sequence[Span], belongs: Callable[[Span], bool]) -> Iterator[list[Span]]:
    """Yield the lines one behind the other that belong together; empty lines part the rows of tables alone."""
    run: list[Span] = []
    for line in all_lines:
        if belongs(line):
            run.append(line)
        elif run and (line.text.strip() or run[0].text.count("|") > 1):
            yield run
            run = []
    if run:
        yield run
