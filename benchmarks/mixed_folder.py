"""Measure how much of a folder of mixed, awkward files is kept, and whether anything is distorted.

`python -m benchmarks.mixed_folder [PART]` writes the files of `benchmarks.mixed`, or those with PART in their names,
syncs a collection with their folder, and checks the sentences expected of each.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.mixed import mail, markup, office, paper, texts
from benchmarks.mixed.case import MixedFile
from saidonce import KnowledgeBase
from saidonce.app.syncing import SyncWish
from saidonce.kb.ingest import State

GROUPS: tuple[Callable[[], list[MixedFile]], ...] = (
    texts.plain, texts.tables, texts.code, markup.light_markup, markup.web, markup.structured, office.word,
    office.sheets, office.slides, office.open_document, office.others, mail.mails, mail.archives, mail.troubles,
    paper.printed, paper.drawn, paper.pictures,
)  # fmt: skip


def all_files(part: str = "") -> list[MixedFile]:
    """Return the files whose name contains a part."""
    needed = [group for group in GROUPS if group is not paper.printed or not part or "pdf" in part]  # a browser is slow
    return [file for group in needed for file in group() if part in file.name]


@dataclass
class FolderTally:
    """The results of the files.

    Attributes:
        missed: file and expected sentence, of `n_expected`.
        bent: file and content that must not occur.
        wrong: file, and a missing or an unexpected refusal or warning.
    """

    n_files: int = 0
    n_expected: int = 0
    missed: list[tuple[str, str]] = field(default_factory=list)
    bent: list[tuple[str, str]] = field(default_factory=list)
    wrong: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class FileTexts:
    """The kept content of one file: texts of segments, headings and titles; warnings; reasons for refusals."""

    texts: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)


def holds(text: str, expected: str) -> bool:
    """Return whether an expected sentence is in a text, or the cells of a row are on one of its lines."""
    text = unicodedata.normalize("NFC", text.replace("\u200b", ""))
    cells = expected.split(" .. ")
    if len(cells) == 1:
        return " ".join(expected.split()) in " ".join(text.split())
    row = ".*?".join(rf"(?<![\w.,]){re.escape(cell)}(?![\w]|[.,]\d)" for cell in cells)
    return any(re.search(row, " ".join(line.split())) for line in text.split("\n"))


def kept_of(base: KnowledgeBase, folder: Path, collection: str, files: Sequence[MixedFile]) -> dict[str, FileTexts]:
    """Sync a collection with a folder; return the kept content of each file, including members."""
    kept = {file.name: FileTexts() for file in files}
    report = base.syncs.run(base.syncs.wished(SyncWish(str(folder), collection)))

    def of(name: str) -> FileTexts:
        inside = str(Path(name).relative_to(folder))
        return next((kept[one] for one in kept if inside == one or inside.startswith(f"{one}/")), FileTexts())

    for name, some in texts_of(base, collection):
        of(name).texts += some
    for outcome in report.documents:
        of(outcome.name).warnings += outcome.warnings
        of(outcome.name).refusals += [outcome.detail] if outcome.state is State.REFUSED else []
    return kept


def texts_of(base: KnowledgeBase, collection: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the texts of a collection's documents under each of their names: titles, and segments with headings."""
    names: dict[str, tuple[str, ...]] = {}
    for document in base.documents(collection):
        names[document.name] = document.names or (document.name,)
        yield from ((name, [document.title]) for name in names[document.name])
    for batch in base.store.segments(collection):
        live = base.store.blocks([segment.id for segment, _, _ in batch])
        for segment, _, _ in batch:
            for stored in {live[segment.id].document, *live[segment.id].documents}:
                yield from ((name, [segment.text, *segment.heading_path]) for name in names.get(stored, (stored,)))


def compared(files: Sequence[MixedFile], kept: dict[str, FileTexts]) -> FolderTally:
    """Return the results of comparing the expectations of files with their kept content."""
    tally = FolderTally(len(files), sum(len(file.keeps) for file in files))
    for file in files:
        of = kept[file.name]
        is_refused = bool(of.refusals) and not of.texts
        if file.refused is not None or of.texts:
            tally.missed += [(file.name, one) for one in file.keeps if not any(holds(text, one) for text in of.texts)]
        whole = [" ".join(text.split(" ")) for text in of.texts]
        tally.bent += [(file.name, one) for one in file.never if any(one in text for text in whole)]
        if file.refused is not None and is_refused != file.refused:
            tally.wrong.append((file.name, "; ".join(of.refusals) or "it was taken in"))
        if not of.texts and not of.refusals:
            tally.wrong.append((file.name, "it was passed over without a word"))
        tally.wrong += [
            (file.name, f"no warning of {w!r}")
            for w in file.warns
            if not any(w.casefold() in t.casefold() for t in of.warnings)
        ]
    return tally


def main() -> int:
    """Print how much is kept, and what is missing."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("part", nargs="?", default="", help="of the names of files; all by default")
    parser.add_argument("--folder", type=Path, help="where the files are written and stay; else nowhere lasting")
    options = parser.parse_args()
    files = all_files(options.part)
    with tempfile.TemporaryDirectory() as scratch:
        folder = (options.folder or Path(scratch, "mixed")).resolve()
        for file in files:
            (folder / file.name).parent.mkdir(parents=True, exist_ok=True)
            (folder / file.name).write_bytes(file.content)
        with KnowledgeBase(data_dir=Path(scratch, "base")) as base:
            tally = compared(files, kept_of(base, folder, "mixed", files))
    n_kept = tally.n_expected - len(tally.missed)
    print(
        f"{tally.n_files} files; kept: {n_kept} of {tally.n_expected}; bent: {len(tally.bent)};"
        f" wrongly refused, taken in or not warned of: {len(tally.wrong)}"
    )
    for what, rows in (("missed", tally.missed), ("bent", tally.bent), ("wrong", tally.wrong)):
        for name, detail in rows:
            print(f"  {what}  {name}: {detail}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
