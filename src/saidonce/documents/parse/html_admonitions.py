"""Notes and warnings of a page, whose label stands before the first paragraph, as other formats have it.

DocBook writes the label as a heading or as a cell beside a sign, Sphinx as a paragraph. Read as a heading, it would
stand over all that follows the note; read as a paragraph, it would be joined with the one before.
"""

from __future__ import annotations

import re

from lxml import etree

from saidonce.documents.parse.draft import one_line
from saidonce.documents.parse.html_captions import is_note

_NOTES = frozenset("note tip important caution warning danger attention hint error seealso admonition".split())
_TITLED = frozenset({"title", "admonition-title"})
_TITLES = ("h1", "h2", "h3", "h4", "h5", "h6", "p", "div")
_IN_LINES = frozenset("a b code em i span strong".split())
MOST_OF_A_LABEL = 60
"""Characters of the label of a note; a longer one is a sentence."""

_ENDS = re.compile(r"[.:!?\u2026]$")


def set_admonitions(root: etree._Element) -> None:
    """Put the label of each note before its first paragraph: "Note: the pump stops"."""
    for note in list(root.iter("div", "aside", "section")):
        if _NOTES.isdisjoint((note.get("class") or "").split()):
            continue
        label = _label(note)
        text = one_line("".join(str(piece) for piece in label.itertext())) if label is not None else ""
        first = _first_paragraph(note, label) if label is not None and 0 < len(text) <= MOST_OF_A_LABEL else None
        if label is not None and first is not None:
            first.text = f"{text if _ENDS.search(text) else f'{text}:'} {(first.text or '').lstrip()}"
            label[:] = []
            label.text = None
            if label.tag in _TITLES:
                label.tag = "p"


def _label(note: etree._Element) -> etree._Element | None:
    """Return the element with the label of a note: the first one in it, or the head of the table that it is."""
    first = next((child for child in note if isinstance(child.tag, str)), None)
    if first is None or (note.text or "").strip():
        return None
    if first.tag == "table":
        return next(first.iter("th"), None) if is_note(first) else None
    is_title = first.tag in _TITLES and not _TITLED.isdisjoint((first.get("class") or "").split())
    return first if is_title and all(each.tag in _IN_LINES for each in first.iterdescendants()) else None


def _first_paragraph(note: etree._Element, label: etree._Element) -> etree._Element | None:
    """Return the paragraph that follows the label, with nothing between them."""
    if label.tag != "th":
        following = label.getnext()
        return following if following is not None and following.tag == "p" and not (label.tail or "").strip() else None
    cells = list(note.iter("td"))
    own = next((child for child in cells[-1] if isinstance(child.tag, str)), None)
    return own if own is not None and own.tag == "p" and not (cells[-1].text or "").strip() else None
