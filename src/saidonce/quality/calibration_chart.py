"""Draw a calibration as one SVG chart without scripts, with the same bytes for the same pairs."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pygal  # type: ignore[import-untyped]
from lxml import etree
from pygal.style import Style  # type: ignore[import-untyped]

from saidonce.quality.calibrate import FLOOR, SEED_RULES, Calibration, Scored

# pygal leaves an import finder for its maps behind, of a deprecated kind: every later import would warn.
sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, pygal.PluginImportFixer)]

WIDTH = 960
HEAD = 104
CAPTION = 30
PANEL = 160
BINS = 100
"""Bars between similarities 0 and 1."""

INK, QUIET = "#24292f", "#6a737d"
SAME, ASKED, HELD, LOOSE = "#4a86b3", "#a9c8de", "#b4bac1", "#c4603c"
SEED_MARK, CERTIFIED_MARK = "#8b949e", "#1a7f4b"
FONT = "Helvetica, Arial, 'DejaVu Sans', sans-serif"
SVG = "http://www.w3.org/2000/svg"

LABEL_WIDTH = 7
"""Characters of a label at the left axis; the same everywhere, so that the panels stand in line."""


@dataclass(frozen=True, slots=True)
class ThresholdMark:
    """A threshold drawn through all panels."""

    at: float
    says: str
    colour: str


@dataclass(frozen=True, slots=True)
class Panel:
    """The pairs of one histogram, with its caption."""

    says: str
    colour: str
    shown: tuple[Scored, ...]


def draw(calibration: Calibration) -> str:
    """Draw the similarities of pairs that may merge and that must stay apart, without and with the guards' objections.

    Each panel has its own scale, so that a single wrong merge stays visible beside thousands of
    right ones.
    """
    marks = _marks(calibration)
    panels = _panels(calibration)
    root = etree.Element(f"{{{SVG}}}svg", nsmap={None: SVG})  # type: ignore[dict-item]
    height = HEAD + len(panels) * (CAPTION + PANEL)
    root.attrib.update({"viewBox": f"0 0 {WIDTH} {height}", "width": str(WIDTH), "height": str(height), "role": "img"})
    _add(root, "title", "Similarity of labelled pairs")
    _add(root, "desc", "; ".join([*(panel.says for panel in panels), *(m.says for m in marks)]))
    _add(root, "rect", width=WIDTH, height=height, fill="#ffffff")
    _head(root, calibration, marks)
    for place, panel in enumerate(panels):
        top = HEAD + place * (CAPTION + PANEL)
        _add(root, "rect", x=24, y=top + 6, width=12, height=12, fill=panel.colour)
        _text(root, 44, top + 17, panel.says, 14)
        chart = _chart(f"similarity-{place}", panel, marks)
        chart.attrib.update({"y": str(top + CAPTION), "width": str(WIDTH), "height": str(PANEL)})
        root.append(chart)
    return etree.tostring(root, encoding="unicode") + "\n"


def _panels(calibration: Calibration) -> tuple[Panel, ...]:
    """Return the drawn pairs by what may merge and what must stay apart, each without and with a guard's objection."""
    captions = (
        (True, False, "may merge, and no guard objects", SAME),
        (True, True, "may merge, but a guard objects and a person is asked", ASKED),
        (False, True, "must stay apart, and a guard objects", HELD),
        (False, False, "must stay apart, and no guard objects", LOOSE),
    )
    pairs = [p for p in calibration.used if p.similarity >= FLOOR]
    return tuple(
        Panel(f"{caption}: {len(shown):,} pairs", colour, shown)
        for same, held, caption, colour in captions
        for shown in [tuple(p for p in pairs if p.may_merge is same and p.held is held)]
    )


def _marks(calibration: Calibration) -> tuple[ThresholdMark, ...]:
    merge, clear = SEED_RULES[2]
    marks = [ThresholdMark(clear, f"review from {clear:.2f} (seed)", SEED_MARK)]
    marks += [ThresholdMark(merge, f"merge from {merge:.2f} (seed)", SEED_MARK)]
    if calibration.certificate:
        tau, line = calibration.certificate.duplicate_from, calibration.certificate.clear_below
        marks += [ThresholdMark(line, f"review from {line:.4f} (certified)", CERTIFIED_MARK)]
        marks += [ThresholdMark(tau, f"merge from {tau:.4f} (certified)", CERTIFIED_MARK)]
    return tuple(sorted(marks, key=lambda m: (m.at, m.says)))


def _head(root: etree._Element, calibration: Calibration, marks: Sequence[ThresholdMark]) -> None:
    _text(root, 24, 34, "Similarity of labelled pairs", 20)
    n_low = sum(p.similarity < FLOOR for p in calibration.used)
    _text(
        root,
        24,
        56,
        f"pairs per 0.01 of cosine; {n_low:,} pairs under {FLOOR:.2f}, where guards are not asked, are left out",
        13,
        QUIET,
    )
    for place, mark in enumerate(marks):
        left = 24 + place * 230
        _add(root, "rect", x=left, y=70, width=3, height=16, fill=mark.colour)
        _text(root, left + 10, 83, mark.says, 13, mark.colour if mark.colour == CERTIFIED_MARK else QUIET)


def _chart(name: str, panel: Panel, marks: Sequence[ThresholdMark]) -> etree._Element:
    counts = Counter(min(BINS - 1, int(p.similarity * BINS + 1e-9)) for p in panel.shown)
    top = max(1, *counts.values()) if counts else 1
    chart = pygal.Histogram(
        width=WIDTH, height=PANEL, style=_style(panel.colour, marks), js=[], show_legend=False, margin=8,
        margin_right=24, spacing=6, range=(0, top), y_labels=sorted({0, top // 2, top}), zero=0, print_values=False,
        x_labels=[at / 20 for at in range(round(FLOOR * 20), 21)], show_x_guides=False,
        x_value_formatter=lambda at: f"{at:.2f}", value_formatter=lambda n: f"{n:>{LABEL_WIDTH},.0f}",
    )  # fmt: skip
    chart.uuid = name
    chart.add("", [(n, at / BINS, (at + 0.94) / BINS) for at, n in sorted(counts.items())] or [(0, FLOOR, 1.0)])
    for mark in marks:
        chart.add("", [(top, mark.at - 0.0008, mark.at + 0.0008)])
    return _plain(chart.render_tree())


def _style(colour: str, marks: Sequence[ThresholdMark]) -> Style:
    return Style(
        background="transparent", plot_background="transparent", foreground=QUIET, foreground_strong=INK,
        foreground_subtle="#d8dde2", font_family=FONT, label_font_size=12, major_label_font_size=12, opacity="1",
        guide_stroke_color="#e4e8ec", major_guide_stroke_color="#e4e8ec", guide_stroke_dasharray="none",
        major_guide_stroke_dasharray="none", stroke_width="0", colors=(colour, *(m.colour for m in marks)),
    )  # fmt: skip


def _plain(tree: etree._Element) -> etree._Element:
    """Return a chart without scripts, tooltips and the library's comments, which contain the date."""
    # Its elements are of no namespace until they are written out.
    for node in [*tree.iter(etree.Comment), *tree.iter("script", "title", "desc")]:
        above = node.getparent()
        if above is not None:
            above.remove(node)
    etree.cleanup_namespaces(tree)
    return tree


def _text(root: etree._Element, x: int, y: int, says: str, size: int, fill: str = INK) -> None:
    _add(root, "text", says, x=x, y=y, fill=fill, **{"font-size": size, "font-family": FONT})


def _add(root: etree._Element, tag: str, says: str = "", **attributes: object) -> None:
    node = etree.SubElement(root, f"{{{SVG}}}{tag}", {name: str(value) for name, value in attributes.items()})
    node.text = says or None
