"""Cut a segment in two, or join two, after a document was segmented; what is cut stays word for word."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace

from saidonce.foundation import text
from saidonce.foundation.model import UNKNOWN_LANGUAGE, Element, Kind, Segment
from saidonce.foundation.segment_ids import SegmentIds

_POINT = re.compile(r"^[ \t]*(?:[-*+\u2022]|\d{1,3}[.)])[ \t]+", re.MULTILINE)
"""The mark in front of a point of a list."""

_APART = re.compile(r"\n{2,}")
"""What stands between a list and the paragraph that it was joined with."""


_ENDED = re.compile(r"[.!?\u3002\uff01\uff1f]['\"\u2019\u201d\u00bb)\]*_]*$")
"""How a sentence ends; a line that merely ends is none."""


def cuts(whole: str) -> Iterator[tuple[str, str]]:
    """Yield the two parts of a passage for each place where it may be cut, the last place first.

    That is between the paragraphs and lists that it was joined of, but not behind a line that leads to the next one,
    and, where it has no points, at the ends of its sentences.
    """
    places = {(hit.start(), hit.end()) for hit in _APART.finditer(whole)}
    if not _POINT.search(whole):
        starts = [sentence.start for sentence in text.sentences(whole)[1:]]
        ends = ((len(whole[:start].rstrip()), start) for start in starts)
        places |= {(end, start) for end, start in ends if _ENDED.search(whole[:end])}
    for end, start in sorted(places, reverse=True):
        if not whole[:end].endswith((":", "\uff1a")):
            yield whole[:end], whole[start:]


def part_of(segment: Segment, part: str) -> Segment:
    """Return a part of a segment as one that stands where it does; its id and its tokens are still to be made."""
    kind = Kind.LIST if _POINT.search(part) else Kind.PARAGRAPH
    return _stating(replace(segment, kind=kind), part)


def joined(first: Segment, second: Segment) -> Segment:
    """Return two segments as one, of the kind of the longer one; its id and its tokens are still to be made."""
    whole = f"{first.text}\n\n{second.text}"
    longer = max(first, second, key=lambda s: s.n_tokens)
    return _stating(replace(first, kind=longer.kind), whole)


def renumbered(segments: Sequence[Segment], document_id: str, n_tokens: Sequence[int]) -> tuple[Segment, ...]:
    """Return the segments of a document in their order, with ids for those that have none, and their tokens."""
    ids = SegmentIds(document_id, (s.id for s in segments if s.id))
    return tuple(
        replace(s, id=s.id or ids.new(s.kind, s.heading_path, s.text), ordinal=ordinal, n_tokens=n)
        for ordinal, (s, n) in enumerate(zip(segments, n_tokens, strict=True))
    )


def on_their_pages(
    segments: Sequence[Segment], new: Container[str], elements: Sequence[Element]
) -> tuple[Segment, ...]:
    """Return segments, each of the new ones with the page of the first element that has its first line.

    What was joined before it was cut may begin on one page and end on the next one.

    Args:
        segments: of one document.
        new: ids of those that were cut or joined; each has the page on which the segment began that it was cut from.
        elements: of the document, in reading order.
    """
    return tuple(replace(s, page=_page_of(s, elements)) if s.id in new else s for s in segments)


def _page_of(of: Segment, elements: Sequence[Element]) -> int | None:
    first_line = of.text.partition("\n")[0]
    if of.page is None:
        return None
    behind = (e for e in elements if e.page is not None and e.page >= of.page)
    return next((e.page for e in behind if first_line in e.text), of.page)


def _stating(of: Segment, written: str) -> Segment:
    detected = text.language(written)
    language = of.language if detected == UNKNOWN_LANGUAGE else detected
    return replace(of, id="", text=written, content_hash=text.content_hash(written), language=language)
