"""The landlord team's first page: issues by state and urgency, and everything that waits for a person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

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
from saidonce.repairs.issue_file import photos_of

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
        alarms: emergencies of the last day, neither dismissed nor begun; newest first.
        handed_off: conversations in the charge of a person.
        nameless: conversations whose writer waits for approval.
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
    cards: Mapping[IssueState, tuple[Issue, ...]]
    limits: Mapping[str, tuple[LimitStanding, ...]]
    photos: Mapping[str, Media]
    undelivered: frozenset[str]
    alarm_homes: Mapping[str, Home]


def board(deps: ConversationDeps) -> Board:
    """Return the board of an organisation."""
    issues = sorted(deps.store.issues(), key=lambda i: (RANK[i.urgency], i.created_at, i.id))
    columns = {state: tuple(i for i in issues if i.state is state) for state in IssueState}
    begun = {i.id for i in issues if i.state is not IssueState.OPEN}
    since = deps.clock.now() - timedelta(days=1)
    alarms = [
        e
        for e in deps.store.events()
        if e.replied and e.state is not Alarm.DISMISSED and e.at >= since and e.issue_id not in begun
    ]
    talks = deps.store.conversations(MOST_CONVERSATIONS)
    to_approve = {n.conversation_id for n in deps.store.notices() if n.event is LandlordEvent.IDENTITY_ASKED}
    unknown = (IdentityStatus.UNIDENTIFIED, IdentityStatus.IDENTIFIED)
    homes = {h.tenancy.id: h for h in deps.store.homes()}
    is_reached = deps.reach is None or not (homes or talks) or deps.reach.has_channel()
    cards = {state: of_state[:MOST_CARDS] for state, of_state in columns.items()}
    shown, now = [i for of_state in cards.values() for i in of_state], deps.clock.now()
    with_photo = [i for i in shown if i.media][:MOST_PHOTOS]
    in_alarm = {e.conversation_id for e in alarms}
    return Board(
        columns, homes, tuple(reversed(alarms)),
        tuple(c for c in talks if c.handed_off_at is not None),
        tuple(c for c in talks if c.id in to_approve and c.identity in unknown),
        is_reached, cards,
        {i.id: standings(i, deps.rules, now) for i in shown},
        {id_: photos[0] for id_, photos in photos_of(deps, with_photo).items() if photos},
        frozenset(m.id for m in deps.store.outbox(state=OutboxState.FAILED)),
        {c.id: homes[c.tenancy_id] for c in talks if c.tenancy_id in homes and c.id in in_alarm},
    )  # fmt: skip
