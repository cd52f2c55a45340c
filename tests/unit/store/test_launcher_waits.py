"""When the embedded server is started, waited for, given up and stopped; time and processes stand for themselves."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import psycopg
import pytest

from interruptions import started
from noting import noting
from saidonce.adapters.postgres import cluster
from saidonce.adapters.postgres.binaries import USE_A_URL, OsAccount
from saidonce.adapters.postgres.cluster import Cluster
from saidonce.errors import DiskFullError, StoreUnavailableError

WE = OsAccount(os.geteuid(), os.getegid(), borrowed=False)


def n_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


NOBODY = 2**22 + 1
"""A number that no process has."""


@pytest.fixture
def home() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="so-lw-"))
    (folder / "postgres").mkdir()
    yield folder
    shutil.rmtree(folder)


def only_files_are_locked(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on NFS."""
    real = fcntl.flock

    def no_folders(opened: int, how: int) -> None:
        if stat.S_ISDIR(os.fstat(opened).st_mode):
            raise OSError(errno.EBADF, "not here")
        real(opened, how)

    monkeypatch.setattr(fcntl, "flock", no_folders)


@dataclass
class Time:
    """A clock that passes only while somebody sleeps; what is to happen at a moment happens then."""

    now: Fraction = Fraction(1_000)
    slept: list[float] = field(default_factory=list)

    def monotonic(self) -> Fraction:
        return self.now

    def sleep(self, seconds: float) -> None:
        assert len(self.slept) < 200_000, "this would go on for ever"
        self.slept.append(seconds)
        self.now += Fraction(str(seconds))

    @property
    def waited(self) -> float:
        return float(self.now - 1_000)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Time:
    standing = Time()
    monkeypatch.setattr(cluster, "time", standing)
    return standing


class Watched(Cluster):
    """A server that is ready after so many seconds, and whose launches are counted."""

    def __init__(self, home: Path, clock: Time, ready_s: float = 1e9) -> None:
        super().__init__(home, WE, home / "bin")
        self.clock, self.ready_s = clock, ready_s
        self.launches: list[float] = []
        self.ended: list[int | None] = []
        self.gives = [7]

    def answers(self) -> bool:
        return self.clock.waited >= self.ready_s

    def _launch_if_free(self, waited_s: float) -> int:
        assert float(waited_s) == self.clock.waited
        self.launches.append(float(waited_s))
        return self.gives.pop(0) if len(self.gives) > 1 else self.gives[0]

    def _quit(self, pid: int | None) -> None:
        self.ended.append(pid)

    def pid(self) -> int | None:
        return 7


@pytest.fixture
def lives(monkeypatch: pytest.MonkeyPatch) -> dict[int, bool]:
    """Which processes live."""
    alive = {7: True}
    monkeypatch.setattr(cluster, "_command_of", lambda pid: "postgres" if alive.get(pid + 0) else "")
    monkeypatch.setattr(cluster, "lacks_space", lambda _home: False)
    return alive


class TestWaiting:
    def test_who_answers_is_not_launched(self, home: Path, clock: Time, lives: dict[int, bool]) -> None:
        base = Watched(home, clock, ready_s=0)
        base._run()
        assert (base.launches, clock.slept, base._known, lives) == ([], [], None, {7: True})

    def test_one_launch_is_waited_for_quickly_and_then_with_patience(
        self, home: Path, clock: Time, lives: dict[int, bool]
    ) -> None:
        base = Watched(home, clock, ready_s=1.95)
        base._run()
        assert (base.launches, base._known, lives) == ([0.0], 7, {7: True})
        assert clock.slept == [0.005] * 200 + [0.1] * 10

    def test_while_another_one_comes_or_goes_it_is_tried_again(
        self, home: Path, clock: Time, lives: dict[int, bool]
    ) -> None:
        base = Watched(home, clock, ready_s=0.03)
        base.gives = [0, 0, 7]
        base._run()
        assert (base.launches, base._known) == ([0.0, 0.005, 0.01], 7)

    def test_one_that_never_becomes_ready_is_given_up_after_three_minutes(
        self, home: Path, clock: Time, lives: dict[int, bool]
    ) -> None:
        base = Watched(home, clock)
        with pytest.raises(StoreUnavailableError) as refused:
            base._run()
        assert str(refused.value) == f"the embedded database did not become ready; see {home}/postgres.log"
        assert clock.waited == 180.1

    def test_ready_at_the_last_moment_is_ready(self, home: Path, clock: Time, lives: dict[int, bool]) -> None:
        Watched(home, clock, ready_s=180.0)._run()
        assert clock.waited == 180.0

    def test_one_that_died_of_remains_is_launched_again_for_half_a_minute(
        self, home: Path, clock: Time, lives: dict[int, bool]
    ) -> None:
        lives[7] = False
        (home / "postgres.log").write_text("FATAL: lock file exists\n")
        base = Watched(home, clock)
        with pytest.raises(StoreUnavailableError) as refused:
            base._run()
        assert str(refused.value) == "the embedded database stopped immediately: FATAL: lock file exists"
        assert clock.waited == 30.1
        assert base.launches[:3] == [0.0, 0.005, 0.01]

    def test_one_that_died_of_anything_else_is_not(self, home: Path, clock: Time, lives: dict[int, bool]) -> None:
        lives[7] = False
        (home / "postgres.log").write_text("FATAL: nothing there\n")
        base = Watched(home, clock)
        with pytest.raises(StoreUnavailableError, match="stopped immediately: FATAL: nothing there"):
            base._run()
        assert (base.launches, clock.waited) == ([0.0], 0.005)

    def test_one_that_died_of_a_full_disk_is_told_as_that(
        self, home: Path, clock: Time, lives: dict[int, bool], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lives[7] = False
        (home / "postgres.log").write_text("FATAL: nothing there\n")
        monkeypatch.setattr(cluster, "lacks_space", lambda place: place == home)
        with pytest.raises(DiskFullError) as refused:
            Watched(home, clock)._run()
        assert (refused.value.what, refused.value.needed) == (f"the database in {home}", 24 << 20)

    def test_one_that_crashes_again_and_again_for_want_of_room_is_ended_after_five_seconds(
        self, home: Path, clock: Time, lives: dict[int, bool], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(cluster, "lacks_space", lambda place: place == home)
        base = Watched(home, clock)
        with pytest.raises(DiskFullError) as refused:
            base._run()
        assert (refused.value.what, refused.value.needed) == (f"the database in {home}", 24 << 20)
        assert base.ended == [7]
        assert clock.waited == 5.1


class TestMayItBeLaunched:
    """Two servers over one folder destroy it: only a free folder gets one."""

    class Launching(Cluster):
        launched: tuple[int, ...] = ()
        checked: tuple[int, ...] = ()

        def _launch(self, lock: int) -> int:
            os.fstat(lock)
            self.launched += (lock,)
            return 55

        def _check_host(self, pid: int) -> None:
            self.checked += (pid,)

    @pytest.fixture
    def base(self, home: Path) -> Launching:
        (home / "run").mkdir()
        (home / "run" / ".s.PGSQL.5432.lock").touch()
        return self.Launching(home, WE, home / "bin")

    @staticmethod
    def note(home: Path, pid: int, state: str = "ready") -> Path:
        file = home / "postgres" / "postmaster.pid"
        file.write_text(f"{pid}\n1\n2\n3\n4\n5\n6\n{state}\n")
        return file

    def test_a_free_folder_gets_one_with_the_lock_which_we_let_go(self, home: Path, base: Launching) -> None:
        assert base._launch_if_free(0.0) == 55
        assert base.checked == (0,)
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(base.launched[0])
        assert list((home / "run").iterdir()) == []
        assert base._launch_if_free(0.0) == 55, "nor is a lock of a socket needed"

    def test_a_dead_ones_note_is_left_for_it_to_recover_from(self, home: Path, base: Launching) -> None:
        note = self.note(home, NOBODY)
        assert base._launch_if_free(0.0) == 55
        assert (base.checked, note.exists()) == ((NOBODY,), True)

    def test_a_note_whose_number_another_program_has_now_names_nobody(self, home: Path, base: Launching) -> None:
        note = self.note(home, os.getpid())
        assert base._launch_if_free(0.0) == 55
        assert int(note.read_text().splitlines()[0]) > 2**22, "more than any process has"

    @pytest.mark.parametrize(
        ("runs", "is_locked", "state", "limit_s"),
        [
            (True, False, "ready", 5.0), (None, False, "ready", 5.0), (True, True, "ready", 5.0),
            (False, True, "ready", 30.0), (True, True, "starting", 180.0), (False, True, "stopping", 180.0),
        ],
    )  # fmt: skip
    def test_a_folder_that_another_has_is_waited_for_and_then_refused(
        self, base: Launching, monkeypatch: pytest.MonkeyPatch,
        runs: bool | None, is_locked: bool, state: str, limit_s: float,
    ) -> None:  # fmt: skip
        home = base._home
        asked: list[tuple[object, ...]] = []
        monkeypatch.setattr(cluster, "_runs_over", noting(asked, runs))
        note = self.note(home, 12, state)
        lock = cluster._lock_folder(home / "postgres", home / "server.lock") if is_locked else None
        n_open = n_descriptors()
        try:
            assert base._launch_if_free(limit_s) == 0
            with pytest.raises(StoreUnavailableError) as refused:
                base._launch_if_free(limit_s + 0.01)
            assert n_descriptors() == n_open
        finally:
            if lock is not None:
                os.close(lock)
        assert str(refused.value) == base._taken_message(12 if runs is not False else 0)
        assert set(asked) == {(12, home / "postgres")}
        assert (base.launched, note.exists()) == ((), True)

    def test_where_folders_cannot_be_locked_a_file_beside_is(
        self, home: Path, base: Launching, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        only_files_are_locked(monkeypatch)
        assert base._launch_if_free(0.0) == 55
        assert (home / "server.lock").is_file()
        lock = cluster._lock_folder(home / "postgres", home / "server.lock")
        assert lock is not None
        assert base._launch_if_free(0.0) == 0, "who has that file has the folder"
        os.close(lock)

    def test_a_note_that_goes_at_the_same_moment_is_gone(
        self, home: Path, base: Launching, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        note = self.note(home, os.getpid())

        def gone(_pid: int) -> str:
            note.unlink(missing_ok=True)
            return "another program"

        monkeypatch.setattr(cluster, "_command_of", gone)
        monkeypatch.setattr(cluster, "_runs_over", lambda *_: False)
        assert base._launch_if_free(0.0) == 55

    def test_without_a_note_nobody_is_looked_for(
        self, home: Path, base: Launching, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(cluster, "_runs_over", lambda *_: pytest.fail("there is nobody to look for"))
        lock = cluster._lock_folder(home / "postgres", home / "server.lock")
        assert lock is not None
        assert base._launch_if_free(30.0) == 0
        with pytest.raises(StoreUnavailableError, match="not seen from here"):
            base._launch_if_free(30.01)
        os.close(lock)


class TestStarting:
    class Starting(Cluster):
        acts: tuple[str, ...] = ()
        fails: OSError | None = None

        def _act(self, name: str) -> None:
            self.acts += (name,)
            if self.fails is not None and name == "run":
                raise self.fails

        def _create(self) -> None:
            self._act("create")

        def _check_version(self) -> None:
            self._act("version")

        def _make_socket_dir(self) -> None:
            self._act("sockets")

        def _run(self) -> None:
            self._act("run")

        def know(self) -> None:
            self._act("know")

    def test_a_database_is_made_only_if_there_is_none(self, home: Path) -> None:
        base = self.Starting(home, WE, home)
        base.start()
        assert base.acts == ("version", "sockets", "run", "know")
        (home / "postgres").rmdir()
        base = self.Starting(home, WE, home)
        base.start()
        assert base.acts == ("create", "version", "sockets", "run", "know")

    @pytest.mark.parametrize(("is_new", "needed"), [(True, 80 << 20), (False, 24 << 20)])
    def test_a_full_disk_is_told_with_what_is_needed(self, home: Path, is_new: bool, needed: int) -> None:
        if is_new:
            (home / "postgres").rmdir()
        base = self.Starting(home, WE, home)
        base.fails = OSError(errno.ENOSPC, "full")
        with pytest.raises(DiskFullError) as refused:
            base.start()
        assert (refused.value.what, refused.value.needed) == (f"the database in {home}", needed)

    def test_what_else_the_system_refuses_is_told_with_the_way_out(self, home: Path) -> None:
        base = self.Starting(home, WE, home)
        base.fails = PermissionError(errno.EACCES, "denied")
        with pytest.raises(StoreUnavailableError) as refused:
            base.start()
        assert str(refused.value) == f"cannot start the embedded database: [Errno 13] denied; {USE_A_URL}"

    def test_one_that_answers_is_the_one_that_we_may_stop(self, home: Path, clock: Time) -> None:
        base = Watched(home, clock)
        base.know()
        assert base._known == 7


class Victim(Cluster):
    """A cluster whose server is a process of this test."""

    process: subprocess.Popen[bytes] | None = None
    is_there = True
    is_ready = False

    def pid(self) -> int | None:
        if self.process is None or self.process.poll() is not None:
            return None
        return self.process.pid if self.is_there else None

    def answers(self) -> bool:
        return self.is_ready


@pytest.fixture
def victim(home: Path) -> Iterator[Victim]:
    base = Victim(home, WE, home)
    with started(["sleep", "60"]) as running:
        base.process = running
        yield base
        running.kill()


class TestStopping:
    def test_ours_is_asked_to_stop_and_waited_for(self, victim: Victim) -> None:
        assert victim.process is not None
        victim._known = victim.process.pid
        victim.stop()
        assert victim.process.returncode == -signal.SIGINT

    def test_one_that_we_reach_is_ours(self, victim: Victim) -> None:
        assert victim.process is not None
        victim.is_ready = True
        victim.stop()
        assert victim.process.returncode == -signal.SIGINT

    def test_one_that_we_neither_started_nor_reach_is_somebody_elses(self, victim: Victim) -> None:
        assert victim.process is not None
        victim.stop()
        assert victim.process.poll() is None

    def test_without_one_there_is_nothing_to_stop(
        self, victim: Victim, monkeypatch: pytest.MonkeyPatch, clock: Time
    ) -> None:
        victim.is_there, victim.is_ready = False, True
        monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("there is nobody to kill"))
        victim.stop()
        assert clock.slept == []

    def test_one_that_ended_meanwhile_is_stopped(self, home: Path, clock: Time) -> None:
        base = Watched(home, clock)
        base._known = 7
        base.pid = iter([NOBODY, None]).__next__  # type: ignore[method-assign]
        base._known = NOBODY
        base.stop()

    def test_one_that_does_not_stop_is_waited_for_a_minute(
        self, home: Path, clock: Time, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        sent = []
        monkeypatch.setattr(os, "kill", lambda *of: sent.append(of))
        base = Watched(home, clock)
        base._known = 7
        base.stop()
        assert sent == [(7, signal.SIGINT)]
        assert clock.waited == 60.0
        assert set(clock.slept) == {0.005}


class TestThrowingAway:
    def test_where_folders_cannot_be_locked_a_file_beside_is(
        self, home: Path, clock: Time, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        only_files_are_locked(monkeypatch)
        lock = cluster._lock_folder(home / "postgres", home / "server.lock")
        assert lock is not None
        base = Watched(home, clock)
        with pytest.raises(StoreUnavailableError, match="process 7"):
            base.discard()
        os.close(lock)
        base.discard()

    def test_a_folder_that_nobody_has_may_go_at_once(self, home: Path, clock: Time) -> None:
        base = Watched(home, clock)
        base.discard()
        assert (base.ended, clock.slept) == ([], [])
        lock = cluster._lock_folder(home / "postgres", home / "server.lock")
        assert lock is not None, "we keep no lock"
        os.close(lock)
        (home / "postgres").rmdir()
        base.discard()

    def test_its_server_is_ended_until_it_is_gone(self, home: Path, clock: Time) -> None:
        lock = cluster._lock_folder(home / "postgres", home / "server.lock")
        assert lock is not None
        base = Watched(home, clock)

        def third(pid: int | None) -> None:
            base.ended.append(pid)
            if len(base.ended) == 3:
                os.close(lock)

        base._quit = third  # type: ignore[method-assign]
        base.discard()
        assert (base.ended, clock.slept) == ([7, 7, 7], [0.005] * 3)

    @pytest.mark.parametrize("pid", [7, None])
    def test_one_that_cannot_be_ended_is_told_after_a_minute(self, home: Path, clock: Time, pid: int | None) -> None:
        lock = cluster._lock_folder(home / "postgres", home / "server.lock")
        assert lock is not None
        base = Watched(home, clock)
        base.pid = lambda: pid  # type: ignore[method-assign]
        with pytest.raises(StoreUnavailableError) as refused:
            base.discard()
        assert str(refused.value) == base._taken_message(pid or 0)
        assert clock.waited == 60.005
        os.close(lock)


def test_only_a_server_that_says_that_it_is_ready_answers(home: Path) -> None:
    base = Cluster(home, WE, home)
    assert not base.answers()
    (home / "run").mkdir()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(home / "run" / ".s.PGSQL.5432"))
        assert not base.answers(), "nobody listens"


def test_readiness_is_asked_of_its_own_address(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[object, ...]] = []
    for state in psycopg.pq.Ping:
        monkeypatch.setattr(psycopg.pq, "PGconn", SimpleNamespace(ping=noting(asked, state)))
        assert Cluster(home, WE, home).answers() is (state is psycopg.pq.Ping.OK)
    assert set(asked) == {(f"host={home}/run port=5432 user=saidonce dbname=postgres".encode(),)}
