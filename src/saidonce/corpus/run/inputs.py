"""The files of a run: named one by one, by patterns, by folders, or standard input."""

from __future__ import annotations

import glob
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from saidonce.corpus.files import ALLOWED, format_of
from saidonce.errors import NotFoundError, UsageError

STANDARD_INPUT = "-"

_KNOWN = frozenset((".jsonl", ".ndjson", ".txt", ".csv", ".tsv", ".parquet", ".arrow", ".feather", ".ipc"))
_IS_MAGIC = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file of rows.

    Attributes:
        name: how reports name it.
        below: its place below the folder that was named; its own name otherwise.
    """

    path: Path
    name: str
    below: Path


def expand(words: Sequence[str]) -> tuple[InputFile, ...]:
    """Return the files that are named, in the order of the words; those of a pattern or a folder by their name.

    In folders, files that end in nothing known and hidden ones are passed over.

    Raises:
        NotFoundError: a word names no file.
        UsageError: a folder has no file of a known format, or a file is named twice.
    """
    files = [file for word in words for file in _expand(word)]
    seen: set[Path] = set()
    for file in files:
        if file.path.resolve() in seen:
            raise UsageError(f"{file.name!r} is named twice")
        seen.add(file.path.resolve())
    return tuple(files)


def _expand(word: str) -> list[InputFile]:
    path = Path(word)
    if path.is_dir():
        return _inside(path)
    if path.is_file() or not _IS_MAGIC & set(word):
        if not path.is_file():
            raise NotFoundError("file", word)
        return [InputFile(path, word, Path(path.name))]
    matches = sorted(glob.glob(word, recursive=True))  # noqa: PTH207 - patterns may be absolute
    files = [InputFile(Path(match), match, Path(Path(match).name)) for match in matches if Path(match).is_file()]
    if not files:
        raise NotFoundError("file", word, "no files match the pattern")
    return files


def _inside(folder: Path) -> list[InputFile]:
    files = [
        InputFile(path, str(path), path.relative_to(folder))
        for path in sorted(folder.rglob("*"))
        if path.is_file() and format_of(path) in _KNOWN and not path.name.startswith((".", "cache-"))
    ]
    if not files:
        raise UsageError(f"the folder {str(folder)!r} contains none of {ALLOWED}")
    return files


def spool_stdin(source: IO[bytes], path: Path) -> InputFile:
    """Write standard input to a file, since rows are read twice."""
    with path.open("wb") as file:
        shutil.copyfileobj(source, file)
    return InputFile(path, STANDARD_INPUT, Path(path.name))
