"""Nouns of the gate: what is submitted to it, what it keeps, and what it says."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from saidonce.foundation.model.decisions import Near
from saidonce.foundation.model.nouns import UNKNOWN_LANGUAGE
from saidonce.foundation.model.verdicts import Candidate, Failure, Outcome, Reason, Ruling, Verdict

ESCAPE_HATCH = "escape hatch"
"""Who overrides when the operator's escape hatch is open."""

AWAY = frozenset(
    {Failure.UNREACHABLE, Failure.TIMEOUT, Failure.REFUSED, Failure.CIRCUIT_OPEN, Failure.BUDGET},
)
"""Failures of an adjudicator that is not there. The others say that it answered badly, which a text may bring about."""


class GateState(StrEnum):
    """How far the gate is with a submission."""

    PENDING = "pending"
    RULED = "ruled"


@dataclass(frozen=True, slots=True)
class Submission:
    """What a caller wants to create, and asks the gate about.

    Attributes:
        fields: names and values in the caller's order, such as persona, task type, subdomain.
        key: idempotency key, the caller's own name of it: the same one gives the stored verdict. May be empty.
    """

    text: str
    title: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    key: str = ""


@dataclass(frozen=True, slots=True)
class GateFields:
    """Which parts of a submission count for what; `title` and `text` are parts like any other.

    Attributes:
        embedded: compared by similarity, in this order.
        exact: compared exactly: a kept submission with another value is no match.
        shown: what an adjudicator sees beside the embedded parts; all if empty.
    """

    embedded: tuple[str, ...] = ("title", "text")
    exact: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GateDefinition:
    """A gate as it was made: what it compares, and by which embedding model."""

    name: str
    fields: GateFields
    model: str
    dim: int
    made_at: datetime


@dataclass(frozen=True, slots=True)
class GateRules:
    """All that a verdict depends on beside the submission, what is kept, and the ruling.

    Attributes:
        asks: an adjudicator rules from `clear_below` on; without one both thresholds are the same.
        objection_clears: where nobody is asked, a guard's objection to every near match clears.
        escape_hatch: candidates whose adjudicator was away are let through.
        guards: names of those in force.
    """

    clear_below: float
    duplicate_from: float
    k: int
    asks: bool
    objection_clears: bool
    escape_hatch: bool
    fields: GateFields
    model: str
    guards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Override:
    """Who let a blocked submission through, and why."""

    by: str
    why: str
    at: datetime


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """How a held submission is ruled on another time.

    Attributes:
        judge: who rules, named as in the setting `gate_adjudicator`; empty for those whom it names.
        anew: a remembered "unsure" does not count.
    """

    judge: str = ""
    anew: bool = False


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """What the gate says of a submission, with everything that it depends on.

    Attributes:
        id: "gv-" and 32 hex digits.
        fingerprint: of the submission without its key, 32 hex digits.
        reserves: whether the submission is kept when it is cleared.
        verdict: of the ladder; None while pending.
        near: the kept ones compared, nearest first, with what the guards say of those at or above `clear_below`.
        rules, policy: in force, and their hash; None and empty while pending.
        ruling: of the adjudicator, if one was asked.
        duration_ms: wall time of the check, ruling included, embedding not.
        admitted: id under which it is kept; empty if it is not.
        released_at: when its admission was taken back.
        rev: the organisation's revision by which it was last written; 0 before.
        asked_again: how it is to be ruled on, while it is pending another time.
    """

    id: str
    gate: str
    submission: Submission
    fingerprint: str
    state: GateState
    at: datetime
    reserves: bool = True
    verdict: Verdict | None = None
    near: tuple[Near, ...] = ()
    rules: GateRules | None = None
    policy: str = ""
    ruling: Ruling | None = None
    duration_ms: int = 0
    admitted: str = ""
    override: Override | None = None
    released_at: datetime | None = None
    rev: int = 0
    asked_again: AskedAgain | None = None

    @property
    def reason(self) -> Reason | None:
        """Why it is cleared or blocked; an override's reason is the override. None while pending."""
        if self.override is not None:
            return Reason.OVERRIDE
        return self.verdict.reason if self.verdict is not None else None

    @property
    def of(self) -> str:
        """Id of the kept one that it repeats; empty if it repeats none."""
        return self.verdict.of if self.verdict is not None else ""

    @property
    def similarity(self) -> float:
        """Canonical similarity to the nearest kept one, 0.0 without any."""
        return self.verdict.similarity if self.verdict is not None else 0.0

    @property
    def blocked(self) -> bool:
        """Ruled, and not let through by anybody."""
        settled = self.verdict is not None and self.verdict.outcome is not Outcome.DISTINCT
        return settled and self.override is None

    @property
    def is_through(self) -> bool:
        """Ruled, and cleared or let through by somebody, even if it was released later."""
        return self.verdict is not None and not self.blocked


@dataclass(frozen=True, slots=True)
class Admission:
    """A submission that the gate keeps and compares others with; its text and vector never change.

    Attributes:
        candidate: as the ladder sees it: the embedded parts as its text, the other shown ones as its fields.
        partition: hash of the values that are compared exactly; only submissions of one partition meet.
        verdict_id: by which it came in; empty if it was imported.
    """

    id: str
    gate: str
    candidate: Candidate
    submission: Submission
    partition: str
    verdict_id: str
    at: datetime
    released_at: datetime | None = None

    @property
    def language(self) -> str:
        """Language of the compared text."""
        return self.candidate.language or UNKNOWN_LANGUAGE


class GateAct(StrEnum):
    """What happened to a submission; a closed list."""

    SUBMITTED = "submitted"
    RULED = "ruled"
    CLEARED = "cleared"
    HELD = "held"
    LET_THROUGH = "let_through"
    OVERRIDDEN = "overridden"
    RELEASED = "released"
    IMPORTED = "imported"
    REEMBEDDED = "reembedded"
    REOPENED = "reopened"


@dataclass(frozen=True, slots=True)
class GateEvent:
    """One entry of the pipeline's log, which is only appended to.

    Attributes:
        seq: its number in the organisation, from 1; 0 before it is stored.
        verdict_id: empty for what concerns the whole gate.
    """

    gate: str
    verdict_id: str
    act: GateAct
    actor: str
    detail: str
    at: datetime
    seq: int = 0


@dataclass(frozen=True, slots=True)
class ReviewNote:
    """A review that an auto-rater was sent, until it is over: whoever goes on with its question sends it no other.

    Attributes:
        key: of the question and of who rules, 32 hex digits.
        nonce: that stands in what was sent, and in the answer; also the idempotency key of the submission.
        review: the service's id of the review; empty until it has accepted it.
        at: when it was sent first.
    """

    key: str
    nonce: str
    review: str
    at: datetime


@dataclass(frozen=True, slots=True)
class GateFigure:
    """What statistics need of one verdict.

    Attributes:
        band: where the nearest match lay: none, below, band, above.
        failure: why there was no ruling; empty if there was one, or nobody was asked.
        similarity: to the nearest kept one.
        is_through: it was cleared, or let through by somebody; what was released later counts too.
    """

    state: str
    reason: str
    band: str
    asked: bool
    cached: bool
    failure: str
    override_by: str
    similarity: float
    duration_ms: int
    ruling_ms: int
    n_tokens: int
    cost: float
    is_through: bool
    at: datetime
