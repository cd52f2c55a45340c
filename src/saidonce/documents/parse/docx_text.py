"""Room: the text of a Word paragraph, the text boxes anchored in it, and notes at the end."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from saidonce.documents.parse.docx_style import MC, PARSER, M, W, w

_BREAKS = {w("tab"): "\t", w("br"): "\n", w("cr"): "\n", w("noBreakHyphen"): "-", w("ptab"): "\t"}
_SKIPPED = frozenset(
    {
        w("del"), w("moveFrom"), w("instrText"), w("delText"), w("pPr"), w("rPr"), w("sdtPr"), w("txbxContent"),
        w("fldData"), w("pict"), w("object"), w("p"),
        f"{{{MC}}}Fallback",
    }
)  # fmt: skip
_FORMULA_MARKS = {
    ("start", f"{{{M}}}num"): "(", ("end", f"{{{M}}}num"): ")/", ("start", f"{{{M}}}den"): "(",
    ("end", f"{{{M}}}den"): ")", ("start", f"{{{M}}}sup"): "^", ("start", f"{{{M}}}sub"): "_",
    ("start", f"{{{M}}}rad"): "√(", ("end", f"{{{M}}}rad"): ")",
}  # fmt: skip
_EXPONENT = re.compile(r"[-+\u2212]?\d{1,4}")


def text_of(paragraph: etree._Element) -> str:
    """Visible text of a paragraph: insertions in, deletions and field codes out, formulas in a line."""
    return "".join(_texts(paragraph))


def _texts(paragraph: etree._Element) -> Iterator[str]:
    walk = etree.iterwalk(paragraph, events=("start", "end"))
    before = ""
    for event, node in walk:
        tag = node.tag
        if event == "end" or (event, tag) in _FORMULA_MARKS:
            yield _FORMULA_MARKS.get((event, tag), "")
        elif tag in _SKIPPED and node is not paragraph:
            walk.skip_subtree()
        elif tag == w("t"):
            text = node.text or ""
            yield f"^{text}" if before[-1:].isalnum() and _is_exponent(node, text) else text
            before = text
        elif tag == f"{{{M}}}t":
            yield node.text or ""
        elif tag in _BREAKS:
            yield _BREAKS[tag] if node.get(w("type")) != "page" else " "
        elif tag == w("sym"):
            yield _symbol(node)
        elif tag in (w("footnoteReference"), w("endnoteReference")):
            yield f"[{node.get(w('id')) or ''}]"


def _is_exponent(node: etree._Element, text: str) -> bool:
    """Whether text is a raised number: 10 to the power of 6 must not become 106."""
    run = node.getparent()
    raised = run.find(f"{w('rPr')}/{w('vertAlign')}") if run is not None else None
    return raised is not None and raised.get(w("val")) == "superscript" and bool(_EXPONENT.fullmatch(text.strip()))


def _symbol(node: etree._Element) -> str:
    try:
        code = int(node.get(w("char")) or "", 16)
    except ValueError:
        return ""
    # Symbol fonts sit in the private area, where the code alone says nothing.
    return "" if 0xE000 <= code <= 0xF8FF or 0xD800 <= code <= 0xDFFF or code > 0x10FFFF else chr(code)


def boxes_of(node: etree._Element) -> list[etree._Element]:
    """Text boxes anchored below a node, outermost only; the fallback copy of a box is left out."""
    found = []
    for box in node.iter(w("txbxContent")):
        above = {ancestor.tag for ancestor in _up_to(box, node)}
        if f"{{{MC}}}Fallback" not in above and w("txbxContent") not in above:
            found.append(box)
    return found


def _up_to(node: etree._Element, top: etree._Element) -> Iterator[etree._Element]:
    for above in node.iterancestors():
        if above is top:
            return
        yield above


def notes_of(blob: bytes) -> Iterator[str]:
    """Footnotes, endnotes or comments of a part, each as "[id] text", without separators."""
    if not blob:
        return
    root = etree.fromstring(blob, PARSER)
    for note in root:
        if note.get(w("type")) in ("separator", "continuationSeparator", "continuationNotice"):
            continue
        text = " ".join(filter(None, (text_of(p).strip() for p in note.iter(f"{{{W}}}p"))))
        if text and note.tag == w("comment"):
            author = note.get(w("author")) or ""
            yield f"[{author}] {text}" if author else text
        elif text:
            yield f"[{note.get(w('id')) or ''}] {text}"
