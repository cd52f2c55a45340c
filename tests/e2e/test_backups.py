"""Backups of the embedded base: what was acknowledged is in them, half a one is none, and any moment comes back."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from command_line import Shell, environment
from conftest import prepared, reachable_folder
from saidonce.adapters.postgres.backup import Backups
from saidonce.adapters.postgres.backup_folder import BackupFolder, segment_after
from saidonce.adapters.postgres.binaries import find_binaries, server_account
from saidonce.adapters.postgres.cluster import Cluster
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.adapters.postgres.postgres import PostgresStore
from saidonce.adapters.postgres.restore import plan_restore, restore
from saidonce.errors import BackupError, DiskFullError, UsageError
from saidonce.foundation.model import Collection
from saidonce.foundation.ports import Store

SECRET = "s" * 40


def silent(_done: int, _total: int) -> None:
    """No progress."""


def write(store: Store, name: str) -> None:
    """An acknowledged write that is easy to recognise."""
    store.ensure_collection(Collection(name, "evidence", "paragraph", "m", 8))


def names_in(data_dir: Path, org: str) -> list[str]:
    """What a base holds of the writes."""
    server = EmbeddedServer(data_dir)
    try:
        store = PostgresStore(server.url, org)
        held = [each.name for each in store.collections()]
        store.close()
    finally:
        server.close()
    return held


@dataclass
class Drill:
    """A base with backups, and the moments between its writes."""

    folder: Path
    data_dir: Path
    shelf: Path
    between: datetime
    n_steps: int


@pytest.fixture(scope="module")
def drill() -> Iterator[Drill]:
    folder = reachable_folder()
    data_dir = prepared(folder / "base")
    (data_dir / "session.secret").write_text(SECRET)
    ended = data_dir / "sessions.ended"
    ended.mkdir()
    (ended / "a1").touch()
    steps: list[tuple[int, int]] = []
    server = EmbeddedServer(data_dir)
    try:
        store, other = PostgresStore(server.url, "south"), PostgresStore(server.url, "north")
        write(store, "before")
        write(other, "of-north")
        backups = Backups(server.url, data_dir, folder / "shelf")
        backups.make(lambda done, total: steps.append((done, total)), is_continuous=True)
        write(store, "after")
        between = backups.collect().until
        write(store, "mistake")
        backups.collect()
        store.close()
        other.close()
        yield Drill(folder, data_dir, folder / "shelf", between, len(steps))
    finally:
        server.close()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def target() -> Iterator[Path]:
    folder = reachable_folder()
    yield folder / "restored"
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.slow
def test_everything_that_was_acknowledged_comes_back_on_another_machine(drill: Drill, target: Path) -> None:
    shelf = BackupFolder(drill.shelf)
    done = restore(shelf, plan_restore(shelf), target, silent)
    assert names_in(target, "south") == ["after", "before", "mistake"]
    assert names_in(target, "north") == ["of-north"]
    assert done.n_segments > 0
    assert (target / "session.secret").read_text() == SECRET
    assert (target / "session.secret").stat().st_mode & 0o777 == 0o600
    assert (target / "sessions.ended" / "a1").exists(), "a session that was signed out of would live again"
    assert not list(target.glob(".restoring-*"))


def test_a_moment_between_two_writes_comes_back(drill: Drill, target: Path) -> None:
    assert drill.n_steps > 1, "no progress was shown"
    shell = Shell(target)
    done = shell.json("restore", str(drill.shelf), "--to", drill.between.isoformat())
    assert names_in(target, "south") == ["after", "before"]
    assert (target / "session.secret").read_text() == SECRET
    assert datetime.fromisoformat(done["until"]) == drill.between
    refused = shell.run("restore", str(drill.shelf), code=2)
    assert "already contains a base" in refused


@pytest.mark.slow
def test_the_copy_alone_is_as_of_its_end(drill: Drill, target: Path) -> None:
    shelf = BackupFolder(drill.shelf)
    done = restore(shelf, plan_restore(shelf, with_log=False), target, silent)
    assert (done.n_segments, names_in(target, "south")) == (0, ["before"])


def test_what_has_no_log_is_restored_no_further_than_it_was_made(drill: Drill) -> None:
    shelf = BackupFolder(drill.shelf)
    (backup,) = shelf.backups()
    with pytest.raises(UsageError, match="earlier times cannot be restored"):
        plan_restore(shelf, backup.ended_at - timedelta(microseconds=1))
    with pytest.raises(UsageError, match="the archived log ends there"):
        plan_restore(shelf, shelf.collections()[-1].until + timedelta(microseconds=1))


def copied(drill: Drill, to: Path) -> BackupFolder:
    shutil.copytree(drill.shelf, to)
    return BackupFolder(to)


@pytest.mark.parametrize(
    "victim",
    [
        "database/PG_VERSION",
        pytest.param("database/backup_manifest", marks=pytest.mark.slow),
        pytest.param("files/session.secret", marks=pytest.mark.slow),
    ],
)
def test_a_changed_byte_is_found_and_nothing_is_restored(drill: Drill, target: Path, victim: str) -> None:
    shelf = copied(drill, target.parent / "shelf")
    (backup,) = shelf.backups()
    path = shelf.path / backup.name / victim
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    done = CliRunner().invoke(_app(), ["backup", str(shelf.path), "--verify"])
    assert done.exit_code == 1
    assert backup.name in done.output
    with pytest.raises(BackupError):
        restore(shelf, plan_restore(shelf), target, silent)
    assert not (target / "postgres").exists()


def test_a_whole_backup_verifies(drill: Drill) -> None:
    done = CliRunner().invoke(_app(), ["backup", str(drill.shelf), "--verify", "--json"])
    assert done.exit_code == 0, done.output
    answer = json.loads(done.stdout)
    assert answer["verified"] == [b["name"] for b in answer["backups"]]
    assert len(answer["verified"]) == 1


def test_a_gap_in_the_log_is_named_and_never_passed_over(drill: Drill, target: Path) -> None:
    shelf = copied(drill, target.parent / "shelf")
    (backup,) = shelf.backups()
    missing = segment_after(backup.segment)
    (shelf.wal / f"{missing}.gz").unlink()
    with pytest.raises(BackupError, match=missing):
        plan_restore(shelf)


@pytest.mark.slow
def test_half_a_segment_is_refused(drill: Drill, target: Path) -> None:
    shelf = copied(drill, target.parent / "shelf")
    last = shelf.wal / f"{shelf.collections()[-1].segment}.gz"
    last.write_bytes(last.read_bytes()[:-20])
    with pytest.raises(BackupError, match="damaged"):
        restore(shelf, plan_restore(shelf), target, silent)
    assert not (target / "postgres").exists()


_KILLED = """
import os, signal, sys
from pathlib import Path
from saidonce.adapters.postgres.backup import Backups
from saidonce.adapters.postgres.backup_folder import BackupFolder
from saidonce.adapters.postgres.restore import plan_restore, restore
def die(done, total):
    if done:
        os.kill(os.getpid(), signal.SIGKILL)
kind, one, two, three = sys.argv[1:]
if kind == "backup":
    Backups(one, Path(two), Path(three)).make(die)
else:
    restore(BackupFolder(Path(one)), plan_restore(BackupFolder(Path(one))), Path(two), die)
"""


def killed(*words: object) -> None:
    done = subprocess.run([sys.executable, "-c", _KILLED, *map(str, words)], env=environment(), check=False)
    assert done.returncode == -signal.SIGKILL


def test_a_backup_that_is_killed_is_none_and_the_next_one_clears_up(drill: Drill, target: Path) -> None:
    server = EmbeddedServer(drill.data_dir)
    try:
        shelf = target.parent / "shelf"
        killed("backup", server.url, drill.data_dir, shelf)
        assert BackupFolder(shelf).backups() == ()
        backups = Backups(server.url, drill.data_dir, shelf)
        made = backups.make(silent).name
        assert [b.name for b in BackupFolder(shelf).backups()] == [made]
        assert sorted(p.name for p in shelf.iterdir()) == ["backups.json", made, "lock"]
        with pytest.raises(UsageError, match="must not contain each other"):
            Backups(server.url, drill.data_dir, drill.data_dir / "shelf")
    finally:
        server.close()


@pytest.mark.slow
def test_a_restoration_that_is_killed_leaves_no_base_and_can_be_begun_anew(drill: Drill, target: Path) -> None:
    killed("restore", drill.shelf, target, "")
    assert not (target / "postgres").exists()
    assert list(target.glob(".restoring-*")), "it was not killed in the middle"
    shelf = BackupFolder(drill.shelf)
    restore(shelf, plan_restore(shelf), target, silent)
    assert names_in(target, "south") == ["after", "before", "mistake"]
    assert not list(target.glob(".restoring-*"))


def test_a_killed_restoration_whose_server_lives_on_and_answers_nobody_is_cleared_up(
    drill: Drill, target: Path
) -> None:
    """It replayed the log when its program was killed: cleared up under its hands, the next restoration would fail."""
    account, left = server_account(), prepared(target / ".restoring-old")
    cluster = Cluster(left, account, find_binaries(account))
    cluster.start()
    pid = cluster.pid()
    assert pid is not None
    for socket in (left / "run").iterdir():
        socket.unlink()
    shelf = BackupFolder(drill.shelf)
    restore(shelf, plan_restore(shelf, with_log=False), target, silent)
    assert not Path(f"/proc/{pid}/cwd").exists()
    assert not list(target.glob(".restoring-*"))
    assert (target / "postgres" / "PG_VERSION").exists()


def test_a_folder_belongs_to_one_base_and_one_program(drill: Drill, target: Path) -> None:
    other = prepared(target)
    server = EmbeddedServer(other)
    try:
        # Bases of tests are copies of one, so that PostgreSQL takes them for the same.
        mark = json.loads((drill.shelf / "backups.json").read_text())
        shelf = copied(drill, target.parent / "shelf")
        (shelf.path / "backups.json").write_text(json.dumps({**mark, "system": "1"}))
        with pytest.raises(UsageError, match="another base"):
            Backups(server.url, other, shelf.path).make(silent)
        with pytest.raises(UsageError, match="has no log archive"):
            Backups(server.url, other, shelf.path).collect()
        (target.parent / "full").mkdir()
        (target.parent / "full" / "letter.txt").touch()
        with pytest.raises(UsageError, match="neither empty"):
            Backups(server.url, other, target.parent / "full").make(silent)
        with shelf.locked(), pytest.raises(UsageError, match="already running"):
            Backups(server.url, other, shelf.path).make(silent)
    finally:
        server.close()


@pytest.mark.slow
def test_old_ones_give_way_and_the_log_ends_when_it_is_asked_to(target: Path) -> None:
    data_dir = prepared(target.parent / "base")
    shelf = str(target.parent / "shelf")
    with Shell(data_dir) as shell:
        first = shell.json("backup", shelf)
        assert (first["keeps_log"], first["removed"]) == (False, [])
        assert "has no log archive" in shell.run("backup", shelf, "--log-only", code=2)
        second = shell.json("backup", shelf, "--continuous", "--keep", "1")
        assert (second["keeps_log"], second["removed"]) == (True, [first["made"]])
        assert [b["name"] for b in shell.json("backup", shelf, "--list")["backups"]] == [second["made"]]
        later = shell.json("backup", shelf, "--log-only")
        assert later["until"] > second["until"]
        assert shell.json("backup", shelf, "--stop")["keeps_log"] is False
        assert "not being archived" in shell.run("backup", shelf, "--stop", code=2)
    assert all(p.stat().st_mode & 0o077 == 0 for p in Path(shelf).rglob("*") if p.parent.name != "lock")


def test_a_base_elsewhere_is_backed_up_with_the_tools_of_its_server(target: Path) -> None:
    words = ["--database-url", "postgresql://u@127.0.0.1:1/x", "backup", str(target)]
    for command in (words, [*words[:2], "restore", str(target)]):
        done = CliRunner().invoke(_app(), command)
        assert (done.exit_code, "pg_dump" in done.output) == (2, True), done.output


@pytest.mark.parametrize("moment", ["yesterday", "2026-11-22T10:15:00", "2026-13-01T00:00:00Z"])
def test_a_moment_has_a_zone(drill: Drill, target: Path, moment: str) -> None:
    done = CliRunner().invoke(_app(), ["--data-dir", str(target), "restore", str(drill.shelf), "--to", moment])
    assert (done.exit_code, "zone" in done.output) == (2, True)
    assert not target.exists()


def test_a_disk_without_room_is_said_before_anything_is_copied(
    drill: Drill, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = BackupFolder(drill.shelf)
    usage = shutil.disk_usage(drill.shelf)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage._replace(free=10_000_000))
    with pytest.raises(DiskFullError, match="needs"):
        restore(shelf, plan_restore(shelf), target, silent)
    assert not list(target.glob(".restoring-*"))


def _app() -> Any:
    from saidonce.interfaces.cli import app

    return app


def test_nothing_is_left_running(drill: Drill) -> None:
    del drill
    names = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            names.append((each / "cmdline").read_bytes())
        except OSError:
            continue
    assert not [n for n in names if b"pg_basebackup" in n or b"/.restoring-" in n], os.getpid()
