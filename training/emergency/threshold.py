"""Choose from which certainty of danger a question is due, on training sentences left out in turn.

`python -m training.emergency.threshold`.
The training sentences are dealt into parts; each part, with its own alterations, is read by a head trained on the
others. The cases of tests/cases/emergencies are not looked at. Needs scipy, which comes with the extra `train`.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from saidonce.adapters.embed.minilm import MiniLM
from saidonce.repairs.conversation.danger_head import HARMLESS, Weights, features, softmax
from training.emergency.train import KEEP, N_STEPS, RATE, Example, altered, read

N_PARTS = 4

MOST_ASKED = 0.06
"""Share of the written harmless sentences of a language that may cost a question when they were left out.

They are plainer than the cases, whose sentences are about alarms, gas and fire: half of the 12 % wanted of those.
"""

STEP = 0.01
Certainties = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A sentence that the head was not trained with, and how certain of danger it was."""

    example: Example
    certainty: float


def dealt(examples: Sequence[Example]) -> tuple[tuple[Example, ...], ...]:
    """Return the examples in parts, by a sum of their words, so that a sentence stays in its part."""
    parts: list[list[Example]] = [[] for _ in range(N_PARTS)]
    for each in examples:
        parts[zlib.crc32(each.text.encode()) % N_PARTS].append(each)
    return tuple(map(tuple, parts))


def left_out(examples: Sequence[Example]) -> Iterator[LeftOut]:
    """Yield every example, read by a head that was trained without its part."""
    parts = dealt(examples)
    rows = [(*part, *altered(part)) for part in parts]
    kinds = (HARMLESS, *sorted({e.kind for e in examples} - {HARMLESS}))
    embedder = MiniLM()
    texts = [[e.text for e in part] for part in rows]
    shelf = [sparse.csr_matrix(features(part, embedder.embed(part))) for part in texts]
    for n, part in enumerate(parts):
        others = [k for k in range(N_PARTS) if k != n]
        right = [kinds.index(e.kind) for k in others for e in rows[k]]
        weights = trained(sparse.vstack([shelf[k] for k in others]).tocsr(), right, len(kinds))
        shares = softmax(np.asarray(shelf[n][: len(part)] @ weights))
        yield from (LeftOut(e, float(1.0 - s)) for e, s in zip(part, shares[:, 0], strict=True))


def trained(rows: sparse.csr_matrix, kinds: Sequence[int], n_kinds: int) -> Weights:
    """Return weights as `train.trained` does, from rows that are mostly zeros."""
    right, columns = np.eye(n_kinds)[list(kinds)], rows.T.tocsr()
    weights = np.zeros((rows.shape[1], n_kinds))
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, N_STEPS + 1):
        slope = columns @ ((softmax(rows @ weights) - right) / len(kinds)) + KEEP * weights
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope * slope
        weights -= RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return weights


def share_from(rows: Sequence[LeftOut], threshold: float) -> float:
    """Return the share of sentences whose certainty reaches a threshold."""
    return sum(r.certainty >= threshold for r in rows) / max(len(rows), 1)


def chosen(rows: Sequence[LeftOut]) -> float:
    """Return the smallest threshold from which no language is asked about too many of its harmless sentences."""
    languages = sorted({r.example.language for r in rows})
    calm = [[r for r in rows if r.example.language == tag and r.example.kind == HARMLESS] for tag in languages]
    steps = (round(n * STEP, 2) for n in range(1, 100))
    return next(t for t in steps if all(share_from(of, t) <= MOST_ASKED for of in calm))


def main() -> None:
    """Print what is noticed and asked from several thresholds, and the chosen one."""
    rows = tuple(left_out(read()))
    languages = sorted({r.example.language for r in rows})
    least = chosen(rows)
    print("of the sentences left out: dangers noticed, harmless ones asked about, in %")
    for threshold in (*(round(0.2 + 0.05 * n, 2) for n in range(9)), least):
        cells = []
        for tag in languages:
            of = [r for r in rows if r.example.language == tag]
            noticed = share_from([r for r in of if r.example.kind != HARMLESS], threshold)
            asked = share_from([r for r in of if r.example.kind == HARMLESS], threshold)
            cells.append(f"{tag} {100 * noticed:5.1f} {100 * asked:5.1f}")
        print(f"{threshold:.2f}  " + "  ".join(cells))
    print(f"asks_from = {least}")


if __name__ == "__main__":
    main()
