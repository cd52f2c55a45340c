"""Parse POD, the manuals of Perl: headings, lists, code, and the text of its marks."""

from __future__ import annotations

import re
from html.entities import html5
from itertools import accumulate

from saidonce.documents.parse.draft import DocumentDraft, printable, text_draft
from saidonce.documents.parse.held_items import HeldItems
from saidonce.documents.parse.source import NamedBytes

_COMMAND = re.compile(r"=([a-zA-Z]\w*)\s*(.*)$", re.S)
_MARK = re.compile(r"([A-Z])<([^<>]*)>")
_WIDE = re.compile(r"([A-Z])(<<+)(?=\s)|(?<=\s)(>>+)")
MAX_ROUNDS = 20
"""Marks in marks that are read."""


def read(source: NamedBytes) -> DocumentDraft:
    """Read a file of POD; code of Perl beside it is kept as code."""
    text, draft = text_draft(source)
    walk = _PodWalk(draft)
    for block in re.split(r"\n[ \t]*\n", printable(text)):
        if block.strip():
            walk.add(block.strip("\n"))
    walk.end()
    return draft


class _PodWalk:
    """A pass over the blocks between empty lines."""

    def __init__(self, draft: DocumentDraft) -> None:
        self._draft = draft
        self._is_pod = False
        self._depth = 0
        self._items = HeldItems()

    def add(self, block: str) -> None:
        """Add one block."""
        if match := _COMMAND.match(block):
            self._is_pod = match.group(1) != "cut"
            self._command(match.group(1), match.group(2))
        elif not self._is_pod or block[0] in " \t":
            self.end()
            self._draft.code(block)
        elif self._items and self._depth:
            self._items.grow(_plain(block), "\n")
        else:
            self.end()
            self._draft.paragraph(_plain(block))

    def end(self) -> None:
        """End the open list."""
        self._draft.listing([item for item in self._items.taken() if item[1]])

    def _command(self, name: str, rest: str) -> None:
        if name.startswith("head"):
            self.end()
            self._draft.heading(_plain(rest), int(name[4:] or 1) if name[4:].isdigit() else 1)
        elif name == "over":
            self._depth += 1
        elif name == "back":
            self._depth = max(self._depth - 1, 0)
            if not self._depth:
                self.end()
        elif name == "item":
            mark = re.match(r"(?:\*|(\d+)\.?)(?:\s+|$)", rest)
            number = f"{mark.group(1)}." if mark and mark.group(1) else ""
            text = rest[mark.end() :] if mark else rest
            self._items.add(max(self._depth - 1, 0), _plain(text), number)


def _plain(text: str) -> str:
    """Return text without marks; a link is its text or its target."""
    text = _without_wide_marks(text)
    for _ in range(MAX_ROUNDS):
        text, n_read = _MARK.subn(lambda match: _shown(match.group(1), match.group(2)), text)
        if not n_read:
            break
    return " ".join(text.replace("\ue000", "<").replace("\ue001", ">").split())


def _without_wide_marks(text: str) -> str:
    """Return text whose marks of two and more brackets, such as "C<< a > b >>", are their content.

    The widest end behind each bracket is known before one is looked for, so that marks without an end cost nothing.
    """
    marks = list(_WIDE.finditer(text))
    widest = list(accumulate((len(mark.group(3) or "") for mark in reversed(marks)), max))[::-1]
    parts: list[str] = []
    at, begun = 0, None
    for mark, width in zip(marks, widest, strict=True):
        if begun is None and mark.group(1) and width >= len(mark.group(2)):
            parts.append(text[at : mark.start()])
            begun = mark
        elif begun is not None and len(mark.group(3) or "") >= len(begun.group(2)):
            parts.append(_shown(begun.group(1), text[begun.end() : mark.start()].strip()))
            at, begun = mark.end(), None
    return "".join([*parts, text[at:]])


def _shown(name: str, inner: str) -> str:
    if name == "E":
        code = inner.strip()
        sign = chr(int(code)) if code.isdigit() and 0 < int(code) < 0x110000 else html5.get(f"{code};", code)
        return sign.replace("<", "\ue000").replace(">", "\ue001")
    if name in "XZ":
        return ""
    return inner.split("|", 1)[0] if name == "L" else inner.replace("<", "\ue000").replace(">", "\ue001")
