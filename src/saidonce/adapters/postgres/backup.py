"""Backups of the embedded database by PostgreSQL's own means: pg_basebackup, pg_receivewal, pg_verifybackup."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psycopg
from psycopg import Connection
from psycopg.rows import TupleRow

from saidonce.adapters.postgres.backup_folder import (
    ACCOUNT,
    DATABASE,
    DRAFT,
    FILES,
    BackupFolder,
    BaseBackup,
    Collected,
    account_json,
    end_of,
    sync_folder,
    write_durably,
)
from saidonce.adapters.postgres.binaries import find_binaries, server_account
from saidonce.adapters.postgres.room import NO_SPACE
from saidonce.errors import BackupError, DiskFullError, StoreUnavailableError, UsageError
from saidonce.foundation.files import sha256_of

MANIFEST = "backup_manifest"
BESIDE = ("session.secret", "sessions.ended")
"""What of the data folder belongs to a backup: links and sessions are signed with the one and ended by the other."""

Progress = Callable[[int, int], None]
"""Takes the bytes that are done, of all."""

_STEP = re.compile(rb"(\d+)/(\d+) kB")
_LABEL = re.compile(r"START WAL LOCATION: \S+ \(file ([0-9A-F]{24})\)")
_TIMELINE = re.compile(r"START TIMELINE: (\d+)")


class Backups:
    """Makes backups of a running embedded database.

    Args:
        url: connection string of the server, as a login that may replicate.
        data_dir: the data folder.
        folder: where the backups go.

    Raises:
        UsageError: the folder of backups lies inside the data folder.
    """

    def __init__(self, url: str, data_dir: Path, folder: Path) -> None:
        self._url = url
        self._data_dir = data_dir.expanduser().resolve()
        self.folder = BackupFolder(folder)
        if self.folder.path.is_relative_to(self._data_dir) or self._data_dir.is_relative_to(self.folder.path):
            raise UsageError(
                f"{str(folder)!r} and the data folder {str(self._data_dir)!r} must not contain each other; keep"
                " backups on another disk or machine"
            )
        self._binaries = find_binaries(server_account())

    def make(self, progress: Progress, is_continuous: bool = False) -> BaseBackup:
        """Make a whole copy; nothing has its name before all of it is on the disk.

        Args:
            progress: called while the database is copied.
            is_continuous: keep the log from here on, so that any later moment can be restored to.

        Raises:
            BackupError: PostgreSQL could not make it, and why.
            UsageError: the folder is another base's, or somebody writes to it.
        """
        with self.folder.locked(), self._connect() as connection:
            mark = self.folder.claim(_system(connection))
            if is_continuous:
                self._keep_log(connection, mark.slot)
            draft = self.folder.path / f"{DRAFT}{os.getpid()}"
            try:
                backup = self._copy_data(connection, draft, progress)
            except BaseException:  # an interruption, too, leaves no half of a backup behind
                shutil.rmtree(draft, ignore_errors=True)
                raise
            if self._state_of(connection, mark.slot):
                self._collect_log(connection, mark.slot)
        return backup

    def collect(self) -> Collected:
        """Collect the log that has been written since the last time.

        Raises:
            UsageError: no copy was made with the log kept from there on.
            BackupError: the log was thrown away before it was collected; another copy has to be made.
        """
        with self.folder.locked(), self._connect() as connection:
            mark = self.folder.mark()
            if mark is None or mark.system != _system(connection) or not self._state_of(connection, mark.slot):
                raise UsageError(
                    f"{str(self.folder.path)!r} has no log archive of this base; start one with"
                    f" 'saidonce backup {self.folder.path} --continuous'"
                )
            return self._collect_log(connection, mark.slot)

    def stop(self) -> bool:
        """Keep the log no longer; tell whether it was kept."""
        with self.folder.locked(), self._connect() as connection:
            mark = self.folder.mark()
            if mark is None or not self._state_of(connection, mark.slot):
                return False
            connection.execute("select pg_drop_replication_slot(%s)", (mark.slot,))
            return True

    def keeps_log(self) -> bool:
        """Return whether the database keeps its log for this folder."""
        with self._connect() as connection:
            mark = self.folder.mark()
            return mark is not None and self._state_of(connection, mark.slot) not in ("", "lost")

    def _copy_data(self, connection: Connection[TupleRow], draft: Path, progress: Progress) -> BaseBackup:
        draft.mkdir(mode=0o700)
        began_at = _now(connection)
        self._call(
            "pg_basebackup", "-D", draft / DATABASE, "-c", "fast", "-X", "stream", "--manifest-checksums=SHA256",
            "--progress", "--no-password", progress=progress,
        )  # fmt: skip
        files = self._copy_files_beside(draft / FILES)
        label = (draft / DATABASE / "backup_label").read_text(encoding="utf-8")
        segment, timeline = _LABEL.search(label), _TIMELINE.search(label)
        assert segment is not None  # PostgreSQL has just written both
        assert timeline is not None
        ended_at = _wait_past_now(connection)
        server = str(connection.info.server_version)
        sizes = sum(p.stat().st_size for p in (draft / DATABASE).rglob("*") if p.is_file())
        backup = BaseBackup(
            name=self._free_name(ended_at), began_at=began_at, ended_at=ended_at, n_bytes=sizes,
            server=f"{server[:-4]}.{int(server[-4:])}", saidonce=version("saidonce"), timeline=int(timeline[1]),
            segment=segment[1], manifest=sha256_of(draft / DATABASE / MANIFEST), files=files,
        )  # fmt: skip
        write_durably(draft / ACCOUNT, account_json(backup))
        sync_folder(draft)
        draft.rename(self.folder.path / backup.name)
        sync_folder(self.folder.path)
        return backup

    def _copy_files_beside(self, into: Path) -> dict[str, str]:
        """Copy what lies beside the database, and return the SHA-256 of each file."""
        into.mkdir(mode=0o700)
        sums = {}
        for name in BESIDE:
            path = self._data_dir / name
            if not path.exists():
                continue
            for each in sorted(path.iterdir()) if path.is_dir() else (path,):
                copy = into / each.relative_to(self._data_dir)
                copy.parent.mkdir(mode=0o700, exist_ok=True)
                write_durably(copy, each.read_bytes())
                sums[str(copy.relative_to(into))] = sha256_of(copy)
        sync_folder(into)
        return sums

    def _free_name(self, at: datetime) -> str:
        name = f"base-{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"
        n = 1
        while (self.folder.path / (numbered := name if n == 1 else f"{name}-{n}")).exists():
            n += 1
        return numbered

    def _state_of(self, connection: Connection[TupleRow], slot: str) -> str:
        """Return what became of the log that a slot keeps: reserved, lost and so on; empty if there is no slot."""
        row = connection.execute(
            "select coalesce(wal_status, 'reserved') from pg_replication_slots where slot_name = %s", (slot,)
        ).fetchone()
        return str(row[0]) if row else ""

    def _keep_log(self, connection: Connection[TupleRow], slot: str) -> None:
        if self._state_of(connection, slot) == "lost":
            connection.execute("select pg_drop_replication_slot(%s)", (slot,))
        if not self._state_of(connection, slot):
            connection.execute("select pg_create_physical_replication_slot(%s, true)", (slot,))

    def _collect_log(self, connection: Connection[TupleRow], slot: str) -> Collected:
        if self._state_of(connection, slot) == "lost":
            raise BackupError(
                str(self.folder.path),
                "more was written than the database retains for backups, so the log after the last run is lost;"
                f" start again with 'saidonce backup {self.folder.path} --continuous', and archive more often",
            )
        self.folder.wal.mkdir(mode=0o700, exist_ok=True)
        until = _wait_past_now(connection)
        ((end,),) = connection.execute("select pg_switch_wal()").fetchall()
        ((last,),) = connection.execute("select pg_walfile_name(%s)", (end,)).fetchall()
        self._call(
            "pg_receivewal", "-D", self.folder.wal, "--slot", slot, "--endpos", end_of(last), "--no-loop",
            "--compress=gzip", "--no-password",
        )  # fmt: skip
        for path in self.folder.wal.iterdir():
            path.chmod(0o600)
        collected = Collected(until, int(last[:8], 16), last)
        if last not in self.folder.segments(collected.timeline):
            raise BackupError(str(self.folder.path), f"segment {last} of the log did not arrive")
        self.folder.note_collected(collected)
        return collected

    def _call(self, program: str, *words: Any, progress: Progress | None = None) -> None:
        """Run a program of PostgreSQL in a group of its own, which ends with us, or when the next backup begins.

        Raises:
            BackupError: it failed, and why.
        """
        env = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_", "LANG"))}
        running = subprocess.Popen(  # noqa: S603  our own programs and paths
            [self._binaries / program, "-d", self._url, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, start_new_session=True, env={**env, "LC_ALL": "C"},
        )  # fmt: skip
        lines: list[bytes] = []
        self.folder.note_running(running.pid)
        try:
            assert running.stderr is not None
            for line in running.stderr:
                if progress is not None and (step := _STEP.search(line)):
                    progress(1_024 * int(step[1]), 1_024 * int(step[2]))
                else:
                    lines = [*lines[-9:], line.strip()]
        except BaseException:  # an interruption, too: the program runs in a group of its own and would go on
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
            raise
        finally:
            running.wait()
            self.folder.note_running(0)
            if running.stderr is not None:
                running.stderr.close()
        if running.returncode != 0:
            reason = b"; ".join(lines[-2:]).decode("utf-8", "replace") or f"{program} failed"
            if NO_SPACE in reason:
                raise DiskFullError(str(self.folder.path))
            raise BackupError(str(self.folder.path), f"{program}: {reason}")

    def _connect(self) -> Connection[TupleRow]:
        try:
            return psycopg.connect(self._url, autocommit=True)
        except psycopg.OperationalError as failed:
            raise StoreUnavailableError(f"the database is not available: {str(failed).splitlines()[0]}") from failed


def verify(folder: BackupFolder, backup: BaseBackup) -> None:
    """Check a copy byte by byte against its manifests.

    Raises:
        BackupError: a file is missing, too many, or not what it was.
    """
    check_files(folder, backup)
    check_database(folder.path / backup.name / DATABASE, backup)


def check_files(folder: BackupFolder, backup: BaseBackup) -> None:
    """Check the files beside the database of a copy.

    Raises:
        BackupError: one is missing or not what it was.
    """
    for name, expected in backup.files.items():
        path = folder.path / backup.name / FILES / name
        if not path.is_file() or sha256_of(path) != expected:
            raise BackupError(backup.name, f"{name} is missing or was changed")


def check_database(database: Path, backup: BaseBackup) -> None:
    """Check a database folder against PostgreSQL's manifest of a copy, and the manifest against the account.

    Raises:
        BackupError: a file is missing, too many, or not what it was.
    """
    manifest = database / MANIFEST
    if not manifest.is_file() or sha256_of(manifest) != backup.manifest:
        raise BackupError(backup.name, "its manifest is missing or was changed")
    outcome = subprocess.run(  # noqa: S603  our own programs and paths
        [find_binaries(server_account()) / "pg_verifybackup", "-q", database],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C"},
    )  # fmt: skip
    if outcome.returncode != 0:
        first = (outcome.stderr.strip().splitlines() or ["pg_verifybackup failed"])[0]
        raise BackupError(backup.name, first.removeprefix("pg_verifybackup: error: "))


def find_backup(folder: BackupFolder, name: str) -> BaseBackup:
    """Return one copy by name; the newest for an empty name.

    Raises:
        UsageError: there is none.
    """
    backups = folder.backups()
    if not backups:
        raise UsageError(f"{str(folder.path)!r} contains no backups; make one with 'saidonce backup FOLDER'")
    chosen = next((each for each in backups if each.name == name), None) if name else backups[-1]
    if chosen is None:
        names = ", ".join(each.name for each in backups)
        raise UsageError(f"{str(folder.path)!r} holds no backup {name!r}; there are {names}")
    return chosen


def _system(connection: Connection[TupleRow]) -> str:
    ((system,),) = connection.execute("select system_identifier from pg_control_system()").fetchall()
    return str(system)


def _now(connection: Connection[TupleRow]) -> datetime:
    ((now,),) = connection.execute("select clock_timestamp()").fetchall()
    assert isinstance(now, datetime)
    return now.astimezone(UTC)


def _wait_past_now(connection: Connection[TupleRow]) -> datetime:
    """Return the present moment, and let a transaction follow that the log shows to be later."""
    now = _now(connection)
    connection.execute("select pg_current_xact_id()")
    return now
