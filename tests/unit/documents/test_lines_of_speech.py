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


def heard(name: str, text: str) -> list[tuple[float | None, str, str]]:
    """The second, the speaker and the words of each cue."""
    elements = parse(name, text.encode()).elements
    return [(e.place.start_s, e.place.speaker, e.text) for e in elements if e.place is not None]


def test_times_written_with_single_digits_lose_no_cue() -> None:
    cues = "1\n0:0:1,5 --> 0:0:3,25\nShort times.\n\n2\n0:01:5.000 --> 0:01:06.000\nDots.\n"
    assert heard("a.srt", cues) == [(1.5, "", "Short times."), (65.0, "", "Dots.")]


def test_cues_without_an_empty_line_between_them_are_cues_all_the_same() -> None:
    texts = ("First.", "Call 3\n112", "Last.")
    cues = [f"{n}\n00:00:0{2 * n - 1},000 --> 00:00:0{2 * n},000\n{text}" for n, text in enumerate(texts, 1)]
    assert heard("a.srt", "\n".join(cues)) == [(1.0, "", "First."), (3.0, "", "Call 3 112"), (5.0, "", "Last.")]
    bare = "WEBVTT\n\n00:01.000 --> 00:02.000\nFirst.\n00:03.000 --> 00:04.000\nSecond."
    assert heard("a.vtt", bare) == [(1.0, "", "First."), (3.0, "", "Second.")]


def test_two_voices_of_a_cue_are_not_one() -> None:
    cues = (
        "WEBVTT\n\n00:01.000 --> 00:04.000\n<v Ada>The boiler is <i>checked</i> in March.</v>\n<v Bo Two>By whom?</v>\n"
    )
    assert heard("a.vtt", cues) == [(1.0, "Ada", "The boiler is checked in March."), (1.0, "Bo Two", "By whom?")]
    before = "WEBVTT\n\n00:01.000 --> 00:04.000\nListen: <v Ada>It leaks.\n"
    assert heard("a.vtt", before) == [(1.0, "", "Listen:"), (1.0, "Ada", "It leaks.")]


def test_subtitles_of_youtube_have_their_seconds() -> None:
    cues = "0:00:01.000,0:00:04.000\nThe pump stands in the cellar.\n\n1:00:05.000,1:00:07.000\nTurn it off.\n"
    assert heard("a.sbv", cues) == [(1.0, "", "The pump stands in the cellar."), (3605.0, "", "Turn it off.")]
