"""JSON lines files of evaluation sets, plain or gzipped, read row by row with errors that name the line."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from saidonce.errors import NotFoundError, UsageError


def find(folder: Path, stem: str) -> Path:
    """Return the path of `stem`.jsonl or `stem`.jsonl.gz in a folder.

    Raises:
        NotFoundError: neither is there.
    """
    for name in (f"{stem}.jsonl", f"{stem}.jsonl.gz"):
        if (folder / name).is_file():
            return folder / name
    raise NotFoundError("file", str(folder / f"{stem}.jsonl"), "or the same with .gz")


def read(path: Path, required: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file in order, each with the required fields.

    Raises:
        NotFoundError: there is no such file.
        UsageError: a line is not JSON or lacks a field, and names the line; or the file is a broken gzip.
    """
    if not path.is_file():
        raise NotFoundError("file", str(path))
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield _row(path, number, line, required)
    except (gzip.BadGzipFile, EOFError, zlib.error) as bad:
        raise UsageError(f"{path} is a broken gzip file: {bad}") from bad


def _row(path: Path, number: int, line: bytes, required: tuple[str, ...]) -> dict[str, Any]:
    try:
        row = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as bad:
        raise UsageError(f"{path}, line {number} is not UTF-8 text") from bad
    except json.JSONDecodeError as bad:
        raise UsageError(f"{path}, line {number} is not JSON: {bad.msg}, column {bad.colno}") from bad
    except (ValueError, RecursionError) as bad:
        raise UsageError(f"{path}, line {number} is not JSON: {bad}") from bad
    missing = [name for name in required if not isinstance(row, dict) or name not in row]
    if missing:
        raise UsageError(f"{path}, line {number} lacks {', '.join(missing)}")
    return dict(row)
