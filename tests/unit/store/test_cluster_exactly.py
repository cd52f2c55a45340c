"""The folder of the embedded database and its server to the letter; a few lines of shell stand for PostgreSQL."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import io
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from interruptions import started
from noting import noting
from saidonce.adapters.postgres import cluster
from saidonce.adapters.postgres.binaries import USE_A_URL, OsAccount
from saidonce.adapters.postgres.cluster import Cluster, cluster_home
from saidonce.errors import DiskFullError, StoreUnavailableError
from waiting_for import eventually

WE = OsAccount(os.geteuid(), os.getegid(), borrowed=False)


def n_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


NOTE = "{pid}\n{folder}\n1\n5432\n{folder}/run\n\n 0 0\n{state}   \n"


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder with a path short enough for a socket, into which any account may go."""
    folder = Path(tempfile.mkdtemp(prefix="so-cl-"))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)


def program(folder: Path, name: str, script: str) -> None:
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def a_cluster(home: Path, account: OsAccount = WE, kind: type[Cluster] = Cluster) -> Cluster:
    return kind(home, account, home / "bin")


@pytest.fixture
def our_input(home: Path) -> Iterator[None]:
    """Somebody types something into this process, which is for none of its children."""
    kept = os.dup(0)
    (home / "typed").write_text("something")
    typed = os.open(home / "typed", os.O_RDONLY)
    os.dup2(typed, 0)
    yield
    os.dup2(kept, 0)
    os.close(kept)
    os.close(typed)
    (home / "typed").unlink()


@pytest.fixture
def programs(home: Path) -> Path:
    """The folder of programs; initdb makes a database and notes how it was called."""
    folder = home / "bin"
    folder.mkdir(mode=0o755)
    program(
        folder, "initdb",
        f'for word in "$@"; do echo "$word" >> {home}/words; done; env > {home}/env; echo 18 > "$2/PG_VERSION"'
        f'; wc -c > {home}/input',
    )  # fmt: skip
    return folder


class TestTheHome:
    def test_a_new_data_folder_is_for_its_account_alone(self, home: Path) -> None:
        before = os.umask(0)
        try:
            data_dir = home / "a" / "b"
            assert cluster_home(data_dir, WE) == data_dir
        finally:
            os.umask(before)
        assert mode(data_dir) == 0o700
        assert cluster_home(data_dir, WE) == data_dir

    def test_another_account_may_walk_through_it(self, home: Path) -> None:
        before = os.umask(0)
        try:
            data_dir = home / "base"
            assert cluster_home(data_dir, OsAccount(65_534, 65_534, borrowed=True)) == data_dir
        finally:
            os.umask(before)
        assert mode(data_dir) == 0o711

    def test_somebody_else_may_make_it_at_the_same_moment(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        data_dir = home / "base"
        data_dir.mkdir()
        real = Path.is_dir
        not_yet = iter([False])
        monkeypatch.setattr(Path, "is_dir", lambda path: next(not_yet, real(path)))
        assert cluster_home(data_dir, WE) == data_dir

    def test_where_the_account_cannot_walk_the_database_lies_elsewhere_and_a_file_says_where(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(cluster, "ROOT_HOME", home / "var" / "lib")
        monkeypatch.setattr(cluster, "can_reach", lambda *_: False)
        data_dir = home / "base"
        before = os.umask(0)
        try:
            place = cluster_home(data_dir, WE)
        finally:
            os.umask(before)
        assert place.parent == home / "var" / "lib"
        assert place.name.startswith("base-")
        assert (mode(place.parent), mode(place)) == (0o755, 0o711)
        assert [(p.name, p.read_text()) for p in data_dir.iterdir()] == [("home", f"{place}\n")]
        assert cluster_home(data_dir, WE) == place

    def test_a_database_that_lies_in_the_data_folder_stays_there(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(cluster, "can_reach", lambda *_: False)
        (home / "base" / "postgres").mkdir(parents=True)
        assert cluster_home(home / "base", WE) == home / "base"

    def test_of_two_who_look_for_a_place_the_first_has_it(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(cluster, "ROOT_HOME", home / "var")
        note = home / "home"
        cluster._note_new_home(note)
        first = note.read_text()
        cluster._note_new_home(note)
        assert note.read_text() == first
        assert [f"{place}\n" for place in (home / "var").iterdir()] == [first]
        assert [p.name for p in home.iterdir() if p.is_file()] == ["home"]

    def test_a_place_that_is_gone_is_told_with_both_ways_out(self, home: Path) -> None:
        (home / "home").write_text(f"{home}/gone\n")
        with pytest.raises(StoreUnavailableError) as refused:
            cluster_home(home, WE)
        assert str(refused.value) == (
            f"the database of '{home}' was kept in '{home}/gone', which is gone; bring that folder back, or remove"
            f" '{home}/home' to begin with an empty base"
        )

    def test_any_name_is_found_again_whatever_the_encoding_of_the_machine(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(io, "text_encoding", lambda encoding, _level=2: encoding or "ascii")
        monkeypatch.setattr(cluster, "ROOT_HOME", home / "Büro")
        monkeypatch.setattr(cluster, "can_reach", lambda *_: False)
        assert cluster_home(home / "base", WE).parent == home / "Büro"


class TestTheSocket:
    @pytest.mark.parametrize(("length", "is_near"), [(100, True), (101, False)])
    def test_its_folder_is_near_as_long_as_its_path_fits(self, length: int, is_near: bool) -> None:
        place = Path("/" + "x" * (length - len("//run/.s.PGSQL.5432")))
        short = hashlib.sha256(os.fsencode(place)).hexdigest()[:16]
        expected = place / "run" if is_near else Path(f"/tmp/saidonce-{WE.uid}-{short}")
        assert cluster._socket_dir(place, WE) == expected

    def test_its_folder_is_that_of_the_account(self) -> None:
        far = Path("/" + "x" * 100)
        assert a_cluster(far)._sockets == cluster._socket_dir(far, WE)

    def test_its_address_is_all_that_a_client_needs(self, home: Path) -> None:
        assert a_cluster(home).url == f"host={home}/run port=5432 user=saidonce dbname=postgres"

    def test_its_folder_is_made_for_the_account_alone_and_taken_again(self, home: Path) -> None:
        before = os.umask(0)
        try:
            a_cluster(home)._make_socket_dir()
        finally:
            os.umask(before)
        assert mode(home / "run") == 0o700
        a_cluster(home)._make_socket_dir()

    def test_it_is_handed_to_an_account_that_is_borrowed(self, home: Path) -> None:
        if os.geteuid() != 0:
            pytest.skip("only root hands its server to another account")
        a_cluster(home, OsAccount(65_534, 65_533, borrowed=True))._make_socket_dir()
        assert ((home / "run").stat().st_uid, (home / "run").stat().st_gid) == (65_534, 65_533)

    @pytest.mark.parametrize("kind", ["file", "link", "group", "others", "walk", "another's"])
    def test_what_somebody_else_may_have_put_there_is_refused(self, home: Path, kind: str) -> None:
        run = home / "run"
        if kind == "file":
            run.touch(0o600)
        elif kind == "link":
            (home / "own").mkdir(mode=0o700)
            run.symlink_to(home / "own")
        else:
            run.mkdir(mode=0o700)
            run.chmod({"group": 0o770, "others": 0o704, "walk": 0o701, "another's": 0o700}[kind])
        account = OsAccount(WE.uid + 1, WE.gid, borrowed=False) if kind == "another's" else WE
        with pytest.raises(StoreUnavailableError) as refused:
            a_cluster(home, account)._make_socket_dir()
        assert str(refused.value) == f"{run} is not a folder that only the server's account can enter"


class TestANewDatabase:
    @pytest.mark.usefixtures("our_input", "programs")
    def test_it_is_made_beside_and_gets_its_name_when_it_is_complete(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name, value in {"PGDATA": "x", "LC_TIME": "x", "LANGUAGE": "x", "HELD": "y"}.items():
            monkeypatch.setenv(name, value)
        (home / ".new-left").mkdir()
        (home / ".new-left" / "file").touch()
        (home / ".new-file").touch()
        a_cluster(home)._create()
        assert (home / "postgres" / "PG_VERSION").read_text() == "18\n"
        assert [p.name for p in home.glob(".new-*")] == [".new-file"], "what cannot be removed stops nobody"
        d, draft, *words = (home / "words").read_text().splitlines()
        assert (d, Path(draft).parent, Path(draft).name[:5]) == ("-D", home, ".new-")
        assert words == [
            "--username=saidonce", "--auth=trust", "--encoding=UTF8", "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8", "--locale=C", "--no-instructions",
        ]  # fmt: skip
        env = dict(line.partition("=")[::2] for line in (home / "env").read_text().splitlines())
        assert (env["LC_ALL"], env["TZ"], env["HELD"]) == ("C", "UTC", "y")
        assert not {"PGDATA", "LC_TIME", "LANGUAGE"} & env.keys()
        assert (home / "input").read_text().strip() == "0"

    def test_whoever_is_no_root_changes_no_account(self, home: Path) -> None:
        assert list(a_cluster(home)._as_account()) == ["env"]

    def test_it_belongs_to_the_account_that_runs_the_server(self, home: Path, programs: Path) -> None:
        if os.geteuid() != 0:
            pytest.skip("only root hands its server to another account")
        program(programs, "initdb", 'id -u > "$2/PG_VERSION"; id -g >> "$2/PG_VERSION"; id -G >> "$2/PG_VERSION"')
        a_cluster(home, OsAccount(65_534, 65_533, borrowed=True))._create()
        assert (home / "postgres").stat().st_uid == 65_534
        assert (home / "postgres" / "PG_VERSION").read_text() == "65534\n65533\n65533\n"

    @pytest.mark.parametrize(
        ("printed", "reason"), [("echo first >&2; echo the last one >&2", "the last one"), ("", "no reason given")]
    )
    def test_why_it_cannot_be_made_is_told_and_nothing_is_left(
        self, home: Path, programs: Path, printed: str, reason: str
    ) -> None:
        program(programs, "initdb", f"{printed}\ntouch $2/half\nexit 1")
        with pytest.raises(StoreUnavailableError) as refused:
            a_cluster(home)._create()
        assert str(refused.value) == f"cannot create the embedded database in {home}: {reason}; {USE_A_URL}"
        assert [p.name for p in home.iterdir()] == ["bin"]

    def test_a_full_disk_is_told_as_one(self, home: Path, programs: Path) -> None:
        program(programs, "initdb", 'echo "could not write: No space left on device" >&2; exit 1')
        with pytest.raises(DiskFullError, match=r"database in .* about 80\.0 MiB needed") as refused:
            a_cluster(home)._create()
        assert refused.value.what == f"the database in {home}"

    def test_one_of_another_version_is_refused_with_the_way_out(self, home: Path) -> None:
        (home / "postgres").mkdir()
        version = home / "postgres" / "PG_VERSION"
        version.write_text("18\n")
        a_cluster(home)._check_version()
        version.write_text("17\n")
        with pytest.raises(StoreUnavailableError) as refused:
            a_cluster(home)._check_version()
        assert str(refused.value) == (
            f"the database in {home}/postgres was made by PostgreSQL 17, and this saidonce bundles 18; export it with"
            f" the saidonce that made it ('saidonce export') and import it into a new data folder, or {USE_A_URL}"
        )


class TestALaunch:
    SERVER = (
        'for word in "$@"; do echo "$word" >> {0}/words; done; pwd > {0}/cwd; env > {0}/env; echo $$ > {0}/pid'
        "; echo said; cut -d' ' -f6 /proc/$$/stat > {0}/session; wc -c > {0}/input; ls /proc/$$/fd > {0}/open"
        "; exec sleep 60"
    )

    @pytest.fixture
    def launched(self, home: Path, programs: Path, our_input: None) -> Iterator[int]:
        program(programs, "postgres", self.SERVER.format(home))
        (home / "postgres").mkdir()
        (home / "postgres.log").write_text("of the last time")
        lock = cluster._locked(home / "postgres", home / "server.lock")
        assert lock is not None
        pid = a_cluster(home)._launch(lock)
        os.close(lock)
        eventually((home / "open").exists)
        yield pid
        os.kill(pid, 9)
        eventually(lambda: not cluster._command_of(pid))

    def test_the_server_runs_by_itself_with_its_settings(self, home: Path, launched: int) -> None:
        assert int((home / "pid").read_text()) == launched
        assert int((home / "session").read_text()) not in (os.getsid(0), 0)
        assert (home / "cwd").read_text() == f"{home}\n"
        assert (home / "input").read_text().strip() == "0"
        words = (home / "words").read_text().splitlines()
        assert words[:2] == ["-D", f"{home}/postgres"]
        settings = {**cluster._SETTINGS, "unix_socket_directories": f'"{home}/run"'}
        assert words[2:] == [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        env = (home / "env").read_text().splitlines()
        assert {"LC_ALL=C", "TZ=UTC"} <= set(env)

    def test_it_holds_the_lock_of_its_folder_as_long_as_it_lives(self, home: Path, launched: int) -> None:
        assert cluster._locked(home / "postgres", home / "server.lock") is None
        assert "3" not in (home / "open").read_text().split(), "what only the shell needs is closed"
        os.kill(launched, 9)
        eventually(lambda: cluster._locked(home / "postgres", home / "server.lock") is not None)

    def test_its_log_begins_anew_and_the_last_one_is_kept(self, home: Path, launched: int) -> None:
        assert launched
        eventually(lambda: (home / "postgres.log").read_text() == "said\n")
        assert (home / "postgres.log.1").read_text() == "of the last time"

    def test_the_folder_says_on_which_machine_it_runs(self, home: Path, launched: int) -> None:
        assert launched
        assert (home / "postgres.host").read_text() == f"{os.uname().nodename}\n"


class TestTheNote:
    @pytest.mark.parametrize(
        ("content", "noted"),
        [
            (None, (0, "")),
            (b"", (0, "")),
            (b"12", (12, "")),
            (b"-12\nx\n", (0, "")),
            (b"x\n1\n", (0, "")),
            (b"12\n\xff\n1\n2\n3\n4\n5\n  ready \n9\n", (12, "ready")),
            (b"12\n0\n1\n2\n3\n4\n5", (12, "")),
            (b"12\n0\n1\n2\n3\n4\n5\nready", (12, "ready")),
        ],
    )
    def test_what_it_says_is_read_and_an_unfinished_one_says_nothing(
        self, home: Path, content: bytes | None, noted: tuple[int, str]
    ) -> None:
        (home / "postgres").mkdir()
        if content is not None:
            (home / "postgres" / "postmaster.pid").write_bytes(content)
        assert a_cluster(home)._noted() == noted

    @pytest.mark.parametrize("pid", [2, 4_194_304])
    def test_that_of_a_dead_server_names_nobody_and_keeps_the_rest(self, home: Path, pid: int) -> None:
        note = home / "postgres" / "postmaster.pid"
        note.parent.mkdir()
        note.write_text(NOTE.format(pid=pid, folder=note.parent, state="ready"))
        a_cluster(home)._disown_note()
        assert note.read_text() == NOTE.format(pid=cluster._NOBODY, folder=note.parent, state="ready")
        assert int(Path("/proc/sys/kernel/pid_max").read_text()) < cluster._NOBODY

    def test_that_of_a_server_which_took_it_along_is_not_missed(self, home: Path) -> None:
        a_cluster(home)._disown_note()
        assert not (home / "postgres").exists()

    def test_a_process_counts_only_if_it_is_a_server_over_this_folder(
        self, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (home / "postgres").mkdir()
        base = a_cluster(home)
        assert base.pid() is None
        (home / "postgres" / "postmaster.pid").write_text("12\n")
        asked: list[tuple[object, ...]] = []
        for answer, pid in ((True, 12), (None, None), (False, None)):
            monkeypatch.setattr(cluster, "_runs_over", noting(asked, answer))
            assert base.pid() == pid
        assert asked == [(12, home / "postgres")] * 3

    @pytest.mark.parametrize(
        ("pid", "who"),
        [(12, "process 12"), (0, "a process that is not seen from here (in another container, perhaps)")],
    )
    def test_a_folder_that_is_taken_is_refused_with_who_has_it(self, home: Path, pid: int, who: str) -> None:
        assert a_cluster(home)._taken(pid) == (
            f"a database server runs over {home}/postgres already: {who}; it does not answer at {home}/run, and a"
            f" second one would destroy the database. Stop it first ('pg_ctl stop -D {home}/postgres' where it runs),"
            f" or {USE_A_URL}"
        )

    @pytest.mark.parametrize(
        ("pid", "host", "is_shared", "is_refused"),
        [
            (12, "other", True, True), (0, "other", True, False), (12, "", True, False), (12, None, True, False),
            (12, "other", False, False), (12, os.uname().nodename, True, False),
        ],
    )  # fmt: skip
    def test_another_machines_server_is_respected_where_locks_do_not_reach_it(
        self, home: Path, monkeypatch: pytest.MonkeyPatch, pid: int, host: str | None, is_shared: bool, is_refused: bool
    ) -> None:
        asked: list[tuple[object, ...]] = []
        monkeypatch.setattr(cluster, "_is_shared", noting(asked, is_shared))
        if host is not None:
            (home / "postgres.host").write_text(f"{host}\n")
        if not is_refused:
            a_cluster(home)._check_host(pid)
            return
        with pytest.raises(StoreUnavailableError) as refused:
            a_cluster(home)._check_host(pid)
        assert asked == [(home / "postgres",)]
        assert str(refused.value) == (
            f"the machine 'other' left a running database server in {home}/postgres, which is on a network file system;"
            f" two would destroy the database. Stop saidonce there; if that machine is gone, remove"
            f" '{home}/postgres.host' and try again, or {USE_A_URL}"
        )


class TestTheLastWords:
    @pytest.mark.parametrize(
        ("log", "words"),
        [
            ("", "see {}/postgres.log"),
            ("one\ntwo\n", "two"),
            ("FATAL: a\nLOG: b\n", "FATAL: a"),
            ("FATAL: a\nPANIC: b\nLOG: c", "PANIC: b"),
            ("PANIC: a\nLOG: b\n\udcff", "PANIC: a"),
        ],
    )
    def test_they_are_the_last_that_matter(self, home: Path, log: str, words: str) -> None:
        (home / "postgres.log").write_bytes(log.encode("utf-8", "surrogateescape"))
        assert a_cluster(home)._last_words() == words.format(home)

    @pytest.mark.parametrize(
        ("log", "is_worth_it"),
        [
            ("FATAL: pre-existing shared memory block is still in use", True),
            ('FATAL: could not open "postmaster.pid"', True),
            ("FATAL: lock file exists", True),
            ("FATAL: could not read", False),
        ],
    )
    def test_remains_of_a_killed_one_are_worth_another_try(self, home: Path, log: str, is_worth_it: bool) -> None:
        (home / "postgres.log").write_text(log)
        assert a_cluster(home)._is_worth_another_try() is is_worth_it


class TestTheLock:
    def test_one_has_it_until_it_is_let_go(self, home: Path) -> None:
        lock = cluster._locked(home, home / "beside")
        assert lock is not None
        assert lock >= 100
        assert fcntl.fcntl(lock, fcntl.F_GETFD) & fcntl.FD_CLOEXEC
        assert cluster._locked(home, home / "beside") is None
        os.close(lock)
        again = cluster._locked(home, home / "beside")
        assert again is not None
        os.close(again)
        assert not (home / "beside").exists()

    def test_where_folders_cannot_be_locked_a_file_beside_is(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        real = fcntl.flock

        def no_folders(opened: int, how: int) -> None:
            if stat.S_ISDIR(os.fstat(opened).st_mode):
                raise OSError(errno.EBADF, "not here")
            real(opened, how)

        monkeypatch.setattr(fcntl, "flock", no_folders)
        n_open = n_descriptors()
        before = os.umask(0)
        try:
            lock = cluster._locked(home, home / "beside")
        finally:
            os.umask(before)
        assert lock is not None
        assert mode(home / "beside") == 0o600
        assert cluster._locked(home, home / "beside") is None
        os.close(lock)
        assert n_descriptors() == n_open

    def test_where_nothing_can_be_locked_nothing_is_started(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def nowhere(*_: object) -> None:
            raise OSError(errno.ENOLCK, "no locks")

        monkeypatch.setattr(fcntl, "flock", nowhere)
        with pytest.raises(OSError, match="no locks"):
            cluster._locked(home, home / "beside")


class TestProcesses:
    @pytest.fixture
    def server(self, home: Path) -> Iterator[subprocess.Popen[bytes]]:
        """A program called postgres that works in a folder."""
        shutil.copy("/bin/sleep", home / "postgres")
        (home / "data").mkdir()
        (home / "other").mkdir()
        with started([home / "postgres", "60"], cwd=home / "data") as running:
            eventually(lambda: "60" in cluster._command_of(running.pid))
            yield running
            running.kill()

    def test_a_server_is_known_by_its_name_and_the_folder_it_works_in(
        self, home: Path, server: subprocess.Popen[bytes]
    ) -> None:
        assert cluster._runs_over(server.pid, home / "data") is True
        assert cluster._runs_over(server.pid, home / "other") is False
        assert cluster._runs_over(server.pid, home / "gone") is False
        assert cluster._runs_over(os.getpid(), Path.cwd()) is False
        assert cluster._runs_over(2**22 + 1, home / "data") is False

    def test_whose_folder_may_not_be_seen_is_judged_by_its_words(
        self, home: Path, server: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def forbidden(*_: object) -> bool:
            raise PermissionError

        monkeypatch.setattr(Path, "samefile", forbidden)
        assert cluster._runs_over(server.pid, home / "postgres") is True
        assert cluster._runs_over(server.pid, home / "data") is None

    def test_elsewhere_than_on_linux_its_words_decide(
        self, home: Path, server: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sys, "platform", "darwin")
        assert cluster._runs_over(server.pid, home / "postgres") is True
        assert cluster._runs_over(server.pid, home / "data") is False

    def test_the_words_of_a_process_are_those_it_was_started_with(
        self, home: Path, server: subprocess.Popen[bytes]
    ) -> None:
        assert cluster._command_of(server.pid) == f"{home}/postgres 60 "
        assert (cluster._command_of(0), cluster._command_of(-1), cluster._command_of(2**22 + 1)) == ("", "", "")
        assert cluster._command_of(1) != ""

    def test_words_that_are_no_utf_8_are_words(self) -> None:
        with subprocess.Popen([b"sh", b"-c", b"read never", b"\xff"], stdin=subprocess.PIPE) as running:
            eventually(lambda: "never" in cluster._command_of(running.pid))
            assert cluster._command_of(running.pid) == "sh -c read never \udcff "
            running.kill()

    def test_one_that_has_no_words_yet_is_known_by_its_name(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        process = home / "proc" / "71"
        process.mkdir(parents=True)
        monkeypatch.setattr(cluster, "Path", lambda path: home / path.removeprefix("/"))
        monkeypatch.setattr(sys, "platform", "linux")
        (process / "cmdline").touch()
        assert cluster._command_of(71) == "", "it ended between two looks"
        (process / "stat").write_bytes(b"71 (post\xffgres) R 1 71 71 0 -1")
        assert cluster._command_of(71) == "[post\udcffgres]"
        (process / "cmdline").write_bytes(b"postgres\0-D\0\xff\0")
        assert cluster._command_of(71) == "postgres -D \udcff "

    def test_elsewhere_than_on_linux_the_system_is_asked(
        self, home: Path, server: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sys, "platform", "darwin")
        assert cluster._command_of(server.pid) == f"{home}/postgres 60\n"
        assert cluster._command_of(2**22 + 1) == ""
        with monkeypatch.context() as patched:
            patched.setattr(subprocess, "run", lambda *_, **__: pytest.fail("no process has this number"))
            assert cluster._command_of(0) == ""
        os.kill(server.pid, 9)
        eventually(lambda: " Z " in Path(f"/proc/{server.pid}/stat").read_text())
        assert cluster._command_of(server.pid) == ""

    @pytest.mark.parametrize(("name", "is_one"), [("postgres", True), ("postmaster", True), ("psql", False)])
    def test_its_name_is_its_program_whatever_its_words_are(self, home: Path, name: str, is_one: bool) -> None:
        shutil.copy(shutil.which("sh") or "", home / name)
        words = [str(home / name), "-c", "read never", "a/postgres", "a/postgres", "b/other"]
        with subprocess.Popen(words, cwd=home, stdin=subprocess.PIPE) as running:
            eventually(lambda: "other" in cluster._command_of(running.pid))
            assert cluster._runs_over(running.pid, home) is is_one
            running.kill()

    def test_one_that_we_may_not_end_is_left_alone(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def forbidden(*_: object) -> None:
            raise PermissionError

        monkeypatch.setattr(os, "kill", forbidden)
        a_cluster(home)._quit(1)

    def test_a_server_is_ended_at_once_if_there_is_one(self, home: Path, server: subprocess.Popen[bytes]) -> None:
        base = a_cluster(home)
        base._quit(None)
        base._quit(2**22 + 1)
        base._quit(server.pid)
        assert server.wait(10) == -3


class TestFileSystems:
    @pytest.mark.parametrize(
        ("folder", "is_shared"),
        [
            ("/", False), ("/srv/base", True), ("/srv", True), ("/srv/base/near/x", False), ("/srv2", False),
            ("/my folder/base", True), ("/no\u00a0break", True), ("/ho", False), ("nowhere", False),
        ],
    )  # fmt: skip
    def test_the_nearest_mount_decides(self, folder: str, is_shared: bool, monkeypatch: pytest.MonkeyPatch) -> None:
        table = (
            "9 0 0:1 / / rw - ext4 /dev/vda rw\n8 9 0:2 / /srv rw shared:1 - nfs4 host:/x rw\n"
            "3 8 0:3 / /srv/base/near rw master:2 propagate:3 - ext4 /dev/vdb rw\n"
            "7 9 0:4 / /my\\040folder rw - fuse.sshfs x rw\n5 9 0:5 / /\udcff rw - ext4 x rw\n"
            "6 9 0:6 / /no\u00a0break rw - 9p x rw\n"
        )  # fmt: skip
        real = Path.read_text

        def read(path: Path, *words: Any, **named: Any) -> str:
            if str(path) != "/proc/self/mountinfo":
                return real(path, *words, **named)
            return table.encode("utf-8", "surrogateescape").decode(named["encoding"], named["errors"])

        monkeypatch.setattr(Path, "read_text", read)
        assert cluster._is_shared(Path(folder)) is is_shared

    def test_where_nobody_says_what_is_mounted_it_is_taken_for_our_own(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(Path, "read_text", lambda *_, **__: Path("/gone").read_bytes())
        assert cluster._is_shared(Path("/srv")) is False


@pytest.mark.parametrize(
    ("stat", "name"),
    [
        ("71 (postgres) R 1 71 71 0 -1", "[postgres]"), ("71 (a (b) c) S 1 71 71 0 -1", "[a (b) c]"),
        ("71 (postgres) Z 1 71 71 0 -1", ""), ("71 (Z) D 1 71 71 0 -1", "[Z]"), ("71 (sh) X 0 -1 -1", ""),
    ],
)  # fmt: skip
def test_a_process_without_a_command_line_lives_unless_it_waits_to_be_collected(stat: str, name: str) -> None:
    assert cluster._name_of_living(stat) == name
