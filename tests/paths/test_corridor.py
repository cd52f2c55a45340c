"""A tracer walks with a document and a query: only flows call rooms, and no room calls another."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from types import FrameType
from typing import Any

import pytest

from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.errors import SourceRefusedError
from saidonce.foundation.context import Context, Source
from saidonce.foundation.model import Document, Element, Filters, Kind
from saidonce.foundation.ports import QueueFilter
from saidonce.foundation.settings.policy import SegmentStyle, load_settings
from saidonce.kb import review
from saidonce.kb.ingest import ingest
from saidonce.kb.search import SearchIndex, search
from saidonce.testing.memory import MemoryStore

ROOMS = (
    "documents.parse",
    "documents.salience",
    "documents.segment",
    "kb.search.fusion",
    "kb.survivorship",
    "matching.diff",
    "matching.facts",
    "matching.ladder",
    "matching.reply",
    "matching.vectors",
)
FLOOR = ("foundation", "errors")
"""What all rooms stand on."""

ADAPTERS = ("adapters", "testing", "documents.discovery")

Calls = set[tuple[str, str]]
"""Callers and callees: modules, by their names below `saidonce`."""

HANDED_IN: Calls = {
    ("matching.ladder", "matching.guards"),
    ("matching.ladder", "kb.pairs.known"),
    ("matching.ladder", "matching.agreement"),
    ("matching.ladder", "matching.selection"),
    ("documents.segment", "adapters.embed.hashed"),
    ("documents.segment", "kb.ingest.repeats"),
    ("kb.search.fusion", "kb.search.flow"),
}
"""Functions that a flow hands to a room: guards, also one that knows pairs, the figures of a text, the count of tokens,
whether two pieces say the same, the similarity of two hits."""

LONG = "The spare keys of all houses are kept in the blue cabinet beside the door and may be lent for {} days at most."
TEXTS = (
    LONG.format(30),
    LONG.format(90),
    LONG.format(30).replace("cabinet beside", "cabinet, beside"),
    "Ask us.",
    "17",
)


class Clock:
    def now(self) -> datetime:
        return datetime(2026, 1, 17, tzinfo=UTC)


class OneParagraphALine:
    def map(self, sources: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, Document | SourceRefusedError]]:
        for name, content in sources:
            lines = content.decode().splitlines()
            elements = [Element(Kind.HEADING, "Keys", 1), *(Element(Kind.PARAGRAPH, line) for line in lines)]
            yield name, Document(name, "txt", tuple(elements), "en")


def module(frame: FrameType) -> str:
    """The module of saidonce that a frame runs in, below `saidonce`, or nothing."""
    package, _, rest = frame.f_globals.get("__name__", "").partition(".")
    return rest if package == "saidonce" and rest != "_moved" else ""  # `_moved` is asked by every import


def traced(walk: Callable[[], object]) -> Calls:
    """Calls from one module of saidonce directly into another, made while walking.

    A call through another library, such as a sort that asks for a key, counts as its caller's.
    """
    calls: Calls = set()

    def note(frame: FrameType, event: str, _arg: Any) -> None:
        if event != "call" or not (callee := module(frame)):
            return
        caller = frame.f_back
        while caller is not None and not module(caller):
            if caller.f_globals.get("__name__") == __name__:
                return
            caller = caller.f_back
        if caller is not None and module(caller) != callee:
            calls.add((module(caller), callee))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        walk()
    finally:
        sys.setprofile(before)
    return calls


def lies_in(name: str, places: Iterable[str]) -> str:
    """The place, a module or package, in which a module lies, or nothing."""
    return next((place for place in places if name == place or name.startswith(f"{place}.")), "")


def entered(calls: Calls, caller: str) -> set[str]:
    """Modules called from a module or package."""
    return {b for a, b in calls if lies_in(a, (caller,))}


def room_to_room(calls: Calls) -> Calls:
    """Calls from a room into another one; a room of several modules may call itself."""
    return {(a, b) for a, b in calls if (x := lies_in(a, ROOMS)) and (y := lies_in(b, ROOMS)) and x != y}


def outward(calls: Calls) -> Calls:
    """Calls from a room to what is neither floor nor room, but for functions that a flow handed in."""
    found = {(a, b) for a, b in calls if lies_in(a, ROOMS) and not lies_in(b, (*FLOOR, *ROOMS))}
    return {(a, b) for a, b in found if not any(lies_in(a, (x,)) and lies_in(b, (y,)) for x, y in HANDED_IN)}


def beyond_the_floor(calls: Calls) -> Calls:
    """Calls from an adapter to what is neither floor nor adapter."""
    return {(a, b) for a, b in calls if lies_in(a, ADAPTERS) and not lies_in(b, (*FLOOR, *ADAPTERS))}


def base(**settings: Any) -> Context:
    known = load_settings(**{"segment_style": SegmentStyle.WHOLE, "min_relevance": 0.0, **settings})
    return Context(MemoryStore("north", clock=Clock()), HashedEmbedder(), OneParagraphALine(), Clock(), known)


def ingested(wired: Context, *names: str) -> None:
    content = "\n".join(TEXTS).encode()
    # The first byte differs, so that the documents are not the same source.
    ingest(wired, [Source(n, lambda n=n: n[:1].encode() + content) for n in names], "main")  # type: ignore[misc]


@pytest.fixture(scope="module")
def document_calls() -> Calls:
    return traced(lambda: ingested(base(), "house.txt"))


@pytest.fixture(scope="module", params=["minmax", "rrf"])
def query_calls(request: pytest.FixtureRequest) -> Calls:
    wired = base(fusion=request.param, mmr_lambda=0.7)
    ingested(wired, "a.txt", "b.txt")
    index = SearchIndex(wired.embedder.model, wired.embedder.dim)
    return traced(lambda: search(wired, index, "where are the spare kyes kept", Filters()))


class TestADocument:
    def test_passes_through_its_rooms(self, document_calls: Calls) -> None:
        from_the_flow = entered(document_calls, "kb.ingest") | entered(document_calls, "matching.selection")
        for room in (
            "documents.segment",
            "documents.salience",
            "matching.vectors",
            "matching.ladder",
            "adapters",
            "testing",
        ):
            assert any(lies_in(callee, (room,)) for callee in from_the_flow), room
        assert any(lies_in(callee, ("matching.facts",)) for callee in entered(document_calls, "matching.guards"))

    def test_no_room_calls_another(self, document_calls: Calls) -> None:
        assert not room_to_room(document_calls)

    def test_rooms_call_nothing_but_the_floor_and_what_is_handed_in(self, document_calls: Calls) -> None:
        assert not outward(document_calls)

    def test_adapters_call_nothing_but_the_floor(self, document_calls: Calls) -> None:
        assert not beyond_the_floor(document_calls)


@pytest.fixture(scope="module")
def decision_calls() -> Calls:
    """Two documents that partly merge, a decision on what is in doubt, its undoing, and the page that asks."""
    wired = base(collection_use="canonical")

    def walk() -> None:
        ingested(wired, "a.txt")
        other = "\n".join((LONG.format(30).replace("cabinet beside", "cabinet, beside"), LONG.format(45))).encode()
        ingest(wired, [Source("c.txt", lambda: other)], "main")
        first = review.open_pairs(wired, QueueFilter(), None, 10)[0]
        review.pair(wired, first.flag.seq, "")
        made = review.merge(wired, review.By("ann"), first.flag.candidate, first.flag.of)
        review.revert(wired, review.By("ann"), made.seq)

    return traced(walk)


class TestADecision:
    def test_passes_through_its_rooms(self, decision_calls: Calls) -> None:
        assert "kb.survivorship" in entered(decision_calls, "kb.canonical.rebuild_blocks")
        assert any(lies_in(callee, ("matching.ladder",)) for callee in entered(decision_calls, "kb.canonical.match"))
        from_the_flow = entered(decision_calls, "kb.review")
        for room in ("kb.survivorship", "matching.facts", "testing"):
            assert any(lies_in(callee, (room,)) for callee in from_the_flow), room

    def test_no_room_calls_another(self, decision_calls: Calls) -> None:
        assert not room_to_room(decision_calls)

    def test_rooms_call_nothing_but_the_floor_and_what_is_handed_in(self, decision_calls: Calls) -> None:
        assert not outward(decision_calls)

    def test_adapters_call_nothing_but_the_floor(self, decision_calls: Calls) -> None:
        assert not beyond_the_floor(decision_calls)


class TestAQuery:
    def test_passes_through_its_rooms(self, query_calls: Calls) -> None:
        from_the_flow = entered(query_calls, "kb.search")
        for room in (
            "matching.vectors",
            "kb.search.fusion",
            "matching.ladder",
            "adapters",
            "testing",
            "foundation.text",
        ):
            assert any(lies_in(callee, (room,)) for callee in from_the_flow), room

    def test_no_room_calls_another(self, query_calls: Calls) -> None:
        assert not room_to_room(query_calls)

    def test_rooms_call_nothing_but_the_floor_and_what_is_handed_in(self, query_calls: Calls) -> None:
        assert not outward(query_calls)

    def test_adapters_call_nothing_but_the_floor(self, query_calls: Calls) -> None:
        assert not beyond_the_floor(query_calls)


def test_the_tracer_sees_a_call_from_room_to_room() -> None:
    from saidonce.documents import salience
    from saidonce.foundation import text

    def calling() -> None:
        salience.first(Kind.PARAGRAPH, "some words", 0, 1)

    assert traced(calling) == {("documents.salience", "foundation.text")}
    crossing = ("documents.salience", "matching.facts.compare")
    assert room_to_room(
        {crossing, ("kb.ingest.flow", "matching.facts"), ("documents.salience", "foundation.text")}
    ) == {crossing}
    assert outward({("documents.salience", "kb.ingest.flow")})
    assert beyond_the_floor({("adapters.postgres.records", "matching.vectors")})
    assert text.words("some words") == ["some", "words"]
