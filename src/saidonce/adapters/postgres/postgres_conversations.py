"""Conversations in PostgreSQL.

Whoever writes to a conversation locks its row first and the organisation's numbers last, so nobody waits in a circle;
none of it waits for the lock under which documents are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

import psycopg

from saidonce.adapters.postgres.clean import clean, clean_time, cleaned
from saidonce.adapters.postgres.connection import Database
from saidonce.adapters.postgres.conversation_steps import (
    after_dismissal,
    after_report_move,
    after_status,
    after_turn,
    became_alarm,
    called_off,
    conversation_id,
    failure_notice,
    heard,
    numbered_message,
    reviews,
    waits_for_files,
    with_alarm,
)
from saidonce.adapters.postgres.postgres_issues import advance_issues, extend_issue, keep_issue
from saidonce.adapters.postgres.postgres_personal_data import PostgresPersonalData
from saidonce.adapters.postgres.postgres_write import Statements
from saidonce.adapters.postgres.records import LandlordNoticeRow, OutboxRow
from saidonce.errors import NotFoundError, StaleWriteError
from saidonce.foundation.model.conversation import (
    Conversation,
    EmergencyEvent,
    Issue,
    IssueAdvance,
    LandlordNotice,
    OutboxKind,
    OutboxMessage,
    OutboxState,
    Turn,
    TurnWrite,
)
from saidonce.foundation.model.residents import Inbound
from saidonce.foundation.ports.conversations import Due, Failed


class PostgresConversations(PostgresPersonalData):
    """Keeps the conversations of one organisation in PostgreSQL; see `saidonce.foundation.ports.Conversations`."""

    def __init__(self, database: Database, org: str) -> None:
        super().__init__(database)
        self._org = org

    @property
    def org(self) -> str:
        """The organisation."""
        return self._org

    def receive(self, inbound: Inbound, due: Due) -> tuple[Inbound, bool]:
        """Keep a message once for its key, with its conversation; say whether it is new."""
        clean_inbound = cleaned(inbound)
        with self._database.writing() as cursor:
            statements = Statements(cursor)
            if known := _known_inbound(statements, clean_inbound):
                return known, False
            with cursor.connection.transaction():  # A repetition leaves nothing, not even its conversation.
                held = _held_of(statements, clean_inbound, self._org)
                ((seq,),) = statements.run("next_seq")
                fresh = numbered_message(clean_inbound, held, seq)
                if not statements.put("keep_inbound", fresh):
                    raise psycopg.Rollback
                statements.put("put_conversation", heard(held, fresh, due))
                statements.insert(waits_for_files(fresh))
                return fresh, True
            known = _known_inbound(statements, clean_inbound)
            assert known is not None, "what was in the way is there"
            return known, False

    def unscanned(self, conversation_id: str = "", after: int = 0, limit: int = 100) -> tuple[Inbound, ...]:
        """Return messages that were not scanned for emergencies, of one conversation or all, after a seq, by seq."""
        id_ = clean(conversation_id) or None
        return tuple(self._database.nouns(Inbound, "unscanned", id=id_, after=after, limit=limit))

    def record_scan(
        self,
        inbound: Inbound,
        n_events: int,
        events: Sequence[EmergencyEvent],
        outbox: Sequence[OutboxMessage],
        notices: Sequence[LandlordNotice],
    ) -> None:
        """Mark a message as scanned and keep what came of it; nothing if it is marked already."""
        clean_inbound = cleaned(inbound)
        with self._database.writing() as cursor:
            statements = Statements(cursor)
            known = _known_inbound(statements, clean_inbound)
            if known is None:
                raise NotFoundError("message", clean_inbound.message_id)
            _lock_conversation(statements, known.conversation_id)
            if not statements.run("mark_scanned", seq=known.seq):
                return
            ((n_now,),) = statements.run("n_emergencies", id=known.conversation_id)
            if n_now != n_events:
                raise StaleWriteError(f"conversation {known.conversation_id!r} has another emergency by now")
            _keep(statements, events, outbox, notices)

    def claim(self, worker: str, now: datetime, until: datetime) -> Conversation | None:
        """Lease the conversation that is due longest; None if none is."""
        with self._database.writing() as cursor:
            statements = Statements(cursor)
            conversations = statements.nouns(
                Conversation, "claim_conversation", worker=clean(worker), now=now, until=until
            )
        return conversations[0] if conversations else None

    def leased(self, now: datetime) -> tuple[Conversation, ...]:
        """Return the conversations that a worker has at a moment, by id."""
        return tuple(self._database.nouns(Conversation, "leased_conversations", now=now))

    def queue(self, message: OutboxMessage) -> None:
        """Keep a message to a resident beside any turn, once for its id."""
        with self._database.writing() as cursor:
            statements = Statements(cursor)
            _lock_conversation(statements, clean(message.conversation_id))
            _keep(statements, (), (message,), ())

    def turns_since(self, at: datetime) -> tuple[Turn, ...]:
        """Return the turns of all conversations that were taken at a moment or later, oldest first, ties by id."""
        # Times stand in records as text, with or without a fraction of the second.
        text_from = f"{at.astimezone(UTC) - timedelta(seconds=2):%Y-%m-%dT%H:%M:%S}"
        rows = self._database.nouns(Turn, "turns_since", text_from=text_from)
        return tuple(sorted((t for t in rows if t.at >= at), key=lambda t: (t.at, t.id)))

    def release(self, id: str, worker: str) -> None:
        """Release a lease; do nothing if another holder has it by now."""
        with self._database.writing() as cursor:
            statements = Statements(cursor)
            _lock_conversation(statements, clean(id))
            statements.run("release_conversation", id=clean(id), worker=clean(worker))

    def commit(self, write: TurnWrite) -> None:
        """Write a turn with everything it did, and end the lease."""
        clean_write = cleaned(write)
        id_ = clean_write.conversation.id
        with self._database.writing() as cursor:
            statements = Statements(cursor)
            move = clean_write.moved
            ids = {id_} if move is None else {id_, move.conversation.id}
            held = {each: _lock_conversation(statements, each) for each in sorted(ids)}  # In one order: no deadlock.
            now = held[id_]
            if now.version != clean_write.expected:
                raise StaleWriteError(f"conversation {id_!r} is at version {now.version}, not {clean_write.expected}")
            if statements.run("has_unseen", id=id_, seen=clean_write.seen) == [(True,)]:
                raise StaleWriteError(f"conversation {id_!r} has a message that the turn has not seen")
            statements.put("put_conversation", after_turn(now, clean_write))
            statements.put("keep_turn", clean_write.turn)
            if move is not None:
                statements.put("put_conversation", after_report_move(held[move.conversation.id], move))
                statements.put("keep_turn", move.turn)
            _keep(statements, clean_write.events, clean_write.outbox, clean_write.notices)
            keep_issue(statements, clean_write.issue)
            if clean_write.extended is not None:
                extend_issue(statements, clean_write.extended)
            for flagged, review in reviews(clean_write):
                if not statements.run("flag_issue", id=flagged, review=review):
                    raise NotFoundError("issue", flagged)
            advance_issues(statements, clean_write.advances)

    def advance_issue(
        self,
        advance: IssueAdvance,
        outbox: Sequence[OutboxMessage] = (),
        notices: Sequence[LandlordNotice] = (),
    ) -> Issue:
        """Write a step of an issue with what is sent about it; give the issue as it is then."""
        with self._database.writing() as cursor:
            statements = Statements(cursor)
            for id_ in sorted({m.conversation_id for m in outbox}):
                _lock_conversation(statements, clean(id_))
            advance_issues(statements, (advance,))
            _keep(statements, (), outbox, notices)
            return statements.nouns(Issue, "hold_issue", id=clean(advance.before.id))[0]

    def conversation(self, id: str) -> Conversation:
        """Return a conversation."""
        conversations = self._database.nouns(Conversation, "conversation", id=clean(id))
        if not conversations:
            raise NotFoundError("conversation", id)
        return conversations[0]

    def conversations(self, limit: int = 100) -> tuple[Conversation, ...]:
        """Return conversations, the last heard of first, ties by id."""
        return tuple(self._database.nouns(Conversation, "conversations", limit=limit))

    def conversations_of(self, tenancy_id: str) -> tuple[Conversation, ...]:
        """Return the conversations of a tenancy, the last heard of first, ties by id."""
        return tuple(self._database.nouns(Conversation, "conversations_of", tenancy_id=clean(tenancy_id)))

    def inbounds(self, conversation_id: str, from_seq: int = 0) -> tuple[Inbound, ...]:
        """Return the messages of a conversation from one seq on, by seq."""
        return tuple(self._database.nouns(Inbound, "inbounds", id=clean(conversation_id), from_seq=from_seq))

    def turns(self, conversation_id: str) -> tuple[Turn, ...]:
        """Return the turns of a conversation, oldest first."""
        return tuple(self._database.nouns(Turn, "turns", id=clean(conversation_id)))

    def take_outbox(self, now: datetime, until: datetime, limit: int = 20) -> tuple[OutboxMessage, ...]:
        """Lease queued messages for sending, safety first, then oldest first."""
        with self._database.writing() as cursor:
            statements = Statements(cursor)
            statements.run("lock_sending")
            statements.run("lose_sending", now=now)
            rows = statements.nouns(OutboxRow, "take_outbox", now=now, until=until, limit=limit)
        return tuple(row.message for row in sorted(rows, key=_sending_order))

    def mark_outbox(
        self,
        id: str,
        state: OutboxState,
        external_id: str = "",
        not_before: datetime | None = None,
        if_failed: Failed | None = None,
    ) -> None:
        """Move a message forward; else nothing."""
        with self._database.writing() as cursor:
            statements = Statements(cursor)
            rows = statements.nouns(OutboxRow, "hold_outbox", id=clean(id))
            if not rows:
                raise NotFoundError("message", id)
            known = rows[0].message
            after = after_status(known, state, clean(external_id), clean_time(not_before))
            if after != known:
                statements.run(
                    "move_outbox",
                    message_id=after.id, state=after.state.value, external_id=after.external_id,
                    lease_until=after.lease_until,
                )  # fmt: skip
                _write_notices(statements, cleaned(failure_notice(known, after, if_failed)))

    def outbox(self, conversation_id: str = "", state: OutboxState | None = None) -> tuple[OutboxMessage, ...]:
        """Return messages to residents, of one conversation or all, in one state or any, oldest first."""
        state_name = state.value if state is not None else None
        rows = self._database.nouns(OutboxRow, "outbox", id=clean(conversation_id) or None, state=state_name)
        return tuple(row.message for row in rows)

    def settle_event(
        self,
        before: EmergencyEvent,
        after: EmergencyEvent,
        issue: Issue | None,
        notices: Sequence[LandlordNotice],
        outbox: Sequence[OutboxMessage],
    ) -> None:
        """Change an emergency event with what that leads to."""
        with self._database.writing() as cursor:
            statements = Statements(cursor)
            now = _lock_conversation(statements, clean(before.conversation_id))
            if statements.nouns(EmergencyEvent, "emergency", id=clean(before.id)) != [cleaned(before)]:
                raise StaleWriteError(f"emergency {before.id!r} has changed")
            _keep(statements, (after,), outbox, notices)
            keep_issue(statements, cleaned(issue))
            if called_off(before, after):
                statements.put("put_conversation", after_dismissal(now, before))
            elif became_alarm(before, after):
                statements.put("put_conversation", with_alarm(now, before))

    def events(self, conversation_id: str = "", is_open: bool = False) -> tuple[EmergencyEvent, ...]:
        """Return emergency events, of one conversation or all, oldest first, ties by message and id."""
        query = "open_emergencies" if is_open else "emergencies"
        return tuple(self._database.nouns(EmergencyEvent, query, id=clean(conversation_id) or None))

    def notices(self) -> tuple[LandlordNotice, ...]:
        """Return landlord notices, in the order in which they were written."""
        return tuple(row.notice for row in self._database.nouns(LandlordNoticeRow, "notices_to_landlords"))


def _known_inbound(statements: Statements, of: Inbound) -> Inbound | None:
    via, number_id, message_id = of.key
    inbounds = statements.nouns(Inbound, "known_inbound", via=str(via), number_id=number_id, message_id=message_id)
    return inbounds[0] if inbounds else None


def _held_of(statements: Statements, of: Inbound, org: str) -> Conversation:
    """Lock the conversation of a message; one is made if there is none."""
    key = {"via": of.sender.via.value, "number_id": of.number_id, "external_user_id": of.sender.external_user_id}
    conversations = statements.nouns(Conversation, "hold_conversation_of", **key)
    if not conversations:
        statements.run("enter_org")
        statements.run("make_inbox")
        id_ = conversation_id(org, of.sender, of.number_id)
        statements.put("make_conversation", Conversation(id_, of.sender, of.number_id, of.received_at))
        conversations = statements.nouns(Conversation, "hold_conversation_of", **key)
    return conversations[0]


def _lock_conversation(statements: Statements, id: str) -> Conversation:
    """Lock a conversation.

    Raises:
        NotFoundError: there is none.
    """
    conversations = statements.nouns(Conversation, "hold_conversation", id=id)
    if not conversations:
        raise NotFoundError("conversation", id)
    return conversations[0]


def _keep(
    statements: Statements,
    events: Iterable[EmergencyEvent],
    outbox: Sequence[OutboxMessage],
    notices: Sequence[LandlordNotice],
) -> None:
    """Keep what came of a message or a turn; the conversation is locked."""
    for event in events:
        statements.put("keep_emergency", cleaned(event))
    for message in map(cleaned, outbox):
        last = statements.run("last_outbox", id=message.conversation_id)
        seq, order_at = last[0] if last else (0, message.made_at)
        statements.put("keep_outbox", OutboxRow(message, seq + 1, max(order_at, message.made_at)))
    _write_notices(statements, tuple(map(cleaned, notices)))


def _write_notices(statements: Statements, notices: Sequence[LandlordNotice]) -> None:
    """Keep what the landlord is told, once for each key; whoever else writes notices waits."""
    if not notices:
        return
    ((last,),) = statements.run("hold_inbox")
    by_key = {notice.dedupe_key: notice for notice in reversed(notices)}
    known = {key for (key,) in statements.run("known_notices", keys=sorted(by_key))}
    fresh = [by_key[key] for key in dict.fromkeys(n.dedupe_key for n in notices) if key not in known]
    statements.insert([LandlordNoticeRow(last + n, notice) for n, notice in enumerate(fresh, 1)])
    statements.run("next_notices", n=len(fresh))


def _sending_order(row: OutboxRow) -> tuple[bool, datetime, str, int]:
    message = row.message
    return message.kind is not OutboxKind.SAFETY, row.order_at, message.conversation_id, row.seq
