"""Measure what a user gets from syncing a folder of awkward files.

`python -m benchmarks.awkward_folder [PART]` writes the files of `benchmarks.awkward`, or those with PART in their
names, runs `saidonce sync` on their folder in a separate process, and checks the expectations of each. `--rest`
prints every row that is not as expected.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.awkward import office, paper, texts, troubles, web, word
from benchmarks.awkward.case import AwkwardFile
from benchmarks.mixed_folder import FileTexts, FolderTally, compared, holds, texts_of
from saidonce import KnowledgeBase
from saidonce.adapters.upstream.names import printable

GROUPS: tuple[Callable[[], list[AwkwardFile]], ...] = (
    texts.tables, texts.structured, texts.markup, texts.others, web.pages, web.messages, word.changed, word.shaped,
    word.packaged, office.slides, office.sheets, office.open_document, office.rich_text, office.books, paper.columns,
    paper.tables, paper.running, paper.structures, paper.printed, troubles.archives, troubles.names, troubles.broken,
    troubles.misnamed,
)  # fmt: skip
LIMIT_S = 3600  # of the whole run; a run that takes longer is a hang
COLLECTION = "awkward"


def all_files(part: str = "") -> list[AwkwardFile]:
    """Return the files whose name contains a part."""
    return [file for group in GROUPS for file in group() if part in file.name]


def lay_out(files: Sequence[AwkwardFile], folder: Path) -> None:
    """Write files below a folder."""
    for file in files:
        (folder / file.name).parent.mkdir(parents=True, exist_ok=True)
        (folder / file.name).write_bytes(file.content)


@dataclass(frozen=True)
class CommandRun:
    """The result of a run of the command: its status, None if it hung; its report; CPU seconds and memory."""

    status: int | None
    report: dict[str, object]
    error: str
    cpu_s: float
    peak_mib: int


def run_sync(data: Path, folder: Path) -> CommandRun:
    """Sync a collection with a folder, as a user does."""
    command = [sys.executable, "-m", "saidonce", "--data-dir", str(data)]
    command += ["sync", str(folder), "--collection", COLLECTION, "--json"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired as slow:
        return CommandRun(None, {}, str(slow), LIMIT_S, 0)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        report = {}
    error = done.stderr.decode(errors="replace")
    return CommandRun(done.returncode, report, error, used.ru_utime + used.ru_stime, used.ru_maxrss // 1024)


def arguments(doc: str | None) -> argparse.ArgumentParser:
    """Return the parser of the arguments that all trials of folders take; `doc` is the module's docstring."""
    parser = argparse.ArgumentParser(description=(doc or "").splitlines()[0])
    parser.add_argument("part", nargs="?", default="", help="of the names of files; all by default")
    parser.add_argument("--rest", action="store_true", help="print every row that is not as expected")
    parser.add_argument("--folder", type=Path, help="where the files are written and stay; else nowhere lasting")
    return parser


@contextmanager
def synced(write: Callable[[Path], None], lasting: Path | None) -> Iterator[tuple[KnowledgeBase, CommandRun, Path]]:
    """Have files written and sync them into a new base; yield the base, the run and the folder of the files.

    Raises:
        SystemExit: The command hung or failed.
    """
    with tempfile.TemporaryDirectory() as scratch:
        folder = (lasting or Path(scratch, "files")).resolve()
        write(folder)
        run = run_sync(Path(scratch, "base"), folder)
        if run.status is None or not run.report:
            raise SystemExit(f"hung or failed: {run.status}\n{run.error[-2000:]}")
        with KnowledgeBase(data_dir=Path(scratch, "base")) as base:
            yield base, run, folder


@dataclass
class AwkwardTally:
    """The results of the files: the common tally, and the additional checks of this folder."""

    common: FolderTally
    unwarned: list[tuple[str, str]] = field(default_factory=list)
    n_warnable: int = 0


def tally_of(files: Sequence[AwkwardFile], kept: dict[str, FileTexts]) -> AwkwardTally:
    """Return the results of comparing the expectations of files with their kept content."""
    tally = AwkwardTally(compared(files, kept))
    for file in files:
        of = kept[file.name]
        tally.n_warnable += len(file.or_warned)
        if not of.warnings and not of.refusals:
            tally.unwarned += [(file.name, one) for one in file.or_warned if not any(holds(t, one) for t in of.texts)]
    return tally


def kept_of(base: KnowledgeBase, run: CommandRun, folder: Path, files: Sequence[AwkwardFile]) -> dict[str, FileTexts]:
    """Return the content of a base and a report for each file, including its members."""
    kept = {file.name: FileTexts() for file in files}
    by_length = sorted(kept, key=len, reverse=True)
    shown = {one: printable(one) for one in kept}

    def of(name: str) -> FileTexts:
        inside = name.removeprefix(f"{folder}/")
        return next(
            (kept[one] for one in by_length if inside == shown[one] or inside.startswith(f"{shown[one]}/")), FileTexts()
        )

    for name, some in texts_of(base, COLLECTION):
        of(name).texts += [unicodedata.normalize("NFC", text) for text in some]
    for outcome in run.report.get("documents", ()):  # type: ignore[attr-defined]
        of(outcome["name"]).warnings += outcome.get("warnings", ())
        of(outcome["name"]).refusals += [outcome.get("detail", "")] if outcome["state"] == "refused" else []
    return kept


def print_tally(tally: AwkwardTally, run: CommandRun, rest: bool) -> None:
    """Print the results of the files."""
    common, documents = tally.common, run.report.get("documents", [])
    states = Counter(one["state"] for one in documents)  # type: ignore[attr-defined]
    kept, warned = common.n_expected - len(common.missed), tally.n_warnable - len(tally.unwarned)
    print(f"status {run.status}; {run.cpu_s:.0f} s of CPU; largest process {run.peak_mib} MiB")
    print(f"{common.n_files} files; {dict(sorted(states.items()))}; kept: {kept} of {common.n_expected}")
    print(f"bent: {len(common.bent)}; wrongly refused, taken in or not warned of: {len(common.wrong)}")
    print(f"kept or warned of: {warned} of {tally.n_warnable}")
    rows = (("missed", common.missed), ("bent", common.bent), ("wrong", common.wrong), ("unwarned", tally.unwarned))
    print_details(rows if rest else ())


def print_details(rows: Iterable[tuple[str, Iterable[tuple[str, str]]]]) -> None:
    """Print what is not as expected: a line for each file and detail, by kind."""
    for what, some in rows:
        for name, detail in some:
            print(f"  {what}  {name!r}: {detail[:200]!r}")


def main() -> None:
    """Print how much is kept, and what is missing."""
    options = arguments(__doc__).parse_args()
    files = all_files(options.part)

    def write(folder: Path) -> None:
        lay_out(files, folder)
        if not options.part:
            troubles.lay_out_oddities(folder)

    with synced(write, options.folder) as (base, run, folder):
        files += () if options.part else troubles.IN_ODDITIES
        tally = tally_of(files, kept_of(base, run, folder, files))
    print_tally(tally, run, options.rest)


if __name__ == "__main__":
    main()
