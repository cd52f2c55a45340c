"""The files that a run writes: kept rows, dropped rows, rows held apart, clusters."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from saidonce.corpus.files import Fields, extension, format_of, open_corpus
from saidonce.corpus.files.parquet import ColumnCorpus
from saidonce.corpus.files.writers import WRITTEN, with_columns, write_records
from saidonce.corpus.run.decisions import ENDINGS, Decisions
from saidonce.corpus.run.inputs import InputFile
from saidonce.corpus.run.work import WorkFolder
from saidonce.errors import UsageError
from saidonce.foundation.files import sha256_of
from saidonce.foundation.model import Ending

_CLUSTER, _KEEP = "cluster_id", "keep"
MARKS = ((_CLUSTER, "string"), (_KEEP, "bool"))
_SHOWN = 16


@dataclass(frozen=True, slots=True)
class Outputs:
    """Where results are written.

    Attributes:
        kept: a file, or a folder with one file for each file that was read.
        marked: all rows are written, with the columns `cluster_id` and `keep`.
    """

    kept: Path
    dropped: Path
    held_apart: Path
    clusters: Path | None = None
    marked: bool = False
    is_folder: bool = False

    def check(self, files: Sequence[InputFile]) -> None:
        """Refuse outputs that would overwrite an input or each other, or whose format is not written.

        Raises:
            UsageError: as said.
        """
        places = [self.dropped, self.held_apart, *([self.clusters] if self.clusters else [])]
        for path in places if self.is_folder else [*places, self.kept]:
            if format_of(path) not in WRITTEN and not self._is_copied(path, files):
                raise UsageError(f"{str(path)!r} has no supported extension; write one of {', '.join(WRITTEN)}")
        kept = [self.kept / file.below for file in files] if self.is_folder else [self.kept]
        names = [path.resolve() for path in (*kept, *places, *(file.path for file in files))]
        if len(set(names)) < len(names):
            twice = next(name for at, name in enumerate(names) if name in names[:at])
            raise UsageError(f"{str(twice)!r} would be written twice or would overwrite an input; choose another path")

    def _is_copied(self, path: Path, files: Sequence[InputFile]) -> bool:
        return path == self.kept and len(files) == 1 and not self.marked and format_of(path) == _format(files[0])


def write_kept(work: WorkFolder, files: Sequence[InputFile], fields: Fields, decided: Decisions, to: Outputs) -> None:
    """Write the kept rows, or all of them with their marks; byte for byte where format and files stay.

    Raises:
        UsageError: a file changed since it was read, or its rows do not fit the format.
    """
    shards = [_Shard(work, number, file, fields, decided) for number, file in _numbered_files(work, files)]
    if not to.is_folder:
        _write_one(shards, to)
        return
    for shard in shards:
        path = to.kept / shard.file.below
        path.parent.mkdir(parents=True, exist_ok=True)
        if to.marked:
            write_records(path, shard.marked, shard.schema(marked=True))
        else:
            shard.copy(path)


def _numbered_files(work: WorkFolder, files: Sequence[InputFile]) -> list[tuple[int, InputFile]]:
    """Return the files whose rows are decided on, with their numbers; those of `--against` come before them."""
    n_all = sum(1 for _ in (work.path / "shards").glob("[0-9]*[0-9]"))
    return list(enumerate(files, n_all - len(files)))


def _write_one(shards: Sequence[_Shard], to: Outputs) -> None:
    if len(shards) == 1 and not to.marked and format_of(to.kept) == _format(shards[0].file):
        shards[0].copy(to.kept)
        return
    schemas = [shard.schema(marked=to.marked) for shard in shards]
    schema = schemas[0] if all(one is not None and one.equals(schemas[0]) for one in schemas) else None

    def records() -> Iterator[Mapping[str, Any]]:
        for shard in shards:
            yield from shard.marked() if to.marked else shard.kept()

    write_records(to.kept, records, schema)


def _format(file: InputFile) -> str:
    return format_of(file.path)


class _Shard:
    """The rows of one file, read again."""

    def __init__(self, work: WorkFolder, number: int, file: InputFile, fields: Fields, decided: Decisions) -> None:
        self.file = file
        self._notes = work.get(f"shards/{number:05d}/shard.json")
        self._source = open_corpus(file.path, fields)
        self._source.mark = str(self._notes["mark"])
        shard = decided.rows.table["shard"]
        self._places = range(*np.searchsorted(shard, [number, number + 1]).tolist())
        self._decided = decided

    def copy(self, path: Path) -> None:
        """Write the kept rows as they stand in the file."""
        self._source.write(path, self._decided.is_kept[self._places.start : self._places.stop].tolist())

    def kept(self) -> Iterator[Mapping[str, Any]]:
        """Yield the kept rows as fields."""
        is_kept = self._decided.is_kept
        for place, record in self._records():
            if is_kept[place] and record is not None:
                yield record

    def marked(self) -> Iterator[Mapping[str, Any]]:
        """Yield all rows that can be read as fields, with their marks."""
        is_kept, cluster, rows = self._decided.is_kept, self._decided.cluster, self._decided.rows
        for place, record in self._records():
            if record is not None:
                name = rows.identity(int(cluster[place]))[:_SHOWN]
                yield {**record, _CLUSTER: name, _KEEP: bool(is_kept[place])}

    def schema(self, *, marked: bool) -> Any:
        """Return the Arrow schema of the rows; None where the format has none."""
        if not isinstance(self._source, ColumnCorpus):
            return None
        return with_columns(self._source.schema(), MARKS) if marked else self._source.schema()

    def _records(self) -> Iterator[tuple[int, dict[str, Any] | None]]:
        if sha256_of(self.file.path) != self._notes["sha256"]:
            raise UsageError(f"{self.file.name!r} changed while it was read; run the command again")
        yield from zip(self._places, self._source.records(), strict=True)


def write_reports(names: Sequence[str], decided: Decisions, to: Outputs) -> None:
    """Write the requested reports: dropped rows, rows held apart, clusters.

    Args:
        names: of all files, by the number of the shard.
    """
    lines = _OutputLines(names, decided, nested=format_of(to.dropped) in (".jsonl", ".ndjson"))
    dropped = (Ending.EXACT, Ending.NEAR, Ending.UNREADABLE)
    write_records(to.dropped, lambda: map(lines.line, decided.places(*dropped)))
    lines = _OutputLines(names, decided, nested=format_of(to.held_apart) in (".jsonl", ".ndjson"))
    write_records(to.held_apart, lambda: map(lines.line, decided.places(Ending.HELD_APART)))
    if to.clusters is not None:
        lines = _OutputLines(names, decided, nested=False)
        write_records(to.clusters, lines.clusters)


class _OutputLines:
    """Rows of reports as fields."""

    def __init__(self, names: Sequence[str], decided: Decisions, *, nested: bool) -> None:
        self._names = names
        self._decided = decided
        self._nested = nested

    def line(self, place: int) -> dict[str, Any]:
        """Describe one row that is dropped or held apart."""
        decided = self._decided
        ending = ENDINGS[decided.ending[place]]
        line: dict[str, Any] = {**self._row(place, ""), "reason": str(ending)}
        if ending is Ending.UNREADABLE:
            return {**line, "detail": decided.rows.text(place)}
        line |= self._row(int(decided.of[place]), "of_") | {"similarity": float(decided.similarity[place])}
        line |= {"undecided": True} if decided.undecided[place] else {}
        objections = decided.objections(place)
        return {**line, "objections": objections if self._nested else json.dumps(objections)}

    def clusters(self) -> Iterator[dict[str, Any]]:
        """Yield each row of a cluster of at least two, cluster after cluster, the kept row first."""
        decided = self._decided
        cluster = decided.cluster
        repeats = np.flatnonzero(cluster != np.arange(len(cluster)))
        for kept in np.unique(cluster[repeats]).tolist():
            name = decided.rows.identity(kept)[:_SHOWN]
            members = [kept]
            for place in members + repeats[cluster[repeats] == kept].tolist():
                ending = ENDINGS[decided.ending[place]]
                similarity = 1.0 if place == kept else float(decided.similarity[place])
                yield {
                    "cluster_id": name, **self._row(place, ""), "keep": place == kept,
                    "reason": "kept" if place == kept else str(ending), "similarity": similarity,
                }  # fmt: skip

    def _row(self, place: int, before: str) -> dict[str, Any]:
        rows = self._decided.rows
        row = rows.table[place]
        number = "of" if before else "row"
        return {
            f"{before}file": self._names[int(row["shard"])], number: int(row["number"]), f"{before}id": rows.id(place),
            f"{before}sha256": rows.identity(place),
        }  # fmt: skip


def kept_files(to: Outputs, files: Sequence[InputFile]) -> list[Path]:
    """Return the files with the kept rows."""
    return [to.kept / file.below for file in files] if to.is_folder else [to.kept]


def default_outputs(words: Sequence[str], files: Sequence[InputFile]) -> tuple[Path, Path]:
    """Return the default path of the kept rows, and the prefix of report names.

    Several files go into a folder beside the first of them.
    """
    first = files[0].path
    if words[0] == "-":
        stem = Path("stdin")
        return Path(f"stdin.kept{extension(first)}"), stem
    if len(files) > 1 or Path(words[0]).is_dir():
        folder = Path(words[0]) if Path(words[0]).is_dir() else first.parent
        return folder.parent / f"{folder.resolve().name}.kept", folder.parent / folder.resolve().name
    stem = first.with_name(first.name.removesuffix(extension(first)) or first.name)
    return first.with_name(f"{stem.name}.kept{extension(first)}"), stem
