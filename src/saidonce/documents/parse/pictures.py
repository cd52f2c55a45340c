"""Parse pictures: their words, with the page and the box of each."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from PIL import Image, ImageOps, UnidentifiedImageError

from saidonce.documents.parse.draft import DocumentDraft
from saidonce.documents.parse.marks import mark_of_picture
from saidonce.documents.parse.recognisers import MIN_SCORE, PICTURES, recogniser_of
from saidonce.documents.parse.source import NamedBytes
from saidonce.errors import ModelUnavailableError, Refusal, SourceRefusedError
from saidonce.foundation.model import Kind, MediaPlace, PagePicture
from saidonce.foundation.ports.recognition import Recognised, Recogniser

_UNKNOWN = "it is no picture of a known kind; save it as PNG or JPEG"
PREVIEW_SIDE = 1400
"""Longest side of a picture as pages show it, in pixels."""

MIN_SIDE = 64
"""Smaller pictures inside documents are ornaments, bullets and icons."""

SURE_ENOUGH = 0.8
"""Mean confidence from which a picture counts as upright."""

_LINE_GAP = 0.9
"""Lines of one paragraph lie no farther apart than this share of their height."""

_WORD_GAP = 2.0
"""Parts of one line lie no farther apart than this many times their height."""


def read(source: NamedBytes) -> DocumentDraft:
    """Read the words of a picture, page by page if it has several."""
    recogniser = recogniser_of(PICTURES, source)
    draft = DocumentDraft(source)
    n_pages = 0
    has_pages = has_several(source)
    for picture in pages_of(source):
        n_pages += 1
        check_count(n_pages, source)
        read_picture(picture, draft, recogniser, page=n_pages if has_pages else None)
    draft.n_pages = n_pages
    if not draft.elements:
        raise source.refuse(Refusal.NO_TEXT, "no words are recognised in it; a larger or sharper picture may help")
    return draft


def check_count(n_pictures: int, source: NamedBytes) -> None:
    """Refuse a source with too many pictures.

    Raises:
        SourceRefusedError: it has more than the limit.
    """
    most = source.limits.max_pictures
    if n_pictures > most:
        raise source.refuse(
            Refusal.TOO_LARGE,
            f"it has more than {most} pages that are pictures; split it, or raise the setting recognise_max_pictures",
        )


def pages_of(source: NamedBytes) -> Iterator[Image.Image]:
    """Yield the pictures of a file, upright and without transparency.

    Raises:
        SourceRefusedError: it is damaged, of an unknown kind, or has too many pixels.
    """
    with _opened(source) as opened:
        for number in range(_n_pages(opened)):
            opened.seek(number)
            check_pixels(opened.width, opened.height, source)
            yield upright(opened)


def has_several(source: NamedBytes) -> bool:
    """Return whether a file has several pages; a photo has no page numbers.

    Raises:
        SourceRefusedError: it is damaged, or of an unknown kind.
    """
    with _opened(source) as opened:
        return _n_pages(opened) > 1


@contextmanager
def _opened(source: NamedBytes) -> Iterator[Image.Image]:
    try:
        with Image.open(io.BytesIO(source.content)) as opened:
            yield opened
    except SourceRefusedError:
        raise
    except (UnidentifiedImageError, Image.DecompressionBombError) as bad:
        raise source.refuse(Refusal.UNSUPPORTED, _UNKNOWN) from bad
    except (OSError, ValueError, SyntaxError, EOFError) as bad:
        raise source.refuse(Refusal.CORRUPT, f"the picture cannot be decoded: {bad}"[:200]) from bad


def _n_pages(opened: Image.Image) -> int:
    is_animated = opened.format in ("GIF", "WEBP", "PNG")
    return 1 if is_animated else int(getattr(opened, "n_frames", 1))


def check_pixels(width: int, height: int, source: NamedBytes) -> None:
    """Refuse a picture with too many pixels, before they are decoded.

    Raises:
        SourceRefusedError: it has more than the limit.
    """
    most = source.limits.max_megapixels
    if width * height > most * 1_000_000:
        detail = f"it has {width} x {height} pixels; at most {most} million are read (setting recognise_max_megapixels)"
        raise source.refuse(Refusal.TOO_LARGE, detail)


def upright(picture: Image.Image) -> Image.Image:
    """Return a picture rotated by its metadata, on white where it is transparent."""
    turned = ImageOps.exif_transpose(picture)
    if "transparency" in turned.info or turned.mode in ("RGBA", "LA", "PA"):
        full = turned.convert("RGBA")
        white = Image.new("RGBA", full.size, "white")
        white.alpha_composite(full)
        turned = white
    return turned.convert("RGB")


def read_picture(
    picture: Image.Image,
    draft: DocumentDraft,
    recogniser: Recogniser,
    page: int | None = None,
    kind: Kind = Kind.IMAGE_TEXT,
    start_s: float | None = None,
) -> int:
    """Add the words of one picture, and the picture itself if it has any; return the number of paragraphs.

    Raises:
        SourceRefusedError: the recogniser failed.
    """
    try:
        picture, lines = _upright_lines(picture, recogniser)
    except ModelUnavailableError as failed:
        raise draft.source.refuse(Refusal.FAILED, str(failed)) from failed
    clear = [line for line in lines if line.confidence >= MIN_SCORE]
    if len(clear) < len(lines):
        draft.warn("words with a low recognition confidence were left out" + (f", page {page}" if page else ""))
    if not clear:
        return 0
    number = len(draft.pictures) + 1
    draft.pictures.append(PagePicture(number, preview(picture), mark_of_picture(picture)))
    paragraphs = _paragraphs(clear)
    for paragraph in paragraphs:
        surely = min(line.confidence for line in paragraph.lines)
        place = MediaPlace(number, paragraph.box, start_s, start_s, surely, by=recogniser.name)
        draft.recognised(kind, paragraph.text, place, page)
    return len(paragraphs)


def _upright_lines(picture: Image.Image, recogniser: Recogniser) -> tuple[Image.Image, Sequence[Recognised]]:
    """Return a picture's lines, and the picture in the rotation with the highest confidence.

    A picture that reads well as it is, or not at all, is not rotated: each try costs as much as the first.
    """
    lines = recogniser.recognise(_png(picture), "image/png")
    n_tall = sum(_is_tall(line, picture) for line in lines)
    is_sideways = 2 * n_tall > len(lines)
    n_letters = sum(len(line.text.replace(" ", "")) for line in lines)
    if not n_letters or (not is_sideways and _confidence(lines) >= SURE_ENOUGH * n_letters):
        return picture, lines
    ways = (Image.Transpose.ROTATE_90, Image.Transpose.ROTATE_270) if is_sideways else (Image.Transpose.ROTATE_180,)
    best = (picture, lines)
    for way in ways:
        turned = picture.transpose(way)
        read_so = recogniser.recognise(_png(turned), "image/png")
        if _confidence(read_so) > _confidence(best[1]) or (is_sideways and best[0] is picture):
            best = (turned, read_so)
    return best


def _confidence(lines: Sequence[Recognised]) -> float:
    return sum(line.confidence * len(line.text.replace(" ", "")) for line in lines)


def _is_tall(line: Recognised, picture: Image.Image) -> bool:
    if len(line.text) < 3 or not line.box:
        return False
    return (line.box[3] - line.box[1]) * picture.height > 1.5 * (line.box[2] - line.box[0]) * picture.width


def _png(picture: Image.Image) -> bytes:
    out = io.BytesIO()
    picture.save(out, "PNG", compress_level=1)
    return out.getvalue()


def preview(picture: Image.Image) -> bytes:
    """Return a preview of a picture: a JPEG of limited size, without metadata."""
    small = picture.copy()
    small.thumbnail((PREVIEW_SIDE, PREVIEW_SIDE), Image.Resampling.LANCZOS)
    out = io.BytesIO()
    small.save(out, "JPEG", quality=72, optimize=True)
    return out.getvalue()


def read_embedded(files: Iterable[tuple[str, bytes]], draft: DocumentDraft) -> None:
    """Add the words of pictures inside a document under their own heading; an unreadable picture is a warning.

    Args:
        files: names and contents, in the order of the document.
    """
    recogniser = recogniser_of(PICTURES, draft.source)
    n_before = len(draft.elements)
    draft.heading("Words in pictures", 1)
    for number, (name, content) in enumerate(files, 1):
        if number > draft.source.limits.max_pictures:
            draft.warn(f"pictures after the first {number - 1} were not read (setting recognise_max_pictures)")
            break
        _embedded(NamedBytes(name, content, draft.source.limits), draft, recogniser)
    if len(draft.elements) == n_before + 1:
        draft.elements.pop()


def _embedded(source: NamedBytes, draft: DocumentDraft, recogniser: Recogniser) -> None:
    try:
        picture = next(pages_of(source))
    except SourceRefusedError as refused:
        draft.warn(f"picture {source.name!r} was not read: {refused.detail}")
        return
    if min(picture.size) >= MIN_SIDE:
        read_picture(picture, draft, recogniser)


@dataclass(frozen=True, slots=True)
class _Line:
    """A recognised line, with its box in the deskewed picture."""

    words: Recognised
    box: tuple[float, ...]


@dataclass(slots=True)
class _Paragraph:
    """Lines that belong together, in reading order; `rows` are lines side by side."""

    rows: list[list[_Line]] = field(default_factory=list)

    @property
    def lines(self) -> list[Recognised]:
        return [line.words for row in self.rows for line in row]

    @property
    def box(self) -> tuple[float, ...]:
        """The box around its lines in the original picture."""
        return _around([line.box for line in self.lines])

    @property
    def level(self) -> tuple[float, ...]:
        """The box around its lines in the deskewed picture."""
        return _around([line.box for row in self.rows for line in row])

    @property
    def text(self) -> str:
        return "\n".join(" ".join(line.words.text for line in row) for row in self.rows)


def _paragraphs(lines: Sequence[Recognised]) -> list[_Paragraph]:
    """Join lines to paragraphs: parts of one line, then lines below each other; columns stay separate."""
    rows: list[list[_Line]] = []
    for line in sorted(_deskewed(lines), key=lambda one: (one.box[0], one.box[1], one.words.text)):
        row = next((row for row in rows if _continues(row[-1].box, line.box)), None)
        if row is None:
            rows.append([line])
        else:
            row.append(line)
    paragraphs: list[_Paragraph] = []
    for row in sorted(rows, key=lambda one: (_row_box(one)[1], _row_box(one)[0])):
        above = [p for p in paragraphs if _is_below(_row_box(p.rows[-1]), _row_box(row))]
        if above:
            nearest = max(above, key=lambda p: _row_box(p.rows[-1])[3])
            nearest.rows.append(row)
        else:
            paragraphs.append(_Paragraph([row]))
    without = [_Paragraph([[_Line(line, ())]]) for line in lines if not line.box]
    return [*_in_reading_order(paragraphs), *without]


def _deskewed(lines: Sequence[Recognised]) -> list[_Line]:
    """Return the lines that have a box, deskewed by the median slope."""
    slopes = sorted((line.slope, line.box[2] - line.box[0]) for line in lines if line.box)
    half = sum(width for _, width in slopes) / 2
    slope, passed = 0.0, 0.0
    for each, width in slopes:
        slope, passed = each, passed + width
        if passed >= half:
            break
    levelled = []
    for line in lines:
        if line.box:
            left, top, right, bottom = line.box
            sunk = slope * ((left + right) / 2 - 0.5)
            lean = min(abs(line.slope) * (right - left), 0.8 * (bottom - top)) / 2
            levelled.append(_Line(line, (left, top + lean - sunk, right, bottom - lean - sunk)))
    return levelled


def _row_box(row: Sequence[_Line]) -> tuple[float, ...]:
    return _around([line.box for line in row])


def _around(boxes: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
    if not all(boxes):
        return ()
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return (min(lefts), min(tops), max(rights), max(bottoms))


def _continues(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    """Return whether line b continues line a on its right."""
    height = min(a[3] - a[1], b[3] - b[1])
    overlap = min(a[3], b[3]) - max(a[1], b[1])
    gap = b[0] - a[2]
    return overlap > 0.6 * height and -0.5 * height <= gap <= _WORD_GAP * height


def _is_below(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    """Return whether line b continues a paragraph that ends with line a."""
    heights = sorted((a[3] - a[1], b[3] - b[1]))
    gap = b[1] - a[3]
    beside = min(a[2], b[2]) - max(a[0], b[0])
    return (
        -0.5 * heights[0] <= gap <= _LINE_GAP * heights[0]
        and beside > 0.3 * min(a[2] - a[0], b[2] - b[0])
        and heights[1] <= 1.7 * heights[0]
    )


def _in_reading_order(paragraphs: list[_Paragraph]) -> list[_Paragraph]:
    """Order paragraphs from top to bottom; adjacent columns from left to right.

    Split the page at the first horizontal gap, or else at a vertical one.
    """
    if len(paragraphs) < 2:
        return paragraphs
    for axis in (1, 0):
        ordered = sorted(paragraphs, key=lambda p: (p.level[axis], p.level[1 - axis]))
        reach = ordered[0].level[axis + 2]
        for at, paragraph in enumerate(ordered[1:], 1):
            if paragraph.level[axis] >= reach:
                return [*_in_reading_order(ordered[:at]), *_in_reading_order(ordered[at:])]
            reach = max(reach, paragraph.level[axis + 2])
    return sorted(paragraphs, key=lambda p: (p.level[1], p.level[0]))
