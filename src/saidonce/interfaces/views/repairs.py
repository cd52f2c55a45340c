"""Conversations, issues and homes as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from saidonce.foundation.model.board import IssueMove
from saidonce.foundation.model.conversation import (
    Conversation,
    EmergencyEvent,
    Issue,
    LandlordNotice,
    OutboxMessage,
    Slot,
    Turn,
)
from saidonce.foundation.model.residents import Home, Inbound
from saidonce.repairs.conversation import Replayed
from saidonce.repairs.tenancies import SharedPhone

Json = dict[str, Any]


def shared_json(shared: SharedPhone) -> Json:
    """A line of a table whose number somebody else has too."""
    return {"line": shared.line, "ending": shared.ending, "other": shared.other}


def home_json(home: Home) -> Json:
    """A home: its tenancy, property and resident; no channel identity, since a link is made of it."""
    tenancy, place, who = home.tenancy, home.property, home.resident
    return {
        "tenancy": tenancy.id,
        "starts_at": _at(tenancy.starts_at),
        "ends_at": _at(tenancy.ends_at),
        "property": {
            "id": place.id, "address": place.address, "unit": place.unit, "building": place.building,
            "postcode": place.postcode,
        },
        "resident": {"id": who.id, "name": who.name, "phones": list(who.phones)},
    }  # fmt: skip


def conversation_json(of: Conversation) -> Json:
    """Where a conversation stands."""
    draft = of.draft
    return {
        "id": of.id,
        "via": of.sender.via.value,
        "phone": of.sender.phone,
        "verified": of.sender.verified,
        "identity": of.identity.value,
        "gathering": of.gathering.value,
        "tenancy": of.tenancy_id,
        "candidates": list(of.candidates),
        "version": of.version,
        "draft": {
            "description": _slot(draft.description), "location": _slot(draft.location),
            "category": draft.category.value if draft.category else None,
            "urgency": draft.urgency.value if draft.urgency else None,
            "photo": draft.photo.value, "photo_quote": draft.photo_quote, "detail_asks": draft.detail_asks,
        },
        "draft_expires_at": _at(of.draft_expires_at),
        "issue": of.issue_id,
        "handed_off_at": _at(of.handed_off_at),
        "opted_out_at": _at(of.opted_out_at),
        "last_inbound_at": _at(of.last_inbound_at),
    }  # fmt: skip


def inbound_json(inbound: Inbound) -> Json:
    """A message of a resident."""
    return {
        "seq": inbound.seq, "message": inbound.message_id, "kind": inbound.kind.value, "text": inbound.text,
        "button": inbound.button, "sent_at": _at(inbound.sent_at), "received_at": _at(inbound.received_at),
        "media": [{"id": m.id, "mime": m.mime, "sha256": m.sha256, "stored": m.stored} for m in inbound.media],
    }  # fmt: skip


def outbox_json(message: OutboxMessage) -> Json:
    """A message to a resident."""
    return {
        "id": message.id, "turn": message.turn_id, "kind": message.kind.value, "text": message.text,
        "buttons": [{"title": b.title, "payload": b.payload} for b in message.buttons],
        "state": message.state.value, "made_at": _at(message.made_at),
    }  # fmt: skip


def turn_json(turn: Turn) -> Json:
    """A turn with everything that led to it."""
    return {
        "id": turn.id, "n": turn.n, "at": _at(turn.at), "path": turn.path.value,
        "tool": turn.tool.value if turn.tool else None, "reason": turn.reason, "inbound": list(turn.inbound),
        "identity": [i.value for i in turn.identity], "gathering": [g.value for g in turn.gathering],
        "refused": list(turn.refused), "effects": list(turn.effects), "model": turn.model,
        "prompt_hash": turn.prompt_hash, "prompt_tokens": turn.prompt_tokens,
        "calls": [{"reply": c.reply, "refused": c.refused} for c in turn.calls],
        "took_ms": turn.took_ms, "shadow": turn.shadow,
    }  # fmt: skip


def issue_json(issue: Issue, moves: Iterable[IssueMove]) -> Json:
    """An issue with its moves on the board; those of other issues are left out."""
    return {
        "id": issue.id, "conversation": issue.conversation_id, "tenancy": issue.tenancy_id,
        "property": issue.property_id, "description": issue.description, "location": issue.location,
        "category": issue.category.value, "urgency": issue.urgency.value, "photo": issue.photo.value,
        "media": list(issue.media), "state": issue.state.value, "needs_call": issue.needs_call,
        "review": issue.review, "also_affected": list(issue.also_affected), "created_at": _at(issue.created_at),
        "moves": [_move(m) for m in moves if m.issue_id == issue.id],
    }  # fmt: skip


def issues_json(issues: Iterable[Issue], moves: Iterable[IssueMove]) -> list[Json]:
    """Issues, each with its moves on the board."""
    by_issue: dict[str, list[IssueMove]] = {}
    for move in moves:
        by_issue.setdefault(move.issue_id, []).append(move)
    return [issue_json(i, by_issue.get(i.id, ())) for i in issues]


def event_json(event: EmergencyEvent) -> Json:
    """A possible emergency."""
    return {
        "id": event.id, "kind": event.kind, "phrase": event.phrase, "is_critical": event.is_critical,
        "state": event.state.value, "at": _at(event.at), "alerted_at": _at(event.alerted_at), "replied": event.replied,
        "inbound": event.inbound_seq, "issue": event.issue_id,
    }  # fmt: skip


def notice_json(notice: LandlordNotice) -> Json:
    """Something that the landlord was told."""
    return {
        "key": notice.dedupe_key, "event": notice.event.value, "at": _at(notice.at), "detail": notice.detail,
        "conversation": notice.conversation_id, "issue": notice.issue_id,
    }  # fmt: skip


def replayed_json(found: Replayed) -> Json:
    """A turn told anew, and where it came out differently."""
    return {
        "turn": turn_json(found.turn), "is_same": found.is_same, "before": list(found.before),
        "differences": [{"field": d.field, "kept": d.kept, "now": d.now} for d in found.differences],
    }  # fmt: skip


def _move(move: IssueMove) -> Json:
    return {
        "n": move.n, "at": _at(move.at), "actor": move.actor, "before": move.before.value, "after": move.after.value,
        "looked_at": move.looked_at,
    }  # fmt: skip


def _slot(slot: Slot | None) -> Json | None:
    return {"value": slot.value, "quote": slot.quote} if slot else None


def _at(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
