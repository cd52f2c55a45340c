"""An issue is given to a contractor, who answers on a page of their own; letters to them go out by e-mail."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from saidonce.errors import DeliveryError, NotFoundError, StaleWriteError, UsageError
from saidonce.foundation.model.conversation import Issue, IssueAdvance, LandlordEvent
from saidonce.foundation.model.progress import (
    Assignment,
    Contractor,
    IssueProgress,
    IssueStep,
    Letter,
    LetterState,
    TimeSpan,
    WorkState,
)
from saidonce.foundation.text import digest
from saidonce.repairs.conversation.deps import ConversationDeps
from saidonce.repairs.conversation.issue_clock import CLOSED, next_wake
from saidonce.repairs.conversation.issue_steps import IssueChange, step_issue
from saidonce.repairs.conversation.office_hours import span_words
from saidonce.repairs.conversation.progress_replies import KEPT_LETTERS

MAX_NAME, MAX_ACCESS, MAX_COMMENT = 100, 1_000, 2_000
MOST_A_MINUTE = 20
"""Answers on one contractor's page that are taken in a minute."""

MAX_TRIES = 5
LEASE_S = 60.0
FIRST_WAIT_S = 60.0

_EMAIL = re.compile(r"[^@\s<>\"',;]{1,64}@[^@\s<>\"',;]{1,180}\.[^@\s<>\"',;]{2,24}")
_PHONE = re.compile(r"\+[1-9][0-9]{5,14}")
_NUMBERS = re.compile(r"(?<![\w-])\+?\(?\d(?:[ ().-]{0,2}\d){7,14}(?![\w-])")
_OPEN = (WorkState.ASKED, WorkState.ACCEPTED)

LinkOf = Callable[[str, str], str]
"""(issue, assignment) -> address of the contractor's page."""

Post = Callable[[Letter], None]
"""Hands a letter to the mail server; raises DeliveryError if it was not taken."""


class JobVerb(StrEnum):
    """What a contractor may answer."""

    ACCEPT = "accept"
    DECLINE = "decline"
    PROPOSE = "propose"
    COMMENT = "comment"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class JobTerms:
    """What a contractor gets to know.

    Attributes:
        access: how to get in, in the landlord's words.
        may_call: whether they see the resident's name and numbers.
        days: days after which their link ends.
    """

    access: str = ""
    may_call: bool = False
    days: int = 30


@dataclass(frozen=True, slots=True)
class JobAnswer:
    """An answer of a contractor; `media` are SHA-256 of photos."""

    verb: JobVerb
    text: str = ""
    slot: TimeSpan | None = None
    media: tuple[str, ...] = ()


_STEPS = {
    JobVerb.ACCEPT: IssueStep.WORK_ACCEPTED,
    JobVerb.DECLINE: IssueStep.WORK_DECLINED,
    JobVerb.PROPOSE: IssueStep.TIME_PROPOSED,
    JobVerb.COMMENT: IssueStep.COMMENTED,
    JobVerb.DONE: IssueStep.WORK_DONE,
}
JOB_STEPS = frozenset(_STEPS.values())
"""Steps of an issue's history that are answers of a contractor."""

_STATES = {JobVerb.ACCEPT: WorkState.ACCEPTED, JobVerb.DECLINE: WorkState.DECLINED, JobVerb.DONE: WorkState.DONE}


def assign_issue(
    deps: ConversationDeps, id: str, contractor: Contractor, terms: JobTerms, link_of: LinkOf, by: str
) -> Issue:
    """Give an issue to a contractor, and queue a letter with their link if they have an address; a former one ends.

    Raises:
        NotFoundError: there is no such issue.
        UsageError: it is closed; or the contractor's name, address or number is malformed.
    """
    who = _checked(contractor)
    if len(terms.access) > MAX_ACCESS:
        raise UsageError(f"how to get in is told in {MAX_ACCESS} characters at most")

    def change(issue: Issue, now: datetime) -> IssueChange:
        if issue.state in CLOSED:
            raise UsageError(f"issue {issue.id[:12]!r} is {issue.state}; open it again before it is assigned")
        id_ = digest("assignment", issue.id, who.name, now.isoformat(), str(len(deps.store.issue_moves(issue.id))))
        work = Assignment(
            id_, who, now, by, now + timedelta(days=terms.days), access=terms.access.strip(), may_call=terms.may_call
        )  # fmt: skip
        link = link_of(issue.id, id_)
        letters = (*issue.progress.letters, *_invitation(deps, issue, work, link, now))[-KEPT_LETTERS:]
        progress = replace(issue.progress, assignment=work, letters=letters)
        progress = replace(progress, responded_at=progress.responded_at or now)
        return IssueChange(progress, step=IssueStep.ASSIGNED, note=who.name)

    return step_issue(deps, id, by, change)


def revoke_assignment(deps: ConversationDeps, id: str, by: str) -> Issue:
    """Take an issue back from its contractor: the link ends at once, and letters that wait are not sent.

    Raises:
        NotFoundError: there is no such issue.
        UsageError: nobody has it.
    """

    def change(issue: Issue, now: datetime) -> IssueChange:
        del now
        work = issue.progress.assignment
        if work is None or work.state is WorkState.REVOKED:
            raise UsageError(f"issue {issue.id[:12]!r} is given to nobody")
        letters = tuple(each for each in issue.progress.letters if each.state is not LetterState.QUEUED)
        progress = replace(issue.progress, assignment=replace(work, state=WorkState.REVOKED), letters=letters)
        return IssueChange(progress, step=IssueStep.REVOKED, note=work.contractor.name)

    return step_issue(deps, id, by, change)


def job_of(deps: ConversationDeps, id: str, assignment: str) -> tuple[Issue, Assignment]:
    """Return the issue and the assignment that a contractor's link opens.

    Raises:
        NotFoundError: the link was revoked or replaced, has expired, or names nothing.
    """
    issue = deps.store.issue(id)
    work = issue.progress.assignment
    is_open = work is not None and work.id == assignment and work.state is not WorkState.REVOKED
    if work is None or not is_open or work.expires_at <= deps.clock.now():
        raise NotFoundError("job behind this link", "", "it has ended; ask the landlord's team for a new one")
    return issue, work


def is_too_fast(deps: ConversationDeps, issue: Issue, work: Assignment) -> bool:
    """Return whether more was answered in the last minute than a person does."""
    since = deps.clock.now() - timedelta(minutes=1)
    actor = work.contractor.name
    return sum(m.at >= since and m.actor == actor for m in deps.store.issue_moves(issue.id)) >= MOST_A_MINUTE


def answer_job(deps: ConversationDeps, id: str, assignment: str, answer: JobAnswer) -> Issue:
    """Keep a contractor's answer in the issue's history, with a notice for the landlord.

    Raises:
        NotFoundError: the link is no good any more.
        UsageError: the answer makes no sense now, or lacks what it needs.
    """
    text = answer.text.strip()
    if len(text) > MAX_COMMENT:
        raise UsageError(f"a comment has {MAX_COMMENT} characters at most")
    _, held = job_of(deps, id, assignment)

    def change(issue: Issue, now: datetime) -> IssueChange:
        _, work = job_of(deps, issue.id, assignment)
        _check_answer(issue, work, replace(answer, text=text), now)
        when = span_words(answer.slot, deps.rules.office.zone) if answer.slot is not None else ""
        after = replace(work, state=_STATES.get(answer.verb, work.state), proposed=answer.slot or work.proposed)
        return IssueChange(
            replace(issue.progress, assignment=after), step=_STEPS[answer.verb],
            note=". ".join(filter(None, (when, text))), media=answer.media, event=LandlordEvent.CONTRACTOR_ANSWERED,
            subject=f"{assignment}:{len(deps.store.issue_moves(issue.id))}", detail=_STEPS[answer.verb].value,
        )  # fmt: skip

    return step_issue(deps, id, held.contractor.name, change)


def takes_answers(issue: Issue, work: Assignment) -> bool:
    """Return whether a contractor may accept, decline, propose or finish now; comments are always taken."""
    return issue.state not in CLOSED and work.state in _OPEN


def without_numbers(text: str) -> str:
    """Return a resident's words without what may be a phone number: it is not for every contractor."""
    return _NUMBERS.sub("[number]", text)


def send_letters(deps: ConversationDeps, post: Post, most_tries: int = MAX_TRIES) -> int:
    """Send letters to contractors that are due; return their number.

    A letter is leased by a step before it is sent, so that nobody else sends it meanwhile; after refusals it is tried
    again with growing waits, and the landlord is told when it is given up.
    """
    n_sent, now = 0, deps.clock.now()
    for issue in deps.store.issues_due(now):
        letter = next((each for each in issue.progress.letters if _is_due(each, now)), None)
        if letter is None:
            continue
        leased = replace(letter, n_tries=letter.n_tries + 1, not_before=now + timedelta(seconds=LEASE_S))
        try:
            deps.store.advance_issue(_silently(deps, issue, leased, now))
        except StaleWriteError:
            continue
        n_sent += _sent(deps, issue.id, leased, post, most_tries)
    return n_sent


def _sent(deps: ConversationDeps, id: str, letter: Letter, post: Post, most_tries: int) -> bool:
    try:
        post(letter)
    except DeliveryError as refused:
        is_over = refused.is_final or letter.n_tries >= most_tries
        wait = timedelta(seconds=FIRST_WAIT_S * 4.0 ** (letter.n_tries - 1))
        state = LetterState.FAILED if is_over else LetterState.QUEUED
        after = replace(letter, state=state, reason=refused.reason[:200], not_before=deps.clock.now() + wait)
        _settle(deps, id, after)
        return False
    _settle(deps, id, replace(letter, state=LetterState.SENT, reason=""))
    return True


def _settle(deps: ConversationDeps, id: str, letter: Letter) -> None:
    """Write what became of a letter; one that was taken back meanwhile stays so."""

    def change(issue: Issue, now: datetime) -> IssueChange | None:
        del now
        if not any(each.id == letter.id for each in issue.progress.letters):
            return None
        progress = _with_letter(issue.progress, letter)
        if letter.state is LetterState.SENT:
            return IssueChange(progress, step=IssueStep.LETTER_SENT, note=letter.to)
        if letter.state is LetterState.FAILED:
            return IssueChange(
                progress, step=IssueStep.LETTER_FAILED, note=letter.reason, event=LandlordEvent.LETTER_FAILED,
                subject=letter.id, detail=letter.reason,
            )  # fmt: skip
        return IssueChange(progress)

    step_issue(deps, id, "e-mail", change)


def _silently(deps: ConversationDeps, issue: Issue, letter: Letter, now: datetime) -> IssueAdvance:
    after = replace(issue, progress=_with_letter(issue.progress, letter))
    after = replace(after, progress=replace(after.progress, wake_at=next_wake(after, deps.rules)))
    return IssueAdvance(issue, after, now, "e-mail")


def _with_letter(progress: IssueProgress, letter: Letter) -> IssueProgress:
    return replace(progress, letters=tuple(letter if each.id == letter.id else each for each in progress.letters))


def _is_due(letter: Letter, now: datetime) -> bool:
    return letter.state is LetterState.QUEUED and letter.not_before <= now


def _checked(contractor: Contractor) -> Contractor:
    name, email = " ".join(contractor.name.split()), contractor.email.strip()
    phone = re.sub(r"[ ()./-]", "", contractor.phone)
    if not 1 <= len(name) <= MAX_NAME:
        raise UsageError(f"a contractor has a name of 1 to {MAX_NAME} characters")
    if email and (not _EMAIL.fullmatch(email) or not email.isascii()):
        raise UsageError(f"{email[:60]!r} is no e-mail address")
    if phone and not _PHONE.fullmatch(phone):
        raise UsageError(f"{contractor.phone[:40]!r} is no number such as +447700900123")
    if not email and not phone:
        raise UsageError("a contractor has an e-mail address or a phone number")
    return Contractor(name, email, phone)


def _check_answer(issue: Issue, work: Assignment, answer: JobAnswer, now: datetime) -> None:
    if answer.verb is JobVerb.COMMENT:
        if not answer.text and not answer.media:
            raise UsageError("write a comment, or choose a photo")
        return
    if not takes_answers(issue, work):
        raise UsageError(f"this job is {issue.state if issue.state in CLOSED else work.state}; only comments are taken")
    if answer.verb is JobVerb.PROPOSE:
        slot = answer.slot
        if slot is None or slot.starts_at <= now or not slot.starts_at < slot.ends_at:
            raise UsageError("propose a time to come that ends after it begins")
    if answer.verb is JobVerb.ACCEPT and work.state is WorkState.ACCEPTED:
        raise UsageError("this job is accepted already")


def _invitation(deps: ConversationDeps, issue: Issue, work: Assignment, link: str, now: datetime) -> tuple[Letter, ...]:
    """Return the letter with the link; no words of the resident stand in it, for the page shows them."""
    if not work.contractor.email:
        return ()
    lines = [
        f"Hello {work.contractor.name},", "",
        f"{deps.voice.org_name} would like you to look at a repair ({issue.urgency} {issue.category}).",
        "What it is, where, and how to get in stands here; accept or decline there, and propose a time:", "", link, "",
        f"The link is for you alone, and ends on {work.expires_at.astimezone(deps.rules.office.zone):%Y-%m-%d}.",
    ]  # fmt: skip
    id_ = digest("letter", work.id)
    return (Letter(id_, work.contractor.email, f"A repair job from {deps.voice.org_name}", "\n".join(lines), now, now),)
