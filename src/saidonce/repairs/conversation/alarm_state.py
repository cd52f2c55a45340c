"""Room: the alarm state of a conversation. While an alarm stands, every message goes to it and nothing is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

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
from saidonce.repairs.conversation.emergency import first_message, unanswered, unhandled
from saidonce.repairs.conversation.executor import turn_id
from saidonce.repairs.conversation.slots import verbatim
from saidonce.repairs.conversation.view import NoticeDraft, Plan, ResidentReply, TurnView


@dataclass(frozen=True, slots=True)
class AlarmState:
    """Open questions and alarms of a conversation.

    Attributes:
        questions: possible emergencies whose question is unanswered.
        alarms: unhandled alarms; empty once the last sign of them is too old.
        issue: the one issue of these alarms; None before the home is known.
        texts: the resident's texts since the first alarm, right before it, and of the draft open then; oldest first.
        replied: seqs of messages that got a safety text or a question of their own.
    """

    questions: tuple[EmergencyEvent, ...] = ()
    alarms: tuple[EmergencyEvent, ...] = ()
    issue: Issue | None = None
    texts: tuple[str, ...] = ()
    replied: frozenset[int] = frozenset()


def alarm_state(
    view: TurnView, events: Sequence[EmergencyEvent], issues: Sequence[Issue], turns: Sequence[Turn],
    inbounds: Sequence[Inbound],
) -> AlarmState:  # fmt: skip
    """Return the alarm state of a conversation.

    Args:
        view: state and messages of the turn.
        events: of the conversation, oldest first.
        issues: of the organisation.
        turns: of the conversation; turns spent on an alarm keep it alive.
        inbounds: messages of the conversation, in the order of sending.
    """
    alarms = unhandled(events, issues)
    touched = [e.at for e in alarms] + [t.at for t in turns if alarms and t.path is Path.EMERGENCY]
    if not touched or view.now - max(touched) >= timedelta(seconds=view.rules.alarm_s):
        alarms = ()
    since = min([first_message(alarms, turns, view.conversation.draft.since), *(i.seq for i in view.new)])
    texts = tuple(i.text for i in inbounds if i.seq >= since and not lexicon.only_answers(i.text)) if alarms else ()
    issue_ids = {e.issue_id for e in alarms} - {""}
    issue = next((i for i in issues if i.id in issue_ids), None)
    return AlarmState(unanswered(events), alarms, issue, texts, frozenset(e.inbound_seq for e in events if e.replied))


def danger_answers(
    events: Sequence[EmergencyEvent], outbox: Sequence[OutboxMessage], inbounds: Sequence[Inbound]
) -> set[int]:
    """Return the seqs of messages that answered a question about danger with no: they say nothing else."""
    asked_at = {m.id: m.made_at for m in outbox}
    seqs = set()
    for event in events:
        at = asked_at.get(digest("asked", event.id))
        if at is None or event.state is not Alarm.DISMISSED:
            continue
        after = (i for i in inbounds if i.received_at >= at and i.seq > event.inbound_seq)
        seqs |= {next((i.seq for i in after if lexicon.in_danger(i.button or i.text, False) is False), -1)}
    return seqs


def wait_for_answer(view: TurnView) -> Plan:
    """Park all messages until the resident has answered whether anybody is in danger."""
    parked = tuple(sorted({*view.conversation.parked, *(i.seq for i in view.new)}))
    return Plan(replace(view.conversation, parked=parked), Path.EMERGENCY, reason="danger_asked")


def plan_during_alarm(view: TurnView, at: AlarmState, alarmed: Sequence[Inbound] = ()) -> Plan:
    """Add new messages, and the open draft, to the one issue of the alarm; ask nothing."""
    of = view.conversation
    more_texts = (i for i in (*view.new, *alarmed) if i.seq not in at.replied and not lexicon.only_answers(i.text))
    replies = (ResidentReply(OutboxKind.REPLY, wording.WITH_ALARM),) if view.photos or any(more_texts) else ()
    plan = Plan(replace(of, parked=()), Path.EMERGENCY, reason="alarm", replies=replies)
    if at.issue is None:
        return plan
    media = tuple(dict.fromkeys((*at.issue.media, *of.draft.media, *view.photos)))
    more = replace(
        at.issue, description=verbatim(at.issue.description, at.texts), media=media,
        photo=PhotoStatus.PROVIDED if media else at.issue.photo,
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
        plan, extended=more, notices=(NoticeDraft(LandlordEvent.ISSUE_EXTENDED, turn_id(view), more.id),),
        effects=(f"extended:{more.id}",),
    )  # fmt: skip
