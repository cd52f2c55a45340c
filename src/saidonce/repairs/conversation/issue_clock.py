"""An issue's limits of time, by urgency, and its timers: reminders, limits, letters."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from saidonce.foundation.model.conversation import Issue, IssueState, Urgency
from saidonce.foundation.model.progress import LetterState, VisitState
from saidonce.repairs.conversation.office_hours import day_before
from saidonce.repairs.conversation.rules import Rules

CLOSED = (IssueState.DONE, IssueState.CANCELLED)

SOON = 0.75
"""Share of the time allowed after which a limit is due soon."""


class TimeLimit(StrEnum):
    """What is limited in time."""

    RESPONSE = "response"
    """the first thing that a person does about it"""
    DONE = "done"


class LimitState(StrEnum):
    """Where an issue stands within a limit of time."""

    MET = "met"
    OPEN = "open"
    DUE_SOON = "due_soon"
    OVERDUE = "overdue"


@dataclass(frozen=True, slots=True)
class LimitStanding:
    """A limit of an issue, when it ends, and where the issue stands."""

    limit: TimeLimit
    due_at: datetime
    state: LimitState


def due_at(issue: Issue, limit: TimeLimit, rules: Rules) -> datetime:
    """Return when a limit of an issue ends; an emergency's hours pass day and night, others' in business hours."""
    hours = (rules.response_h if limit is TimeLimit.RESPONSE else rules.done_h)[issue.urgency]
    if issue.urgency is Urgency.EMERGENCY:
        return issue.reported_at + timedelta(hours=hours)
    return rules.office.after(issue.reported_at, hours)


def standings(issue: Issue, rules: Rules, now: datetime) -> tuple[LimitStanding, ...]:
    """Return where an issue stands within each of its limits."""
    return tuple(_standing(issue, limit, rules, now) for limit in TimeLimit)


def remind_at(issue: Issue, rules: Rules) -> datetime | None:
    """Return when the resident is reminded of the visit: the day before, at its hour; None without an agreed one.

    Of a visit agreed on later than that nobody is reminded.
    """
    visit = issue.progress.visit
    if visit is None or visit.at is None or visit.state is not VisitState.AGREED or visit.reminded_at is not None:
        return None
    return None if issue.state in CLOSED else day_before(visit.at.starts_at, rules.office.zone)


def next_wake(issue: Issue, rules: Rules) -> datetime | None:
    """Return the time of the next timer of an issue; None without one."""
    letters = [each.not_before for each in issue.progress.letters if each.state is LetterState.QUEUED]
    limits = [] if issue.state in CLOSED else [due_at(issue, each, rules) for each in running(issue)]
    reminder = remind_at(issue, rules)
    return min((*letters, *limits, *((reminder,) if reminder is not None else ())), default=None)


def running(issue: Issue) -> tuple[TimeLimit, ...]:
    """Return the limits that are neither met nor known to be missed."""
    is_closed = issue.state in CLOSED
    met = {TimeLimit.RESPONSE: is_closed or issue.progress.responded_at is not None, TimeLimit.DONE: is_closed}
    return tuple(each for each in TimeLimit if not met[each] and each.value not in issue.progress.missed)


def _standing(issue: Issue, limit: TimeLimit, rules: Rules, now: datetime) -> LimitStanding:
    ends_at = due_at(issue, limit, rules)
    is_met = issue.state in CLOSED or (limit is TimeLimit.RESPONSE and issue.progress.responded_at is not None)
    soon_at = issue.reported_at + SOON * (ends_at - issue.reported_at)
    if is_met:
        return LimitStanding(limit, ends_at, LimitState.MET)
    if now >= ends_at:
        return LimitStanding(limit, ends_at, LimitState.OVERDUE)
    return LimitStanding(limit, ends_at, LimitState.DUE_SOON if now >= soon_at else LimitState.OPEN)
