"""Step 5 of `make judge`: grow trees over similarity features of two sentences: words, order and guards.

`python -m training.judge.stack --data ../shared/data --out .judge/likeness.json`

Scripted alterations are left out: the trees would learn the script's word lists. So is what was written later: with it
they are better over the whole range of scores, and worse at the strict end. They are trained on the train part,
which the network has memorised, so its logit is not a feature of theirs. Both are weighted on the dev part, which
neither has seen (`training.judge.seal`).
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from numpy.typing import NDArray

from saidonce.adjudication.equivalence import likeness_features
from saidonce.matching.likeness import NAMES, VERSION, Forest, forest, from_lightgbm
from training.judge.figures import Scored, figures_of, table
from training.judge.open import is_open
from training.judge.pairs import SEED, TRAIN, compared, read

N_TREES = 150
N_FOLDS = 5

OTHERS = 0.5
"""Weight of a pair of another set than SummEdits, whose labels people gave to re-wordings that people meet."""

PARAMETERS = {
    "objective": "binary", "num_leaves": 12, "learning_rate": 0.05, "min_data_in_leaf": 20, "feature_fraction": 0.6,
    "bagging_fraction": 0.8, "bagging_freq": 1, "lambda_l2": 5, "seed": SEED, "deterministic": True, "num_threads": 1,
    "verbose": -1, "force_row_wise": True, "use_missing": False,
}  # fmt: skip

Matrix = NDArray[np.float64]


def grown(rows: Matrix, same: Matrix, weights: Matrix) -> list[dict[str, list[Any]]]:
    """Grow trees; the same rows give the same trees."""
    data = lightgbm.Dataset(rows, same, weight=weights)
    return from_lightgbm(lightgbm.train(PARAMETERS, data, N_TREES).dump_model())


def crossed(rows: Matrix, same: Matrix, weights: Matrix, groups: Sequence[str]) -> list[float]:
    """Return the score of each row by trees trained without its original."""
    folds = np.array([hashlib.blake2b(g.encode()).digest()[0] % N_FOLDS for g in groups])
    scores = np.zeros(len(same))
    for fold in range(N_FOLDS):
        kept, own = folds != fold, np.flatnonzero(folds == fold)
        trees = planted(grown(rows[kept], same[kept], weights[kept]))
        scores[own] = [trees.score(rows[n]) for n in own]
    return [float(s) for s in scores]


def planted(trees: list[dict[str, list[Any]]]) -> Forest:
    """Return trees for scoring."""
    return forest(trees, len(NAMES))


def main() -> None:
    """Grow, write, and print figures across folds of the originals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    originals = [pair for pair in read(options.data) if pair.part == TRAIN and not pair.id.startswith("later/")]
    pairs = [compared(pair) for pair in originals]
    rows = np.array([likeness_features(p.a, p.b, "en") for p in pairs])
    same = np.array([p.same for p in pairs], dtype=float)
    weights = np.array([1.0 if p.source == "summedits" else OTHERS for p in pairs])
    scored = [
        Scored(p.source, TRAIN, bool(p.same), score, is_open(p.a, p.b))
        for p, score in zip(pairs, crossed(rows, same, weights, [o.a for o in originals]), strict=True)
    ]
    own = [s for s in scored if s.source == "summedits"]
    figures = {"SummEdits": figures_of(own), "SummEdits, open": figures_of([s for s in own if s.open])}
    print(f"trees alone, across {N_FOLDS} folds of the train part's originals\n\n{table(figures, shipped=False)}")
    document = {"features": {"version": VERSION, "names": list(NAMES)}, "trees": grown(rows, same, weights)}
    options.out.write_text(json.dumps(document, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{options.out}: {options.out.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
