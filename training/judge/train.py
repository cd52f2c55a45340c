"""Step 2 of `make judge`: fine-tune MiniLM on the mix (stage 1), then on labels and on the teachers' answers (stage 2).

Between steps 3 and 4, with `--go-on-from`: go on from the mean of such runs with all that was written for the judge.

`python -m training.judge.train --pairs .judge/pairs.jsonl --weights .judge/minilm-l12.safetensors --out .judge`

Runs in an environment with torch; starts again from the last checkpoint in `--out`. Processes share batches, each
on one thread, and average their gradients; the result depends on the seed, their number and the machine's arithmetic.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import torch
from torch import distributed, nn

from training.judge.encoder import PairEncoder, freeze, started, trained
from training.judge.soft import read_soft, target_of

MASK, SEPARATOR = 103, 102
PLAIN = 0.4
"""Share of pairs that are shown as they are, without hiding what both sides share."""

CHECKPOINT_SECONDS = 240
LOG_STEPS = 20
FROZEN_LAYERS = 1


@dataclass(frozen=True, slots=True)
class Stage:
    """A run over the data with a learning rate that falls to zero.

    Attributes:
        shares: share of each source's training pairs drawn in an epoch, with a cap on their number.
        batch: pairs of one step, over all processes.
    """

    epochs: int
    rate: float
    head_rate: float
    shares: dict[str, int]
    batch: int = 32


STAGES = (
    Stage(2, 1e-4, 5e-4, {
        "scripted": 5_000, "summedits": 10_000, "paws": 10_000, "doc_pairs": 10_000, "condaqa": 10_000,
        "coexisting_pairs": 300, "kb_nist_pairs": 10_000, "scifact-claims": 10_000,
    }),
    Stage(4, 6e-5, 2e-4, {
        "summedits": 10_000, "paws": 250, "doc_pairs": 150, "condaqa": 100, "scripted": 300, "kb_nist_pairs": 20,
        "scifact-claims": 20, "own": 10_000,
    }),
)  # fmt: skip
"""For networks that learn from labels alone."""

TAUGHT_STAGES = (
    STAGES[0],
    Stage(6, 1e-4, 3e-4, {**STAGES[1].shares, "recombined": 24_000}),
)
"""For one that learns from teachers, too: longer, and from pairs that nobody has labelled."""

_ALL = {**STAGES[1].shares, "own": 40_000, "rebuilt": 40_000, "recombined": 10_000}
CONTINUED_STAGES = Stage(2, 6e-5, 1e-4, _ALL, 64), Stage(1, 4e-5, 6e-5, {**_ALL, "recombined": 14_000}, 64)
"""For a judge that has learned all that, and goes on with what was written since."""


def batches(rows: Sequence[dict[str, Any]], stage: Stage, chance: Random) -> list[list[Any]]:
    """Draw the rows of an epoch and split them into batches of similar lengths, in random order, with random sides."""
    drawn: list[tuple[dict[str, Any], float]] = []
    for source, cap in stage.shares.items():
        own = [row for row in rows if row["source"] == source]
        picked = chance.sample(own, min(cap, len(own)))
        drawn += [(varied(row["encoded"][chance.randrange(2)], chance), row["target"]) for row in picked]
    drawn.sort(key=lambda item: len(item[0]["ids"]) + chance.random() * 8)
    cut = [drawn[at : at + stage.batch] for at in range(0, len(drawn), stage.batch)]
    chance.shuffle(cut)
    return cut


def capped(stage: Stage, at_most: int) -> Stage:
    """Return a stage in whose epochs no source has more pairs than some number."""
    return replace(stage, shares={source: min(cap, at_most) for source, cap in stage.shares.items()})


def is_later(pair_id: str) -> bool:
    """Return whether a pair was written for a judge that goes on, and not for its start."""
    return pair_id.startswith("later/")


def varied(encoded: dict[str, list[int]], chance: Random) -> dict[str, list[int]]:
    """Mask or drop some common words of both sides, so that no original is memorised.

    The common words are in the same order on both sides, and are masked or dropped on both. Differing words always
    stay.
    """
    ids, kinds = encoded["ids"], encoded["kinds"]
    middle = ids.index(SEPARATOR)
    sides = [list(range(1, middle)), list(range(middle + 1, len(ids) - 1))]
    shared = [[n for n in side if kinds[n] < 2] for side in sides]
    if chance.random() < PLAIN or len(shared[0]) != len(shared[1]):
        return encoded
    reach, hidden_share = chance.choice((5, 10, 20, 400)), chance.choice((0.0, 0.1, 0.3))
    marked = [[n for n in side if kinds[n] >= 2] for side in sides]
    hidden: set[int] = set()
    dropped: set[int] = set()
    for both in zip(*shared, strict=True):
        near = any(abs(n - m) <= reach for n, own in zip(both, marked, strict=True) for m in own)
        if not near:
            dropped.update(both)
        elif chance.random() < hidden_share:
            hidden.update(both)
    kept = [n for n in range(len(ids)) if n not in dropped]
    return {"ids": [MASK if n in hidden else ids[n] for n in kept], "kinds": [kinds[n] for n in kept]}


def tensors(batch: Sequence[Any]) -> tuple[torch.Tensor, ...]:
    """Pad a batch: ids, kinds, mask (n, length) and targets (n,)."""
    length = max(len(encoded["ids"]) for encoded, _ in batch)
    ids, kinds, mask = (torch.zeros(len(batch), length, dtype=torch.long) for _ in range(3))
    for n, (encoded, _) in enumerate(batch):
        size = len(encoded["ids"])
        ids[n, :size], kinds[n, :size] = torch.tensor(encoded["ids"]), torch.tensor(encoded["kinds"])
        mask[n, :size] = 1
    return ids, kinds, mask, torch.tensor([target for _, target in batch])


def plan(
    rows: Sequence[dict[str, Any]], seed: int, stages: Sequence[Stage] = STAGES
) -> Iterator[tuple[float, float, list[Any]]]:
    """Yield every step of the stages: rates of encoder and head, and the batch of all processes."""
    chance = Random(seed)
    for stage in stages:
        steps = [batch for _ in range(stage.epochs) for batch in batches(rows, stage, chance)]
        for n, batch in enumerate(steps):
            factor = min(1.0, (n + 1) / (0.06 * len(steps))) * (1.0 - n / len(steps))
            yield stage.rate * factor, stage.head_rate * factor, batch


def average(model: nn.Module, n_processes: int) -> None:
    """Sum the gradients of all processes, each of which computed its share of the batch's mean, or none of it."""
    if n_processes == 1:
        return
    for p in model.parameters():
        if p.requires_grad and p.grad is None:
            p.grad = torch.zeros_like(p)
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    flat = torch.cat([g.reshape(-1) for g in gradients])
    distributed.all_reduce(flat)
    at = 0
    for g in gradients:
        g.copy_(flat[at : at + g.numel()].view_as(g))
        at += g.numel()


def learned(options: argparse.Namespace, soft: dict[str, float]) -> list[dict[str, Any]]:
    """Return the rows to learn from, each with its target.

    Raises:
        ValueError: a pair without a label has not been read by the teachers.
    """
    with options.pairs.open(encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["part"] in options.parts and row["encoded"]]
    if options.go_on_from:
        rows = [row for row in rows if row["same"] is not None or row["id"] in soft]
    else:
        rows = [row for row in rows if not is_later(row["id"]) and (row["same"] is not None or soft)]
    return [row | {"target": target_of(row, soft)} for row in rows]


def run(rank: int, options: argparse.Namespace) -> None:
    """Train in one process."""
    torch.set_num_threads(1)
    if options.processes > 1:
        distributed.init_process_group(
            "gloo", init_method=f"file://{(options.out / 'meeting').resolve()}", rank=rank, world_size=options.processes
        )
    soft = read_soft(options.soft) if options.soft else {}
    rows = learned(options, soft)
    stages = CONTINUED_STAGES if options.go_on_from else TAUGHT_STAGES if soft else STAGES
    if options.at_most is not None:
        stages = tuple(capped(stage, options.at_most) for stage in stages)
    steps = list(plan(rows, options.seed, stages[: options.stages]))
    device = torch.device(options.device)
    model = trained(options.go_on_from) if options.go_on_from else started(options.weights)
    model = model.to(device)
    freeze(model, FROZEN_LAYERS)
    head = [*model.hidden.parameters(), *model.logit.parameters(), *model.kinds.parameters()]
    heads = {id(p) for p in head}
    body = [p for p in model.parameters() if p.requires_grad and id(p) not in heads]
    optimizer = torch.optim.AdamW([{"params": body}, {"params": head}], weight_decay=0.01)
    first = resume(options.out, model, optimizer)
    torch.manual_seed(options.seed + 1000 * rank + first)
    model.train()
    began = saved = time.monotonic()
    running: torch.Tensor | float = 0.0
    for n in range(first, len(steps)):
        rate, head_rate, batch = steps[n]
        optimizer.param_groups[0]["lr"], optimizer.param_groups[1]["lr"] = rate, head_rate
        own = batch[rank :: options.processes]
        optimizer.zero_grad()
        if own:
            ids, kinds, mask, targets = (part.to(device, non_blocking=True) for part in tensors(own))
            with torch.autocast(device.type, torch.bfloat16):
                logits = model(ids, kinds, mask)
            loss = nn.functional.binary_cross_entropy_with_logits(logits.float(), targets, reduction="sum")
            (loss / len(batch)).backward()
            running = 0.98 * running + 0.02 * loss.detach() / len(own)
        average(model, options.processes)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if rank == 0 and (n + 1) % LOG_STEPS == 0:
            left = (time.monotonic() - began) / (n + 1 - first) * (len(steps) - n - 1)
            mean = float(running) / (1 - 0.98 ** (n + 1 - first))
            print(f"step {n + 1}/{len(steps)} loss {mean:.3f} {left / 60:.0f} min left", flush=True)
        if rank == 0 and time.monotonic() - saved > CHECKPOINT_SECONDS:
            save(options.out, model, optimizer, n + 1)
            saved = time.monotonic()
    if rank == 0:
        save(options.out, model, optimizer, len(steps))
        torch.save({name: value.cpu() for name, value in model.state_dict().items()}, options.out / "trained.pt")


def save(out: Path, model: PairEncoder, optimizer: torch.optim.Optimizer, step: int) -> None:
    """Write a checkpoint atomically."""
    written = out / "checkpoint.part"
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, written)
    written.replace(out / "checkpoint.pt")


def resume(out: Path, model: PairEncoder, optimizer: torch.optim.Optimizer) -> int:
    """Load the last checkpoint, if there is one; return the number of steps done."""
    file = out / "checkpoint.pt"
    if not file.is_file():
        return 0
    kept = torch.load(file, weights_only=True, map_location="cpu")
    model.load_state_dict(kept["model"])
    optimizer.load_state_dict(kept["optimizer"])
    return int(kept["step"])


def main() -> None:
    """Read the options and start the processes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=Path, required=True)
    start = parser.add_mutually_exclusive_group(required=True)
    start.add_argument("--weights", type=Path, help="of the network to start from")
    start.add_argument("--go-on-from", type=Path, help="weights of a trained judge, to go on with")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--stages", type=int, default=len(STAGES), help="stop after so many; the next run goes on")
    parser.add_argument(
        "--at-most", type=int, help="pairs of a source in an epoch, for a judge that has learned most of them before"
    )
    parser.add_argument("--parts", nargs="+", default=["train"])
    parser.add_argument("--soft", type=Path, help="logits of teachers, to learn from beside the labels")
    parser.add_argument("--device", default="cpu", help="cpu, or cuda with one process")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "meeting").unlink(missing_ok=True)
    if options.processes == 1:
        run(0, options)
    else:
        torch.multiprocessing.spawn(run, args=(options,), nprocs=options.processes)


if __name__ == "__main__":
    main()
