"""PDF pages in Hebrew as printing programs write them: glyphs from left to right, brackets by their shape."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import count

ADVANCE = 0.6
"""Width of every glyph, in sizes of the font."""

_ISLAND = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 .,:/-]*[A-Za-z0-9])?")
_MIRRORED = str.maketrans("()[]", ")(][")


def visual(text: str) -> str:
    """Return a text in the order of its glyphs on the page, from left to right."""
    pieces, end = [], 0
    for island in _ISLAND.finditer(text):
        pieces += [_turned(text[end : island.start()]), island.group()]
        end = island.end()
    pieces.append(_turned(text[end:]))
    return "".join(reversed(pieces))


def _turned(text: str) -> str:
    return text[::-1].translate(_MIRRORED)


def page(*lines: tuple[float, float, float, str], right: float = 540.0) -> bytes:
    """Return a PDF of one page.

    Args:
        lines: distance from the right edge, height above the foot of the page, size, text.
        right: the right edge.
    """
    signs = sorted({sign for *_, text in lines for sign in visual(text)})
    code = {sign: number for number, sign in enumerate(signs, 1)}
    drawn = []
    for inset, y, size, text in lines:
        shown = visual(text)
        x = right - inset - len(shown) * ADVANCE * size
        glyphs = "".join(f"{code[sign]:04x}" for sign in shown)
        drawn.append(f"BT /F1 {size} Tf 1 0 0 1 {x:.2f} {y:.2f} Tm <{glyphs}> Tj ET")
    known = "".join(f"<{number:04x}> <{ord(sign):04x}>\n" for sign, number in code.items())
    to_unicode = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /A def /CMapType 2 def\n"
        f"1 begincodespacerange <0000> <ffff> endcodespacerange\n{len(code)} beginbfchar\n{known}endbfchar\n"
        "endcmap end end"
    )
    return _file(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
            " /Resources << /Font << /F1 5 0 R >> >> >>",
            _stream("\n".join(drawn)),
            "<< /Type /Font /Subtype /Type0 /BaseFont /Plain /Encoding /Identity-H /DescendantFonts [6 0 R]"
            " /ToUnicode 7 0 R >>",
            "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Plain /CIDSystemInfo"
            f" << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW {round(1000 * ADVANCE)}"
            " /CIDToGIDMap /Identity /FontDescriptor 8 0 R >>",
            _stream(to_unicode),
            "<< /Type /FontDescriptor /FontName /Plain /Flags 4 /FontBBox [0 -200 1000 800] /ItalicAngle 0"
            " /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>",
        ]
    )


def _stream(text: str) -> str:
    return f"<< /Length {len(text)} >>\nstream\n{text}\nendstream"


def _file(objects: Iterable[str]) -> bytes:
    out, places = b"%PDF-1.7\n", []
    for number, body in zip(count(1), objects, strict=False):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(places) + 1
    tail = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer << /Size {size} /Root 1 0 R >>\n"
    return out + f"{tail}startxref\n{len(out)}\n%%EOF\n".encode()
