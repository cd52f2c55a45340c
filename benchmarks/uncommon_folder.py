"""Measure what a user gets from syncing a folder of uncommon, legitimate files, and of locked, broken and hostile ones.

`python -m benchmarks.uncommon_folder [PART]` writes the files of `benchmarks.uncommon`, or those with PART in their
names, runs `saidonce sync` on their folder in a separate process, and checks the expectations of each: what has to be
kept, as prose, code or heading, and the one line that refuses a file. `--lines` adds files of a single line of 99 MB;
`--rest` prints every row that is not as expected.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
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
from benchmarks.mixed_folder import FileTexts, holds
from benchmarks.uncommon import markup, office, paper, structured, texts, troubles, web
from benchmarks.uncommon.case import UncommonFile
from saidonce import KnowledgeBase
from saidonce.foundation.model import Kind

GROUPS: tuple[Callable[[], list[UncommonFile]], ...] = (
    texts.encodings, texts.shapes, texts.tables, markup.markdown, markup.others, web.pages, web.messages,
    structured.records, structured.xml, structured.subtitles, structured.code, office.word, office.sheets,
    office.slides, office.open_document, office.rich_text, paper.pdfs, paper.pictures, paper.recordings,
    troubles.archives, troubles.hostile,
)  # fmt: skip


def all_files(part: str = "", with_lines: bool = False) -> list[UncommonFile]:
    """Return the files whose name contains a part."""
    groups = (*GROUPS, troubles.lines) if with_lines else GROUPS
    return [file for group in groups for file in group() if part in file.name]


@dataclass
class Roles:
    """The texts of one file by their role."""

    prose: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)


def roles_of(base: KnowledgeBase, folder: Path, files: Sequence[UncommonFile]) -> dict[str, Roles]:
    """Return the kept texts of each file, including its members, by their role."""
    roles = {file.name: Roles() for file in files}

    def of(name: str) -> Iterator[Roles]:
        inside = name.removeprefix(f"{folder}/")
        yield from (roles[one] for one in roles if inside == one or inside.startswith(f"{one}/"))

    names: dict[str, tuple[str, ...]] = {}
    for document in base.documents(COLLECTION):
        names[document.name] = document.names or (document.name,)
        for name in names[document.name]:
            for found in of(name):
                found.headings.append(document.title)
    for batch in base.store.segments(COLLECTION):
        live = base.store.blocks([segment.id for segment, _, _ in batch])
        for segment, _, _ in batch:
            stored = {live[segment.id].document, *live[segment.id].documents}
            for found in (one for document in stored for name in names.get(document, (document,)) for one in of(name)):
                text = unicodedata.normalize("NFC", segment.text)
                (found.code if segment.kind is Kind.CODE else found.prose).append(text)
                found.headings += [unicodedata.normalize("NFC", heading) for heading in segment.heading_path]
    return roles


def misplaced(files: Sequence[UncommonFile], roles: dict[str, Roles]) -> list[tuple[str, str]]:
    """Return each text that is not in its role, with its file."""
    wrong = []
    for file in files:
        of = roles[file.name]
        for role, wanted, found in (
            ("prose", file.prose, of.prose),
            ("code", file.code, of.code),
            ("a heading", file.headings, of.headings),
        ):
            wrong += [
                (file.name, f"not {role}: {one}") for one in wanted if not any(holds(text, one) for text in found)
            ]
    return wrong


def badly_refused(files: Sequence[UncommonFile], kept: dict[str, FileTexts]) -> list[tuple[str, str]]:
    """Return each refusal that is not one line with the expected words, with its file."""
    wrong = []
    for file in files:
        for detail in kept[file.name].refusals:
            if "\n" in detail or not detail.strip() or file.refusal not in detail:
                wrong.append((file.name, f"refused with: {detail}"))
    return wrong


def main() -> None:
    """Print how much is kept, and what is missing."""
    parser = arguments(__doc__)
    parser.add_argument("--lines", action="store_true", help="with files of one line of 99 MB")
    options = parser.parse_args()
    files = all_files(options.part, options.lines)
    with synced(lambda folder: lay_out(files, folder), options.folder) as (base, run, folder):
        kept = kept_of(base, run, folder, files)
        tally = tally_of(files, kept)
        roles = roles_of(base, folder, files)
    print_tally(tally, run, options.rest)
    wrong, lines = misplaced(files, roles), badly_refused(files, kept)
    n_roles = sum(len(file.prose) + len(file.code) + len(file.headings) for file in files)
    print(f"as prose, code or heading: {n_roles - len(wrong)} of {n_roles}; badly refused: {len(lines)}")
    print_details((("role", wrong), ("refusal", lines)) if options.rest else ())


if __name__ == "__main__":
    main()
