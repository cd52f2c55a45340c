"""dedupe."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from saidonce.errors import NotFoundError, UsageError
from saidonce.interfaces.cli.dedupe_files import DedupeRequest, over_files, verify
from saidonce.interfaces.cli.lines import clean
from saidonce.interfaces.cli.shared import (
    EXIT_REFUSED,
    JsonOption,
    bars,
    err,
    errors_reported,
    open_base,
    out,
    print_json,
)

if TYPE_CHECKING:
    from rich.progress import TaskID

    from saidonce.corpus.dedupe import Deduped, DedupeOptions
    from saidonce.foundation.model import CorpusRow, RowDecision
    from saidonce.foundation.ports import Corpus

CORPUS = "Files, folders, 'patterns' or -: .jsonl, .ndjson, .txt, .csv, .tsv (each also .gz, .zst), .parquet, .arrow."
MOST_LISTED = 5
"""Maximum number of unreadable rows listed one by one."""


@dataclass(frozen=True, slots=True)
class _Places:
    """Where results are written."""

    kept: Path
    dropped: Path
    held_apart: Path
    report: Path | None
    cache: Path
    keeps_cache: bool


OutOption = Annotated[
    Path | None, typer.Option("--out", "-o", help="File for the kept rows; CORPUS.kept.EXT by default.")
]
DroppedOption = Annotated[
    Path | None,
    typer.Option(help="Dropped rows, each with the row kept instead (JSON lines); CORPUS.dropped.jsonl by default."),
]
HeldApartOption = Annotated[
    Path | None,
    typer.Option(
        help="Kept rows that look like another row, with the facts that differ (JSON lines); CORPUS.held_apart.jsonl"
        " by default."
    ),
]
ReportOption = Annotated[Path | None, typer.Option(help="Write the summary as JSON.")]
ThresholdOption = Annotated[float, typer.Option(help="Similarity from which two rows count as repeats.")]
KeepOption = Annotated[Literal["longest", "newest", "first"], typer.Option(help="Which of several repeats to keep.")]
GuardsOption = Annotated[bool, typer.Option("--guards/--no-guards", help="Keep rows apart that state different facts.")]
EmbeddingsOption = Annotated[Path | None, typer.Option(help="Your own vectors, one per row, as a numpy file (.npy).")]
CacheOption = Annotated[
    Path | None, typer.Option(help="Folder for the vectors, reused by later runs; removed at the end by default.")
]
ThreadsOption = Annotated[int, typer.Option(min=0, help="Number of threads; 0 means one per core.")]


AgainstOption = Annotated[
    list[str] | None,
    typer.Option(help="Existing rows (files, folder or pattern): keep only rows that repeat none of them."),
]
WorkOption = Annotated[
    Path | None,
    typer.Option(help="Folder for work in progress, kept at the end; by default a hidden one beside the output."),
]
EngineOption = Annotated[
    Literal["local", "ray"], typer.Option(help="Engine that does the work; the result is the same.")
]
AddressOption = Annotated[str, typer.Option(help="Address of a Ray cluster; empty starts one on this machine.")]
DeviceOption = Annotated[Literal["cpu", "cuda"], typer.Option(help="Where vectors are compared.")]
CertificateOption = Annotated[Path | None, typer.Option(help="Write the certificate (JSON); for `verify`, read it.")]
ClustersOption = Annotated[Path | None, typer.Option(help="Write each group of repeats, the kept row first.")]
MarkOption = Annotated[
    bool, typer.Option("--mark", help="Drop nothing: write all rows, with the columns cluster_id and keep.")
]
VectorFieldOption = Annotated[str, typer.Option(help="Field or column with a vector of your own.")]
FormatOption = Annotated[str, typer.Option(help="Format of standard input, as a file name extension.")]
SampleOption = Annotated[
    int, typer.Option(min=0, help="For `verify`: number of rows to compare with all kept ones; 0 means all.")
]


def dedupe(
    corpus: Annotated[list[str], typer.Argument(help=CORPUS, show_default=False)],
    kept: OutOption = None,
    dropped: DroppedOption = None,
    held_apart: HeldApartOption = None,
    report: ReportOption = None,
    text_field: Annotated[str, typer.Option(help="Field or column with the text.")] = "text",
    id_field: Annotated[str, typer.Option(help="Field or column with the id of a row for the reports.")] = "",
    date_field: Annotated[str, typer.Option(help="Field or column with a date, for --keep newest.")] = "",
    threshold: ThresholdOption = 0.90,
    keep: KeepOption = "longest",
    guards: GuardsOption = True,
    embeddings: EmbeddingsOption = None,
    cache: CacheOption = None,
    threads: ThreadsOption = 0,
    against: AgainstOption = None,
    work: WorkOption = None,
    engine: EngineOption = "local",
    address: AddressOption = "",
    device: DeviceOption = "cpu",
    certificate: CertificateOption = None,
    clusters: ClustersOption = None,
    mark: MarkOption = False,
    vector_field: VectorFieldOption = "",
    input_format: FormatOption = ".jsonl",
    sample: SampleOption = 1_000,
    as_json: JsonOption = False,
) -> None:
    """Remove the repeats of a corpus, and report what was dropped and why.

    Finds every pair of rows at or above the threshold. A dropped row always names a kept row that it repeats; rows
    that state another number, date, name or negation are kept. The corpus itself is never changed. To resume an
    interrupted run, give the same command again. Exits with 3 if some rows could not be read; they are among the
    dropped rows, with their line and the reason.

    Several files, folders or quoted patterns, or `-` for standard input, form one corpus. `saidonce dedupe verify KEPT
    --certificate FILE` checks the claim of a certificate by plain comparison, without the shortcuts of a run,
    and exits with 1 if it does not hold.

    **Examples**

    * `saidonce dedupe corpus.jsonl`
    * `saidonce dedupe train.parquet --text-field prompt --id-field id --out train-once.parquet --report report.json`
    * `saidonce dedupe news.csv.gz --text-field body --date-field published --keep newest --threshold 0.93`
    * `saidonce dedupe 'shards/*.parquet' more/ --out kept/ --dropped dropped.parquet --certificate claim.json`
    * `saidonce dedupe test.jsonl --against kept/ --out unseen.jsonl`
    * `saidonce dedupe verify kept/ --certificate claim.json`
    """
    if keep == "newest" and not date_field:
        with errors_reported():
            raise UsageError("--keep newest needs --date-field")
    fields = (text_field, id_field, date_field, vector_field)
    if corpus[0] == "verify" and not Path("verify").exists():
        verify(corpus[1:], certificate, sample, as_json)
        return
    request = DedupeRequest(
        tuple(corpus), tuple(against or ()), (kept, dropped, held_apart, clusters), fields, work, certificate,
        mark, input_format,
    )  # fmt: skip
    if request.is_plain and (engine, device) == ("local", "cpu"):
        with open_base() as base:
            options = _options(threshold, keep, guards, threads)
            summary, is_whole = _one_file(base, request, (report, cache, embeddings), options)
    else:
        with open_base() as base:
            if cache is not None:
                raise UsageError("--cache works with a single file only; here --work keeps the vectors")
            decided = (threshold, keep, guards, embeddings)
            summary, is_whole = over_files(base, request, decided, (engine, threads, address, device))
            if report is not None:
                _write_lines(report, [json.dumps(summary, indent=2)])
    _show(summary, as_json)
    if not is_whole:
        raise typer.Exit(EXIT_REFUSED)


def _show(summary: dict[str, Any], as_json: bool) -> None:
    if not as_json:
        out.print(clean("\n".join(_text(summary))))
        return
    from saidonce.interfaces.views.reports import DedupeRunView, DedupeView

    print_json(DedupeRunView(**summary) if "engine" in summary else DedupeView(**summary))


def _one_file(
    base: Any, request: DedupeRequest, paths: tuple[Path | None, Path | None, Path | None], options: DedupeOptions
) -> tuple[dict[str, Any], bool]:
    """Deduplicate one file in memory; return the summary, and whether every row could be read."""
    from saidonce.corpus.files import Fields, open_corpus

    report, cache, embeddings = paths
    corpus = Path(request.corpus[0])
    source = open_corpus(corpus, Fields(*request.fields))
    places = _places(corpus, (*request.outputs[:3], report), cache)
    started = time.perf_counter()
    rows = list(source.rows())
    result = _deduplicate(base, rows, embeddings, places, options)
    _write(source, rows, result, places)
    summary = _summary(rows, result, source.n_blank, places) | {"took_s": round(time.perf_counter() - started, 3)}
    if places.report is not None:
        _write_lines(places.report, [json.dumps(summary, indent=2)])
    return summary, not _print_unreadable(rows)


def _places(corpus: Path, paths: tuple[Path | None, ...], cache: Path | None) -> _Places:
    from saidonce.corpus.files import extension

    stem = corpus.name.removesuffix("".join(corpus.suffixes[-len(extension(corpus).split(".")) + 1 :]))
    kept, dropped, held_apart, report = paths
    kept = kept or corpus.with_name(f"{stem}.kept{extension(corpus)}")
    places = _Places(
        kept,
        dropped or corpus.with_name(f"{stem}.dropped.jsonl"),
        held_apart or corpus.with_name(f"{stem}.held_apart.jsonl"),
        report,
        cache or kept.with_name(f".{kept.name}.vectors"),
        cache is not None,
    )
    written = [p for p in (places.kept, places.dropped, places.held_apart, places.report) if p is not None]
    for path in (*written, places.cache):
        if not path.absolute().parent.is_dir():
            raise NotFoundError("folder", str(path.parent), "create it first")
    if len({p.resolve() for p in (corpus, *written)}) != len(written) + 1:
        raise UsageError("corpus, kept rows and reports need different files; the corpus is never overwritten")
    return places


def _options(threshold: float, keep: str, guards: bool, threads: int) -> DedupeOptions:
    from saidonce.corpus.dedupe import DedupeOptions, KeepBy
    from saidonce.matching.guards import REPEAT_GUARDS

    n_cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return DedupeOptions(threshold, KeepBy(keep), REPEAT_GUARDS if guards else (), threads or n_cores)


def _deduplicate(
    base: Any, rows: list[CorpusRow], embeddings: Path | None, places: _Places, options: DedupeOptions
) -> Deduped:
    from saidonce.corpus import dedupe as flow
    from saidonce.corpus.files.vectors import CachedVectors, read_vectors

    with _bars() as advance:
        if embeddings is not None:
            return flow.dedupe(rows, read_vectors(embeddings, len(rows)), options, advance)
        vectors = CachedVectors(base.embedder, places.cache)
        if len(vectors):
            err.print(f"resuming with {len(vectors)} vectors of an earlier run")
        try:
            return flow.dedupe(rows, vectors, options, advance)
        finally:
            vectors.close()


@contextmanager
def _bars() -> Iterator[Callable[[str, int, int], None]]:
    """Show a progress bar per step, on standard error while it is a terminal."""
    if not err.is_terminal:
        yield lambda _step, _done, _total: None
        return
    from rich.progress import TimeRemainingColumn

    tasks: dict[str, TaskID] = {}
    with bars(TimeRemainingColumn()) as bar:

        def advance(step: str, done: int, total: int) -> None:
            if step not in tasks:
                tasks[step] = bar.add_task(step, total=total)
            bar.update(tasks[step], completed=done)

        yield advance


def _write(source: Corpus, rows: list[CorpusRow], result: Deduped, places: _Places) -> None:
    from saidonce.foundation.model import Ending

    apart = [d for d in result.decisions if d.ending is Ending.HELD_APART]
    gone = [d for d in result.decisions if not d.ending.is_kept]
    _write_lines(places.dropped, [json.dumps(_line(rows, d)) for d in gone])
    _write_lines(places.held_apart, [json.dumps(_line(rows, d)) for d in apart])
    source.write(places.kept, result.kept)
    if not places.keeps_cache:
        shutil.rmtree(places.cache, ignore_errors=True)


def _line(rows: Sequence[CorpusRow], d: RowDecision) -> dict[str, Any]:
    from dataclasses import asdict

    row = rows[d.place]
    line: dict[str, Any] = {"row": row.number, "id": row.id, "sha256": row.identity, "reason": str(d.ending)}
    if row.trouble:
        return {**line, "detail": row.trouble}
    of = rows[d.of] if d.of is not None else row
    line |= {"of": of.number, "of_id": of.id, "of_sha256": of.identity, "similarity": d.similarity}
    line |= {"undecided": True} if d.undecided else {}
    return {**line, "objections": [asdict(o) for o in d.objections]}


def _write_lines(path: Path, lines: Sequence[str]) -> None:
    from saidonce.corpus.files.lines import replace_file

    with replace_file(path) as file:
        file.writelines(line.encode() + b"\n" for line in lines)


def _summary(rows: Sequence[CorpusRow], result: Deduped, n_blank: int, places: _Places) -> dict[str, Any]:
    from saidonce.corpus.dedupe import summary

    files = {"kept": places.kept, "dropped": places.dropped, "held_apart": places.held_apart}
    return {
        **summary(rows, result),
        "blank_lines": n_blank,
        "files": {name: str(path) for name, path in files.items()},
    }


def _text(summed: dict[str, Any]) -> Iterator[str]:
    by = summed["by_ending"]
    yield f"{summed['rows']} rows: {summed['kept']} kept, {summed['dropped']} dropped ({summed['share_dropped']:.1%})"
    for ending, says in (
        ("exact", "repeat a kept row word for word"),
        ("near", "repeat a kept row in other words, with the same facts"),
        ("held_apart", "look like a kept row but state a different fact; kept"),
        ("no_text", "have no text; kept"),
        ("unreadable", "cannot be read; not kept"),
    ):
        if by[ending]:
            yield f"  {by[ending]:>9} {says}"
        if ending == "near" and summed["near_copies"]:
            yield f"  {summed['near_copies']:>9} of these are copies of one another"
    if summed["undecided"]:
        yield f"  {summed['undecided']:>9} of these have more similar rows than are compared: undecided"
    if summed["blank_lines"]:
        yield f"  {summed['blank_lines']:>9} blank lines skipped"
    for title, key in (
        ("near repeats by similarity, from", "near_by_similarity"),
        ("kept apart by", "held_apart_by_fact"),
    ):
        if summed[key]:
            yield f"{title}: " + ", ".join(f"{name} {n}" for name, n in summed[key].items())
    if summed.get("against"):
        against = summed["against"]
        yield f"compared against {against['rows']} rows: {against['repeated']} rows repeat one of these"
    if summed["most_repeated"]:
        shown = (f"{one['id'] or 'row ' + str(one['row'])} x{one['repeats']}" for one in summed["most_repeated"])
        yield "most repeated: " + ", ".join(shown)
    yield from (f"{name}: {path}" for name, path in summed["files"].items() if path)
    yield f"digest {summed['digest']}"


def _print_unreadable(rows: Sequence[CorpusRow]) -> bool:
    """Print the first unreadable rows; return whether there are any."""
    broken = [row for row in rows if row.trouble]
    for row in broken[:MOST_LISTED]:
        err.print(clean(f"saidonce: line {row.number} cannot be read: {row.trouble}"), style="red")
    if len(broken) > MOST_LISTED:
        err.print(f"saidonce: and {len(broken) - MOST_LISTED} more, see the dropped rows", style="red")
    return bool(broken)
