"""Calls about an alarm, down its call-out list, until a person acknowledges it or the list is exhausted.

Each call is one notice, kept with the event's new state in one write: a program that is killed in between calls nobody
twice and forgets nobody.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from saidonce.foundation.model.call_outs import CallOutList
from saidonce.foundation.model.conversation import (
    Alarm,
    EmergencyEvent,
    IssueState,
    LandlordEvent,
    LandlordNotice,
    OutboxKind,
    OutboxMessage,
    Way,
)
from saidonce.foundation.text import digest
from saidonce.repairs.conversation import wording
from saidonce.repairs.conversation.call_outs import first_step, list_for, next_step, step_of
from saidonce.repairs.conversation.deps import ConversationDeps
from saidonce.repairs.conversation.rendering import beside_turns

SHORTEST_WAIT = timedelta(minutes=1)
"""No step waits for less: whoever looks earlier need not read the list."""

TELL_WITHIN = timedelta(days=1)
"""Age of an emergency up to which its resident is told that nobody has acknowledged it."""

Call = tuple[EmergencyEvent, tuple[LandlordNotice, ...], tuple[OutboxMessage, ...]]


def first_call(deps: ConversationDeps, event: EmergencyEvent, at: datetime) -> EmergencyEvent:
    """Return an event as its alert leaves it: the first step of its list is called."""
    step = first_step(_list_of(deps, event.conversation_id), at)
    return replace(event, alerted_at=at, n_calls=1, called_at=at, step=step)


def channels_of(deps: ConversationDeps, event: EmergencyEvent) -> tuple[str, ...]:
    """Return the channels of the step at which an event is; empty for all."""
    return step_of(_list_of(deps, event.conversation_id), event.step).channels


def call_next(deps: ConversationDeps, event: EmergencyEvent) -> Call:
    """Return an event after its next call, if one is due, with the notice and what the resident is told."""
    now, last = deps.clock.now(), event.called_at or event.alerted_at
    is_waiting = event.acknowledged_at is None and event.state in (Alarm.SUSPECTED, Alarm.VALIDATED)
    if last is None or not is_waiting or event.exhausted_at is not None or now < last + SHORTEST_WAIT:
        return event, (), ()
    of = _list_of(deps, event.conversation_id)
    if now < last + timedelta(minutes=step_of(of, event.step).wait_minutes):
        return event, (), ()
    if (begun := _begun(deps, event)) is not None:
        return begun, (), ()
    step, is_new_round = next_step(of, event.step, now)
    round_ = event.round + is_new_round
    replies = _nobody_answered(deps, event) if is_new_round and event.round == 1 else ()
    if round_ > of.rounds:
        return replace(event, exhausted_at=now), (), replies
    n = max(event.n_calls, 1) + 1
    after = replace(event, n_calls=n, called_at=now, step=step, round=round_)
    what = LandlordEvent.EMERGENCY_UNACKNOWLEDGED
    notice = LandlordNotice(
        f"{what}:{event.id}:{n}", what, event.conversation_id, now, event.issue_id, event.kind, event.id,
        step_of(of, step).channels,
    )  # fmt: skip
    return after, (notice,), replies


def _list_of(deps: ConversationDeps, conversation_id: str) -> CallOutList:
    lists = deps.store.call_outs()
    if not lists:
        return list_for((), None)
    tenancy_id = deps.store.conversation(conversation_id).tenancy_id
    home = deps.store.home(tenancy_id) if tenancy_id else None
    return list_for(lists, home.property if home is not None else None)


def _begun(deps: ConversationDeps, event: EmergencyEvent) -> EmergencyEvent | None:
    """Return an event as acknowledged by whoever moved its issue out of the open column; None if nobody did."""
    issue = next((i for i in deps.store.issues() if i.id == event.issue_id), None) if event.issue_id else None
    if issue is None or issue.state is IssueState.OPEN:
        return None
    moves = deps.store.issue_moves(issue.id)
    at, by = (moves[-1].at, moves[-1].actor) if moves else (deps.clock.now(), "")
    return replace(event, acknowledged_at=at, acknowledged_by=by, acknowledged_via=Way.BOARD)


def _nobody_answered(deps: ConversationDeps, event: EmergencyEvent) -> tuple[OutboxMessage, ...]:
    """Return the message to a resident that nobody has acknowledged their alarm, once in half an hour."""
    now = deps.clock.now()
    text = wording.nobody_answered(deps.pack.emergency)
    since = now - timedelta(seconds=deps.rules.safety_again_s)
    lately = (m.english or m.text for m in deps.store.outbox(event.conversation_id) if m.made_at >= since)
    if now - event.at > TELL_WITHIN or text in lately:
        return ()
    of = deps.store.conversation(event.conversation_id)
    return (beside_turns(digest("nobody-answered", event.id), of, OutboxKind.SAFETY, text, now),)
