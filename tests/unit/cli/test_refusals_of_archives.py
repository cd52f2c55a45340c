"""An archive of which many members are refused takes one line, not one for each of them."""

from __future__ import annotations

from saidonce.errors import Refusal
from saidonce.interfaces.cli.render import ingest_summary, progress_line, refusal_lines
from saidonce.kb.ingest import DocumentReport, IngestReport, State

DEEP = "refused, hostile: archives are opened to a depth of 3"


def members(n: int, archive: str = "/docs/nested.zip") -> list[tuple[str, str]]:
    return [(f"{archive}/{at}.zip/a.zip", DEEP) for at in range(n)]


def test_many_members_of_one_archive_are_one_line_with_their_number_and_reason() -> None:
    lines = refusal_lines(members(512))
    assert lines == [
        "! /docs/nested.zip: 512 members refused, hostile: archives are opened to a depth of 3; the first is"
        " 0.zip/a.zip, --json lists all"
    ]


def test_reasons_are_counted() -> None:
    locked = [(f"/docs/nested.zip/{at}.pdf", "refused, locked: it asks for a password") for at in range(5)]
    (line,) = refusal_lines([*members(7), *locked])
    assert "12 members" in line
    assert "7 refused, hostile: archives are opened" in line
    assert "5 refused, locked: it asks" in line


def test_a_few_members_have_a_line_each() -> None:
    assert len(refusal_lines(members(3))) == 3


def test_files_of_a_folder_have_a_line_each_whatever_their_number() -> None:
    files = [(f"/docs/{at}.pdf", "refused, corrupt: it is damaged") for at in range(40)]
    assert len(refusal_lines(files)) == 40


def test_each_archive_has_its_own_line() -> None:
    lines = refusal_lines([*members(9), ("/docs/b.pdf", "refused, corrupt: x"), *members(9, "/docs/other.tar.gz")])
    assert [line.split(":")[0] for line in lines] == ["! /docs/nested.zip", "! /docs/b.pdf", "! /docs/other.tar.gz"]


def test_a_refused_source_is_named_by_the_summary_alone() -> None:
    refused = DocumentReport(
        "/docs/a.pdf", State.REFUSED, reason=Refusal.CORRUPT, detail="it is damaged",
    )  # fmt: skip
    assert progress_line(refused) == ""
    assert ingest_summary(IngestReport("docs", (refused,)), (), []).splitlines() == [
        "1 source into docs: 1 refused", "! /docs/a.pdf: refused, corrupt: it is damaged",
    ]  # fmt: skip
