"""The folder of an embedded database and the server process over it."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psycopg

from saidonce.adapters.postgres.binaries import ROOT_HOME, USE_A_URL, OsAccount, can_reach
from saidonce.adapters.postgres.room import LOG, NEW_BASE, NO_SPACE, ROOM_TO_START, full, lacks_space
from saidonce.errors import StoreUnavailableError, is_full

MAJOR = "18"
"""Major version of the bundled PostgreSQL; a database folder belongs to one."""

START_TIMEOUT_S = 180.0
"""Recovery after a crash may take long; a server that starts is given this time."""

STOP_TIMEOUT_S = 60.0
_FULL_AFTER_S = 5.0
_RELAUNCH_TIMEOUT_S = 30.0
_SILENT_S = 5.0
"""How long a server that calls itself ready may be silent before we say that it cannot be reached from here."""

_POLL_S = 0.005
_PORT = 5432
_USER = "saidonce"
_LONGEST_SOCKET_PATH = 100
_LOCK_FD = 100
"""Lowest descriptor for the lock that a server inherits: above all that the shell between us uses."""

_SHARED = ("nfs", "cifs", "smb", "9p", "fuse", "ceph", "gluster", "lustre", "virtiofs", "afs")
"""File systems that other machines may write to; locks may not reach those."""

_NOBODY = 2**22 + 1
"""A number of no process: Linux, which goes furthest, gives numbers up to 2**22."""

_LAUNCH = 'exec 3>&1; "$@" >&2 3>&- & echo $! >&3'

_SETTINGS = {
    "listen_addresses": "",
    "port": str(_PORT),
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "shared_buffers": "128MB",
    "io_method": "sync",
    "max_parallel_workers_per_gather": "0",
    "jit": "off",
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "wal_compression": "pglz",
    "max_wal_size": "1GB",
    # What backups have not collected yet is kept for them, but never until the disk is full.
    "max_slot_wal_keep_size": "4GB",
    "checkpoint_timeout": "15min",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # Nothing that was stored may reach the log.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_parameter_max_length": "0",
}


def cluster_home(data_dir: Path, account: OsAccount) -> Path:
    """Return the folder that holds the database and its locks; made if it is new.

    It is the data folder itself, unless we are root and the server's account cannot walk there: then
    it lies under `/var/lib/saidonce`, and the file `home` in the data folder says where.

    Raises:
        StoreUnavailableError: the file names a place that is gone.
        OSError: the folder cannot be written.
    """
    note = data_dir / "home"
    if not data_dir.is_dir():
        data_dir.mkdir(mode=0o711 if account.borrowed else 0o700, parents=True, exist_ok=True)
    if not note.exists():
        if can_reach(account, data_dir) or (data_dir / "postgres").is_dir():
            return data_dir
        _note_new_home(note)
    home = Path(note.read_text(encoding="utf-8").strip())
    if not home.is_dir():
        raise StoreUnavailableError(
            f"the database of {str(data_dir)!r} was stored in {str(home)!r}, which no longer exists; restore "
            f"that folder, or remove {str(note)!r} to start with an empty base"
        )
    return home


def _note_new_home(note: Path) -> None:
    ROOT_HOME.mkdir(mode=0o755, parents=True, exist_ok=True)
    home = Path(tempfile.mkdtemp(prefix="base-", dir=ROOT_HOME))
    home.chmod(0o711)
    draft = note.with_name(f".home-{home.name}")
    draft.write_text(f"{home}\n", encoding="utf-8")
    try:
        os.link(draft, note)
    except FileExistsError:
        home.rmdir()
    finally:
        draft.unlink()


class Cluster:
    """A database folder and its server; the caller holds the start lock while it calls a method.

    Two servers over one folder destroy it. A server of ours holds a lock on the folder itself as long as any of its
    processes lives, which all containers of a machine see; one that somebody else started is known by the process that
    its `postmaster.pid` names. That file is changed only if its process is dead, or another program.
    """

    def __init__(self, home: Path, account: OsAccount, binaries: Path) -> None:
        self._account = account
        self._binaries = binaries
        self._home = home
        self._folder = home / "postgres"
        self._log = home / LOG
        self._note = self._folder / "postmaster.pid"
        self._known: int | None = None
        self._host = home / "postgres.host"
        self._sockets = _socket_dir(home, account)

    @property
    def url(self) -> str:
        """Connection string of the server."""
        return psycopg.conninfo.make_conninfo(host=str(self._sockets), port=_PORT, user=_USER, dbname="postgres")

    def pid(self) -> int | None:
        """Return the process id in the server's own note, if that process is alive and really this server."""
        pid, _ = self._read_pid_file()
        return pid if pid and _runs_over(pid, self._folder) is True else None

    def answers(self) -> bool:
        """Return whether a server accepts sessions; its status file may be stale and is not used."""
        return psycopg.pq.PGconn.ping(self.url.encode()) == psycopg.pq.Ping.OK

    def know(self) -> None:
        """Remember the server that answers as the one that we use, and may stop."""
        self._known = self.pid()

    def start(self) -> None:
        """Start the server, over a new database if there is none, and wait until it is ready.

        Raises:
            StoreUnavailableError: it does not start, and why.
        """
        try:
            if not self._folder.is_dir():
                self._create()
            self._check_version()
            self._make_socket_dir()
            self._run()
            self.know()
        except OSError as failed:
            if is_full(failed):
                raise full(self._home, NEW_BASE if not self._folder.is_dir() else ROOM_TO_START) from failed
            raise StoreUnavailableError(f"cannot start the embedded database: {failed}; {USE_A_URL}") from failed

    def stop(self) -> None:
        """Stop the server and wait until it is gone; one that we neither started nor reach is somebody else's."""
        pid = self.pid()
        if pid is None or (pid != self._known and not self.answers()):
            return
        deadline = time.monotonic() + STOP_TIMEOUT_S
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGINT)
        while self.pid() == pid and time.monotonic() < deadline:
            time.sleep(_POLL_S)

    def discard(self) -> None:
        """Kill the server of a folder that is to be deleted, and wait until it has ended.

        Raises:
            StoreUnavailableError: a process that is not seen from here keeps the folder.
        """
        deadline = time.monotonic() + STOP_TIMEOUT_S
        while self._folder.is_dir():
            lock = _lock_folder(self._folder, self._home / "server.lock")
            if lock is not None:  # every process of a server of ours holds it, also one that has noted nothing yet
                os.close(lock)
                return
            self._quit(self.pid())
            if time.monotonic() > deadline:
                raise StoreUnavailableError(self._taken_message(self.pid() or 0))
            time.sleep(_POLL_S)

    def _create(self) -> None:
        """Make a database in a temporary folder and rename it when it is complete."""
        for leftover in self._home.glob(".new-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        draft = Path(tempfile.mkdtemp(prefix=".new-", dir=self._home))
        self._give_away(draft)
        outcome = subprocess.run(  # noqa: S603  our own programs and paths
            [self._binaries / "initdb", "-D", draft, f"--username={_USER}", "--auth=trust", "--encoding=UTF8",
             "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", "--no-instructions"],
            capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, **self._as_account(),
        )  # fmt: skip
        if outcome.returncode != 0:
            shutil.rmtree(draft, ignore_errors=True)
            if NO_SPACE in outcome.stderr:
                raise full(self._home, NEW_BASE)
            reason = (outcome.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise StoreUnavailableError(f"cannot create the embedded database in {self._home}: {reason}; {USE_A_URL}")
        draft.rename(self._folder)

    def _check_version(self) -> None:
        version = (self._folder / "PG_VERSION").read_text(encoding="ascii").strip()
        if version != MAJOR:
            raise StoreUnavailableError(
                f"the database in {self._folder} was made by PostgreSQL {version}, but this version bundles {MAJOR}; "
                f"export it with the version that made it ('saidonce db export') and import it into a new data folder, "
                f"or {USE_A_URL}"
            )

    def _make_socket_dir(self) -> None:
        """Make the folder of the socket; nobody else may have put it there."""
        with contextlib.suppress(FileExistsError):
            self._sockets.mkdir(mode=0o700)
            self._give_away(self._sockets)
        status = self._sockets.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != self._account.uid or status.st_mode & 0o077:
            raise StoreUnavailableError(f"{self._sockets} is not a folder that only the server's account can enter")

    def _run(self) -> None:
        """Launch the server until one stays; the remains of a killed one may hold the folder for a moment."""
        begun = time.monotonic()
        launched = 0
        while not self.answers():
            waited = time.monotonic() - begun
            if waited > _FULL_AFTER_S and lacks_space(self._home):
                # Without room to recover a server crashes and begins anew, for ever: it never becomes ready.
                self._quit(self.pid())
                raise full(self._home, ROOM_TO_START)
            if waited > START_TIMEOUT_S:
                raise StoreUnavailableError(f"the embedded database did not become ready; see {self._log}")
            if not _command_of(launched):
                if launched and (waited > _RELAUNCH_TIMEOUT_S or not self._is_worth_another_try()):
                    if lacks_space(self._home):
                        raise full(self._home, ROOM_TO_START)
                    raise StoreUnavailableError(f"the embedded database stopped immediately: {self._last_words()}")
                launched = self._launch_if_free(waited) or launched
                self._known = launched or self._known
            time.sleep(_POLL_S if waited < 1 else 0.1)

    def _launch_if_free(self, waited_s: float) -> int:
        """Start the server, and give its process id; 0 while another one may still go away or become ready.

        Raises:
            StoreUnavailableError: another server has the folder and stays.
        """
        lock = _lock_folder(self._folder, self._home / "server.lock")
        try:
            pid, state = self._read_pid_file()
            runs = _runs_over(pid, self._folder) if pid else False
            if lock is not None and runs is False:
                self._check_host(pid)
                if pid:
                    self._disown_note()
                (self._sockets / f".s.PGSQL.{_PORT}.lock").unlink(missing_ok=True)  # the same, with the same number
                return self._launch(lock)
        finally:
            if lock is not None:
                os.close(lock)
        comes_or_goes = state in {"starting", "stopping"}
        limit_s = START_TIMEOUT_S if comes_or_goes else _RELAUNCH_TIMEOUT_S if runs is False else _SILENT_S
        if waited_s > limit_s:
            raise StoreUnavailableError(self._taken_message(pid if runs is not False else 0))
        return 0

    def _read_pid_file(self) -> tuple[int, str]:
        """Return process id and state in the server's own note; 0 and nothing if it is absent or unfinished."""
        try:
            lines = self._note.read_text(encoding="utf-8", errors="replace").split("\n")
            return max(0, int(lines[0])), lines[7].strip() if len(lines) > 7 else ""
        except (FileNotFoundError, ValueError):
            return 0, ""

    def _disown_note(self) -> None:
        """Let a dead server's note name a process that cannot exist; what it notes of shared memory stays and is asked.

        A new server gives up while there is a process of the noted number. That may be another program, or the dead
        server itself: where nobody collects the dead, as in a container without an init, it is there for ever.
        """
        with contextlib.suppress(FileNotFoundError), self._note.open("r+b", buffering=0) as note:
            _, _, rest = note.read().partition(b"\n")
            note.seek(0)
            note.write(b"%d\n%s" % (_NOBODY, rest))  # one write, never shorter: whoever is killed leaves no half of it

    def _taken_message(self, pid: int) -> str:
        who = f"process {pid}" if pid else "a process that is not seen from here (in another container, perhaps)"
        return (
            f"a database server already runs on {self._folder}: {who}; it does not answer at {self._sockets}, and a "
            f"second one would destroy the database. Stop it first ('pg_ctl stop -D {self._folder}' where it runs), "
            f"or {USE_A_URL}"
        )

    def _check_host(self, pid: int) -> None:
        """Refuse a folder that another machine's server may still have, where locks may not reach that machine."""
        try:
            host = self._host.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return
        if pid and host and host != socket.gethostname() and _is_shared(self._folder):
            raise StoreUnavailableError(
                f"the machine {host!r} left a running database server in {self._folder}, which is on a network file "
                f"system; two would destroy the database. Stop saidonce there; if that machine is gone, remove "
                f"{str(self._host)!r} and try again, or {USE_A_URL}"
            )

    def _launch(self, lock: int) -> int:
        """Start the server as nobody's child, and give its process id; it holds the lock as long as it lives."""
        self._host.write_text(f"{socket.gethostname()}\n", encoding="utf-8")
        settings = {**_SETTINGS, "unix_socket_directories": f'"{self._sockets}"'}
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        if self._log.exists():
            self._log.replace(self._log.with_suffix(".log.1"))
        with self._log.open("wb") as log:
            done = subprocess.run(  # noqa: S603  our own programs and paths
                ["/bin/sh", "-c", _LAUNCH, "sh", self._binaries / "postgres", "-D", self._folder, *options],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                start_new_session=True, check=True, cwd=self._home, pass_fds=(lock,), **self._as_account(),
            )  # fmt: skip
        return int(done.stdout)

    def _is_worth_another_try(self) -> bool:
        return any(words in self._last_words() for words in ("still in use", "postmaster.pid", "lock file"))

    def _quit(self, pid: int | None) -> None:
        """End a server at once, without the last writing for which there is no room."""
        if pid is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGQUIT)

    def _last_words(self) -> str:
        lines = self._log.read_text(encoding="utf-8", errors="replace").splitlines()
        fatal = [line for line in lines if "FATAL" in line or "PANIC" in line]
        return (fatal or lines or [f"see {self._log}"])[-1]

    def _give_away(self, path: Path) -> None:
        if self._account.borrowed:
            os.chown(path, self._account.uid, self._account.gid)

    def _as_account(self) -> dict[str, Any]:
        env = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_", "LANG"))}
        change = {"user": self._account.uid, "group": self._account.gid, "extra_groups": []}
        return {"env": {**env, "LC_ALL": "C", "TZ": "UTC"}, **(change if self._account.borrowed else {})}


def _socket_dir(home: Path, account: OsAccount) -> Path:
    """Return a folder short enough for a socket's path, the same for every process that asks."""
    near = home / "run"
    if len(os.fsencode(near / f".s.PGSQL.{_PORT}")) <= _LONGEST_SOCKET_PATH:
        return near
    name = hashlib.sha256(os.fsencode(home)).hexdigest()[:16]
    return Path("/tmp") / f"saidonce-{account.uid}-{name}"  # noqa: S108  ownership is checked before use


def _lock_folder(folder: Path, beside: Path) -> int | None:
    """Lock a folder itself, which cannot get lost as a file can; None if another process has it.

    Where folders cannot be locked, on NFS for instance, a file beside it is.
    """
    for path, how in ((folder, os.O_RDONLY), (beside, os.O_RDWR | os.O_CREAT)):
        opened = os.open(path, how | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return fcntl.fcntl(opened, fcntl.F_DUPFD_CLOEXEC, _LOCK_FD)
        except BlockingIOError:
            return None
        except OSError:
            if path == beside:
                raise
        finally:
            os.close(opened)
    return None


def _runs_over(pid: int, folder: Path) -> bool | None:
    """Return whether a process is a database server over a folder; None if it is one, over we cannot see which."""
    command = _command_of(pid)
    name = command.split(" ", 1)[0].rpartition("/")[2]
    if sys.platform != "linux":
        return str(folder) in command
    if not name.startswith(("postgres", "postmaster")):
        return False
    try:
        return Path(f"/proc/{pid}/cwd").samefile(folder)  # a server works in its folder
    except (FileNotFoundError, ProcessLookupError):
        return False
    except PermissionError:
        return True if str(folder) in command else None


def _is_shared(folder: Path) -> bool:
    """Return whether a folder is on a file system that other machines may have too."""
    try:
        lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except FileNotFoundError:
        return False
    mounts = [line.split(" ") for line in lines]
    over = [m for m in mounts if folder.is_relative_to(m[4].replace("\\040", " "))]
    nearest = max(over, key=lambda m: len(m[4]), default=None)
    return nearest is not None and nearest[nearest.index("-") + 1].startswith(_SHARED)


def _name_of_living(stat: str) -> str:
    """Return the name in brackets that the kernel keeps of a process; empty for a dead or an unreaped one."""
    name, _, rest = stat.partition("(")[2].rpartition(")")
    return "" if rest.split()[0] in "ZX" else f"[{name}]"


def _command_of(pid: int) -> str:
    """Return the command line of a living process, its name while it has none yet; empty for a dead or unreaped one."""
    if pid <= 0:
        return ""
    if sys.platform == "linux":
        process = Path(f"/proc/{pid}")
        try:
            words = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "surrogateescape")
            # While a program is being put in the place of another it has no command line; on a busy machine for long.
            return words or _name_of_living((process / "stat").read_text("utf-8", "surrogateescape"))
        except (FileNotFoundError, ProcessLookupError):
            return ""
    probe = subprocess.run(  # noqa: S603  a number is all that is given
        ["/bin/ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return "" if "<defunct>" in probe.stdout else probe.stdout
