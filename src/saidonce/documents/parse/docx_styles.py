"""Styles and numbering of Word documents: which role a paragraph has."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lxml import etree

from saidonce.documents.parse.counting import counted
from saidonce.documents.parse.docx_lists import ListPlace
from saidonce.documents.parse.office import parse_xml

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_HEADING = re.compile(
    r"(?:heading|berschrift|titre|título|titolo|kop|rubrik|nagłówek|otsikko|overskrift|标题|見出し)\s*(\d)", re.I
)
_CODE = re.compile(r"\b(?:code|source\s*code|html preformatted|preformatted text|macro text|listing)\b", re.I)
_MAX_CHAIN = 12


def w(name: str) -> str:
    """Return a qualified name in the main Word namespace."""
    return f"{{{W}}}{name}"


@dataclass(frozen=True, slots=True)
class ParagraphRole:
    """The role of a paragraph: a heading if `level`, else a list item, code, a caption, or text.

    Attributes:
        place: of an item, in its list; None for anything else.
        is_continued: whether it goes on with the item before it, if there is one.
    """

    level: int = 0
    place: ListPlace | None = None
    is_code: bool = False
    is_caption: bool = False
    number: str = ""
    is_continued: bool = False


@dataclass(slots=True)
class _Style:
    name: str = ""
    based_on: str = ""
    outline: int | None = None
    numbering: tuple[str, int | None] | None = None
    left: int | None = None


@dataclass(slots=True)
class _Level:
    text: str = ""
    form: str = "decimal"
    start: int = 1
    style: str = ""
    is_legal: bool = False
    left: int | None = None


@dataclass(slots=True)
class Styles:
    """Styles and numbering of one document; headings and items are numbered in the order of the calls."""

    styles_xml: bytes
    numbering_xml: bytes
    _styles: dict[str, _Style] = field(default_factory=dict)
    _levels: dict[str, dict[int, _Level]] = field(default_factory=dict)
    _abstract: dict[str, str] = field(default_factory=dict)
    _counts: dict[str, dict[int, int]] = field(default_factory=dict)
    _restarts: dict[str, dict[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.styles_xml:
            self._read_styles(parse_xml(self.styles_xml))
        if self.numbering_xml:
            self._read_numbering(parse_xml(self.numbering_xml))

    def role(self, paragraph: etree._Element) -> ParagraphRole:
        """Return the role of a paragraph; call once for each, in document order."""
        properties = paragraph.find(w("pPr"))
        style_id = _value(properties, "pStyle") if properties is not None else ""
        chain = self._chain(style_id)
        outline = _outline(properties)
        names = [style.name for style in chain]
        numbering = self._effective([_numbering(properties), *(style.numbering for style in chain)], style_id)
        if outline is None:
            outline = next((style.outline for style in chain if style.outline is not None), None)
        level = _heading_level(names, style_id, outline)
        if level:
            return ParagraphRole(level=level, number=self._number(numbering))
        if any(_CODE.search(name) for name in names):
            return ParagraphRole(is_code=True)
        if any(name.casefold() == "caption" for name in names):
            return ParagraphRole(is_caption=True)
        if numbering and numbering[0] != "0":
            place = self._place(numbering, [_left(properties), *(style.left for style in chain if style.numbering)])
            return ParagraphRole(place=place, number=self._number(numbering))
        return ParagraphRole(is_continued=any(name.casefold().startswith("list continue") for name in names))

    def _place(self, numbering: tuple[str, int], stated: list[int | None]) -> ListPlace:
        """Return where an item stands, with its distance from the margin as it or its style states it, or its level."""
        abstract = self._abstract.get(numbering[0], "")
        level = self._levels.get(abstract, {}).get(numbering[1], _Level())
        left = next((one for one in stated if one is not None), level.left)
        return ListPlace(abstract or numbering[0], numbering[1], left)

    def _effective(self, stated: list[tuple[str, int | None] | None], style_id: str) -> tuple[str, int] | None:
        """Return a paragraph's list and its depth in it, each from the first style in the chain that defines it."""
        number = next((one[0] for one in stated if one is not None and one[0]), "")
        if not number:
            return None
        levels = self._levels.get(self._abstract.get(number, ""), {})
        linked = next((depth for depth, level in levels.items() if style_id and level.style == style_id), None)
        depth = next((one[1] for one in stated if one is not None and one[1] is not None), linked)
        return number, depth or 0

    def _chain(self, style_id: str) -> list[_Style]:
        chain: list[_Style] = []
        while style_id in self._styles and len(chain) < _MAX_CHAIN:
            chain.append(self._styles[style_id])
            style_id = self._styles[style_id].based_on
        return chain

    def _read_styles(self, root: etree._Element) -> None:
        for node in root.iter(w("style")):
            properties = node.find(w("pPr"))
            self._styles[node.get(w("styleId")) or ""] = _Style(
                _value(node, "name"),
                _value(node, "basedOn"),
                _outline(properties),
                _numbering(properties),
                _left(properties),
            )

    def _read_numbering(self, root: etree._Element) -> None:
        for abstract in root.iter(w("abstractNum")):
            levels = self._levels.setdefault(abstract.get(w("abstractNumId")) or "", {})
            for node in abstract.iter(w("lvl")):
                start = _value(node, "start")
                levels[_int(node.get(w("ilvl")))] = _Level(
                    _value(node, "lvlText"),
                    _value(node, "numFmt") or "decimal",
                    _int(start) if start else 1,
                    _value(node, "pStyle"),
                    node.find(w("isLgl")) is not None,
                    _left(node.find(w("pPr"))),
                )
        for number in root.iter(w("num")):
            known = number.get(w("numId")) or ""
            self._abstract[known] = _value(number, "abstractNumId")
            for override in number.iter(w("lvlOverride")):
                if start := _value(override, "startOverride"):
                    self._restarts.setdefault(known, {})[_int(override.get(w("ilvl")))] = _int(start)

    def _number(self, numbering: tuple[str, int] | None) -> str:
        """Count a numbered heading or item and return its number as Word displays it; empty if it has none."""
        if numbering is None or numbering[0] in ("", "0"):
            return ""
        depth = numbering[1]
        abstract = self._abstract.get(numbering[0], "")
        levels = self._levels.get(abstract, {})
        level = levels.get(depth)
        if level is None or level.form in ("bullet", "none") or not level.text:
            return ""
        counts = self._counts.setdefault(abstract, {})
        if (start := self._restarts.get(numbering[0], {}).pop(depth, None)) is not None:
            counts[depth] = start - 1
        counts[depth] = counts.get(depth, level.start - 1) + 1
        for deeper in [at for at in counts if at > depth]:
            del counts[deeper]

        def shown(match: re.Match[str]) -> str:
            at = int(match.group(1)) - 1
            one = levels.get(at, _Level())
            return counted(counts.get(at, one.start), "decimal" if level.is_legal and at != depth else one.form)

        return re.sub(r"%([1-9])", shown, level.text).strip()


def _heading_level(names: list[str], style_id: str, outline: int | None) -> int:
    for name in [*names, *([] if names else [style_id])]:
        match = _HEADING.match(name)
        if match:
            return int(match.group(1)) or 1
        if name.casefold() == "title":
            return 1
    return outline + 1 if outline is not None and outline < 9 else 0


def _outline(properties: etree._Element | None) -> int | None:
    value = _value(properties, "outlineLvl") if properties is not None else ""
    return _int(value) if value else None


def _numbering(properties: etree._Element | None) -> tuple[str, int | None] | None:
    node = properties.find(w("numPr")) if properties is not None else None
    if node is None:
        return None
    depth = _value(node, "ilvl")
    return _value(node, "numId"), _int(depth) if depth else None


def _left(properties: etree._Element | None) -> int | None:
    """Return how far from the margin a paragraph begins, in twentieths of a point; None if it is not stated."""
    node = properties.find(w("ind")) if properties is not None else None
    stated = next((value for name in ("left", "start") if node is not None and (value := node.get(w(name)))), None)
    return int(stated) if stated and re.fullmatch(r"-?[0-9]{1,5}", stated) else None


def _value(node: etree._Element, name: str) -> str:
    child = node.find(w(name))
    return (child.get(w("val")) or "") if child is not None else ""


def _int(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 6 else 0
