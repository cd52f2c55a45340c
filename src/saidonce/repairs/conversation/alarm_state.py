"""The alarm state of a conversation. While an alarm stands, every message goes to it and nothing is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from saidonce.foundation.model.conversation import (
    Alarm,
    EmergencyEvent,
    Gathering,
    Issue,
    IssueDraft,
    LandlordEvent,
    OutboxKind,
    OutboxMessage,
    Path,
    PhotoStatus,
    Turn,
)
from saidonce.foundation.model.residents import Inbound
from saidonce.foundation.text import digest
from saidonce.repairs.conversation import lexicon, wording
from saidonce.repairs.conversation.alarm_life import open_alarms
from saidonce.repairs.conversation.all_clear import says_all_clear
from saidonce.repairs.conversation.emergency import STAY_SAFE, first_message, unanswered
from saidonce.repairs.conversation.executor import turn_id
from saidonce.repairs.conversation.output import may_be_repeated
from saidonce.repairs.conversation.slots import verbatim
from saidonce.repairs.conversation.view import NoticeDraft, Plan, ResidentReply, TurnView

MAX_REPEATED_CHARS = 300
"""Characters of a resident's words that are repeated back."""


@dataclass(frozen=True, slots=True)
class AlarmContact:
    """How to answer during an alarm.

    Attributes:
        stay: how to stay safe.
        number: of the emergency services.
        is_reached: whether the landlord's team can be told.
        has_run_out: whether a question about danger ran out before it was answered: a late no to it is passed on.
    """

    stay: str = STAY_SAFE
    number: str = ""
    is_reached: bool = True
    has_run_out: bool = False


@dataclass(frozen=True, slots=True)
class AlarmState:
    """Open questions and alarms of a conversation.

    Attributes:
        questions: possible emergencies whose question is unanswered.
        alarms: alarms that stand: a person has not ended them.
        issue: the one issue of these alarms; None before the home is known.
        texts: the resident's texts since the first alarm, right before it, and of the draft open then; oldest first.
        replied: seqs of messages that got a safety text or a question of their own.
        answers: seqs of messages that answered a question about danger, and got their reply by that.
        dangers: seqs of messages in which a danger was found: a no before one calls nothing off.
        contact: how to answer.
    """

    questions: tuple[EmergencyEvent, ...] = ()
    alarms: tuple[EmergencyEvent, ...] = ()
    issue: Issue | None = None
    texts: tuple[str, ...] = ()
    replied: frozenset[int] = frozenset()
    contact: AlarmContact = field(default_factory=AlarmContact)
    answers: frozenset[int] = frozenset()
    dangers: frozenset[int] = frozenset()


def alarm_state(
    view: TurnView, events: Sequence[EmergencyEvent], issues: Sequence[Issue], turns: Sequence[Turn],
    inbounds: Sequence[Inbound], answers: frozenset[int] = frozenset(),
) -> AlarmState:  # fmt: skip
    """Return the alarm state of a conversation.

    Args:
        view: state and messages of the turn.
        events: of the conversation, oldest first.
        issues: of the organisation.
        turns: of the conversation; turns spent on an alarm keep an acknowledged one alive.
        inbounds: messages of the conversation, in the order of sending.
        answers: seqs of those that answered a question about danger.
    """
    alarms = open_alarms(events, issues, turns, view.now, view.rules.alarm_s)
    since = min([first_message(alarms, turns, view.conversation.draft.since), *(i.seq for i in view.new)])
    unspent = (i for i in inbounds if i.seq >= since and i.text.strip() and not _is_spent(i, answers))
    texts = tuple(i.text for i in unspent) if alarms else ()
    issue_ids = {e.issue_id for e in alarms} - {""}
    issue = next((i for i in issues if i.id in issue_ids), None)
    replied = frozenset(e.inbound_seq for e in events if e.replied)
    dangers = frozenset(e.inbound_seq for e in events)
    return AlarmState(unanswered(events), alarms, issue, texts, replied, answers=answers, dangers=dangers)


def danger_answers(
    events: Sequence[EmergencyEvent], outbox: Sequence[OutboxMessage], inbounds: Sequence[Inbound], is_yes: bool = False
) -> set[int]:
    """Return the seqs of messages that answered a question about danger with no, or with yes: they say nothing else."""
    asked_at = {m.id: m.made_at for m in outbox}
    settled = Alarm.VALIDATED if is_yes else Alarm.DISMISSED
    seqs = set()
    for event in events:
        at = asked_at.get(digest("asked", event.id))
        if at is None or event.state is not settled:
            continue
        after = (i for i in inbounds if i.received_at >= at and i.seq > event.inbound_seq and not i.is_heard)
        seqs |= {next((i.seq for i in after if lexicon.in_danger(i.button or i.text, False) is is_yes), -1)}
    return seqs


def _says_no(inbound: Inbound, dangers: frozenset[int]) -> bool:
    return inbound.seq not in dangers and lexicon.in_danger(inbound.button or inbound.text, False) is False


def _is_spent(inbound: Inbound, answers: frozenset[int]) -> bool:
    """Return whether a message is nothing but an answer to a question of ours, which it settled.

    A bare "no" that answers nothing lowers nothing: it goes to the alarm like any other word.
    """
    return inbound.seq in answers and lexicon.only_answers(inbound.text)


def wait_for_answer(view: TurnView) -> Plan:
    """Park all messages until the resident has answered whether anybody is in danger."""
    parked = tuple(sorted({*view.conversation.parked, *(i.seq for i in view.new)}))
    return Plan(replace(view.conversation, parked=parked), Path.EMERGENCY, reason="danger_asked")


def plan_during_alarm(view: TurnView, at: AlarmState, alarmed: Sequence[Inbound] = ()) -> Plan:
    """Add new messages, and the open draft, to the one issue of the alarm; ask nothing, and repeat them back."""
    of = view.conversation
    added = sorted((*view.new, *alarmed), key=Inbound.as_sent)
    added = [i for i in added if i.seq not in at.replied]
    late = [at.contact.has_run_out and _says_no(i, at.dangers) for i in added]
    texts = [i.text for i, is_no in zip(added, late, strict=True) if is_no or not _is_spent(i, at.answers)]
    texts = [text for text in texts if text.strip()]
    kind = OutboxKind.SAFETY if of.opted_out_at is not None else OutboxKind.REPLY
    is_clear = bool(texts) and (says_all_clear(texts[-1]) or late[-1])
    text = _reply(at.contact, texts, bool(view.photos), is_clear)
    claim = (NoticeDraft(LandlordEvent.ALL_CLEAR_SAID, turn_id(view), at.issue.id if at.issue else "", _kinds(at)),)
    plan = Plan(
        replace(of, parked=()), Path.EMERGENCY, reason="all_clear_said" if is_clear else "alarm",
        replies=(ResidentReply(kind, text),) if text else (), notices=claim if is_clear else (),
    )  # fmt: skip
    if at.issue is None:
        message = (NoticeDraft(LandlordEvent.ALARM_MESSAGE, turn_id(view), detail=_kinds(at)),)
        is_known = of.identity.is_known  # Then the issue tells of it.
        return replace(plan, notices=plan.notices or message) if text and not is_known else plan
    media = tuple(dict.fromkeys((*at.issue.media, *of.draft.media, *view.photos)))
    more = replace(
        at.issue, description=verbatim(at.issue.description, at.texts), media=media,
        photo=PhotoStatus.PROVIDED if (*of.draft.media, *view.photos) else at.issue.photo,
    )  # fmt: skip
    if of.draft.since:
        after = replace(
            plan.conversation, gathering=Gathering.ISSUE_CREATED, draft=IssueDraft(), draft_expires_at=None,
            is_nudged=False, issue_id=more.id, issue_at=view.now, more_drafts=(),
        )  # fmt: skip
        plan = replace(plan, conversation=after)
    if more == at.issue:
        return plan
    return replace(
        plan, extended=more,
        notices=(NoticeDraft(LandlordEvent.ISSUE_EXTENDED, turn_id(view), more.id), *plan.notices),
        effects=(f"extended:{more.id}",),
    )  # fmt: skip


def _reply(contact: AlarmContact, texts: Sequence[str], has_photo: bool, is_clear: bool) -> str:
    """Return the reply to what was added to an alarm, in the resident's own words; empty to nothing."""
    words = " / ".join(" ".join(text.split()) for text in texts if text.strip())
    if len(words) > MAX_REPEATED_CHARS:
        words = words[:MAX_REPEATED_CHARS].rpartition(" ")[0] + " ..."
    stay, number = contact.stay, contact.number
    if words and not may_be_repeated(words):
        return wording.message_passed_on(stay) if contact.is_reached else wording.message_recorded_only(stay, number)
    if words and is_clear:
        note = wording.all_clear_noted if contact.is_reached else wording.all_clear_recorded
        return note(words, number)
    if words:
        return wording.passed_on(stay, words) if contact.is_reached else wording.recorded_only(stay, words, number)
    if has_photo:
        return wording.photo_passed_on(stay) if contact.is_reached else wording.photo_recorded_only(stay, number)
    return ""


def _kinds(at: AlarmState) -> str:
    return ", ".join(dict.fromkeys(e.kind for e in at.alarms))
