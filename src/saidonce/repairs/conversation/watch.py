"""Room: an alarm is a state. While one stands every message goes to it, and nobody is asked for anything else."""

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
from saidonce.repairs.conversation.emergency import asked, began, standing
from saidonce.repairs.conversation.execute import turn_id
from saidonce.repairs.conversation.slots import verbatim
from saidonce.repairs.conversation.view import NoticeDraft, Plan, ResidentReply, TurnView


@dataclass(frozen=True, slots=True)
class Watch:
    """What stands of dangers in a conversation.

    Attributes:
        asked: what the resident was asked about and has not answered.
        alarms: those that nobody has begun to deal with, the last of which was heard of lately.
        issue: the one issue of these alarms; None before the home is known.
        texts: what the resident wrote since the first of them, right before it, and of the draft that was open then;
            oldest first.
        replied: seqs of messages that got a safety text or a question of their own.
    """

    asked: tuple[EmergencyEvent, ...] = ()
    alarms: tuple[EmergencyEvent, ...] = ()
    issue: Issue | None = None
    texts: tuple[str, ...] = ()
    replied: frozenset[int] = frozenset()


def watch(
    view: TurnView, events: Sequence[EmergencyEvent], issues: Sequence[Issue], turns: Sequence[Turn],
    heard: Sequence[Inbound],
) -> Watch:  # fmt: skip
    """Return what stands of dangers.

    Args:
        view: what the turn looks at.
        events: of the conversation, oldest first.
        issues: of the organisation.
        turns: of the conversation; those that went to an alarm keep it alive.
        heard: messages of the conversation, in the order in which they were sent.
    """
    alarms = standing(events, issues)
    touched = [e.at for e in alarms] + [t.at for t in turns if alarms and t.path is Path.EMERGENCY]
    if not touched or view.now - max(touched) >= timedelta(seconds=view.rules.alarm_s):
        alarms = ()
    since = min([began(alarms, turns, view.conversation.draft.since), *(i.seq for i in view.new)])
    texts = tuple(i.text for i in heard if i.seq >= since and not lexicon.only_answers(i.text)) if alarms else ()
    held = {e.issue_id for e in alarms} - {""}
    issue = next((i for i in issues if i.id in held), None)
    return Watch(asked(events), alarms, issue, texts, frozenset(e.inbound_seq for e in events if e.replied))


def answers(events: Sequence[EmergencyEvent], outbox: Sequence[OutboxMessage], heard: Sequence[Inbound]) -> set[int]:
    """Return the seqs of messages that said no when somebody was asked about a danger: they say nothing else."""
    asked_at = {m.id: m.made_at for m in outbox}
    found = set()
    for event in events:
        at = asked_at.get(digest("asked", event.id))
        if at is None or event.state is not Alarm.DISMISSED:
            continue
        after = (i for i in heard if i.received_at >= at and i.seq > event.inbound_seq)
        found |= {next((i.seq for i in after if lexicon.in_danger(i.button or i.text, False) is False), -1)}
    return found


def while_asked(view: TurnView) -> Plan:
    """Let everything wait until the resident has said whether anybody is in danger."""
    parked = tuple(sorted({*view.conversation.parked, *(i.seq for i in view.new)}))
    return Plan(replace(view.conversation, parked=parked), Path.EMERGENCY, reason="danger_asked")


def in_alarm(view: TurnView, at: Watch, alarmed: Sequence[Inbound] = ()) -> Plan:
    """Put what came with the alarm: into its one issue, and the draft that was open with it. Nothing is asked."""
    of = view.conversation
    more_said = (i for i in (*view.new, *alarmed) if i.seq not in at.replied and not lexicon.only_answers(i.text))
    says = (ResidentReply(OutboxKind.REPLY, wording.WITH_ALARM),) if view.photos or any(more_said) else ()
    plan = Plan(replace(of, parked=()), Path.EMERGENCY, reason="alarm", says=says)
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
            is_nudged=False, issue_id=more.id, issue_at=view.now,
        )  # fmt: skip
        plan = replace(plan, conversation=after)
    if more == at.issue:
        return plan
    return replace(
        plan, extended=more, tells=(NoticeDraft(LandlordEvent.ISSUE_EXTENDED, turn_id(view), more.id),),
        effects=(f"extended:{more.id}",),
    )  # fmt: skip
