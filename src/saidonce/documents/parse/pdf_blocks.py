"""Correct the blocks of a PDF's layout by the places of their words: lists, wrapped cells, code, cells side by side."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Any

LEVEL = 0.4
"""Difference in height, in heights, up to which pieces are on one line."""

INDENT = 1.2
"""Step to the right of an item's text, in heights, from which a line is an item below it."""

GAP = 2.0
"""Gap between pieces of a line, in heights, from which they are cells."""

LARGER = 1.25
"""Size of a title, in sizes of the table that the layout counts it to."""

BELOW = 1.6
"""Step to the line right below, in heights, at most."""

_ENDS = re.compile(r"[.!?:;\u3002\uff01\uff1f\u2026][\"'\u201d\u2019)\]]*$")
SMALL = 0.9
"""Height of a raised figure, in heights of the word before it, at most."""

_MARK = re.compile(r"\d{1,3}")
_LAST_WORD = re.compile(r"[^\W_]+$")
_CLOSING = ",;:.!?)"
PARAGRAPH = 1.45
"""Step to the next line, in the usual ones, from which it begins another paragraph."""

HALF = 0.85
"""Distance of a wrapped line from the middle of its row, in steps of lines, below which rows are aligned by middles."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table."""

    text: str


@dataclass(frozen=True, slots=True)
class PageBlock:
    """A corrected block, with the attributes of those of the layout."""

    kind: str
    text: str = ""
    level: int | None = None
    marker: str | None = None
    ordered: bool = False
    lines: list[str] | None = None
    header: list[Cell] = field(default_factory=list)
    rows: list[list[Cell]] = field(default_factory=list)
    bbox: None = None


@dataclass(frozen=True, slots=True)
class _PageLine:
    """The pieces of one line, from left to right."""

    pieces: tuple[Any, ...]

    @property
    def left(self) -> float:
        return float(self.pieces[0].x)

    @property
    def right(self) -> float:
        return max(float(piece.x + piece.width) for piece in self.pieces)

    @property
    def middle(self) -> float:
        return float(self.pieces[0].y + self.pieces[0].height / 2)

    @property
    def height(self) -> float:
        return max(float(piece.height) for piece in self.pieces)

    @property
    def text(self) -> str:
        return " ".join(piece.text.strip() for piece in self.pieces)


def corrected(blocks: Iterable[Any], pieces: Sequence[Any]) -> list[Any]:
    """Return the blocks of a page, corrected where the places of its pieces of text say so.

    Args:
        pieces: the pieces of text of the page, with their places.
    """
    upright = [piece for piece in pieces if not piece.rotation and piece.text.strip()]
    edge = max((float(piece.x + piece.width) for piece in upright), default=0.0)
    done: list[Any] = []
    before: list[_PageLine] = []
    for block in blocks:
        lines = _lines(block, upright)
        last, before = before, lines if block.kind == "paragraph" else []
        if not lines or block.bbox is None:
            done.append(block)
        elif last and before and _goes_on(last, lines, edge, (done[-1].text or "", block.text or "")):
            done[-1] = PageBlock("paragraph", f"{done[-1].text} {block.text}")
        elif block.kind == "heading":
            done += _headings(block, lines[0], upright)
        elif block.kind == "list_item":
            done += _item(block, lines, edge)
        elif block.kind == "table":
            done += _table(block, lines)
        elif block.kind == "code" and len(lines) == len(block.lines or ()):
            done.append(PageBlock("code", lines=_indented(lines)))
        elif block.kind == "paragraph" and _is_of_cells(lines):
            head = last[-1:] if last and _is_of_cells([last[-1], lines[0]], aligned=False) else []
            if head:
                done[-1:] = [PageBlock("paragraph", " ".join(line.text for line in last[:-1]))] if last[:-1] else []
            rows = [[Cell(piece.text) for piece in line.pieces] for line in (*head, *lines)]
            done.append(PageBlock("table", rows=rows))
        else:
            done.append(block)
    torn = _torn(upright)
    return [_marked(block, torn) for block in done] if torn else done


def _marked(block: Any, torn: Mapping[str, str]) -> Any:
    """Return a block of running text with its raised figures at their words; any other block as it is."""
    text = block.text or ""
    if block.kind not in ("paragraph", "heading", "list_item") or (right := _with_marks(text, torn)) == text:
        return block
    return PageBlock(block.kind, right, block.level, block.marker, bool(block.ordered))


def _lines(block: Any, pieces: Iterable[Any]) -> list[_PageLine]:
    """Return the lines within a block, from top to bottom."""
    box = block.bbox
    if box is None:
        return []
    inside = [
        piece
        for piece in pieces
        if box.x - 2 <= piece.x <= box.x + box.width + 2
        and box.y - 2 <= piece.y + piece.height / 2 <= box.y + box.height + 2
    ]
    inside.sort(key=lambda piece: (piece.y + piece.height / 2, piece.x))
    lines: list[list[Any]] = []
    for piece in inside:
        middle = piece.y + piece.height / 2
        if lines and abs(lines[-1][0].y + lines[-1][0].height / 2 - middle) < LEVEL * piece.height:
            lines[-1].append(piece)
        else:
            lines.append([piece])
    return [_PageLine(tuple(sorted(line, key=lambda piece: float(piece.x)))) for line in lines]


def _goes_on(before: Sequence[_PageLine], lines: Sequence[_PageLine], edge: float, texts: tuple[str, str]) -> bool:
    """Return whether a paragraph goes on in the next one: right below, in lower case, and there was no room before."""
    last, first = before[-1], lines[0]
    is_below = 0 < first.middle - last.middle < BELOW * last.height and first.left < last.right
    is_open = not _ENDS.search(texts[0]) and texts[1][:1].islower()
    piece = first.pieces[0]
    word = piece.width * len(piece.text.split(" ")[0]) / max(len(piece.text), 1)
    return is_below and is_open and last.right + word + LEVEL * last.height > edge


def _headings(block: Any, line: _PageLine, pieces: Sequence[Any]) -> list[Any]:
    """Return a heading, or the two below one another that the layout took for one: the second begins elsewhere."""
    rest = (block.text or "").removeprefix(line.text).strip()
    if not rest or rest == (block.text or "").strip():
        return [block]
    second = next((piece for piece in pieces if piece.text.strip() == rest and piece.y > line.pieces[0].y), None)
    if second is None:
        return [block]
    far = 2 * line.height
    is_centred = abs(second.x + second.x + second.width - line.left - line.right) < 2 * far
    if is_centred or abs(second.x - line.left) < far:
        return [block]
    return [PageBlock("heading", text, block.level) for text in (line.text, rest)]


def _torn(pieces: Sequence[Any]) -> dict[str, str]:
    """Return words whose raised figures the layout tore off, mapped to their form: "m 2 ," is "m^2,"."""
    torn: dict[str, str] = {}
    for at, (word, mark) in enumerate(pairwise(pieces)):
        last, text = _LAST_WORD.search(word.text), mark.text.strip()
        is_small = mark.height < SMALL * word.height and mark.y < word.y
        touches = abs(mark.x - word.x - word.width) < LEVEL * word.height
        if last is None or not (is_small and touches and _MARK.fullmatch(text)):
            continue
        after = pieces[at + 2].text.lstrip()[:1] if at + 2 < len(pieces) else ""
        torn[f"{last.group()} {text}"] = f"{last.group()}^{text}"
        if after and after in _CLOSING:
            torn[f"{last.group()} {text} {after}"] = f"{last.group()}^{text}{after}"
    return torn


def _with_marks(text: str, torn: Mapping[str, str]) -> str:
    for apart in sorted(torn, key=len, reverse=True):
        if apart in text:
            text = re.sub(rf"(?<!\w){re.escape(apart)}(?!\w)", torn[apart].replace("\\", ""), text)
    return text


def _step(lines: Sequence[_PageLine]) -> float:
    steps = [b.middle - a.middle for a, b in pairwise(lines)]
    return median(steps) if steps else 0.0


def _item(block: Any, lines: Sequence[_PageLine], edge: float) -> Iterator[Any]:
    """Yield a list item, the items below it, and what stands further left than its mark as paragraphs.

    The item stays as the layout has it if all of its lines continue it.
    """
    first = lines[0]
    begin = _text_left(first, (block.marker or "").strip())
    out = next((at for at, line in enumerate(lines) if line.left < first.left - LEVEL * first.height), len(lines))
    deep = [line.left > begin + INDENT * first.height for line in lines[:out]]
    if out == len(lines) and not any(deep[1:]):
        yield block
        return
    own = next((at for at, is_deep in enumerate(deep) if is_deep and at), out)
    level = block.level or 0
    text = " ".join(line.text for line in lines[:own])
    mark = (block.marker or "").strip()
    yield PageBlock("list_item", text.removeprefix(mark).strip() if mark else text, level, block.marker, block.ordered)
    for text in _wrapped(lines[own:out], edge):
        yield PageBlock("list_item", text, level + 1 if level else 2)
    for group in _groups(lines[out:], _step(lines)):
        yield PageBlock("paragraph", "\n".join(_wrapped(group, edge)))


def _text_left(line: _PageLine, mark: str) -> float:
    """Return where the text of an item begins, behind its mark."""
    head = line.pieces[0]
    text = head.text.strip()
    if mark and text == mark and len(line.pieces) > 1:
        return float(line.pieces[1].x)
    share = (len(mark) + 1) / max(len(text), 1) if mark and text.startswith(mark) else 0.0
    return float(head.x + head.width * share)


def _wrapped(lines: Sequence[_PageLine], edge: float) -> list[str]:
    """Return lines as texts: a line continues the one before if its first word had no room there."""
    texts: list[str] = []
    for at, line in enumerate(lines):
        first = line.pieces[0]
        word = first.width * len(first.text.split(" ")[0]) / max(len(first.text), 1)
        if at and lines[at - 1].right + word + LEVEL * line.height > edge:
            texts[-1] += f" {line.text}"
        else:
            texts.append(line.text)
    return texts


def _groups(lines: Sequence[_PageLine], step: float) -> Iterator[list[_PageLine]]:
    held: list[_PageLine] = []
    for line in lines:
        if held and line.middle - held[-1].middle > PARAGRAPH * step:
            yield held
            held = []
        held.append(line)
    if held:
        yield held


def _indented(lines: Sequence[_PageLine]) -> list[str]:
    """Return lines of code with the spaces that their places stand for."""
    left = min(line.left for line in lines)
    widths = [piece.width / len(piece.text) for line in lines for piece in line.pieces if piece.text]
    letter = median(widths) or 1.0
    shown = []
    for line in lines:
        text = ""
        for piece in line.pieces:
            column = round((piece.x - left) / letter)
            text += " " * max(column - len(text), 1 if text else 0) + piece.text
        shown.append(text)
    return shown


def _is_of_cells(lines: Sequence[_PageLine], *, aligned: bool = True) -> bool:
    """Return whether all lines are rows of as many cells, far apart and below one another; none goes on in another.

    Args:
        aligned: whether the cells have to begin at the same place.
    """
    count = len(lines[0].pieces)
    if len(lines) < 2 or count < 2 or any(len(line.pieces) != count for line in lines):
        return False
    apart = all(b.x - a.x - a.width > GAP * a.height for line in lines for a, b in pairwise(line.pieces))
    below = not aligned or all(
        abs(a.x - b.x) < a.height for x, y in pairwise(lines) for a, b in zip(x.pieces, y.pieces, strict=True)
    )
    goes_on = any(piece.text[:1].islower() for line in lines[1:] for piece in line.pieces)
    return apart and below and not goes_on


def _table(block: Any, lines: Sequence[_PageLine]) -> Iterator[Any]:
    """Yield the titles that the layout took for rows of a table, and the table with wrapped cells in their rows."""
    usual = median(float(piece.font_size or 0) for line in lines for piece in line.pieces)
    n_titles = next(
        (at for at, line in enumerate(lines) if any(piece.font_size <= LARGER * usual for piece in line.pieces)), 0
    )
    rows = [row for row in [block.header or [], *(block.rows or [])] if any(cell.text.strip() for cell in row)]
    titles = [line.text for line in lines[:n_titles]]
    while titles and rows and " ".join(cell.text.strip() for cell in rows[0] if cell.text.strip()) == titles[0]:
        yield PageBlock("heading", titles.pop(0), 1)
        rows = rows[1:]
    if titles:
        yield block
        return
    columns = _columns(rows)
    regrouped = _by_middles(lines[n_titles:], columns) if columns else []
    if regrouped:
        yield PageBlock("table", rows=[[Cell(text) for text in row] for row in regrouped])
    elif n_titles:
        yield PageBlock("table", rows=[[Cell(cell.text) for cell in row] for row in rows])
    else:
        yield block


def _columns(rows: Sequence[Sequence[Any]]) -> list[float]:
    """Return the left edges of the columns; none if the rows differ in their number."""
    width = max((len(row) for row in rows), default=0)
    edges: list[list[float]] = [[] for _ in range(width)]
    for row in rows:
        if len(row) != width:
            return []
        for at, cell in enumerate(row):
            if cell.text.strip() and cell.bbox is not None:
                edges[at].append(float(cell.bbox.x))
    return [min(edge) for edge in edges] if all(edges) else []


def _column_of(piece: Any, columns: Sequence[float]) -> int:
    return max((at for at, left in enumerate(columns) if piece.x >= left - 2), default=0)


def _by_middles(lines: Sequence[_PageLine], columns: Sequence[float]) -> list[list[str]]:
    """Return the rows of a table whose cells are aligned by their middles; none if they are not.

    A row that lacks a column has lines of that column right above and below it: both are its own.
    """
    filled = [{_column_of(piece, columns) for piece in line.pieces} for line in lines]
    step = min((b.middle - a.middle for a, b in pairwise(lines) if b.middle > a.middle), default=0.0)
    rows = [at for at, columns_of in enumerate(filled) if 0 in columns_of and len(columns_of) > 1]
    wrapped = [at for at in range(len(lines)) if at not in rows]
    if not wrapped or len(rows) < 2:
        return []
    is_centred = any(
        0 < at < len(lines) - 1
        and {at - 1, at + 1} <= set(wrapped)
        and filled[at - 1] == filled[at + 1]
        and not filled[at] & filled[at - 1]
        and lines[at + 1].middle - lines[at - 1].middle < 2 * HALF * lines[at].height + step
        for at in rows
    )
    if not is_centred:
        return []
    texts: dict[int, list[list[str]]] = {at: [[] for _ in columns] for at in rows}
    for at, line in enumerate(lines):
        owner = at if at in texts else min(rows, key=lambda row: abs(lines[row].middle - line.middle))
        for piece in line.pieces:
            texts[owner][_column_of(piece, columns)].append(piece.text.strip())
    return [[" ".join(cell) for cell in texts[at]] for at in rows]
