"""Footnotes of a page of HTML as docutils and Sphinx write them: where they are referred to, or with their number."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from lxml import etree

_RUNNING = frozenset(
    "a b blockquote body cite code dd div dl em figure font html i kbd li main ol p q s section small span strong sub"
    " sup tt u ul var article".split()
)
"""Elements around a reference in whose place its note may stand: text that is shown, and no heading or cell."""

_HIDING = ("hidden", "style", "role", "aria-hidden")
MOST_NOTE = 600
"""Characters of the longest note that stands in the place of its reference."""

_NUMBER = re.compile(r"\[?\s*(\d{1,4}|[*†‡§¶#♠♥♦♣]{1,3})\s*\]?")


def set_notes(root: etree._Element) -> None:
    """Put each note where it is referred to, in brackets; its number is a running count, which says nothing.

    One that is referred to twice, has more than a paragraph, or is referred to in a heading or a table, stays: its
    references are written "[1]", and its first paragraph begins with "[1]". A label beside it, in a list of terms or in
    a table, would be a text of its own.
    """
    _mark_declared(root)
    links = [one for one in root.iter("a") if "footnote-reference" in _classes(one) and _number(one)]
    if not links:
        return
    counted = Counter(link.get("href") or "" for link in links)
    notes = {f"#{one.get('id')}": one for one in root.iter("aside", "div", "dt", "table") if one.get("id")}
    for link in links:
        href = link.get("href") or ""
        if counted[href] == 1 and href in notes and _is_running(link) and (text := _taken(notes[href])):
            sibling = link.getprevious()
            before = sibling.tail if sibling is not None else _above(link).text
            _fill(link, f"{'' if (before or ' ')[-1:].isspace() else ' '}({text})")
        else:
            _fill(link, f"[{_number(link)}]")
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


def _mark_declared(root: etree._Element) -> None:
    """Put brackets round the numbers of links that lead to notes: "ten.1" is none of the text's numbers."""
    for link in root.iter("a"):
        if _leads_to_note(link) and (number := _number(link)):
            _fill(link, f"[{number}]")


def _leads_to_note(link: etree._Element) -> bool:
    """Return whether a link is declared, as books do, to lead to a note."""
    return "noteref" in (link.get("epub:type") or "").split() or link.get("role") == "doc-noteref"


def _is_running(link: etree._Element) -> bool:
    """Return whether a reference stands in text that is shown."""
    around = list(link.iterancestors())
    return all(
        one.tag in _RUNNING and (one.get("role") == "main" or not any(one.get(name) for name in _HIDING))
        and one.get("hidden") is None
        for one in around
    )  # fmt: skip


def _taken(label: etree._Element) -> str:
    """Take a short note of one paragraph out of the page and return its text; empty if it is none.

    Args:
        label: the note with its label within, or the label before it.
    """
    body, parts = _note_of(label)
    if body is None:
        return ""
    blocks = [one for one in body if isinstance(one.tag, str) and one not in parts]
    own = blocks or [body]
    if len(own) != 1 or (blocks and (blocks[0].tag != "p" or (body.text or "").strip())):
        return ""
    if any(_is_block(one) or "footnote-reference" in _classes(one) for one in own[0].iterdescendants()):
        return ""
    text = " ".join("".join(str(piece) for piece in own[0].itertext()).split())
    if not text or len(text) > MOST_NOTE:
        return ""
    for one in (label, *parts, body) if label.tag == "dt" else (label,):
        _drop(one)
    return text


def _is_block(node: etree._Element) -> bool:
    return node.tag not in _RUNNING or node.tag in ("ul", "ol", "dl", "blockquote")


def _note_of(label: etree._Element) -> tuple[etree._Element | None, list[etree._Element]]:
    """Return the element with the text of a note, and its labels."""
    if label.tag == "dt":
        after = label.getnext()
        is_note = "footnote" in _classes(_above(label)) and "label" in _classes(label) and bool(_number(label))
        return (after if is_note and after is not None and after.tag == "dd" else None), []
    if "footnote" not in _classes(label):
        return None, []
    if label.tag == "table":
        cells = list(label.iter("td"))
        return (cells[1] if len(cells) == 2 and _number(cells[0]) else None), []
    parts = [one for one in label if "label" in _classes(one) and _number(one)]
    return (label if len(parts) == 1 else None), parts


def _above(node: etree._Element) -> etree._Element:
    above = node.getparent()
    return node if above is None else above


def _drop(node: etree._Element) -> None:
    """Take an element with all that is in it out; the text behind it stays."""
    above, before = node.getparent(), node.getprevious()
    if above is None:
        return
    if before is not None:
        before.tail = f"{before.tail or ''}{node.tail or ''}"
    else:
        above.text = f"{above.text or ''}{node.tail or ''}"
    node.tail = None
    above.remove(node)


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


def _classes(node: etree._Element) -> set[str]:
    return set((node.get("class") or "").split())
