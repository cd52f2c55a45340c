"""Nouns of an issue's progress: its owner, the resident's visit, the contractor, and what the resident was told."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum

AT_ONCE = datetime(1970, 1, 1, tzinfo=UTC)
"""When a timer goes off that nobody has set yet."""


class IssueStep(StrEnum):
    """What was done with an issue beside a plain move on the board."""

    OWNED = "owned"
    PROPOSED = "proposed"
    BOOKED = "booked"
    AGREED = "agreed"
    NONE_FITS = "none_fits"
    ANSWER_UNCLEAR = "answer_unclear"
    VISIT_CANCELLED = "visit_cancelled"
    REMINDED = "reminded"
    FIXED = "fixed"
    NOT_FIXED = "not_fixed"
    ASSIGNED = "assigned"
    REVOKED = "revoked"
    LETTER_SENT = "letter_sent"
    LETTER_FAILED = "letter_failed"
    WORK_ACCEPTED = "work_accepted"
    WORK_DECLINED = "work_declined"
    TIME_PROPOSED = "time_proposed"
    COMMENTED = "commented"
    WORK_DONE = "work_done"
    SLA_MISSED = "sla_missed"


class VisitState(StrEnum):
    """Where the arrangement of a visit stands."""

    PROPOSED = "proposed"
    AGREED = "agreed"
    NONE_FITS = "none_fits"
    CANCELLED = "cancelled"


class WorkState(StrEnum):
    """What a contractor answered; `revoked` and an expired link let nobody answer any more."""

    ASKED = "asked"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    DONE = "done"
    REVOKED = "revoked"


class LetterState(StrEnum):
    """Where a letter to a contractor is."""

    QUEUED = "queued"
    SENT = "sent"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A stretch of time, such as one in which somebody may come."""

    starts_at: datetime
    ends_at: datetime


@dataclass(frozen=True, slots=True)
class Visit:
    """A visit to the resident's home, from the first proposal on.

    Attributes:
        id: names this proposal in buttons; a later one has another.
        slots: what was offered; of a booked visit the one time.
        at: the time that was agreed; kept when it is cancelled.
        reminded_at: when the reminder went out, or was found to be impossible.
        n_unclear: answers that could not be read.
    """

    id: str
    slots: tuple[TimeSpan, ...]
    proposed_at: datetime
    state: VisitState = VisitState.PROPOSED
    at: TimeSpan | None = None
    reminded_at: datetime | None = None
    n_unclear: int = 0


@dataclass(frozen=True, slots=True)
class ResidentNotice:
    """The last message about an issue to its resident: which it was, or why there was none.

    Attributes:
        about: what it said, as a word such as "done" or "visit".
        message_id: of the outbox; empty without a message.
        obstacle: why nobody was told, as a word such as "opted_out"; empty with a message.
    """

    at: datetime
    about: str
    message_id: str = ""
    obstacle: str = ""


@dataclass(frozen=True, slots=True)
class Contractor:
    """Somebody who does the work; an e-mail address or a phone number may be missing."""

    name: str
    email: str = ""
    phone: str = ""


@dataclass(frozen=True, slots=True)
class Assignment:
    """An issue given to a contractor.

    Attributes:
        id: part of the signed link; a later assignment has another, so that the former link ends.
        access: how to get in, in the landlord's words.
        may_call: the contractor's page shows the resident's name and numbers.
        proposed: time that the contractor proposed last.
    """

    id: str
    contractor: Contractor
    assigned_at: datetime
    by: str
    expires_at: datetime
    state: WorkState = WorkState.ASKED
    access: str = ""
    may_call: bool = False
    proposed: TimeSpan | None = None


@dataclass(frozen=True, slots=True)
class Letter:
    """An e-mail to a contractor.

    Attributes:
        not_before: when it is tried next; while somebody sends it, the end of their lease.
        reason: why it failed.
    """

    id: str
    to: str
    subject: str
    text: str
    made_at: datetime
    not_before: datetime
    n_tries: int = 0
    state: LetterState = LetterState.QUEUED
    reason: str = ""


@dataclass(frozen=True, slots=True)
class IssueProgress:
    """How far an issue is; it changes only by steps that are kept in the issue's history.

    Attributes:
        wake_at: when a timer of it goes off next; None if none will.
        owner: the person of the landlord's team in charge.
        responded_at: when a person first did something about it.
        done_at: when it was last moved to done.
        is_fixed: what the resident answered after that; None before.
        missed: limits of time that were missed and notified, such as "response".
    """

    wake_at: datetime | None = AT_ONCE
    owner: str = ""
    responded_at: datetime | None = None
    done_at: datetime | None = None
    is_fixed: bool | None = None
    told: ResidentNotice | None = None
    visit: Visit | None = None
    assignment: Assignment | None = None
    letters: tuple[Letter, ...] = field(default=())
    missed: tuple[str, ...] = ()
