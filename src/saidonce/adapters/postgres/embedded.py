"""Shares the bundled PostgreSQL server of one data folder between processes.

Two lock files rule it. `start.lock` is held, exclusively, while a client joins or leaves; each client
holds `clients.lock`, shared, as long as it lives. Whoever leaves and can get `clients.lock` exclusively
was the last one and stops the server. A client that is killed loses its lock with its life; the server
then runs on until the next client leaves. The server itself holds a lock on the folder of its database, so that
none is started beside it even if these two files were lost (see `saidonce.adapters.postgres.cluster`).
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import weakref
from collections.abc import Iterator
from pathlib import Path

from saidonce.adapters.postgres.binaries import USE_A_URL, find_binaries, server_account
from saidonce.adapters.postgres.cluster import Cluster, cluster_home
from saidonce.errors import StoreUnavailableError, is_full
from saidonce.foundation.disk import disk_full


class EmbeddedServer:
    """One client's hold on the server of a data folder; the server runs while anybody holds it.

    Attributes:
        home: folder of the database and its locks.

    Raises:
        StoreUnavailableError: the server cannot run here; the message says what to do.
    """

    def __init__(self, data_dir: Path) -> None:
        account = server_account()
        binaries = find_binaries(account)
        folder = Path(data_dir).expanduser().resolve()
        try:
            home = cluster_home(folder, account)
            start_lock = _open_lock(home / "start.lock")
            clients_lock = _open_lock(home / "clients.lock")
        except OSError as failed:
            if is_full(failed):
                raise disk_full(f"the data folder {folder}", folder) from failed
            raise StoreUnavailableError(
                f"cannot write to the data folder {str(folder)!r}: {failed.strerror}; "
                f"choose another one with SAIDONCE_DATA_DIR, or {USE_A_URL}"
            ) from failed
        self.home = home
        self._cluster = Cluster(home, account, binaries)
        self._start_lock = start_lock
        self._leave = weakref.finalize(self, _leave, start_lock, clients_lock, self._cluster)
        try:
            with _hold_lock(start_lock):
                fcntl.flock(clients_lock, fcntl.LOCK_SH)
            self.ensure()
        except BaseException:  # whoever is interrupted at the start does not count as a user of the server
            self._leave()
            raise

    @property
    def url(self) -> str:
        """Connection string of the running server."""
        return self._cluster.url

    @property
    def pid(self) -> int | None:
        """Process id of the running server, or None."""
        return self._cluster.pid()

    def ensure(self) -> None:
        """Start the server if it does not run, after a crash for instance.

        Raises:
            StoreUnavailableError: it does not start.
        """
        with _hold_lock(self._start_lock):
            if self._cluster.answers():
                self._cluster.know()
            else:
                self._cluster.start()

    def close(self) -> None:
        """Let go of the server; the last client stops it."""
        self._leave()


def _open_lock(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


@contextlib.contextmanager
def _hold_lock(lock: int) -> Iterator[None]:
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(lock, fcntl.LOCK_UN)


def _leave(start_lock: int, clients_lock: int, cluster: Cluster) -> None:
    try:
        with _hold_lock(start_lock):
            # Giving up the shared lock first lets nobody in: joining needs the start lock.
            fcntl.flock(clients_lock, fcntl.LOCK_UN)
            try:
                fcntl.flock(clients_lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return
            cluster.stop()
    finally:
        os.close(clients_lock)
        os.close(start_lock)
