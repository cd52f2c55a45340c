"""The lines of a PDF page in writing order with their positions, to check and correct its layout.

PDF producers write column after column, and a table row from left to right. A layout library that uses positions
alone takes a narrow justified column for a table, and a table without rules for columns.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import Any

from pypdfium2 import raw

from saidonce.documents.parse.draft import DocumentDraft
from saidonce.documents.parse.pdf_hyphens import BREAK
from saidonce.foundation.text import words

WIDE = 1.6
"""Gap in a line, in heights of its letters, from which it parts two cells; wider ones stand in justified columns, too,
so that gaps count only where they stand below one another."""

BELOW = 2.2
"""Step down to the next line of a paragraph, in heights, at most."""

LOOSE = 1.35
"""Step, in the usual ones of a page, from which another paragraph begins."""

UNLIKE = 0.15
"""Difference in height, as a share, of lines that are not of one paragraph."""

MIN_BROKEN = 3
BROKEN_SHARE = 0.25
"""Sentences that the layout breaks at the end of a line, and their share of all that go on in the next line, from which
the order of the page is taken."""

LEVEL = 0.2
"""Difference of the feet of two pieces of one row, in heights, at most."""

MIN_ROWS = 3
ENDS = re.compile(r"[.!?:;\u3002\uff01\uff1f\u2026\u061f\u06d4][\"'\u201d\u2019)\]]*$")
_BROKEN = re.compile(r"(?<!\w)(\w++)[-\u2010\ufffe]$")
_ITEM = re.compile(r"(?:[\u2022\u25aa\u25e6\u2013*-]|\(?\d{1,3}[.)]|[a-z]\))\s")
_SPACES = re.compile(r"\s+")

LETTER = 0.5
"""Width of a letter in heights, on the average."""


@dataclass(frozen=True, slots=True)
class PageLine:
    """A line of a page, its cells from left to right, and its position; `height` is that of its letters."""

    cells: tuple[str, ...]
    left: float
    foot: float
    right: float
    height: float

    @property
    def text(self) -> str:
        """The words of the line."""
        return " ".join(self.cells)


def page_lines(page: Any, text: str) -> list[PageLine]:
    """Return the lines of a page in writing order; none if they do not run across the page.

    Args:
        text: the page's text, one character for each of its glyphs.
    """
    lines: list[PageLine] = []
    for match in re.finditer(r"(?<![^\r\n])[^\r\n]*[^\s][^\r\n]*", text):
        line = _line(page, text, match.start(), match.end())
        if line is None:
            return []
        if lines and _completes(lines[-1], line):
            lines[-1] = replace(lines[-1], cells=(*lines[-1].cells, *line.cells), right=line.right)
        else:
            lines.append(line)
    return lines


def _completes(before: PageLine, line: PageLine) -> bool:
    """Return whether a line is the figures of the row before it, from which a wide gap parts them."""
    is_level = abs(before.foot - line.foot) < LEVEL * before.height and line.left > before.right
    return is_level and all(map(_is_figure, line.text.split(" ")))


def _is_figure(word: str) -> bool:
    return any(c.isdigit() for c in word) and not any(c.isalpha() for c in word)


def _line(page: Any, text: str, start: int, end: int) -> PageLine | None:
    """Return one line; None if it does not run from left to right."""
    pieces = [(start + m.start(), start + m.end()) for m in re.finditer(r"\S+", text[start:end])]
    first, last = page.get_charbox(pieces[0][0], loose=True), page.get_charbox(pieces[-1][1] - 1, loose=True)
    height = max(first[3] - first[1], 1.0)
    if abs(last[1] - first[1]) > 2 * height or last[2] <= first[0]:
        return None
    cells, begun = [], pieces[0][0]
    for (_, stop), (at, _) in pairwise(pieces):
        gap = page.get_charbox(at, loose=True)[0] - page.get_charbox(stop - 1, loose=True)[2]
        if gap > WIDE * height:
            cells.append(text[begun:stop])
            begun = at
    cells.append(text[begun : pieces[-1][1]])
    whole = (cell.replace(BREAK, "") for cell in cells)
    return PageLine(tuple(_SPACES.sub(" ", cell) for cell in whole), first[0], first[1], last[2], height)


def characters_of(page: Any) -> str:
    """Return the text of a page, one character for each of its glyphs."""
    return "".join(chr(raw.FPDFText_GetUnicode(page.raw, at) or 32) for at in range(page.count_chars()))


def is_out_of_order(lines: Sequence[PageLine], running: Sequence[str], tables: Sequence[Sequence[str]]) -> bool:
    """Return whether a layout breaks sentences of columns, or reads rows column by column.

    Args:
        running: the texts of the layout's blocks that are not tables.
        tables: the rows of the layout's tables.
    """
    texts = [words(text) for text in (*running, *(row for table in tables for row in table))]
    pairs = {pair for text in texts for pair in pairwise(text)}
    is_broken = _breaks_sentences(lines, pairs, tables) or _continues_elsewhere(lines, texts)
    if is_broken or _reads_rows_down(lines, running, pairs) or _tears_figures_off(lines, running, tables):
        return True
    return _joins_rows(lines, running)


def _tears_figures_off(lines: Sequence[PageLine], running: Sequence[str], tables: Sequence[Sequence[str]]) -> bool:
    """Return whether the figures at the ends of several rows are a text of the layout, or end one row of a table."""
    ends = Counter(line.cells[-1] for line in lines if len(line.cells) > 1 and _is_figure(line.cells[-1]))
    columns = (Counter(text.split()) for text in running)
    if any(column.total() > 1 and not column - ends for column in columns):
        return True
    in_lines = [set(line.text.split(" ")) for line in lines]
    last_two = (set(row.split()[-2:]) for table in tables for row in table)
    return any(len(two) == 2 and two <= set(ends) and not any(two <= line for line in in_lines) for two in last_two)


def _continues_elsewhere(lines: Sequence[PageLine], texts: Sequence[Sequence[str]]) -> bool:
    """Return whether sentences that continue in the line below continue with another line's beginning in the layout."""
    if not any(b.foot > a.foot + a.height for a, b in pairwise(lines)):
        return False
    begins = {tuple(words(line.text)[:2]) for line in lines}
    follows: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for text in texts:
        for at in range(len(text) - 3):
            follows.setdefault(tuple(text[at : at + 2]), set()).add(tuple(text[at + 2 : at + 4]))
    n_moved = 0
    for a, b in pairwise(lines):
        before, after = words(a.text), words(b.text)
        if _continues(a, b) and len(before) > 1 and len(after) > 1:
            layout = follows.get(tuple(before[-2:]), set())
            n_moved += bool(layout & begins) and not any(one[0] == after[0] for one in layout)
    return n_moved >= MIN_BROKEN


def _breaks_sentences(lines: Sequence[PageLine], pairs: set[tuple[str, str]], tables: Sequence[Sequence[str]]) -> bool:
    """Return whether sentences that continue in the line below continue elsewhere in the layout.

    If no line begins a column further up, the lines may be those of several columns at once: then only the layout's
    tables count.
    """
    has_columns = any(b.foot > a.foot + a.height for a, b in pairwise(lines))
    in_tables = {word for table in tables for row in table for word in words(row)}
    n_due = n_broken = 0
    for a, b in pairwise(lines):
        before, after = words(a.text), words(b.text)
        if not (_continues(a, b) and before and after):
            continue
        n_due += 1
        counts = has_columns or all(word in in_tables for word in before)
        n_broken += counts and (before[-1], after[0]) not in pairs
    return n_broken >= MIN_BROKEN and n_broken >= BROKEN_SHARE * n_due


def _continues(a: PageLine, b: PageLine) -> bool:
    """Return whether a sentence continues in the line below."""
    is_below = abs(a.left - b.left) < 2 * a.height and 0 < a.foot - b.foot < BELOW * a.height
    is_alike = abs(a.height - b.height) < UNLIKE * a.height
    is_open = not ENDS.search(a.text) and not a.text.endswith(("-", "\u2010", "\ufffe"))
    return is_below and is_alike and is_open and b.text[:1].islower() and " " in a.text


def _reads_rows_down(lines: Sequence[PageLine], running: Sequence[str], pairs: set[tuple[str, str]]) -> bool:
    """Return whether cells of one row are separated in the layout, and below one another in its text."""
    flat = {pair for text in running for pair in pairwise(words(text))}
    n_rows = n_down = 0
    for a, b in pairwise(lines):
        if len(a.cells) != len(b.cells) or len(a.cells) < 2 or not _is_row(a, b):
            continue
        heads, cells = [words(cell) for cell in a.cells], [words(cell) for cell in b.cells]
        if not all(heads) or not all(cells):
            continue
        n_rows += 1
        across = [(x[-1], y[0]) for x, y in pairwise(heads)]
        down = [(x[-1], y[0]) for x, y in zip(heads, cells, strict=True)]
        n_down += not any(pair in pairs for pair in across) and any(pair in flat for pair in down)
    return n_rows >= MIN_ROWS - 1 and n_down * 2 > n_rows


def _joins_rows(lines: Sequence[PageLine], running: Sequence[str]) -> bool:
    """Return whether rows of cells follow one another in the layout's running text as if they were a sentence."""
    pairs = {pair for text in running for pair in pairwise(words(text))}
    n_joined = 0
    for a, b in pairwise(lines):
        if len(a.cells) != len(b.cells) or len(a.cells) < 2 or not _is_row(a, b) or _ITEM.match(f"{a.cells[0]} "):
            continue
        heads, cells = [words(cell) for cell in a.cells], [words(cell) for cell in b.cells]
        if all(heads) and all(cells):
            across = [(x[-1], y[0]) for x, y in pairwise(heads)]
            n_joined += (heads[-1][-1], cells[0][0]) in pairs and all(pair in pairs for pair in across)
    return n_joined >= MIN_ROWS


def _is_row(a: PageLine, b: PageLine) -> bool:
    """Return whether two lines may be rows of one table: below one another, and no cell an unfinished sentence."""
    is_below = 0 < a.foot - b.foot < 2 * BELOW * a.height
    return is_below and not any(cell[:1].islower() and " " in cell for cell in b.cells)


def larger_lines(lines: Sequence[PageLine]) -> frozenset[str]:
    """Return the lines in larger letters than the text of their page, by their letters; no sentence is one."""
    if not lines:
        return frozenset()
    usual = median(line.height for line in lines)
    large = (line for line in lines if line.height > (1 + UNLIKE) * usual and not ENDS.search(line.text))
    return frozenset(letters_of(line.text) for line in large)


def letters_of(text: str) -> str:
    """Return the letters of a text in a fixed order, by which it is known whatever the order of its words."""
    return "".join(sorted(_SPACES.sub("", text)))


def read_lines(
    lines: Sequence[PageLine],
    draft: DocumentDraft,
    page: int,
    known: str,
    mended: Callable[[str], str],
    headings: Mapping[str, int],
) -> None:
    """Add the lines of a page: rows of cells as tables, lines below one another as paragraphs.

    Args:
        known: the text of the page, which has words without the hyphens of line breaks.
        mended: returns a corrected text.
        headings: levels of the headings in the layout, by their letters.
    """
    steps = [a.foot - b.foot for a, b in pairwise(lines) if 0 < a.foot - b.foot < BELOW * a.height]
    usual = median(steps) if steps else 0.0
    for group in _groups(lines, usual):
        if all(len(line.cells) > 1 for line in group) and len(group) > 1:
            draft.table([[mended(cell) for cell in line.cells] for line in group], page)
            continue
        text = mended(_joined_text(group, known))
        if level := headings.get(letters_of(text)):
            draft.heading(" ".join(text.split()), level, page)
        else:
            draft.paragraph(text, page)


def _joined_text(group: Sequence[PageLine], known: str) -> str:
    """Return lines as one text; lines with room for the next word, and list items, stay separate."""
    edge = max(line.right for line in group)
    text = group[0].text
    for a, b in pairwise(group):
        broken = _BROKEN.search(text)
        word = re.match(r"\w+", b.text)
        room = (len(b.text.split(" ")[0]) + 1) * a.height * LETTER
        if broken and word and b.text[:1].islower():
            is_whole = re.search(rf"\b{broken.group(1)}{word.group()}\b", known, re.I) is not None
            text = (text[:-1] if is_whole else text) + b.text
        elif (
            _ITEM.match(b.text)
            or _has_figures(a)
            or _has_figures(b)
            or (edge - a.right > room and not b.text[:1].islower() and b.left <= a.right)
        ):
            text += f"\n{b.text}"
        else:
            text += f" {b.text}"
    return text


def _has_figures(line: PageLine) -> bool:
    """Return whether half of the words of a line are numbers: it is a row, however narrow its gaps."""
    parts = line.text.split(" ")
    return len(parts) > 1 and sum(any(c.isdigit() for c in part) for part in parts) * 2 >= len(parts)


def _groups(lines: Sequence[PageLine], usual: float) -> Iterator[list[PageLine]]:
    held: list[PageLine] = []
    for line in lines:
        if held and not _belongs(held, line, usual):
            yield held
            held = []
        held.append(line)
    if held:
        yield held


def _belongs(held: Sequence[PageLine], line: PageLine, usual: float) -> bool:
    """Return whether a line continues the paragraph or table before it, also at the top of the next column."""
    before = held[-1]
    if abs(before.height - line.height) >= UNLIKE * before.height:
        return False
    step = before.foot - line.foot
    is_table, is_row = all(len(one.cells) > 1 for one in held), len(line.cells) > 1
    if is_table != is_row and step > 0 and not line.text[:1].islower():
        return False
    if step < -before.height or step > BELOW * before.height:
        return not ENDS.search(before.text) and line.text[:1].islower()
    return step <= max(LOOSE * usual, 0.0) or is_table
