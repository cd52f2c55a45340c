"""What goes wrong beneath encryption keeps its kind: a full disk is a full disk, and no damaged file."""

from __future__ import annotations

import errno
import io
from collections.abc import Iterator
from typing import Any

import pytest

from saidonce.adapters import age
from saidonce.errors import StoreCorruptError

pytest.importorskip("pyrage")


class Failing(io.BytesIO):
    """A file on a disk that fails after so many reads or writes."""

    def __init__(self, content: bytes, number: int, after: int) -> None:
        super().__init__(content)
        self.number, self.left = number, after

    def _step(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise OSError(self.number, "the disk")

    def read(self, size: int | None = -1) -> bytes:
        self._step()
        return super().read(size)

    def write(self, data: Any) -> int:
        self._step()
        return super().write(data)


def keys() -> tuple[list[Any], list[Any]]:
    import pyrage

    identity = pyrage.x25519.Identity.generate()
    return [identity.to_public()], [identity]


def encrypted(recipients: list[Any]) -> bytes:
    held = io.BytesIO()
    age.encrypt([b"x" * 300_000], held, recipients)
    return held.getvalue()


@pytest.mark.parametrize("after", [0, 1, 3])
def test_what_the_disk_refuses_to_take_is_told_by_its_own_error(after: int) -> None:
    recipients, _ = keys()
    with pytest.raises(OSError, match="the disk") as failed:
        age.encrypt([b"x" * 300_000], Failing(b"", errno.ENOSPC, after), recipients)
    assert failed.value.errno == errno.ENOSPC


def test_what_fails_before_it_is_encrypted_keeps_its_kind() -> None:
    def torn() -> Iterator[bytes]:
        yield b"one line\n"
        raise StoreCorruptError("torn")

    recipients, _ = keys()
    with pytest.raises(StoreCorruptError, match="torn"):
        age.encrypt(torn(), io.BytesIO(), recipients)


@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_file_that_cannot_be_read_is_not_called_damaged(after: int) -> None:
    recipients, identities = keys()
    file = Failing(encrypted(recipients), errno.EIO, after)
    with pytest.raises(OSError, match="the disk") as failed, age.decrypt_stream(file, identities) as inside:
        inside.read()
    assert failed.value.errno == errno.EIO


@pytest.mark.parametrize("kept", [10, 150, 70_000, -1])
def test_a_file_that_was_cut_off_is_called_damaged_wherever_it_was_cut(kept: int) -> None:
    recipients, identities = keys()
    content = encrypted(recipients)[:kept]
    with (
        pytest.raises(StoreCorruptError, match="truncated or damaged"),
        age.decrypt_stream(io.BytesIO(content), identities) as inside,
    ):
        inside.read()


def test_who_wants_only_the_beginning_gets_it() -> None:
    recipients, identities = keys()
    with age.decrypt_stream(io.BytesIO(encrypted(recipients)), identities) as inside:
        assert inside.read(5) == b"xxxxx"
