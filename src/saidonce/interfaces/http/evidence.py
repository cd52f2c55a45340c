"""Evidence that is seen or heard: the picture that a text was read in, the recording that it was heard in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fastapi import APIRouter, Request, Response

from saidonce.errors import NotFoundError
from saidonce.foundation.model import MediaPlace, Original, Scope
from saidonce.foundation.ports import SegmentHistory, Store
from saidonce.interfaces.http.site import authorise
from saidonce.kb.near_copies import NearCopy, near_copies

evidence = APIRouter(include_in_schema=False)

_RANGE = re.compile(r"bytes=(\d{0,15})-(\d{0,15})")
_SHOWN = ("image/jpeg",)
"""Pictures are shown as a parser made them anew; those of strangers are downloaded."""


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line of what is heard, with the second at which it begins; `is_played`: the player stands there."""

    text: str
    start_s: float
    is_played: bool


@dataclass(frozen=True, slots=True)
class ShownEvidence:
    """What a page shows of a text's evidence.

    Attributes:
        segment_id: names the routes of the picture and the original.
        place: of a text of several lines, from the line that is played.
        has_picture: whether a picture is kept, in which the text is marked by the place's box.
        player: "audio" or "video" if a recording is kept, else empty.
        fragment: the seconds for the player, such as #t=62,65.5.
        has_original: whether the source itself is kept, to be downloaded.
        twins: documents with a picture or a recording that looks or sounds alike.
        lines: of a text that is heard line by line; otherwise empty.
    """

    segment_id: str
    place: MediaPlace
    has_picture: bool
    player: str
    fragment: str
    has_original: bool
    twins: tuple[NearCopy, ...]
    lines: tuple[ShownLine, ...] = ()


def evidence_of(
    store: Store, histories: tuple[SegmentHistory, ...], at: float | None = None, quote: str = ""
) -> ShownEvidence | None:
    """Return what is kept of the present version of a text; None for text that is neither seen nor heard.

    Args:
        store: with the originals.
        histories: accounts of the segment by version.
        at: the second of a line from which it is played; the beginning of the text by default.
        quote: words of the text from whose line it is played, instead of `at`.
    """
    live = next((h for h in reversed(histories) if h.live), None)
    place = live.segment.place if live is not None else None
    if live is None or place is None or place.is_quoted:
        return None
    content, whole = live.segment.text, place
    offset = content.replace("\n", " ").find(quote.replace("\n", " ")) if quote and quote != content else -1
    if offset < 0:
        offset = whole.offset_of(at)
    place = whole.from_offset(offset)
    sha256 = live.document.fingerprint
    original = store.originals.get(sha256, 0)
    picture = store.originals.get(sha256, place.picture) if place.picture else None
    kind = original.mime.partition("/")[0] if original is not None and original.content else ""
    player = kind if kind in ("audio", "video") and place.start_s is not None else ""
    ends = "" if place.end_s is None or place.end_s == place.start_s else f",{_seconds(place.end_s)}"
    return ShownEvidence(
        live.segment.id, place, picture is not None and bool(picture.content), player,
        f"#t={_seconds(place.start_s)}{ends}" if place.start_s is not None else "", bool(kind),
        near_copies(store, sha256, place.picture), tuple(_lines(content, whole, offset)),
    )  # fmt: skip


def _seconds(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")


def _lines(content: str, whole: MediaPlace, offset: int) -> Iterator[ShownLine]:
    for line, heard in whole.lines_of(content):
        is_played = line.offset <= offset < line.offset + len(heard)
        yield ShownLine(heard.strip(), line.start_s, is_played)


@evidence.get("/evidence/{segment_id}/picture")
def picture(request: Request, segment_id: str) -> Response:
    """Return the picture that a text was read in, as a parser made it anew."""
    caller = authorise(request, Scope.READ)
    return _answer(request, _original_of(caller.base.store, segment_id, is_picture=True), segment_id)


@evidence.get("/evidence/{segment_id}/original")
def original(request: Request, segment_id: str) -> Response:
    """Return the source of a text: a recording is played, anything else downloaded."""
    caller = authorise(request, Scope.READ)
    return _answer(request, _original_of(caller.base.store, segment_id, is_picture=False), segment_id)


def _original_of(store: Store, segment_id: str, *, is_picture: bool) -> Original:
    live = next((h for h in reversed(store.history(segment_id)) if h.live), None)
    place = live.segment.place if live is not None else None
    if live is None or place is None or (is_picture and not place.picture):
        raise NotFoundError("evidence", segment_id[:64])
    kept = store.originals.get(live.document.fingerprint, place.picture if is_picture else 0)
    if kept is None or not kept.content:
        raise NotFoundError("evidence", segment_id[:64], "it is not kept (setting originals_mb)")
    return kept


def _answer(request: Request, kept: Original, segment_id: str) -> Response:
    """Return a file or the asked part of it; players ask for parts to reach a second."""
    is_shown = kept.mime.startswith(("audio/", "video/")) or (kept.part > 0 and kept.mime in _SHOWN)
    headers = {
        "Content-Security-Policy": "default-src 'none'; sandbox", "Cache-Control": "private, max-age=3600",
        "Accept-Ranges": "bytes",
    }  # fmt: skip
    if not is_shown:
        headers["Content-Disposition"] = f'attachment; filename="{segment_id[:16]}"'
    mime = kept.mime if is_shown else "application/octet-stream"
    size = len(kept.content)
    byte_range = _RANGE.fullmatch(request.headers.get("range", ""))
    if byte_range is None or not any(byte_range.groups()):
        return Response(kept.content, media_type=mime, headers=headers)
    first, last = _bounds(byte_range.group(1), byte_range.group(2), size)
    if first > last:
        return Response(status_code=416, headers={"Content-Range": f"bytes */{size}"})
    headers["Content-Range"] = f"bytes {first}-{last}/{size}"
    return Response(kept.content[first : last + 1], 206, media_type=mime, headers=headers)


def _bounds(first: str, last: str, size: int) -> tuple[int, int]:
    """Return the first and the last byte of a range; '-500' asks for the last 500."""
    if not first:
        return max(0, size - int(last)), size - 1
    return int(first), min(int(last), size - 1) if last else size - 1
