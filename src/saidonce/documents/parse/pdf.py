"""Parse PDF: layout blocks of each page, checked against the page's plain text; scanned pages are read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import pypdfium2
from liteparse import LiteParse
from pypdfium2 import PdfiumError

from saidonce.documents.parse.dates import from_pdf
from saidonce.documents.parse.draft import DocumentDraft
from saidonce.documents.parse.embedded import read_scan
from saidonce.documents.parse.office import author_or_none, title_or_none
from saidonce.documents.parse.pdf_blocks import corrected
from saidonce.documents.parse.pdf_figures import PageMending, is_right_to_left, mending
from saidonce.documents.parse.pdf_flow import flowing, running_lines
from saidonce.documents.parse.pdf_hyphens import BREAK, compounds
from saidonce.documents.parse.pdf_lines import (
    PageLine,
    is_out_of_order,
    larger_lines,
    letters_of,
    page_lines,
    read_lines,
)
from saidonce.documents.parse.pdf_notes import notes_of
from saidonce.documents.parse.pdf_right_to_left import (
    is_mostly_right_to_left,
    large_lines,
    mirrored_lines,
    with_brackets_turned,
)
from saidonce.documents.parse.pdf_ruled import RuledTable, ruled_tables, with_ruled
from saidonce.documents.parse.plain import Sheet, unwrapped
from saidonce.documents.parse.recognisers import PICTURES, unavailable
from saidonce.documents.parse.source import NamedBytes
from saidonce.errors import Refusal
from saidonce.foundation.text import words

MAX_PAGES = 5_000
MIN_COVERED = 0.85
"""Share of a page's words that its layout blocks must hold; below it the plain text is taken."""

_EMPHASIS = re.compile(r"(\*\*\*|\*\*|~~|\*)(?=\S)(.+?)(?<=\S)\1", re.S)
_RUNNING = frozenset({"paragraph", "heading", "list_item"})
FOLLOWING = 0.6
"""Share of neighbouring words of running text that follow one another on the page; below it columns are mixed."""

MIN_PAIRS = 40
MIN_FIGURES = 6
IN_ROWS = 0.8
"""Pairs of neighbouring figures in rows of a page, from which they tell whether its layout mixes columns, and the share
of them that has to stand together in running text, too."""

_NUMBER = re.compile(r"\d(?:[\d.,:/-]*\d)?")
HEAD = 4_096
"""Bytes in which a PDF has to begin."""

MAX_NAMED = 20
MAX_CELL = 300
MAX_TABLE_SHARE = 0.4
"""A page is not a table when its "cells" are as long as paragraphs and cover much of it."""

_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|<>~$&])")
_HELD = "\x00"
"""Placeholder of an escaped sign while marks are removed; no text holds it."""

_PASSWORD_ERROR = 4


def read(source: NamedBytes) -> DocumentDraft:
    """Read a PDF; pages without text are rendered, and the words in them recognised."""
    draft = DocumentDraft(source)
    source = _from_header(source)
    plain = _plain_pages(source, draft)
    pages = _layout_pages(source, draft, plain)
    without_text, mixed = [], []
    whole = compounds([page.mend.plain for page in plain])
    for number, page in enumerate(plain, 1):
        page.mend.words.update(whole)
        text, mend, lines = page.text, page.mend, page.lines
        blocks = pages.get(number, [])
        if not text.strip() and not blocks:
            without_text.append(number)
            read_scan(draft, number, len(without_text))
        elif page.is_mirrored:
            _read_in_order(page, blocks, draft, number)
        elif blocks and _covered(text, blocks) >= MIN_COVERED and not _mistaken_for_table(blocks):
            if _is_mixed(mend.mended(text), blocks) or _breaks_order(lines, blocks):
                mixed.append(number)
                _read_in_order(page, blocks, draft, number)
            else:
                _Page(draft, number, mend, larger_lines(lines)).read(blocks)
                _read_left_out(mend.mended(text), blocks, draft, number)
        else:
            _read_in_order(page, blocks, draft, number)
        for note in page.notes:
            draft.paragraph(note, number)
    if mixed:
        where = f"on page{'s' if len(mixed) > 1 else ''} {_named(mixed)}"
        draft.warn(f"its layout mixes columns; read line by line, with fewer headings and tables, {where}")
    _note_scans(draft, without_text, len(plain))
    draft.elements[:] = flowing(draft.elements, running_lines([page.lines for page in plain]))
    return draft


def _from_header(source: NamedBytes) -> NamedBytes:
    """Return a PDF without bytes before its header, such as the headers of an HTTP response."""
    at = source.content.find(b"%PDF-", 0, HEAD)
    return replace(source, content=source.content[at:]) if at > 0 else source


def _note_scans(draft: DocumentDraft, without_text: list[int], n_pages: int) -> None:
    """Refuse a document without words, and warn about pages without any.

    Raises:
        SourceRefusedError: no page has words.
    """
    read = {element.page for element in draft.elements}
    silent = [number for number in without_text if number not in read]
    missing = unavailable(PICTURES, draft.source.limits)
    if len(silent) == n_pages:
        detail = (
            f"its pages are pictures without text; {missing}" if missing else "no words are recognised on its pages"
        )
        raise draft.source.refuse(Refusal.NO_TEXT, detail)
    if silent:
        draft.warn(f"pages without text, perhaps scanned: {_named(silent)}" + (f"; {missing}" if missing else ""))


def _named(pages: list[int]) -> str:
    return ", ".join(map(str, pages[:MAX_NAMED])) + (", ..." if len(pages) > MAX_NAMED else "")


def _is_mixed(text: str, blocks: Iterable[Any]) -> bool:
    """Return whether the layout's running text joins words that are not adjacent on the page."""
    plain = [word for word in words(text) if len(word) > 1]
    follows = set(pairwise(plain)) | {(a, c) for (a, _), (_, c) in pairwise(pairwise(plain))}
    texts = (words(_without_emphasis(block.text or "")) for block in blocks if block.kind in _RUNNING)
    running = ([word for word in text if len(word) > 1] for text in texts)
    pairs = [pair for one in running for pair in pairwise(one)]
    n_known = sum(pair in follows for pair in pairs)
    if len(pairs) >= MIN_PAIRS and n_known < FOLLOWING * len(pairs):
        return True
    return _parts_rows(text, [_without_emphasis(block.text or "") for block in blocks if block.kind in _RUNNING])


def _parts_rows(text: str, running: Iterable[str]) -> bool:
    """Return whether numbers of one row on the page are separated in the layout's running text.

    This happens to tables without rules that were read column by column.
    """
    rows = [_NUMBER.findall(line) for line in text.splitlines() if len(_NUMBER.findall(line)) > 1]
    follows = [pair for row in rows for pair in pairwise(row)]
    pairs = Counter(pair for one in running for pair in pairwise(_NUMBER.findall(one)))
    figures = Counter(number for one in running for number in _NUMBER.findall(one))
    due = [pair for pair in follows if figures[pair[0]] and figures[pair[1]]]
    n_kept = sum(pair in pairs for pair in due)
    return len(due) >= MIN_FIGURES and n_kept < IN_ROWS * len(due)


@dataclass(frozen=True, slots=True)
class _PlainPage:
    """The text of a page, its corrections by character positions, its lines if they run across, its notes.

    Attributes:
        is_mirrored: its lines run from right to left.
        tables: its ruled tables.
    """

    text: str
    mend: PageMending
    lines: list[PageLine]
    notes: tuple[str, ...] = ()
    is_mirrored: bool = False
    tables: tuple[RuledTable, ...] = ()


def _breaks_order(lines: list[PageLine], blocks: list[Any]) -> bool:
    """Return whether the layout changes the order in which the lines of a page were written."""
    running = [
        _without_emphasis(" ".join([block.text or "", *(block.lines or ())]))
        for block in blocks
        if block.kind != "table"
    ]
    tables = [
        [" ".join(_without_emphasis(cell.text) for cell in row) for row in (block.header or [], *(block.rows or ()))]
        for block in blocks
        if block.kind == "table"
    ]
    return is_out_of_order(lines, running, tables)


def _read_in_order(page: _PlainPage, blocks: Iterable[Any], draft: DocumentDraft, number: int) -> None:
    """Add a page in the order of its own text; what the layout has for a heading stays one."""
    mended = with_brackets_turned if page.is_mirrored else page.mend.mended
    headings = {
        letters_of(mended(page.mend.mended(_without_emphasis(block.text or "")))): block.level or 1
        for block in blocks
        if block.kind == "heading"
    }
    if page.is_mirrored:
        headings = {**large_lines(page.lines), **headings}
    if page.lines:
        read_lines(page.lines, draft, number, page.text, mended, headings)
    else:
        _read_plain(page.mend.mended(page.text), draft, number)


def _plain_pages(source: NamedBytes, draft: DocumentDraft) -> list[_PlainPage]:
    """Read the metadata, and return the plain text of each page with its lines."""
    try:
        document = pypdfium2.PdfDocument(source.content)
    except PdfiumError as bad:
        if getattr(bad, "err_code", None) == _PASSWORD_ERROR:
            raise source.refuse(Refusal.LOCKED, "it asks for a password; save it without one") from bad
        raise source.refuse(Refusal.CORRUPT, str(bad)) from bad
    try:
        if len(document) > MAX_PAGES:
            raise source.refuse(Refusal.TOO_LARGE, f"it has {len(document)} pages; at most {MAX_PAGES} are read")
        if len(document) == 0:
            raise source.refuse(Refusal.CORRUPT, "it has no pages")
        known = document.get_metadata_dict()
        draft.title = title_or_none(known.get("Title", ""))
        draft.author = author_or_none(known.get("Author", ""))
        draft.authored_at = from_pdf(known.get("ModDate", "")) or from_pdf(known.get("CreationDate", ""))
        draft.n_pages = len(document)
        if n_files := document.count_attachments():
            draft.warn(f"files that are attached to it were not read: {n_files}")
        return [_page_text(document, number, draft) for number in range(len(document))]
    finally:
        document.close()


def _page_text(document: Any, number: int, draft: DocumentDraft) -> _PlainPage:
    try:
        page = document[number]
        letters = page.get_textpage()
        text: str = letters.get_text_bounded()
        mend = mending(letters)
        is_mirrored = is_mostly_right_to_left(mend.plain)
        if is_mirrored:
            lines = mirrored_lines(letters, mend.plain, mend.mended)
        else:
            lines = [] if is_right_to_left(mend.plain) else page_lines(letters, mend.plain)
        notes = tuple(notes_of(page, text))
        tables = () if is_right_to_left(mend.plain) else tuple(ruled_tables(page, letters))
        page.close()
    except PdfiumError:
        draft.warn(f"page {number + 1} is damaged")
        return _PlainPage("", PageMending({}, {}), [])
    return _PlainPage(text.replace("\ufffe", "").replace(BREAK, ""), mend, lines, notes, is_mirrored, tables)


def _layout_pages(source: NamedBytes, draft: DocumentDraft, plain: Sequence[_PlainPage]) -> dict[int, list[Any]]:
    parser = LiteParse(
        ocr_enabled=False,
        quiet=True,
        extract_blocks=True,
        keep_headers_footers=True,
        extract_links=False,
        continue_on_page_error=True,
        image_mode="off",
        num_workers=1,
    )
    try:
        result = parser.parse(source.content)
    except RuntimeError as bad:
        draft.warn(f"its layout could not be read, only its text: {bad}"[:200])
        return {}
    pages = {}
    for page in result.pages:
        tables = plain[page.page_num - 1].tables if page.page_num <= len(plain) else ()
        blocks = with_ruled(page.blocks or (), tables, page.height) if tables else page.blocks or ()
        pages[page.page_num] = [block for block in corrected(blocks, page.text_items or ()) if _words_of(block)]
    return pages


def _words_of(block: Any) -> list[str]:
    return words(_without_emphasis(" ".join([block.text or "", *(block.lines or ()), *_cells(block)])))


def _covered(text: str, blocks: Iterable[Any]) -> float:
    page_words = Counter(words(text))
    if not page_words:
        return 1.0
    block_words = Counter(word for block in blocks for word in _words_of(block))
    return (page_words & block_words).total() / page_words.total()


def _mistaken_for_table(blocks: list[Any]) -> bool:
    whole = sum(_length(block) for block in blocks)
    for block in blocks:
        cells = _cells(block)
        if block.kind == "table" and len(cells) > 1 and max(map(len, cells)) > MAX_CELL:
            return _length(block) > whole * MAX_TABLE_SHARE
    return False


def _cells(block: Any) -> list[str]:
    return [cell.text for row in [block.header or [], *(block.rows or [])] for cell in row]


def _read_left_out(text: str, blocks: list[Any], draft: DocumentDraft, page: int) -> None:
    """Add lines of a page that the layout left out, such as vertical text at its edge."""
    left = Counter(words(text)) - Counter(word for block in blocks for word in _words_of(block))
    whole = f" {' '.join(word for block in blocks for word in _words_of(block))} "
    for line in text.splitlines():
        of_line = words(line)
        if len(of_line) > 1 and not Counter(of_line) - left and f" {' '.join(of_line)} " not in whole:
            draft.paragraph(line, page)
            left -= Counter(of_line)


def _length(block: Any) -> int:
    return len(block.text or "") + sum(map(len, block.lines or ())) + sum(map(len, _cells(block)))


def _read_plain(text: str, draft: DocumentDraft, page: int) -> None:
    lines: list[str] = []
    sheet = Sheet(text)
    for line in [*text.splitlines(), ""]:
        if line.strip():
            lines.append(line)
        elif lines:
            draft.paragraph(unwrapped(lines, sheet), page)
            lines = []


def _without_emphasis(text: str) -> str:
    """Return text without the layout library's emphasis marks and escapes."""
    held: list[str] = []

    def hold(match: re.Match[str]) -> str:
        held.append(match.group(1))
        return _HELD

    text = _ESCAPE.sub(hold, text.replace(_HELD, ""))
    for _ in range(3):
        text, n_replaced = _EMPHASIS.subn(r"\2", text)
        if not n_replaced:
            break
    escaped = iter(held)
    return re.sub(_HELD, lambda _: next(escaped), text)


class _Page:
    """Adds the blocks of one page; runs of list items become one list."""

    def __init__(self, draft: DocumentDraft, page: int, mend: PageMending, larger: Set[str]) -> None:
        self._draft = draft
        self._larger = larger
        self._page = page
        self._mend = mend
        self._items: list[tuple[int, str, str]] = []

    def read(self, blocks: Iterable[Any]) -> None:
        """Add all blocks in reading order."""
        for block in blocks:
            if block.kind == "list_item":
                mark = (block.marker or "").strip() if block.ordered else ""
                self._items.append((max((block.level or 1) - 1, 0), self._plain(block.text), mark))
                continue
            self._end_list()
            self._one(block)
        self._end_list()

    def _one(self, block: Any) -> None:
        text = self._plain(block.text)
        if block.kind == "heading":
            self._draft.heading(text, block.level or 1, self._page)
        elif block.kind == "code":
            self._draft.code(self._mend.mended("\n".join(block.lines or [text])), self._page)
        elif block.kind == "table":
            self._draft.table(self._rows(block), self._page)
        elif block.kind == "grid_fallback":
            self._draft.paragraph(self._mend.mended("\n".join(block.lines or [text])), self._page)
        else:
            self._draft.paragraph(text, self._page)

    def _plain(self, text: str | None) -> str:
        return self._mend.mended(_without_emphasis(text or ""))

    def _rows(self, block: Any) -> Iterator[list[str]]:
        for row in [block.header or [], *(block.rows or [])]:
            yield [self._plain(cell.text) for cell in row]

    def _end_list(self) -> None:
        if len(self._items) == 1 and (mark := self._items[0][2]):
            title = f"{mark} {self._items[0][1]}"
            if letters_of(title) in self._larger:
                self._draft.heading(title, 2, self._page)
                self._items.clear()
        self._draft.listing(self._items, self._page)
        self._items.clear()
