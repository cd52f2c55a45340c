"""Compare equivalence judges on held-out labelled pairs, at equal shares of changes caught.

    python -m benchmarks.equivalence [--rows N] [--judge FOLDER]

The cosine of the built-in embedder; a linear head on its frozen states of the words that differ, fitted here on the
training part; the 62-feature trees of `adjudicator`; the
cross-encoder alone, and stacked with trees of its own, as shipped. `training/judge/pairs.py` divides the
pairs, by original. The figures of the open pairs count: no judge is asked about any other. "guards, then stacked" is
the decision as it is made: what the guards join is accepted, what they object to refused, and the judge decides the
rest.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray
from training.judge import pairs
from training.judge.figures import SETS, Scored, figures_of, table
from training.judge.open import asked
from training.judge.pairs import SEED, TEST, TRAIN, Pair

from benchmarks.evaluation_data import FOLDER, ROOT, needed
from saidonce.adapters.embed.minilm import MiniLM
from saidonce.adapters.judge.encoding import differing
from saidonce.adjudication.equivalence import StackedJudge
from saidonce.adjudication.local_judge import Compared, features, load, nearness
from saidonce.app.equivalence import open_judge
from saidonce.foundation.model import Candidate, Rewording
from saidonce.foundation.text import content_hash
from saidonce.matching.vectors import canonical_cosine

SHIPPED = ROOT / "packages/saidonce-judge/src/saidonce_judge"

BATCH = 64
JOINED = 1e9
REFUSED = UNREADABLE = -1e9
"""Scores of a pair that the guards join; that they object to, or a judge cannot read."""

Matrix = NDArray[np.float64]


def states(rows: Sequence[Pair], embedder: MiniLM) -> Matrix:
    """Return features of frozen states: means of the differing pieces of both sides; difference, product, sum."""
    features = []
    for at in range(0, len(rows), BATCH):
        part = rows[at : at + BATCH]
        texts = list(dict.fromkeys(text for row in part for text in (row.a, row.b)))
        pieces = dict(zip(texts, embedder.embed_pieces(texts), strict=True))
        for row in part:
            of_a, of_b = differing(row.a, row.b)
            one, two = mean(pieces[row.a], of_a), mean(pieces[row.b], of_b)
            features.append(np.concatenate([np.abs(one - two), one * two, one + two, [one @ two]]))
    return np.array(features)


def mean(pieces: tuple[NDArray[np.intp], NDArray[np.float32]], spans: Sequence[tuple[int, int]]) -> Matrix:
    """Return the mean state of the pieces that overlap a span, or zeros."""
    offsets, rows = pieces
    chosen = [n for n, (start, end) in enumerate(offsets) if any(start < e and s < end for s, e in spans)]
    if not chosen:
        return np.zeros(rows.shape[1])
    found: Matrix = rows[chosen].astype(float).mean(axis=0)
    return found


def head(train: Matrix, same: Matrix) -> Callable[[Matrix], Matrix]:
    """Fit a logistic regression by gradient descent with momentum; both labels have equal weight."""
    centre, spread = train.mean(axis=0), train.std(axis=0) + 1e-6
    x = (train - centre) / spread
    weights = np.where(same > 0.5, 0.5 / same.mean(), 0.5 / (1 - same.mean())) / len(same)
    beta, speed = np.zeros(x.shape[1] + 1), np.zeros(x.shape[1] + 1)
    for _ in range(400):
        error = weights * (1 / (1 + np.exp(-(x @ beta[:-1] + beta[-1]))) - same)
        speed = 0.9 * speed + np.append(x.T @ error + 0.02 * beta[:-1], error.sum())
        beta = beta - 0.02 * speed
    return lambda rows: (rows - centre) / spread @ beta[:-1] + beta[-1]


def trees(rows: Sequence[Pair], embedder: MiniLM) -> list[float]:
    """Return the scores of the shipped trees."""
    artefact = load()
    scores = []
    for at in range(0, len(rows), BATCH):
        part = rows[at : at + BATCH]
        texts = list(dict.fromkeys(text for row in part for text in (row.a, row.b)))
        vectors = dict(zip(texts, embedder.embed(texts), strict=True))
        pieces = dict(zip(texts, embedder.embed_pieces(texts), strict=True))
        for row in part:
            one, two = (Candidate(t, content_hash(t), language="en") for t in (row.a, row.b))
            near = nearness(row.a, row.b, pieces[row.a], pieces[row.b])
            compared = Compared(one, two, canonical_cosine(vectors[row.a], vectors[row.b]), near)
            scores.append(artefact.forest.score(features(compared)))
    return scores


def cosines(rows: Sequence[Pair], embedder: MiniLM) -> list[float]:
    """Return the cosine of every pair."""
    texts = list(dict.fromkeys(text for row in rows for text in (row.a, row.b)))
    vectors = dict(zip(texts, embedder.embed(texts), strict=True))
    return [canonical_cosine(vectors[row.a], vectors[row.b]) for row in rows]


def logits(rows: Sequence[Pair], judge: StackedJudge) -> list[float]:
    """Return the cross-encoder's own answers."""
    answers = judge.network.logits([Rewording(row.a, row.b, "en") for row in rows])
    return [UNREADABLE if answer is None else answer for answer in answers]


def stacked(rows: Sequence[Pair], judge: StackedJudge) -> list[float]:
    """Return the judge's answers: cross-encoder and its own trees together."""
    return [judge.score(Rewording(row.a, row.b, "en")) for row in rows]


def report(scores: dict[str, Sequence[float]], test: Sequence[Pair], counted: Sequence[bool]) -> str:
    """Return the table of every set and arm over the pairs that count."""
    figures = {}
    for name, sources in SETS.items():
        for arm, own in scores.items():
            scored = [
                Scored(row.source, TEST, bool(row.same), score)
                for row, score, counts in zip(test, own, counted, strict=True)
                if counts and row.source in sources
            ]
            figures[f"{name}: {arm}"] = figures_of(scored)
    return table(figures, shipped=False)


def main() -> int:
    """Print the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=0, help="pairs of either part; 0 takes all")
    parser.add_argument("--judge", type=Path, default=SHIPPED)
    options = parser.parse_args()
    for name in pairs.FILES:
        needed(f"{name}.jsonl.gz")
    read = [pairs.compared(pair) for pair in pairs.read(FOLDER)]
    test, train = ([pair for pair in read if pair.part == part] for part in (TEST, TRAIN))
    if options.rows:
        chance = Random(SEED)
        test, train = (chance.sample(part, min(options.rows, len(part))) for part in (test, train))
    embedder, judge = MiniLM(1), open_judge(str(options.judge))
    if judge is None:
        sys.exit("--judge names the folder of a judge")
    fitted = head(states(train, embedder), np.array([pair.same for pair in train], dtype=float))
    arms: dict[str, Callable[[], Sequence[float]]] = {
        "cosine": lambda: cosines(test, embedder),
        "frozen head": lambda: fitted(states(test, embedder)).tolist(),
        "trees": lambda: trees(test, embedder),
        "cross-encoder": lambda: logits(test, judge),
        "stacked": lambda: stacked(test, judge),
    }
    scores: dict[str, Sequence[float]] = {}
    for name, arm in arms.items():
        began = time.process_time()
        scores[name] = arm()
        taken = 1000 * (time.process_time() - began) / len(test)
        sys.stdout.write(f"{name}: {taken:.1f} ms of CPU a pair, embedding included\n")
    decided = [asked(pair.a, pair.b) for pair in test]
    opens = [of.is_open for of in decided]
    scores["guards, then stacked"] = [
        score if of.is_open else JOINED if of.is_joined else REFUSED
        for of, score in zip(decided, scores["stacked"], strict=True)
    ]
    sys.stdout.write(f"\nAll pairs\n\n{report(scores, test, [True] * len(test))}\n")
    sys.stdout.write(f"\nOpen pairs\n\n{report(scores, test, opens)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
