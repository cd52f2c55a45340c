"""Measure second opinions of the local judge in a base's gray zone: order of the queue, and settled pairs.

    python -m benchmarks.gray_zone [--rows N] [--judge FOLDER] [--json]

Labelled pairs between .82 and .94 from sources of which the shipped judge saw no row, asked one by one with what the
canonical guards say of them, in both orders of age; settled as the mode "settle" would.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from benchmarks.adjudication_rows import base_rows
from saidonce.adapters.embed.minilm import MiniLM
from saidonce.adjudication.local_judge import LocalJudge, load
from saidonce.foundation.model import (
    Candidate,
    GrayMode,
    Match,
    Objection,
    Question,
    Ruling,
    SecondOpinion,
    Shown,
    Verb,
)
from saidonce.foundation.settings.policy import CANONICAL, Settings
from saidonce.foundation.text import content_hash
from saidonce.kb.second_opinions import Ground, outcome
from saidonce.matching.guards import CANONICAL_GUARDS
from saidonce.matching.ladder import first_objection
from saidonce.matching.vectors import canonical_cosine

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LEVELS = (0.90, 0.95, 0.98)


@dataclass(frozen=True)
class OpinionedPair:
    """A labelled pair with its second opinion."""

    same: bool
    similarity: float
    objected: bool
    ruling: Ruling

    @property
    def likelihood(self) -> float:
        found = SecondOpinion(0, "", "", self.ruling, NOW).likelihood
        return found if found is not None else -1.0


def objections(a: Candidate, b: Candidate) -> tuple[Objection, ...]:
    """Return the objections of the first guard that objects, in both orders of age."""
    return first_objection(CANONICAL_GUARDS, a, b) or first_objection(CANONICAL_GUARDS, b, a)


def asked_pairs(most: int, judge: LocalJudge, model: MiniLM) -> list[OpinionedPair]:
    """Return the pairs of the gray zone with their opinions."""
    rows = base_rows(most)
    texts = list(dict.fromkeys(t for r in rows for t in (r.a, r.b)))
    vectors = dict(zip(texts, model.embed(texts), strict=True))
    pairs = []
    for row in rows:
        similarity = canonical_cosine(vectors[row.a], vectors[row.b])
        if not CANONICAL.clear_below <= similarity < CANONICAL.duplicate_from:
            continue
        a, b = (Candidate(t, content_hash(t), language="en") for t in (row.a, row.b))
        objected = objections(a, b)
        (ruling,) = judge.rule([Question(a, (Shown(Match("kept", similarity, b), objected),))])
        pairs.append(OpinionedPair(row.same, similarity, bool(objected), ruling))
    return pairs


def fifths(pairs: Sequence[OpinionedPair], scores: Sequence[float]) -> list[float]:
    """Return the share of duplicates in each fifth of a queue ordered by a score, highest first."""
    order = sorted(range(len(pairs)), key=lambda n: (-scores[n], n))
    return [float(np.mean([pairs[n].same for n in part])) for part in np.array_split(np.array(order), 5)]


def settled(pairs: Sequence[OpinionedPair], settle_from: float) -> dict[str, Any]:
    """Return the outcomes of the mode "settle" on the pairs, and its errors."""
    merged, dismissed = [], []
    for pair in pairs:
        verb = outcome(pair.ruling, Ground(GrayMode.SETTLE, settle_from, pair.objected, False, False))
        if verb is Verb.MERGE:
            merged.append(pair)
        elif verb is Verb.DISMISS:
            dismissed.append(pair)
    return {
        "settled from": settle_from,
        "merged": len(merged),
        "of these distinct": sum(not p.same for p in merged),
        "kept apart": len(dismissed),
        "of these duplicates": sum(p.same for p in dismissed),
        "left to people": len(pairs) - len(merged) - len(dismissed),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=300, help="most rows a source and label")
    parser.add_argument("--judge", default="shipped")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    model = MiniLM()
    pairs = asked_pairs(options.rows, LocalJudge(model, load(options.judge)), model)
    free = [p for p in pairs if not p.objected]
    report: dict[str, Any] = {
        "pairs": len(pairs),
        "duplicates": sum(p.same for p in pairs),
        "without an objection": len(free),
        "of these duplicates": sum(p.same for p in free),
        "fifths by similarity": fifths(pairs, [p.similarity for p in pairs]),
        "fifths by opinion": fifths(pairs, [p.likelihood for p in pairs]),
        "settled": [settled(pairs, level) for level in sorted({*LEVELS, Settings().gray_zone_settle_from})],
    }
    if options.json:
        print(json.dumps(report))
        return
    for name, value in report.items():
        if name == "settled":
            continue
        shown = " ".join(f"{100 * v:4.0f}" for v in value) if isinstance(value, list) else value
        print(f"{name:<24}{shown}")
    for row in report["settled"]:
        print("; ".join(f"{name} {value}" for name, value in row.items()))


if __name__ == "__main__":
    main()
