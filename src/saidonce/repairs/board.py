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
    Urgency,
)
from saidonce.foundation.model.residents import Home
from saidonce.repairs.conversation import ConversationDeps
from saidonce.repairs.model_report import ModelReport, model_report

MOST_CONVERSATIONS = 500
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
        model: how often the model could not lead, in the last day; None without a model.
        is_reached: a channel exists for emergency notices; True while there are neither homes nor conversations.
    """

    columns: Mapping[IssueState, tuple[Issue, ...]]
    homes: Mapping[str, Home]
    alarms: tuple[EmergencyEvent, ...]
    handed_off: tuple[Conversation, ...]
    nameless: tuple[Conversation, ...]
    is_reached: bool = True
    model: ModelReport | None = None


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
    return Board(
        columns, homes, tuple(reversed(alarms)),
        tuple(c for c in talks if c.handed_off_at is not None),
        tuple(c for c in talks if c.id in to_approve and c.identity in unknown),
        is_reached,
        model_report(deps) if deps.chat is not None else None,
    )  # fmt: skip
