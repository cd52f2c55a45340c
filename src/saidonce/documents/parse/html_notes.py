"""Footnotes of a page of HTML as docutils and Sphinx write them: the number in brackets, before the note's text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

_NUMBER = re.compile(r"\[?\s*(\d{1,4}|[*†‡§¶#♠♥♦♣]{1,3})\s*\]?")


def set_notes(root: etree._Element) -> None:
    """Write each reference to a note as "[1]", and each note as paragraphs of which the first begins with "[1]".

    A label that stands beside its note, in a list of terms or in a table, would be a text of its own.
    """
    for link in list(root.iter("a")):
        if "footnote-reference" in _classes(link) and (number := _number(link)):
            _fill(link, f"[{number}]")
    for note in list(root.iter("aside", "div")):
        if "footnote" in _classes(note):
            label = next((one for one in note if "label" in _classes(one)), None)
            _lead(note, label)
    for terms in list(root.iter("dl")):
        if "footnote" in _classes(terms):
            _set_terms(terms)
    for table in list(root.iter("table")):
        if "footnote" in _classes(table):
            _set_rows(table)


def _set_terms(terms: etree._Element) -> None:
    """Write a list of labels and notes as blocks."""
    if any(child.tag not in ("dt", "dd") for child in terms):
        return
    label: etree._Element | None = None
    for child in list(terms):
        if child.tag == "dt":
            label = child
        elif label is not None and _lead(child, label):
            child.tag = "div"
            label = None
    if not any(child.tag == "dd" for child in terms):
        terms.tag = "div"
        for child in list(terms):
            child.tag = "div"


def _set_rows(table: etree._Element) -> None:
    """Write the only row of a table, a label beside its note, as a block."""
    cells = list(table.iter("td"))
    if len(cells) == 2 and "label" in _classes(cells[0]) and _lead(cells[1], cells[0]):
        note = cells[1]
        note.tag = "div"
        table.tag = "div"
        table[:] = [note]
        table.text = None


def _lead(note: etree._Element, label: etree._Element | None) -> bool:
    """Move a label to the beginning of its note; return whether there was a number to move."""
    number = _number(label) if label is not None else ""
    if label is None or not number:
        return False
    if label.getparent() is note:
        _drop(label)
    else:
        _fill(label, "")
    first = next((one for one in note if isinstance(one.tag, str)), None)
    if not (note.text or "").strip() and first is not None and first.tag == "p":
        first.text = f"[{number}] {(first.text or '').lstrip()}"
    else:
        note.text = f"[{number}] {(note.text or '').lstrip()}"
    return True


def _number(node: etree._Element) -> str:
    """Return the number or sign of a label; empty if it is none. Links back to the references follow in brackets."""
    text = "".join(_without_links_back(node)).strip()
    match = _NUMBER.fullmatch(text)
    return match.group(1) if match else ""


def _without_links_back(node: etree._Element) -> Iterator[str]:
    yield node.text or ""
    for child in node:
        if not (child.tag == "span" and _classes(child) & {"fn-backref", "backrefs"}):
            yield from _without_links_back(child)
        yield child.tail or ""


def _fill(node: etree._Element, text: str) -> None:
    node[:] = []
    node.text = text


def _drop(node: etree._Element) -> None:
    """Take an element out; the text behind it stays."""
    above = node.getparent()
    if above is not None:
        above.text = f"{above.text or ''}{node.tail or ''}"
        above.remove(node)


def _classes(node: etree._Element) -> set[str]:
    return set((node.get("class") or "").split())
