"""Which fields of a record are read, and what is made of their values."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from saidonce.errors import UsageError
from saidonce.foundation.model import CorpusRow

MOST_CHARS = 200_000
"""Characters of a text; a longer one is a file that lost its line ends, and comparing it would take minutes."""

MOST_NAMED = 12
"""Fields that a message about a missing one lists."""


@dataclass(frozen=True, slots=True)
class Fields:
    """Names of fields; an empty name is not read."""

    text: str = "text"
    id: str = ""
    date: str = ""

    def row(self, number: int, content: bytes, record: Mapping[str, Any]) -> CorpusRow:
        """Make a row of a record; a text that is no string, or blank, is no text."""
        text = record.get(self.text)
        if isinstance(text, str) and len(text) > MOST_CHARS:
            return CorpusRow(number, identity(content), None, trouble=f"its text has more than {MOST_CHARS} characters")
        id_ = record.get(self.id) if self.id else None
        return CorpusRow(
            number=number,
            identity=identity(content),
            text=text if isinstance(text, str) and text.strip() else None,
            id="" if id_ is None else str(id_),
            dated_at=moment(record.get(self.date)) if self.date else None,
        )


class Seen:
    """Which fields the records of a file have, to say so where one that is wanted is in none."""

    def __init__(self, fields: Fields, path: str) -> None:
        self._fields = fields
        self._path = path
        self._names: dict[str, None] = {}
        self._lacking = {name for name in (fields.text, fields.id, fields.date) if name}

    def note(self, record: Mapping[str, Any]) -> None:
        """Look at one record."""
        if len(self._names) <= MOST_NAMED:
            self._names.update(dict.fromkeys(record))
        if self._lacking:
            self._lacking -= record.keys()

    def check(self) -> None:
        """Tell which field is in no record.

        Raises:
            UsageError: there are records, and none has it.
        """
        for name in sorted(self._lacking) if self._names else ():
            shown = ", ".join(map(repr, list(self._names)[:MOST_NAMED]))
            raise UsageError(f"no row of {self._path!r} has a field {name!r}; its fields are {shown}")


def identity(content: bytes) -> str:
    """SHA-256 of a row's bytes without its line end, 64 hex digits."""
    return hashlib.sha256(content.rstrip(b"\r\n")).hexdigest()


def moment(value: object) -> float | None:
    """Seconds since 1970 of an ISO date, a number of seconds or a datetime; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    if not isinstance(value, datetime):
        return None
    return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
