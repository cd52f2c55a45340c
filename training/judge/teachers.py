"""Step 2 of `make teachers`: score the pairs by larger networks, each pair by networks not trained on it.

`python -m training.judge.teachers --pairs .judge/pairs.jsonl --out .judge/logits
--teacher mpnet .judge/teachers/mpnet.safetensors 1 0.3`

A teacher is trained on four fifths of the originals and gives its logits for the rest, five times over, so that no
logit repeats a label that its teacher has seen. Means of several teachers are the soft labels of the shipped network.
Runs in an environment with torch, on a GPU in minutes; teachers run in parallel in separate processes.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from training.judge.encoder import HIDDEN, N_KINDS, chosen_mean
from training.judge.soft import TARGETS
from training.judge.train import is_later, plan, tensors

FOLDS = 5
CLS, SEPARATOR, MASK = 101, 102, 103
"""In the vocabulary of BERT, in which pairs are encoded."""


@dataclass(frozen=True, slots=True)
class Build:
    """The dimensions of a BERT-like network.

    Attributes:
        n_buckets: number of relative-position buckets of the attention bias, as in MPNet; 0 for none.
        shift: added to a token of BERT's vocabulary; the special tokens have numbers of their own in `special`.
        first_place: position number of the first token.
    """

    width: int
    heads: int
    inner: int
    layers: int
    epsilon: float = 1e-12
    n_buckets: int = 0
    shift: int = 0
    special: tuple[tuple[int, int], ...] = ()
    first_place: int = 0
    vocabulary: int = 30_522
    places: int = 512


BUILDS = {
    "minilm-l12": Build(384, 12, 1536, 12),
    "mpnet": Build(
        768, 12, 3072, 12, 1e-5, 32, 4, ((CLS, 0), (SEPARATOR, 2), (MASK, 30_526)), 2, 30_527, 514
    ),
}  # fmt: skip


class TeacherLayer(nn.Module):
    """Attention, then two linear maps, each added to its input and normalised."""

    def __init__(self, build: Build) -> None:
        super().__init__()
        width = build.width
        self.heads = build.heads
        self.query, self.key, self.value, self.mixed = (nn.Linear(width, width) for _ in range(4))
        self.mixed_norm = nn.LayerNorm(width, eps=build.epsilon)
        self.up, self.down = nn.Linear(width, build.inner), nn.Linear(build.inner, width)
        self.norm = nn.LayerNorm(width, eps=build.epsilon)
        self.dropout = nn.Dropout(0.1)

    def forward(self, states: Tensor, bias: Tensor) -> Tensor:
        """Map states (n, length, width); `bias` (n, heads or 1, length or 1, length) is added to attention's logits."""
        n, length, width = states.shape
        query, key, value = (
            part(states).view(n, length, self.heads, -1).transpose(1, 2) for part in (self.query, self.key, self.value)
        )
        mixed = nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=bias.to(query.dtype))
        mixed = self.mixed(mixed.transpose(1, 2).reshape(n, length, width))
        states = self.mixed_norm(states + self.dropout(mixed))
        return self.norm(states + self.dropout(self.down(nn.functional.gelu(self.up(states)))))


class Teacher(nn.Module):
    """Logit that two sentences say the same, for one order of them."""

    def __init__(self, build: Build) -> None:
        super().__init__()
        self.build = build
        self.words = nn.Embedding(build.vocabulary, build.width)
        self.places = nn.Embedding(build.places, build.width)
        self.kinds = nn.Embedding(N_KINDS, build.width)
        self.norm = nn.LayerNorm(build.width, eps=build.epsilon)
        self.layers = nn.ModuleList(TeacherLayer(build) for _ in range(build.layers))
        self.relative = nn.Embedding(build.n_buckets, build.heads) if build.n_buckets else None
        self.dropout = nn.Dropout(0.1)
        self.hidden = nn.Linear(5 * build.width, HIDDEN)
        self.logit = nn.Linear(HIDDEN, 1)
        numbers = torch.arange(30_522) + build.shift
        for theirs, own in build.special:
            numbers[theirs] = own
        self.register_buffer("numbers", numbers, persistent=False)

    def forward(self, ids: Tensor, kinds: Tensor, mask: Tensor) -> Tensor:
        """Return logits (n,) for integer ids, kinds and mask (n, length); mask is 1 on tokens, 0 on padding."""
        length, first = ids.shape[1], self.build.first_place
        present = mask.to(torch.float32)
        places = self.places.weight[first : first + length].unsqueeze(0)
        states = self.dropout(self.norm(self.words(self.numbers[ids]) + places + self.kinds(kinds)))
        bias = ((1.0 - present) * -10_000.0)[:, None, None, :]
        if self.relative is not None:
            bias = bias + self.relative(_buckets(length, self.build.n_buckets, ids.device)).permute(2, 0, 1)
        for layer in self.layers:
            states = layer(states, bias)
        one, two = (chosen_mean(states, (kinds == kind).to(torch.float32) * present) for kind in (2, 3))
        pooled = torch.cat([states[:, 0], one, two, (one - two).abs(), one * two], dim=1)
        return self.logit(self.dropout(torch.tanh(self.hidden(self.dropout(pooled))))).squeeze(1)


def _buckets(length: int, n_buckets: int, device: torch.device) -> Tensor:
    """Return the buckets of all relative positions (length, length), exact when near and logarithmic when far.

    Source: MPNet's position bias, which is that of T5: half of the buckets for either direction, 128 at most.
    """
    at = torch.arange(length, device=device)
    apart = at[:, None] - at[None, :]
    half, near = n_buckets // 2, n_buckets // 4
    size = apart.abs()
    far = near + (torch.log(size.clamp(min=1).float() / near) / math.log(128 / near) * (half - near)).long()
    return (apart < 0).long() * half + torch.where(size < near, size, far.clamp(max=half - 1))


NAMES = {
    "minilm-l12": {
        "query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
        "mixed": "attention.output.dense", "mixed_norm": "attention.output.LayerNorm",
    },
    "mpnet": {
        "query": "attention.attn.q", "key": "attention.attn.k", "value": "attention.attn.v",
        "mixed": "attention.attn.o", "mixed_norm": "attention.LayerNorm",
    },
}  # fmt: skip
COMMON_NAMES = {"up": "intermediate.dense", "down": "output.dense", "norm": "output.LayerNorm"}


def unpacked(weights: Path) -> dict[str, Tensor]:
    """Read weights; a matrix may be stored as integers, `|q`, with a scale for each row, `|s`."""
    kept = load_file(weights)
    scaled = {name[:-2]: kept[name].float() * kept[f"{name[:-2]}|s"].float() for name in kept if name.endswith("|q")}
    return scaled | {name: value.float() for name, value in kept.items() if "|" not in name}


def loaded(name: str, weights: Path, seed: int) -> Teacher:
    """Return a teacher with the weights of a file; missing weights are drawn from the seed."""
    torch.manual_seed(seed)
    model = Teacher(BUILDS[name])
    old = unpacked(weights)
    new = model.state_dict()
    new["words.weight"] = old["embeddings.word_embeddings.weight"]
    new["places.weight"] = old["embeddings.position_embeddings.weight"]
    kinds = old.get("embeddings.token_type_embeddings.weight", torch.zeros(1, model.build.width))
    new["kinds.weight"] = kinds[[0, 0, 0, 0]] + torch.randn(N_KINDS, model.build.width) * 0.02
    new["norm.weight"], new["norm.bias"] = old["embeddings.LayerNorm.weight"], old["embeddings.LayerNorm.bias"]
    if model.relative is not None:
        new["relative.weight"] = old["encoder.relative_attention_bias.weight"]
    for n in range(model.build.layers):
        for own, theirs in (NAMES[name] | COMMON_NAMES).items():
            for part in ("weight", "bias"):
                new[f"layers.{n}.{own}.{part}"] = old[f"encoder.layer.{n}.{theirs}.{part}"]
    model.load_state_dict(new)
    return model


@dataclass(frozen=True, slots=True)
class Task:
    """A teacher to train, and the rows that it scores.

    Attributes:
        fold: fold left out of its training; -1 trains on all of the train part.
        rate: factor of the encoder's learning rates; larger networks need smaller ones.
    """

    name: str
    weights: Path
    seed: int
    fold: int
    rate: float
    device: str
    out: Path

    @property
    def label(self) -> str:
        """File name of its logits."""
        return f"{self.weights.stem}-{self.seed}-{self.fold}"


def fold_of(row: dict[str, Any]) -> int:
    """Return the fold of a row; all rows of one original are in one fold."""
    return int(Random(f"fold {row['group']}").random() * FOLDS)


def taught(task: Task, pairs: Path, n_steps: int | None) -> str:
    """Train a teacher and write the logits of the rows left out of its training; return a line of metrics."""
    rows = [row for row in read(pairs) if not is_later(row["id"])]
    labelled = (r | {"target": TARGETS[r["same"]]} for r in rows if r["part"] == "train" and r["same"] is not None)
    learned = [r for r in labelled if fold_of(r) != task.fold]
    held_out = [n for n, r in enumerate(rows) if (fold_of(r) == task.fold if r["part"] == "train" else task.fold < 0)]
    device = torch.device(task.device)
    model = loaded(task.name, task.weights, task.seed).to(device)
    begun = time.monotonic()
    _fit(model, list(plan(learned, task.seed))[:n_steps], task, device)
    logits = predicted(model, [rows[n]["encoded"] for n in held_out], device)
    np.savez(task.out / f"{task.label}.npz", ids=np.array([rows[n]["id"] for n in held_out]), logits=logits)
    return f"{task.label}: {len(learned)} pairs learned, {len(held_out)} read, {time.monotonic() - begun:.0f} s"


def read(pairs: Path) -> list[dict[str, Any]]:
    """Read the pairs that are short enough to be encoded."""
    with pairs.open(encoding="utf-8") as lines:
        return [row for row in map(json.loads, lines) if row["encoded"]]


def _fit(model: Teacher, steps: Sequence[Any], task: Task, device: torch.device) -> None:
    head = [*model.hidden.parameters(), *model.logit.parameters(), *model.kinds.parameters()]
    heads = {id(p) for p in head}
    body = [p for p in model.parameters() if id(p) not in heads]
    optimizer = torch.optim.AdamW([{"params": body}, {"params": head}], weight_decay=0.01, fused=device.type == "cuda")
    model.train()
    for rate, head_rate, batch in steps:
        optimizer.param_groups[0]["lr"], optimizer.param_groups[1]["lr"] = rate * task.rate, head_rate
        ids, kinds, mask, targets = (part.to(device, non_blocking=True) for part in tensors(batch))
        with torch.autocast(device.type, torch.bfloat16):
            logits = model(ids, kinds, mask)
        loss = nn.functional.binary_cross_entropy_with_logits(logits.float(), targets)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


def predicted(model: nn.Module, encoded: Sequence[Any], device: torch.device) -> np.ndarray:
    """Return the mean logit of both orders for each pair, in order."""
    model.eval()
    both = [(order, n) for n, orders in enumerate(encoded) for order in orders]
    both.sort(key=lambda item: len(item[0]["ids"]))
    sums = np.zeros(len(encoded))
    with torch.inference_mode(), torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
        for at in range(0, len(both), 256):
            part = both[at : at + 256]
            ids, kinds, mask, _ = tensors([(order, 0.0) for order, _n in part])
            logits = model(ids.to(device), kinds.to(device), mask.to(device)).float().cpu().numpy()
            np.add.at(sums, [n for _order, n in part], logits / 2)
    return sums


def main() -> None:
    """Train every teacher on every fold, and write the mean of their logits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--teacher", nargs=4, action="append", metavar=("KIND", "WEIGHTS", "SEED", "RATE"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--at-once", type=int, default=1)
    parser.add_argument("--steps", type=int, help="stop after so many; to try it")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    tasks = [
        Task(kind, Path(weights), int(seed), fold, float(rate), options.device, options.out)
        for kind, weights, seed, rate in options.teacher
        for fold in (*range(FOLDS), -1)
    ]
    with ProcessPoolExecutor(options.at_once, get_context("spawn")) as pool:
        for line in pool.map(taught, tasks, [options.pairs] * len(tasks), [options.steps] * len(tasks)):
            print(line, flush=True)


if __name__ == "__main__":
    main()
