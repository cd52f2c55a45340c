"""Compressed files of lines, by the end of their names: gzip, and Zstandard through the extra `zstd`."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from io import BufferedReader
from pathlib import Path
from typing import IO, Any

from saidonce.foundation import extras


@contextmanager
def reading(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for reading, unpacked.

    Raises:
        MissingExtraError: it needs an extra that is not installed.
    """
    kind = path.suffix.lower()
    if kind == ".gz":
        with gzip.open(path, "rb") as file:
            yield file  # type: ignore[misc]  # it reads bytes, as IO does
    elif kind == ".zst":
        with (
            path.open("rb") as packed,
            _zstandard(f"reading {str(path)!r}")
            .ZstdDecompressor()
            .stream_reader(packed, read_across_frames=True) as unpacked,
        ):
            yield BufferedReader(unpacked)
    else:
        with path.open("rb") as file:
            yield file


@contextmanager
def writing(file: IO[bytes], path: Path) -> Iterator[IO[bytes]]:
    """Compress the output if the file's name says so; without a time, so that equal rows give equal bytes.

    Raises:
        MissingExtraError: it needs an extra that is not installed.
    """
    kind = path.suffix.lower()
    if kind == ".gz":
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
            yield packed  # type: ignore[misc]  # it writes bytes, as IO does
    elif kind == ".zst":
        with _zstandard(f"writing {str(path)!r}").ZstdCompressor().stream_writer(file, closefd=False) as packed:
            yield packed
    else:
        yield file


def damage() -> type[Exception]:
    """Return what reading damaged Zstandard raises; where it cannot be read at all, an error that nothing raises."""
    if not extras.is_installed("zstd"):
        return EOFError
    error: type[Exception] = import_module("zstandard").ZstdError
    return error


def _zstandard(purpose: str) -> Any:
    extras.need("zstd", purpose)
    return import_module("zstandard")
