"""Stage 0: the rows of each file with their hashes, in files that can be mapped into memory."""

from __future__ import annotations

import hashlib
import json
import mmap
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from saidonce.corpus.files import Fields, open_corpus
from saidonce.corpus.run.inputs import InputFile
from saidonce.corpus.run.work import WorkFolder, map_array, stamp
from saidonce.errors import UsageError
from saidonce.foundation.disk import naming_full_disk
from saidonce.foundation.files import sha256_of
from saidonce.foundation.model import CorpusRow
from saidonce.foundation.ports import Engine
from saidonce.foundation.text import content_hash, normalise

TEXT, NO_TEXT, TROUBLE = 0, 1, 2

ROW = np.dtype(
    [
        ("shard", "<u4"), ("kind", "u1"), ("number", "<i8"), ("chars", "<i8"), ("dated_at", "<f8"),
        ("identity", "V32"), ("content", "V16"), ("same", "V16"),
        ("text_at", "<i8"), ("text_bytes", "<i8"), ("id_at", "<i8"), ("id_bytes", "<i8"),
    ]
)  # fmt: skip
"""A row: its file, what it is, where it stands, characters in normal form, its hashes, and where text and id lie.

`same` is equal for rows of the same text and the same vector of the caller's. A row in trouble has the reason as text.
"""

_AT_ONCE = 4_096
Report = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class ReadTask:
    """Reads one file; returns how many rows it has.

    Attributes:
        vectors: one file of numpy, of whose rows those from `first` on belong to this file.
    """

    folder: Path
    number: int
    file: InputFile
    fields: Fields
    vectors: Path | None = None
    first: int = 0

    def __call__(self) -> int:
        """See the class."""
        final = self.folder / f"shards/{self.number:05d}"
        if not final.exists():
            self._read(final)
        return int(json.loads((final / "shard.json").read_bytes())["rows"])

    def _read(self, final: Path) -> None:
        part = final.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        sha256 = sha256_of(self.file.path)
        known = None if self.vectors is None else _vectors_of(self.vectors)[self.first :]
        source = open_corpus(self.file.path, self.fields)
        with naming_full_disk(part), _RowShard(part, self.number) as shard:
            for place, row in enumerate(source.rows()):
                if known is not None and place >= len(known):
                    raise UsageError(f"{str(self.vectors)!r} contains fewer vectors than the corpus has rows")
                shard.add(row, None if known is None else np.asarray(known[place], dtype=np.float32))
            shard.flush()
            notes = {
                "name": self.file.name, "sha256": sha256, "rows": shard.n_rows, "blank": source.n_blank,
                "mark": source.mark, "dim": shard.dim, "trouble": shard.trouble, "n_trouble": shard.n_trouble,
            }  # fmt: skip
            (part / "shard.json").write_text(json.dumps(notes), encoding="utf-8")
        part.rename(final)


def read_all(
    work: WorkFolder, files: Sequence[InputFile], options: tuple[Fields, Path | None], engine: Engine, report: Report
) -> None:
    """Read the files that no earlier run has read.

    Args:
        options: names of fields, and vectors of all rows in one file of numpy; of its rows, those of a file follow
            those of the file before.

    Raises:
        SourceRefusedError: a file as a whole cannot be read.
        UsageError: a field is missing, or vectors are not one for each row.
    """
    if work.has("rows.npy"):
        return
    fields, known = options
    n_read = 0
    if known is None:
        tasks = [ReadTask(work.path, number, file, fields) for number, file in enumerate(files)]
        for n_done, n_rows in enumerate(engine.run(tasks), 1):
            n_read += n_rows
            report("reading files", n_done, len(files))
    else:
        for number, file in enumerate(files):
            n_read += ReadTask(work.path, number, file, fields, known, n_read)()
            report("reading files", number + 1, len(files))
        n_vectors = len(_vectors_of(known))
        if n_read != n_vectors:
            raise UsageError(f"{str(known)!r} holds {n_vectors} vectors, the corpus has {n_read} rows")
    _merge(work, len(files), n_read)


MOST_SHOWN = 5


class _RowShard:
    """Writes the rows of one file.

    Attributes:
        trouble: (number, reason) of the first rows that cannot be read.
    """

    def __init__(self, folder: Path, number: int) -> None:
        self.n_rows = 0
        self.n_trouble = 0
        self.dim = 0
        self.trouble: list[tuple[int, str]] = []
        self._number = number
        self._files: dict[str, IO[bytes]] = {
            name: (folder / name).open("wb") for name in ("rows", "texts", "ids", "vectors")
        }
        self._rows: list[tuple[Any, ...]] = []
        self._vectors: list[NDArray[np.float32]] = []
        self._text_at = self._id_at = 0

    def __enter__(self) -> _RowShard:
        return self

    def __exit__(self, *_failed: object) -> None:
        for file in self._files.values():
            file.close()

    def add(self, row: CorpusRow, known: NDArray[np.float32] | None) -> None:
        """Write one row."""
        kind = TROUBLE if row.trouble else NO_TEXT if row.text is None else TEXT
        vector = np.frombuffer(row.vector, dtype="<f4") if row.vector else known
        self.n_trouble += kind == TROUBLE
        if kind == TROUBLE and len(self.trouble) < MOST_SHOWN:
            self.trouble.append((row.number, row.trouble))
        if kind == TEXT and vector is not None:
            self.dim = self.dim or len(vector)
            if len(vector) != self.dim:
                raise UsageError(
                    f"row {row.number} has a vector of {len(vector)} numbers, rows before it of {self.dim}"
                )
        says = (row.trouble or row.text or "").encode("utf-8", "surrogatepass")
        normal = normalise(row.text or "") if kind == TEXT else ""
        state = hashlib.blake2b(says, digest_size=16)
        if vector is not None:
            state.update(b"\xff" + vector.tobytes())
        id_ = row.id.encode("utf-8", "surrogatepass")
        self._rows.append(
            (
                self._number, kind, row.number, len(normal), np.nan if row.dated_at is None else row.dated_at,
                _pack(row.identity), bytes.fromhex(content_hash(row.text or "", normal=normal)), state.digest(),
                self._text_at, len(says), self._id_at, len(id_),
            )
        )  # fmt: skip
        self._files["texts"].write(says)
        self._files["ids"].write(id_)
        self._text_at += len(says)
        self._id_at += len(id_)
        if vector is not None and kind == TEXT:
            self._vectors.append(vector)
        self.n_rows += 1
        if len(self._rows) == _AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Write the buffered rows."""
        self._files["rows"].write(np.array(self._rows, dtype=ROW).tobytes())
        if self._vectors:
            self._files["vectors"].write(np.stack(self._vectors).astype("<f4").tobytes())
        self._rows.clear()
        self._vectors.clear()


def _pack(identity: str) -> bytes:
    return bytes.fromhex(identity)


def _merge(work: WorkFolder, n_files: int, n_rows: int) -> None:
    part = work.path / "rows.part"
    with naming_full_disk(part):
        table = np.lib.format.open_memmap(part, mode="w+", dtype=ROW, shape=(n_rows,)) if n_rows else None
        at = 0
        for number in range(n_files):
            rows = np.fromfile(work.path / f"shards/{number:05d}/rows", dtype=ROW)
            if table is not None:
                table[at : at + len(rows)] = rows
            at += len(rows)
        if table is None:
            work.put_array("rows.npy", np.zeros(0, dtype=ROW))
            return
        table.flush()
    part.rename(work.path / "rows.npy")


def _vectors_of(path: Path) -> NDArray[Any]:
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as bad:
        raise UsageError(f"{str(path)!r} is not an array of numbers saved by numpy: {bad}") from bad
    if not isinstance(array, np.ndarray) or array.ndim != 2 or array.dtype.kind not in "fiu" or not array.shape[1]:
        raise UsageError(f"{str(path)!r} does not hold one two-dimensional array of numbers")
    return array


class Rows:
    """The rows of a run by their place, read from its folder."""

    def __init__(self, folder: Path) -> None:
        self.table = map_array(folder / "rows.npy")
        self._folder = folder
        self._blobs: dict[tuple[int, str], bytes | mmap.mmap] = {}

    def __len__(self) -> int:
        return len(self.table)

    def text(self, place: int) -> str:
        """Return the text of a row, or the reason why it cannot be read."""
        return self._piece(place, "text")

    def id(self, place: int) -> str:
        """Return the caller's own name of a row."""
        return self._piece(place, "id")

    def identity(self, place: int) -> str:
        """Return the SHA-256 of a row, 64 hex digits."""
        return bytes(self.table[place]["identity"]).hex()

    def vectors(self, shard: int, dim: int) -> NDArray[np.float32]:
        """Return the caller's vectors of the rows with a text of a file, shape (n, dim)."""
        path = self._folder / f"shards/{shard:05d}/vectors"
        if not path.stat().st_size:
            return np.zeros((0, dim), dtype=np.float32)
        return np.memmap(path, dtype="<f4", mode="r").reshape(-1, dim).view(np.ndarray)

    def _piece(self, place: int, what: str) -> str:
        row = self.table[place]
        at, n = int(row[f"{what}_at"]), int(row[f"{what}_bytes"])
        return self._blob(int(row["shard"]), f"{what}s")[at : at + n].decode("utf-8", "surrogatepass")

    def _blob(self, shard: int, name: str) -> bytes | mmap.mmap:
        key = (shard, name)
        if key not in self._blobs:
            path = self._folder / f"shards/{shard:05d}" / name
            if not path.stat().st_size:
                self._blobs[key] = b""
            else:
                with path.open("rb") as file:
                    self._blobs[key] = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return self._blobs[key]


def rows_in(folder: Path) -> Rows:
    """Return the rows of a finished stage, opened once in a process."""
    return _rows(folder, stamp(folder / "rows.npy"))


@lru_cache(maxsize=2)
def _rows(folder: Path, _stamp: tuple[int, int]) -> Rows:
    return Rows(folder)
