"""Measure what a user gets from syncing a shared drive: files of many programs, habits and years.

`python -m benchmarks.shelf_folder [PART]` writes the files of `benchmarks.shelf`, or those with PART in their names,
runs `saidonce sync` on their folder in a separate process, and checks the expectations of each: what has to be kept,
in which role, and in which order. `--rest` prints every row that is not as expected.
"""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.everyday.case import EverydayFile
from benchmarks.everyday_folder import measured
from benchmarks.shelf import data, mail, markup, paper, sheets, troubles, web, word

GROUPS: tuple[Callable[[], list[EverydayFile]], ...] = (
    word.word, word.open_document, sheets.sheets, sheets.slides, web.pages, markup.markdown, markup.others,
    mail.messages, data.tables, data.records, data.programs, paper.pdfs, troubles.troubles,
)  # fmt: skip


def all_files(part: str = "") -> list[EverydayFile]:
    """Return the files whose name contains a part."""
    return [file for group in GROUPS for file in group() if part in file.name]


def main() -> None:
    """Print how much is kept, and what is missing."""
    measured(__doc__, all_files)


if __name__ == "__main__":
    main()
