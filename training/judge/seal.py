"""Step 6 of `make judge`: weigh network and trees by the dev part, fix both thresholds there, measure, write the card.

Network and trees are weighed by the pairs that a judge is asked about: those that the guards leave open.

`python -m training.judge.seal --data ../shared/data --model .judge/model.onnx --tokenizer tokenizer.json
--trees .judge/likeness.json --out packages/saidonce-judge/src/saidonce_judge`

Weights and thresholds are fixed by the dev part alone. Figures of the test part are printed and written into the card.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import shutil
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from saidonce.adapters.judge.card import CARD, FILES, TOKENIZER, TREES, WEIGHTS, seal
from saidonce.adapters.judge.cross_encoder import CrossEncoder
from saidonce.adjudication.equivalence import EquivalenceRule, StackedJudge, likeness, trees_of
from saidonce.foundation.model import Rewording
from saidonce.matching.likeness import Forest
from training.judge.figures import REPORTED, SETS, Figures, Scored, figures_of, table
from training.judge.open import Asked, asked
from training.judge.pairs import DEV, MANUALS, TEST, Pair, compared, held
from training.judge.pairs import read as read_pairs

JOINED = 0.005
"""Share of the dev part's labelled changes that guards and judge may join together for repeats; of the pairs that were
written blind or held apart, whose labels are sure, they join none."""

SUMMEDITS_JOINED = 0.01
"""The same for SummEdits, of whose labelled misses a reader finds one in three to lose something. The five of its
dev part that score highest differ in "says / affirms", "features / showcases" and the like; none of them loses a fact.
"""

CAUGHT = 0.99
"""Share of the dev part's open changes that the threshold for canonical collections must catch: of all its sets, and of
each with LEAST changes or more."""

LEAST = 100

MARGIN = 0.005
"""On both sides of the threshold; covers how kinds of processors differ."""

WEIGHTS_LICENCE = "Apache-2.0"
TRAINED_ON = {
    "ms-marco-MiniLM-L-12-v2 (starting weights)": "Apache-2.0", "SummEdits": "Apache-2.0",
    "PAWS (Wikipedia part)": "free for any purpose, acknowledgement asked", "CondaQA": "Apache-2.0",
    "SciFact claims": "CC BY 4.0", **{f"manuals: {name}": licence for name, licence in MANUALS.items()},
    "scripted alterations of those manuals": "this repository", "pairs written for it": "this repository",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Measured:
    """A labelled pair with the outputs of network and trees on it, and on the questions asked about it in use.

    Attributes:
        logit, trees: of the two texts without their common sentences; `logit` is None if they cannot be read.
        asked: questions that the guards leave to a judge.
        answers: logit and trees of each of these rewordings.
    """

    pair: Pair
    logit: float | None
    trees: float
    asked: Asked
    answers: tuple[tuple[float | None, float], ...]


@dataclass(frozen=True, slots=True)
class Weights:
    """Of logit and trees: score = 1 / (1 + exp(-(network * logit + likeness * trees + offset)))."""

    network: float
    likeness: float
    offset: float

    def score(self, logit: float | None, trees: float) -> float:
        """Return the judge's score, 0..1; 0 if the network cannot read the pair."""
        rule = EquivalenceRule(self.network, self.likeness, self.offset, 1.0, 1.0, 0.0, frozenset())
        return 0.0 if logit is None else rule.score(logit, trees)

    def in_use(self, measured: Measured) -> float:
        """Return the deciding score of a pair: the lowest of its rewordings; 0 if nothing is asked."""
        return min((self.score(*answer) for answer in measured.answers), default=0.0)


def fitted(measured: Sequence[Measured]) -> Weights:
    """Fit by maximum likelihood with equal total weight of both labels (Newton's method)."""
    read = [m for m in measured if m.logit is not None]
    x = np.array([[m.logit, m.trees, 1.0] for m in read])
    y = np.array([m.pair.same for m in read], dtype=float)
    weights = np.where(y > 0.5, 0.5 / y.mean(), 0.5 / (1 - y.mean()))
    beta = np.zeros(3)
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ beta))
        hessian = (x * (weights * p * (1 - p))[:, None]).T @ x + np.eye(3) * 1e-3
        beta -= np.linalg.solve(hessian, x.T @ (weights * (p - y)) + beta * 1e-3)
    return Weights(*(round(float(b), 6) for b in beta))


def sets_of(measured: Sequence[Measured]) -> list[list[Measured]]:
    """Return all pairs, and those of each reported set with enough changes."""
    own = [[m for m in measured if m.pair.source in sources] for sources in SETS.values()]
    return [list(measured), *(s for s in own if sum(is_change(m) for m in s) >= LEAST)]


def is_change(measured: Measured) -> bool:
    """Return whether both sides state something different; a pair where one only says more may be dropped one way."""
    return not measured.pair.same and measured.pair.label not in ("extended", "shortened")


def repeat_from(measured: Sequence[Measured], weights: Weights, joined: float = SUMMEDITS_JOINED) -> float:
    """Return the lowest score from which guards and judge join at most a share of the changes, margin left out.

    The share of SummEdits is `joined`, that of all other sets together JOINED; neither dilutes the other.
    """
    lowest = 0.0
    for is_noisy, share in ((True, joined), (False, JOINED)):
        changes = [m for m in measured if is_change(m) and (m.pair.source == "summedits") is is_noisy]
        allowed = math.floor(len(changes) * share) - sum(m.asked.is_joined for m in changes)
        lowest = max(lowest, _above(changes, weights, allowed))
    return lowest


def canonical_from(measured: Sequence[Measured], weights: Weights) -> float:
    """Return the lowest score from which at most 1 - CAUGHT of the open changes are joined, margin left out."""
    lowest = 0.0
    for own in sets_of(measured):
        changes = [m for m in own if is_change(m) and m.asked.is_open]
        lowest = max(lowest, _above(changes, weights, math.floor(len(changes) * (1 - CAUGHT) + 1e-9)))
    return lowest


def _above(changes: Sequence[Measured], weights: Weights, allowed: int) -> float:
    """Return the score of the first change beyond the allowed number."""
    ranked = sorted((weights.in_use(m) for m in changes), reverse=True)
    return ranked[max(0, allowed)] if len(ranked) > max(0, allowed) else 0.0


def measured_of(network: CrossEncoder, trees: Forest, pairs: Sequence[Pair]) -> list[Measured]:
    """Return the outputs of network and trees on all pairs, in order."""

    def answer(a: str, b: str) -> tuple[float | None, float]:
        return network.logit(a, b), likeness(trees, Rewording(a, b, "en"))

    measured = []
    for pair in pairs:
        own, open_ = compared(pair), asked(pair.a, pair.b)
        logit, score = answer(own.a, own.b)
        measured.append(Measured(pair, logit, score, open_, tuple(answer(r.a, r.b) for r in open_.rewordings)))
    return measured


def write_card(out: Path, body: dict[str, Any]) -> None:
    """Write a card with the hashes of the files in the folder."""
    files = {name: hashlib.sha256((out / name).read_bytes()).hexdigest() for name in FILES}
    card = json.dumps(seal({"files": files, **body}), indent=1, ensure_ascii=False)
    (out / CARD).write_text(card + "\n", encoding="utf-8")


def card_of(weights: Weights, thresholds: tuple[float, float], figures: dict[str, Any]) -> dict[str, Any]:
    """Return the body of a card; thresholds are those of repeats and of canonical collections."""
    return {
        "name": "saidonce-judge", "licence": WEIGHTS_LICENCE, "languages": ["en"], "stack": asdict(weights),
        "thresholds": dict(zip(("repeat", "canonical"), thresholds, strict=True)), "margin": MARGIN,
        "trained_on": TRAINED_ON, "figures": figures,
    }  # fmt: skip


def milliseconds(judge: StackedJudge, pairs: Sequence[Pair]) -> float:
    """Return the median processor time of a pair of at most 50 words, on one thread."""
    times = []
    for pair in [compared(p) for p in pairs if len(f"{p.a} {p.b}".split()) <= 50][:200]:
        began = time.process_time()
        judge.judge([Rewording(pair.a, pair.b, "en")])
        times.append(1000 * (time.process_time() - began))
    return round(float(np.median(times)), 1)


def reported(measured: Sequence[Measured], weights: Weights, cut: float) -> dict[str, Figures]:
    """Return the metrics of each part, by set and in total, over all pairs and over the open ones."""
    figures: dict[str, Figures] = {}
    for part in (DEV, TEST):
        for name, sources in REPORTED.items():
            own = [m for m in measured if m.pair.part == part and m.pair.source in sources]
            scored = [
                Scored(m.pair.source, part, bool(m.pair.same), weights.score(m.logit, m.trees), m.asked.is_open)
                for m in own
            ]
            figures[f"{part} {name}"] = figures_of(scored, cut)
            figures[f"{part} {name}, open"] = figures_of([s for s in scored if s.open], cut)
    return figures


def in_use(measured: Sequence[Measured], weights: Weights, cuts: Sequence[float]) -> dict[str, dict[str, Any]]:
    """Return the pairs joined by guards and judge at each threshold: changes by label, and additional re-wordings."""
    lines: dict[str, dict[str, Any]] = {}
    for part in (DEV, TEST):
        for name, sources in REPORTED.items():
            own = [m for m in measured if m.pair.part == part and m.pair.source in sources]
            changes, same = [m for m in own if is_change(m)], [m for m in own if m.pair.same]
            for use, cut in zip(("guards", "repeat", "canonical"), (2.0, *cuts), strict=True):
                joined = [[m for m in s if m.asked.is_joined or weights.in_use(m) >= cut] for s in (changes, same)]
                open_ = [m for m in changes if m.asked.is_open]
                lines[f"{part} {name}, {use}"] = {
                    "changes": len(changes), "joined": len(joined[0]), "open_changes": len(open_),
                    "open_joined": sum(weights.in_use(m) >= cut for m in open_), "rewordings": len(same),
                    "accepted": len(joined[1]),
                }  # fmt: skip
    return lines


def choices(measured: Sequence[Measured], weights: Weights) -> str:
    """Return the effect in use of other shares for repeats, over all sets of each part."""
    dev = [m for m in measured if m.pair.part == DEV]
    lines = []
    for share in (0.005, 0.01, 0.02, 0.03, 0.05):
        cut = repeat_from(dev, weights, share) + MARGIN
        own = in_use(measured, weights, (cut, cut))
        for name in ("dev summedits", "dev all", "test summedits", "test all"):
            lines.append(
                f"{share:.1%} of SummEdits' dev changes joined, from {cut:.4f}: {name}: {own[f'{name}, repeat']}"
            )
    return "\n".join(lines)


def in_words(lines: dict[str, dict[str, Any]]) -> str:
    """Return the pairs joined in use as a Markdown table."""
    rows = [
        "| set, use | changes joined | open changes joined | re-wordings accepted |",
        "| --- | ---: | ---: | ---: |",
    ]
    rows += [
        f"| {name} | {x['joined']} of {x['changes']} | {x['open_joined']} of {x['open_changes']} | "
        f"{x['accepted']} of {x['rewordings']} |"
        for name, x in lines.items()
    ]
    return "\n".join(rows)


def main() -> None:
    """Fit the weights and thresholds, measure, and write the card."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    for name in ("model", "tokenizer", "trees", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument(
        "--joined", type=float, default=SUMMEDITS_JOINED, help="share of SummEdits' dev changes that repeats may join"
    )
    parser.add_argument("--blind", action="store_true", help="show nothing of the test part")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for file, name in ((options.model, WEIGHTS), (options.tokenizer, TOKENIZER), (options.trees, TREES)):
        if not (options.out / name).is_file() or not file.samefile(options.out / name):
            shutil.copyfile(file, options.out / name)
    write_card(options.out, card_of(Weights(1.0, 1.0, 0.0), (0.5, 0.5), {}))
    network = CrossEncoder(options.out)
    trees = trees_of(str(options.out), network.trees())
    parts = (DEV,) if options.blind else (DEV, TEST)
    pairs = [pair for pair in read_pairs(options.data) if pair.part in parts]
    measured = measured_of(network, trees, pairs)
    dev = [m for m in measured if m.pair.part == DEV]
    weights = fitted([m for m in dev if m.asked.is_open])
    apart = measured_of(network, trees, list(held()))
    same_from = max(repeat_from(dev, weights, options.joined), _above(apart, weights, 0))
    thresholds = same_from, max(same_from, canonical_from(dev, weights))
    print(f"{weights}, thresholds {thresholds}, margin {MARGIN}\n")
    cuts = [t + MARGIN for t in thresholds]
    figures, used = reported(measured, weights, cuts[0]), in_use(measured, weights, cuts)
    print(f"{table(figures)}\n\n{in_words(used)}\n\n{choices(measured, weights)}\n")
    rule = EquivalenceRule(weights.network, weights.likeness, weights.offset, *thresholds, MARGIN, frozenset(("en",)))
    taken = milliseconds(StackedJudge(network, trees, rule), pairs)
    print(f"{taken} ms of CPU a pair of at most 50 words, median, one thread")
    kept = {name: f.as_json() for name, f in figures.items()} | {"in use": used, "ms_of_at_most_50_words": taken}
    write_card(options.out, card_of(weights, thresholds, kept))


if __name__ == "__main__":
    main()
