"""Vectors on disk: a cache for interrupted runs, and a caller's own vectors."""

from __future__ import annotations

import fcntl
import hashlib
import math
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import numpy as np

from saidonce.errors import NotFoundError, StoreCorruptError, UsageError
from saidonce.foundation.model import Vector
from saidonce.foundation.ports import Embedder
from saidonce.matching.vectors.canonical import are_unit

_KEY_BYTES = 16

_SLAB = 8_192


class CachedVectors:
    """An embedder with a cache in a folder, so that no text is embedded twice.

    Vectors of each model lie in a folder of their own. They are appended first and their texts'
    keys after them, so that every key has a whole vector, whenever a run is killed.
    """

    def __init__(self, inner: Embedder, folder: Path) -> None:
        """Open or create the folder.

        Raises:
            UsageError: another run uses it, or it cannot be written.
            StoreCorruptError: its content is not a cache of vectors.
        """
        self._inner = inner
        self.model = inner.model
        self.dim = inner.dim
        self.n_found = 0
        own = folder / hashlib.sha256(self.model.encode()).hexdigest()[:16]
        try:
            own.mkdir(parents=True, exist_ok=True)
            self._keys: IO[bytes] = (own / "keys").open("a+b")
            self._rows: IO[bytes] = (own / "rows.f32").open("a+b")
        except OSError as bad:
            raise UsageError(f"{str(own)!r} cannot be written: {bad.strerror}") from bad
        self._own = own
        self._lock()
        self._places = self._known_rows()

    def __len__(self) -> int:
        return len(self._places)

    def close(self) -> None:
        """Close the files."""
        self._keys.close()
        self._rows.close()

    def embed(self, texts: Sequence[str]) -> Vector:
        """See the port; texts with a cached vector are not embedded again."""
        keys = [_key(text) for text in texts]
        fresh = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._places}
        self.n_found += len(texts) - len(fresh)
        if fresh:
            self._append(list(fresh), self._inner.embed(list(fresh.values())))
        if not texts:
            return np.zeros((0, self.dim), dtype=np.float32)
        return np.array(self._matrix()[[self._places[key] for key in keys]])

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """See the port."""
        return self._inner.count_tokens(texts)

    def _append(self, keys: list[bytes], rows: Vector) -> None:
        self._rows.write(rows.astype("<f4").tobytes())
        self._rows.flush()
        self._keys.write(b"".join(keys))
        self._keys.flush()
        self._places.update(zip(keys, range(len(self._places), len(self._places) + len(keys)), strict=True))

    def _lock(self) -> None:
        try:
            fcntl.flock(self._keys, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as bad:
            self.close()
            raise UsageError(f"another run uses {str(self._own)!r}; wait until it ends") from bad

    def _known_rows(self) -> dict[bytes, int]:
        self._keys.seek(0)
        written = self._keys.read()
        n = min(len(written) // _KEY_BYTES, self._rows.seek(0, 2) // (4 * self.dim))
        self._keys.truncate(n * _KEY_BYTES)
        self._rows.truncate(n * 4 * self.dim)
        keys = [written[at : at + _KEY_BYTES] for at in range(0, n * _KEY_BYTES, _KEY_BYTES)]
        places = {key: place for place, key in enumerate(keys)}
        self._places = places
        if len(places) != n or (n and not are_unit(self._matrix())):
            self.close()
            raise StoreCorruptError(f"{str(self._own)!r} holds damaged vectors; remove it")
        return places

    def _matrix(self) -> Vector:
        if not self._places:
            return np.zeros((0, self.dim), dtype=np.float32)
        return np.memmap(self._own / "rows.f32", dtype="<f4", mode="r", shape=(len(self._places), self.dim))


def read_vectors(path: Path, n_rows: int) -> Vector:
    """Read a caller's vectors, shape (n, dim), as unit rows, float32; rows of other lengths are scaled.

    Raises:
        NotFoundError: there is no such file.
        UsageError: it is not an array of numbers with one row for each row of the corpus, or a row has no length.
    """
    if not path.is_file():
        raise NotFoundError("file", str(path))
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as bad:
        raise UsageError(f"{str(path)!r} is not an array of numbers saved by numpy: {bad}") from bad
    if not isinstance(array, np.ndarray) or array.ndim != 2 or array.dtype.kind not in "fiu" or not array.shape[1]:
        raise UsageError(f"{str(path)!r} does not hold one two-dimensional array of numbers")
    if len(array) != n_rows:
        raise UsageError(f"{str(path)!r} holds {len(array)} vectors, the corpus has {n_rows} rows")
    rows = np.empty(array.shape, dtype=np.float32)
    for at in range(0, n_rows, _SLAB):
        rows[at : at + _SLAB] = scaled(np.asarray(array[at : at + _SLAB]), at, str(path))
    return rows


def scaled(rows: Vector, at: int, of: str) -> Vector:
    """Return rows of numbers as unit rows, float32; the bits are the same on every processor.

    Args:
        at: place of the first row in the file that `of` names.

    Raises:
        UsageError: a row has no length.
    """
    single = rows.astype(np.float32)
    if rows.dtype.kind == "f" and are_unit(single):
        return single
    wide = rows.astype(np.float64)
    peaks = np.abs(wide).max(axis=1)
    for place in np.flatnonzero(~(np.isfinite(peaks) & (peaks > 0))):
        raise UsageError(f"vector {at + place + 1} of {of!r} is not finite or has no length")
    wide /= peaks[:, None]
    # Exact sums, so that every processor scales alike.
    lengths = np.sqrt([math.fsum(row) for row in (wide * wide).tolist()])
    scaled: Vector = (wide / lengths[:, None]).astype(np.float32)
    return scaled


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES).digest()
