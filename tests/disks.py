"""Small volumes that tests fill."""

from __future__ import annotations

import os
import random
import string
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from saidonce.foundation.disk import free_bytes

MIB = 1024 * 1024


@contextmanager
def small_disk(folder: Path, size_mib: int) -> Iterator[Path]:
    """A volume of a few MiB; the test is skipped where none may be mounted."""
    folder.mkdir()
    folder.chmod(0o755)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size_mib}m,mode=755", "none", str(folder)]
    try:
        done = subprocess.run(mount, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no program 'mount' here")
    if done.returncode:
        pytest.skip(f"no volume may be mounted here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def full(volume: Path, left_kib: int = 0) -> Iterator[None]:
    """Fill a volume but for a little, and make room again."""
    filler = volume / "filler"
    free = free_bytes(volume)
    assert free is not None
    try:
        with filler.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, max(free - left_kib * 1024, 1))
        yield
    finally:
        filler.unlink()


def long_text(seed: int) -> str:
    """A quarter of a megabyte that cannot be compressed much."""
    return "".join(random.Random(seed).choices(string.ascii_letters + string.digits + " ", k=MIB // 4))
