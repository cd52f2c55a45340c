"""Joined lines keep the second at which each of them begins."""

from __future__ import annotations

from dataclasses import replace

import pytest

from saidonce.documents.parse import parse
from saidonce.documents.segment import segment
from saidonce.foundation.model import Document, Element, Kind, LineStart, MediaPlace, Segment
from saidonce.foundation.settings.policy import SEGMENT_POLICIES, SegmentStyle

MEETING = """1
00:00:04,000 --> 00:00:06,000
Good morning, everybody.

2
00:00:06,500 --> 00:00:10,000
The boiler was checked last week.

3
00:01:02,250 --> 00:01:07,000
The water is switched off on Friday from nine to twelve.
"""


def segments(document: Document, style: SegmentStyle = SegmentStyle.PARAGRAPH) -> tuple[Segment, ...]:
    policy = SEGMENT_POLICIES[style]
    return segment(document, "d", policy, lambda texts: [len(text.split()) for text in texts])


def place_of(one: Segment) -> MediaPlace:
    assert one.place is not None
    return one.place


def test_each_line_of_a_joined_segment_has_its_second() -> None:
    (whole,) = segments(parse("meeting.srt", MEETING.encode()))
    place = place_of(whole)
    assert (place.start_s, place.end_s) == (4.0, 67.0)
    heard = {whole.text[line.offset :].split("\n")[0]: line.start_s for line in place.lines}
    assert heard == {
        "Good morning, everybody.": 4.0,
        "The boiler was checked last week.": 6.5,
        "The water is switched off on Friday from nine to twelve.": 62.25,
    }


def test_a_line_of_its_own_needs_no_list() -> None:
    style = SegmentStyle.WHOLE
    assert [place_of(one).lines for one in segments(parse("meeting.srt", MEETING.encode()), style)] == [(), (), ()]


def test_lines_of_two_speakers_are_two_segments_with_lines_of_their_own() -> None:
    cues = [("Ada", 1, "Is the lift working?"), ("Ben", 4, "Not yet."), ("Ben", 6, "On Monday, perhaps.")]
    body = "".join(f"\n00:00:0{at}.000 --> 00:00:0{at + 1}.000\n<v {who}>{words}\n" for who, at, words in cues)
    one, two = segments(parse("talk.vtt", f"WEBVTT\n{body}".encode()))
    assert (place_of(one).lines, place_of(one).start_s) == ((), 1.0)
    assert place_of(two).lines == (LineStart(0, 4.0), LineStart(9, 6.0))


def test_words_of_one_moment_have_no_lines() -> None:
    place = MediaPlace(1, (0.1, 0.1, 0.2, 0.2), 3.0, 3.0, 0.9)
    elements = tuple(Element(Kind.FRAME, words, place=place) for words in ("Exit", "Stairs"))
    (whole,) = segments(Document("t", "video", elements))
    assert place_of(whole).lines == ()


@pytest.mark.parametrize(("offset", "start_s"), [(0, 4.0), (8, 4.0), (9, 6.0), (100, 6.0)])
def test_a_place_from_a_character_on_begins_with_its_line(offset: int, start_s: float) -> None:
    place = MediaPlace(start_s=4.0, end_s=9.0, lines=(LineStart(0, 4.0), LineStart(9, 6.0)))
    assert place.from_offset(offset) == MediaPlace(start_s=start_s, end_s=9.0)
    assert replace(place, lines=()).from_offset(offset) == MediaPlace(start_s=4.0, end_s=9.0)
