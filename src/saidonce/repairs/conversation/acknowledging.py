"""A person acknowledges an alarm, or confirms that it is over; the resident is told so.

An acknowledgement is of one alarm: what was raised by another message waits for its own. The repetitions of an alarm,
which got no reply of their own, belong to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime

from saidonce.errors import NotFoundError, StaleWriteError, UsageError
from saidonce.foundation.model.conversation import Alarm, EmergencyEvent, Issue, OutboxKind, OutboxMessage, Way
from saidonce.foundation.text import digest
from saidonce.repairs.conversation import wording
from saidonce.repairs.conversation.deps import ConversationDeps
from saidonce.repairs.conversation.emergency import unhandled
from saidonce.repairs.conversation.issue_steps import IssueChange, step_issue
from saidonce.repairs.conversation.one_person import alarms_elsewhere
from saidonce.repairs.conversation.rendering import beside_turns

MAX_TRIES = 5
NAMED = (Way.PAGE, Way.API, Way.COMMAND, Way.BOARD, Way.TAKE_OVER)
"""Ways by which a person acts under their own name; a link and a webhook are named as their channel is."""

Change = Callable[[EmergencyEvent], EmergencyEvent]


def acknowledge(deps: ConversationDeps, alarm_id: str, by: str, way: Way) -> EmergencyEvent:
    """Acknowledge an alarm: nobody further is called, and the resident reads that somebody has seen it.

    A repetition changes nothing: the first acknowledgement stays.

    Raises:
        NotFoundError: there is no such alarm.
        UsageError: the resident has not answered yet whether anybody is in danger, or said no.
        StaleWriteError: it keeps changing.
    """
    event = _raised(deps, alarm_id)
    if event.acknowledged_at is not None:
        return event
    now = deps.clock.now()
    text = wording.seen_by(by) if deps.rules.names_staff and by and way in NAMED else wording.SEEN_BY_SOMEBODY

    def change(of: EmergencyEvent) -> EmergencyEvent:
        return _seen(of, now, by, way)

    seen = _changed(deps, event, change, _message(deps, event, "seen", text))
    for other in _on_other_channels(deps, event):
        if other.acknowledged_at is None:
            _changed(deps, other, change, _message(deps, other, "seen", text))
    if seen.issue_id:
        step_issue(deps, seen.issue_id, by, _responded)
    return seen


def _responded(issue: Issue, now: datetime) -> IssueChange | None:
    """Return the change by which an issue has had its first response: a person has seen its alarm."""
    if issue.progress.responded_at is not None:
        return None
    return IssueChange(replace(issue.progress, responded_at=now))


def acknowledge_all(deps: ConversationDeps, conversation_id: str, by: str, way: Way) -> None:
    """Acknowledge all alarms that a conversation has at this moment, for a person who takes it over.

    Raises:
        StaleWriteError: one of them keeps changing.
    """
    for event in _waiting(deps.store.events(conversation_id)):
        acknowledge(deps, event.id, by, way)


def acknowledge_issue(deps: ConversationDeps, issue_id: str, by: str) -> None:
    """Acknowledge the alarms of an issue that a person moves out of the open column.

    Raises:
        StaleWriteError: one of them keeps changing.
    """
    for event in _waiting(e for e in deps.store.events() if e.issue_id == issue_id):
        acknowledge(deps, event.id, by, Way.BOARD)


def take_back(deps: ConversationDeps, issue_id: str) -> None:
    """Take back what `acknowledge_issue` did, for an issue that is moved back: its alarms wait again.

    Raises:
        StaleWriteError: one of them keeps changing.
    """

    def change(of: EmergencyEvent) -> EmergencyEvent:
        if of.acknowledged_via is not Way.BOARD or of.cleared_at is not None:
            return of
        return replace(of, acknowledged_at=None, acknowledged_by="", acknowledged_via=None)

    for event in deps.store.events():
        if event.issue_id == issue_id and event.acknowledged_via is Way.BOARD:
            _changed(deps, event, change)


def confirm_all_clear(deps: ConversationDeps, alarm_id: str, by: str, way: Way) -> EmergencyEvent:
    """End an alarm: a person confirms that it is over, whether the resident said so or not; the resident is told.

    Its messages go the normal way again; the issue stays where it is on the board. A repetition changes nothing. While
    another alarm of the conversation stands, the resident does not read that it is over.

    Raises:
        NotFoundError: there is no such alarm.
        UsageError: the resident has not answered yet whether anybody is in danger, or said no.
        StaleWriteError: it keeps changing.
    """
    event = _raised(deps, alarm_id)
    if event.cleared_at is not None:
        return event
    now = deps.clock.now()

    def change(of: EmergencyEvent) -> EmergencyEvent:
        seen = _seen(of, now, by, way)
        return seen if seen.cleared_at else replace(seen, cleared_at=now, cleared_by=by)

    others = unhandled(deps.store.events(event.conversation_id), deps.store.issues())
    stands = any(e.id != event.id and e.replied and e.cleared_at is None for e in others)
    text = wording.all_clear(deps.pack.emergency)
    elsewhere = _on_other_channels(deps, event)
    cleared = _changed(deps, event, change, None if stands else _message(deps, event, "cleared", text))
    for other in elsewhere:
        _changed(deps, other, change, None if stands else _message(deps, other, "cleared", text))
    return cleared


def _on_other_channels(deps: ConversationDeps, event: EmergencyEvent) -> tuple[EmergencyEvent, ...]:
    """Return the same alarm as its resident raised it on other channels: what a person does holds for all of them."""
    of = deps.store.conversation(event.conversation_id)
    return tuple(e for e in alarms_elsewhere(deps, of, {event.kind}) if e.replied)


def _raised(deps: ConversationDeps, alarm_id: str) -> EmergencyEvent:
    event = next((e for e in deps.store.events() if e.id == alarm_id), None)
    if event is None:
        raise NotFoundError("alarm", alarm_id, "'saidonce alarms list' lists them")
    if event.state is Alarm.POSSIBLE:
        raise UsageError("this is no alarm yet: the resident was asked whether anybody is in danger")
    if event.state is Alarm.DISMISSED:
        raise UsageError("this is no alarm: the resident said that nobody is in danger")
    return event


def _waiting(events: Iterable[EmergencyEvent]) -> tuple[EmergencyEvent, ...]:
    raised = (Alarm.SUSPECTED, Alarm.VALIDATED)
    return tuple(e for e in events if e.state in raised and e.replied and e.acknowledged_at is None)


def _changed(
    deps: ConversationDeps, event: EmergencyEvent, change: Change, message: OutboxMessage | None = None
) -> EmergencyEvent:
    """Change an alarm with its repetitions; the message goes along with the first."""
    for _ in range(MAX_TRIES):
        known = {e.id: e for e in deps.store.events(event.conversation_id)}
        repeated = [
            e for e in known.values()
            if e.kind == event.kind and not e.replied and e.inbound_seq > event.inbound_seq
            and e.state in (Alarm.SUSPECTED, Alarm.VALIDATED)
        ]  # fmt: skip
        outbox = (message,) if message is not None else ()
        try:
            for n, each in enumerate((known[event.id], *repeated)):
                after = change(each)
                if after != each or (n == 0 and outbox):
                    deps.store.settle_event(each, after, None, (), outbox if n == 0 else ())
        except StaleWriteError:
            continue
        return next(e for e in deps.store.events(event.conversation_id) if e.id == event.id)
    raise StaleWriteError(f"alarm {event.id!r} keeps changing")


def _seen(of: EmergencyEvent, at: datetime, by: str, way: Way) -> EmergencyEvent:
    """Return an alarm as acknowledged; the first acknowledgement stays."""
    if of.acknowledged_at is not None:
        return of
    return replace(of, acknowledged_at=at, acknowledged_by=by, acknowledged_via=way)


def _message(deps: ConversationDeps, event: EmergencyEvent, what: str, text: str) -> OutboxMessage | None:
    """Return a message to the resident; None if they have read the same since the alarm."""
    outbox = deps.store.outbox(event.conversation_id)
    if any((m.english or m.text) == text and m.made_at >= event.at for m in outbox):
        return None
    of = deps.store.conversation(event.conversation_id)
    return beside_turns(digest(what, event.id), of, OutboxKind.SAFETY, text, deps.clock.now())
