"""Everything of one organisation's conversations in memory, and as the rows of an export."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from saidonce.adapters.postgres.conversation_records import OutboxRow, TalkRow, WaitingMediaRow
from saidonce.adapters.postgres.conversation_rows import (
    conversation_row,
    emergency_row,
    inbound_row,
    issue_row,
    move_row,
    notice_row,
    noun_of,
    outbox_row,
    property_row,
    resident_row,
    tenancy_row,
    turn_row,
)
from saidonce.foundation.model.board import IssueMove
from saidonce.foundation.model.conversation import (
    Conversation,
    EmergencyEvent,
    Issue,
    LandlordNotice,
    OutboxMessage,
    Turn,
)
from saidonce.foundation.model.residents import Inbound, Property, Resident, Tenancy


@dataclass
class Talk:
    """Conversations and who lives where, each in the order in which it was written."""

    inbox: dict[tuple[str, str, str], Inbound] = field(default_factory=dict)
    conversations: dict[str, Conversation] = field(default_factory=dict)
    turns: dict[str, Turn] = field(default_factory=dict)
    outbox: dict[str, OutboxMessage] = field(default_factory=dict)
    issues: dict[str, Issue] = field(default_factory=dict)
    moves: dict[tuple[str, int], IssueMove] = field(default_factory=dict)
    events: dict[str, EmergencyEvent] = field(default_factory=dict)
    notices: dict[str, LandlordNotice] = field(default_factory=dict)
    waiting: dict[tuple[int, str], WaitingMediaRow] = field(default_factory=dict)
    properties: dict[str, Property] = field(default_factory=dict)
    residents: dict[str, Resident] = field(default_factory=dict)
    tenancies: dict[str, Tenancy] = field(default_factory=dict)

    def copy(self) -> Talk:
        """Give a state that can be changed without changing this one."""
        return Talk(**{each.name: dict(getattr(self, each.name)) for each in fields(self)})

    def is_empty(self) -> bool:
        """Whether nothing is kept."""
        return not any(getattr(self, each.name) for each in fields(self))

    def sending_order(self) -> dict[str, OutboxRow]:
        """Give the messages to residents by id as the rows that say in which order they go out, oldest first."""
        last: dict[str, tuple[int, datetime]] = {}
        rows = []
        for message in self.outbox.values():
            seq, order_at = last.get(message.conversation_id, (0, message.made_at))
            last[message.conversation_id] = (seq + 1, max(order_at, message.made_at))
            rows.append(outbox_row(message, *last[message.conversation_id]))
        return {row.message_id: row for row in sorted(rows, key=lambda r: (r.order_at, r.conversation_id, r.seq))}

    def rows(self) -> Iterator[TalkRow]:
        """Give all rows, table by table, each by its key."""
        yield from _by_key(self.properties, property_row)
        yield from _by_key(self.residents, resident_row)
        yield from _by_key(self.tenancies, tenancy_row)
        yield from _by_key(self.conversations, conversation_row)
        yield from map(inbound_row, self.inbox.values())
        yield from map(turn_row, sorted(self.turns.values(), key=lambda t: (t.conversation_id, t.n)))
        yield from _by_key(self.issues, issue_row)
        yield from (move_row(move) for _, move in sorted(self.moves.items()))
        yield from _by_key(self.events, emergency_row)
        yield from sorted(self.sending_order().values(), key=lambda r: (r.conversation_id, r.seq))
        yield from (notice_row(notice, n) for n, notice in enumerate(self.notices.values(), 1))
        yield from (row for _, row in sorted(self.waiting.items()))

    def add(self, row: TalkRow) -> None:
        """Take in one row of an export."""
        noun = noun_of(row)
        match noun:
            case WaitingMediaRow():
                self.waiting[noun.seq, noun.media_id] = noun
            case Inbound():
                self.inbox[noun.key] = noun
            case IssueMove():
                self.moves[noun.issue_id, noun.n] = noun
            case LandlordNotice():
                self.notices[noun.dedupe_key] = noun
            case _:
                tables: dict[type, dict[str, Any]] = {
                    Property: self.properties, Resident: self.residents, Tenancy: self.tenancies,
                    Conversation: self.conversations, Turn: self.turns, Issue: self.issues,
                    EmergencyEvent: self.events, OutboxMessage: self.outbox,
                }  # fmt: skip
                tables[type(noun)][noun.id] = noun


def _by_key(kept: dict[str, Any], as_row: Callable[[Any], TalkRow]) -> Iterable[TalkRow]:
    return (as_row(noun) for _, noun in sorted(kept.items()))
