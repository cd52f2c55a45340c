"""Flow: labelled pairs show what thresholds cost, and certify one whose wrong merges stay under a bound."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from saidonce.foundation import text
from saidonce.foundation.certificate import (
    Certificate,
    ThresholdStep,
    clear_line,
    fixed_sequence,
    grid,
    labels_needed,
    upper_bound,
)
from saidonce.foundation.model import Reason
from saidonce.foundation.ports import Embedder
from saidonce.foundation.settings.policy import CANONICAL, Policy
from saidonce.quality import pairs
from saidonce.quality.figures import Rate, rate
from saidonce.quality.rows import read

FLOOR = 0.5
"""Similarity under which guards are not asked, since no rule here merges so far down."""

SEED_RULES = ((0.90, 0.78), (0.92, 0.80), (0.94, 0.82), (0.96, 0.85))
"""Merge from, investigate from. Source: seed 002, "The thresholds we tested"."""

LOOSEST = 0.78
"""No threshold to merge from is looked for under this. Source: seed 002, the lowest line it investigates from."""

CLEAR_ALPHA = 0.05
"""Share of duplicates that may fall under the certified rule's clear line."""

SLIPS = 2
"""Wrong merges that the strictest step may hold, where labels suffice, so that one slip does not end the walk."""

N_HARD = 10

REQUIRED = ("id", "a", "b", "label")


@dataclass(frozen=True, slots=True)
class Scored:
    """A labelled pair as calibration sees it.

    Attributes:
        key: hashes of the two normalised texts, the smaller first; the same for the pair turned round.
        documents: where its texts stand; names its texts where it names no document.
        may_merge: None where the label does not say.
        held: whether a guard objects; not asked under `FLOOR`.
    """

    id: str
    key: tuple[str, str]
    documents: tuple[str, ...]
    similarity: float
    may_merge: bool | None
    held: bool

    @property
    def is_exact(self) -> bool:
        """Whether the two texts repeat each other exactly; their hash merges them, not their similarity."""
        return self.key[0] == self.key[1]


@dataclass(frozen=True, slots=True)
class CalibrationTarget:
    """What is to be certified, and of what: see `Certificate`."""

    alpha: float
    delta: float
    model: str
    guards: str
    prompt: str = ""
    clear_alpha: float = CLEAR_ALPHA


@dataclass(frozen=True, slots=True)
class RuleFigures:
    """What one rule does with all labelled pairs.

    Attributes:
        name: "seed" or "certified".
        n_merges, n_wrong: pairs merged, and those of them that must stay apart.
        upper: bound on the share of wrong merges, one-sided, at the wanted confidence.
        false_merges: of pairs that must stay apart, merged.
        missed_merges: of pairs that may merge, not merged.
        flagged: of pairs that may merge, merged or sent to review.
        to_review: of all pairs, sent to review.
    """

    name: str
    duplicate_from: float
    clear_below: float
    guarded: bool
    n_merges: int
    n_wrong: int
    upper: float
    false_merges: Rate
    missed_merges: Rate
    flagged: Rate
    to_review: Rate


@dataclass(frozen=True, slots=True)
class Half:
    """The size of one half of the split."""

    n_groups: int
    n_pairs: int


@dataclass(frozen=True, slots=True)
class Shortage:
    """What stood in the way at the strictest step, without which no looser one can hold.

    Attributes:
        needed: labelled merges that would certify with the same number of wrong ones.
    """

    step: ThresholdStep
    needed: int

    @property
    def more(self) -> int:
        """Labelled merges still to be had, none of them wrong."""
        return max(1, self.needed - self.step.n)


@dataclass(frozen=True, slots=True)
class Calibration:
    """What the labelled pairs say.

    Attributes:
        used: pairs that count: labelled, once each, exact repeats left out.
        n_pairs: all rows.
        n_unsaid: pairs whose label does not say whether they may merge.
        n_exact, n_exact_wrong: exact repeats, and those of them labelled to stay apart.
        n_disagreed: pairs labelled both ways; they count as distinct.
        steps: thresholds of the fixed sequence with the certifying half's counts, strictest first.
        shortage: None if something is certified.
        hard: pairs of the certifying half that must stay apart and that no guard holds, most similar first.
    """

    wanted: CalibrationTarget
    used: tuple[Scored, ...]
    n_pairs: int
    n_unsaid: int
    n_exact: int
    n_exact_wrong: int
    n_disagreed: int
    choosing: Half
    certifying: Half
    lines: tuple[RuleFigures, ...]
    steps: tuple[ThresholdStep, ...]
    certificate: Certificate | None
    shortage: Shortage | None
    hard: tuple[Scored, ...]


def count(files: Iterable[Path]) -> int:
    """Count the rows of all files; refuses malformed ones before anything is embedded.

    Raises:
        NotFoundError, UsageError: see `rows.read`.
    """
    return sum(1 for file in files for _ in read(file, REQUIRED))


def score(
    files: Iterable[Path], embedder: Embedder, on_pairs: Callable[[int], None], policy: Policy = CANONICAL
) -> list[Scored]:
    """Embed and judge every row of labelled pair files, in order.

    Args:
        files: see `pairs.judge`; rows may also name doc_a, doc_b, source and org.
        embedder: gives the similarity.
        on_pairs: called with the number of pairs done since the last call.
        policy: the use whose guards are asked.
    """
    found: list[Scored] = []
    for file in files:
        judged = pairs.judge(file, embedder, lenient(policy), on_pairs)
        found.extend(scored(j, documents(row)) for j, row in zip(judged, read(file, REQUIRED), strict=True))
    return found


def lenient(policy: Policy) -> Policy:
    """The policy with thresholds so low that the guards are asked about all that matters here."""
    return replace(policy, clear_below=FLOOR, duplicate_from=FLOOR)


def documents(row: Mapping[str, object]) -> tuple[str, ...]:
    """Names of the documents that a row's texts stand in, kept apart by organisation and source; empty without any."""
    where = [str(row.get(name) or "") for name in ("org", "source")]
    named = (row.get(f"doc_{side}") for side in "ab")
    return tuple(dict.fromkeys(text.digest(*where, str(name)) for name in named if name))


def scored(judged: pairs.JudgedPair, named: tuple[str, ...] = ()) -> Scored:
    """What calibration needs of a pair that was judged under a `lenient` policy."""
    pair, verdict = judged.pair, judged.verdict
    first, second = sorted((pair.a.content_hash, pair.b.content_hash))
    held = verdict.reason is Reason.OBJECTION
    return Scored(pair.id, (first, second), named or (first, second), verdict.similarity, pair.may_merge, held)


def calibrate(given: Sequence[Scored], wanted: CalibrationTarget) -> Calibration:
    """Measure the seed's rules, and certify the loosest threshold that the labels allow.

    Documents are split in two: similarities of one half, never its labels, choose the thresholds
    to try; the labels of the other half certify. The measured lines are over both.
    """
    agreed, n_disagreed = _agreed(given)
    said = [pair for pair in agreed if pair.may_merge is not None]
    exact = [pair for pair in said if pair.is_exact]
    used = tuple(pair for pair in said if not pair.is_exact)
    choosing, certifying, sizes = _split(used)
    steps = _steps(choosing, certifying, wanted)
    passing = _mergeable(certifying)
    best = fixed_sequence(steps, wanted.alpha, wanted.delta)
    certificate = _certificate(best, used, certifying, wanted) if best else None
    hard = sorted((p for p in passing if not p.may_merge), key=lambda p: (-p.similarity, p.id))
    return Calibration(
        wanted=wanted,
        used=used,
        n_pairs=len(given),
        n_unsaid=len(agreed) - len(said),
        n_exact=len(exact),
        n_exact_wrong=sum(not pair.may_merge for pair in exact),
        n_disagreed=n_disagreed,
        choosing=sizes[0],
        certifying=sizes[1],
        lines=_lines(used, certificate, wanted.delta),
        steps=steps,
        certificate=certificate,
        shortage=None if certificate else _shortage(steps, passing, wanted),
        hard=tuple(hard[:N_HARD]),
    )


def _agreed(given: Sequence[Scored]) -> tuple[list[Scored], int]:
    """Each pair of texts once, and how many were labelled both ways; those must stay apart."""
    by_key: dict[tuple[str, str], list[Scored]] = {}
    for pair in given:
        by_key.setdefault(pair.key, []).append(pair)
    agreed, n_disagreed = [], 0
    for same in by_key.values():
        labels = {pair.may_merge for pair in same} - {None}
        n_disagreed += len(labels) > 1
        named = tuple(dict.fromkeys(name for pair in same for name in pair.documents))
        label = all(labels) if labels else None
        # The pair turned round counts as merged if either order would merge it.
        agreed.append(replace(same[0], documents=named, may_merge=label, held=all(pair.held for pair in same)))
    return agreed, n_disagreed


def _split(used: Sequence[Scored]) -> tuple[list[Scored], list[Scored], tuple[Half, Half]]:
    """Halves by groups of documents that pairs connect, chosen by a hash of each group's name."""
    parent: dict[str, str] = {}
    for pair in used:
        roots = {_root(parent, name) for name in pair.documents}
        parent.update(dict.fromkeys(roots, min(roots)))
    halves: tuple[list[Scored], list[Scored]] = ([], [])
    groups: tuple[set[str], set[str]] = (set(), set())
    for pair in used:
        group = _root(parent, pair.documents[0])
        side = int(text.digest("half", group), 16) % 2
        halves[side].append(pair)
        groups[side].add(group)
    sizes = (Half(len(groups[0]), len(halves[0])), Half(len(groups[1]), len(halves[1])))
    return *halves, sizes


def _root(parent: dict[str, str], name: str) -> str:
    while (above := parent.setdefault(name, name)) != name:
        parent[name] = name = parent.setdefault(above, above)
    return name


def _mergeable(half: Sequence[Scored]) -> list[Scored]:
    """Pairs that some threshold would merge, guards and all."""
    return [pair for pair in half if not pair.held and pair.similarity >= LOOSEST]


def _steps(
    choosing: Sequence[Scored], certifying: Sequence[Scored], wanted: CalibrationTarget
) -> tuple[ThresholdStep, ...]:
    """Thresholds chosen by the first half's similarities, counted on the second half.

    Those that too few pairs pass to certify anything, whatever the labels, are left out; how many
    pass does not depend on labels either.
    """
    seen, counted = _mergeable(choosing), _mergeable(certifying)
    bounds = [labels_needed(wanted.alpha, wanted.delta, k) for k in range(SLIPS + 1)]
    needed = max((n for n in bounds if n <= len(counted)), default=bounds[0])
    at_least = math.ceil(needed * len(seen) / len(counted)) if counted else 1
    thresholds = grid([pair.similarity for pair in seen], at_least=max(1, at_least))
    return tuple(step for threshold in thresholds if (step := _step(counted, threshold)).n >= needed)


def _step(counted: Sequence[Scored], threshold: float) -> ThresholdStep:
    merged = [pair for pair in counted if pair.similarity >= threshold]
    return ThresholdStep(threshold, len(merged), sum(not pair.may_merge for pair in merged))


def _certificate(
    best: ThresholdStep, used: Sequence[Scored], certifying: Sequence[Scored], wanted: CalibrationTarget
) -> Certificate:
    scores = [pair.similarity for pair in certifying if pair.may_merge]
    line = clear_line(scores, wanted.clear_alpha, wanted.delta) or 0.0
    return Certificate(
        dataset=text.digest(*sorted(f"{' '.join(pair.key)} {pair.may_merge}" for pair in used)),
        model=wanted.model,
        guards=wanted.guards,
        prompt=wanted.prompt,
        n=best.n,
        k=best.k,
        alpha=wanted.alpha,
        delta=wanted.delta,
        duplicate_from=best.threshold,
        clear_below=min(best.threshold, max(0.0, math.floor(line * 1e4) / 1e4)),
        upper=upper_bound(best.k, best.n, wanted.delta),
    )


def _shortage(steps: Sequence[ThresholdStep], passing: Sequence[Scored], wanted: CalibrationTarget) -> Shortage:
    step = steps[0] if steps else _step(passing, LOOSEST)
    return Shortage(step, labels_needed(wanted.alpha, wanted.delta, step.k))


def _lines(used: Sequence[Scored], certificate: Certificate | None, delta: float) -> tuple[RuleFigures, ...]:
    rules = [("seed", *thresholds) for thresholds in SEED_RULES]
    if certificate:
        rules.append(("certified", certificate.duplicate_from, certificate.clear_below))
    return tuple(_line(used, rule, guarded, delta) for guarded in (True, False) for rule in rules)


def _line(used: Sequence[Scored], rule: tuple[str, float, float], guarded: bool, delta: float) -> RuleFigures:
    name, duplicate_from, clear_below = rule
    merged = [p for p in used if p.similarity >= duplicate_from and not (guarded and p.held)]
    near = [p for p in used if p.similarity >= clear_below]
    n_same = sum(bool(p.may_merge) for p in used)
    n_wrong = sum(not p.may_merge for p in merged)
    return RuleFigures(
        name=name,
        duplicate_from=duplicate_from,
        clear_below=clear_below,
        guarded=guarded,
        n_merges=len(merged),
        n_wrong=n_wrong,
        upper=upper_bound(n_wrong, len(merged), delta),
        false_merges=rate(n_wrong, len(used) - n_same),
        missed_merges=rate(n_same - (len(merged) - n_wrong), n_same),
        flagged=rate(sum(bool(p.may_merge) for p in near), n_same),
        to_review=rate(len(near) - len(merged), len(used)),
    )
