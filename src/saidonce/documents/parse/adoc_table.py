"""The rows of an AsciiDoc table."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

_CELL = re.compile(
    r"(?<!\\)(?:(?<=\s)|^)((?:(?:\d+)?(?:\.\d+)?[+*])?(?:[<^>](?:\.[<^>])?|\.[<^>])?[aehlmsvd]?)\|", re.M
)
_ANY_BAR = re.compile(r"(?<!\\)\|")
_SPAN = re.compile(r"(\d+)?(?:\.(\d+))?([+*])")
_COLS = re.compile(r'cols\s*=\s*(?:"([^"]*)"|([^,\]]+))')
_FORMAT = re.compile(r"format\s*=\s*\"?(csv|dsv|tsv|psv)")
MAX_COLUMNS = 200


def rows_of(lines: Sequence[str], kind: str, style: str, plain: Callable[[str], str]) -> list[list[str]]:
    """Return the rows of a table.

    Args:
        kind: first character of its delimiter: "|", "!" in a table in a table, "," or ":".
        style: the attributes before it, which may define its columns.
        plain: returns the text of a cell without markup.
    """
    form = _FORMAT.search(style)
    if kind in ",:" or (form and form.group(1) != "psv"):
        name = form.group(1) if form else {",": "csv", ":": "dsv"}[kind]
        sign = {"csv": ",", "tsv": "\t", "dsv": ":"}[name]
        return [
            [plain(cell.strip()) for cell in row] for row in csv.reader([x for x in lines if x.strip()], delimiter=sign)
        ]
    text = "\n".join(line.replace("!", "|") if kind == "!" else line for line in lines)
    cells = [(plain(cell), down) for cell, down in _cells(text)]
    width = _width(style) or _first_row(lines)
    return list(_placed(cells, width)) if width else []


def _cells(text: str) -> Iterator[tuple[str, int]]:
    """Yield the text of each cell with the rows that it spans; a repeated cell is yielded once for each repeat."""
    marks = list(_CELL.finditer(text)) if _CELL.search(text) else []
    bars = {match.end() for match in marks}
    places = [(m.start(), m.end(), m.group(1)) for m in marks]
    places += [(m.start(), m.end(), "") for m in _ANY_BAR.finditer(text) if m.end() not in bars]
    places.sort()
    for at, (_, end, how) in enumerate(places):
        stop = places[at + 1][0] if at + 1 < len(places) else len(text)
        span = _SPAN.match(how)
        across = min(int(span.group(1) or 1), MAX_COLUMNS) if span else 1
        down = min(int(span.group(2) or 1), MAX_COLUMNS) if span and span.group(3) == "+" else 1
        content = text[end:stop].replace("\\|", "|").strip()
        for _ in range(across):
            yield " ".join(content.split()), down


def _placed(cells: list[tuple[str, int]], width: int) -> Iterator[list[str]]:
    hanging: dict[int, tuple[int, str]] = {}
    source = iter(cells)
    while True:
        row: list[str] = []
        n_new = 0
        while len(row) < width:
            if (at := len(row)) in hanging:
                left, text = hanging.pop(at)
                if left > 1:
                    hanging[at] = (left - 1, text)
                row.append(text)
                continue
            following = next(islice(source, 1), None)
            if following is None:
                break
            n_new += 1
            if following[1] > 1:
                hanging[len(row)] = (following[1] - 1, following[0])
            row.append(following[0])
        if not n_new:
            return
        yield row


def _width(style: str) -> int:
    match = _COLS.search(style)
    if not match:
        return 0
    stated = (match.group(1) or match.group(2) or "").strip()
    total = 0
    for column in re.split(r"[,;]", stated):
        repeat = re.match(r"\s*(\d+)\*", column)
        total += int(repeat.group(1)) if repeat else 1
    if stated.isdigit():
        return 1
    return min(total, MAX_COLUMNS)


def _first_row(lines: Sequence[str]) -> int:
    """Return the number of cells of the first line that has any."""
    first = next((line for line in lines if _ANY_BAR.search(line)), "")
    return min(sum(1 for _ in _cells(first)), MAX_COLUMNS)
