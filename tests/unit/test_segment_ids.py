"""Ids of segments: the same at every ingest, and each once in a document."""

from __future__ import annotations

from saidonce.foundation.model import Kind
from saidonce.foundation.segment_ids import SegmentIds

WORDS = "Close the valve."


def test_equal_segments_are_numbered_as_they_come() -> None:
    ids = [SegmentIds("d").new(Kind.PARAGRAPH, (), WORDS) for _ in range(2)]
    assert ids[0] == ids[1]
    several = SegmentIds("d")
    first, second, third = (several.new(Kind.PARAGRAPH, (), WORDS) for _ in range(3))
    assert first == ids[0]
    assert len({first, second, third}) == 3


def test_an_id_is_of_a_document_a_place_and_a_kind() -> None:
    made = {
        SegmentIds(document).new(kind, path, WORDS)
        for document in "de"
        for path in ((), ("Valves",))
        for kind in (Kind.PARAGRAPH, Kind.LIST)
    }
    assert len(made) == 8


def test_an_id_that_another_segment_has_is_passed_over() -> None:
    every = SegmentIds("d")
    first, second, third = (every.new(Kind.LIST, (), WORDS) for _ in range(3))
    left = SegmentIds("d", taken=[first, third])
    assert left.new(Kind.LIST, (), WORDS) == second
    assert left.new(Kind.LIST, (), WORDS) not in {first, second, third}
