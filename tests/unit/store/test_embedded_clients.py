"""Who holds the embedded server of a data folder; a cluster that notes what is asked of it stands for the server."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import stat
import tempfile
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from saidonce.adapters.postgres import embedded
from saidonce.adapters.postgres.binaries import USE_A_URL, OsAccount
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.errors import DiskFullError, StoreUnavailableError
from waiting_for import eventually

WE = OsAccount(os.geteuid(), os.getegid(), borrowed=False)


def n_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.fixture
def home() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="so-ec-"))
    yield folder
    shutil.rmtree(folder)


@dataclass
class Recorded:
    """A cluster that notes what is asked of it."""

    place: tuple[object, ...]
    is_ready: bool = False
    fails: BaseException | None = None
    acts: list[str] = field(default_factory=list)
    url: str = "host=x"

    def answers(self) -> bool:
        return self.is_ready

    def know(self) -> None:
        self.acts.append("know")

    def pid(self) -> int | None:
        return 7

    def start(self) -> None:
        self.acts.append("start")
        if self.fails is not None:
            raise self.fails

    def stop(self) -> None:
        self.acts.append("stop")


class TestClients:
    """Who holds the server of a data folder; the last one stops it."""

    @pytest.fixture
    def clusters(self, monkeypatch: pytest.MonkeyPatch) -> list[Recorded]:
        every: list[Recorded] = []

        def cluster_of(*place: object) -> Recorded:
            every.append(Recorded(place, is_ready=bool(every)))
            return every[-1]

        monkeypatch.setattr(embedded, "Cluster", cluster_of)
        monkeypatch.setattr(embedded, "server_account", lambda: WE)
        monkeypatch.setattr(embedded, "find_binaries", lambda account: Path("/bin") if account == WE else None)
        return every

    def test_the_first_starts_it_the_next_joins_and_the_last_stops_it(
        self, home: Path, clusters: list[Recorded]
    ) -> None:
        first, second = EmbeddedServer(home), EmbeddedServer(home)
        one, two = clusters
        assert one.place == two.place == (home, WE, Path("/bin"))
        assert (one.acts, two.acts, first.home, first.url, first.pid) == (["start"], ["know"], home, "host=x", 7)
        first.close()
        assert one.acts == ["start"]
        second.close()
        second.close()
        first.close()
        assert (one.acts, two.acts) == (["start"], ["know", "stop"])

    def test_its_locks_are_its_accounts_alone_and_no_programs_after_it(
        self, home: Path, clusters: list[Recorded]
    ) -> None:
        n_open = n_descriptors()
        before = os.umask(0)
        try:
            server = EmbeddedServer(home)
        finally:
            os.umask(before)
        held = {
            descriptor.readlink().name: int(descriptor.name)
            for descriptor in Path("/proc/self/fd").iterdir()
            if descriptor.is_symlink()
        }
        for name in ("start.lock", "clients.lock"):
            assert stat.S_IMODE((home / name).stat().st_mode) == 0o600
            assert fcntl.fcntl(held[name], fcntl.F_GETFD) & fcntl.FD_CLOEXEC
            assert fcntl.fcntl(held[name], fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDWR
        server.close()
        assert n_descriptors() == n_open
        assert clusters[0].acts == ["start", "stop"]

    def test_nobody_joins_while_another_starts_or_leaves(self, home: Path, clusters: list[Recorded]) -> None:
        seen = []

        def look() -> None:
            other = os.open(home / "start.lock", os.O_RDWR)
            with pytest.raises(BlockingIOError):
                fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.close(other)
            seen.append(True)

        server = EmbeddedServer(home)
        clusters[0].start = clusters[0].stop = look  # type: ignore[method-assign]
        server.ensure()
        other = os.open(home / "start.lock", os.O_RDWR)
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(other)
        server.close()
        assert len(seen) == 2

    def test_who_cannot_start_it_is_no_client_of_it(
        self, home: Path, clusters: list[Recorded], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def failing(self: Recorded) -> None:
            self.acts.append("start")
            raise KeyboardInterrupt

        monkeypatch.setattr(Recorded, "start", failing)
        n_open = n_descriptors()
        with pytest.raises(KeyboardInterrupt):
            EmbeddedServer(home)
        assert (clusters[0].acts, n_descriptors()) == (["start", "stop"], n_open)

    def test_a_forgotten_hold_is_let_go(self, home: Path, clusters: list[Recorded]) -> None:
        server: EmbeddedServer | None = EmbeddedServer(home)
        gone = weakref.ref(server)
        del server
        eventually(lambda: gone() is None)
        assert clusters[0].acts == ["start", "stop"]

    def test_a_home_directory_is_written_as_shells_write_it(
        self, home: Path, clusters: list[Recorded], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HOME", str(home))
        (home / "link").symlink_to(home / "base")
        server = EmbeddedServer(Path("~/link"))
        assert server.home == home / "base"
        server.close()

    @pytest.mark.parametrize(
        ("number", "kind", "says"),
        [
            (errno.ENOSPC, DiskFullError, "the disk is full: the data folder {} cannot be written"),
            (errno.EROFS, StoreUnavailableError, "cannot write to the data folder '{}': read-only; choose another one"
             " with SAIDONCE_DATA_DIR, or " + USE_A_URL),
        ],
    )  # fmt: skip
    def test_a_folder_that_cannot_be_written_is_told_with_the_ways_out(
        self, home: Path, clusters: list[Recorded], monkeypatch: pytest.MonkeyPatch,
        number: int, kind: type[Exception], says: str,
    ) -> None:  # fmt: skip
        def unwritable(*_: object) -> Path:
            raise OSError(number, "read-only")

        monkeypatch.setattr(embedded, "cluster_home", unwritable)
        with pytest.raises(kind) as refused:
            EmbeddedServer(home)
        assert type(refused.value) is kind
        assert str(refused.value).startswith(says.format(home))
        assert kind is DiskFullError or str(refused.value) == says.format(home)
        assert clusters == []
