"""Restores an embedded database from a folder of backups, as it was at the end of its log or at a moment before.

All of it happens in a folder beside the place of the database, and PostgreSQL itself replays the log there; the last
step gives the folder its name. So a restoration that was interrupted has left no database, and can be begun anew.
"""

from __future__ import annotations

import contextlib
import fcntl
import gzip
import os
import shutil
import tempfile
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import psycopg

from saidonce.adapters.postgres.backup import Progress, check_database, check_files, find_backup
from saidonce.adapters.postgres.backup_folder import (
    DATABASE,
    FILES,
    BackupFolder,
    BaseBackup,
    Collected,
    segment_after,
    sync_folder,
    write_durably,
)
from saidonce.adapters.postgres.binaries import OsAccount, find_binaries, server_account
from saidonce.adapters.postgres.cluster import Cluster, cluster_home
from saidonce.errors import BackupError, DiskFullError, StoreUnavailableError, UsageError, is_full

DRAFT = ".restoring-"
SEGMENT_BYTES = 16 * 1024 * 1024
SPARE_BYTES = 64 * 1024 * 1024
REPLAY_S = 24 * 3_600.0
"""Longest time that PostgreSQL may replay a log."""

_POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restoration brought back.

    Attributes:
        backup: the copy that it began with.
        until: time to which the base was restored; everything that was acknowledged before is there.
        n_segments: segments of the log that followed the copy.
        kept_aside: files of the data folder that were replaced, under their new names.
    """

    backup: BaseBackup
    until: datetime
    n_segments: int
    kept_aside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RestorePlan:
    """What a restoration takes: a copy, the log after it, and the moment to stop at; None goes to the end."""

    backup: BaseBackup
    segments: tuple[Path, ...]
    until: datetime
    stop_at: datetime | None


def plan_restore(
    folder: BackupFolder, to: datetime | None = None, name: str = "", with_log: bool = True
) -> RestorePlan:
    """Choose the copy and the log that lead to a moment.

    Args:
        folder: of backups.
        to: aware; None for the latest moment.
        name: of the copy to begin with; by default the newest one that was whole by then.
        with_log: replay the log that followed the copy.

    Raises:
        UsageError: there is no copy of that name or that early, or the log does not reach that far.
        BackupError: the log has a gap.
    """
    backup = find_backup(folder, name) if name or to is None else _newest_before(folder, to)
    if to is not None and to < backup.ended_at:
        raise UsageError(
            f"{backup.name} was complete at {backup.ended_at.isoformat()}; earlier times cannot be restored from it"
        )
    reached = [c for c in folder.collections() if c.timeline == backup.timeline and c.segment >= backup.segment]
    needed = next((c for c in reached if to is not None and c.until >= to), reached[-1] if reached else None)
    if to is not None and (needed is None or needed.until < to):
        raise UsageError(_too_late(to, backup, needed))
    if needed is None or not with_log:
        return RestorePlan(backup, (), backup.ended_at, None)
    return RestorePlan(backup, _log_of(folder, backup, needed.segment), to or needed.until, to)


def _newest_before(folder: BackupFolder, to: datetime) -> BaseBackup:
    backups = folder.backups()
    before = [each for each in backups if each.ended_at <= to]
    if backups and not before:
        raise UsageError(
            f"the oldest backup was complete at {backups[0].ended_at.isoformat()}; earlier times cannot be restored"
        )
    return find_backup(folder, before[-1].name if before else "")


def _too_late(to: datetime, backup: BaseBackup, last: Collected | None) -> str:
    until = backup.ended_at if last is None else last.until
    rest = (
        "the log after it was not archived ('saidonce backup FOLDER --continuous' does so)"
        if last is None
        else "the archived log ends there ('saidonce backup FOLDER --log-only' continues it)"
    )
    return f"{backup.name} can be restored up to {until.isoformat()}, not {to.isoformat()}: {rest}"


def _log_of(folder: BackupFolder, backup: BaseBackup, last: str) -> tuple[Path, ...]:
    there = folder.segments(backup.timeline)
    log, name = [], backup.segment
    while name <= last:
        if name not in there:
            raise BackupError(
                backup.name,
                f"segment {name} of the log is missing in {folder.wal}, so nothing after it can be restored; bring the"
                f" file back, or restore the backup alone with --copy-only",
            )
        log.append(there[name])
        name = segment_after(name)
    return tuple(log)


def restore(folder: BackupFolder, plan: RestorePlan, data_dir: Path, progress: Progress) -> Restored:
    """Restore into a data folder without a database; until the last step there is none.

    Args:
        folder: of backups.
        plan: what `planned` chose.
        data_dir: of the restored base; made if it is new.
        progress: called with bytes done, of all.

    Raises:
        UsageError: the data folder holds a database, or somebody starts one there.
        BackupError: the copy is damaged, or its log does not lead to the moment.
        DiskFullError: there is no room for it.
    """
    check_files(folder, plan.backup)
    account = server_account()
    target = data_dir.expanduser().resolve()
    try:
        home = cluster_home(target, account)
        with _alone(home), _draft(home, account) as draft:
            _check_room(home, plan)
            _copy(folder, plan, draft / "postgres", progress)
            until = _replay(draft, account, plan)
            aside = _put_beside(folder, plan.backup, target)
            sync_folder(draft)
            (draft / "postgres").rename(home / "postgres")
            sync_folder(home)
    except OSError as failed:
        if is_full(failed):
            raise DiskFullError(str(target)) from failed
        raise
    return Restored(plan.backup, until, len(plan.segments), aside)


@contextlib.contextmanager
def _alone(home: Path) -> Iterator[None]:
    """Keep everybody else from starting a server in a data folder that has none yet."""
    lock = os.open(home / "start.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if (home / "postgres").exists():
            raise UsageError(
                f"{str(home)!r} already contains a base, which a restore never touches; choose a new folder"
                " with --data-dir, or move this one away first"
            )
        yield
    except BlockingIOError:
        raise UsageError(
            f"another process is starting or restoring a base in {str(home)!r}; wait until it is done"
        ) from None
    finally:
        os.close(lock)


@contextlib.contextmanager
def _draft(home: Path, account: OsAccount) -> Iterator[Path]:
    """Yield a folder for the work, after clearing those of restorations that were killed."""
    binaries = find_binaries(account)
    for leftover in home.glob(f"{DRAFT}*"):
        Cluster(leftover, account, binaries).discard()  # it may replay a log still, and answer nobody
        shutil.rmtree(leftover)
    draft = Path(tempfile.mkdtemp(prefix=DRAFT, dir=home))
    if account.borrowed:
        os.chown(draft, account.uid, account.gid)
    try:
        yield draft
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _check_room(home: Path, plan: RestorePlan) -> None:
    needed = plan.backup.n_bytes + SEGMENT_BYTES * (len(plan.segments) + 2) + SPARE_BYTES
    if shutil.disk_usage(home).free < needed:
        raise DiskFullError(f"{home} (the restored base needs {needed / 1e6:,.0f} MB)")


def _copy(folder: BackupFolder, plan: RestorePlan, database: Path, progress: Progress) -> None:
    """Copy the database, check the copy against its manifests, and lay the log beside it."""
    source = folder.path / plan.backup.name / DATABASE
    total = plan.backup.n_bytes + SEGMENT_BYTES * len(plan.segments)
    done = 0

    def copied(path: str, to: str) -> str:
        nonlocal done
        shutil.copyfile(path, to)
        done += Path(to).stat().st_size
        progress(min(done, total), total)
        return to

    try:
        shutil.copytree(source, database, copy_function=copied)
    except shutil.Error as failed:
        raise BackupError(plan.backup.name, f"cannot be read: {failed.args[0][0][2]}") from failed
    check_database(database, plan.backup)
    for each in (*plan.segments, *folder.histories()):
        _unpack(each, database / "pg_wal" / each.name.removesuffix(".gz"))
        done += SEGMENT_BYTES
        progress(min(done, total), total)


def _unpack(packed: Path, segment: Path) -> None:
    try:
        with gzip.open(packed) if packed.suffix == ".gz" else packed.open("rb") as read, segment.open("wb") as written:
            written.write(read.read(SEGMENT_BYTES))
            is_longer = bool(read.read(1))
    except (gzip.BadGzipFile, EOFError, zlib.error) as bad:
        raise BackupError(packed.name, "this segment of the log is damaged") from bad
    if is_longer:
        raise BackupError(packed.name, "this segment of the log is damaged: it is too long")


def _replay(draft: Path, account: OsAccount, plan: RestorePlan) -> datetime:
    """Let PostgreSQL replay the log; give the moment that it reached."""
    database = draft / "postgres"
    settings = database / "postgresql.auto.conf"
    before = settings.read_bytes()
    # Everything lies where PostgreSQL looks when the command finds nothing.
    lines = ["restore_command = 'false'", "recovery_target_timeline = 'current'", "recovery_target_action = 'promote'"]
    if plan.stop_at is not None:
        lines.append(f"recovery_target_time = '{plan.stop_at.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f}+00'")
    settings.write_bytes(before + b"\n" + "\n".join(lines).encode() + b"\n")
    (database / "recovery.signal").touch()
    _give_away(database, account)
    cluster = Cluster(draft, account, find_binaries(account))
    try:
        cluster.start()
        _wait_for_end(cluster)
    except (StoreUnavailableError, psycopg.OperationalError) as failed:
        if isinstance(failed, DiskFullError):
            raise
        raise BackupError(plan.backup.name, f"PostgreSQL could not replay it: {_last_words(draft)}") from failed
    finally:
        cluster.stop()
    settings.write_bytes(before)
    _sync_tree(database)
    return plan.until


def _wait_for_end(cluster: Cluster) -> None:
    until = time.monotonic() + REPLAY_S
    while time.monotonic() < until:
        with psycopg.connect(cluster.url, autocommit=True) as connection:
            if connection.execute("select pg_is_in_recovery()").fetchone() == (False,):
                return
        time.sleep(_POLL_S)
    raise StoreUnavailableError("the log was not replayed within a day")


def _last_words(draft: Path) -> str:
    log = (draft / "postgres.log").read_text(encoding="utf-8", errors="replace").splitlines()
    fatal = [line.partition("FATAL:")[2].strip() for line in log if "FATAL:" in line and "is starting up" not in line]
    return (fatal or ["the log says nothing"])[-1]


def _put_beside(folder: BackupFolder, backup: BaseBackup, target: Path) -> tuple[str, ...]:
    """Put back what signs links and sessions; what is there already and differs is kept under another name."""
    aside = []
    for name in backup.files:
        content = (folder.path / backup.name / FILES / name).read_bytes()
        path = target / name
        path.parent.mkdir(mode=0o700, exist_ok=True)
        if path.exists() and path.read_bytes() != content:
            former = path.with_name(f"{path.name}.before-{backup.name}")
            path.replace(former)
            aside.append(former.name)
        write_durably(path, content)
    return tuple(aside)


def _give_away(database: Path, account: OsAccount) -> None:
    database.chmod(0o700)
    for path in (database, *database.rglob("*")) if account.borrowed else ():
        os.chown(path, account.uid, account.gid)


def _sync_tree(folder: Path) -> None:
    for path in (*folder.rglob("*"), folder):
        opened = os.open(path, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
