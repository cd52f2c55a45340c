"""Nouns of the gate: what is submitted to it, what it keeps, and what it says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from saidonce.foundation.model.decisions import Near
from saidonce.foundation.model.nouns import UNKNOWN_LANGUAGE
from saidonce.foundation.model.verdicts import Candidate, Failure, Opinion, Outcome, Reason, Ruling, Verdict

ESCAPE_HATCH = "escape hatch"
"""Who overrides when the operator's escape hatch is open."""

AWAY = frozenset(
    {Failure.UNREACHABLE, Failure.TIMEOUT, Failure.REFUSED, Failure.CIRCUIT_OPEN, Failure.BUDGET},
)
"""Failures of an adjudicator that is not there. The others say that it answered badly, which a text may bring about."""

_WHY_UNRULED: Mapping[Failure, Reason] = {
    **dict.fromkeys(AWAY, Reason.AWAY),
    Failure.MALFORMED: Reason.MALFORMED,
    Failure.CONTRADICTION: Reason.CONTRADICTION,
    Failure.CANARY: Reason.CANARY,
    Failure.OVERTAKEN: Reason.OVERTAKEN,
}

UNRULED = (
    Reason.NO_RULING, Reason.AWAY, Reason.UNSURE, Reason.CANARY, Reason.CONTRADICTION, Reason.MALFORMED,
    Reason.OVERTAKEN,
)  # fmt: skip
"""Reasons of what is held because no adjudicator gave a ruling."""

_FORMER_REASONS: Mapping[str, tuple[str, ...]] = {
    "no_ruling": tuple(UNRULED),
    "vetoed": (Reason.RULED_DUPLICATE,),
    "override": (Reason.OVERRIDE, Reason.ESCAPE_HATCH),
}

WORDING = "w"
"""Stands in the id of an admission that is another wording of one, between the id of that one and digits."""

_ID_DIGITS = 32


def reasons_named(names: Iterable[str]) -> tuple[str, ...]:
    """Return reasons by their names, each once; a name of older versions stands for those that took its place."""
    return tuple(dict.fromkeys(each for name in names for each in _FORMER_REASONS.get(name, (name,))))


def worded_by(admission_id: str) -> str:
    """Return the id of the admission of which this one is another wording; its own id if it is none."""
    is_wording = len(admission_id) > _ID_DIGITS and admission_id[_ID_DIGITS] == WORDING
    return admission_id[:_ID_DIGITS] if is_wording else admission_id


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
        retry_of: id of the verdict that held or blocked an earlier wording of it; empty for a first try.
        submitter: who submits it; empty where the caller does not say.
    """

    text: str
    title: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    key: str = ""
    retry_of: str = ""
    submitter: str = ""


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
class Retraction:
    """A judge that took its clear back after the submission was admitted, and what it says now."""

    by: str
    why: str
    at: datetime


class HeldChoice(StrEnum):
    """What a person says of a held submission; a closed list."""

    REPEAT = "repeat"
    LET_THROUGH = "let_through"
    LINK = "link"


class HeldState(StrEnum):
    """How far people are with a verdict; a closed list.

    `open` waits for a person. `ruled` is a repeat by an adjudicator's ruling that no guard contradicts: nobody has to
    look at it. `repeat`, `linked` and `let_through` are what a person decided. `audit` is an adjudicator's clear that
    was drawn for an audit, or that it took back later, `right` and `wrong` what the audit came to.
    """

    OPEN = "open"
    RULED = "ruled"
    REPEAT = "repeat"
    LINKED = "linked"
    LET_THROUGH = "let_through"
    AUDIT = "audit"
    RIGHT = "right"
    WRONG = "wrong"


class SubmissionStanding(StrEnum):
    """Where a submission stands, in one word; a closed list.

    `held` waits for a person, `blocked` is a repeat by its content, a ruling or a person; `let_through` is no clear:
    somebody took it upon them, a person or the operator's escape hatch.
    """

    PENDING = "pending"
    CLEARED = "cleared"
    LET_THROUGH = "let_through"
    HELD = "held"
    BLOCKED = "blocked"
    RELEASED = "released"


@dataclass(frozen=True, slots=True)
class ClearAudit:
    """What a person found who looked at an adjudicator's clear, or at another person's decision: whether it is right.

    Attributes:
        id: of the audit; that of the decision where it is about one.
    """

    id: str
    right: bool
    by: str
    why: str
    at: datetime


@dataclass(frozen=True, slots=True)
class HeldDecision:
    """What a person decided about a held submission.

    Attributes:
        id: "hd-" and 32 hex digits; those that were decided together have the same one, and are undone together.
        of: id of the kept one that it repeats, or of which it is another wording.
        rev: revision of the organisation before it.
        wording: id under which a linked submission is kept as another wording; empty otherwise.
        audit: what another person found of it; it stands until somebody undoes it, also when it was wrong.
    """

    id: str
    choice: HeldChoice
    by: str
    why: str
    at: datetime
    of: str = ""
    rev: int = 0
    wording: str = ""
    audit: ClearAudit | None = None


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
        decision: what a person decided about it while it was held.
        sampled: an adjudicator cleared it, and it was drawn for an audit of such clears.
        audit: what that audit came to.
        assignee: who is to decide about it; may be empty.
        retraction: the adjudicator took its clear back after the submission was admitted. It authorises nothing until
            a person has found the clear right; what it admitted stays kept.
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
    decision: HeldDecision | None = None
    sampled: bool = False
    audit: ClearAudit | None = None
    assignee: str = ""
    retraction: Retraction | None = None

    def __repr__(self) -> str:
        ruled = f", {self.verdict.outcome.value}" if self.verdict else ""
        ruled += f": {self.reason.value}" if self.reason else ""
        text = " ".join(self.submission.text[:120].split())[:60]
        return f"GateVerdict({self.id[:11]}, {self.gate!r}, {self.state.value}{ruled}, {text!r})"

    @property
    def reason(self) -> Reason | None:
        """Why it is cleared, let through or held. None while pending.

        Where nobody ruled it says why: the adjudicator was away, was unsure, or answered in a way that counts as no
        answer; `no_ruling` is left for those about whom nobody was asked.
        """
        if self.override is not None:
            return Reason.ESCAPE_HATCH if self.override.by == ESCAPE_HATCH else Reason.OVERRIDE
        if self.retraction is not None:
            return Reason.RETRACTED
        if self.verdict is None or self.verdict.reason is not Reason.NO_RULING or self.ruling is None:
            return self.verdict.reason if self.verdict is not None else None
        if self.ruling.failure is not None:
            return _WHY_UNRULED[self.ruling.failure]
        return Reason.UNSURE if self.ruling.opinion is Opinion.UNSURE else Reason.MALFORMED

    @property
    def of(self) -> str:
        """Id of the kept one that it repeats, in whatever wording; empty if it repeats none."""
        if self.decision is not None and self.decision.of:
            return self.decision.of
        return worded_by(self.verdict.of) if self.verdict is not None else ""

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

    @property
    def held(self) -> HeldState | None:
        """How far people are with it; None for what concerns none, because it is pending or settled without them."""
        if self.verdict is None:
            return None
        if self.override is not None:
            return HeldState.LET_THROUGH if self.override.by != ESCAPE_HATCH else None
        if self.decision is not None:
            return HeldState.LINKED if self.decision.choice is HeldChoice.LINK else HeldState.REPEAT
        if self.verdict.outcome is Outcome.DISTINCT:
            return self._audited
        if self.verdict.reason is Reason.SAME_CONTENT:
            return None
        return HeldState.RULED if self._is_borne_out else HeldState.OPEN

    @property
    def _audited(self) -> HeldState | None:
        if self.audit is not None:
            return HeldState.RIGHT if self.audit.right else HeldState.WRONG
        return HeldState.AUDIT if self.sampled or self.retraction is not None else None

    @property
    def _is_borne_out(self) -> bool:
        """Return whether it is a repeat by a ruling that no guard contradicts."""
        if self.verdict is None or self.verdict.reason is not Reason.RULED_DUPLICATE:
            return False
        return not any(step.rung == "adjudicate" and step.objections for step in self.verdict.trail)

    @property
    def standing(self) -> SubmissionStanding:
        """Where it stands."""
        if self.verdict is None:
            return SubmissionStanding.PENDING
        if self.released_at is not None:
            return SubmissionStanding.RELEASED
        if self.override is not None:
            return SubmissionStanding.LET_THROUGH
        if not self.blocked:
            return SubmissionStanding.CLEARED
        return SubmissionStanding.HELD if self.held is HeldState.OPEN else SubmissionStanding.BLOCKED


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
    CONFIRMED = "confirmed"
    LINKED = "linked"
    UNDONE = "undone"
    ASSIGNED = "assigned"
    NOTED = "noted"
    AUDITED = "audited"
    RETRACTED = "retracted"


@dataclass(frozen=True, slots=True)
class GateEvent:
    """One entry of the pipeline's log, which is only appended to.

    Attributes:
        seq: its number in the organisation, from 1; 0 before it is stored.
        verdict_id: empty for what concerns the whole gate.
        decision: id of the decision that it belongs to; empty if no person decided.
    """

    gate: str
    verdict_id: str
    act: GateAct
    actor: str
    detail: str
    at: datetime
    seq: int = 0
    decision: str = ""


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
