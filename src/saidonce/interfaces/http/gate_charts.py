"""Charts of the gate's page, drawn as SVG by pygal without scripts."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pygal  # type: ignore[import-untyped]
from pygal.style import Style  # type: ignore[import-untyped]

from saidonce.foundation.model import Reason
from saidonce.gate import GateStats
from saidonce.interfaces.http.charts import drawn, options

NAMES = ("days", "reasons", "bands", "failures")


def draw(name: str, figures: GateStats, dark: bool = False) -> bytes:
    """Draw one of `NAMES` as SVG, without scripts or comments.

    Raises:
        KeyError: there is no such chart.
    """
    return drawn(lambda style: _CHARTS[name](figures, style), dark)


def _days(figures: GateStats, style: Style) -> pygal.Bar:
    chart = pygal.StackedBar(**options(style, x_labels=[day for day, *_ in figures.days]))
    chart.add("cleared", [cleared for _, cleared, _, _ in figures.days])
    chart.add("blocked", [blocked for _, _, blocked, _ in figures.days])
    chart.add("let through", [through for *_, through in figures.days])
    return chart


def _reasons(figures: GateStats, style: Style) -> pygal.HorizontalBar:
    names = list(figures.reasons)
    chart = pygal.HorizontalStackedBar(**options(style, x_labels=[n.replace("_", " ") for n in names]))
    chart.add("cleared", [figures.cleared_for.get(n, 0) for n in names])
    through = {Reason.OVERRIDE.value, Reason.ESCAPE_HATCH.value}
    others = [figures.reasons[n] - figures.cleared_for.get(n, 0) for n in names]
    chart.add("blocked", [0 if n in through else left for n, left in zip(names, others, strict=True)])
    chart.add("let through", [left if n in through else 0 for n, left in zip(names, others, strict=True)])
    return chart


def _bands(figures: GateStats, style: Style) -> pygal.Bar:
    names = ("none", "below", "band", "above")
    labels = ("nothing near", "below the band", "in the band", "above the band")
    chart = pygal.Bar(**options(style, x_labels=list(labels), show_legend=False))
    chart.add("submissions", [figures.bands.get(n, 0) for n in names])
    return chart


def _failures(figures: GateStats, style: Style) -> pygal.Bar:
    names = list(figures.failures)
    chart = pygal.Bar(**options(style, x_labels=[n.replace("_", " ") for n in names], show_legend=False))
    chart.add("failures", [figures.failures[n] for n in names])
    return chart


_CHARTS: Mapping[str, Callable[[GateStats, Style], pygal.graph.graph.Graph]] = {
    "days": _days,
    "reasons": _reasons,
    "bands": _bands,
    "failures": _failures,
}
