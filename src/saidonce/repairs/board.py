"""The landlord team's first page: issues by state and urgency, and everything that waits for a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from saidonce.foundation.model.conversation import (
    Alarm,
    Conversation,
    EmergencyEvent,
    IdentityStatus,
    Issue,
    IssueState,
    LandlordEvent,
    OutboxState,
    Urgency,
)
from saidonce.foundation.model.residents import Home, Media
from saidonce.repairs.conversation import ConversationDeps, LimitStanding, standings
from saidonce.repairs.conversation.alarm_life import claims, open_alarms
from saidonce.repairs.issue_file import photos_of
from saidonce.repairs.model_report import ModelReport, model_report

MOST_CONVERSATIONS = 500
MOST_CARDS = 200
"""Cards of a column."""

MOST_PHOTOS = 60
"""Cards that show a photo, from the first column on."""

RANK = {Urgency.EMERGENCY: 0, Urgency.URGENT: 1, Urgency.ROUTINE: 2}


@dataclass(frozen=True, slots=True)
class Board:
    """Issues by state, and everything that waits.

    Attributes:
        columns: issues by state, most urgent first, then oldest first.
        homes: by tenancy.
        alarms: emergencies that no person has acknowledged, and open questions about danger; newest first.
        acknowledged: alarms that a person has acknowledged and nobody has ended; newest first.
        claims: when residents last said that an alarm is over, by conversation.
        handed_off: conversations in the charge of a person.
        nameless: conversations whose writer waits for approval.
        model: how often the model could not lead, in the last day; None without a model.
        is_reached: a channel exists for emergency notices; True while there are neither homes nor conversations.
        limits: where the issues on cards stand within their limits of time, by issue.
        photos: the first photo of issues on cards, by issue.
        alarm_homes: where alarms are, by conversation, if the home is known.
        undelivered: ids of messages to residents that could not be delivered.
        cards: issues that have a card, by state.
    """

    columns: Mapping[IssueState, tuple[Issue, ...]]
    homes: Mapping[str, Home]
    alarms: tuple[EmergencyEvent, ...]
    handed_off: tuple[Conversation, ...]
    nameless: tuple[Conversation, ...]
    is_reached: bool
    acknowledged: tuple[EmergencyEvent, ...]
    claims: Mapping[str, datetime]
    cards: Mapping[IssueState, tuple[Issue, ...]]
    limits: Mapping[str, tuple[LimitStanding, ...]]
    photos: Mapping[str, Media]
    undelivered: frozenset[str]
    alarm_homes: Mapping[str, Home]
    model: ModelReport | None

    @property
    def is_exhausted(self) -> bool:
        """Whether the call-out list of an alarm has come to its end, and nobody has acknowledged it."""
        return any(e.exhausted_at is not None for e in self.alarms)


def board(deps: ConversationDeps) -> Board:
    """Return the board of an organisation."""
    issues = sorted(deps.store.issues(), key=lambda i: (RANK[i.urgency], i.reported_at, i.id))
    columns = {state: tuple(i for i in issues if i.state is state) for state in IssueState}
    alarms, acknowledged = _alarms(deps, issues)
    talks = deps.store.conversations(MOST_CONVERSATIONS)
    notices = deps.store.notices()
    to_approve = {n.conversation_id for n in notices if n.event is LandlordEvent.IDENTITY_ASKED}
    unknown = (IdentityStatus.UNIDENTIFIED, IdentityStatus.IDENTIFIED)
    homes = {h.tenancy.id: h for h in deps.store.homes()}
    is_reached = deps.reach is None or not (homes or talks) or deps.reach.has_channel()
    cards = {state: of_state[:MOST_CARDS] for state, of_state in columns.items()}
    shown, now = [i for of_state in cards.values() for i in of_state], deps.clock.now()
    with_photo = [i for i in shown if i.media][:MOST_PHOTOS]
    in_alarm = {e.conversation_id for e in alarms}
    return Board(
        columns, homes, alarms,
        tuple(c for c in talks if c.handed_off_at is not None),
        tuple(c for c in talks if c.id in to_approve and c.identity in unknown),
        is_reached, acknowledged, claims(notices), cards,
        {i.id: standings(i, deps.rules, now) for i in shown},
        {id_: photos[0] for id_, photos in photos_of(deps, with_photo).items() if photos},
        frozenset(m.id for m in deps.store.outbox(state=OutboxState.FAILED)),
        {c.id: homes[c.tenancy_id] for c in talks if c.tenancy_id in homes and c.id in in_alarm},
        model_report(deps) if deps.chat is not None else None,
    )  # fmt: skip


def standing(deps: ConversationDeps, conversation_id: str) -> tuple[EmergencyEvent, ...]:
    """Return the alarms of a conversation that no person has ended, oldest first."""
    events = deps.store.events(conversation_id)
    issues, turns = (deps.store.issues(), deps.store.turns(conversation_id)) if events else ((), ())
    return open_alarms(events, issues, turns, deps.clock.now(), deps.rules.alarm_s)


def _alarms(
    deps: ConversationDeps, issues: Sequence[Issue]
) -> tuple[tuple[EmergencyEvent, ...], tuple[EmergencyEvent, ...]]:
    """Return what waits for a person, and the alarms that one has acknowledged; newest first."""
    now, by_conversation = deps.clock.now(), dict[str, list[EmergencyEvent]]()
    for event in deps.store.events():
        by_conversation.setdefault(event.conversation_id, []).append(event)
    waiting, seen = [], []
    for id_, events in by_conversation.items():
        turns = deps.store.turns(id_) if any(e.acknowledged_at for e in events) else ()
        alarms = [e for e in open_alarms(events, issues, turns, now, deps.rules.alarm_s) if e.replied]
        waiting += [e for e in alarms if e.acknowledged_at is None]
        waiting += [e for e in events if e.state is Alarm.POSSIBLE]
        seen += [e for e in alarms if e.acknowledged_at is not None]
    newest = [tuple(sorted(each, key=lambda e: (e.at, e.inbound_seq, e.id), reverse=True)) for each in (waiting, seen)]
    return newest[0], newest[1]
