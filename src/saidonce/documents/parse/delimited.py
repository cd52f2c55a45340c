"""Parse CSV and other delimited text as one table."""

from __future__ import annotations

import csv
import re
from collections import Counter
from io import StringIO
from itertools import islice

from saidonce.documents.parse.draft import MAX_COLUMNS, DocumentDraft, printable, text_draft
from saidonce.documents.parse.source import MIB, NamedBytes
from saidonce.errors import Refusal

_DELIMITERS = ",;\t|"
_STATED = re.compile(r"\ufeff?\"?sep=([,;\t|])\"?[ \t]*(?:\n|\Z)", re.I)
_SAMPLE_ROWS = 60
MAX_CELL = MIB
MAX_CELLS = 5_000_000

csv.field_size_limit(MAX_CELL)


def read(source: NamedBytes) -> DocumentDraft:
    """Read a delimited table; its delimiter is the one under which the rows agree best."""
    text, draft = text_draft(source)
    if not text.strip(f"{_DELIMITERS}\ufeff\"' \t\r\n"):
        return draft
    text, stated = _declared_delimiter(printable(text))
    try:
        rows, n_cells = [], 0
        for row in csv.reader(StringIO(text, newline=""), delimiter=stated or _delimiter(text, source.extension)):
            rows.append(row)
            n_cells += len(row)
            if n_cells > MAX_CELLS or len(row) > MAX_COLUMNS:
                raise source.refuse(Refusal.TOO_LARGE, f"more than {MAX_CELLS} cells or {MAX_COLUMNS} columns")
    except csv.Error as bad:
        if "field limit" in str(bad):
            raise source.refuse(Refusal.TOO_LARGE, f"a cell has more than {MAX_CELL} characters") from bad
        raise source.refuse(Refusal.CORRUPT, f"its rows cannot be separated: {bad}") from bad
    widths = {len(row) for row in rows if any(cell.strip() for cell in row)}
    if len(widths) > 1:
        draft.warn("its rows differ in length; short ones were filled with empty cells")
    draft.table(rows)
    return draft


def _declared_delimiter(text: str) -> tuple[str, str]:
    """Return a table without a first line such as "sep=;", and the delimiter that this line declares."""
    match = _STATED.match(text)
    return (text[match.end() :], match.group(1)) if match else (text, "")


def _delimiter(text: str, extension: str) -> str:
    if extension in ("tsv", "tab"):
        return "\t"
    scores = {delimiter: _agreement(text, delimiter) for delimiter in _DELIMITERS}
    best = max(_DELIMITERS, key=lambda delimiter: scores[delimiter])
    return best if scores[best] > (0.0, 0) else ","


def _agreement(text: str, delimiter: str) -> tuple[float, int]:
    """Return the share of sample rows with the commonest number of cells, and that number; (0, 0) if it is one."""
    try:
        sample = islice(csv.reader(StringIO(text, newline=""), delimiter=delimiter), _SAMPLE_ROWS)
        widths = [len(row) for row in sample if any(cell.strip() for cell in row)]
    except csv.Error:
        return (0.0, 0)
    wide = Counter(width for width in widths if width > 1)
    if not wide:
        return (0.0, 0)
    width, n_rows = wide.most_common(1)[0]
    return (round(n_rows / len(widths), 1), width)
