"""`saidonce dedupe` over several files, and `saidonce dedupe verify`."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from saidonce.errors import NotFoundError, SourceRefusedError, UsageError
from saidonce.interfaces.cli.lines import clean
from saidonce.interfaces.cli.shared import EXIT_FAILED, err, open_base, out, print_json

if TYPE_CHECKING:
    from saidonce.corpus.run import Corpora, Finished, Outputs, RunOptions, WorkFolder

LINE_EVERY_S = 5.0
SMALL = 8 * 1024 * 1024
"""Bytes of input below which starting workers takes longer than the work."""

_TABLES = (".parquet", ".arrow", ".feather", ".csv", ".tsv")
_IS_MAGIC = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class DedupeRequest:
    """What the command was asked to read and to write.

    Attributes:
        outputs: kept, dropped, held_apart, clusters.
        fields: text, id, date, vector.
    """

    corpus: tuple[str, ...]
    against: tuple[str, ...]
    outputs: tuple[Path | None, Path | None, Path | None, Path | None]
    fields: tuple[str, str, str, str]
    work: Path | None
    certificate: Path | None
    marked: bool
    input_format: str

    @property
    def is_plain(self) -> bool:
        """Return whether one file is read, and nothing is asked for that needs the stages of a run."""
        from saidonce.corpus.files import format_of

        kept, dropped, held_apart, clusters = self.outputs
        word = self.corpus[0]
        more = (self.against, self.work, self.certificate, clusters, self.marked, self.fields[3])
        if len(self.corpus) > 1 or word == "-" or any(more) or Path(word).is_dir():
            return False
        if not Path(word).is_file() and _IS_MAGIC & set(word):
            return False
        if kept is not None and (kept.is_dir() or format_of(kept) != format_of(Path(word))):
            return False
        return all(path is None or format_of(path) not in _TABLES for path in (dropped, held_apart))


class _Lines:
    """Progress as lines on standard error: a stage's share, its rate, and the time left, every few seconds."""

    def __init__(self) -> None:
        self._step = ""
        self._began_at = self._printed_at = time.monotonic()
        self._from = 0

    def __call__(self, step: str, done: int, total: int) -> None:
        """Take the progress of a stage."""
        now = time.monotonic()
        if step != self._step:
            self._step, self._began_at, self._from = step, now, done
        elif now - self._printed_at < LINE_EVERY_S:
            return
        if now - self._printed_at < LINE_EVERY_S:
            return
        self._printed_at = now
        rate = (done - self._from) / max(now - self._began_at, 1e-9)
        left = f", {_spoken((total - done) / rate)} left" if rate > 0 and done < total else ""
        err.print(f"{step}: {done:,} of {total:,}" + (f", {rate:,.0f} a second{left}" if rate >= 1 else left))


def _spoken(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5_400 else f"{seconds / 3_600:.1f} h"


def over_files(
    base: Any, request: DedupeRequest, decided: tuple[float, str, bool, Path | None], tools: tuple[str, int, str, str]
) -> tuple[dict[str, Any], bool]:
    """Deduplicate files in stages; return the summary, and whether every row could be read.

    Args:
        decided: threshold, which repeat to keep, whether guards are asked, and the file of vectors.
        tools: engine, number of workers (0: one per core), address, device.
    """
    from saidonce.corpus.dedupe import KeepBy
    from saidonce.corpus.files import Fields
    from saidonce.corpus.run import Corpora, RunOptions, expand

    started = time.perf_counter()
    threshold, keep, guarded, embeddings = decided
    if embeddings is not None and not embeddings.is_file():
        raise NotFoundError("file", str(embeddings))
    options = RunOptions(threshold, KeepBy(keep), guarded, Fields(*request.fields), embeddings, tools[3])
    reads_input = "-" in request.corpus
    if reads_input and len(request.corpus) > 1:
        raise UsageError("standard input (-) cannot be combined with other files")
    corpora = Corpora(() if reads_input else expand(request.corpus), expand(request.against) if request.against else ())
    with _open_work(request, corpora) as (work, corpora, outputs):
        finished = _run(base, work, (corpora, options, outputs), tools)
        summary = finished.summary | _summarise(finished, corpora, outputs, request)
        summary |= {"engine": tools[0], "took_s": round(time.perf_counter() - started, 3)}
        if request.certificate is not None:
            _write_json(request.certificate, finished.certificate)
        if request.work is None:
            work.remove()
    return summary, not _print_unreadable(finished)


@contextmanager
def _open_work(request: DedupeRequest, corpora: Corpora) -> Iterator[tuple[WorkFolder, Corpora, Outputs]]:
    """Open the work folder, read standard input into it where that is the corpus, and settle the outputs."""
    from saidonce.corpus.run import STANDARD_INPUT, Corpora, InputFile, WorkFolder, spool_stdin

    name = f"stdin.{request.input_format.removeprefix('.')}"
    files = corpora.files or (InputFile(Path(name), STANDARD_INPUT, Path(name)),)
    outputs = _outputs(request, files)
    for path in (outputs.kept, outputs.dropped, outputs.held_apart, outputs.clusters, request.certificate):
        if path is not None and not path.absolute().parent.is_dir():
            raise NotFoundError("folder", str(path.parent), "create it first")
    work = WorkFolder(request.work or outputs.kept.with_name(f".{outputs.kept.name}.work"))
    is_begun = work.has("run.json")
    try:
        if not corpora.files:
            files = (spool_stdin(sys.stdin.buffer, work.path / name),)
        if outputs.is_folder:
            outputs.kept.mkdir(exist_ok=True)
        yield work, Corpora(files, corpora.against), outputs
    except (UsageError, SourceRefusedError):
        if request.work is None and not is_begun:  # or the command as it was meant would find another run there
            work.remove()
        raise
    finally:
        work.close()


def _outputs(request: DedupeRequest, files: Sequence[Any]) -> Outputs:
    from saidonce.corpus.files import extension
    from saidonce.corpus.run import Outputs, default_outputs

    kept, dropped, held_apart, clusters = request.outputs
    default, stem = default_outputs(request.corpus, files)
    is_many = len(files) > 1 or Path(request.corpus[0]).is_dir()
    is_folder = is_many if kept is None else kept.is_dir() or not extension(kept)
    kept = kept or default
    return Outputs(
        kept,
        dropped or stem.with_name(f"{stem.name}.dropped.jsonl"),
        held_apart or stem.with_name(f"{stem.name}.held_apart.jsonl"),
        clusters,
        request.marked,
        is_folder,
    )


def _run(
    base: Any, work: WorkFolder, what: tuple[Corpora, RunOptions, Outputs], tools: tuple[str, int, str, str]
) -> Finished:
    from saidonce.corpus.engines import open_engine
    from saidonce.corpus.run import run

    corpora, options, outputs = what
    if work.has("run.json"):
        err.print("resuming an earlier run")
    engine = open_engine(tools[0], _n_workers(tools, corpora), tools[2])
    try:
        return run(work, corpora, options, (engine, lambda: base.embedder), outputs, _Lines())
    finally:
        engine.close()


def _n_workers(tools: tuple[str, int, str, str], corpora: Corpora) -> int:
    from saidonce.foundation.workers import n_cores

    if tools[1]:
        return tools[1]
    if tools[0] == "local" and sum(file.path.stat().st_size for file in corpora.all) < SMALL:
        return 1
    return n_cores()


def _summarise(finished: Finished, corpora: Corpora, outputs: Outputs, request: DedupeRequest) -> dict[str, Any]:
    decisions = finished.decisions
    against = None
    if corpora.against:
        own = slice(decisions.first, None)
        dropped = ~decisions.is_kept[own]
        repeated = dropped & (decisions.of[own] >= 0) & (decisions.of[own] < decisions.first)
        against = {"rows": decisions.first, "repeated": int(repeated.sum())}
    files = {
        "kept": outputs.kept, "dropped": outputs.dropped, "held_apart": outputs.held_apart,
        "clusters": outputs.clusters, "certificate": request.certificate,
    }  # fmt: skip
    return {
        "inputs": len(corpora.files),
        "against": against,
        "files": {name: None if path is None else str(path) for name, path in files.items()},
    }


def _print_unreadable(finished: Finished) -> bool:
    """Print the first rows that cannot be read; return whether there are any."""
    n_all = finished.summary["by_ending"]["unreadable"]
    for name, number, why in finished.trouble[:5]:
        err.print(clean(f"saidonce: {name}, line {number} cannot be read: {why}"), style="red")
    if n_all > len(finished.trouble[:5]):
        err.print(f"saidonce: and {n_all - len(finished.trouble[:5])} more, see the dropped rows", style="red")
    return bool(n_all)


def _write_json(path: Path, document: Any) -> None:
    from saidonce.corpus.files.lines import replace_file

    with replace_file(path) as file:
        file.write(json.dumps(document, indent=2).encode() + b"\n")


def verify(words: Sequence[str], certificate: Path | None, sample: int, as_json: bool) -> None:
    """Check a certificate, print what was found, and end with 1 if it does not hold."""
    from saidonce.corpus.run.verify import verify_run

    started = time.perf_counter()
    with open_base() as base:
        if len(words) != 1 or certificate is None:
            raise UsageError("verify needs the kept rows and their certificate: dedupe verify KEPT --certificate FILE")
        result = verify_run(Path(words[0]), certificate, sample, lambda: base.embedder, _Lines())
    result |= {"took_s": round(time.perf_counter() - started, 3)}
    if as_json:
        from saidonce.interfaces.views.reports import VerifiedView

        print_json(VerifiedView(**result))
    else:
        for one in result["wrong"]:
            err.print(clean(f"saidonce: {one}"), style="red")
        says = "holds" if result["holds"] else "does NOT hold"
        out.print(
            clean(f"{result['claim']}\n{result['rows_checked']} of {result['rows']} rows compared with all kept ones")
        )
        out.print(f"digest {result['digest']}\nthe certificate {says}")
    if not result["holds"]:
        raise typer.Exit(EXIT_FAILED)
