"""Charts of the dashboard, drawn as SVG by pygal without scripts."""

from __future__ import annotations

import base64
import hashlib
import html
import re
import sys
from collections.abc import Callable, Mapping

import pygal  # type: ignore[import-untyped]
from pygal.style import Style  # type: ignore[import-untyped]

from saidonce.kb.analytics import Analytics
from saidonce.kb.review import VERB_LABELS

# It leaves a finder behind whose kind is deprecated: every later import would warn.
sys.meta_path[:] = [finder for finder in sys.meta_path if hasattr(finder, "find_spec")]

NAMES = ("growth", "similarities", "rulings", "formats")

_STYLE = re.compile(r"<style[^>]*>(.*?)</style>", re.DOTALL)
_STYLED = re.compile(r'\sstyle="([a-z-]+): ?([^";]+);?"')
_SCRIPT = re.compile(r"<script.*?</script>|<!--.*?-->", re.DOTALL)
_FONT = "Inter, system-ui, sans-serif"
MOST_LEVEL = 9
"""Labels below bars that stand level; more are turned, so that none lies on the next."""

_BINS = 18


def draw(name: str, figures: Analytics, dark: bool = False) -> bytes:
    """Draw one of `NAMES` as SVG, without scripts, comments or styles of single elements.

    Raises:
        KeyError: there is no such chart.
    """
    return drawn(lambda style: _CHARTS[name](figures, style), dark)


def drawn(chart: Callable[[Style], pygal.graph.graph.Graph], dark: bool) -> bytes:
    """Draw a chart as SVG, without scripts or comments."""
    svg: str = chart(_style(dark)).render(is_unicode=True)
    return _STYLED.sub(r' \1="\2"', _SCRIPT.sub("", svg)).encode()


def styles(drawn: bytes) -> str:
    """Return the sources of a Content-Security-Policy that allow the style sheets of one chart only."""
    sheets = [html.unescape(sheet) for sheet in _STYLE.findall(drawn.decode())]
    hashes = [base64.b64encode(hashlib.sha256(sheet.encode()).digest()).decode() for sheet in sheets]
    return " ".join(f"'sha256-{digest}'" for digest in hashes) or "'none'"


def _style(dark: bool) -> Style:
    ink, faint = ("#e6e8eb", "#9aa3ad") if dark else ("#1c2127", "#5b6570")
    line = "#2a3138" if dark else "#e4e7eb"
    return Style(
        background="transparent", plot_background="transparent", foreground=faint, foreground_strong=ink,
        foreground_subtle=line, font_family=_FONT, label_font_size=15,
        major_label_font_size=15, legend_font_size=16, value_font_size=14, title_font_size=15, opacity=".9",
        opacity_hover="1", transition="0s", no_data_font_size=16, guide_stroke_color=line, guide_stroke_dasharray="0",
        major_guide_stroke_color=line, major_guide_stroke_dasharray="0",
        colors=("#6ea8fe", "#f0a35e", "#5fc08a", "#c58af9") if dark else ("#1f6feb", "#b45309", "#18794e", "#7c3aed"),
    )  # fmt: skip


def options(style: Style, **more: object) -> dict[str, object]:
    """Return the options common to all charts, with others added."""
    return {
        "style": style, "js": [], "width": 720, "height": 330, "legend_at_bottom": True, "margin": 12,
        "show_dots": False, "disable_xml_declaration": True, "explicit_size": False, "no_data_text": "nothing yet",
        "classes": ("chart",), "truncate_label": -1, **more,
    }  # fmt: skip


def _growth(figures: Analytics, style: Style) -> pygal.Line:
    points = figures.growth
    every = max(1, -(-len(points) // 5))
    labels = ["" if n % every else p.at.strftime("%d %b %H:%M") for n, p in enumerate(points)]
    chart = pygal.Line(**options(style, x_labels=labels))
    chart.add("all texts", [p.n_segments for p in points])
    chart.add("without repeats inside documents", [p.n_kept for p in points])
    chart.add("and merged across documents", [p.n_blocks for p in points])
    return chart


def _similarities(figures: Analytics, style: Style) -> pygal.Bar:
    low = 0.82
    width = (1.0 - low) / _BINS
    chart = pygal.StackedBar(
        **options(
            style, x_labels=[f"{low + width * n:.2f}" for n in range(_BINS)], x_labels_major_every=3,
            show_minor_x_labels=False,
        )
    )  # fmt: skip
    for name, values in figures.similarities.items():
        counts = [0] * _BINS
        for value in values:
            counts[max(0, min(_BINS - 1, int((value - low) / width)))] += 1
        chart.add({"flagged": "sent to review"}.get(name, name), counts)
    return chart


def _rulings(figures: Analytics, style: Style) -> pygal.HorizontalBar:
    verbs = sorted({verb for verb, _ in figures.rulings})
    chart = pygal.HorizontalStackedBar(**options(style, x_labels=[VERB_LABELS[v] for v in verbs]))
    for actor, words in (("policy", "automatically"), ("person", "by people")):
        chart.add(words, [figures.rulings.get((verb, actor), 0) for verb in verbs])
    return chart


def _formats(figures: Analytics, style: Style) -> pygal.Bar:
    shares = figures.status.dedup_by_doc_type
    turn = 60 if len(shares) > MOST_LEVEL else 0
    chart = pygal.Bar(**options(style, x_labels=list(shares), show_legend=False, x_label_rotation=turn))
    chart.add("removed inside documents, per cent", [round(100 * share, 1) for share in shares.values()])
    return chart


_CHARTS: Mapping[str, Callable[[Analytics, Style], pygal.graph.graph.Graph]] = {
    "growth": _growth,
    "similarities": _similarities,
    "rulings": _rulings,
    "formats": _formats,
}
