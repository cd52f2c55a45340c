"""Stages 1 to 4: the different texts in the order of preference, with their languages, vectors and short vectors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saidonce.corpus.dedupe.ranking import KeepBy
from saidonce.corpus.files.vectors import scaled
from saidonce.corpus.run.rows import TEXT, Report, Rows, rows_in
from saidonce.corpus.run.work import WorkFolder, map_array, read_json, stamp
from saidonce.errors import UsageError
from saidonce.foundation.disk import naming_full_disk
from saidonce.foundation.model import UNKNOWN_LANGUAGE, Candidate
from saidonce.foundation.ports import Embedder, Engine
from saidonce.foundation.text import common_language, language
from saidonce.matching.vectors.blas import one_thread
from saidonce.matching.vectors.sketch import Sketch, chosen_axes, shortened

EMBEDDED_AT_ONCE = 1_024
_SLAB = 8_192
_READ_AT_ONCE = 4_096


def rank_all(work: WorkFolder, keep_by: KeepBy, n_fixed_files: int) -> int:
    """Rank the different texts; return how many there are. Rows of one text and one vector are one, the first.

    Ranks are those of `ranking.rank`; the texts of the first files come before all others if they are fixed.

    Args:
        n_fixed_files: files whose rows are kept whatever they repeat.
    """
    if not work.has("rank_of.npy"):
        table = rows_in(work.path).table
        places = np.flatnonzero(table["kind"] == TEXT)
        order = places[_order(table[places], keep_by, n_fixed_files)]
        _, first, group = np.unique(np.ascontiguousarray(table["same"][order]), return_index=True, return_inverse=True)
        ranks = np.empty(len(first), dtype=np.int64)
        ranks[np.argsort(first)] = np.arange(len(first))
        rank_of = np.full(len(table), -1, dtype=np.int64)
        rank_of[order] = ranks[group]
        stands = order[np.sort(first)]
        contents = np.ascontiguousarray(table["content"][stands])
        work.put_array("stands.npy", stands.astype(np.int64))
        work.put_array("group.npy", np.unique(contents, return_inverse=True)[1].astype(np.int64))
        work.put("order.json", {"fixed": int(np.count_nonzero(table["shard"][stands] < n_fixed_files))})
        work.put_array("rank_of.npy", rank_of)
    return len(map_array(work.path / "stands.npy"))


def _order(table: NDArray[Any], keep_by: KeepBy, n_fixed_files: int) -> NDArray[np.intp]:
    """Return the order of rows with a text: what comes first is kept."""
    keys: list[NDArray[Any]] = [np.arange(len(table))]
    if keep_by is not KeepBy.FIRST:
        identity = np.ascontiguousarray(table["identity"]).view(">u8").reshape(-1, 4)
        content = np.ascontiguousarray(table["content"]).view(">u8").reshape(-1, 2)
        keys += [identity[:, at].astype(np.uint64) for at in (3, 2, 1, 0)]
        keys += [content[:, at].astype(np.uint64) for at in (1, 0)]
        keys.append(-table["chars"])
    if keep_by is KeepBy.NEWEST:
        dated = table["dated_at"]
        keys.append(np.where(np.isnan(dated), np.inf, -dated))
    keys.append(table["shard"] >= n_fixed_files)
    return np.lexsort(keys)


class Ranked:
    """The different texts by their rank, read from the folder of a run.

    Attributes:
        stands: place of the row of each text.
        group: number of its normal form; equal for exact repeats.
    """

    def __init__(self, folder: Path) -> None:
        self.rows: Rows = rows_in(folder)
        self.folder = folder
        self.stands = map_array(folder / "stands.npy")
        self.group = map_array(folder / "group.npy")
        self._tags: tuple[str, ...] = ()
        self._tag_of: NDArray[Any] | None = None

    def __len__(self) -> int:
        return len(self.stands)

    def text(self, rank: int) -> str:
        """Return the text of a rank."""
        return self.rows.text(int(self.stands[rank]))

    def candidate(self, rank: int) -> Candidate:
        """Return the text as guards see it."""
        content = bytes(self.rows.table[self.stands[rank]]["content"]).hex()
        return Candidate(self.text(rank), content, language=self._language(rank))

    def _language(self, rank: int) -> str:
        if self._tag_of is None and (self.folder / "languages.npy").exists():
            self._tag_of = map_array(self.folder / "languages.npy")
            self._tags = tuple(str(tag) for tag in map_array(self.folder / "tags.npy"))
        return UNKNOWN_LANGUAGE if self._tag_of is None else self._tags[int(self._tag_of[rank])]


def ranked_in(folder: Path) -> Ranked:
    """Return the ranked texts of a finished stage, opened once in a process."""
    return _load_ranked(folder, stamp(folder / "stands.npy"))


@lru_cache(maxsize=2)
def _load_ranked(folder: Path, _stamp: tuple[int, int]) -> Ranked:
    return Ranked(folder)


@dataclass(frozen=True, slots=True)
class LanguagesTask:
    """Detects the languages of some texts."""

    folder: Path
    start: int
    stop: int

    def __call__(self) -> list[str]:
        """See the class."""
        ranked = ranked_in(self.folder)
        return [language(ranked.text(rank)) for rank in range(self.start, self.stop)]


def detect_languages(work: WorkFolder, n: int, engine: Engine, report: Report) -> None:
    """Detect the language of each text; one too short for it gets that of all together."""
    if work.has("languages.npy"):
        return
    tags: dict[str, int] = {}
    codes = np.empty(n, dtype=np.uint16)
    tasks = (LanguagesTask(work.path, at, min(at + _READ_AT_ONCE, n)) for at in range(0, n, _READ_AT_ONCE))
    at = 0
    for own in engine.run(tasks):
        codes[at : at + len(own)] = [tags.setdefault(tag, len(tags)) for tag in own]
        at += len(own)
        report("detecting languages", at, n)
    names = list(tags)
    common = common_language(n, ranked_in(work.path).text) if UNKNOWN_LANGUAGE in tags else UNKNOWN_LANGUAGE
    if UNKNOWN_LANGUAGE in tags:
        names[tags[UNKNOWN_LANGUAGE]] = common
    work.put("language.json", common)
    work.put_array("tags.npy", np.array(names or [UNKNOWN_LANGUAGE]))
    work.put_array("languages.npy", codes)


def common_of(work: WorkFolder) -> str:
    """Return the language in which texts too short to detect are read."""
    return str(work.get("language.json"))


def embed_all(work: WorkFolder, n: int, embedder: Embedder, report: Report) -> None:
    """Embed the texts in their order; a run that goes on embeds at most one batch again."""
    path = work.path / "vectors.f32"
    if work.has("vectors.json"):
        return
    ranked = ranked_in(work.path)
    width = 4 * embedder.dim
    with naming_full_disk(path), path.open("ab") as file:
        n_done = min(n, file.tell() // width)
        file.truncate(n_done * width)
        for at in range(n_done, n, EMBEDDED_AT_ONCE):
            stop = min(at + EMBEDDED_AT_ONCE, n)
            file.write(embedder.embed([ranked.text(rank) for rank in range(at, stop)]).astype("<f4").tobytes())
            file.flush()
            report("embedding", stop, n)
    work.put("vectors.json", {"dim": embedder.dim})


def collect_vectors(work: WorkFolder, names: tuple[str, ...], report: Report) -> None:
    """Write the caller's vectors in the order of the texts, scaled to length one.

    Args:
        names: of the files, for errors.

    Raises:
        UsageError: vectors differ in length, or one has none.
    """
    if work.has("vectors.json"):
        return
    ranked = ranked_in(work.path)
    table, stands = ranked.rows.table, ranked.stands
    dims = [int(work.get(f"shards/{number:05d}/shard.json")["dim"]) for number in range(len(names))]
    dim = max(dims, default=0)
    odd = next((name for name, one in zip(names, dims, strict=True) if one not in (0, dim)), None)
    if odd is not None:
        raise UsageError(f"the vectors of {odd!r} have another length than those of other files")
    starts = np.searchsorted(table["shard"], np.arange(len(names)))
    is_text = table["kind"] == TEXT
    before = np.cumsum(is_text) - is_text
    path = work.path / "vectors.f32"
    with naming_full_disk(path), path.open("wb") as file:
        for at in range(0, len(stands), _SLAB):
            places = stands[at : at + _SLAB]
            shards = table["shard"][places]
            rows = np.empty((len(places), dim), dtype=np.float32)
            for shard in np.unique(shards):
                mine = shards == shard
                own = before[places[mine]] - before[starts[shard]]
                rows[mine] = scaled(ranked.rows.vectors(int(shard), dim)[own], 0, names[shard])
            file.write(rows.tobytes())
            report("ordering vectors", at + len(places), len(stands))
    work.put("vectors.json", {"dim": dim})


def shorten_all(work: WorkFolder, n: int, threshold: float) -> None:
    """Write the short vectors, whose products bound the similarities from above.

    Raises:
        UsageError: a vector does not have length one.
    """
    if work.has("codes.json"):
        return
    rows = vectors_in(work.path, n)
    with one_thread():
        axes, slack = chosen_axes(rows, threshold)
        path = work.path / "short.f32"
        with naming_full_disk(path), path.open("wb") as file:
            for slab in _slabs(rows) if axes is not None else ():
                assert axes is not None
                file.write(shortened(slab.astype(np.float64), axes).astype("<f4").tobytes())
    work.put("codes.json", {"short": 0 if axes is None else axes.shape[1] + 1, "slack": slack})


def _slabs(rows: NDArray[Any]) -> Iterator[NDArray[Any]]:
    for at in range(0, len(rows), _SLAB):
        yield rows[at : at + _SLAB]


def vectors_in(folder: Path, n: int) -> NDArray[np.float32]:
    """Return the vectors of the texts, shape (n, dim), mapped into memory."""
    dim = int(read_json(folder / "vectors.json")["dim"])
    if not n:
        return np.zeros((0, dim), dtype=np.float32)
    return np.memmap(folder / "vectors.f32", dtype="<f4", mode="r", shape=(n, dim)).view(np.ndarray)


def sketch_in(folder: Path) -> Sketch:
    """Return vectors and short vectors of a finished stage, mapped into memory once in a process."""
    return _sketch(folder, stamp(folder / "codes.json"))


@lru_cache(maxsize=2)
def _sketch(folder: Path, _stamp: tuple[int, int]) -> Sketch:
    n = len(ranked_in(folder))
    rows = vectors_in(folder, n)
    codes = read_json(folder / "codes.json")
    width = int(codes["short"])
    short = np.memmap(folder / "short.f32", dtype="<f4", mode="r", shape=(n, width)) if width and n else rows
    return Sketch(rows, short, float(codes["slack"]))
