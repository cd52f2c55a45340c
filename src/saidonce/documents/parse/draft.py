"""A document during parsing; cleans text and enforces the limits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import zip_longest
from typing import TypeAlias

from saidonce.documents.captions import is_labelled
from saidonce.documents.parse.decode import decode
from saidonce.documents.parse.source import MIB, NamedBytes
from saidonce.documents.parse.struck import without_marks
from saidonce.errors import Refusal
from saidonce.foundation.model import Element, Kind, MediaPlace, PagePicture, Row

MAX_ELEMENTS = 500_000
MAX_COLUMNS = 2_000
MAX_LEVEL = 9
MAX_UNFOLDED = 2_000_000
"""Characters that names defined in a source may stand for, all their uses together."""

# Kept: tab, newline, the two joiners that scripts and emoji need, direction marks.
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\ufdd0\ufff9-\ufffb\ufffe\uffff\u00ad]")
_ESCAPES = re.compile("\x1b(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\))")
_NEWLINE = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_SPACE = re.compile("[ \t\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
_ANY_SPACE = re.compile(r"\s+")
_MANY_LINES = re.compile(r"\n{3,}")
MAX_CAPTION = 300

ListItem: TypeAlias = tuple[int, str] | tuple[int, str, str]
"""Depth from 0, text, and the mark before it where that is no bullet, such as "3."."""


def printable(text: str) -> str:
    """Return text with one kind of newline, without control characters, terminal escapes and lone surrogates."""
    return _CONTROL.sub("", _NEWLINE.sub("\n", _ESCAPES.sub("", text)))


def tidy(text: str) -> str:
    """Return printable text with single spaces, stripped lines and at most one empty line in a row."""
    lines = (_SPACE.sub(" ", line).strip() for line in printable(text).split("\n"))
    return _MANY_LINES.sub("\n\n", "\n".join(lines)).strip()


def one_line(text: str) -> str:
    """Return printable text on one line with single spaces."""
    return _ANY_SPACE.sub(" ", printable(text)).strip()


def tidy_code(text: str) -> str:
    """Return printable text with its indentation, without surrounding empty lines and trailing spaces."""
    return "\n".join(line.rstrip() for line in printable(text).split("\n")).strip("\n")


def tidy_list(text: str) -> str:
    """Return printable text whose lines keep their indentation, without empty lines."""
    lines = (line.rstrip() for line in printable(text).split("\n"))
    return "\n".join(
        line[: len(line) - len(line.lstrip())] + _SPACE.sub(" ", line.lstrip()) for line in lines if line.strip()
    )


WEIGHING = {"+": "- +", "-": "- \u2212"}
"""How points are written whose marks say what speaks for and against something, or what came and went."""


@dataclass(slots=True)
class DocumentDraft:
    """A document while a parser reads it, its elements in reading order."""

    source: NamedBytes
    elements: list[Element] = field(default_factory=list)
    title: str = ""
    author: str = ""
    authored_at: datetime | None = None
    language: str = ""
    n_pages: int = 0
    warnings: list[str] = field(default_factory=list)
    n_chars: int = 0
    pictures: list[PagePicture] = field(default_factory=list)
    mark: str = ""
    last_heading: str = ""
    n_struck: int = 0
    _n_unfolded: int = 0
    _warned: set[str] = field(default_factory=set)

    def heading(self, text: str, level: int, page: int | None = None) -> None:
        """Add a heading; the level is clamped to 1..9."""
        self.last_heading = one_line(text)
        self._add(Element(Kind.HEADING, self.last_heading, min(max(level, 1), MAX_LEVEL), page))

    def paragraph(self, text: str, page: int | None = None) -> None:
        """Add a paragraph with its line breaks. A line like "Figure 2: the pump" is a caption."""
        plain = tidy(text)
        is_caption = "\n" not in plain and len(plain) <= MAX_CAPTION and is_labelled(plain)
        self._add(Element(Kind.CAPTION if is_caption else Kind.PARAGRAPH, plain, page=page))

    def record(self, lines: Iterable[str], page: int | None = None) -> None:
        """Add a record, one "label: value" for each line."""
        self._add(Element(Kind.RECORD, tidy("\n".join(lines)), page=page))

    def caption(self, text: str, page: int | None = None) -> None:
        """Add a caption."""
        self._add(Element(Kind.CAPTION, tidy(text), page=page))

    def recognised(self, kind: Kind, text: str, place: MediaPlace, page: int | None = None) -> None:
        """Add text recognised in a picture or a recording, with its place."""
        self._add(Element(kind, tidy(text), page=page, place=place))

    def code(self, text: str, page: int | None = None) -> None:
        """Add code with its indentation."""
        self._add(Element(Kind.CODE, tidy_code(text), page=page))

    def listing(self, items: Iterable[ListItem], page: int | None = None) -> None:
        """Add a list; an item without a marker gets a dash, and one without text stays for its number above others."""
        lines = []
        marked = _with_text(list(items))
        least = min((item[0] for item in marked), default=0)
        for item in marked:
            indent = "  " * min(item[0] - least, MAX_LEVEL)
            first, *more = tidy(item[1]).split("\n")
            mark = item[2] if len(item) == 3 and item[2] else "-"
            lines.append(f"{indent}{mark} {first}".rstrip())
            lines.extend(f"{indent}  {line}" for line in more if line)
        self._add(Element(Kind.LIST, tidy_list("\n".join(lines)), page=page))

    def table(self, rows: Iterable[Sequence[str]], page: int | None = None) -> None:
        """Add a table: cells on one line each, rows of equal length, empty rows and columns dropped."""
        full = _with_equal_rows([[one_line(cell) for cell in row] for row in rows])
        if not full:
            return
        if len(full) == 1 and len(full[0]) == 1:
            self.paragraph(full[0][0], page)
            return
        text = "\n".join(" | ".join(row) for row in full)
        self._add(Element(Kind.TABLE, text, page=page, rows=full))

    def lead(self, place: int, word: str) -> None:
        """Prefix the element at an index with a word such as "Warning: ", if it is a paragraph."""
        if place < len(self.elements) and self.elements[place].kind is Kind.PARAGRAPH:
            self.elements[place] = replace(self.elements[place], text=f"{word}{self.elements[place].text}")

    def take_in(self, other: DocumentDraft, deeper: int) -> None:
        """Add another draft as a section, its headings lowered by some levels, without its page numbers."""
        for element in other.elements:
            level = min(element.level + deeper, MAX_LEVEL) if element.kind is Kind.HEADING else 0
            place = element.place
            if place is not None and place.picture:
                place = replace(place, picture=place.picture + len(self.pictures))
            self._add(replace(element, level=level, page=None, place=place))
        shift = len(self.pictures)
        self.pictures += [replace(picture, number=picture.number + shift) for picture in other.pictures]
        for warning in other.notes():
            self.warn(f"{other.source.name}: {warning}")

    def warn(self, warning: str) -> None:
        """Add a warning about lost content, once."""
        if warning not in self._warned:
            self._warned.add(warning)
            self.warnings.append(warning)

    def strike(self, n_passages: int) -> None:
        """Count passages that were left out because they are struck out."""
        self.n_struck += n_passages

    def without_struck(self, text: str) -> str:
        """Return a text closed up where the marks of struck-out passages stand, which are counted."""
        left, n_passages = without_marks(text)
        self.strike(n_passages)
        return left

    def notes(self) -> list[str]:
        """Return the warnings, with what was left out as struck out."""
        return self.warnings + ([f"struck-out passages left out: {self.n_struck}"] if self.n_struck else [])

    def unfold(self, value: str) -> None:
        """Count what a name of the source stands for, where it is used.

        Raises:
            SourceRefusedError: HOSTILE, such values stand for too much text.
        """
        self._n_unfolded += len(value) + 1
        if self._n_unfolded > MAX_UNFOLDED:
            raise self.source.refuse(Refusal.HOSTILE, f"its names stand for more than {MAX_UNFOLDED:,} characters")

    def _add(self, element: Element) -> None:
        if not element.text:
            return
        self.n_chars += len(element.text)
        if self.n_chars > self.source.limits.max_text_mb * MIB:
            raise self.source.refuse(
                Refusal.TOO_LARGE, f"it has more than {self.source.limits.max_text_mb} MiB of text"
            )
        if len(self.elements) >= MAX_ELEMENTS:
            raise self.source.refuse(Refusal.TOO_LARGE, f"it has more than {MAX_ELEMENTS} elements")
        self.elements.append(element)


def text_draft(source: NamedBytes) -> tuple[str, DocumentDraft]:
    """Return the text of a source and an empty draft, with a warning if the encoding is a guess."""
    decoded = decode(source.content)
    draft = DocumentDraft(source)
    if decoded.guessed:
        draft.warn(f"it is not UTF-8; {decoded.note}")
    return decoded.text, draft


def _with_text(items: Sequence[ListItem]) -> list[ListItem]:
    """Return the items of a list that have text, or a marker of their own and an item with text right below them."""
    kept = []
    for item, following in zip_longest(items, items[1:]):
        has_below = following is not None and following[0] > item[0] and bool(following[1].strip())
        if item[1].strip() or (any(item[2:]) and has_below):
            kept.append(item)
    return kept


def _with_equal_rows(rows: list[list[str]]) -> tuple[Row, ...]:
    rows = [row for row in rows if any(row)]
    width = min(max((len(row) for row in rows), default=0), MAX_COLUMNS)
    used = [column for column in range(width) if any(column < len(row) and row[column] for row in rows)]
    return tuple(tuple(row[column] if column < len(row) else "" for column in used) for row in rows)
