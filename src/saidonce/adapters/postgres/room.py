"""Whether a server of our own has failed for want of room."""

from __future__ import annotations

import os
from pathlib import Path

from saidonce.errors import DiskFullError
from saidonce.foundation.disk import MIB, disk_full, free_bytes

NO_SPACE = "No space left on device"
"""What PostgreSQL says of a full disk, in the C locale."""

LOG = "postgres.log"
"""The server's log, in the folder that holds the database and its locks; it begins anew with each launch."""

NEW_BASE = 80 * MIB
"""What a new database takes, with the first part of its log of changes."""

ROOM_TO_START = 24 * MIB
"""What a server needs to recover: a part of its log of changes, and a checkpoint."""

_TAIL = 64 * 1024


def lacks_space(home: Path) -> bool:
    """Return whether the server could not write: it says so and room is short, or there is none even for saying so."""
    free = free_bytes(home)
    if free is None:
        return NO_SPACE in _tail(home / LOG)
    return free < MIB or (free < ROOM_TO_START and NO_SPACE in _tail(home / LOG))


def full(home: Path, needed: int | None = None) -> DiskFullError:
    """Return the error for a database that cannot be written, in the folder that holds it."""
    return disk_full(f"the database in {home}", home, needed)


def _tail(log: Path) -> str:
    try:
        with log.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL))
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""
