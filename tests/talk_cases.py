"""Conversations for tests of stores: everything that can be kept of them, in one organisation."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from saidonce.foundation.model.call_outs import CallOutHours, CallOutList, CallOutScope, CallOutStep
from saidonce.foundation.model.conversation import (
    Alarm,
    Button,
    Category,
    Conversation,
    EmergencyEvent,
    Gathering,
    IdentityStatus,
    Issue,
    IssueDraft,
    IssueState,
    LandlordEvent,
    LandlordNotice,
    ModelCall,
    OutboxKind,
    OutboxMessage,
    OutboxState,
    Path,
    PhotoStatus,
    Slot,
    Tool,
    Turn,
    TurnWrite,
    Urgency,
)
from saidonce.foundation.model.residents import (
    ChannelIdentity,
    Inbound,
    InboundKind,
    Media,
    Property,
    Resident,
    Tenancy,
    Via,
)
from saidonce.foundation.ports import Conversations, Store

T = datetime(2026, 1, 17, 12, 0, 0, 123456, tzinfo=UTC)
SENDER = ChannelIdentity(Via.WHATSAPP, "user", "+447700900001")
HOSTILE = "nul \x00 lone \ud800 quote ' \" back\\slash {brace} %s \u202e \U0001f600 e\u0301 -- ; drop table"
FILE = bytes(range(256)) * 3


def due(waiting_since: datetime | None, due_at: datetime | None, inbound: Inbound) -> datetime:
    return inbound.received_at + timedelta(seconds=2)


def message(name: str = "m1", after_s: float = 0, sender: ChannelIdentity = SENDER, text: str = "hello") -> Inbound:
    at = T + timedelta(seconds=after_s)
    return Inbound(sender, "number", name, InboundKind.TEXT, at, at, text)


def turn(of: Conversation, seen: int, **more: Any) -> Turn:
    return Turn(
        f"{of.id}-{of.version + 1}", of.id, of.version + 1, T, Path.V2, (seen,), (of.identity, of.identity),
        (of.gathering, of.gathering), **more,
    )  # fmt: skip


def whole(store: Store) -> None:
    """Put something into every table, and something into every column that can be empty."""
    talk = store.conversations
    sha256 = store.media.put(FILE, "image/jpeg")
    talk.put_home(
        Property("p1", f"12 Elm Road {HOSTILE}", "Flat 2", "Elm House", "EX1 2AB"),
        Resident("r1", "Ana Bell", ("+447700900001", "+447700900002"), ("whatsapp:user", "web:\u00fc")),
        Tenancy("t1", "p1", "r1", T, T + timedelta(days=9)),
    )
    talk.put_home(Property("p2", "4 Mill Lane"), Resident("r2", ""), Tenancy("t2", "p2", "r2", T))
    photo = Media("photo", "image/jpeg", sha256, stored=True)
    first, _ = talk.receive(replace(message(text=HOSTILE), media=(photo,), button="b"), due)
    second = message("m2", 1, ChannelIdentity(Via.WEB, "anon", None, verified=False))
    talk.receive(replace(second, kind=InboundKind.MEDIA, media=(Media("later", "image/jpeg"),)), due)
    event = EmergencyEvent(
        "e1", first.conversation_id, first.seq, "gas", "smell* gas", True, T, T, True, alerted_at=T
    )  # fmt: skip
    safety = OutboxMessage("o1", first.conversation_id, "", OutboxKind.SAFETY, HOSTILE, T + timedelta(seconds=5))
    alert = LandlordNotice("k1", LandlordEvent.EMERGENCY_UNVERIFIED, first.conversation_id, T, detail="gas")
    talk.record_scan(first, 0, (event,), (safety,), (alert,))
    talk.take_outbox(T, T + timedelta(seconds=60))
    talk.mark_outbox("o1", OutboxState.SENT, "wamid")
    _turn(talk, first)


def _turn(talk: Conversations, first: Inbound) -> None:
    held = talk.claim("worker", T + timedelta(seconds=9), T + timedelta(seconds=39))
    assert held is not None
    draft = IssueDraft(
        Slot(HOSTILE, HOSTILE), Slot("kitchen", "the kitchen"), Category.PLUMBING, Urgency.URGENT, PhotoStatus.LATER,
        "later", ("photo",), 2, first.seq,
    )  # fmt: skip
    after = replace(
        held, identity=IdentityStatus.ACTIVE, gathering=Gathering.AWAITING_PHOTO, parked=(first.seq,), tenancy_id="t1",
        candidates=("t1", "t2"), excluded=("t2",), identity_tries=1, confirmed_at=T, draft=draft, draft_expires_at=T,
        is_nudged=True, issue_id="i1", issue_at=T, handed_off_at=T, opted_out_at=T, wake_at=T + timedelta(days=1),
    )  # fmt: skip
    made = Issue(
        "i1", f"{held.id}-1", held.id, "t1", "p1", HOSTILE, "kitchen", Category.PLUMBING, Urgency.URGENT,
        PhotoStatus.PROVIDED, T, ("photo",), needs_call=True, review="possible_duplicate:i0", also_affected=("i9",),
    )  # fmt: skip
    done = turn(
        held, first.seq, tool=Tool.CREATE_ISSUE, reason="why", refused=("a: b",), effects=("x",), model="m",
        prompt_hash="0" * 32, calls=(ModelCall(HOSTILE, "no"), ModelCall("{}")), prompt_tokens=9, took_ms=0.1,
        shadow="respond: agrees, v2",
    )  # fmt: skip
    reply = OutboxMessage("o2", held.id, done.id, OutboxKind.REPLY, "Done.", T, (Button("Yes", "yes:1"),))
    told = LandlordNotice("k2", LandlordEvent.ISSUE_CREATED, held.id, T, "i1")
    talk.commit(TurnWrite(after, held.version, first.seq, done, (reply,), made, notices=(told,)))
    (event,) = talk.events(held.id)
    talk.settle_event(event, replace(event, state=Alarm.VALIDATED, issue_id="i1"), None, (), ())
    talk.set_call_outs((CallOutList(CallOutScope.HOME, "p1", (CallOutStep(("c1",), 5, CallOutHours.BUSINESS),)),))
    talk.move_issue("i1", IssueState.DONE, HOSTILE, T, is_looked_at=True)
    talk.move_issue("i1", IssueState.IN_PROGRESS, "ann", T + timedelta(seconds=1))
