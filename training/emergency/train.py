"""Step 2 of `make danger`: train the encoder of dangers; about 25 minutes on two cores.

`python -m training.emergency.train --rows .danger/rows.jsonl --embedder .danger/embedder.onnx --out .danger/trained.pt`

Runs in the environment with torch.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from training.emergency.network import DangerNetwork, started

RATE, KINDS_RATE, LETTERS_RATE = 1e-4, 1e-3, 3e-2
"""Of Adam's steps: for the layers, for the last map, and for the letters, most of which are rare."""

LAST_PART = 0.4
"""Of these rates in the last epoch, which has long messages."""

BATCH, SORTED = 32, 20
"""Examples of a step, and batches among which examples are sorted by length."""

WARM_STEPS, LAST_SHARE, SMOOTHED, STEEPEST = 100, 0.02, 0.05, 1.0
"""Steps until the full rate, share of it at the end, label smoothing, and the longest gradient."""

N_KINDS, N_LETTERS = 11, 32_768
SEED = 1
_CLS, _SEP = 101, 102


@dataclass(frozen=True, slots=True)
class Row:
    """An example as the encoder reads it: class, word pieces, places and values of its letters."""

    kind: int
    ids: list[int]
    places: list[int]
    values: list[float]


def read(file: Path) -> tuple[tuple[Row, ...], ...]:
    """Return the rows of each epoch."""
    epochs: dict[int, list[Row]] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        n, kind, ids, places, values = json.loads(line)
        epochs.setdefault(n, []).append(Row(kind, [_CLS, *ids, _SEP], places, values))
    return tuple(tuple(rows) for _, rows in sorted(epochs.items()))


def logits(model: DangerNetwork, rows: Sequence[Row]) -> Tensor:
    """Return logits (n, kinds) of words and letters together."""
    longest = max(len(row.ids) for row in rows)
    ids, mask = torch.zeros(len(rows), longest, dtype=torch.long), torch.zeros(len(rows), longest)
    for at, row in enumerate(rows):
        ids[at, : len(row.ids)] = torch.tensor(row.ids)
        mask[at, : len(row.ids)] = 1.0
    places = torch.tensor([place for row in rows for place in row.places], dtype=torch.long)
    values = torch.tensor([value for row in rows for value in row.values])
    ends = torch.tensor([0, *(len(row.places) for row in rows[:-1])]).cumsum(0)
    words: Tensor = model(model.words(ids), mask)
    letters: Tensor = model.letters(places, ends, per_sample_weights=values)
    return words + letters


def batches(rows: Sequence[Row], draw: random.Random) -> Iterator[list[Row]]:
    """Yield batches of rows of about equal length, in random order among a few of them."""
    size = BATCH * SORTED
    for at in range(0, len(rows), size):
        chunk = sorted(rows[at : at + size], key=lambda row: len(row.ids))
        some = [chunk[place : place + BATCH] for place in range(0, len(chunk), BATCH)]
        draw.shuffle(some)
        yield from some


def train(model: DangerNetwork, epochs: Sequence[Sequence[Row]], seed: int, part: float = 1.0) -> None:
    """Train a network on the rows of each epoch, in their order, with a part of the rates."""
    layers = [p for n, p in model.named_parameters() if p.requires_grad and not n.startswith(("kinds", "letters"))]
    optimizer = torch.optim.AdamW(
        [
            {"params": layers, "lr": part * RATE},
            {"params": model.kinds.parameters(), "lr": part * KINDS_RATE},
            {"params": model.letters.parameters(), "lr": part * LETTERS_RATE, "weight_decay": 0.0},
        ],
        weight_decay=0.01,
    )
    n_steps = sum(len(rows) // BATCH + 1 for rows in epochs)
    rates = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / WARM_STEPS) * max(LAST_SHARE, 1.0 - step / n_steps)
    )
    torch.manual_seed(seed)
    draw, start = random.Random(seed), time.monotonic()
    for n, rows in enumerate(epochs, 1):
        model.train()
        losses = []
        for batch in batches(rows, draw):
            kinds = torch.tensor([row.kind for row in batch])
            loss = nn.functional.cross_entropy(logits(model, batch), kinds, label_smoothing=SMOOTHED)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), STEEPEST)
            optimizer.step()
            rates.step()
            losses.append(loss.item())
        took = time.monotonic() - start
        sys.stdout.write(f"epoch {n}: loss {sum(losses[-100:]) / len(losses[-100:]):.3f}, {took:.0f} s\n")
        sys.stdout.flush()


def main() -> None:
    """Train and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--embedder", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    torch.set_num_threads(2)
    model, epochs = started(options.embedder, N_KINDS, N_LETTERS), read(options.rows)
    train(model, epochs[:-1], options.seed)
    train(model, epochs[-1:], options.seed, LAST_PART)
    torch.save(model.state_dict(), options.out)


if __name__ == "__main__":
    main()
