"""Step 4 of `make judge`: calibrate the exported model on the dev part, measure it on the test part, write its card.

`python -m training.judge.seal --pairs .judge/pairs.jsonl --model .judge/model.onnx --tokenizer tokenizer.json
--out packages/saidonce-judge/src/saidonce_judge`

The threshold is fixed by the dev part alone. Figures of the test part are printed and written into the card.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from saidonce.adapters.judge.card import CARD, TOKENIZER, WEIGHTS, sealed
from saidonce.adapters.judge.cross_encoder import CrossEncoder
from training.judge.figures import SETS, Figures, Scored, figures_of, table
from training.judge.open import is_open
from training.judge.pairs import DEV, MANUALS, TEST

CAUGHT = 0.99
"""Share of the dev part's changes that the threshold must catch, over all pairs and over the open ones alone."""

MARGIN = 0.005
"""On both sides of the threshold; covers how kinds of processors differ."""

WEIGHTS_LICENCE = "Apache-2.0"
TRAINED_ON = {
    "all-MiniLM-L6-v2 (starting weights)": "Apache-2.0", "SummEdits": "Apache-2.0",
    "PAWS (Wikipedia part)": "free for any purpose, acknowledgement asked", "CondaQA": "Apache-2.0",
    "SciFact claims": "CC BY 4.0", **{f"manuals: {name}": licence for name, licence in MANUALS.items()},
    "scripted alterations of those manuals": "this repository",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Line:
    """Calibration of logits: score = 1 / (1 + exp(-(slope * logit + intercept)))."""

    slope: float
    intercept: float

    def score(self, logit: float) -> float:
        """Map a logit to 0..1."""
        return round(1.0 / (1.0 + math.exp(-(self.slope * logit + self.intercept))), 4)


def fitted(logits: Sequence[float], same: Sequence[bool]) -> Line:
    """Fit a line by maximum likelihood, both labels weighing alike (Newton's method)."""
    x = np.column_stack([logits, np.ones(len(logits))])
    y = np.array(same, dtype=float)
    weights = np.where(y > 0.5, 0.5 / y.mean(), 0.5 / (1 - y.mean()))
    beta = np.array([1.0, 0.0])
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ beta))
        hessian = (x * (weights * p * (1 - p))[:, None]).T @ x + np.eye(2) * 1e-3
        beta -= np.linalg.solve(hessian, x.T @ (weights * (p - y)))
    return Line(round(float(beta[0]), 6), round(float(beta[1]), 6))


def threshold(scored: Sequence[Scored], share: float) -> float:
    """Return the lowest score from which at most 1 - `share` of the changes would be accepted, margin left out."""
    changes = sorted((s.score for s in scored if not s.same), reverse=True)
    if not changes:
        return 0.0
    return changes[math.floor(len(changes) * (1 - share))]


def read(file: Path, parts: Sequence[str]) -> list[dict[str, Any]]:
    """Read the encoded pairs of some parts."""
    with file.open(encoding="utf-8") as lines:
        return [row for row in map(json.loads, lines) if row["part"] in parts]


def write_card(out: Path, body: dict[str, Any]) -> None:
    """Seal a card over the files that lie in the folder."""
    files = {name: hashlib.sha256((out / name).read_bytes()).hexdigest() for name in (WEIGHTS, TOKENIZER)}
    card = json.dumps(sealed({"files": files, **body}), indent=1, ensure_ascii=False)
    (out / CARD).write_text(card + "\n", encoding="utf-8")


def card_of(line: Line, from_score: float, figures: dict[str, Any]) -> dict[str, Any]:
    """Return the body of a card."""
    return {
        "name": "saidonce-judge", "licence": WEIGHTS_LICENCE, "languages": ["en"],
        "calibration": {"slope": line.slope, "intercept": line.intercept}, "threshold": from_score, "margin": MARGIN,
        "trained_on": TRAINED_ON, "figures": figures,
    }  # fmt: skip


def milliseconds(judge: CrossEncoder, rows: Sequence[dict[str, Any]]) -> float:
    """Return the median processor time of a pair of at most 64 tokens, on one thread."""
    short = [row for row in rows if row["encoded"] and len(row["encoded"][0]["ids"]) <= 64][:200]
    times = []
    for row in short:
        began = time.process_time()
        judge.logit(row["a"], row["b"])
        times.append(1000 * (time.process_time() - began))
    return round(float(np.median(times)), 1)


def judged(judge: CrossEncoder, rows: Sequence[dict[str, Any]]) -> tuple[Line, list[Scored]]:
    """Score all rows by a calibration fitted to those of the dev part that the model can read."""
    logits = [judge.logit(row["a"], row["b"]) for row in rows]
    dev = [(x, row["same"]) for x, row in zip(logits, rows, strict=True) if x is not None and row["part"] == DEV]
    line = fitted([x for x, _ in dev], [same for _, same in dev])
    return line, [
        Scored(
            row["source"], row["part"], row["same"], 0.0 if x is None else line.score(x), is_open(row["a"], row["b"])
        )
        for x, row in zip(logits, rows, strict=True)
    ]


def reported(scored: Sequence[Scored], cut: float) -> dict[str, Figures]:
    """Return the figures of each part, set by set and together, over all pairs and over the open ones."""
    figures: dict[str, Figures] = {}
    for part in (DEV, TEST):
        for name, sources in (*SETS.items(), ("all", tuple(s for own in SETS.values() for s in own))):
            own = [s for s in scored if s.part == part and s.source in sources]
            figures[f"{part} {name}"] = figures_of(own, cut)
            figures[f"{part} {name}, open"] = figures_of([s for s in own if s.open], cut)
    return figures


def choices(scored: Sequence[Scored]) -> str:
    """Return what other thresholds of the dev part would do to the open pairs of either part."""
    open_pairs = [s for s in scored if s.open]
    lines = []
    for share in (0.90, 0.95, 0.97, 0.98, 0.99):
        cut = threshold([s for s in open_pairs if s.part == DEV], share) + MARGIN
        found = [figures_of([s for s in open_pairs if s.part == part], cut) for part in (DEV, TEST)]
        shares = (
            f"{part}: caught {f.caught}, accepted {f.let_through}" for part, f in zip((DEV, TEST), found, strict=True)
        )
        lines.append(f"{share:.0%} of open dev changes caught: from {cut:.4f}; {'; '.join(shares)}")
    return "\n".join(lines)


def main() -> None:
    """Calibrate, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("pairs", "model", "tokenizer", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--caught", type=float, default=CAUGHT, help="share of open dev changes that must be caught")
    parser.add_argument("--threshold", type=float, help="instead of the dev part's, where a person has read its misses")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(options.model, options.out / WEIGHTS)
    shutil.copyfile(options.tokenizer, options.out / TOKENIZER)
    write_card(options.out, card_of(Line(1.0, 0.0), 0.5, {}))
    judge = CrossEncoder(options.out)
    rows = read(options.pairs, (DEV, TEST))
    line, scored = judged(judge, rows)
    dev = [s for s in scored if s.part == DEV]
    by_label = max(threshold(own, options.caught) for own in (dev, [s for s in dev if s.open]))
    from_score = by_label if options.threshold is None else options.threshold
    figures, taken = reported(scored, from_score + MARGIN), milliseconds(judge, rows)
    print(f"threshold {from_score}, margin {MARGIN}\n\n{choices(scored)}\n\n{table(figures)}\n")
    print(f"{taken} ms of CPU a pair of at most 64 tokens, median, one thread")
    kept = {name: f.as_json() for name, f in figures.items()}
    write_card(options.out, card_of(line, from_score, {**kept, "ms_of_at_most_64_tokens": taken}))


if __name__ == "__main__":
    main()
