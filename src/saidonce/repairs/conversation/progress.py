"""How an issue goes on: moves on the board, visits, reminders, limits of time; its resident reads of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from saidonce.errors import UsageError
from saidonce.foundation.model.conversation import Issue, IssueState, LandlordEvent, Path
from saidonce.foundation.model.progress import IssueProgress, IssueStep, TimeSpan, Visit, VisitState
from saidonce.foundation.text import digest
from saidonce.repairs.conversation import wording
from saidonce.repairs.conversation.acknowledging import acknowledge_issue, take_back
from saidonce.repairs.conversation.deps import ConversationDeps
from saidonce.repairs.conversation.issue_clock import CLOSED, due_at, next_wake, remind_at, running
from saidonce.repairs.conversation.issue_steps import IssueChange, ResidentNews, step_issue
from saidonce.repairs.conversation.office_hours import numbered, span_words, start_words
from saidonce.repairs.conversation.progress_replies import with_letter

MOST_SLOTS = 3
LONGEST_VISIT = timedelta(hours=24)
LAST_YEAR = 2_199
MAX_NAME = 100
TIMER = "timer"
"""Who acts in steps that a timer led to."""


@dataclass(frozen=True, slots=True)
class IssuesTended:
    """What timers of issues led to: reminders sent, and limits of time that were missed, by name."""

    n_reminded: int = 0
    missed: tuple[str, ...] = ()


def move_issue(deps: ConversationDeps, id: str, to: IssueState, by: str, is_looked_at: bool = False) -> Issue:
    """Move an issue on the board, and tell its resident; `is_looked_at` also clears its flag for a check.

    A move back is a move. If nothing changes, nothing is kept and nobody is told. An issue that leaves the open column
    acknowledges its alarms; a move back takes that back.

    Raises:
        NotFoundError: there is no such issue.
    """

    def change(issue: Issue, now: datetime) -> IssueChange | None:
        is_moved = issue.state is not to
        if not is_moved and not (is_looked_at and issue.review):
            return None
        progress = _responded(issue.progress, now)
        if not is_moved:
            return IssueChange(progress, is_looked_at=True)
        progress = replace(progress, done_at=now if to is IssueState.DONE else None, is_fixed=None)
        return IssueChange(progress, to, is_looked_at, news=_news_of_move(issue, to))

    moved = step_issue(deps, id, by, change)
    if to is IssueState.OPEN:
        take_back(deps, moved.id)
    else:
        acknowledge_issue(deps, moved.id, by)
    return moved


def own_issue(deps: ConversationDeps, id: str, owner: str, by: str) -> Issue:
    """Put a person of the landlord's team in charge of an issue; an empty name takes that back.

    Raises:
        NotFoundError: there is no such issue.
        UsageError: the name is too long.
    """
    name = " ".join(owner.split())
    if len(name) > MAX_NAME:
        raise UsageError(f"a name has {MAX_NAME} characters at most")

    def change(issue: Issue, now: datetime) -> IssueChange | None:
        if issue.progress.owner == name:
            return None
        return IssueChange(replace(_responded(issue.progress, now), owner=name), step=IssueStep.OWNED, note=name)

    return step_issue(deps, id, by, change)


def propose_visit(deps: ConversationDeps, id: str, slots: Sequence[TimeSpan], by: str) -> Issue:
    """Offer the resident up to three times for a visit; a former offer or visit is replaced.

    Raises:
        NotFoundError: there is no such issue.
        UsageError: it is closed, or the times are none, too many, past, or end before they begin.
    """
    zone = deps.rules.office.zone
    spans = tuple(sorted(set(slots), key=lambda s: (s.starts_at, s.ends_at)))

    def change(issue: Issue, now: datetime) -> IssueChange:
        _check_slots(issue, spans, now)
        visit = Visit(_visit_id(issue, now), spans, now)
        titles = [start_words(span, zone) for span in spans]
        offered = "; ".join(span_words(span, zone) for span in spans)
        former = _agreed(issue, now)
        question = (
            wording.offer_times(issue, visit.id, numbered(spans, zone), titles) if former is None
            else wording.offer_instead(span_words(former, zone), visit.id, numbered(spans, zone), titles)
        )  # fmt: skip
        letters = issue.progress.letters
        if former is not None:
            letters = with_letter(issue, f"The visit has to move: {span_words(former, zone)}.", visit.id, now)
        progress = replace(_responded(issue.progress, now), visit=visit, letters=letters)
        return IssueChange(progress, step=IssueStep.PROPOSED, note=offered, news=ResidentNews("visit", *question))

    return step_issue(deps, id, by, change)


def book_visit(deps: ConversationDeps, id: str, slot: TimeSpan, by: str) -> Issue:
    """Fix the time of a visit that was agreed on otherwise, and tell the resident.

    Raises:
        NotFoundError: there is no such issue.
        UsageError: it is closed, or the time is past or ends before it begins.
    """
    when = span_words(slot, deps.rules.office.zone)

    def change(issue: Issue, now: datetime) -> IssueChange:
        _check_slots(issue, (slot,), now)
        visit = Visit(_visit_id(issue, now), (slot,), now, VisitState.AGREED, slot)
        news = ResidentNews("visit", *wording.visit_booked(issue, visit.id, when))
        letters = with_letter(issue, f"The visit is booked: {when}.", visit.id, now)
        progress = replace(_responded(issue.progress, now), visit=visit, letters=letters)
        return IssueChange(progress, step=IssueStep.BOOKED, note=when, news=news)

    return step_issue(deps, id, by, change)


def cancel_visit(deps: ConversationDeps, id: str, by: str) -> Issue:
    """Call off a visit, or take an offer back; a resident who agreed is told.

    Raises:
        NotFoundError: there is no such issue.
        UsageError: no visit is offered or agreed on.
    """

    def change(issue: Issue, now: datetime) -> IssueChange:
        visit = issue.progress.visit
        if visit is None or visit.state not in (VisitState.PROPOSED, VisitState.AGREED):
            raise UsageError(f"no visit is offered or agreed on for issue {id!r}")
        when = span_words(visit.at or visit.slots[0], deps.rules.office.zone)
        news = ResidentNews("visit", wording.visit_called_off(when)) if visit.state is VisitState.AGREED else None
        letters = issue.progress.letters
        if visit.state is VisitState.AGREED:
            letters = with_letter(issue, f"The visit is cancelled: {when}.", f"{visit.id}:cancelled", now)
        progress = replace(issue.progress, visit=replace(visit, state=VisitState.CANCELLED), letters=letters)
        return IssueChange(_responded(progress, now), step=IssueStep.VISIT_CANCELLED, note=when, news=news)

    return step_issue(deps, id, by, change)


def tend_issues(deps: ConversationDeps) -> IssuesTended:
    """Do what the timers of issues ask for: remind of visits, and tell once of each limit that was missed.

    An issue that changes meanwhile is left to the next call.
    """
    n_reminded, missed = 0, []
    for issue in deps.store.issues_due(deps.clock.now()):
        before = issue.progress
        after = step_issue(deps, issue.id, TIMER, lambda issue, now: _due_change(deps, issue, now)).progress
        missed += [name for name in after.missed if name not in before.missed]
        n_reminded += _is_reminded(after) and not _is_reminded(before)
    return IssuesTended(n_reminded, tuple(missed))


def _due_change(deps: ConversationDeps, issue: Issue, now: datetime) -> IssueChange | None:
    """Return the first thing that is due for an issue; setting its next timer is the last of them."""
    reminder = remind_at(issue, deps.rules)
    if reminder is not None and reminder <= now:
        return _reminder(deps, issue, now)
    overdue = [each for each in running(issue) if due_at(issue, each, deps.rules) <= now]
    if overdue and _has_responded(deps, issue):
        return IssueChange(_responded(issue.progress, now))
    for limit in overdue:
        progress = replace(issue.progress, missed=(*issue.progress.missed, limit.value))
        return IssueChange(
            progress, step=IssueStep.SLA_MISSED, note=limit.value, event=LandlordEvent.SLA_MISSED,
            subject=f"{limit}:{due_at(issue, limit, deps.rules).isoformat()}", detail=limit.value,
        )  # fmt: skip
    return None if issue.progress.wake_at == next_wake(issue, deps.rules) else IssueChange(issue.progress)


def _reminder(deps: ConversationDeps, issue: Issue, now: datetime) -> IssueChange:
    """Return the reminder; of a visit that was agreed on less than a day before, or has begun, nobody is reminded."""
    visit = issue.progress.visit
    assert visit is not None
    assert visit.at is not None
    progress = replace(issue.progress, visit=replace(visit, reminded_at=now))
    planned = remind_at(issue, deps.rules)
    assert planned is not None
    agreed_at = max((m.at for m in deps.store.issue_moves(issue.id) if m.step in _AGREEING), default=now)
    if visit.at.starts_at <= now or agreed_at >= planned:
        return IssueChange(progress)
    when = span_words(visit.at, deps.rules.office.zone)
    news = ResidentNews("reminder", *wording.visit_reminder(visit.id, when))
    return IssueChange(progress, step=IssueStep.REMINDED, note=when, news=news)


_AGREEING = (IssueStep.AGREED, IssueStep.BOOKED)


def _has_responded(deps: ConversationDeps, issue: Issue) -> bool:
    """Return whether a person wrote to the resident since the issue was created, if nothing else was done about it."""
    if issue.progress.responded_at is not None:
        return False
    turns = deps.store.turns(issue.conversation_id)
    return any(t.path is Path.HUMAN and t.reason.startswith("wrote:") and t.at >= issue.reported_at for t in turns)


def _responded(progress: IssueProgress, now: datetime) -> IssueProgress:
    return progress if progress.responded_at is not None else replace(progress, responded_at=now)


def _is_reminded(progress: IssueProgress) -> bool:
    return progress.told is not None and progress.told.about == "reminder" and not progress.told.obstacle


def _agreed(issue: Issue, now: datetime) -> TimeSpan | None:
    """Return the time of a visit that is agreed on and still to come; None without one."""
    visit = issue.progress.visit
    if visit is None or visit.state is not VisitState.AGREED or visit.at is None or visit.at.ends_at <= now:
        return None
    return visit.at


def _visit_id(issue: Issue, now: datetime) -> str:
    return digest("visit", issue.id, now.isoformat())


def _news_of_move(issue: Issue, to: IssueState) -> ResidentNews:
    match to:
        case IssueState.IN_PROGRESS:
            return ResidentNews("in_progress", wording.work_begun(issue))
        case IssueState.DONE:
            return ResidentNews("done", *wording.work_done(issue))
        case IssueState.CANCELLED:
            return ResidentNews("cancelled", wording.issue_cancelled(issue))
        case IssueState.OPEN:
            return ResidentNews("open", wording.issue_open_again(issue))


def _check_slots(issue: Issue, slots: Sequence[TimeSpan], now: datetime) -> None:
    if issue.state in CLOSED:
        raise UsageError(f"issue {issue.id[:12]!r} is {issue.state}; open it again before a visit")
    if not 1 <= len(slots) <= MOST_SLOTS:
        raise UsageError(f"1 to {MOST_SLOTS} times can be offered, not {len(slots)}")
    for slot in slots:
        if slot.starts_at <= now:
            raise UsageError(f"{slot.starts_at.isoformat()} is past")
        if slot.starts_at.year > LAST_YEAR:
            raise UsageError(
                f"{slot.starts_at.isoformat()} is behind the last year that visits are planned for, {LAST_YEAR}"
            )
        if not timedelta(0) < slot.ends_at - slot.starts_at <= LONGEST_VISIT:
            raise UsageError(f"a visit from {slot.starts_at.isoformat()} must end after that, within a day")
