"""What a resident answers to news of their issues: which time suits, that it does not, whether it is fixed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from saidonce.foundation.model.conversation import (
    WITHDRAWN,
    Button,
    Issue,
    IssueAdvance,
    IssueState,
    LandlordEvent,
    OutboxKind,
    OutboxMessage,
    Path,
    Tool,
)
from saidonce.foundation.model.progress import IssueStep, Letter, TimeSpan, Visit, VisitState, WorkState
from saidonce.foundation.model.residents import Inbound
from saidonce.foundation.text import digest
from saidonce.repairs.conversation import wording
from saidonce.repairs.conversation.executor import turn_id
from saidonce.repairs.conversation.issue_clock import CLOSED, next_wake
from saidonce.repairs.conversation.lexicon import phrase
from saidonce.repairs.conversation.office_hours import numbered, span_words, start_words
from saidonce.repairs.conversation.view import NoticeDraft, Plan, ResidentReply, TurnView
from saidonce.repairs.conversation.visit_answers import NONE_FITS, UNCLEAR, read_answer
from saidonce.repairs.conversation.wording import FIXED, VISIT

RESIDENT = "resident"
"""Who acts in steps that a resident's message led to."""

KEPT_LETTERS = 8
"""Letters to a contractor that are kept with an issue; the oldest go first."""

MAX_NOTE = 500
"""Characters of a resident's answer in the history of the issue."""

_FIXED_YES = frozenset(
    ["1", "it is", "yes it is"]
    + [f"{yes}{rest}" for yes in ("yes", "yep", "yeah") for rest in ("", " thanks", " thank you", " it's fine")]
    + [
        f"{yes}{state}"
        for yes in ("", "yes ")
        for state in ("fixed", "all fixed", "it's fixed", "its fixed", "it is fixed", "all good", "all good now",
                      "all sorted", "it works", "it works now")
    ]
)  # fmt: skip
_FIXED_NO = re.compile(
    r"^(?:2|no|nope|nah|not|still|it's not|its not|it isn't|it isnt|it is not|it still|it's still)\b"
)
_CANCELS = re.compile(
    r"\b(?:(?:cancel|reschedule|rearrange|postpone|re-schedule|move|change)\b.{0,40}\b(?:visit|appointment|booking|time"
    r"|plumber|electrician|engineer|it)\b|(?:can't|cant|cannot|can not|won't|wont) (?:make|do) (?:it|the appointment"
    r"|the visit|that time|monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow))\b"
)
_KEEPS = re.compile(r"\b(?:don't|dont|do not|not|no need to|never) (?:\w+ ){0,2}(?:cancel|reschedule|move|change)\b")


@dataclass(frozen=True, slots=True)
class PendingNews:
    """What a resident may be answering.

    Attributes:
        issues: of this home, oldest first.
        last: the last message to the resident in this conversation; None without.
    """

    issues: tuple[Issue, ...] = ()
    last: OutboxMessage | None = None

    @property
    def buttons(self) -> tuple[Button, ...]:
        """Buttons of the last message, if it is about visits or finished work."""
        buttons = self.last.buttons if self.last is not None else ()
        return buttons if any(b.payload.startswith((VISIT, FIXED)) for b in buttons) else ()


def answered(view: TurnView, pending: PendingNews) -> tuple[Plan, TurnView] | None:
    """Return the plan for the first message that answers news of an issue, and the view of the other messages.

    None if none does.
    """
    for inbound in view.new:
        plan = _answer(view, pending, inbound)
        if plan is not None:
            others = tuple(i for i in view.new if i is not inbound)
            return plan, replace(view, new=others, conversation=plan.conversation)
    return None


def _answer(view: TurnView, pending: PendingNews, inbound: Inbound) -> Plan | None:
    payload = inbound.button or _pressed(pending, inbound.text)
    if payload.startswith(VISIT):
        return _visit_button(view, pending, payload)
    if payload.startswith(FIXED):
        return _fixed_button(view, pending, payload, inbound.text)
    if inbound.button or not inbound.text.strip() or inbound.media:
        return None
    return _fixed_words(view, pending, inbound.text) or _visit_words(view, pending, inbound.text)


def _pressed(pending: PendingNews, text: str) -> str:
    """Return the payload of the button that a text spells out, by its title or its number; empty if none.

    A number counts only where the message itself gave the button that number.
    """
    message = phrase(text)
    for n, button in enumerate(pending.buttons, 1):
        title = phrase(button.title)
        is_numbered = button.title.startswith(f"{n}: ") or button.payload.endswith(f":pick:{n - 1}")
        if message and (message == title or (is_numbered and message in (str(n), title.partition(" ")[2]))):
            return button.payload
    return ""


def _visit_button(view: TurnView, pending: PendingNews, payload: str) -> Plan:
    _, id_, verb, *rest = [*payload.split(":"), "", ""]
    issue = next((i for i in pending.issues if i.progress.visit is not None and i.progress.visit.id == id_), None)
    visit = issue.progress.visit if issue is not None else None
    if issue is None or visit is None or issue.state in CLOSED:
        return _reply(view, wording.VISIT_OUTDATED, reason="visit_outdated")
    if verb == "keep" and visit.state is VisitState.AGREED:
        return _reply(view, wording.VISIT_KEPT, reason="visit_kept")
    if verb == "cancel" and visit.state is VisitState.AGREED:
        return _cancelled(view, issue, visit)
    if visit.state is not VisitState.PROPOSED or verb not in ("pick", "none"):
        return _reply(view, wording.VISIT_OUTDATED, reason="visit_outdated")
    if verb == "none":
        return _none_fits(view, issue, visit, "")
    n = int(rest[0]) if rest[0].isdecimal() and len(rest[0]) < 3 else len(visit.slots)
    return _picked(view, issue, visit, n)


def _visit_words(view: TurnView, pending: PendingNews, text: str) -> Plan | None:
    offers = [i for i in pending.issues if _has(i, VisitState.PROPOSED)]
    for issue in reversed(offers):
        visit = issue.progress.visit
        assert visit is not None
        is_asked = any(f"{VISIT}{visit.id}:" in b.payload for b in pending.buttons)
        answer = _read_answer(view, text, visit.slots, is_asked)
        if answer is None or (not is_asked and len(offers) > 1):
            continue
        if answer == NONE_FITS:
            return _none_fits(view, issue, visit, text)
        if isinstance(answer, int):
            return _picked(view, issue, visit, answer)
        assert answer == UNCLEAR
        return _unclear(view, issue, visit, text)
    return _cancel_words(view, pending, text)


def _read_answer(view: TurnView, text: str, slots: Sequence[TimeSpan], is_asked: bool) -> int | str | None:
    """Return what an answer says of offered times, by its own words, or else by those that the rules heard."""
    zone = view.rules.office.zone
    own = read_answer(view.heard.source_of(text), slots, zone, is_asked, view.heard.language)
    if own in (None, UNCLEAR):
        heard = read_answer(text, slots, zone, is_asked)
        return heard if heard not in (None, UNCLEAR) else own or heard
    return own


def _cancel_words(view: TurnView, pending: PendingNews, text: str) -> Plan | None:
    """Ask whether the visit is to be cancelled; only the answer cancels it."""
    agreed = [i for i in pending.issues if _has(i, VisitState.AGREED)]
    message = text.casefold().replace("’", "'")
    if len(agreed) != 1 or not _CANCELS.search(message) or _KEEPS.search(message):
        return None
    visit = agreed[0].progress.visit
    assert visit is not None
    return _reply(view, *wording.ask_cancel(visit.id, _when(view, visit)), reason="visit_cancel_asked")


def _picked(view: TurnView, issue: Issue, visit: Visit, n: int) -> Plan:
    if n >= len(visit.slots) or visit.slots[n].starts_at <= view.now:
        return _reply(view, wording.VISIT_OUTDATED, reason="visit_outdated")
    after = replace(visit, state=VisitState.AGREED, at=visit.slots[n])
    when = _when(view, after)
    text, buttons = wording.visit_agreed(visit.id, when)
    letters = with_letter(issue, f"Agreed with the resident: {when}.", turn_id(view), view.now)
    agreed = replace(issue, progress=replace(issue.progress, visit=after, letters=letters))
    reply = _reply(view, text, buttons, reason="visit_agreed")
    return _stepped(view, reply, issue, agreed, (IssueStep.AGREED, when), LandlordEvent.VISIT_AGREED)


def _none_fits(view: TurnView, issue: Issue, visit: Visit, words: str) -> Plan:
    after = _with_visit(issue, replace(visit, state=VisitState.NONE_FITS))
    reply = _reply(view, wording.VISIT_NONE_FITS, reason="visit_none_fits")
    return _stepped(view, reply, issue, after, (IssueStep.NONE_FITS, words), LandlordEvent.VISIT_DECLINED)


def _unclear(view: TurnView, issue: Issue, visit: Visit, words: str) -> Plan:
    """Ask once more which time is meant; after that a person reads the answer."""
    if visit.n_unclear:
        reply = _reply(view, wording.VISIT_UNSURE_PASSED_ON, reason="visit_unclear")
    else:
        zone = view.rules.office.zone
        titles = [start_words(slot, zone) for slot in visit.slots]
        again = wording.offer_again(visit.id, numbered(visit.slots, zone), titles)
        reply = _reply(view, *again, reason="visit_unclear")
    after = _with_visit(issue, replace(visit, n_unclear=visit.n_unclear + 1))
    return _stepped(view, reply, issue, after, (IssueStep.ANSWER_UNCLEAR, words), LandlordEvent.ANSWER_UNCLEAR)


def _cancelled(view: TurnView, issue: Issue, visit: Visit) -> Plan:
    when = _when(view, visit)
    lost = f"The resident cannot make it, the visit is cancelled: {when}."
    letters = with_letter(issue, lost, turn_id(view), view.now)
    cancelled = replace(visit, state=VisitState.CANCELLED)
    after = replace(issue, progress=replace(issue.progress, visit=cancelled, letters=letters))
    reply = _reply(view, wording.visit_cancelled(when), reason="visit_cancelled")
    return _stepped(view, reply, issue, after, (IssueStep.VISIT_CANCELLED, when), LandlordEvent.VISIT_CANCELLED)


def _fixed_button(view: TurnView, pending: PendingNews, payload: str, words: str) -> Plan:
    _, id_, verb, *_ = [*payload.split(":"), "", ""]
    issue = next((i for i in pending.issues if i.id == id_), None)
    if issue is None or issue.state is not IssueState.DONE or verb not in ("yes", "no"):
        return _reply(view, wording.HOW_CAN_I_HELP, reason="fixed_outdated")
    return _is_fixed(view, issue) if verb == "yes" else reopened(view, issue, words)


def _fixed_words(view: TurnView, pending: PendingNews, text: str) -> Plan | None:
    """Read the answer to "is it fixed?", if that is the last thing that was asked; a doubtful one goes on."""
    payload = next((b.payload for b in pending.buttons if b.payload.startswith(FIXED)), "")
    issue = next((i for i in pending.issues if payload and i.id == payload.split(":")[1]), None)
    if issue is None or issue.state is not IssueState.DONE:
        return None
    message = phrase(text).replace("’", "'")
    if message in _FIXED_YES:
        return _is_fixed(view, issue)
    return reopened(view, issue, text) if _FIXED_NO.search(message) else None


def _is_fixed(view: TurnView, issue: Issue) -> Plan:
    after = replace(issue, progress=replace(issue.progress, is_fixed=True))
    return _stepped(view, _reply(view, wording.FIXED_YES, reason="fixed"), issue, after, (IssueStep.FIXED, ""), None)


def reopened(view: TurnView, issue: Issue, words: str) -> Plan:
    """Return the plan that opens a finished issue again, with the resident's words in its history."""
    reply = _reply(view, wording.fixed_no(issue), reason="not_fixed")
    plan = _stepped(view, reply, issue, _open_again(issue), (IssueStep.NOT_FIXED, words), LandlordEvent.ISSUE_REOPENED)
    return replace(plan, conversation=replace(plan.conversation, issue_id=issue.id, issue_at=view.now))


def reopening(view: TurnView, issue: Issue, words: str) -> IssueAdvance:
    """Return the step that opens an issue again that was finished or taken back, with the resident's words."""
    return _advance(view, issue, _open_again(issue), (IssueStep.NOT_FIXED, words))


def _open_again(issue: Issue) -> Issue:
    progress = replace(issue.progress, is_fixed=False, visit=None)
    review = "" if issue.review == WITHDRAWN else issue.review
    return replace(issue, state=IssueState.OPEN, review=review, progress=progress)


def with_letter(issue: Issue, text: str, key: str, now: datetime) -> tuple[Letter, ...]:
    """Return the letters of an issue with one more to its contractor, if somebody with an address works on it.

    Args:
        issue: as it is.
        text: what the letter says; no words of the resident.
        key: tells this letter from others of the issue.
        now: when it is written.
    """
    work = issue.progress.assignment
    if work is None or not work.contractor.email or work.state not in (WorkState.ASKED, WorkState.ACCEPTED):
        return issue.progress.letters
    letter = Letter(digest("letter", issue.id, key), work.contractor.email, "About a visit", f"{text}\n", now, now)
    return (*issue.progress.letters, letter)[-KEPT_LETTERS:]


def _stepped(
    view: TurnView, plan: Plan, issue: Issue, after: Issue, done: tuple[IssueStep, str], event: LandlordEvent | None
) -> Plan:
    """Return a plan with a step of an issue, its words for the history, and its notice for the landlord."""
    step, note = done[0], str(done[1])
    advance = _advance(view, issue, after, done)
    detail = note if event in (LandlordEvent.VISIT_AGREED, LandlordEvent.VISIT_CANCELLED) else ""
    notices = (NoticeDraft(event, f"{issue.id}:{turn_id(view)}", issue.id, detail),) if event is not None else ()
    return replace(plan, advances=(advance,), notices=notices, effects=(f"{step}:{issue.id}",))


def _advance(view: TurnView, issue: Issue, after: Issue, done: tuple[IssueStep, str]) -> IssueAdvance:
    step, note = done[0], str(done[1])
    after = replace(after, progress=replace(after.progress, wake_at=next_wake(after, view.rules)))
    return IssueAdvance(issue, after, view.now, RESIDENT, step, note[:MAX_NOTE])


def _reply(view: TurnView, text: str, buttons: tuple[Button, ...] = (), reason: str = "") -> Plan:
    """Return a plan that only replies."""
    return Plan(
        view.conversation, Path.FAST, Tool.RESPOND, reason, (ResidentReply(OutboxKind.REPLY, text, buttons),)
    )  # fmt: skip


def _with_visit(issue: Issue, visit: Visit) -> Issue:
    return replace(issue, progress=replace(issue.progress, visit=visit))


def _has(issue: Issue, state: VisitState) -> bool:
    visit = issue.progress.visit
    return visit is not None and visit.state is state and issue.state not in CLOSED


def _when(view: TurnView, visit: Visit) -> str:
    return span_words(visit.at or visit.slots[0], view.rules.office.zone)
