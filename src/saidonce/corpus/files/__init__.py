"""Adapter of the port `Corpus`: JSON lines, plain lines, CSV, Parquet and Arrow, and vectors beside them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from saidonce.corpus.files.fields import Fields
from saidonce.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from saidonce.foundation.ports import Corpus

__all__ = ["ALLOWED", "PACKED", "Fields", "extension", "format_of", "open_corpus"]

PACKED = (".gz", ".zst")

ALLOWED = ".jsonl, .ndjson, .txt, .csv, .tsv (each also .gz or .zst), .parquet, .arrow, .feather"


def extension(path: Path) -> str:
    """Return the part of a file's name that names its format, such as ".jsonl.gz"."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in PACKED:
        return "".join(suffixes[-2:])
    return "".join(suffixes[-1:])


def format_of(path: Path) -> str:
    """Return the format that a file's name says without its compression, such as ".jsonl"."""
    kind = extension(path)
    return next((kind.removesuffix(packed) for packed in PACKED if kind.endswith(packed)), kind)


def open_corpus(path: Path, fields: Fields) -> Corpus:
    """Open the corpus in a file, by the end of its name; nothing is read yet.

    Raises:
        NotFoundError: there is no such file.
        UsageError: the name ends in nothing that is known.
    """
    if not path.is_file():
        raise NotFoundError("file", str(path))
    kind = extension(path)
    if kind in (".arrow", ".feather", ".ipc"):
        from saidonce.corpus.files.arrow import ArrowCorpus  # noqa: PLC0415 - needs an extra

        return ArrowCorpus(path, fields)
    if kind == ".parquet":
        from saidonce.corpus.files.parquet import ParquetCorpus  # noqa: PLC0415 - needs an extra

        return ParquetCorpus(path, fields)
    from saidonce.corpus.files.lines import JsonLines, PlainLines  # noqa: PLC0415 - only what is needed
    from saidonce.corpus.files.table import TableLines  # noqa: PLC0415

    known: dict[str, Callable[[Path, Fields], Corpus]] = {
        ".jsonl": JsonLines, ".ndjson": JsonLines, ".txt": PlainLines, ".csv": TableLines, ".tsv": TableLines,
    }  # fmt: skip
    chosen = known.get(format_of(path))
    if chosen is None:
        raise UsageError(f"{str(path)!r} must be one of {ALLOWED}")
    return chosen(path, fields)
