"""Stages 5 and 6: stripes of texts in their order meet the kept texts before them, then themselves, then the guards.

After each stripe its fates are written, so that a run goes on with the next one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from saidonce.corpus.files.lines import replace_file
from saidonce.corpus.run.order import Ranked, ranked_in, sketch_in
from saidonce.corpus.run.rows import Report
from saidonce.corpus.run.work import WorkFolder
from saidonce.foundation.disk import naming_full_disk
from saidonce.foundation.model import Candidate, Fate, Objection, Relation
from saidonce.foundation.ports import Engine
from saidonce.matching.ladder import FactKey, Guard, KeptTexts, Selection, first_objection
from saidonce.matching.selection import LISTED, fact_key
from saidonce.matching.vectors import Pairs, canonical_cosine, cuda
from saidonce.matching.vectors.blas import one_thread
from saidonce.matching.vectors.join import Tile, joined, near_in_tile

STRIPE = 2_048
"""Texts that meet all kept ones before them together; what is done again after a kill."""

STRIP = 16_384
"""Kept texts in one tile."""

_VERDICTS_AT_ONCE = 128
RELATIONS = (Relation.KEPT, Relation.EXACT, Relation.NEAR)

FATE = np.dtype(
    [
        ("relation", "u1"), ("undecided", "?"), ("of", "<i8"), ("similarity", "<f8"),
        ("near_miss", "<i8"), ("apart", "<f8"), ("objections_at", "<i8"), ("objections_bytes", "<i8"),
    ]
)  # fmt: skip
"""A fate: of what, `near_miss` and `apart` the nearest text held apart and its similarity, -1 and 0 without one."""


@dataclass(frozen=True, slots=True)
class LeaderOptions:
    """Options of the comparison; `stripe`, `strip` and `device` are without effect on the result."""

    threshold: float
    guards: tuple[Guard, ...]
    most_asked: int
    n_fixed: int = 0
    device: str = "cpu"
    stripe: int = STRIPE
    strip: int = STRIP


@dataclass(frozen=True, slots=True)
class TileTask:
    """Compares a stripe with some of the kept texts, or with itself if `kept` is None.

    Attributes:
        kept: from which to which entry of the file of kept texts.
    """

    folder: Path
    start: int
    stop: int
    kept: tuple[int, int] | None
    threshold: float
    most: int | None
    device: str

    def __call__(self) -> Pairs:
        """See the class."""
        sketch = sketch_in(self.folder)
        if self.kept is None:
            tile = Tile(self.start, self.stop, None, sketch.short[self.start : self.stop], self.threshold, None)
        else:
            low, high = self.kept
            places = np.fromfile(self.folder / "kept.i64", dtype="<i8", count=high - low, offset=8 * low)
            tile = Tile(self.start, self.stop, places, sketch.short[places], self.threshold, self.most)
        with one_thread():
            return near_in_tile(sketch, tile, cuda.possible) if self.device == "cuda" else near_in_tile(sketch, tile)


@dataclass(frozen=True, slots=True)
class VerdictsTask:
    """Asks the guards about some texts: each with the ones near it, nearest first, until they let one pass.

    Returns for each (text, other) that was looked at its objections, or None where the other lacks a figure.
    """

    folder: Path
    guards: tuple[Guard, ...]
    asked: tuple[tuple[int, tuple[int, ...]], ...]

    def __call__(self) -> list[tuple[int, int, tuple[Objection, ...] | None]]:
        """See the class."""
        ranked = ranked_in(self.folder)
        key = fact_key(self.guards)
        verdicts: list[tuple[int, int, tuple[Objection, ...] | None]] = []
        for rank, others in self.asked:
            candidate = ranked.candidate(rank)
            for n_before, other in enumerate(others):
                kept = ranked.candidate(other)
                if n_before and key is not None and not key.may_win(candidate, kept):
                    verdicts.append((rank, other, None))
                    continue
                objections = first_objection(self.guards, candidate, kept)
                verdicts.append((rank, other, objections))
                if not objections:
                    break
        return verdicts


class _Verdicts:
    """What workers said of pairs of texts in advance; a pair that none was asked about is asked here."""

    def __init__(self, guards: tuple[Guard, ...]) -> None:
        self._guards = guards
        self._known: dict[tuple[str, str], tuple[Objection, ...] | None] = {}

    def fill(self, ranked: Ranked, verdicts: Iterable[tuple[int, int, tuple[Objection, ...] | None]]) -> None:
        text = lru_cache(maxsize=4_096)(ranked.text)
        for rank, other, objections in verdicts:
            self._known[text(rank), text(other)] = objections

    def clear(self) -> None:
        self._known.clear()

    def objections(self, a: Candidate, b: Candidate) -> Sequence[Objection]:
        known = self._known.get((a.text, b.text))
        return first_objection(self._guards, a, b) if known is None else known

    def lacks_a_figure(self, a: Candidate, b: Candidate) -> bool:
        return self._known.get((a.text, b.text), ()) is None


class _Key:
    """A fact key that looks into the verdicts first."""

    def __init__(self, key: FactKey, verdicts: _Verdicts) -> None:
        self._key = key
        self._verdicts = verdicts
        self.add = key.add
        self.places = key.places

    def may_win(self, candidate: Candidate, kept: Candidate) -> bool:
        return not self._verdicts.lacks_a_figure(candidate, kept) and self._key.may_win(candidate, kept)


class _KeptOnDisk(KeptTexts):
    """Kept texts as places in a file, and the first of each normal form; texts are read again when they are needed."""

    def __init__(self, ranked: Ranked, folder: Path) -> None:
        super().__init__()
        self.n_kept = 0
        self._ranked = ranked
        self._path = folder / "kept.i64"
        self._is_kept = np.zeros(len(ranked), dtype=np.bool_)
        n_groups = int(ranked.group.max()) + 1 if len(ranked) else 0
        self._first = np.full(n_groups, -1, dtype=np.int64)
        self._fresh: list[int] = []
        self._path.write_bytes(b"")

    def same(self, place: int, candidate: Candidate) -> int | None:  # noqa: ARG002 - its place tells
        first = int(self._first[self._ranked.group[place]])
        return None if first < 0 else first

    def add(self, place: int, candidate: Candidate) -> None:  # noqa: ARG002 - it can be read again
        self._is_kept[place] = True
        group = self._ranked.group[place]
        if self._first[group] < 0:
            self._first[group] = place
        self._fresh.append(place)

    def flush(self) -> None:
        """Write the kept texts where workers read them."""
        with naming_full_disk(self._path), self._path.open("ab") as file:
            file.write(np.array(self._fresh, dtype="<i8").tobytes())
        self.n_kept += len(self._fresh)
        self._fresh.clear()

    def places(self) -> NDArray[np.intp]:
        return np.flatnonzero(self._is_kept)

    def __contains__(self, place: int) -> bool:
        return bool(self._is_kept[place])

    def __getitem__(self, place: int) -> Candidate:
        return self._ranked.candidate(place)


class Leaders:
    """The walk over all texts of a run."""

    def __init__(self, work: WorkFolder, options: LeaderOptions, engine: Engine) -> None:
        self._work = work
        self._options = options
        self._engine = engine
        self._ranked = ranked_in(work.path)
        self._kept = _KeptOnDisk(self._ranked, work.path)
        self._verdicts = _Verdicts(options.guards)
        key = fact_key(options.guards, self._ranked.candidate)
        self._key = None if key is None else _Key(key, self._verdicts)
        guards = (self._verdicts.objections,) if options.guards else ()
        self._selection = Selection(guards, options.most_asked, self._key, self._nearest, self._kept)  # type: ignore[arg-type]

    def walk(self, report: Report) -> None:
        """Decide on every text that no earlier run has decided on."""
        if self._work.has("fates.npy"):
            return
        n = len(self._ranked)
        (self._work.path / "fates").mkdir(exist_ok=True)
        self._keep_fixed()
        for number, start in enumerate(range(self._options.n_fixed, n, self._options.stripe)):
            stop = min(start + self._options.stripe, n)
            name = f"fates/{number:06d}"
            if self._work.has(f"{name}.npy"):
                self._recall(np.load(self._work.path / f"{name}.npy"), start)
            else:
                self._save(name, start, self._decide(start, stop))
            self._kept.flush()
            report("comparing", stop, n)
        self._merge(n)

    def _keep_fixed(self) -> None:
        for rank in range(self._options.n_fixed):
            self._add(rank)
        self._kept.n_taken = self._options.n_fixed
        self._kept.flush()

    def _recall(self, fates: NDArray[np.void], start: int) -> None:
        for at in np.flatnonzero(fates["relation"] == 0):
            self._add(start + int(at))
        self._kept.n_taken += len(fates)

    def _add(self, rank: int) -> None:
        self._kept.add(rank, _NOBODY)
        if self._key is not None:
            self._key.add(rank, _NOBODY)

    def _decide(self, start: int, stop: int) -> tuple[Fate, ...]:
        most = LISTED if self._options.guards else 1
        pairs = joined(list(self._engine.run(self._tiles(start, stop, most))))
        if self._options.guards:
            self._verdicts.clear()
            for verdicts in self._engine.run(self._questions(pairs)):
                self._verdicts.fill(self._ranked, verdicts)
        # Without guards nobody reads the texts: ranks and pairs decide.
        read = self._ranked.candidate if self._options.guards else _unread
        return self._selection.take([read(rank) for rank in range(start, stop)], iter(pairs), most)

    def _tiles(self, start: int, stop: int, most: int) -> Iterator[Callable[[], Pairs]]:
        options, folder = self._options, self._work.path
        yield TileTask(folder, start, stop, None, options.threshold, None, options.device)
        for at in range(0, self._kept.n_kept, options.strip):
            end = min(at + options.strip, self._kept.n_kept)
            yield TileTask(folder, start, stop, (at, end), options.threshold, most, options.device)

    def _questions(self, pairs: Pairs) -> Iterator[VerdictsTask]:
        order = np.lexsort((pairs.first, -pairs.similarity, pairs.second))
        first, second = pairs.first[order], pairs.second[order]
        group, seen = self._ranked.group, self._kept.same
        ranks, starts = np.unique(second, return_index=True)
        ends = np.append(starts[1:], len(second))[: len(starts)]
        asked: list[tuple[int, tuple[int, ...]]] = []
        for rank, low, high in zip(ranks.tolist(), starts, ends, strict=True):
            others = first[low:high][:LISTED]
            if (group[others] == group[rank]).any() or seen(rank, _NOBODY) is not None:
                continue  # an exact repeat, most likely
            asked.append((rank, tuple(others.tolist())))
            if len(asked) == _VERDICTS_AT_ONCE:
                yield VerdictsTask(self._work.path, self._options.guards, tuple(asked))
                asked.clear()
        if asked:
            yield VerdictsTask(self._work.path, self._options.guards, tuple(asked))

    def _nearest(self, place: int, among: NDArray[np.intp], most: int) -> list[tuple[int, float]]:
        sketch = sketch_in(self._work.path)
        parts = []
        for at in range(0, len(among), self._options.strip):
            places = among[at : at + self._options.strip]
            tile = Tile(place, place + 1, places, sketch.short[places], self._options.threshold, most)
            with one_thread():
                parts.append(near_in_tile(sketch, tile))
        pairs = joined(parts)
        order = np.lexsort((pairs.first, -pairs.similarity))[:most]
        return list(zip(pairs.first[order].tolist(), pairs.similarity[order].tolist(), strict=True))

    def _save(self, name: str, start: int, fates: Sequence[Fate]) -> None:
        rows = sketch_in(self._work.path).rows
        table = np.zeros(len(fates), dtype=FATE)
        blob = bytearray()
        for at, fate in enumerate(fates):
            objections = json.dumps([asdict(one) for one in fate.objections]).encode() if fate.objections else b""
            near_miss = -1 if fate.near_miss is None else fate.near_miss
            apart = 0.0 if near_miss < 0 else canonical_cosine(rows[start + at], rows[near_miss])
            table[at] = (
                RELATIONS.index(fate.relation), fate.undecided, fate.of, fate.similarity, near_miss, apart,
                len(blob), len(objections),
            )  # fmt: skip
            blob += objections
        with replace_file(self._work.path / f"{name}.objections") as file:
            file.write(blob)
        self._work.put_array(f"{name}.npy", table)

    def _merge(self, n: int) -> None:
        """Write the fates of all texts, fixed ones first, and all objections, as one file each."""
        part = self._work.path / "fates.part"
        n_fixed, at = self._options.n_fixed, 0
        with naming_full_disk(part):
            mapped = np.lib.format.open_memmap(part, "w+", FATE, (n,)) if n else None
            whole: NDArray[np.void] = np.zeros(0, dtype=FATE) if mapped is None else mapped
            whole["of"][:n_fixed] = np.arange(n_fixed)
            whole["similarity"][:n_fixed] = 1.0
            whole["near_miss"][:n_fixed] = -1
            with replace_file(self._work.path / "objections") as objections:
                for number, start in enumerate(range(n_fixed, n, self._options.stripe)):
                    own = np.load(self._work.path / f"fates/{number:06d}.npy")
                    own["objections_at"] += at
                    whole[start : start + len(own)] = own
                    blob = (self._work.path / f"fates/{number:06d}.objections").read_bytes()
                    objections.write(blob)
                    at += len(blob)
            if mapped is None:
                self._work.put_array("fates.npy", whole)
                return
            mapped.flush()
        part.rename(self._work.path / "fates.npy")


_NOBODY = Candidate("", "")
"""Stands in where a text is known by its rank."""


def _unread(_rank: int) -> Candidate:
    return _NOBODY
