"""Struck-out text of Word: struck runs and styles, and the deletions of tracked changes."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from saidonce.documents.parse.struck import InlineText, take_out

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_OFF = ("0", "false", "off")
_MAX_CHAIN = 12


class StruckStyles:
    """The styles of a document that strike their text out."""

    def __init__(self, styles: etree._Element | None) -> None:
        self._own: dict[str, bool | None] = {}
        self._based_on: dict[str, str] = {}
        for style in styles.iter(f"{_W}style") if styles is not None else ():
            name = style.get(f"{_W}styleId") or ""
            self._own[name] = _own(style.find(f"{_W}rPr"))
            self._based_on[name] = _value(style, "basedOn")

    def of(self, name: str) -> bool | None:
        """Return whether a style strikes its text out; None if neither it nor what it is based on says so."""
        for _ in range(_MAX_CHAIN):
            if (own := self._own.get(name)) is not None or not name:
                return own
            name = self._based_on.get(name, "")
        return None


def take_out_struck(story: etree._Element, styles: StruckStyles) -> int:
    """Take struck runs out of a story; return the number of passages, with those that tracked changes deleted."""
    n_passages = sum(take_out(_pieces(paragraph, styles)) for paragraph in story.iter(f"{_W}p"))
    return n_passages + sum(_is_passage(deletion) for deletion in story.iter(f"{_W}del"))


def _pieces(paragraph: etree._Element, styles: StruckStyles) -> Iterator[InlineText]:
    properties = paragraph.find(f"{_W}pPr")
    whole = styles.of(_value(properties, "pStyle")) if properties is not None else None
    for text in list(paragraph.iter(f"{_W}t")):
        run = next(text.iterancestors(f"{_W}r"), None)
        if run is None or next(text.iterancestors(f"{_W}p")) is not paragraph or _is_copy(text):
            continue
        yield InlineText(text, _is_struck(run.find(f"{_W}rPr"), styles, whole=bool(whole)))


def _is_struck(properties: etree._Element | None, styles: StruckStyles, *, whole: bool) -> bool:
    if properties is None:
        return whole
    if (own := _own(properties)) is None:
        own = styles.of(_value(properties, "rStyle"))
    return whole if own is None else own


def _own(properties: etree._Element | None) -> bool | None:
    marks = [] if properties is None else [properties.find(f"{_W}{name}") for name in ("strike", "dstrike")]
    stated = [mark.get(f"{_W}val") not in _OFF for mark in marks if mark is not None]
    return any(stated) if stated else None


def _is_passage(deletion: etree._Element) -> bool:
    """Return whether a deletion takes text away, and does not go on where another one ends."""
    before = deletion.getprevious()
    is_new = before is None or before.tag != deletion.tag
    return is_new and not _is_copy(deletion) and any((t.text or "").strip() for t in deletion.iter(f"{_W}delText"))


def _is_copy(node: etree._Element) -> bool:
    return next(node.iterancestors(_FALLBACK), None) is not None


def _value(node: etree._Element, name: str) -> str:
    child = node.find(f"{_W}{name}")
    return (child.get(f"{_W}val") or "") if child is not None else ""
