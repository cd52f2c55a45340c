"""Reports as text for people."""

from __future__ import annotations

from datetime import UTC, datetime

from saidonce.foundation.model import Block, Kind, StoredDocument
from saidonce.interfaces.cli.render import document_line, documents_text, ingest_summary, search_text
from saidonce.interfaces.views.kb import DocumentView
from saidonce.kb.ingest import DocumentReport, IngestReport, State
from saidonce.kb.search.report import Hit, SearchReport

OWN = DocumentReport("a.md", State.NEW, "md", n_segments=4, n_kept=4)
SHARED = DocumentReport("b.md", State.NEW, "md", n_segments=7, n_kept=7, n_merged=3, n_flagged=2)
TOLD = "3 merged into blocks of other documents, 2 flagged"

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_a_line_tells_what_merged_and_what_was_flagged() -> None:
    assert document_line(SHARED) == f"+ b.md: 7 segments -> 7 blocks; {TOLD}"
    assert document_line(OWN) == "+ a.md: 4 segments -> 4 blocks"


def test_the_summary_adds_them_up_and_says_where_they_wait() -> None:
    summary = ingest_summary(IngestReport("docs", (OWN, SHARED)), (), [])
    assert f"{TOLD}; 'saidonce queue' shows what waits for a person" in summary.splitlines()


def test_the_summary_of_an_evidence_collection_tells_of_neither() -> None:
    summary = ingest_summary(IngestReport("docs", (OWN,)), (), [])
    assert "merged" not in summary
    assert "flagged" not in summary


def test_documents_are_listed_with_what_their_parser_could_not_carry_over() -> None:
    scan = StoredDocument(
        "a" * 32, "main", "terms.pdf", "f" * 64, 1, "Terms", "pdf", "en", None, NOON, 3, 3, "s",
        warnings=("pages without text, perhaps scanned: 2",),
    )  # fmt: skip
    assert documents_text([], "main") == "no documents in main"
    assert (
        documents_text([], "main", ("answers",)) == "no documents in main; --collection lists those of another: answers"
    )
    assert documents_text([scan]).endswith("\n   pages without text, perhaps scanned: 2")
    assert DocumentView.show(scan).model_dump(mode="json")["warnings"] == ["pages without text, perhaps scanned: 2"]


def test_a_hit_names_every_document_that_supports_its_block() -> None:
    block = Block(
        "b" * 32, "main", "d" * 32, "new.md", "New", Kind.PARAGRAPH, "Keep it cool.", (), None, "en", 0.5, 0.0, None,
        "h", documents=("new.md", "old.md"),
    )  # fmt: skip
    hit = Hit(block, 1.0, 0.9, ())
    assert hit.documents == ("new.md", "old.md")
    assert "   also in old.md" in search_text(SearchReport("cool", (hit,), 1, 0, 0), explain=False).splitlines()


def test_a_folder_that_cannot_be_listed_is_named() -> None:
    summary = ingest_summary(IngestReport("docs", (OWN,)), ("docs/a.xyz",), [], ("docs/private",))
    assert summary.splitlines()[-2:] == [
        "1 file skipped, no parser for it: a.xyz",
        "! docs/private: this folder cannot be read; what it holds in the base stays",
    ]
