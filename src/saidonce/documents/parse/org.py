"""Parse Org: outlines, lists, tables, blocks and drawers by the rules of the language."""

from __future__ import annotations

import re
from collections.abc import Sequence

from saidonce.documents.parse.closings import Closings
from saidonce.documents.parse.dates import from_any
from saidonce.documents.parse.draft import DocumentDraft, ListItem, printable, text_draft
from saidonce.documents.parse.held_items import HeldItems
from saidonce.documents.parse.source import NamedBytes
from saidonce.documents.parse.struck import MARK

_HEADING = re.compile(r"(\*+)\s+(.*)")
_TAGS = re.compile(r":[\w@#%:]+:")
_KEYWORD = re.compile(r"\s*#\+([\w-]+)(?:\[[^\]]*\])?:\s*(.*)$")
_BEGIN = re.compile(r"\s*#\+begin_(\w+)\b(.*)$", re.I)
_DRAWER = re.compile(r"\s*:([A-Za-z][\w-]*):\s*$")
_ITEM = re.compile(r"(\s*)(?:[-+]|\s\*|(\d{1,4}[.)]|[a-zA-Z][.)]))\s+(?:\[@\d+\]\s*)?(.*)$")
_PLANNED = re.compile(r"\s*(?:(?:SCHEDULED|DEADLINE|CLOSED):\s*[<\[][^>\]]*[>\]]\s*)+$")
_LINK = re.compile(r"\[\[([^\[\]]+)\](?:\[([^\]]+)\])?\]")
_EMPHASIS = re.compile(r"(?<![\w*/_=~+])([*/_=~+])(?=\S)(.{1,200}?)(?<=\S)\1(?![\w*/_=~+])")
_BEFORE, _BEHIND = " \t-–—('\"{*/_", " \t-–—.,;:!?'\")}[*/_"
"""What may stand beside the marks of struck-out text, besides nothing."""

_NOTE = re.compile(r"\[fn:([\w-]+)\]\s*(.*)$")
_RULE = re.compile(r"\s*\|[-+|:]+\|?\s*$")
_VERBATIM = frozenset({"src", "example", "export", "verse"})


def read(source: NamedBytes) -> DocumentDraft:
    """Read an Org file."""
    text, draft = text_draft(source)
    _OrgWalk(draft).read(printable(text).split("\n"))
    return draft


class _OrgWalk:
    """A pass over the lines."""

    def __init__(self, draft: DocumentDraft) -> None:
        self._draft = draft
        self._held: list[str] = []
        self._items = HeldItems()
        self._rows: list[list[str]] = []
        self._closings = Closings((), _closed_by)

    def read(self, lines: Sequence[str]) -> None:
        """Add all lines to the draft."""
        at = 0
        self._closings = Closings(lines, _closed_by)
        while at < len(lines):
            at = self._step(lines, at)
        self._end()

    def _step(self, lines: Sequence[str], at: int) -> int:
        """Read the element that begins at a line; return the line after it."""
        line = lines[at].rstrip()
        if match := _BEGIN.match(line):
            return self._block(match.group(1).casefold(), lines, at)
        if (match := _DRAWER.match(line)) and (end := self._closings.after(at, ":end:")) is not None:
            self._end()
            return end + 1
        if match := _HEADING.match(line):
            self._end()
            self._draft.heading(self._plain(_without_tags(match.group(2))), len(match.group(1)))
        elif match := _KEYWORD.match(line):
            self._keyword(match.group(1).casefold(), match.group(2))
        elif not line.strip():
            self._end_paragraph()
            self._end_rows()
        elif not (line.lstrip().startswith(("# ", "#\t")) or line.strip() == "#" or _PLANNED.match(line)):
            self._text(line)
        return at + 1

    def _keyword(self, name: str, value: str) -> None:
        self._end()
        if name == "title":
            self._draft.title = self._plain(value)
        elif name == "author":
            self._draft.author = value
        elif name == "date":
            self._draft.authored_at = from_any(value.strip("<>[]"))
        elif name == "language":
            self._draft.language = value
        elif name == "caption":
            self._draft.caption(self._plain(value))
        elif name == "include":
            self._draft.warn(f"content included from other files was left out, such as {value[:80]!r}")

    def _text(self, line: str) -> None:
        if line.lstrip().startswith("|"):
            self._end_paragraph()
            self._end_items()
            if not _RULE.match(line):
                self._rows.append([self._plain(cell.strip()) for cell in line.strip().strip("|").split("|")])
            return
        self._end_rows()
        if line.lstrip().startswith(": "):
            self._end()
            self._draft.code(line.lstrip()[2:])
        elif match := _ITEM.match(line):
            self._end_paragraph()
            self._items.add(len(match.group(1)), match.group(3), match.group(2) or "")
        elif self._items and line[:1] in " \t":
            self._items.grow(line.strip(), " ")
        else:
            self._end_items()
            self._held.append(line.strip())

    def _block(self, kind: str, lines: Sequence[str], at: int) -> int:
        end = self._closings.after(at, f"#+end_{kind}")
        if end is None:
            self._text(lines[at])
            return at + 1
        self._end()
        inner = lines[at + 1 : end]
        if kind in _VERBATIM:
            self._draft.code("\n".join(inner))
        elif kind != "comment":
            _OrgWalk(self._draft).read([line for line in inner if not _BEGIN.match(line)])
        return end + 1

    def _end_paragraph(self) -> None:
        text, self._held = " ".join(self._held), []
        if note := _NOTE.match(text):
            text = f"[{note.group(1)}] {note.group(2)}"
        self._draft.paragraph(self._plain(text))

    def _end_items(self) -> None:
        indents: list[int] = []
        items: list[ListItem] = []
        for indent, text, *mark in self._items.taken():
            indents = [known for known in indents if known < indent] + [indent]
            items.append((len(indents) - 1, self._plain(text.replace(" :: ", ": ", 1)), "".join(mark)))
        self._draft.listing(items)

    def _end_rows(self) -> None:
        rows, self._rows = self._rows, []
        self._draft.table(rows)

    def _end(self) -> None:
        self._end_paragraph()
        self._end_items()
        self._end_rows()

    def _plain(self, text: str) -> str:
        return self._draft.without_struck(_plain(text))


def _closed_by(line: str) -> str:
    mark = line.strip().casefold()
    return mark if mark == ":end:" or mark.startswith("#+end_") else ""


def _without_tags(heading: str) -> str:
    *before, last = heading.rsplit(maxsplit=1) or [""]
    return before[0] if before and _TAGS.fullmatch(last) else heading


def _plain(text: str) -> str:
    """Return text without the marks of links, emphasis and references."""
    text = _LINK.sub(lambda match: match.group(2) or match.group(1).removeprefix("file:"), text)
    return _EMPHASIS.sub(_shown, text)


def _shown(match: re.Match[str]) -> str:
    """Return what an emphasis shows: code as it stands, other text without the marks within, nothing struck out."""
    sign, inner = match.groups()
    if sign != "+":
        return inner if sign in "=~" else _EMPHASIS.sub(_shown, inner)
    text, start, end = match.string, match.start(), match.end()
    is_bordered = text[:start][-1:] in _BEFORE and text[end : end + 1] in _BEHIND
    return MARK if is_bordered else match.group()
