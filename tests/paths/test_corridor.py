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
from saidonce.foundation.context import Base, Source
from saidonce.foundation.model import Document, Element, Filters, Kind
from saidonce.foundation.ports import QueueFilter
from saidonce.foundation.settings.policy import SegmentStyle, load_settings
from saidonce.kb import review
from saidonce.kb.ingest import ingest
from saidonce.kb.search import Shelf, search
from saidonce.testing.memory import MemoryStore

ROOMS = (
    "salience",
    "segment",
    "facts",
    "vectors",
    "ladder",
    "fuse",
    "reply",
    "parse",
    "survivorship",
    "differences",
    "certify",
)
"""`text` is the floor that all rooms stand on, and so are model, errors, policy and ports."""

FLOOR = ("text", "filters", "chain", "model", "errors", "policy", "ports")
ADAPTERS = ("store", "embed", "sources", "metrics", "chat")

Calls = set[tuple[str, str]]

GIVEN: Calls = {("ladder", "engine"), ("segment", "embed"), ("fuse", "retrieve")}
"""Functions that a flow hands to a room: guards, the count of tokens, the similarity of two hits."""

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


def part(frame: FrameType) -> str:
    """The part of saidonce that a frame runs in, or nothing."""
    package, _, rest = frame.f_globals.get("__name__", "").partition(".")
    return rest.partition(".")[0] if package == "saidonce" else ""


def traced(walk: Callable[[], object]) -> Calls:
    """Calls from one part of saidonce directly into another, made while walking.

    A call through another library, such as a sort that asks for a key, counts as its caller's.
    """
    calls: Calls = set()

    def note(frame: FrameType, event: str, _arg: Any) -> None:
        if event != "call" or not (callee := part(frame)):
            return
        caller = frame.f_back
        while caller is not None and not part(caller):
            if caller.f_globals.get("__name__") == __name__:
                return
            caller = caller.f_back
        if caller is not None and part(caller) != callee:
            calls.add((part(caller), callee))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        walk()
    finally:
        sys.setprofile(before)
    return calls


def base(**settings: Any) -> Base:
    known = load_settings(**{"segment_style": SegmentStyle.WHOLE, "min_relevance": 0.0, **settings})
    return Base(MemoryStore("north", clock=Clock()), HashedEmbedder(), OneParagraphALine(), Clock(), known)


def ingested(wired: Base, *names: str) -> None:
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
    shelf = Shelf(wired.embedder.model, wired.embedder.dim)
    return traced(lambda: search(wired, shelf, "where are the spare kyes kept", Filters()))


class TestADocument:
    def test_passes_through_its_rooms(self, document_calls: Calls) -> None:
        entered = {callee for caller, callee in document_calls if caller == "ingest"}
        assert {"segment", "salience", "vectors", "ladder", "store", "embed"} <= entered
        assert ("engine", "facts") in document_calls

    def test_no_room_calls_another(self, document_calls: Calls) -> None:
        assert not room_to_room(document_calls)

    def test_rooms_call_nothing_but_the_floor_and_what_they_are_given(self, document_calls: Calls) -> None:
        assert outward(document_calls) <= GIVEN

    def test_adapters_call_nothing_but_the_floor(self, document_calls: Calls) -> None:
        assert not {(a, b) for a, b in document_calls if a in ADAPTERS and b not in FLOOR}


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
        assert {("canon", "ladder"), ("canon", "survivorship"), ("engine", "facts")} <= decision_calls
        assert {"survivorship", "facts", "store"} <= {callee for caller, callee in decision_calls if caller == "review"}

    def test_no_room_calls_another(self, decision_calls: Calls) -> None:
        assert not room_to_room(decision_calls)

    def test_rooms_call_nothing_but_the_floor_and_what_they_are_given(self, decision_calls: Calls) -> None:
        assert outward(decision_calls) <= GIVEN

    def test_adapters_call_nothing_but_the_floor(self, decision_calls: Calls) -> None:
        assert not {(a, b) for a, b in decision_calls if a in ADAPTERS and b not in FLOOR}


class TestAQuery:
    def test_passes_through_its_rooms(self, query_calls: Calls) -> None:
        entered = {callee for caller, callee in query_calls if caller == "retrieve"}
        assert {"text", "vectors", "fuse", "ladder", "store", "embed"} <= entered
        assert ("engine", "facts") in query_calls

    def test_no_room_calls_another(self, query_calls: Calls) -> None:
        assert not room_to_room(query_calls)

    def test_rooms_call_nothing_but_the_floor_and_what_they_are_given(self, query_calls: Calls) -> None:
        assert outward(query_calls) <= GIVEN

    def test_adapters_call_nothing_but_the_floor(self, query_calls: Calls) -> None:
        assert not {(a, b) for a, b in query_calls if a in ADAPTERS and b not in FLOOR}


def room_to_room(calls: Calls) -> Calls:
    return {(caller, callee) for caller, callee in calls if caller in ROOMS and callee in ROOMS}


def outward(calls: Calls) -> Calls:
    return {(a, b) for a, b in calls if a in ROOMS and b not in (*FLOOR, *ROOMS)}


def test_the_tracer_sees_a_call_from_room_to_room() -> None:
    from saidonce.documents import salience
    from saidonce.foundation import text

    def calling() -> None:
        salience.first(Kind.PARAGRAPH, "some words", 0, 1)

    assert traced(calling) == {("salience", "text")}
    assert room_to_room({("salience", "facts"), ("ingest", "facts"), ("salience", "text")}) == {("salience", "facts")}
    assert text.words("some words") == ["some", "words"]
