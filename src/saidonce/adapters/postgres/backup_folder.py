"""A folder of backups: whole copies of an embedded database, and the log of writes (WAL) that followed them.

    FOLDER/backups.json          whose database it is; nothing of another one is ever put beside it
    FOLDER/base-20261122T191500Z a copy: `database` with PostgreSQL's own manifest, `files`, and `backup.json`
    FOLDER/wal/*.gz              segments of the log, complete ones only
    FOLDER/wal/collected.jsonl   up to which moment the log is there

A copy is made under a name that begins with a dot and renamed when it is on the disk: what has its name is whole.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import re
import shutil
import signal
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from saidonce.errors import BackupError, UsageError
from saidonce.foundation.files import whole_file

MARK = "backups.json"
ACCOUNT = "backup.json"
DATABASE = "database"
FILES = "files"
WAL = "wal"
COLLECTED = "collected.jsonl"
DRAFT = ".making-"
FORMAT = 1
_POLL_S = 0.02

_NAME = re.compile(r"base-[0-9]{8}T[0-9]{6}Z(?:-[0-9]+)?")
_SEGMENT = re.compile(r"[0-9A-F]{24}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_BESIDE = re.compile(r"session\.secret|sessions\.ended/[A-Za-z0-9_-][A-Za-z0-9._-]{0,254}")
"""What lies beside a database and goes with it."""


@dataclass(frozen=True, slots=True)
class BaseBackup:
    """One whole copy of a database.

    Attributes:
        name: of its folder.
        ended_at: the earliest time that it can be restored to, by the clock of the database.
        n_bytes: size of the database's files.
        server: version of PostgreSQL.
        saidonce: version of the program that made it.
        timeline: the database's own count of its restorations.
        segment: first segment of the log that a restoration needs.
        manifest: SHA-256 of PostgreSQL's manifest.
        files: SHA-256 of the files beside the database, by path.
    """

    name: str
    began_at: datetime
    ended_at: datetime
    n_bytes: int
    server: str
    saidonce: str
    timeline: int
    segment: str
    manifest: str
    files: dict[str, str]


@dataclass(frozen=True, slots=True)
class Collected:
    """The log is there up to a moment.

    Attributes:
        until: latest moment that can be restored to, by the clock of the database.
        segment: last segment of it.
    """

    until: datetime
    timeline: int
    segment: str


@dataclass(frozen=True, slots=True)
class FolderMark:
    """Whose backups a folder holds.

    Attributes:
        system: PostgreSQL's identifier of the database.
        slot: what keeps the log in the database until it is collected.
    """

    system: str
    slot: str
    format: int = FORMAT


_ACCOUNT, _COLLECTED, _MARK = TypeAdapter(BaseBackup), TypeAdapter(Collected), TypeAdapter(FolderMark)


class BackupFolder:
    """A folder of backups on this machine.

    Args:
        path: the folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.expanduser().resolve()
        self.wal = self.path / WAL

    def mark(self) -> FolderMark | None:
        """Return whose backups these are; None if the folder holds none.

        Raises:
            BackupError: the note is damaged or of a later version.
        """
        try:
            written = (self.path / MARK).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        try:
            mark = _MARK.validate_json(written)
        except ValidationError as bad:
            raise BackupError(str(self.path), f"{MARK} cannot be read; it was damaged") from bad
        if mark.format != FORMAT:
            raise BackupError(
                str(self.path), f"it was made by a newer version of saidonce (format {mark.format}); use that version"
            )
        return mark

    def claim(self, system: str) -> FolderMark:
        """Take an empty folder for the backups of one database, or confirm that it is that one's.

        Raises:
            UsageError: the folder holds something else, or another database's backups.
        """
        if (mark := self.mark()) is not None:
            if mark.system != system:
                raise UsageError(
                    f"{str(self.path)!r} contains backups of another base; use a separate folder for each base"
                )
            return mark
        if self.path.exists() and (not self.path.is_dir() or any(p.name != "lock" for p in self.path.iterdir())):
            raise UsageError(f"{str(self.path)!r} is neither empty nor a backup folder; choose a new one")
        mark = FolderMark(system, f"saidonce_{hashlib.sha256(os.fsencode(self.path)).hexdigest()[:16]}")
        write_durably(self.path / MARK, _MARK.dump_json(mark) + b"\n")
        return mark

    def backups(self) -> tuple[BaseBackup, ...]:
        """Return the whole copies, oldest first.

        Raises:
            BackupError: the account of one is missing or damaged.
        """
        names = (
            sorted(p.name for p in self.path.glob("base-*") if _NAME.fullmatch(p.name)) if self.path.is_dir() else []
        )
        return tuple(sorted((self._account(name) for name in names), key=lambda b: (b.ended_at, b.name)))

    def _account(self, name: str) -> BaseBackup:
        try:
            account = _ACCOUNT.validate_json((self.path / name / ACCOUNT).read_bytes())
        except (OSError, ValidationError) as bad:
            raise BackupError(name, f"its {ACCOUNT} is missing or damaged; move the folder away") from bad
        if not _is_plausible(account, name):
            raise BackupError(name, f"its {ACCOUNT} is invalid; move the folder away")
        return account

    def collections(self) -> tuple[Collected, ...]:
        """Return up to when the log is there, each time that it was collected, oldest first."""
        try:
            lines = (self.wal / COLLECTED).read_bytes().split(b"\n")[:-1]  # a last line without its end is half a one
        except FileNotFoundError:
            return ()
        with contextlib.suppress(ValidationError):
            return tuple(_COLLECTED.validate_json(line) for line in lines)
        raise BackupError(str(self.path), f"{WAL}/{COLLECTED} is damaged")

    def note_collected(self, collected: Collected) -> None:
        """Note that the log is there up to a moment; what follows a torn line begins a new one."""
        path = self.wal / COLLECTED
        kept = self.collections()
        write_durably(path, b"".join(_COLLECTED.dump_json(each) + b"\n" for each in (*kept, collected)))

    def segments(self, timeline: int) -> dict[str, Path]:
        """Return the complete segments of a timeline by name."""
        names = (
            {p.name.removesuffix(".gz"): p for p in self.wal.glob(f"{timeline:08X}*.gz")} if self.wal.is_dir() else {}
        )
        return {name: path for name, path in sorted(names.items()) if _SEGMENT.fullmatch(name)}

    def histories(self) -> tuple[Path, ...]:
        """Return the files that say which timeline came of which."""
        return tuple(sorted(p for p in self.wal.glob("*.history*") if not p.name.endswith((".partial", ".tmp"))))

    def forget_all_but(self, n: int) -> tuple[str, ...]:
        """Remove all copies but the newest, and the log that only they needed; return their names.

        Args:
            n: copies that stay, at least 1.
        """
        everything = self.backups()
        old, kept = everything[:-n], everything[-n:]
        for each in old:
            doomed = self.path / f"{DRAFT}gone-{each.name}"
            (self.path / each.name).rename(doomed)  # from now on it is none, wherever the removal may end
            shutil.rmtree(doomed)
        for timeline in {each.timeline for each in everything}:
            firsts = [each.segment for each in kept if each.timeline == timeline]
            for name, path in self.segments(timeline).items():
                if not firsts or name < min(firsts):
                    path.unlink()
        return tuple(each.name for each in old)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Let one program at a time write here, after clearing what a killed one left.

        Raises:
            UsageError: another one writes, or the folder cannot be written.
        """
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except (FileExistsError, NotADirectoryError, PermissionError) as bad:
            raise UsageError(f"{str(self.path)!r} cannot be written: {bad.strerror}") from bad
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._clear()
            yield
        except BlockingIOError:
            raise UsageError(f"a backup to {str(self.path)!r} is already running; wait until it ends") from None
        finally:
            os.close(lock)

    def note_running(self, group: int) -> None:
        """Note the group of processes that writes here for us; 0 when it has ended."""
        (self.path / "lock").write_text(f"{group}\n" if group else "", encoding="ascii")

    def _clear(self) -> None:
        """End what a killed program had begun, and remove its half copies."""
        group = (self.path / "lock").read_text(encoding="ascii", errors="replace").strip()
        if group.isdecimal() and _names(int(group), self.path):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(int(group), signal.SIGKILL)
            while _names(int(group), self.path):
                time.sleep(_POLL_S)
        self.note_running(0)
        for leftover in self.path.glob(f"{DRAFT}*"):
            shutil.rmtree(leftover)


def _is_plausible(account: BaseBackup, name: str) -> bool:
    """Return whether an account belongs to this copy, and names nothing outside of it; it may come from an attacker."""
    in_range = 0 < account.timeline < 2**32 and 0 <= account.n_bytes < 2**63
    has_zones = None not in (account.began_at.tzinfo, account.ended_at.tzinfo)
    is_named = account.name == name and _SEGMENT.fullmatch(account.segment) and _SHA256.fullmatch(account.manifest)
    return bool(in_range and has_zones and is_named and all(map(_BESIDE.fullmatch, account.files)))


def _names(pid: int, path: Path) -> bool:
    """Return whether a living process was started with a path in its command line."""
    try:
        return os.fsencode(path) in Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False


def account_json(backup: BaseBackup) -> bytes:
    """Return the account of a copy as its file holds it."""
    values: dict[str, Any] = asdict(backup)
    return json.dumps(values, indent=2, default=lambda at: at.astimezone(UTC).isoformat()).encode() + b"\n"


def segment_after(name: str) -> str:
    """Return the name of the segment that follows, for segments of 16 MiB."""
    number = (int(name[8:16], 16) << 8) + int(name[16:24], 16) + 1
    return f"{name[:8]}{number >> 8:08X}{number & 0xFF:08X}"


def end_of(name: str) -> str:
    """Return the address of the last byte of a segment, as PostgreSQL writes it."""
    return f"{int(name[8:16], 16):X}/{(int(name[16:24], 16) << 24) + 0xFFFFFF:X}"


def write_durably(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read, all of it or nothing, and wait until it is on the disk."""
    with whole_file(path, is_private=True) as file:
        file.write(content)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
