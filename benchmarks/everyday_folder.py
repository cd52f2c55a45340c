"""Measure what a user gets from syncing a folder of files as offices, sites and programs write them every day.

`python -m benchmarks.everyday_folder [PART]` writes the files of `benchmarks.everyday`, or those with PART in their
names, runs `saidonce sync` on their folder in a separate process, and checks the expectations of each: what has to be
kept, in which role, and in which order. `--rest` prints every row that is not as expected.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from benchmarks.awkward_folder import (
    COLLECTION,
    arguments,
    kept_of,
    lay_out,
    print_details,
    print_tally,
    synced,
    tally_of,
)
from benchmarks.everyday import data, mail, markup, paper, sheets, web, word
from benchmarks.everyday.case import EverydayFile
from benchmarks.mixed_folder import holds
from benchmarks.uncommon_folder import misplaced, roles_of
from saidonce import KnowledgeBase
from saidonce.foundation.model import Kind, Segment

GROUPS: tuple[Callable[[], list[EverydayFile]], ...] = (
    word.word, word.open_document, sheets.sheets, sheets.slides, web.pages, mail.messages, markup.markdown,
    markup.others, data.tables, data.records, data.books, paper.pdfs, paper.manuals,
)  # fmt: skip


def all_files(part: str = "") -> list[EverydayFile]:
    """Return the files whose name contains a part."""
    return [file for group in GROUPS for file in group() if part in file.name]


def segments_of(base: KnowledgeBase, folder: Path, files: Sequence[EverydayFile]) -> dict[str, list[Segment]]:
    """Return the segments of each file and its members, in the order of the documents' names."""
    owners = {document.name: document.names or (document.name,) for document in base.documents(COLLECTION)}
    found: dict[str, list[tuple[str, int, Segment]]] = defaultdict(list)
    for batch in base.store.segments(COLLECTION):
        live = base.store.blocks([segment.id for segment, _, _ in batch])
        for segment, _, _ in batch:
            names = {n for d in (live[segment.id].document, *live[segment.id].documents) for n in owners.get(d, (d,))}
            for inside in sorted(name.removeprefix(f"{folder}/") for name in names):
                for file in files:
                    if inside == file.name or inside.startswith(f"{file.name}/"):
                        found[file.name].append((inside, segment.ordinal, segment))
    return {name: [segment for *_, segment in sorted(some, key=lambda one: one[:2])] for name, some in found.items()}


def unordered(file: EverydayFile, segments: Iterable[Segment]) -> list[str]:
    """Return each text that does not follow the one before it."""
    whole = unicodedata.normalize("NFC", " ".join(" ".join(_with_heads(one).split()) for one in segments))
    wrong, after = [], 0
    for text in file.order:
        place = whole.find(text, after)
        if place < 0:
            wrong.append(f"not in order: {text}")
        after = max(after, place + len(text))
    return wrong


def _with_heads(segment: Segment) -> str:
    return f"{' '.join(segment.heading_path)} {segment.text}"


def out_of_kind(file: EverydayFile, segments: Sequence[Segment]) -> list[str]:
    """Return each text that is in no segment of its kind."""
    wrong = []
    for kind, wanted in ((Kind.TABLE, file.tables), (Kind.LIST, file.lists)):
        texts = [one.text for one in segments if one.kind is kind]
        wrong += [f"in no {kind}: {text}" for text in wanted if not any(holds(one, text) for one in texts)]
    return wrong


def measured(doc: str | None, all_of: Callable[[str], list[EverydayFile]]) -> None:
    """Print how much of the files of a folder is kept, by the options of the command line."""
    options = arguments(doc).parse_args()
    files = all_of(options.part)
    with synced(lambda folder: lay_out(files, folder), options.folder) as (base, run, folder):
        tally = tally_of(files, kept_of(base, run, folder, files))
        roles = misplaced(files, roles_of(base, folder, files))
        segments = segments_of(base, folder, files)
    print_tally(tally, run, options.rest)
    kinds = [(file.name, one) for file in files for one in out_of_kind(file, segments.get(file.name, []))]
    order = [(file.name, one) for file in files for one in unordered(file, segments.get(file.name, []))]
    n_roles = sum(len((*file.prose, *file.code, *file.headings, *file.tables, *file.lists)) for file in files)
    n_order = sum(len(file.order) for file in files)
    placed = n_roles - len(roles) - len(kinds)
    print(f"in their role: {placed} of {n_roles}; in order: {n_order - len(order)} of {n_order}")
    print_details((("role", [*roles, *kinds]), ("order", order)) if options.rest else ())


def main() -> None:
    """Print how much is kept, and what is missing."""
    measured(__doc__, all_files)


if __name__ == "__main__":
    main()
