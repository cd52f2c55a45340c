"""Gradient boosted trees, read from plain lists and added up in a fixed order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_TREES = 2_000
MOST_NODES = 512
"""Limits of an untrusted file; a shipped tree has at most 13 nodes."""


@dataclass(frozen=True, slots=True)
class Forest:
    """Trees side by side, shape (n_trees, n_nodes): a node without a feature is a leaf.

    Attributes:
        feature: the feature compared at a node; -1 for a leaf.
        threshold: a row with at most this goes left; of a leaf, its value.
        left, right: places of the children; of a leaf, its own.
    """

    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    depth: int

    def score(self, row: Sequence[float]) -> float:
        """Return the sum of the leaves reached by a row of features, correctly rounded: equal in any order of trees."""
        values = np.asarray(row, dtype=np.float64)
        trees = np.arange(len(self.feature))
        at = np.zeros(len(self.feature), dtype=np.int32)
        for _ in range(self.depth):
            goes_left = values[self.feature[trees, at]] <= self.threshold[trees, at]
            at = np.where(goes_left, self.left[trees, at], self.right[trees, at])
        return math.fsum(self.threshold[trees, at].tolist())


def forest(trees: Sequence[Mapping[str, Any]], n_features: int) -> Forest:
    """Put trees side by side.

    Args:
        trees: each with four lists of one length: `feature` (-1 for a leaf), `threshold` (a leaf's value), `left`,
            `right` (places of the children, which stand behind their parent).
        n_features: numbers in a row.

    Raises:
        ValueError: a tree is malformed: lists of other lengths or types, a child before its parent, an unknown feature.
    """
    if not 0 < len(trees) <= MOST_TREES:
        raise ValueError(f"{len(trees)} trees, not 1 to {MOST_TREES}")
    depths = [_checked(n, tree, n_features) for n, tree in enumerate(trees)]
    width = max(len(tree["feature"]) for tree in trees)
    feature = np.full((len(trees), width), -1, dtype=np.int32)
    threshold = np.zeros((len(trees), width))
    left, right = (np.tile(np.arange(width, dtype=np.int32), (len(trees), 1)) for _ in range(2))
    for n, tree in enumerate(trees):
        size = len(tree["feature"])
        feature[n, :size], threshold[n, :size] = tree["feature"], tree["threshold"]
        inner = [at for at in range(size) if tree["feature"][at] >= 0]
        left[n, inner] = [tree["left"][at] for at in inner]
        right[n, inner] = [tree["right"][at] for at in inner]
    return Forest(feature, threshold, left, right, max(depths))


def _checked(n: int, tree: Mapping[str, Any], n_features: int) -> int:
    """Return the depth of a sound tree."""
    lists = [tree.get(name) for name in ("feature", "threshold", "left", "right")]
    if set(tree) != {"feature", "threshold", "left", "right"} or not all(isinstance(part, list) for part in lists):
        raise ValueError(f"tree {n} lacks one of the lists feature, threshold, left, right")
    feature, threshold, left, right = lists
    assert feature is not None
    assert threshold is not None
    assert left is not None
    assert right is not None
    size = len(feature)
    if not 0 < size <= MOST_NODES or {len(part) for part in (threshold, left, right)} != {size}:
        raise ValueError(f"tree {n} has lists of other lengths, or none or too many nodes")
    if not all(type(v) is int and v < n_features for part in (feature,) for v in part):
        raise ValueError(f"tree {n} names an unknown feature")
    if not all(type(v) in (int, float) and math.isfinite(v) for v in threshold):
        raise ValueError(f"tree {n} has a threshold that is not a number")
    depth = [0] * size
    for at in range(size):
        if feature[at] < 0:
            continue
        for child in (left[at], right[at]):
            if type(child) is not int or not at < child < size:
                raise ValueError(f"tree {n} has a node whose child does not stand behind it")
            depth[child] = depth[at] + 1
    return max(depth)


def unplanted(trees: Forest) -> list[dict[str, list[Any]]]:
    """Return the lists of a forest; `forest` makes the same forest of them."""
    all_lists = []
    for feature, threshold, left, right in zip(trees.feature, trees.threshold, trees.left, trees.right, strict=True):
        size = (
            1 + max(int(max(left[at], right[at])) for at in np.flatnonzero(feature >= 0)) if (feature >= 0).any() else 1
        )
        lists = (feature[:size], threshold[:size], left[:size], right[:size])
        names = ("feature", "threshold", "left", "right")
        all_lists.append({name: part.tolist() for name, part in zip(names, lists, strict=True)})
    return all_lists


def from_lightgbm(dump: Mapping[str, Any]) -> list[dict[str, list[Any]]]:
    """Turn a LightGBM model, as returned by its `dump_model`, into lists.

    Thresholds are rounded to 6 decimals, which moves none past a feature of 4, and leaves to 7.

    Raises:
        ValueError: a split that is no plain comparison.
    """
    return [_flattened(info["tree_structure"]) for info in dump["tree_info"]]


def _rounded(threshold: float) -> float:
    """Round to six decimals; thresholds next to zero, where LightGBM separates zero from others, keep their side."""
    return round(threshold, 6) or math.copysign(1e-6, threshold)


def _flattened(root: Mapping[str, Any]) -> dict[str, list[Any]]:
    lists: dict[str, list[Any]] = {"feature": [], "threshold": [], "left": [], "right": []}
    waiting: list[tuple[Mapping[str, Any], int, str]] = [(root, -1, "")]
    while waiting:
        node, parent, side = waiting.pop(0)
        at = len(lists["feature"])
        if parent >= 0:
            lists[side][parent] = at
        if "leaf_value" in node:
            entry = (-1, round(float(node["leaf_value"]), 7))
        elif node["decision_type"] == "<=" and node["missing_type"] == "None":
            entry = (int(node["split_feature"]), _rounded(float(node["threshold"])))
            waiting += [(node["left_child"], at, "left"), (node["right_child"], at, "right")]
        else:
            raise ValueError(f"a split by {node['decision_type']!r} with missing values {node['missing_type']!r}")
        lists["feature"].append(entry[0])
        lists["threshold"].append(entry[1])
        lists["left"].append(at)
        lists["right"].append(at)
    return lists
