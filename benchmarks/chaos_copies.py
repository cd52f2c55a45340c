"""SIGKILL during a backup and a restoration: an incomplete one does not count, and the next one is complete."""

from __future__ import annotations

import shutil
from pathlib import Path

from benchmarks.chaos_base import blocks_of, forked, opened
from benchmarks.operation import WHOLE, Operation
from benchmarks.proof import Proof
from saidonce.adapters.postgres.backup import Backups, verify
from saidonce.adapters.postgres.backup_folder import BackupFolder
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.adapters.postgres.restore import plan_restore, restore
from saidonce.foundation.text import digest
from saidonce.kb.review import rebuild


def copies(base: Path, server: EmbeddedServer) -> list[Operation]:
    """Return the two operations on a base with an organisation "full"; the second restores the backup of the first."""
    shelf = base.parent / "shelf"
    return [backups(base, server, shelf), restorations(base, shelf)]


def _silent(_done: int, _total: int) -> None:
    pass


def backups(base: Path, server: EmbeddedServer, shelf: Path) -> Operation:
    """Make repeated backups in one folder, keeping the log; every named backup is complete."""

    def run(n: int) -> None:
        Backups(server.url, base, shelf).make(_silent, is_continuous=n % 2 == 0)

    def check(n: int, proof: Proof) -> None:
        folder = BackupFolder(shelf)
        former = {backup.name for backup in folder.backups()}
        for backup in folder.backups():
            verify(folder, backup)
        with forked(lambda _: run(n)) as child:
            code = child.ended()
        new = [backup for backup in folder.backups() if backup.name not in former]
        for backup in new:
            verify(folder, backup)
        names = {backup.name for backup in folder.backups()} | {"backups.json", "lock", "wal"}
        left = sorted({path.name for path in shelf.iterdir()} - names)
        is_whole = code == 0 and len(new) == 1 and not left
        proof.check(is_whole, f"after kill {n} a backup ended with {code}, made {len(new)} and left {left}")
        proof.happened[WHOLE] += is_whole
        for backup in folder.backups()[:-1]:
            shutil.rmtree(shelf / backup.name)

    return Operation("a backup", run, check)


def restorations(base: Path, shelf: Path) -> Operation:
    """Restore into a new folder; a killed restoration leaves no base there, or a complete one."""

    def place(n: int) -> Path:
        return base.parent / f"restored-{n}"

    def run(n: int) -> None:
        restore(BackupFolder(shelf), plan_restore(BackupFolder(shelf)), place(n), _silent)

    def check(n: int, proof: Proof) -> None:
        had_base = (place(n) / "postgres").exists()
        with forked(lambda _: None if had_base else run(n)) as child:
            code = child.ended()
        proof.check(code == 0, f"after kill {n} the restoration cannot be made again: it ended with {code}")
        with forked(lambda tell: tell(_state(place(n)))) as copied, forked(lambda tell: tell(_state(base))) as full:
            codes = copied.ended(), full.ended()
        is_whole = code == 0 and codes == (0, 0) and copied.lines == full.lines
        is_whole &= not list(place(n).glob(".restoring-*"))
        proof.check(is_whole, f"what came back after kill {n} is not what was backed up: {copied.lines}, {full.lines}")
        proof.happened[WHOLE] += is_whole
        shutil.rmtree(place(n), ignore_errors=True)

    return Operation("a restoration", run, check)


def _state(folder: Path) -> str:
    """Return the content of a base as one line; a server started here ends with this process."""
    full = opened(folder, "full")
    blocks, is_sound = blocks_of(full), rebuild(full).is_sound
    full.store.close()
    return f"{len(blocks)} blocks, {digest(repr(blocks))}, {'sound' if is_sound else 'NOT sound'}"
