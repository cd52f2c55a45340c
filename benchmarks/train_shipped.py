"""Train the judge that ships: `python -m benchmarks.train_shipped`; prints its figures and SHA-256.

The rows and their licences are those of `benchmarks.shipped_rows`; the same rows give the same file.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.adjudication_features import matrix
from benchmarks.shipped_rows import LICENCES, SEED, counts, shipped_rows
from saidonce.adapters.embed.minilm import MiniLM
from saidonce.adjudication import local_judge
from saidonce.adjudication.local_judge import Labelled, TrainingOptions, trained, write

FOLDER = Path(local_judge.__file__).parent / "data"

NEAR = 0.6
"""Similarity under which no use of the ladder asks a judge, and nothing is to be learnt for it."""


def main() -> None:
    model = MiniLM()
    rows = shipped_rows(model)
    seen = matrix(rows)
    near = [n for n in range(len(rows)) if seen[n, 0] >= NEAR]
    chosen = [rows[n] for n in near]
    labelled = Labelled(seen[near], tuple(r.same for r in chosen), tuple(f"{r.source} {r.group}" for r in chosen))
    sources = [
        {"name": name, "duplicates": same, "distinct": other, "licence": LICENCES[name]}
        for name, (same, other) in counts(chosen).items()
    ]
    card = {
        "on": "pairs whose licence lets what is learnt from them be shipped; no sentence of them is in this file",
        "made_by": "python -m benchmarks.train_shipped",
        "seed": SEED,
        "sources": sources,
    }
    body, figures = trained(labelled, model.model, card, TrainingOptions())
    artefact = write(FOLDER, body)
    print(figures)
    print(artefact.cuts, artefact.calibration)
    print("SHA-256", artefact.sha256)


if __name__ == "__main__":
    main()
