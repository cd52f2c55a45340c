"""Room: what a Word paragraph is, by its style chain, outline level and numbering."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lxml import etree

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
M = "http://schemas.openxmlformats.org/officeDocument/2006/math"
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"

_HEADING = re.compile(
    r"(?:heading|berschrift|titre|título|titolo|kop|rubrik|nagłówek|otsikko|overskrift|标题|見出し)\s*(\d)", re.I
)
_CODE = re.compile(r"\b(?:code|source\s*code|html preformatted|preformatted text|macro text|listing)\b", re.I)
PARSER = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
_MAX_CHAIN = 12
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
          (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip


def w(name: str) -> str:
    """Qualified name in the main Word namespace."""
    return f"{{{W}}}{name}"


@dataclass(frozen=True, slots=True)
class ParagraphRole:
    """What a paragraph is: a heading if `level`, else a list item, code, a caption, or text."""

    level: int = 0
    is_item: bool = False
    depth: int = 0
    is_code: bool = False
    is_caption: bool = False
    number: str = ""


@dataclass(slots=True)
class _Style:
    name: str = ""
    based_on: str = ""
    outline: int | None = None
    numbering: tuple[str, int | None] | None = None


@dataclass(slots=True)
class _Level:
    text: str = ""
    form: str = "decimal"
    start: int = 1
    style: str = ""


@dataclass(slots=True)
class Styles:
    """Styles and numbering of one document; counts the numbers of headings as it is asked in order."""

    styles_xml: bytes
    numbering_xml: bytes
    _styles: dict[str, _Style] = field(default_factory=dict)
    _levels: dict[str, dict[int, _Level]] = field(default_factory=dict)
    _abstract: dict[str, str] = field(default_factory=dict)
    _counts: dict[str, dict[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.styles_xml:
            self._read_styles(etree.fromstring(self.styles_xml, PARSER))
        if self.numbering_xml:
            self._read_numbering(etree.fromstring(self.numbering_xml, PARSER))

    def role(self, paragraph: etree._Element) -> ParagraphRole:
        """Say what a paragraph is; call once for each, in document order."""
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
            return ParagraphRole(is_item=True, depth=numbering[1])
        return ParagraphRole()

    def _effective(self, stated: list[tuple[str, int | None] | None], style_id: str) -> tuple[str, int] | None:
        """The list a paragraph belongs to and its depth there: each from the first in the chain that states it."""
        number = next((one[0] for one in stated if one is not None and one[0]), "")
        if not number:
            return None
        levels = self._levels.get(self._abstract.get(number, ""), {})
        linked = next((depth for depth, level in levels.items() if style_id and level.style == style_id), None)
        depth = next((one[1] for one in stated if one is not None and one[1] is not None), linked)
        return number, depth or 0

    def _chain(self, style_id: str) -> list[_Style]:
        found: list[_Style] = []
        while style_id in self._styles and len(found) < _MAX_CHAIN:
            found.append(self._styles[style_id])
            style_id = self._styles[style_id].based_on
        return found

    def _read_styles(self, root: etree._Element) -> None:
        for node in root.iter(w("style")):
            properties = node.find(w("pPr"))
            self._styles[node.get(w("styleId")) or ""] = _Style(
                _value(node, "name"),
                _value(node, "basedOn"),
                _outline(properties),
                _numbering(properties),
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
                )
        for number in root.iter(w("num")):
            self._abstract[number.get(w("numId")) or ""] = _value(number, "abstractNumId")

    def _number(self, numbering: tuple[str, int] | None) -> str:
        """Count one numbered heading and write its number as Word shows it; empty if it has none."""
        if numbering is None or numbering[0] in ("", "0"):
            return ""
        depth = numbering[1]
        abstract = self._abstract.get(numbering[0], "")
        levels = self._levels.get(abstract, {})
        level = levels.get(depth)
        if level is None or level.form in ("bullet", "none") or not level.text:
            return ""
        counts = self._counts.setdefault(abstract, {})
        counts[depth] = counts.get(depth, level.start - 1) + 1
        for deeper in [at for at in counts if at > depth]:
            del counts[deeper]

        def shown(found: re.Match[str]) -> str:
            at = int(found.group(1)) - 1
            one = levels.get(at, _Level())
            return _written(counts.get(at, one.start), one.form)

        return re.sub(r"%([1-9])", shown, level.text).strip()


def _written(number: int, form: str) -> str:
    if form in ("lowerLetter", "upperLetter") and number >= 1:
        letter = chr(ord("a") + (number - 1) % 26) * min((number - 1) // 26 + 1, 4)
        return letter.upper() if form == "upperLetter" else letter
    if form in ("lowerRoman", "upperRoman") and 1 <= number < 4000:
        roman = ""
        for value, sign in _ROMAN:
            roman += sign * (number // value)
            number %= value
        return roman.upper() if form == "upperRoman" else roman
    return str(number)


def _heading_level(names: list[str], style_id: str, outline: int | None) -> int:
    for name in [*names, *([] if names else [style_id])]:
        found = _HEADING.match(name)
        if found:
            return int(found.group(1)) or 1
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


def _value(node: etree._Element, name: str) -> str:
    child = node.find(w(name))
    return (child.get(w("val")) or "") if child is not None else ""


def _int(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 6 else 0
