"""Errors of thresholds on labelled pairs, and a certificate of a threshold that bounds wrong merges."""

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
from saidonce.foundation.ports import Embedder, EquivalenceJudge
from saidonce.foundation.settings.policy import CANONICAL, Policy
from saidonce.quality import pairs
from saidonce.quality.arms import BOTH, NEITHER, ArmLine, ArmPair, arm_lines, ways_judged
from saidonce.quality.figures import Rate, rate
from saidonce.quality.groups import NameGroups
from saidonce.quality.rows import read

FLOOR = 0.5
"""Similarity under which guards are not called: no rule here merges below it."""

SEED_RULES = ((0.90, 0.78), (0.92, 0.80), (0.94, 0.82), (0.96, 0.85))
"""Merge from, investigate from. Source: seed 002, "The thresholds we tested"."""

LOOSEST = 0.78
"""Lowest merge threshold to try. Source: seed 002, the lowest line it investigates from."""

CLEAR_ALPHA = 0.05
"""Share of duplicates that may fall under the certified rule's clear line."""

SLIPS = 2
"""Wrong merges that the strictest step may hold, where labels suffice, so that one slip does not end the walk."""

N_HARD = 10

REQUIRED = ("id", "a", "b", "label")


@dataclass(frozen=True, slots=True)
class Scored:
    """A labelled pair for calibration.

    Attributes:
        key: hashes of the two normalised texts, the smaller first; the same for the reversed pair.
        documents: of its texts; the texts' hashes if it names no document.
        may_merge: None for a neutral label.
        held: whether a guard objects; not evaluated under `FLOOR`.
        held_judged: the same after a judge decided what the guards leave open; None without a judge.
        arms: the decision of each arm; None if not requested.
    """

    id: str
    key: tuple[str, str]
    documents: tuple[str, ...]
    similarity: float
    may_merge: bool | None
    held: bool
    held_judged: bool | None = None
    arms: ArmPair | None = None

    @property
    def is_exact(self) -> bool:
        """Whether the two texts are exact repeats, merged by hash and not by similarity."""
        return self.key[0] == self.key[1]


@dataclass(frozen=True, slots=True)
class CalibrationTarget:
    """The bounds to certify, and their scope: see `Certificate`.

    Attributes:
        judge: also certify merges decided by this equivalence judge; empty for merges by the guards alone.
    """

    alpha: float
    delta: float
    model: str
    guards: str
    prompt: str = ""
    clear_alpha: float = CLEAR_ALPHA
    judge: str = ""


@dataclass(frozen=True, slots=True)
class RuleFigures:
    """Results of one rule on all labelled pairs.

    Attributes:
        name: "seed" or "certified".
        n_merges, n_wrong: pairs merged, and those of them that must stay apart.
        upper: bound on the share of wrong merges, one-sided, at the target's confidence.
        false_merges: share merged of the pairs that must stay apart.
        missed_merges: share not merged of the pairs that may merge.
        flagged: share merged or sent to review of the pairs that may merge.
        to_review: share sent to review of all pairs.
        judged: whether a judge decided what the guards leave open.
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
    judged: bool = False


@dataclass(frozen=True, slots=True)
class Half:
    """The size of one half of the split."""

    n_groups: int
    n_pairs: int


@dataclass(frozen=True, slots=True)
class Shortage:
    """The missing labels at the strictest threshold; without them no looser threshold can be certified.

    Attributes:
        needed: labelled merges for a certificate with the same number of wrong ones.
    """

    step: ThresholdStep
    needed: int

    @property
    def more(self) -> int:
        """Labelled merges still missing, none of them wrong."""
        return max(1, self.needed - self.step.n)


@dataclass(frozen=True, slots=True)
class Calibration:
    """The result of a calibration.

    Attributes:
        used: counted pairs: labelled, once each, without exact repeats.
        n_pairs: all rows.
        n_unsaid: pairs with a neutral label.
        n_exact, n_exact_wrong: exact repeats, and those of them labelled to stay apart.
        n_disagreed: pairs labelled both ways; they count as distinct.
        steps: thresholds of the fixed sequence with the certifying half's counts, strictest first.
        shortage: None if something is certified.
        hard: pairs of the certifying half that must stay apart without a guard's objection, most similar first.
        arms: pairs joined by cosine, guards and judge above the certified threshold, or else the canonical one, by
            source, language and kind.
    """

    target: CalibrationTarget
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
    arms: tuple[ArmLine, ...] = ()


def count(files: Iterable[Path]) -> int:
    """Count the rows of all files; raise for malformed ones before anything is embedded.

    Raises:
        NotFoundError, UsageError: see `rows.read`.
    """
    return sum(1 for file in files for _ in read(file, REQUIRED))


def score(
    files: Iterable[Path],
    embedder: Embedder,
    on_pairs: Callable[[int], None],
    policy: Policy = CANONICAL,
    equivalence: EquivalenceJudge | None = None,
) -> list[Scored]:
    """Embed and judge every row of labelled pair files, in order.

    Args:
        files: see `pairs.judge`; rows may also name doc_a, doc_b, source and org.
        embedder: for similarities.
        on_pairs: called with the number of pairs done since the last call.
        policy: the use case, with its guards.
        equivalence: judge of what the guards leave open.
    """
    scores: list[Scored] = []
    for file in files:
        judged = pairs.judge(file, embedder, lenient(policy), on_pairs, equivalence)
        scores.extend(scored(j, policy, documents(row)) for j, row in zip(judged, read(file, REQUIRED), strict=True))
    return scores


def lenient(policy: Policy) -> Policy:
    """Return the policy with thresholds low enough that the guards check every relevant pair."""
    return replace(policy, clear_below=FLOOR, duplicate_from=FLOOR, same_from=1.0)


def documents(row: Mapping[str, object]) -> tuple[str, ...]:
    """Return the documents of a row's texts, kept apart by organisation and source; empty without any."""
    where = [str(row.get(name) or "") for name in ("org", "source")]
    names = (row.get(f"doc_{side}") for side in "ab")
    return tuple(dict.fromkeys(text.digest(*where, str(name)) for name in names if name))


def scored(judged: pairs.JudgedPair, policy: Policy, named: tuple[str, ...] = ()) -> Scored:
    """Return the calibration's view of a pair judged under a `lenient` form of a policy."""
    pair, verdict = judged.pair, judged.verdict
    first, second = sorted((pair.a.content_hash, pair.b.content_hash))
    is_held = verdict.reason is Reason.OBJECTION
    held_judged = None if judged.judged is None else is_held and not ways_judged(judged.judged, policy.use)[0]
    return Scored(
        id=pair.id,
        key=(first, second),
        documents=named or (first, second),
        similarity=verdict.similarity,
        may_merge=pair.may_merge,
        held=is_held,
        held_judged=held_judged,
        arms=pairs.arm_pair(judged, policy),
    )


def calibrate(rows: Sequence[Scored], target: CalibrationTarget) -> Calibration:
    """Measure the seed's rules, and certify the loosest threshold that the labels allow.

    Documents are split in two halves: the similarities of one half, never its labels, choose the
    candidate thresholds; the labels of the other half certify. The rule figures cover both. Nothing is certified
    without a pair that must stay apart.
    """
    agreed, n_disagreed = _agreed(rows)
    labelled = [pair for pair in agreed if pair.may_merge is not None]
    exact = [pair for pair in labelled if pair.is_exact]
    used = tuple(pair for pair in labelled if not pair.is_exact)
    choosing, certifying, sizes = _split(_with_judge(used) if target.judge else used)
    steps = _steps(choosing, certifying, target)
    passing = _mergeable(certifying)
    # Where no pair could be merged wrongly, that none was shows nothing.
    best = fixed_sequence(steps, target.alpha, target.delta) if _has_both(used) else None
    certificate = _certificate(best, used, certifying, target) if best else None
    hard = sorted((p for p in passing if not p.may_merge), key=lambda p: (-p.similarity, p.id))
    threshold = certificate.duplicate_from if certificate else CANONICAL.duplicate_from
    return Calibration(
        target=target,
        used=used,
        n_pairs=len(rows),
        n_unsaid=len(agreed) - len(labelled),
        n_exact=len(exact),
        n_exact_wrong=sum(not pair.may_merge for pair in exact),
        n_disagreed=n_disagreed,
        choosing=sizes[0],
        certifying=sizes[1],
        lines=_lines(used, certificate, target.delta),
        steps=steps,
        certificate=certificate,
        shortage=None if certificate else _shortage(steps, passing, target),
        hard=tuple(hard[:N_HARD]),
        arms=arm_lines(arm for pair in used if (arm := _arm(pair, threshold))),
    )


def _arm(pair: Scored, threshold: float) -> ArmPair | None:
    """Return the arms' decisions on a pair at a threshold, under the label on which all its rows agree."""
    if pair.arms is None:
        return None
    return replace(pair.arms, is_near=pair.similarity >= threshold, may=BOTH if pair.may_merge else NEITHER)


def _agreed(rows: Sequence[Scored]) -> tuple[list[Scored], int]:
    """Return each pair of texts once, and the number of pairs labelled both ways, which must stay apart."""
    by_key: dict[tuple[str, str], list[Scored]] = {}
    for pair in rows:
        by_key.setdefault(pair.key, []).append(pair)
    agreed, n_disagreed = [], 0
    for same in by_key.values():
        labels = {pair.may_merge for pair in same} - {None}
        n_disagreed += len(labels) > 1
        names = tuple(dict.fromkeys(name for pair in same for name in pair.documents))
        label = all(labels) if labels else None
        # A pair in both orders counts as merged if either order would merge it.
        is_held = all(pair.held for pair in same)
        borne = None if same[0].held_judged is None else all(pair.held_judged for pair in same)
        agreed.append(replace(same[0], documents=names, may_merge=label, held=is_held, held_judged=borne))
    return agreed, n_disagreed


def _split(used: Sequence[Scored]) -> tuple[list[Scored], list[Scored], tuple[Half, Half]]:
    """Return halves by groups of documents connected by pairs, chosen by a hash of each group's name."""
    names = NameGroups()
    for pair in used:
        names.connect(pair.documents)
    halves: tuple[list[Scored], list[Scored]] = ([], [])
    groups: tuple[set[str], set[str]] = (set(), set())
    for pair in used:
        group = names.root(pair.documents[0])
        side = int(text.digest("half", group), 16) % 2
        halves[side].append(pair)
        groups[side].add(group)
    sizes = (Half(len(groups[0]), len(halves[0])), Half(len(groups[1]), len(halves[1])))
    return *halves, sizes


def _with_judge(used: Sequence[Scored]) -> list[Scored]:
    """Return the pairs after the judge decided what the guards leave open."""
    return [p if p.held_judged is None else replace(p, held=p.held_judged) for p in used]


def _mergeable(half: Sequence[Scored]) -> list[Scored]:
    """Return the pairs mergeable at some threshold, guards and all."""
    return [pair for pair in half if not pair.held and pair.similarity >= LOOSEST]


def _steps(
    choosing: Sequence[Scored], certifying: Sequence[Scored], target: CalibrationTarget
) -> tuple[ThresholdStep, ...]:
    """Choose thresholds by the first half's similarities, and count them on the second half.

    Thresholds with too few pairs for a certificate under any labels are left out; the number of pairs
    does not depend on labels either.
    """
    candidates, counted = _mergeable(choosing), _mergeable(certifying)
    bounds = [labels_needed(target.alpha, target.delta, k) for k in range(SLIPS + 1)]
    needed = max((n for n in bounds if n <= len(counted)), default=bounds[0])
    at_least = math.ceil(needed * len(candidates) / len(counted)) if counted else 1
    thresholds = grid([pair.similarity for pair in candidates], at_least=max(1, at_least))
    return tuple(step for threshold in thresholds if (step := _step(counted, threshold)).n >= needed)


def _step(counted: Sequence[Scored], threshold: float) -> ThresholdStep:
    merged = [pair for pair in counted if pair.similarity >= threshold]
    return ThresholdStep(threshold, len(merged), sum(not pair.may_merge for pair in merged))


def _has_both(used: Sequence[Scored]) -> bool:
    """Return whether some pairs may merge and some must stay apart."""
    return {bool(pair.may_merge) for pair in used} == {True, False}


def _certificate(
    best: ThresholdStep, used: Sequence[Scored], certifying: Sequence[Scored], target: CalibrationTarget
) -> Certificate:
    scores = [pair.similarity for pair in certifying if pair.may_merge]
    line = clear_line(scores, target.clear_alpha, target.delta) or 0.0
    return Certificate(
        dataset=text.digest(*sorted(f"{' '.join(pair.key)} {pair.may_merge}" for pair in used)),
        model=target.model,
        guards=target.guards,
        prompt=target.prompt,
        n=best.n,
        k=best.k,
        alpha=target.alpha,
        delta=target.delta,
        duplicate_from=best.threshold,
        clear_below=min(best.threshold, max(0.0, math.floor(line * 1e4) / 1e4)),
        upper=upper_bound(best.k, best.n, target.delta),
        judge=target.judge,
    )


def _shortage(steps: Sequence[ThresholdStep], passing: Sequence[Scored], target: CalibrationTarget) -> Shortage:
    step = steps[0] if steps else _step(passing, LOOSEST)
    return Shortage(step, labels_needed(target.alpha, target.delta, step.k))


def _lines(used: Sequence[Scored], certificate: Certificate | None, delta: float) -> tuple[RuleFigures, ...]:
    rules = [("seed", *thresholds) for thresholds in SEED_RULES]
    if certificate:
        rules.append(("certified", certificate.duplicate_from, certificate.clear_below))
    free = [p for p in used if not p.held]
    lines = [
        _line(used, of, rule, delta, guarded=guarded) for of, guarded in ((free, True), (used, False)) for rule in rules
    ]
    if any(p.held_judged is not None for p in used):
        borne = [p for p in used if not (p.held if p.held_judged is None else p.held_judged)]
        lines += [replace(_line(used, borne, rule, delta, guarded=True), judged=True) for rule in rules]
    return tuple(lines)


def _line(
    used: Sequence[Scored], free: Sequence[Scored], rule: tuple[str, float, float], delta: float, *, guarded: bool
) -> RuleFigures:
    """Return the figures of a rule on all pairs, of which it may merge those in `free`."""
    name, duplicate_from, clear_below = rule
    merged = [p for p in free if p.similarity >= duplicate_from]
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
