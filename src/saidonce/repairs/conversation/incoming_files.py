"""Files that a resident has sent and that are still being fetched; nobody is asked for what is on its way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from saidonce.foundation.model.conversation import OutboxKind, Tool
from saidonce.foundation.model.residents import Inbound
from saidonce.repairs.conversation import lexicon, wording
from saidonce.repairs.conversation.view import Plan, ResidentReply

LONGEST = timedelta(minutes=40)
"""Time after which a file no longer counts as being fetched: longer than all its tries together."""


def settled_name(inbound: Inbound, media_id: str) -> str:
    """Return the message id under which a file of a message arrives, stored or refused."""
    return f"{inbound.message_id}#{media_id}"


def are_on_their_way(arrived: Sequence[Inbound], now: datetime) -> bool:
    """Return whether a picture or film that came with one of some messages is neither stored nor refused yet."""
    settled = {i.message_id for i in arrived}
    recent = (i for i in arrived if now - i.received_at < LONGEST)
    return any(
        settled_name(i, m.id) not in settled
        for i in recent
        for m in i.media
        if not m.stored and m.mime.partition("/")[0] in ("image", "video")
    )


def without_photo_request(plan: Plan, arrived: Sequence[Inbound], now: datetime) -> Plan:
    """Return a plan that asks for no photo while one is on its way; the state still waits for it."""
    requests = {n for n, reply in enumerate(plan.replies) if reply.text == wording.NUDGE_PHOTO}
    if plan.tool is Tool.ASK_FOR_PHOTO:
        asked = [n for n, reply in enumerate(plan.replies) if lexicon.asks_for_photo(reply.text)]
        requests |= set(asked[-1:])
    if not requests or not are_on_their_way(arrived, now):
        return plan
    coming = ResidentReply(OutboxKind.REPLY, wording.PHOTO_COMING)
    replies = tuple(coming if n in requests else reply for n, reply in enumerate(plan.replies))
    return replace(plan, replies=replies, reason="photo_on_its_way")
