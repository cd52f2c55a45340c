"""Room: a chart of an Office document -> the numbers it was drawn from."""

from __future__ import annotations

from lxml import etree

from saidonce.documents.parse.draft import DocumentDraft

C = "http://schemas.openxmlformats.org/drawingml/2006/chart"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"


def read(root: etree._Element, draft: DocumentDraft, page: int | None = None) -> None:
    """Add a chart's title as a caption and its numbers as a table."""
    title = next(root.iter(f"{{{C}}}title"), None)
    if title is not None:
        draft.caption("".join(node.text or "" for node in title.iter(f"{{{A}}}t")), page)
    draft.table(rows_of(root), page)


def rows_of(chart: etree._Element) -> list[list[str]]:
    """A chart as the table it was drawn from: categories down, series across."""

    def points(series: etree._Element, name: str) -> dict[int, str]:
        node = series.find(f"{{{C}}}{name}")
        found = node.iter(f"{{{C}}}pt") if node is not None else ()
        return {number(point.get("idx")): point.findtext(f"{{{C}}}v") or "" for point in found}

    every = list(chart.iter(f"{{{C}}}ser"))
    values = [points(series, "val") or points(series, "yVal") for series in every]
    categories: dict[int, str] = {}
    for series in every:
        categories = categories or points(series, "cat") or points(series, "xVal")
    names = [next((v.text or "" for v in series.iterfind(f"{{{C}}}tx//{{{C}}}v")), "") for series in every]
    places = sorted({*categories, *(place for column in values for place in column)})
    return [["", *names], *([categories.get(at, ""), *(column.get(at, "") for column in values)] for at in places)]


def number(text: str | None) -> int:
    """A whole number of an attribute; 0 if it is none."""
    try:
        return int(text or 0)
    except ValueError:
        return 0
