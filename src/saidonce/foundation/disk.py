"""What is free on the volume of a file, and the error that says that it is full."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from saidonce.errors import DiskFullError, is_full

MIB = 1024 * 1024


def volume_of(path: Path) -> Path:
    """Return the folder at which the volume of a path is mounted; the path need not exist."""
    place = _existing_parent(path)
    device = place.stat().st_dev
    while place != place.parent and place.parent.stat().st_dev == device:
        place = place.parent
    return place


def free_bytes(path: Path) -> int | None:
    """Return the bytes that we may still write beside a path, 0 if no file can be made; None if nobody knows."""
    try:
        state = os.statvfs(_existing_parent(path))
    except OSError:
        return None
    if state.f_files and not state.f_favail:
        return 0
    return state.f_bavail * state.f_frsize


def disk_full(what: str, path: Path, needed: int | None = None) -> DiskFullError:
    """Return the error for a failed write to a path, with its volume and free space.

    Args:
        what: what could not be written, for people.
        path: a file or folder on the full volume.
        needed: bytes that the writing takes, where that is known.
    """
    try:
        volume = str(volume_of(path))
    except OSError:
        volume = str(path)
    return DiskFullError(what, volume, free_bytes(path), needed)


@contextmanager
def naming_full_disk(path: Path) -> Iterator[None]:
    """Say of what is written to a path that the disk is full, if it is.

    Raises:
        DiskFullError: there is no space left.
    """
    try:
        yield
    except OSError as failed:
        if not is_full(failed):
            raise
        raise disk_full(repr(str(path)), path) from failed


def _existing_parent(path: Path) -> Path:
    place = path.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    return place
