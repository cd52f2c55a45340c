"""Whether a point of a list, or a clause, states each cell of a row of a table with its heading, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from saidonce.foundation.text import sentences
from saidonce.matching.facts.lexicon import answers, language_table, table, words_of
from saidonce.matching.facts.numerals import months, weekdays
from saidonce.matching.facts.plain.stretches import Cells, Extent, Grid, folded, lists
from saidonce.matching.facts.plain.tables import LONGEST_SENTENCE, ways

_PLURAL = "(?:e[nrs]?|[ns])"
"""What the plural of a heading may have more: "seat", "seats"."""
_SHORTEST = 3

_BEFORE, _BEHIND = r"(?<!\w)", r"(?!\w)"


@cache
def _any_of(language: str, name: str) -> str:
    """Return the members of a list as alternatives of an expression; one that finds nothing without any."""
    listed = str(table("layouts").get(language, {}).get(name, ""))
    members = listed.split("|") if name not in _SINGLE_WORDS else listed.split()
    return "|".join(sorted(map(re.escape, filter(None, members)), key=len, reverse=True)).casefold() or "(?!)"


_SINGLE_WORDS = ("joins", "leads", "owned")


def is_one_of(written: str, language: str, name: str) -> bool:
    """Return whether a heading is a member of a list."""
    return re.fullmatch(_any_of(language, name), written) is not None


@cache
def _answer(language: str, name: str) -> frozenset[str]:
    return frozenset((*(word for word, of in answers(language).items() if of == name), *_TICKS[name]))


def is_answer(written: str, language: str) -> bool:
    """Return whether a cell says no more than yes or no; or in any language, if its language is not known."""
    return any(written in _answer(language, name) for name in _TICKS)


_TICKS = {"yes": "\u2713\u2714", "no": "\u2717\u2718"}
"""Marks in a cell that stand for a word: a tick, and a cross."""


def _labelled(label: str) -> str:
    """Return an expression for a heading, in singular or plural."""
    written = []
    for word in label.split():
        stem = re.sub(f"{_PLURAL}$", "", word)
        forms = f"{re.escape(word)}|{re.escape(stem)}" if len(stem) >= _SHORTEST else re.escape(word)
        written.append(f"(?:{forms}){_PLURAL}?")
    return r"\s".join(written)


def _counted(label: str, value: str) -> str:
    """Return an expression for a heading behind its figure; "rooms" are counted, a "room" has a number.

    Only a heading in the plural is written otherwise behind one: "1 seat".
    """
    if value != "1":
        return r"\s".join(map(re.escape, label.split()))
    stem = re.sub(f"{_PLURAL}$", "", label)
    return re.escape(stem) if stem != label and len(stem) >= _SHORTEST else "(?!)"


def _is_figure(value: str) -> bool:
    return re.match(r"[\u20ac$\u00a3]?\s?\d", value) is not None


@dataclass(frozen=True, slots=True)
class Heading:
    """The headings of a table, in a language."""

    labels: Cells
    language: str

    @property
    def key(self) -> str:
        """What heads the first column."""
        return self.labels[0]

    @property
    def has_one_price(self) -> bool:
        """Whether one column alone states a sum that may be meant by "costs"."""
        return sum(is_one_of(label, self.language, "price") for label in self.labels[1:]) == 1

    def names_rows(self, heads: Sequence[str], context: str) -> bool:
        """Return whether what heads the first column is stated in a text, or shown by the names below it.

        A figure does not show what it is: 8:40 may be the departure or arrival.
        """
        if not self.key or any(is_one_of(self.key, self.language, name) for name in ("kinds", "who", "tasks")):
            return True
        if re.search(f"{_BEFORE}{_labelled(plain(self.key))}{_BEHIND}", plain(context)):
            return True
        known = {word for table in (weekdays(self.language), months(self.language)) for word in table}
        return bool(heads) and all(head.split(" ")[0] in known for head in heads)

    def is_bare_lead(self, lead: str) -> bool:
        """Return whether a line above a list only says of what things it is: "The options are:"."""
        bare = plain(folded(lead))
        if not self.key or not lead.rstrip().endswith(":"):
            return False
        joins = "|".join(_any_of(self.language, name) for name in ("joins", "leads"))
        return (
            re.fullmatch(rf"(?:(?:{plain(joins)})\s)*{_labelled(plain(self.key))}(?:\s(?:{plain(joins)}))*", bare)
            is not None
        )


def plain(text: str) -> str:
    """Return a text in small letters without the marks above vowels: a plural may have them."""
    return text.casefold().translate(_MARKS)


_MARKS = str.maketrans("äöüáéíóúàèìòùâêîôûñç", "aouaeiouaeiouaeiounc")


@dataclass(frozen=True)
class Row:
    """A row of a table with its headings."""

    heading: Heading
    cells: Cells

    @property
    def head(self) -> str:
        """What the row is of."""
        return self.cells[0]

    def is_stated(self, unit: str, *, bare: bool = False) -> bool:
        """Return whether a stretch that begins behind the name of the row states its cells and nothing else.

        Args:
            bare: the only cell needs no heading, since a clause before this one has it.
        """
        is_bare = bare and len(self.cells) == _NAME_AND_VALUE
        forms, nothing = (self._bare, self._joint) if is_bare else (self._forms, self.nothing)
        left = frozenset(range(1, len(self.cells)))
        return len(unit) <= LONGEST_SENTENCE and _accounts(unit, left, (forms, nothing))

    @cached_property
    def nothing(self) -> re.Pattern[str]:
        """What states nothing between two cells: a mark, a word that joins, an article, the heading of the names."""
        return self._without_statement(_any_of(self.heading.language, "joins"))

    @cached_property
    def _joint(self) -> re.Pattern[str]:
        """The same where a verb stands before the first of several clauses alone."""
        return self._without_statement(ways(self.heading.language).get("and", "(?!)"))

    def _without_statement(self, joins: str) -> re.Pattern[str]:
        key = f"|{_labelled(self.heading.key)}" if self.heading.key else ""
        words = f"{joins}|{_articles(self.heading.language)}{key}"
        return re.compile(rf"[\s,;.:()\u2013\u2014-]|{_BEFORE}(?:{words}){_BEHIND}['\u2019]?")

    @cached_property
    def _forms(self) -> dict[int, re.Pattern[str]]:
        return {n: re.compile("|".join(self._ways(n))) for n in range(1, len(self.cells))}

    @cached_property
    def _bare(self) -> dict[int, re.Pattern[str]]:
        return {1: re.compile(f"{'|'.join(self._ways(1))}|{_valued(self.cells[1])}")}

    def _ways(self, n: int) -> Iterator[str]:
        """Yield the expressions of all ways to state a cell with its heading."""
        label, value, language = self.heading.labels[n], self.cells[n], self.heading.language
        written = _valued(value)
        if is_one_of(label, language, "explains"):
            yield written
        elif self._shows_itself(n):
            yield rf"(?<=[:=(\u2013\u2014]){written}|(?<=[:=(\u2013\u2014]\s){written}"
        if not label:
            return
        named = f"{_BEFORE}{_labelled(label)}{_BEHIND}"
        owned = "" if _is_figure(value) else rf"(?!(?:{_any_of(language, 'owned')}){_BEHIND})"
        leads = rf"(?:{owned}(?:{_any_of(language, 'leads')}){_BEHIND}['\u2019]?\s?)*"
        yield rf"{named}(?:\s*[:=\u2013\u2014]\s*|\s){leads}{written}"
        if value[:1].isdigit():
            yield rf"{written}\s{_BEFORE}{_counted(label, value)}{_BEHIND}"
        if _SUM.fullmatch(value):
            behind = rf"\s(?:{_any_of(language, 'for')})\s(?:(?:{_articles(language)})\s)?"
            yield rf"{written}{behind}{named}"
        if value in _answer(language, "yes"):
            yield rf"{named}(?:\s(?:{_any_of(language, 'present')}){_BEHIND})?"
        if value in _answer(language, "no"):
            without = _any_of(language, "without")
            reached = rf"\s(?:{ways(language).get('and', '(?!)')})\s(?!\d|(?:{without}){_BEHIND})"
            yield rf"{_BEFORE}(?:{without})(?:\s|(?<=['\u2019])){named}(?!{reached})"
            yield rf"{named}\s(?:{_any_of(language, 'lacking')}){_BEHIND}"
        if is_one_of(label, language, "price") and self.heading.has_one_price:
            yield rf"{_BEFORE}(?:{_any_of(language, 'pays')})\s{written}"

    def _shows_itself(self, n: int) -> bool:
        """Return whether a cell says who does the task that the row is of, or which task whom the row is of does."""
        labels, language = self.heading.labels, self.heading.language
        sides = ((labels[0], labels[n]), (labels[n], labels[0]))
        return any(is_one_of(a, language, "who") and is_one_of(b, language, "tasks") for a, b in sides)


_NAME_AND_VALUE = 2
_SUM = re.compile(r"[\u20ac$\u00a3]?\s?\d[\d.,]*(?:\s?[\u20ac$\u00a3]|\s(?:euros?|eur|pounds|dollars))?")


def _accounts(unit: str, left: frozenset[int], forms: _Forms) -> bool:
    """Return whether a stretch is made of some cells, each once, and of what states nothing."""
    stated, nothing = forms
    seen = {(0, left)}
    ahead = [(0, left)]
    while ahead:
        at, left = ahead.pop()
        if at == len(unit) and not left:
            return True
        hits = [(hit.end(), left - {n}) for n in left if (hit := stated[n].match(unit, at))]
        if (hit := nothing.match(unit, at)) and hit.end() > at:
            hits.append((hit.end(), left))
        ahead += [state for state in hits if state not in seen]
        seen.update(hits)
    return False


_Forms = tuple[dict[int, re.Pattern[str]], re.Pattern[str]]
"""The ways to state each cell, by its column, and what states nothing."""


@cache
def _articles(language: str) -> str:
    return "|".join(sorted(words_of(language_table(language).get("articles", "")), key=len, reverse=True)) or "(?!)"


def _valued(value: str) -> str:
    return rf"(?<![\w.,]){re.escape(value)}{_BEHIND}(?![.,]\d)"


def columns_of(table: Grid, language: str) -> list[Row]:
    """Return the columns of a table as rows, where the names of its rows show of what kind they are."""
    rows = rows_of(table, language)
    if not rows or not rows[0].heading.names_rows([row.head for row in rows], ""):
        return []
    across = zip(rows[0].heading.labels, *(row.cells for row in rows), strict=True)
    names, *columns = (tuple(column) for column in across)
    heading = Heading(("", *names[1:]), language)
    return [Row(heading, column) for column in columns]


def rows_of(table: Grid, language: str) -> list[Row]:
    """Return the rows of a table; none where a cell is empty, names no row by itself or leads to a note."""
    if any(_NOTED.search(cell) for cells in table.rows for cell in cells):
        return []
    heading = Heading(tuple(map(folded, table.rows[0])), language)
    rows = [Row(heading, tuple(map(folded, cells))) for cells in table.rows[1:]]
    heads = {row.head for row in rows}
    is_whole = all(all(row.cells) for row in rows) and all(heading.labels[1:]) and len(heads) == len(rows)
    return rows if is_whole and len(set(heading.labels)) == len(heading.labels) else []


_NOTED = re.compile(r"^[^*]*[^*\s]\*{1,3}$|[\u2020\u2021\u00b9\u00b2\u00b3]$|[^\s(]\^?\[?\^\d{1,2}\]$|~~")
"""A cell that ends with the mark of a note, or has words struck out."""


def stated_in_points(rows: Sequence[Row], text: str) -> Iterator[Extent]:
    """Yield the lists of a text of which each point states one of the rows, with a line above that only names them.

    A longer list may have other points in front of these and behind them.
    """
    for points in lists(text):
        for first in range(len(points.points) - len(rows) + 1):
            stated = points.points[first : first + len(rows)]
            if _state_each(rows, [folded(point.text) for point in stated], points.lead.text):
                start = text.rindex("\n", 0, stated[0].start) + 1 if first else points.place.start
                start = points.lead.start if not first and rows[0].heading.is_bare_lead(points.lead.text) else start
                yield Extent(start, stated[-1].end)


def _state_each(rows: Sequence[Row], units: Sequence[str], lead: str) -> bool:
    """Return whether each of as many points states one of the rows, and what the rows are of is shown."""
    if not rows[0].heading.names_rows([row.head for row in rows], lead + " ".join(units)):
        return False
    of_units = [next((row for row in rows if _behind_name(row, unit) is not None), None) for unit in units]
    is_each = len({id(row) for row in of_units}) == len(rows)
    return is_each and all(
        row and row.is_stated(_behind_name(row, unit) or "") for row, unit in zip(of_units, units, strict=True)
    )


def _behind_name(row: Row, unit: str) -> str | None:
    """Return a point without the name of the row that it begins with."""
    for before in (row.head, f"{row.heading.key} {row.head}"):
        rest = unit.removeprefix(before)
        if rest != unit and not rest[:1].isalnum():
            return re.sub(r"^[*_`]+", "", rest)
    hit = _as_a_place(row.head, row.heading.key, row.heading.language).match(unit) if row.heading.key else None
    return unit[hit.end() :] if hit else None


@cache
def _as_a_place(head: str, key: str, language: str) -> re.Pattern[str]:
    """Return the expression for the name of a row in front of what heads the names: "in odd weeks"."""
    ending = "(?:e?[nrsm]|e)?" if language in _INFLECTED and head.isalpha() else ""
    at = rf"(?:(?:{_any_of(language, 'at')})\s)?"
    either = rf"(?:{re.escape(head)}{ending}\s{_labelled(key)}|{_labelled(key)}\s{re.escape(head)}s?)"
    return re.compile(rf"{at}{either}(?!\w)")


_INFLECTED = ("de", "nl")
"""Languages in which an adjective has an ending before its noun."""


def by_person(table: Grid, language: str) -> list[Row]:
    """Return the rows of a table of tasks by who does each, if nobody does two."""
    rows = rows_of(table, language)
    labels = rows[0].heading.labels if rows else ()
    who = next((n for n, label in enumerate(labels) if n and is_one_of(label, language, "who")), 0)
    if not who or not is_one_of(labels[0], language, "tasks") or len({row.cells[who] for row in rows}) != len(rows):
        return []
    heading = Heading(_first(labels, who), language)
    return [Row(heading, _first(row.cells, who)) for row in rows]


def _first(cells: Cells, n: int) -> Cells:
    return (cells[n], *cells[:n], *cells[n + 1 :])


def stated_in_sentences(rows: Sequence[Row], text: str) -> Iterator[Extent]:
    """Yield the stretch of whole sentences that states one row after the other, by their names."""
    spans = sentences(text)
    named = [n for n, s in enumerate(spans) if any(_places(row.head, s.text) for row in rows)]
    for first in named:
        for last in (n for n in named if first <= n < first + len(rows)):
            start, end = spans[first].start, spans[last].end
            if _is_stated(rows, text[start:end]):
                yield Extent(start, end)


def _places(head: str, text: str) -> list[int]:
    return [hit.start() for hit in re.finditer(f"{_BEFORE}{re.escape(head)}{_BEHIND}", text.casefold())]


def _is_stated(rows: Sequence[Row], stretch: str) -> bool:
    """Return whether a stretch is made of clauses that begin with the name of a row, and state it."""
    stretch = re.sub("[*_]{1,3}", "", stretch)
    if len(stretch) > LONGEST_SENTENCE * 2 or len(stretch) != len(stretch.casefold()):
        return False
    placed = [(places[0], row) for row in rows if len(places := _places(row.head, stretch)) == 1]
    if len(placed) != len(rows) or not rows[0].heading.names_rows([row.head for row in rows], stretch):
        return False
    placed.sort(key=lambda pair: pair[0])
    small = stretch.casefold()
    if not _opens(rows[0], small[: placed[0][0]]):
        return False
    ends = [*(at for at, _ in placed[1:]), len(small)]
    units = [(row, small[at + len(row.head) : end]) for (at, row), end in zip(placed, ends, strict=True)]
    return all(row.is_stated(unit, bare=n > 0) for n, (row, unit) in enumerate(units))


def _opens(row: Row, before: str) -> bool:
    """Return whether nothing but an article and the heading of the names stands before the first name."""
    at = 0
    while at < len(before) and (hit := row.nothing.match(before, at)) and hit.end() > at:
        at = hit.end()
    return at == len(before)
