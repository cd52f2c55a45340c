"""Alarms and call-out lists."""

from __future__ import annotations

from saidonce.foundation.model.call_outs import CallOutHours, CallOutScope
from saidonce.foundation.model.conversation import Alarm, EmergencyEvent, Way
from saidonce.foundation.ports.conversations import Conversations
from saidonce.interfaces.views.base import At, View
from saidonce.repairs.board import Board


class AlarmView(View):
    """An emergency that no person has ended."""

    id: str
    kind: str
    state: Alarm
    at: At
    alerted_at: At | None
    conversation: str
    issue: str
    where: str
    """unit and address; empty while the home is unknown"""
    acknowledged_at: At | None
    acknowledged_by: str
    acknowledged_via: Way | None
    all_clear_said_at: At | None
    """when the resident last said that it is over; only a person can end an alarm"""
    cleared_at: At | None
    cleared_by: str
    n_calls: int
    """calls so far, including the first alert"""
    called_at: At | None
    exhausted_at: At | None
    """when its call-out list was exhausted without an acknowledgement"""


class CallOutStepView(View):
    """A step of a call-out list."""

    channels: tuple[str, ...]
    """ids of channels; empty: all channels that take notices of residents"""
    wait_minutes: int
    hours: CallOutHours


class CallOutListView(View):
    """Who is called about an emergency, one step after the other."""

    scope: CallOutScope
    subject: str
    """name of the building, or id of the property"""
    rounds: int
    time_zone: str
    steps: tuple[CallOutStepView, ...]


def alarm_views(store: Conversations, board: Board) -> list[AlarmView]:
    """Show the alarms of a board: those that wait first, the newest of each first."""
    return [alarm_view(store, board, event) for event in (*board.alarms, *board.acknowledged)]


def alarm_view(store: Conversations, board: Board, event: EmergencyEvent) -> AlarmView:
    """Show an alarm."""
    tenancy_id = store.conversation(event.conversation_id).tenancy_id
    home = board.homes.get(tenancy_id)
    claimed = board.claims.get(event.conversation_id)
    return AlarmView.show(
        event, conversation=event.conversation_id, issue=event.issue_id,
        where=home.property.line if home is not None else "",
        all_clear_said_at=claimed if claimed is not None and claimed >= event.at else None,
    )  # fmt: skip
