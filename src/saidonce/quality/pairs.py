"""Measure false and missed merges of the ladder on labelled pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from saidonce.foundation import text
from saidonce.foundation.model import Candidate, Kind, Match, Outcome, Row, Vector, Verdict
from saidonce.foundation.ports import Embedder, EquivalenceJudge
from saidonce.foundation.settings.policy import CANONICAL, Policy
from saidonce.matching.agreement import Accord, agreement, borne_out
from saidonce.matching.guards import guards_of
from saidonce.matching.ladder import Case, decide, first_objection
from saidonce.matching.vectors import canonical_cosine
from saidonce.quality.arms import BOTH, LABELLED, NEITHER, ArmLine, ArmPair, Ways, arm_lines, ways, ways_judged
from saidonce.quality.figures import Rate, rate
from saidonce.quality.rows import read

SAME = frozenset({"duplicate", "identical", "reworded", "same"})
DIFFERENT = frozenset({"distinct", "conflict", "fact_changed", "translation", "changed"})
"""Meaning of labels in rows without `merge_ok`."""

THRESHOLDS = (0.75, 0.80, 0.82, 0.85, 0.88, 0.90, 0.92, 0.94, 0.96, 0.98)

BATCH = 512


ONE_WAY = frozenset({"repeats_a", "repeats_b"})
"""Labels under which only one of two texts may be dropped."""


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """A labelled pair.

    Attributes:
        may_merge: None for a neutral label, and if only one of the texts may be dropped.
        source, kind: groups to which it belongs; empty if the row has none.
    """

    id: str
    a: Candidate
    b: Candidate
    label: str
    may_merge: bool | None
    source: str = ""
    kind: str = ""

    @property
    def may(self) -> Ways | None:
        """The texts that may be dropped; None for a neutral label."""
        if self.may_merge is None:
            return LABELLED[self.label] if self.label in ONE_WAY else None
        return BOTH if self.may_merge else NEITHER

    @property
    def language(self) -> str:
        """Language of both texts, or both languages."""
        return "-".join(dict.fromkeys((self.a.language, self.b.language)))


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A pair with the ladder's verdict, and the agreement of its texts, regardless of similarity.

    Attributes:
        judged: their agreement after a judge decided what is open; None without a judge.
    """

    pair: LabelledPair
    verdict: Verdict
    accord: Accord
    judged: Accord | None = None


@dataclass(frozen=True, slots=True)
class ThresholdErrors:
    """Errors at one threshold: pairs that must stay apart and merged, and pairs that may merge and did not."""

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
        flagged: pairs merged or sent to review, of those that may merge.
        arms: pairs joined by cosine, guards and judge, by source, language and kind.
        n_equal: pairs of equal texts that may be joined; every arm joins them, so they are not counted.
        judge: name of the judge; empty without one.
    """

    policy: Policy
    n_pairs: int
    outcomes: dict[tuple[str, Outcome], int]
    lines: tuple[ThresholdErrors, ...]
    policy_line: ThresholdErrors
    flagged: Rate
    arms: tuple[ArmLine, ...]
    n_equal: int
    judge: str


def judge(
    path: Path,
    embedder: Embedder,
    policy: Policy,
    on_pairs: Callable[[int], None],
    equivalence: EquivalenceJudge | None = None,
) -> list[JudgedPair]:
    """Judge every pair of a file under a policy, in file order.

    Args:
        path: JSON lines with id, a, b, label and optionally merge_ok, language, lang_a, lang_b, source (by default the
            file's name), kind or block, rows_a, rows_b.
        embedder: for similarities.
        policy: thresholds and outcomes.
        on_pairs: called with the number of pairs done since the last call.
        equivalence: judge of what the guards leave open.

    Raises:
        NotFoundError, UsageError: see `rows.read`.
        ModelUnavailableError: a model's files failed.
    """
    done: list[JudgedPair] = []
    source = path.name.split(".")[0]
    pairs = [_pair(row, source) for row in read(path, ("id", "a", "b", "label"))]
    for start in range(0, len(pairs), BATCH):
        batch = pairs[start : start + BATCH]
        vectors = _vectors(batch, embedder)
        done.extend(judged_pair(p, vectors, policy, equivalence) for p in batch)
        on_pairs(len(batch))
    return done


def judged_pair(
    pair: LabelledPair, vectors: Mapping[str, Vector], policy: Policy, equivalence: EquivalenceJudge | None
) -> JudgedPair:
    """Run the ladder on a pair, compare its texts, and ask the judge, if any, about what is open."""
    accord = agreement(pair.a, pair.b)
    borne = None if equivalence is None else borne_out(pair.a, pair.b, accord, equivalence)
    return JudgedPair(pair, verdict(pair, vectors, policy), accord, borne)


def verdict(pair: LabelledPair, vectors: Mapping[str, Vector], policy: Policy) -> Verdict:
    """Run the ladder on a pair: a is the only kept text, b the later candidate."""
    similarity = canonical_cosine(vectors[pair.a.text], vectors[pair.b.text])
    return decide(Case(pair.b, (Match("a", similarity, pair.a),), policy, guards_of(policy)))


def report(judged: Sequence[JudgedPair], policy: Policy, judge_name: str = "") -> PairsReport:
    """Count errors over thresholds, without guards and with, and under the policy; and the pairs joined by each arm."""
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
    differing = [j for j in judged if j.pair.may != BOTH or j.pair.a.content_hash != j.pair.b.content_hash]
    arms = arm_lines(arm for j in differing if (arm := arm_pair(j, policy)))
    n_equal = len(judged) - len(differing)
    return PairsReport(policy, len(judged), outcomes, tuple(lines), policy_line, flagged, arms, n_equal, judge_name)


def arm_pair(judged: JudgedPair, policy: Policy) -> ArmPair | None:
    """Return the decisions of each arm on a pair; None for a neutral label."""
    pair = judged.pair
    if pair.may is None:
        return None
    return ArmPair(
        source=pair.source,
        language=pair.language,
        kind=pair.kind,
        may=pair.may,
        is_near=judged.verdict.similarity >= policy.duplicate_from,
        guards=ways(judged.accord.agreement, policy.use),
        judged=ways_judged(judged.judged, policy.use) if judged.judged else None,
        is_compared=judged.verdict.similarity >= policy.same_from,
        judge_may_join=policy.use != CANONICAL.use,
    )


def _objects(judged: JudgedPair, policy: Policy) -> bool:
    """Return whether a guard objects, even if similarity alone decided the verdict."""
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


def _pair(row: dict[str, object], source: str) -> LabelledPair:
    label = str(row["label"])
    stated = row.get("merge_ok")
    may_merge = stated if isinstance(stated, bool) else True if label in SAME else False if label in DIFFERENT else None
    if "merge_ok" in row and stated is None:
        may_merge = None
    kind = str(row.get("kind") or row.get("block") or "")
    return LabelledPair(str(row["id"]), *_candidates(row), label, may_merge, str(row.get("source") or source), kind)


def _candidates(row: dict[str, object]) -> tuple[Candidate, Candidate]:
    """Return both texts of a row; a missing language is detected."""
    contents = [str(row[side]) for side in "ab"]
    languages = [row.get(f"lang_{side}") or row.get("language") for side in "ab"]
    tags = [n if isinstance(n, str) and n else tag for n, tag in zip(languages, text.languages(contents), strict=True)]
    block = row.get("block")
    kind = Kind(block) if isinstance(block, str) and block in list(Kind) else Kind.PARAGRAPH
    a, b = (
        Candidate(c, text.content_hash(c, kind is Kind.CODE), kind, tag, rows=_rows(row.get(f"rows_{side}"), c))
        for c, tag, side in zip(contents, tags, "ab", strict=True)
    )
    return a, b


def _rows(stated: object, content: str) -> tuple[Row, ...]:
    """Return the rows of a table: those of the row, or, if it has only their number, those parsed from the text."""
    if isinstance(stated, list):
        return tuple(tuple(map(str, row)) if isinstance(row, list) else (str(row),) for row in stated)
    if not stated:
        return ()
    cells = (line.strip().strip("|").split("|") for line in content.splitlines() if line.strip())
    rows = (tuple(cell.strip() for cell in row) for row in cells)
    return tuple(row for row in rows if any(set(cell) - set(":- ") for cell in row))


def _vectors(pairs: Iterable[LabelledPair], embedder: Embedder) -> dict[str, Vector]:
    texts = list(dict.fromkeys(t for p in pairs for t in (p.a.text, p.b.text)))
    return dict(zip(texts, embedder.embed(texts), strict=True))
