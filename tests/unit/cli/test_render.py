"""Reports as text for people."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from saidonce.foundation.model import Attribution, Block, Kind, Relation, StoredDocument
from saidonce.interfaces.cli.render import below_line, document_line, documents_text, ingest_summary, search_text
from saidonce.interfaces.views.kb import DocumentView, HitView
from saidonce.interfaces.views.mcp import McpHit
from saidonce.kb.ingest import DocumentReport, IngestReport, State
from saidonce.kb.search.report import Hit, RepeatedBlock, SearchReport

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


def block(id_: str, *documents: str, text: str = "Keep it cool.", attributions: tuple[Attribution, ...] = ()) -> Block:
    return Block(
        id_ * 32, "main", "d" * 32, documents[0], "New", Kind.PARAGRAPH, text, (), None, "en", 0.5, 0.0, None, "h",
        documents=documents, attributions=attributions,
    )  # fmt: skip


def test_the_json_of_a_hit_lists_every_document_that_states_it() -> None:
    part = Attribution("s" * 32, "e" * 32, "old.md", "Old", Relation.MERGED, 0.95, 0, None, (), "Keep it cool.")
    whole = block("b", "new.md", "old.md", text="Keep it cool. Close the lid at night.", attributions=(part,))
    hit = Hit(whole, 1.0, 0.9, (), also_in=(RepeatedBlock(block("c", "third.md"), 1.0, 0.5),))
    assert HitView.show(hit).data()["documents"] == ["new.md", "old.md", "third.md"]
    assert HitView.show(hit).data()["partly_in"] == ["old.md"]
    assert McpHit.show(hit).data()["documents"] == ["new.md", "old.md", "third.md"]


def report(n_hits: int, n_below: int) -> SearchReport:
    hits = tuple(Hit(block(str(n), f"{n}.md"), 1.0, 0.9, ()) for n in range(n_hits))
    return SearchReport("cool", hits, n_hits + n_below, n_below, 0)


def test_a_search_with_fewer_hits_than_wanted_counts_what_does_not_answer() -> None:
    assert below_line(report(2, 198), 10, 0.25) == (
        "198 more blocks were looked at; they do not answer the question (relevance below 0.25)"
    )
    assert below_line(report(2, 1), 10, 0.3) == (
        "1 more block was looked at; it does not answer the question (relevance below 0.3)"
    )


@pytest.mark.parametrize(("n_hits", "n_below"), [(0, 198), (10, 198), (2, 0)])
def test_nothing_is_counted_without_hits_with_enough_of_them_or_if_all_answer(n_hits: int, n_below: int) -> None:
    assert below_line(report(n_hits, n_below), 10, 0.25) == ""


def test_a_file_system_of_the_kernel_is_named_as_skipped() -> None:
    summary = ingest_summary(IngestReport("docs", (OWN,)), (), [], of_the_kernel=("/proc",))
    assert summary.splitlines()[-1] == "/proc: skipped, a file system of the kernel"


def test_a_folder_that_cannot_be_listed_is_named() -> None:
    summary = ingest_summary(IngestReport("docs", (OWN,)), ("docs/a.xyz",), [], ("docs/private",))
    assert summary.splitlines()[-2:] == [
        "1 file skipped, no parser for it: a.xyz",
        "! docs/private: this folder cannot be read; what it holds in the base stays",
    ]
