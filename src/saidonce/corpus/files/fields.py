"""The fields of a record, and their values."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from saidonce.errors import UsageError
from saidonce.foundation.model import CorpusRow

MOST_CHARS = 200_000
"""Characters of a text, at most; a longer one is a file without its line ends, and would take minutes to compare."""

MOST_NAMED = 12
"""Fields listed in the message about a missing one."""


@dataclass(frozen=True, slots=True)
class Fields:
    """Names of fields; an empty name is not read."""

    text: str = "text"
    id: str = ""
    date: str = ""
    vector: str = ""

    def row(self, number: int, content: bytes, record: Mapping[str, Any], vector: bytes | None = None) -> CorpusRow:
        """Return a record as a row; a text that is no string, or blank, counts as missing.

        Args:
            number: of the row in its file, from 1.
            content: the bytes that identify it.
            record: its cells by name.
            vector: what `numbers` returns for its vector; read from the record if None.
        """
        text = record.get(self.text)
        if isinstance(text, str) and len(text) > MOST_CHARS:
            return CorpusRow(number, identity(content), None, trouble=f"its text has more than {MOST_CHARS} characters")
        id_ = record.get(self.id) if self.id else None
        has_text, packed, trouble = isinstance(text, str) and bool(text.strip()), b"", ""
        if self.vector and has_text:
            packed = numbers(record.get(self.vector)) if vector is None else vector
            if not packed:
                has_text, trouble = False, f"its field {self.vector!r} is not a vector of finite numbers, not all 0"
        return CorpusRow(
            number=number,
            identity=identity(content),
            text=str(text) if has_text else None,
            id="" if id_ is None else str(id_),
            dated_at=moment(record.get(self.date)) if self.date else None,
            vector=packed,
            trouble=trouble,
        )


class FieldCheck:
    """Field names of a file's records, to report a field that is in none of them."""

    def __init__(self, fields: Fields, path: str) -> None:
        self._fields = fields
        self._path = path
        self._names: dict[str, None] = {}
        self._lacking = {name for name in (fields.text, fields.id, fields.date, fields.vector) if name}

    def note(self, record: Mapping[str, Any]) -> None:
        """Add the field names of one record."""
        if len(self._names) <= MOST_NAMED:
            self._names.update(dict.fromkeys(record))
        if self._lacking:
            self._lacking -= record.keys()

    def check(self) -> None:
        """Refuse a field that is in no record.

        Raises:
            UsageError: there are records, and none has it.
        """
        for name in sorted(self._lacking) if self._names else ():
            shown = ", ".join(map(repr, list(self._names)[:MOST_NAMED]))
            raise UsageError(f"no row of {self._path!r} has a field {name!r}; its fields are {shown}")


def identity(content: bytes) -> str:
    """Return the SHA-256 of a row's bytes without its line end, 64 hex digits."""
    return hashlib.sha256(content.rstrip(b"\r\n")).hexdigest()


def numbers(value: object) -> bytes:
    """Return a vector as float32 numbers, little-endian; empty for anything but finite numbers, not all 0."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return b""
    if not isinstance(value, (list, tuple, np.ndarray)):
        return b""
    try:
        vector = np.asarray(value, dtype="<f4")
    except (ValueError, TypeError):
        return b""
    if vector.ndim != 1 or not np.isfinite(vector).all() or not vector.any():
        return b""
    return vector.tobytes()


def moment(value: object) -> float | None:
    """Return seconds since 1970 of an ISO date, a number of seconds or a datetime; None for anything else."""
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
