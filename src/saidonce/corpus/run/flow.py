"""The corridor of a run: read, rank, embed, shorten, compare, decide, write; each stage goes on where it stood."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from saidonce.corpus.dedupe.flow import MOST_ASKED
from saidonce.corpus.dedupe.ranking import KeepBy
from saidonce.corpus.files import Fields
from saidonce.corpus.run import order
from saidonce.corpus.run.decisions import Decisions, decide, digest_of, summarise
from saidonce.corpus.run.inputs import InputFile
from saidonce.corpus.run.leaders import STRIP, STRIPE, LeaderOptions, Leaders
from saidonce.corpus.run.outputs import Outputs, kept_files, write_kept, write_reports
from saidonce.corpus.run.rows import Report, read_all
from saidonce.corpus.run.work import WorkFolder
from saidonce.errors import UsageError
from saidonce.foundation.files import sha256_of
from saidonce.foundation.ports import Embedder, Engine
from saidonce.matching.guards import REPEAT_GUARDS, tables_name
from saidonce.matching.vectors.cuda import check_device


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of a run over files.

    Attributes:
        fields: names of fields; with a vector's, nothing is embedded.
        vectors: vectors of all rows in one file of numpy, or None.
        device: where tiles are computed, cpu or cuda; without effect on the result.
        stripe, strip: see `leaders`; without effect on the result.
    """

    threshold: float = 0.90
    keep_by: KeepBy = KeepBy.LONGEST
    guarded: bool = True
    fields: Fields = field(default_factory=Fields)
    vectors: Path | None = None
    device: str = "cpu"
    stripe: int = STRIPE
    strip: int = STRIP
    most_asked: int = MOST_ASKED

    def __post_init__(self) -> None:
        if not 0.0 < self.threshold <= 1.0:
            raise UsageError(f"a threshold of {self.threshold!r} is out of range: more than 0, at most 1")
        if self.vectors is not None and self.fields.vector:
            raise UsageError("vectors can come from a column or from a file, not both")
        check_device(self.device)


@dataclass(frozen=True, slots=True)
class Corpora:
    """The files of a run: those to deduplicate, and those whose rows are kept whatever they repeat."""

    files: tuple[InputFile, ...]
    against: tuple[InputFile, ...] = ()

    @property
    def all(self) -> tuple[InputFile, ...]:
        """All files, in the order in which they are read."""
        return (*self.against, *self.files)


@dataclass(frozen=True, slots=True, eq=False)
class Finished:
    """What a run came to.

    Attributes:
        summary: counts, see `summed`.
        certificate: see `certified`.
        trouble: (file, number, reason) of the first rows that cannot be read, of each file.
    """

    decisions: Decisions
    summary: dict[str, Any]
    certificate: dict[str, Any]
    trouble: tuple[tuple[str, int, str], ...]


def run(
    work: WorkFolder,
    corpora: Corpora,
    options: RunOptions,
    tools: tuple[Engine, Callable[[], Embedder]],
    outputs: Outputs,
    report: Report,
) -> Finished:
    """Deduplicate files, or go on with it where an earlier run stood.

    Args:
        tools: the engine, and what opens the embedder, which is asked only where vectors are not given.
        report: called with the name of a stage, its finished part, and its whole.

    Raises:
        UsageError: settings, fields, vectors or outputs make no sense, or the folder holds another run.
        SourceRefusedError: a file as a whole cannot be read.
        EngineError: workers end again and again.
        DiskFullError: there is no space left; the same run goes on once there is.
    """
    outputs.check(corpora.all)
    engine, embedder = tools
    has_vectors = bool(options.vectors or options.fields.vector)
    model = _vectors_name(options) if has_vectors else embedder().model
    work.settle(_settings(corpora, options, model))
    read_all(work, corpora.all, (options.fields, options.vectors), engine, report)
    n = order.rank_all(work, options.keep_by, len(corpora.against))
    if options.guarded:
        order.detect_languages(work, n, engine, report)
    if has_vectors:
        order.collect_vectors(work, tuple(file.name for file in corpora.all), report)
    else:
        order.embed_all(work, n, embedder(), report)
    order.shorten_all(work, n, options.threshold)
    Leaders(work, _leader_options(work, options), engine).walk(report)
    return _write_reports(work, corpora, options, outputs, (model, report))


def _leader_options(work: WorkFolder, options: RunOptions) -> LeaderOptions:
    return LeaderOptions(
        options.threshold,
        REPEAT_GUARDS if options.guarded else (),
        options.most_asked,
        int(work.get("order.json")["fixed"]),
        options.device,
        options.stripe,
        options.strip,
    )


def _write_reports(
    work: WorkFolder, corpora: Corpora, options: RunOptions, outputs: Outputs, reported: tuple[str, Report]
) -> Finished:
    model, report = reported
    notes = [work.get(f"shards/{number:05d}/shard.json") for number in range(len(corpora.all))]
    n_against = sum(int(one["rows"]) for one in notes[: len(corpora.against)])
    decisions = decide(work, n_against)
    report("writing", 0, 2)
    write_reports([file.name for file in corpora.all], decisions, outputs)
    report("writing", 1, 2)
    write_kept(work, corpora.files, options.fields, decisions, outputs)
    report("writing", 2, 2)
    summary = summarise(decisions, digest_of(decisions, report))
    own = notes[len(corpora.against) :]
    summary["blank_lines"] = sum(int(one["blank"]) for one in own)
    trouble = tuple((str(one["name"]), int(number), str(why)) for one in own for number, why in one["trouble"])
    settings = _settings(corpora, options, model) | {"language": order.common_of(work) if options.guarded else ""}
    certificate = certificate_of(settings, summary, notes, corpora, outputs)
    return Finished(decisions, summary, certificate, trouble)


CLAIM = (
    "Every row that was dropped repeats the kept row that is named beside it: their texts are equal but for layout, "
    "case and typography, or the canonical cosine of their vectors is at or above the threshold{and_guards}. No kept "
    "row repeats in this way another kept row that comes before it in the order of preference{but_undecided}."
)


def certificate_of(
    settings: Mapping[str, Any],
    summary: Mapping[str, Any],
    notes: Sequence[Mapping[str, Any]],
    corpora: Corpora,
    outputs: Outputs,
) -> dict[str, Any]:
    """Return the certificate of a run: what is claimed, of which files, decided how. Equal runs give equal bytes."""
    n_against = len(corpora.against)
    undecided = f", except for {summary['undecided']} that are marked as undecided" if summary["undecided"] else ""
    guards = " and no guard objects: the kept text states all that the dropped one states"
    claim = CLAIM.format(and_guards=guards if settings["guards"] else "", but_undecided=undecided)
    if n_against:
        claim += " No row that was kept repeats a row of the files that it was compared against."
    files = [{key: one[key] for key in ("name", "sha256", "rows")} for one in notes]
    return {
        "format": 1,
        "claim": claim,
        "digest": summary["digest"],
        **{key: settings[key] for key in ("threshold", "keep", "guards", "most_asked", "model", "language", "fields")},
        "vectors": settings["vectors"],
        "counts": {key: summary[key] for key in ("rows", "kept", "dropped", "by_ending", "undecided")},
        "inputs": files[n_against:],
        "against": files[:n_against],
        "marked": outputs.marked,
        "outputs": [_hash_file(path) for path in kept_files(outputs, corpora.files)],
        "dropped": _hash_file(outputs.dropped),
        "held_apart": _hash_file(outputs.held_apart),
    }


def _hash_file(path: Path) -> dict[str, str]:
    return {"name": str(path), "sha256": sha256_of(path)}


def _vectors_name(options: RunOptions) -> str:
    return f"given: {options.fields.vector or options.vectors}"


def _settings(corpora: Corpora, options: RunOptions, model: str) -> dict[str, Any]:
    """Return what decides about a run; a work folder goes on only with an equal one."""
    fields = options.fields
    return {
        "inputs": [_state(file) for file in corpora.files],
        "against": [_state(file) for file in corpora.against],
        "fields": {"text": fields.text, "id": fields.id, "date": fields.date, "vector": fields.vector},
        "vectors": None if options.vectors is None else _hash_file(options.vectors),
        "model": model,
        "threshold": options.threshold,
        "keep": str(options.keep_by),
        "guards": tables_name() if options.guarded else "",
        "most_asked": options.most_asked,
        "stripe": options.stripe,
    }


def _state(file: InputFile) -> list[Any]:
    state = file.path.stat()
    if file.name == "-":
        return [file.name, state.st_size, sha256_of(file.path)]
    return [file.name, state.st_size, state.st_mtime_ns]
