"""Reports of commands that measure: dedupe, evaluate, calibrate, adjudicator."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field, JsonValue

from saidonce.adjudication.local_judge import TrainingFigures
from saidonce.adjudication.local_judge.calibration import Cuts
from saidonce.foundation.certificate import Certificate, ThresholdStep
from saidonce.foundation.model import FactKind, Objection, Opinion, Outcome
from saidonce.interfaces.views.base import Number, View
from saidonce.matching.agreement import Agreement
from saidonce.quality.arms import ArmLine
from saidonce.quality.calibrate import Half, RuleFigures
from saidonce.quality.emergencies import CaughtLine
from saidonce.quality.figures import Rate
from saidonce.quality.novelty import Repeat
from saidonce.quality.pairs import ThresholdErrors


class RepeatedRow(View):
    """A row, and how many others repeat it."""

    row: int
    id: str
    repeats: int


class CorpusFiles(View):
    """Where rows were written."""

    kept: str
    dropped: str
    held_apart: str


class DedupeView(View):
    """What became of the rows of a corpus."""

    rows: int
    kept: int
    dropped: int
    share_dropped: float
    by_ending: dict[str, int]
    """rows by kept, held_apart, no_text, exact, near, unreadable"""
    undecided: int
    """kept rows with more near rows than the guards check"""
    texts_compared: int
    near_copies: int
    """dropped near-repeats that repeat one another word for word"""
    near_by_similarity: dict[str, int]
    held_apart_by_fact: dict[FactKind, int]
    most_repeated: tuple[RepeatedRow, ...]
    digest: str
    blank_lines: int
    files: CorpusFiles
    took_s: float


class RunFiles(CorpusFiles):
    """Where the rows of several files were written; `clusters` and `certificate` where they were asked for."""

    clusters: str | None
    certificate: str | None


class AgainstRows(View):
    """What the rows were compared against.

    Attributes:
        rows: of the files of `--against`.
        repeated: rows of the corpus that repeat one of these; 0 means that none of them leaks.
    """

    rows: int
    repeated: int


class DedupeRunView(DedupeView):
    """What became of the rows of several files, or of rows compared with other ones; see `DedupeView`."""

    inputs: int
    """files read"""
    files: RunFiles
    against: AgainstRows | None
    engine: str


class VerifiedView(View):
    """What a certificate claims, and whether it holds.

    Attributes:
        rows_checked: rows compared with all kept ones.
        wrong: what contradicts the certificate; empty if nothing does.
    """

    claim: str
    holds: bool
    digest: str
    rows: int
    rows_checked: int
    wrong: tuple[str, ...]
    took_s: float


class ComparedRow(View):
    """A line of `--dropped` or `--held-apart`: a row, and the kept row that it resembles."""

    row: int
    id: str
    sha256: str
    reason: str
    of: int
    of_id: str
    of_sha256: str
    similarity: float
    objections: tuple[Objection, ...]


class UnreadableRow(View):
    """A line of `--dropped`: a row that cannot be read."""

    row: int
    id: str
    sha256: str
    reason: str
    detail: str


class RunRow(ComparedRow):
    """A line of `--dropped` or `--held-apart` of a run over several files."""

    file: str
    of_file: str


class UnreadableRunRow(UnreadableRow):
    """A line of `--dropped` of a run over several files: a row that cannot be read."""

    file: str


class PolicyView(View):
    """How one use of the ladder decides."""

    DERIVED: ClassVar = {"may_rule": lambda policy: sorted(policy.may_rule)}

    use: str
    clear_below: float
    duplicate_from: float
    on_objection: Outcome
    when_unsure: Outcome
    k: int
    asks: bool
    asks_above: bool
    may_rule: tuple[Outcome, ...]
    values_only: bool


class LabelCount(View):
    """Pairs of one label with one outcome."""

    label: str
    outcome: Outcome
    n: int


class PairsView(View):
    """What the ladder makes of labelled pairs."""

    DERIVED: ClassVar = {
        "outcomes": lambda report: [
            LabelCount(label=label, outcome=outcome, n=n) for (label, outcome), n in sorted(report.outcomes.items())
        ],
        "thresholds": lambda report: report.lines,
        "under_policy": lambda report: report.policy_line,
        "merged_or_flagged": lambda report: report.flagged,
    }

    policy: PolicyView
    n_pairs: int
    outcomes: tuple[LabelCount, ...]
    thresholds: tuple[ThresholdErrors, ...]
    under_policy: ThresholdErrors
    """a pair sent to review counts as not merged"""
    merged_or_flagged: Rate
    """of the pairs that may merge"""
    judge: str
    """empty without one"""
    n_equal: int
    """pairs of identical texts that may merge, which no arm counts"""
    arms: tuple[ArmLine, ...]
    """what cosine, guards and judge merge, by source, language and kind"""


class DifferingTexts(View):
    """A fact in which a pair differs, as each text states it."""

    kind: FactKind
    a: str
    b: str


class JudgedRewording(View):
    """Two aligned sentences in other words, and what the judge answers about them."""

    a: str
    b: str
    is_same: bool
    score: float


class PairVerdict(View):
    """A line of `evaluate pairs --verdicts`."""

    id: str
    outcome: Outcome
    similarity: float
    agreement: Agreement
    """by the guards, whatever the similarity"""
    reasons: tuple[str, ...]
    """rules by which differing words say the same"""
    agreement_judged: Agreement | None
    """agreement after asking the judge about open words; null without a judge"""
    judge: tuple[JudgedRewording, ...]
    """what it was asked"""
    objections: tuple[DifferingTexts, ...]


class RankedDocument(View):
    """A document in a ranking, with the documents that repeat it."""

    doc: str
    score: float
    also_in: tuple[str, ...]


class RunLine(View):
    """A line of `evaluate retrieval --run`."""

    query: str
    arm: str
    hits: tuple[RankedDocument, ...]


class RepeatedTurnsView(View):
    """What was taken for a repeat in dialogues."""

    n_dialogues: int
    n_turns: int
    n_verbatim: int
    found: tuple[Repeat, ...]
    n_found_verbatim: int
    n_other: int


class FlawRow(View):
    """A flaw of a conversation."""

    kind: str
    step: int
    """from 1; 0 for the whole conversation"""
    text: str


class ScenarioArmView(View):
    """How conversations went with one arm: without a model, with one, or with the keyword flow."""

    DERIVED: ClassVar = {
        "scenarios": lambda arm: len(arm.played),
        "failed": lambda arm: {p.scenario: p.failures for p in arm.played if p.failures},
        "flawed": lambda arm: {p.scenario: p.flaws for p in arm.played if p.flaws},
    }

    name: str
    scenarios: int
    passed: Rate
    best: Rate
    """passed with one of the best ends"""
    flawless: Rate
    """passed without a flaw"""
    tool_accuracy: Rate = Field(validation_alias="tools")
    seed: Rate = Field(validation_alias="seeds")
    """the situations tagged `seed`"""
    every_wording: Rate
    flaws: dict[str, int]
    """by kind, counted whatever a scenario expects"""
    owed: dict[str, int]
    """messages that could have had the flaw"""
    by_tag: dict[str, tuple[int, int]]
    """flawless, and all"""
    calls_p95: Number
    """model calls of a turn, 95th percentile"""
    longest_prompt: int = Field(validation_alias="max_tokens")
    """estimated tokens"""
    messages: int = Field(validation_alias="n_messages")
    turns: int = Field(validation_alias="n_turns")
    failed: dict[str, tuple[str, ...]]
    """what failed, by scenario"""
    flawed: dict[str, tuple[FlawRow, ...]]


class ScenariosView(View):
    """How conversations were played, by arm."""

    DERIVED: ClassVar = {"arms": tuple}

    arms: tuple[ScenarioArmView, ...]


class TenantsView(View):
    """What happened to scripted tenants."""

    DERIVED: ClassVar = {
        "aims": lambda report: {aim: {"conversations": n, "clean": good} for aim, (n, good) in report.aims.items()},
        "seeds": lambda report: {
            kind: [{"seed": seed, "text": text} for seed, text in rows] for kind, rows in report.seeds.items()
        },
    }

    conversations: int = Field(validation_alias="n")
    clean: int = Field(validation_alias="n_clean")
    """without a violation"""
    aims: dict[str, dict[str, int]]
    violated: dict[str, int]
    """conversations with a violation, by its kind"""
    seeds: dict[str, list[dict[str, int | str]]]
    """the first of each kind"""
    messages: int = Field(validation_alias="n_messages")
    issues: int = Field(validation_alias="n_issues")
    in_danger: int = Field(validation_alias="n_alarms")


class EmergencySentence(View):
    """A sentence of a danger that was missed, or a harmless one that cost a question or the safety text."""

    DERIVED: ClassVar = {
        "language": lambda seen: seen.case.language,
        "way": lambda seen: seen.case.way,
        "kind": lambda seen: seen.case.kind,
        "text": lambda seen: seen.case.text,
    }

    language: str
    way: str
    """plain, other or harmless"""
    kind: str
    """class of danger; empty for harmless ones"""
    text: str
    sure: bool


class EmergenciesView(View):
    """How emergencies are noticed, by each channel and by both."""

    lines: tuple[CaughtLine, ...]
    words_p95_ms: Number
    """processor time of words for a message, 95th percentile"""
    head_p95_ms: Number
    """processor time of the trained head for a message, 95th percentile"""
    heard_p95_ms: Number
    """processor time of all that is done for a message, misspelt words included, 95th percentile"""
    wrong: tuple[EmergencySentence, ...]


class QualityView(View):
    """Figures of sampled conversations."""

    n: int
    messages_to_issue: float
    issues: Rate
    asked_again: Rate
    later_answered: Rate
    n_fallback: int
    scores: dict[str, float]
    kappa: dict[str, float]
    n_labelled: int
    unjudged: tuple[tuple[str, str], ...]
    is_advisory: bool


class ShortageView(View):
    """What is missing for a certificate."""

    PARTS = ("step",)

    threshold: float
    n: int
    k: int
    needed: int
    """number of labelled merges needed to certify with the same number of wrong ones"""
    more: int


class HardPair(View):
    """A pair that must stay apart and that no guard holds."""

    id: str
    similarity: float


class CalibrationView(View):
    """Thresholds measured on labelled pairs."""

    DERIVED: ClassVar = {
        "bound": lambda calibration: calibration.target.alpha,
        "confidence": lambda calibration: round(1.0 - calibration.target.delta, 12),
        "n_may_merge": lambda calibration: sum(bool(pair.may_merge) for pair in calibration.used),
        "n_must_stay_apart": lambda calibration: sum(not pair.may_merge for pair in calibration.used),
    }

    bound: float
    confidence: float
    n_rows: int = Field(validation_alias="n_pairs")
    n_may_merge: int
    n_must_stay_apart: int
    n_unsaid: int
    n_exact: int
    n_exact_wrong: int
    n_disagreed: int
    choosing: Half
    certifying: Half
    rules: tuple[RuleFigures, ...] = Field(validation_alias="lines")
    steps: tuple[ThresholdStep, ...]
    certificate: Certificate | None
    shortage: ShortageView | None
    """null if something is certified"""
    hard: tuple[HardPair, ...]
    """most similar first"""
    arms: tuple[ArmLine, ...]
    """what cosine, guards and judge merge from the certified threshold, or else from 0.94"""


class TrainedView(View):
    """A local judge that was trained, and its figures on pairs held out."""

    judge: str
    cuts: Cuts
    figures: TrainingFigures


class OpinionCount(View):
    """Pairs of one label with one opinion."""

    same: bool
    opinion: Opinion
    n: int


class JudgeView(View):
    """What a local judge makes of labelled pairs."""

    judge: str
    figures: TrainingFigures
    band: TrainingFigures | None
    """of the pairs from `--clear-below` on"""
    opinions: tuple[OpinionCount, ...]


class JudgeFile(View):
    """What a local judge was trained on, for which embedder, and where it is sure."""

    judge: str
    sha256: str
    embedder: str
    cuts: Cuts
    training: dict[str, JsonValue]
