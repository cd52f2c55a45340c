"""Train a local judge on labelled features: trees, calibration on held-out groups, cut-offs, metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saidonce.adjudication.local_judge.artefact import Artefact
from saidonce.adjudication.local_judge.calibration import Bin, Cuts, auc, cuts, fitted, reliability
from saidonce.errors import UsageError
from saidonce.foundation import extras
from saidonce.foundation.text import digest
from saidonce.matching.likeness.features import NAMES
from saidonce.matching.likeness.trees import Forest, forest, from_lightgbm, unplanted

LEAST_OF_A_KIND = 100
"""Duplicates, and distinct pairs, needed to grow trees; fewer would be overfitted."""

LEAST_TO_CALIBRATE = 30
"""The same for new calibration and cut-offs over existing trees."""

N_FOLDS = 5

RISING = frozenset({"similarity", "seen_mean_low", "seen_mean_high"})
"""Features of which more never makes a duplicate less likely, all else equal."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """Labelled pairs as features.

    Attributes:
        rows: features, shape (n, n_features).
        same: whether each pair is a duplicate.
        groups: pairs of one group share texts; all of a group are on one side of every split.
    """

    rows: NDArray[np.float64]
    same: tuple[bool, ...]
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """Options of a training.

    Attributes:
        wrong_duplicates, wrong_distinct: allowed share of wrong ones beyond the cut-offs, on held-out pairs.
        n_trees: at most; fewer pairs get fewer.
    """

    wrong_duplicates: float = 0.05
    wrong_distinct: float = 0.05
    n_trees: int = 260


@dataclass(frozen=True, slots=True)
class TrainingFigures:
    """Figures of a judge on pairs outside its training and calibration.

    Attributes:
        auc, cosine_auc: probability that a duplicate ranks above a distinct pair, by the judge and by similarity alone.
        precision: share of duplicates among pairs at or above the high cut-off; None if there are none.
        lost: share of duplicates among pairs at or under the low cut-off; None if there are none.
        unsure: share of pairs between the cut-offs.
    """

    n_same: int
    n_distinct: int
    auc: float
    cosine_auc: float
    precision: float | None
    lost: float | None
    unsure: float
    bins: tuple[Bin, ...]


def trained(
    labelled: Labelled, embedder: str, description: Mapping[str, Any], options: TrainingOptions
) -> tuple[dict[str, Any], TrainingFigures]:
    """Grow trees, calibrate them on held-out groups and choose cut-offs.

    Args:
        labelled: pairs of one embedder.
        embedder: its fingerprint.
        description: of the training, for people; figures are added.
        options: see `TrainingOptions`.

    Returns:
        the body of an artefact, for `artefact.write`, and the figures on held-out groups.

    Raises:
        UsageError: too few pairs, one side missing, too few groups, or LightGBM is not installed.
    """
    _enough(labelled, LEAST_OF_A_KIND, "train")
    scores = _held_out(labelled, options)
    body, figures = _calibrated(labelled, scores, options)
    trees = grown(labelled, options)
    training = {**dict(description), "figures": _summary(figures), "n_pairs": len(labelled.same)}
    return {"embedder": embedder, "trees": trees, **body, "training": training}, figures


def recalibrated(
    labelled: Labelled, base: Artefact, description: Mapping[str, Any], options: TrainingOptions
) -> tuple[dict[str, Any], TrainingFigures]:
    """Fit calibration and cut-offs to these pairs, keeping the trees of a judge.

    Raises:
        UsageError: too few pairs, or one side missing.
    """
    _enough(labelled, LEAST_TO_CALIBRATE, "calibrate")
    scores = np.array([base.forest.score(row) for row in labelled.rows])
    body, figures = _calibrated(labelled, scores, options)
    training = {
        **dict(description),
        "trees_of": base.sha256,
        "figures": _summary(figures),
        "n_pairs": len(labelled.same),
    }
    return {"embedder": base.embedder, "trees": unplanted(base.forest), **body, "training": training}, figures


def _enough(labelled: Labelled, least: int, what: str) -> None:
    n_same = sum(labelled.same)
    n_distinct = len(labelled.same) - n_same
    if bool(n_same) is not bool(n_distinct):
        missing = "distinct pairs" if n_same else "duplicates"
        raise UsageError(
            f"all {len(labelled.same)} labels are on one side: there are no {missing}; a judge learns from both"
        )
    if min(n_same, n_distinct) < least:
        more = " (or keep the trees that are there with --keep-trees)" if what == "train" else ""
        raise UsageError(
            f"too few pairs to {what} on: {n_same} duplicates and {n_distinct} distinct pairs; "
            f"at least {least} of each are needed{more}"
        )
    if len(set(labelled.groups)) < 2 * N_FOLDS:
        raise UsageError(
            f"the pairs form {len(set(labelled.groups))} groups that share texts; at least {2 * N_FOLDS} "
            "are needed to hold some out"
        )


def folds(groups: Sequence[str], n: int = N_FOLDS) -> NDArray[np.int64]:
    """Return the fold of each pair; groups are assigned, largest first, to the emptiest fold, ties by name."""
    names, counts = np.unique(np.array(groups), return_counts=True)
    sizes = [0] * n
    of: dict[str, int] = {}
    for name, count in sorted(zip(names.tolist(), counts.tolist(), strict=True), key=lambda g: (-g[1], digest(g[0]))):
        of[name] = sizes.index(min(sizes))
        sizes[of[name]] += count
    return np.array([of[g] for g in groups])


def _held_out(labelled: Labelled, options: TrainingOptions) -> NDArray[np.float64]:
    """Score each pair by trees trained without its group."""
    of, same = folds(labelled.groups), np.array(labelled.same)
    scores = np.zeros(len(same))
    for fold in range(N_FOLDS):
        rest, here = np.flatnonzero(of != fold), np.flatnonzero(of == fold)
        if len(set(same[rest].tolist())) < 2:
            raise UsageError("one group has nearly all duplicates, or all distinct pairs; label pairs of more texts")
        part = Labelled(labelled.rows[rest], tuple(same[rest].tolist()), ())
        trees = planted(grown(part, options))
        scores[here] = [trees.score(row) for row in labelled.rows[here]]
    return scores


def planted(trees: Sequence[Mapping[str, Any]]) -> Forest:
    """Return trees over this version's features for scoring."""
    return forest(trees, len(NAMES))


def grown(labelled: Labelled, options: TrainingOptions) -> list[dict[str, list[Any]]]:
    """Grow trees by LightGBM, one thread and fixed seeds; the same pairs in the same order give the same trees.

    Raises:
        MissingExtraError: LightGBM is not installed.
    """
    try:
        import lightgbm  # noqa: PLC0415 - an extra, needed for training only
    except ImportError as missing:
        raise extras.error("train", "training", missing.name or "") from missing
    n = len(labelled.same)
    parameters = {
        "objective": "binary",
        "num_leaves": 7,
        "learning_rate": 0.05,
        "min_data_in_leaf": max(10, min(40, n // 60)),
        "feature_fraction": 0.4,
        "bagging_fraction": 0.8,
        "bagging_freq": 1,
        "lambda_l2": 10.0,
        "max_bin": 63,
        "seed": 7,
        "deterministic": True,
        "force_row_wise": True,
        "num_threads": 1,
        "verbosity": -1,
        "boost_from_average": True,
        "monotone_constraints": [int(name in RISING) for name in NAMES],
    }
    rounds = min(options.n_trees, max(60, n // 10))
    dataset = lightgbm.Dataset(labelled.rows, np.array(labelled.same, dtype=float), feature_name=list(NAMES))
    return from_lightgbm(lightgbm.train(parameters, dataset, num_boost_round=rounds).dump_model())


def _calibrated(
    labelled: Labelled, scores: NDArray[np.float64], options: TrainingOptions
) -> tuple[dict[str, Any], TrainingFigures]:
    same = labelled.same
    line = fitted(scores.tolist(), same)
    probabilities = [line.probability(float(s)) for s in scores]
    ends = cuts(probabilities, same, options.wrong_duplicates, options.wrong_distinct)
    body = {"calibration": asdict(line), "cuts": asdict(ends)}
    return body, measured(labelled.rows, probabilities, same, ends)


def measured(
    rows: NDArray[np.float64], probabilities: Sequence[float], same: Sequence[bool], ends: Cuts
) -> TrainingFigures:
    """Return the figures of probabilities of labelled pairs."""
    p, is_same = np.array(probabilities), np.array(same, dtype=bool)
    top, bottom = p >= ends.high, p <= ends.low
    return TrainingFigures(
        int(is_same.sum()),
        int((~is_same).sum()),
        auc(probabilities, same),
        auc(rows[:, NAMES.index("similarity")].tolist(), same),
        float(is_same[top].mean()) if top.any() else None,
        float(is_same[bottom].mean()) if bottom.any() else None,
        float((~top & ~bottom).mean()),
        reliability(probabilities, same),
    )


def _summary(figures: TrainingFigures) -> dict[str, Any]:
    rounded = asdict(figures)
    rounded.pop("bins")
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in rounded.items()}
