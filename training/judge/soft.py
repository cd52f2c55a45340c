"""Step 3 of `make teachers`: the mean of the teachers' logits, as soft labels, and the quality of each part.

`python -m training.judge.soft --logits .judge/logits/*.npz --pairs .judge/pairs.jsonl --out training/judge/soft.npz`
"""

from __future__ import annotations

import argparse
import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

TARGETS = (0.03, 0.97)
"""Labels are people's and sometimes wrong: neither is certain."""

LABEL_SHARE = 0.5
"""What a label weighs beside the teachers' answer, where there are both."""


def read_soft(file: Path) -> dict[str, float]:
    """Return the teachers' logits by the ids of the pairs."""
    with np.load(file) as kept:
        return dict(zip(kept["ids"].tolist(), kept["logits"].tolist(), strict=True))


def target_of(row: dict[str, Any], soft: Mapping[str, float]) -> float:
    """Return the probability that a pair says the same by its label, by teachers' logits, or by both."""
    logit, label = soft.get(row["id"]), row["same"]
    taught = None if logit is None else 1 / (1 + math.exp(-logit))
    if label is None:
        if taught is None:
            raise ValueError(f"{row['id']!r} has no label, and no teacher has read it")
        return taught
    own = TARGETS[label]
    return own if taught is None else LABEL_SHARE * own + (1 - LABEL_SHARE) * taught


def area(logits: Sequence[float], same: Sequence[bool]) -> float:
    """Return the area under the ROC curve; ties count half."""
    values, labels = np.array(logits), np.array(same)
    ranks = np.empty(len(values))
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    n_same = labels.sum()
    return float((ranks[labels].sum() - n_same * (n_same + 1) / 2) / (n_same * (len(labels) - n_same)))


def main() -> None:
    """Average, report the parts train (cross-fitted) and dev, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logits", type=Path, nargs="+", required=True)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    by_teacher: dict[str, dict[str, float]] = defaultdict(dict)
    for file in sorted(options.logits):
        with np.load(file) as kept:
            teacher = file.stem.rsplit("-", 2)[0] if file.stem.endswith("--1") else file.stem.rsplit("-", 1)[0]
            by_teacher[teacher].update(zip(kept["ids"].tolist(), kept["logits"].tolist(), strict=True))
    ids = sorted(set.intersection(*(set(each) for each in by_teacher.values())))
    means = {i: float(np.mean([each[i] for each in by_teacher.values()])) for i in ids}
    with options.pairs.open(encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["id"] in means and row["same"] is not None]
    for name, logits in (*by_teacher.items(), ("mean", means)):
        for part in ("train", "dev"):
            for source in ("summedits", "own", "paws", "condaqa", "doc_pairs"):
                own = [row for row in rows if (row["part"], row["source"]) == (part, source)]
                if len({row["same"] for row in own}) == 2:
                    value = area([logits[row["id"]] for row in own], [row["same"] for row in own])
                    print(f"{name:32} {part:6} {source:10} {len(own):5} {value:.3f}")
    trained = {row["id"] for row in rows if row["part"] != "train"}
    kept_ids = [i for i in ids if i not in trained]
    np.savez_compressed(options.out, ids=np.array(kept_ids), logits=np.array([means[i] for i in kept_ids], np.float16))


if __name__ == "__main__":
    main()
