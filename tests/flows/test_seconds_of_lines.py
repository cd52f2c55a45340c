"""A sentence in the middle of a transcript is found with its own second, in every answer and on every page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from in_process import InProcess, in_process
from saidonce.foundation.model import LineStart
from saidonce.interfaces.cli.render import account_text, search_text
from saidonce.interfaces.views.kb import BlockDetail, SearchView
from saidonce.interfaces.views.mcp import McpAttribution, McpContext, McpSearch
from saidonce.interfaces.views.passages import ContextView
from saidonce.kb.ingest import flow
from saidonce.kb.packed_context import pack
from world import World, world

MEETING = """1
00:00:04,000 --> 00:00:06,000
Good morning, everybody.

2
00:00:06,500 --> 00:00:10,000
The boiler was checked last week.

3
01:01:02,250 --> 01:01:07,000
The water is switched off on Friday

4
01:01:07,500 --> 01:01:09,000
from nine to twelve.

5
01:01:10,000 --> 01:01:12,000
Bicycles may stay in the yard.
"""
WATER, BICYCLES = "when is the water switched off", "bicycles"


@pytest.fixture
def base() -> World:
    w = world(segment_style="paragraph")
    w.ingest({"meeting.srt": MEETING, "house.md": "The bins are emptied on Mondays."})
    return w


@pytest.mark.parametrize(("question", "start_s"), [(WATER, 3662.25), (BICYCLES, 3670.0), ("boiler", 6.5)])
def test_a_hit_is_heard_from_the_line_that_answers(base: World, question: str, start_s: float) -> None:
    hit = base.search(question).hits[0]
    assert hit.block.place is not None
    assert hit.place is not None
    assert (hit.place.start_s, hit.place.end_s, hit.place.lines) == (start_s, 3672.0, ())
    assert hit.block.place.start_s == 4.0


def test_typed_text_has_no_second(base: World) -> None:
    hit = base.search("bins emptied").hits[0]
    assert hit.place is None
    assert SearchView.show(base.search("bins emptied")).data()["hits"][0]["place"] is None
    assert McpSearch.show(base.search("bins emptied")).data()["hits"][0]["start_s"] is None


def test_answers_for_programs_and_for_models_name_it(base: World) -> None:
    report = base.search(WATER)
    assert SearchView.show(report).data()["hits"][0]["place"]["start_s"] == 3662.25
    assert McpSearch.show(report).data()["hits"][0]["start_s"] == 3662.25
    context = pack(report, 400, base.embedder.count_tokens)
    assert ContextView.show(context).data()["passages"][0]["origin"]["start_s"] == 3662.25
    assert McpContext.show(context).data()["passages"][0]["origin"]["start_s"] == 3662.25
    assert "meeting.srt, at 1:01:02" in context.text
    block = report.hits[0].block
    (attribution,) = BlockDetail.show(block).data()["attributions"]
    assert [line["start_s"] for line in attribution["place"]["lines"]] == [4.0, 6.5, 3662.25, 3667.5, 3670.0]
    assert McpAttribution.show(block.attributions[0]).start_s == 4.0


def test_the_terminal_shows_the_line_and_its_time(base: World) -> None:
    report = base.search(WATER)
    shown = search_text(report, explain=False).splitlines()
    assert shown[0].endswith("meeting.srt, at 1:01:02")
    assert shown[1].strip().startswith("\N{HORIZONTAL ELLIPSIS} The water is switched off on Friday")
    account = account_text(base.why(report.hits[0].block.id)).splitlines()
    assert "   0:06 The boiler was checked last week." in account
    assert "   1:01:02 The water is switched off on Friday" in account
    assert "   1:01:10 Bicycles may stay in the yard." in account


def test_a_document_that_was_read_before_keeps_its_place_until_it_is_read_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    w = world(segment_style="paragraph")
    files: Any = {"meeting.srt": MEETING, "house.md": "The bins are emptied on Mondays."}
    with monkeypatch.context() as earlier:
        earlier.setattr(flow, "FORMAT_VERSIONS", {})
        earlier.setattr("saidonce.documents.segment._line_starts", lambda _held: ())
        w.ingest(files)
    (before,) = (b for b in w.blocks() if b.document == "meeting.srt")
    assert before.place is not None
    assert before.place.lines == ()
    hit = w.search(WATER).hits[0]
    assert hit.place == before.place
    report = w.ingest(files)
    assert [(d.name, d.is_written) for d in report.documents] == [("meeting.srt", True), ("house.md", False)]
    (after,) = (b for b in w.blocks() if b.document == "meeting.srt")
    assert after.id == before.id
    assert after.place is not None
    assert after.place.lines[1] == LineStart(25, 6.5)
    assert not any(d.is_written for d in w.ingest(files).documents)


@pytest.fixture
def page(base: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    app: InProcess = in_process(base, tmp_path, monkeypatch)

    def get(path: str) -> str:
        reply = app.client.get(path)
        assert reply.status_code == 200, reply.text
        return reply.text

    return get


def test_pages_name_the_second_and_show_each_line_with_its_own(base: World, page: Callable[[str], str]) -> None:
    id_ = base.search(WATER).hits[0].block.id
    assert f'href="/blocks/{id_}?at=3662.25#evidence">at 1:01:02' in page("/search?q=water+switched+off")
    assert ", at 1:01:02</p>" in page("/ask?q=when+is+the+water+switched+off")
    shown = page(f"/blocks/{id_}?at=3662.25")
    assert '<li aria-current="true"><span class="faint">1:01:02</span> The water is switched off on Friday' in shown
    assert " · at 1:01:02" in shown
    assert '<li aria-current="true"><span class="faint">0:04</span> Good morning' in page(f"/blocks/{id_}")


@pytest.mark.parametrize("at", ["12.5", "-1", "nan", "inf", "1e999"])
def test_any_other_second_shows_the_beginning(base: World, page: Callable[[str], str], at: str) -> None:
    id_ = base.search(WATER).hits[0].block.id
    assert '<li aria-current="true"><span class="faint">0:04</span> Good morning' in page(f"/blocks/{id_}?at={at}")
