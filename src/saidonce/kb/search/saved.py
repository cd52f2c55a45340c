"""A copy of the search index in a file that is mapped into memory, so that a search after a start reads no database.

One file: a line that names its kind, the length of a header, the header (JSON), arrays, and the XXH3 (128 bits) of all
before it, which is compared at each start: it finds damage at the speed of memory, and is no protection against one who
may write the file. The file is a cache: whatever is wrong with it, it is passed over and written anew.
"""

from __future__ import annotations

import gc
import json
import logging
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Any, TypeVar

import numpy as np
import xxhash
from numpy.typing import NDArray

from saidonce.errors import UsageError
from saidonce.foundation.codec import from_plain, to_plain
from saidonce.foundation.model import Filterable
from saidonce.kb.search.properties import KnownBlocks, Properties
from saidonce.matching.vectors import Column, ExactIndex

_FAMILY = b"saidonce search index "
KIND = _FAMILY + b"3\n"
"""The first line; another number says that the rest is written otherwise."""

LEAST = 5_000
"""Live blocks from which a copy is worth its file; fewer are read from the database as soon."""

_FIELDS = [field.name for field in fields(Filterable)]
"""What filters looked at when a copy was written; a copy with others is passed over."""

_KNOWN = ("which", "revs", "salience", "text_keys", "marks")
"""Arrays of blocks in the order in which `KnownBlocks` takes them."""

_ROOM = 64
"""Rows, and one in fifty more, that can be added before an array has to be copied."""

_ALIGNED = 64
_PIECE = 1 << 20
_DIGEST = 16

_Taken = TypeVar("_Taken")

_log = logging.getLogger("saidonce")


@dataclass(frozen=True, slots=True)
class Whose:
    """What a copy is a copy of; one of something else is passed over.

    Attributes:
        identity: of the database, see `Store.identity`.
        n_shards: parts of the index.
    """

    identity: str
    model: str
    dim: int
    n_shards: int


@dataclass(frozen=True, slots=True)
class Copy:
    """The content of an index.

    Attributes:
        seen: revision up to which changes are taken in.
        indexes: of each part.
    """

    seen: int
    properties: Properties
    indexes: dict[str, ExactIndex]


def write(path: Path, whose: Whose, copy: Copy) -> bool:
    """Write a copy in the place of the one before; for this account alone. Return whether it was possible."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, prefix=path.name, delete=False) as file:
            try:
                _write(file, whose, copy)
                Path(file.name).replace(path)
            except BaseException:  # an interruption, too, leaves no half of a copy behind
                Path(file.name).unlink(missing_ok=True)
                raise
    except OSError as failed:
        _log.warning("search.cache not written to %s: %s", path, failed.strerror)
        return False
    return True


def read_copy(path: Path, whose: Whose) -> Copy | None:
    """Return the copy in a file; None without one, for one of something else, or for a damaged one."""
    return _open_copy(path, lambda file: _read_copy(path, file, whose))


def parts(path: Path, whose: Whose, seen: int) -> dict[str, ExactIndex]:
    """Return the parts of the copy in a file, of this revision; none where `read` has no copy to return."""
    return _open_copy(path, lambda file: _parts(path, file, whose, seen)) or {}


def _open_copy(path: Path, take: Callable[[IO[bytes]], _Taken | None]) -> _Taken | None:
    try:
        with path.open("rb") as file, _without_gc():
            return take(file)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, IndexError, UsageError, RecursionError) as wrong:
        _log.warning("search.cache %s is damaged and is made anew: %s", path, type(wrong).__name__)
        return None


def remove(path: Path) -> None:
    """Remove a copy."""
    with suppress(OSError):
        path.unlink(missing_ok=True)


def _write(file: IO[bytes], whose: Whose, copy: Copy) -> None:
    arrays: dict[str, Column | NDArray[Any]] = {}
    names = sorted(copy.indexes)
    for part in names:
        room = _ROOM + len(copy.indexes[part]) // 50
        ids, columns = copy.indexes[part].columns(room)
        arrays |= {f"{part}/{name}": array for name, array in columns.items()}
        arrays |= {f"{part}/{name}": array for name, array in _of_blocks(ids, copy.properties).items()}
    at, places = 0, []
    for name, array in arrays.items():
        dtype = array.array.dtype if isinstance(array, Column) else array.dtype
        n_bytes = math.prod(array.shape) * dtype.itemsize
        places.append([name, dtype.str, list(array.shape), at])
        at += -(-n_bytes // _ALIGNED) * _ALIGNED
    header = {
        "identity": whose.identity, "model": whose.model, "dim": whose.dim, "n_shards": whose.n_shards,
        "seen": copy.seen, "parts": names, "arrays": places,
        "fields": _FIELDS, "properties": [to_plain(Filterable, one) for one in copy.properties.kinds],
    }  # fmt: skip
    digest = xxhash.xxh3_128()

    def put(piece: Any) -> None:
        digest.update(piece)
        file.write(piece)

    words = json.dumps(header).encode()
    words += b" " * (-(len(KIND) + 8 + len(words)) % _ALIGNED)
    put(KIND + len(words).to_bytes(8, "little") + words)
    for array in arrays.values():
        n_bytes = 0
        for piece in array.pieces() if isinstance(array, Column) else [array]:
            put(np.ascontiguousarray(piece).data.cast("B") if piece.nbytes else b"")
            n_bytes += piece.nbytes
        put(bytes(-n_bytes % _ALIGNED))
    file.write(digest.digest())


def _of_blocks(ids: Sequence[str], properties: Properties) -> dict[str, NDArray[Any]]:
    blocks = [known for id_ in ids if (known := properties.get(id_))]
    return {
        "ids": np.array([id_.encode() for id_ in ids], dtype=np.bytes_),
        "text_keys": np.array([known.text_key.encode() for known in blocks], dtype=np.bytes_),
        "which": np.array([known.which for known in blocks], dtype="<i4"),
        "revs": np.array([known.rev for known in blocks], dtype="<i8"),
        "salience": np.array([known.salience for known in blocks], dtype="<f8"),
        "marks": np.array([known.mark for known in blocks], dtype="<i8"),
    }


def _read_copy(path: Path, file: IO[bytes], whose: Whose) -> Copy | None:
    header = _header(path, file, whose)
    if header is None:
        return None
    with _being_compared(file):
        columns = _columns(header, file)
        indexes = {part: _restored(whose, own) for part, own in columns.items()}
        copied = (KnownBlocks(indexes[part].places(), *(own[name] for name in _KNOWN)) for part, own in columns.items())
        properties = Properties(from_plain(list[Filterable], header["properties"]), copied)
    return Copy(int(header["seen"]), properties, indexes)


def _restored(whose: Whose, own: Mapping[str, NDArray[Any]]) -> ExactIndex:
    return ExactIndex.restored(whose.dim, own["ids"].astype(np.str_).tolist(), own)


def _parts(path: Path, file: IO[bytes], whose: Whose, seen: int) -> dict[str, ExactIndex] | None:
    header = _header(path, file, whose)
    if header is None or header["seen"] != seen:
        return None
    with _being_compared(file):
        return {part: _restored(whose, own) for part, own in _columns(header, file).items()}


def _header(path: Path, file: IO[bytes], whose: Whose) -> dict[str, Any] | None:
    """Return the header of a copy, and where its arrays start; None for a copy of something else."""
    kind = file.read(len(KIND))
    if kind != KIND:
        if kind.startswith(_FAMILY):
            return None  # written by another version of this program
        raise ValueError
    length = int.from_bytes(file.read(8), "little")
    if length > path.stat().st_size:
        raise ValueError
    header: dict[str, Any] = json.loads(file.read(length))
    if [header[name] for name in ("identity", "model", "dim", "n_shards", "fields")] != [
        whose.identity, whose.model, whose.dim, whose.n_shards, _FIELDS,
    ]:  # fmt: skip
        return None
    return header | {"start": file.tell()}


def _columns(header: Mapping[str, Any], file: IO[bytes]) -> dict[str, dict[str, NDArray[Any]]]:
    """Return the arrays of each part, mapped; what is written to them stays in memory."""
    columns: dict[str, dict[str, NDArray[Any]]] = {part: {} for part in header["parts"]}
    for path, dtype, shape, at in header["arrays"]:
        part, name = path.split("/")
        columns[part][name] = (
            np.memmap(file, dtype=np.dtype(dtype), mode="c", offset=header["start"] + at, shape=tuple(shape))
            if np.prod(shape)
            else np.zeros(shape, dtype=np.dtype(dtype))
        )
    return columns


@contextmanager
def _without_gc() -> Iterator[None]:
    """Make many objects without the garbage collector going through all of them again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def _being_compared(file: IO[bytes]) -> Iterator[None]:
    """Compare a copy with its digest in a thread meanwhile; what was made of a damaged one goes nowhere."""
    with ThreadPoolExecutor(1) as comparing:
        is_whole = comparing.submit(_is_whole, file.fileno())
        yield
        if not is_whole.result():
            raise ValueError


def _is_whole(file: int) -> bool:
    """Compare the digest at a file's end with what stands before it, read piece by piece, not through the mapping."""
    left, at = os.fstat(file).st_size - _DIGEST, 0
    digest, piece = xxhash.xxh3_128(), memoryview(bytearray(_PIECE))
    while left > at and (n := os.preadv(file, [piece[: left - at]], at)):
        digest.update(piece[:n])
        at += n
    return os.pread(file, _DIGEST, at) == digest.digest()
