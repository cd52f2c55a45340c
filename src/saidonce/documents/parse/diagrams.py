"""Diagrams of Office (SmartArt): the points that its author wrote, in the order in which they are drawn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from lxml import etree

from saidonce.documents.parse.office import DRAWING, number_of

_DGM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_WRITTEN = ("node", "asst", "")
"""Types of points with text of the author; the others repeat it for the drawing, or connect points."""

MAX_DEPTH = 40
Item = tuple[int, str]


def items_of(root: etree._Element) -> list[Item]:
    """Return the points of a diagram's data with their depths; in the order of the data where nothing orders them."""
    points = {point.get("modelId") or "": point for point in root.iter(f"{_DGM}pt")}
    below: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for link in root.iter(f"{_DGM}cxn"):
        if (link.get("type") or "parOf") == "parOf":
            below[link.get("srcId") or ""].append((number_of(link.get("srcOrd")), link.get("destId") or ""))
    read: set[str] = set()
    items: list[Item] = []
    for name, point in points.items():
        if point.get("type") == "doc":
            items += _below(name, points, below, read, 0)
    for name, point in points.items():
        if name not in read:
            items += [(0, text) for text in _texts(point)]
    return items


def _below(
    name: str,
    points: dict[str, etree._Element],
    below: dict[str, list[tuple[int, str]]],
    read: set[str],
    depth: int,
) -> Iterator[Item]:
    for _, child in sorted(below[name]):
        if child in read or child not in points or depth > MAX_DEPTH:
            continue
        read.add(child)
        texts = _texts(points[child])
        yield from ((depth, text) for text in texts)
        yield from _below(child, points, below, read, depth + bool(texts))


def _texts(point: etree._Element) -> list[str]:
    if (point.get("type") or "") not in _WRITTEN:
        return []
    lines = ("".join(t.text or "" for t in p.iter(f"{{{DRAWING}}}t")) for p in point.iter(f"{{{DRAWING}}}p"))
    return [line.strip() for line in lines if line.strip()]
