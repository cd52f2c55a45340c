"""The work folder of a run: its settings, its lock, and which of its stages are done."""

from __future__ import annotations

import fcntl
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from saidonce.corpus.files.lines import replace_file
from saidonce.errors import StoreCorruptError, UsageError

SETTINGS = "run.json"


class WorkFolder:
    """A folder that one run has to itself; whatever is finished in it is written whole, under its final name."""

    def __init__(self, path: Path) -> None:
        """Open or make the folder.

        Raises:
            UsageError: another run uses it, it cannot be written, or it holds other files.
        """
        self.path = path
        try:
            path.mkdir(parents=True, exist_ok=True)
            strangers = [one for one in path.iterdir() if not (path / "lock").exists()]
            if strangers:
                raise UsageError(
                    f"{str(path)!r} is not a work folder: it contains {strangers[0].name!r}; choose an empty one"
                )
            self._lock: IO[bytes] = (path / "lock").open("a+b")
        except OSError as bad:
            raise UsageError(f"{str(path)!r} cannot be written: {bad.strerror}") from bad
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as bad:
            self._lock.close()
            raise UsageError(f"another run uses {str(path)!r}; wait until it ends, or choose another --work") from bad

    def close(self) -> None:
        """Let another run have the folder."""
        self._lock.close()

    def remove(self) -> None:
        """Remove the folder with all that is in it."""
        self.close()
        shutil.rmtree(self.path, ignore_errors=True)

    def settle(self, settings: Mapping[str, Any]) -> bool:
        """Note what the run is; return whether it was begun before.

        Raises:
            UsageError: the folder holds a run of other inputs or settings.
        """
        place = self.path / SETTINGS
        if not place.exists():
            self.put(SETTINGS, settings)
            return False
        before = self.get(SETTINGS)
        differing = sorted(name for name in {*before, *settings} if before.get(name) != settings.get(name))
        if differing:
            names = ", ".join(differing)
            raise UsageError(
                f"{str(self.path)!r} contains another run, which differs in: {names}; remove it, or choose another"
                " --work"
            )
        return True

    def has(self, name: str) -> bool:
        """Return whether a file or folder is there, and so finished."""
        return (self.path / name).exists()

    def put(self, name: str, document: Any) -> None:
        """Write a JSON document, whole or not at all."""
        with replace_file(self.path / name) as file:
            file.write(json.dumps(document, indent=1, sort_keys=True).encode())

    def get(self, name: str) -> Any:
        """Read a JSON document.

        Raises:
            StoreCorruptError: it is damaged.
        """
        return read_json(self.path / name)

    def put_array(self, name: str, values: NDArray[Any]) -> None:
        """Write an array, whole or not at all."""
        with replace_file(self.path / name) as file:
            np.save(file, values)


def map_array(path: Path) -> NDArray[Any]:
    """Map an array of a work folder into memory, for reading.

    Raises:
        StoreCorruptError: it is damaged.
    """
    try:
        values: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, OSError) as bad:
        if path.exists() and path.stat().st_size:  # an empty array cannot be mapped
            try:
                return np.asarray(np.load(path, allow_pickle=False))
            except (ValueError, EOFError, OSError):
                pass
        raise StoreCorruptError(f"{str(path)!r} is damaged; remove {str(path.parent)!r}") from bad
    return values.view(np.ndarray)  # a memmap makes a memmap of every single row that is read


def read_json(path: Path) -> Any:
    """Read a JSON document of a work folder.

    Raises:
        StoreCorruptError: it is damaged.
    """
    try:
        return json.loads(path.read_bytes())
    except ValueError as bad:
        raise StoreCorruptError(f"{str(path)!r} is damaged; remove its folder") from bad


def stamp(path: Path) -> tuple[int, int]:
    """Return a stamp that distinguishes successive files with the same path, for caches of open files."""
    state = path.stat()
    return state.st_ino, state.st_mtime_ns
