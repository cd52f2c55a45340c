"""Files: digests of their bytes and of a JSON object that names its own, and outputs that are whole or absent."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, 64 hex digits; it is read in pieces.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def seal_of(body: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a JSON object without its member `sha256`, 64 hex digits, whatever the order of keys."""
    content = json.dumps({k: v for k, v in body.items() if k != "sha256"}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(content.encode("utf-8")).hexdigest()


@contextmanager
def whole_file(file: Path, *, is_private: bool = False, is_new: bool = False) -> Iterator[BinaryIO]:
    """Yield a file that gets its name when all of it is on the disk: whoever is killed before leaves the former one.

    What is no ordinary file, such as `/dev/stdout`, is written as it is.

    Args:
        file: its place.
        is_private: whether only its owner may read it.
        is_new: whether to refuse to replace a file.

    Raises:
        FileExistsError: it is there already, and has to be new.
        OSError: it cannot be written.
    """
    if is_new and file.exists():
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(file))
    if file.exists() and not file.is_file():
        with file.open("wb") as target:
            yield target
        return
    place = file.resolve()
    part = place.with_name(f".{place.name}.part")
    part.unlink(missing_ok=True)
    try:
        opened = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if is_private else 0o666)
        with os.fdopen(opened, "wb") as target:
            yield target
            target.flush()
            os.fsync(target.fileno())
        part.replace(place)
    finally:
        part.unlink(missing_ok=True)


def write_whole(file: Path, text: str) -> None:
    """Write a text as UTF-8; see `whole_file`.

    Raises:
        OSError: it cannot be written.
    """
    with whole_file(file) as target:
        target.write(text.encode("utf-8"))
