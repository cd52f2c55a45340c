"""Parse a table of homes into rows, with every flaw named by its line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from saidonce.foundation.model.residents import Home, Property, Resident, Tenancy
from saidonce.foundation.text import digest

COLUMNS = {
    "address": "street and number, such as 12 Elm Road; needed",
    "unit": "what tells homes of one address apart, such as Flat 2",
    "building": "name that homes of one building share",
    "postcode": "as the post writes it",
    "resident": "full name; needed",
    "phones": "numbers with country code, such as +447700900001, several separated by ;",
    "starts": "first day, such as 2026-01-31; empty means since long ago",
    "ends": "first day after the tenancy; empty means until further notice",
    "property_id": "your own id of the property; one is made of its address if empty",
    "resident_id": "your own id of the resident; one is made of name and first number if empty",
    "tenancy_id": "your own id of the tenancy; one is made of property and resident if empty",
}
"""Columns of a table, and their meaning."""

NEEDED = ("address", "resident")
MAX_CHARS = 200
MAX_ROWS = 100_000
LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)

_PHONE = re.compile(r"\+[1-9]\d{6,14}")
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


@dataclass(frozen=True, slots=True)
class HomeRow:
    """A valid line of the table; lines count from 1, the heading included."""

    line: int
    home: Home


@dataclass(frozen=True, slots=True)
class Flaw:
    """The reason against a line; `column` is empty if it concerns the whole line."""

    line: int
    column: str
    why: str

    def __str__(self) -> str:
        return f"line {self.line}: {f'{self.column}: ' if self.column else ''}{self.why}"


@dataclass(frozen=True, slots=True)
class TenancySheet:
    """A parsed table: valid lines, and flaws, each in the order of lines."""

    rows: tuple[HomeRow, ...]
    flaws: tuple[Flaw, ...]


class _FlawError(ValueError):
    """An unreadable cell."""

    def __init__(self, column: str, why: str) -> None:
        self.column = column
        self.why = why
        super().__init__(why)


def read_sheet(content: str) -> TenancySheet:
    """Parse a table of homes: comma or semicolon separated, with a heading and columns in any order.

    Lines with a flaw are left out. Of two lines with one tenancy, the second is a flaw.
    """
    text = content.removeprefix("\ufeff")
    first = text.partition("\n")[0]
    separator = ";" if first.count(";") > first.count(",") else ","
    reader = csv.reader(io.StringIO(text), delimiter=separator, strict=True)
    try:
        lines = [(reader.line_num, row) for row in reader]
    except csv.Error as bad:
        return TenancySheet((), (Flaw(reader.line_num, "", f"not a valid table: {bad}"),))
    if not lines or len(lines) > MAX_ROWS:
        return TenancySheet((), (Flaw(1, "", "the table is empty" if not lines else f"more than {MAX_ROWS} lines"),))
    heading = [name.strip().casefold() for name in lines[0][1]]
    if flaw := _heading_flaw(heading):
        return TenancySheet((), (Flaw(1, "", flaw),))
    return _read(heading, lines[1:])


def _heading_flaw(heading: list[str]) -> str:
    unknown = [name for name in heading if name not in COLUMNS]
    missing = [name for name in NEEDED if name not in heading]
    if unknown:
        return f"unknown columns {', '.join(map(repr, unknown))}; known are {', '.join(COLUMNS)}"
    if missing or len(set(heading)) != len(heading):
        return f"required columns are {', '.join(NEEDED)}, each column once"
    return ""


def _read(heading: list[str], lines: list[tuple[int, list[str]]]) -> TenancySheet:
    rows: list[HomeRow] = []
    flaws: list[Flaw] = []
    known: dict[str, int] = {}
    for line, cells in lines:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(heading):
            flaws.append(Flaw(line, "", f"{len(cells)} cells, the heading has {len(heading)}"))
            continue
        try:
            home = _home({name: cell.strip() for name, cell in zip(heading, cells, strict=True)})
        except _FlawError as bad:
            flaws.append(Flaw(line, bad.column, bad.why))
            continue
        if home.tenancy.id in known:
            flaws.append(Flaw(line, "", f"the same tenancy as line {known[home.tenancy.id]}"))
            continue
        known[home.tenancy.id] = line
        rows.append(HomeRow(line, home))
    return TenancySheet(tuple(rows), tuple(flaws))


def _home(cells: Mapping[str, str]) -> Home:
    for column, cell in cells.items():
        if len(cell) > MAX_CHARS or not cell.isprintable():
            raise _FlawError(column, f"longer than {MAX_CHARS} characters, or not printable")
    for column in NEEDED:
        if not cells[column]:
            raise _FlawError(column, "a value is required")
    phones = _phones(cells.get("phones", ""))
    place = {name: cells.get(name, "") for name in ("address", "unit", "building", "postcode")}
    where = _explicit_id(cells, "property_id") or digest("property", place["address"], place["unit"], place["postcode"])
    who = _explicit_id(cells, "resident_id") or digest("resident", cells["resident"].casefold(), *phones[:1])
    starts = _day(cells, "starts") or LONG_AGO
    ends = _day(cells, "ends")
    if ends is not None and ends <= starts:
        raise _FlawError("ends", "is not after the first day")
    tenancy = _explicit_id(cells, "tenancy_id") or digest("tenancy", where, who)
    return Home(
        Tenancy(tenancy, where, who, starts, ends), Property(where, **place), Resident(who, cells["resident"], phones)
    )


def _phones(cell: str) -> tuple[str, ...]:
    numbers = []
    for written in filter(None, (p.strip() for p in cell.split(";"))):
        number = re.sub(r"[\s().\-/]", "", written)
        number = f"+{number[2:]}" if number.startswith("00") else number
        if not _PHONE.fullmatch(number):
            raise _FlawError("phones", f"{written!r} is not a number with country code, such as +447700900001")
        numbers.append(number)
    return tuple(dict.fromkeys(numbers))


def _explicit_id(cells: Mapping[str, str], column: str) -> str:
    cell = cells.get(column, "")
    if cell and not _ID.fullmatch(cell):
        raise _FlawError(column, "use letters, digits, '.', '_' and '-', 64 at most")
    return cell


def _day(cells: Mapping[str, str], column: str) -> datetime | None:
    cell = cells.get(column, "")
    if not cell:
        return None
    try:
        return datetime.strptime(cell, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise _FlawError(column, f"{cell!r} is not a date such as 2026-01-31") from None
