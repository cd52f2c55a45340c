"""What an author struck out, and so retracted: it is taken out of a text, and the words around it close up."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from lxml import etree

MARK = "\ufdd0"
"""Stands where something was struck out until its line is complete; a code point that no text may contain."""

NAMES = frozenset("strike strikethrough strikeout line-through struck del deleted s st sout".split())
"""Names of roles and classes that strike their text out."""

LINE_THROUGH = re.compile(r"text-decoration(?:-line)?\s*:[^;]*\bline-through\b", re.I)
"""A style of the web that strikes its text out."""

_BRACKETS = {"(": ")", "[": "]", "（": "）"}
_CLOSING = frozenset(",.;:!?)]}»”…、。，；：！？）")


def closed_up(before: str, after: str) -> tuple[str, str]:
    """Return what stands around a gap without its second space, the space before a comma, and empty brackets.

    Figures on both sides stay apart: together they would be another number.
    """
    while before and after and _BRACKETS.get(before[-1]) == after[0]:
        before, after = before[:-1], after[1:]
    if before[-1:].isspace() and after and (after[0].isspace() or after[0] in _CLOSING):
        before = before.rstrip(" \t\xa0")
    if before[-1:].isdigit() and after[:1].isdigit():
        before += " "
    return before, after


def without_marks(text: str) -> tuple[str, int]:
    """Return a text closed up where its marks stand, and their number."""
    if MARK not in text:
        return text, 0
    pieces = [""]
    for part in text.split(MARK):
        before, after = closed_up(pieces[-1], part)
        pieces[-1:] = [before, after]
    return "".join(pieces), len(pieces) - 2


@dataclass(frozen=True, slots=True)
class InlineText:
    """A piece of text in a tree: the text of an element, or what follows it."""

    node: etree._Element
    is_struck: bool
    is_tail: bool = False

    @property
    def text(self) -> str:
        """The characters of the piece."""
        return (self.node.tail if self.is_tail else self.node.text) or ""

    def write(self, text: str) -> None:
        """Replace the characters of the piece."""
        if self.is_tail:
            self.node.tail = text
        else:
            self.node.text = text


def take_out(pieces: Iterable[InlineText]) -> int:
    """Empty the struck pieces of a paragraph, which come in reading order; return the number of passages."""
    n_passages = 0
    is_open, kept = False, None
    for piece in pieces:
        if piece.is_struck:
            if piece.text.strip():
                n_passages += not is_open
                is_open = True
            piece.write("" if is_open else piece.text)
        elif piece.text:
            if is_open and kept is not None:
                before, after = closed_up(kept.text, piece.text)
                kept.write(before)
                piece.write(after)
            is_open, kept = False, piece
    return n_passages


def remove(node: etree._Element) -> None:
    """Take an element out of a tree; what follows it closes up to what stands before it."""
    above, previous = node.getparent(), node.getprevious()
    if above is None:
        return
    before, after = closed_up((above.text if previous is None else previous.tail) or "", node.tail or "")
    node.tail = None
    if previous is None:
        above.text = before + after
    else:
        previous.tail = before + after
    above.remove(node)
