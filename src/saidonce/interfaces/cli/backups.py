"""backup, restore."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from saidonce.errors import UsageError
from saidonce.interfaces.cli.lines import clean
from saidonce.interfaces.cli.shared import (
    JsonOption,
    Steps,
    effective_settings,
    err,
    errors_reported,
    moment_of,
    open_base,
    out,
    print_json,
    progress,
)

if TYPE_CHECKING:
    from saidonce.adapters.postgres.backup import Backups
    from saidonce.adapters.postgres.backup_folder import BackupFolder, BaseBackup

ELSEWHERE = (
    "this base is stored in your own PostgreSQL server (database_url): back it up with pg_dump, pg_basebackup,"
    " pgBackRest, or your provider's snapshots and point-in-time recovery; also back up 'session.secret' in the data"
    " folder, which signs the links of residents"
)
MEGABYTE = 1_000_000

FolderArgument = Annotated[Path, typer.Argument(help="Folder of backups, on another disk if possible.")]


def backup(
    folder: FolderArgument,
    continuous: Annotated[
        bool, typer.Option("--continuous", help="Archive the write-ahead log from now on, to restore any later time.")
    ] = False,
    log_only: Annotated[
        bool, typer.Option("--log-only", help="Only archive the log written since the last run; takes seconds.")
    ] = False,
    keep: Annotated[
        int | None, typer.Option(min=1, help="Number of newest backups to keep; removes the others.")
    ] = None,
    stop: Annotated[bool, typer.Option("--stop", help="Stop archiving the log; the existing archive stays.")] = False,
    show: Annotated[bool, typer.Option("--list", help="List the backups and the times that can be restored.")] = False,
    verify: Annotated[bool, typer.Option("--verify", help="Check every backup in the folder, byte by byte.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Back up the embedded database while it is in use: all organisations, and the secret that signs links.

    A backup is readable by you alone and not encrypted; keep it on an encrypted disk. An interrupted backup leaves
    nothing that looks complete.

    **Examples**

    * `saidonce backup /mnt/backups`
    * `saidonce backup /mnt/backups --continuous --keep 7`
    * `saidonce backup /mnt/backups --log-only`
    * `saidonce backup /mnt/backups --verify`
    """
    from saidonce.adapters.postgres.backup import Backups
    from saidonce.adapters.postgres.backup_folder import BackupFolder
    from saidonce.foundation.model.security import SecurityKind
    from saidonce.platform.security_log import record

    if [log_only, stop, show, verify].count(True) > 1 or (
        (continuous or keep) and (log_only or stop or show or verify)
    ):
        raise typer.BadParameter("--log-only, --stop, --list and --verify exclude each other, --continuous and --keep")
    backup_folder = BackupFolder(folder)
    if show or verify:
        with errors_reported():
            checked = _verify_all(backup_folder) if verify else ()
            _report(backup_folder, as_json, verified=checked)
        return
    with _server() as (server_url, data_dir, base):
        backups = Backups(server_url, data_dir, folder)
        backup_way = ""
        removed: tuple[str, ...] = ()
        if stop:
            if not backups.stop():
                raise UsageError(f"the log is not being archived to {str(folder)!r}")
        elif log_only:
            backups.collect()
        else:
            record(base.store, SecurityKind.BACKED_UP, base.base.clock.now(), str(backup_folder.path))
            backup_way = _make_backup(backups, continuous)
            removed = _remove_old(backups, keep) if keep else ()
        _report(backup_folder, as_json, made=backup_way, removed=removed, keeps_log=backups.keeps_log())


def restore(
    folder: FolderArgument,
    to: Annotated[
        str, typer.Option(help="Time to restore to, such as 2026-11-22T10:15:00Z; the latest by default.")
    ] = "",
    name: Annotated[str, typer.Option("--backup", help="Backup to start from, as listed by `backup --list`.")] = "",
    copy_only: Annotated[
        bool, typer.Option("--copy-only", help="Restore the backup alone, without replaying the log.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Restore a backup into a data folder without a base, on this machine or another.

    The copy is checked byte by byte before PostgreSQL replays the log. An existing base is never touched.

    **Examples**

    * `saidonce --data-dir ./restored restore /mnt/backups`
    * `saidonce --data-dir ./restored restore /mnt/backups --to 2026-11-22T10:15:00Z`
    """
    from saidonce.adapters.postgres.backup_folder import BackupFolder
    from saidonce.adapters.postgres.restore import plan_restore
    from saidonce.adapters.postgres.restore import restore as put_back
    from saidonce.foundation.model.security import SecurityKind
    from saidonce.interfaces.views.backups import RestoredView
    from saidonce.platform.security_log import record

    with errors_reported():
        settings = effective_settings()
        if settings.database_url:
            raise UsageError(ELSEWHERE)
        if copy_only and to:
            raise UsageError("--copy-only restores the backup alone and cannot be combined with --to")
        backup_folder = BackupFolder(folder)
        plan = plan_restore(backup_folder, moment_of(to), name, with_log=not copy_only)
        data_dir = settings.data_dir.expanduser()
        with progress("restoring (MB)", None, lines=True) as steps:
            done = put_back(backup_folder, plan, data_dir, _megabyte_progress(steps))
        view = RestoredView.show(done, data_dir=str(data_dir), backup=done.backup.name)
    with open_base() as base:
        record(
            base.store, SecurityKind.RESTORED, base.base.clock.now(), done.backup.name, until=done.until.isoformat(),
            of=str(backup_folder.path),
        )  # fmt: skip
    if as_json:
        print_json(view)
        return
    out.print(clean(f"restored {view.backup} to {data_dir}, as of {done.until.isoformat()}"))
    for former in done.kept_aside:
        out.print(clean(f"the previous data is kept as {former}"))
    out.print(clean(f"check it with 'saidonce --data-dir {data_dir} status', then back it up to a new folder"))


@contextmanager
def _server() -> Iterator[tuple[str, Path, Any]]:
    """Hold the embedded server of the settings; give its address, the data folder and the base."""
    from saidonce.adapters.postgres.embedded import EmbeddedServer
    from saidonce.adapters.postgres.presence import check_presence

    with open_base() as base:
        if base.settings.database_url:
            raise UsageError(ELSEWHERE)
        data_dir = base.settings.data_dir.expanduser()
        check_presence("", data_dir)
        server = EmbeddedServer(data_dir)
        try:
            yield server.url, data_dir, base
        finally:
            server.close()


def _make_backup(backups: Backups, is_continuous: bool) -> str:
    with progress("backing up (MB)", None, lines=True) as steps:
        return backups.make(_megabyte_progress(steps), is_continuous).name


def _remove_old(backups: Backups, keep: int) -> tuple[str, ...]:
    with backups.folder.locked():
        return backups.folder.forget_all_but(keep)


def _verify_all(backup_folder: BackupFolder) -> tuple[str, ...]:
    from saidonce.adapters.postgres.backup import find_backup, verify

    backups = backup_folder.backups() or (find_backup(backup_folder, ""),)
    with progress("verifying", len(backups), lines=True) as steps:
        for each in backups:
            verify(backup_folder, each)
            steps()
    return tuple(each.name for each in backups)


def _report(backup_folder: BackupFolder, as_json: bool, **values: Any) -> None:
    """Print what the folder holds."""
    from saidonce.interfaces.views.backups import BackupsView, BaseBackupView

    backups, collected = backup_folder.backups(), backup_folder.collections()
    moments = [*(b.ended_at for b in backups), *(c.until for c in collected)]
    view = BackupsView(
        folder=str(backup_folder.path), backups=tuple(BaseBackupView.show(b) for b in backups),
        until=max(moments) if backups else None,
        **{"keeps_log": bool(collected), "made": "", "removed": (), "verified": (), **values},
    )  # fmt: skip
    if as_json:
        print_json(view)
        return
    for each in backups:
        out.print(clean(_line(each, view.made, view.verified)))
    out.print(
        clean(
            f"{view.folder}: restorable up to {view.until.isoformat()}" if view.until else f"{view.folder}: no backups"
        )
    )
    if view.removed:
        out.print(f"removed: {', '.join(view.removed)}")
    if view.keeps_log and view.made:
        err.print("archive the log regularly, for example from a timer: saidonce backup FOLDER --log-only")


def _line(backup: BaseBackup, backup_way: str, verified: tuple[str, ...]) -> str:
    note = "  new" if backup.name == backup_way else "  verified" if backup.name in verified else ""
    return f"{backup.name}  complete at {backup.ended_at.isoformat()}  {backup.n_bytes / MEGABYTE:,.0f} MB{note}"


def _megabyte_progress(steps: Steps) -> Callable[[int, int], None]:
    """Return what shows megabytes as they are done."""

    def show(done: int, total: int) -> None:
        steps.done, steps.total = done // MEGABYTE, total // MEGABYTE
        steps.show()

    return show
