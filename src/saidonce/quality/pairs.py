"""Flow: false and missed merges of the ladder on labelled pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from saidonce.foundation import text
from saidonce.foundation.model import Candidate, Match, Outcome, Vector, Verdict
from saidonce.foundation.ports import Embedder
from saidonce.foundation.settings.policy import Policy
from saidonce.matching.guards import guards_of
from saidonce.matching.ladder import Case, decide, first_objection
from saidonce.matching.vectors import canonical_cosine
from saidonce.quality.figures import Rate, rate
from saidonce.quality.rows import read

SAME = frozenset({"duplicate", "identical", "reworded"})
DIFFERENT = frozenset({"distinct", "conflict", "fact_changed", "translation"})
"""Meaning of labels in rows without `merge_ok`."""

THRESHOLDS = (0.75, 0.80, 0.82, 0.85, 0.88, 0.90, 0.92, 0.94, 0.96, 0.98)

BATCH = 512


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """A labelled pair; `may_merge` is None for a neutral label."""

    id: str
    a: Candidate
    b: Candidate
    label: str
    may_merge: bool | None


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A pair with the ladder's verdict."""

    pair: LabelledPair
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class ThresholdErrors:
    """Errors at one threshold: of pairs that must stay apart merged, and of pairs that may merge missed."""

    threshold: float
    guarded: bool
    false_merges: Rate
    missed_merges: Rate


@dataclass(frozen=True, slots=True)
class PairsReport:
    """Results of the ladder on labelled pairs.

    Attributes:
        outcomes: pairs by (label, outcome) under the policy.
        lines: errors over thresholds, without guards and with.
        policy_line: errors under the policy; a pair sent to review counts as not merged.
        flagged: of the pairs that may merge, those merged or sent to review.
    """

    policy: Policy
    n_pairs: int
    outcomes: dict[tuple[str, Outcome], int]
    lines: tuple[ThresholdErrors, ...]
    policy_line: ThresholdErrors
    flagged: Rate


def judge(path: Path, embedder: Embedder, policy: Policy, on_pairs: Callable[[int], None]) -> list[JudgedPair]:
    """Judge every pair of a file under a policy, in file order.

    Args:
        path: JSON lines with id, a, b, label and optionally merge_ok, lang_a, lang_b.
        embedder: for similarities.
        policy: thresholds and outcomes.
        on_pairs: called with the number of pairs done since the last call.
    """
    done: list[JudgedPair] = []
    pairs = [_pair(row) for row in read(path, ("id", "a", "b", "label"))]
    for start in range(0, len(pairs), BATCH):
        batch = pairs[start : start + BATCH]
        vectors = _vectors(batch, embedder)
        done.extend(JudgedPair(p, verdict(p, vectors, policy)) for p in batch)
        on_pairs(len(batch))
    return done


def verdict(pair: LabelledPair, vectors: dict[str, Vector], policy: Policy) -> Verdict:
    """Take a pair up the ladder: a is the only kept text, b the candidate that comes after it."""
    similarity = canonical_cosine(vectors[pair.a.text], vectors[pair.b.text])
    return decide(Case(pair.b, (Match("a", similarity, pair.a),), policy, guards_of(policy)))


def report(judged: Sequence[JudgedPair], policy: Policy) -> PairsReport:
    """Count errors over thresholds, without guards and with, and under the policy."""
    outcomes: dict[tuple[str, Outcome], int] = {}
    for j in judged:
        key = (j.pair.label, j.verdict.outcome)
        outcomes[key] = outcomes.get(key, 0) + 1
    objected = {id(j) for j in judged if _objects(j, policy)}
    lines = [
        _line(
            judged, t, guarded, {id(j) for j in judged if j.verdict.similarity >= t} - (objected if guarded else set())
        )
        for guarded in (False, True)
        for t in THRESHOLDS
    ]
    merged = {id(j) for j in judged if j.verdict.outcome is Outcome.DUPLICATE}
    policy_line = _line(judged, policy.duplicate_from, True, merged)
    same = [j for j in judged if j.pair.may_merge]
    flagged = rate(sum(j.verdict.outcome is not Outcome.DISTINCT for j in same), len(same))
    return PairsReport(policy, len(judged), outcomes, tuple(lines), policy_line, flagged)


def _objects(judged: JudgedPair, policy: Policy) -> bool:
    """Return whether a guard objects, asked also where similarity alone settled the verdict."""
    if judged.verdict.similarity < min(THRESHOLDS):
        return False
    return bool(first_objection(guards_of(policy), judged.pair.b, judged.pair.a))


def _line(judged: Sequence[JudgedPair], threshold: float, guarded: bool, merged: set[int]) -> ThresholdErrors:
    """Return the errors of a rule that merges the judged pairs whose `id()` is in `merged`."""
    apart = [j for j in judged if j.pair.may_merge is False]
    same = [j for j in judged if j.pair.may_merge]
    false_merges = rate(sum(id(j) in merged for j in apart), len(apart))
    missed_merges = rate(sum(id(j) not in merged for j in same), len(same))
    return ThresholdErrors(threshold, guarded, false_merges, missed_merges)


def _pair(row: dict[str, object]) -> LabelledPair:
    label = str(row["label"])
    stated = row.get("merge_ok")
    known = stated if isinstance(stated, bool) else True if label in SAME else False if label in DIFFERENT else None
    if "merge_ok" in row and stated is None:
        known = None
    return LabelledPair(str(row["id"]), *_candidates(row), label, known)


def _candidates(row: dict[str, object]) -> tuple[Candidate, Candidate]:
    """Return both texts of a row; a missing language is detected."""
    contents = [str(row[side]) for side in "ab"]
    named = [row.get(f"lang_{side}") for side in "ab"]
    tags = [n if isinstance(n, str) and n else tag for n, tag in zip(named, text.languages(contents), strict=True)]
    a, b = (Candidate(c, text.content_hash(c), language=tag) for c, tag in zip(contents, tags, strict=True))
    return a, b


def _vectors(pairs: Iterable[LabelledPair], embedder: Embedder) -> dict[str, Vector]:
    texts = list(dict.fromkeys(t for p in pairs for t in (p.a.text, p.b.text)))
    return dict(zip(texts, embedder.embed(texts), strict=True))
