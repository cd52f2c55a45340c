"""Metrics of a judge: re-wordings accepted at a given share of changes caught."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

SHARES = (0.95, 0.97, 0.99)

SETS = {
    "summedits": ("summedits",), "paws": ("paws",), "manuals": ("doc_pairs", "coexisting_pairs", "kb_nist_pairs"),
    "condaqa": ("condaqa",), "own": ("own",), "rebuilt": ("rebuilt",),
}  # fmt: skip
"""Sources as they are reported, and counted together."""

REPORTED = {**SETS, "unseen": ("unseen",), "all": tuple(source for own in SETS.values() for source in own)}
"""Those, what was written after all training, and those together."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A labelled pair and a judge's score.

    Attributes:
        open: whether the ladder leaves the pair open.
    """

    source: str
    part: str
    same: bool
    score: float
    open: bool = True


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of one set; None where it has no pair of a label.

    Attributes:
        auc: probability that a re-wording scores above a change, ties counting half.
        balanced: the best mean of re-wordings accepted and changes caught, over all thresholds; an upper bound.
        accepted: re-wordings accepted where 95, 97 and 99 of 100 changes of this set are caught.
        caught, let_through: changes caught and re-wordings accepted at the shipped threshold and margin.
    """

    n_same: int
    n_changed: int
    auc: float | None
    balanced: float | None
    accepted: tuple[float | None, ...]
    caught: float | None
    let_through: float | None

    def as_json(self) -> dict[str, Any]:
        """Return the figures as JSON values."""
        return {**asdict(self), "accepted": dict(zip(("at_95", "at_97", "at_99"), self.accepted, strict=True))}


def figures_of(scored: Sequence[Scored], cut: float = np.inf) -> Figures:
    """Compute the figures of a set; `cut` is the score from which the shipped judge accepts."""
    same = np.sort([s.score for s in scored if s.same])
    changed = np.sort([s.score for s in scored if not s.same])
    caught = _rounded(float((changed < cut).mean())) if len(changed) else None
    let_through = _rounded(float((same >= cut).mean())) if len(same) else None
    if not len(same) or not len(changed):
        return Figures(len(same), len(changed), None, None, (None,) * len(SHARES), caught, let_through)
    below, upto = np.searchsorted(changed, same, "left"), np.searchsorted(changed, same, "right")
    auc = float(((below + upto) / 2).mean() / len(changed))
    cuts = np.unique(np.concatenate([same, changed]))
    balanced = max(float(((same >= c).mean() + (changed < c).mean()) / 2) for c in cuts)
    accepted = tuple(_rounded(accepted_at(same, changed, share)) for share in SHARES)
    return Figures(len(same), len(changed), _rounded(auc), _rounded(balanced), accepted, caught, let_through)


def accepted_at(same: np.ndarray[Any, Any], changed: np.ndarray[Any, Any], share: float) -> float:
    """Return the share of re-wordings above the score below which `share` of the changes lie."""
    n_missed = int(len(changed) * (1 - share) + 1e-9)
    highest = np.sort(changed)[::-1][n_missed] if n_missed < len(changed) else -1.0
    return float((same > highest).mean())


def _rounded(number: float) -> float:
    return round(number, 4)


def table(figures: Mapping[str, Figures], shipped: bool = True) -> str:
    """Return the figures as a Markdown table, with or without those of the shipped threshold."""
    names = ["set", "same", "changed", "AUC", "balanced", "accepted at 95", "at 97", "at 99"]
    names += ["caught, shipped", "accepted, shipped"] if shipped else []
    lines = [f"| {' | '.join(names)} |", f"| --- |{' ---: |' * (len(names) - 1)}"]
    for name, f in figures.items():
        shares = (f.balanced, *f.accepted, *((f.caught, f.let_through) if shipped else ()))
        cells = [f"{f.auc:.3f}" if f.auc is not None else "", *("" if x is None else f"{100 * x:.1f}" for x in shares)]
        lines.append(f"| {name} | {f.n_same} | {f.n_changed} | {' | '.join(cells)} |")
    return "\n".join(lines)
