"""A conversation as its page shows it: messages of both sides in one order, and what the resident may press."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from saidonce.foundation.model.conversation import Button, Conversation, OutboxKind, OutboxMessage, OutboxState
from saidonce.foundation.model.residents import Inbound, InboundKind, Media
from saidonce.repairs.conversation import ConversationDeps

MOST_LINES = 300
"""Newest messages that the resident's page shows."""


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """One message.

    Attributes:
        is_resident: the resident wrote it.
        pressed: title of the button that the resident pressed.
        kind: why we sent it; None of a resident's.
        buttons: what may be pressed now; only under the last message, while nobody answered it.
    """

    id: str
    at: datetime
    is_resident: bool
    text: str
    media: tuple[Media, ...] = ()
    pressed: str = ""
    kind: OutboxKind | None = None
    state: OutboxState | None = None
    buttons: tuple[Button, ...] = ()
    turn_id: str = ""
    seq: int = 0


def lines_of(deps: ConversationDeps, of: Conversation | None) -> tuple[TranscriptLine, ...]:
    """Give the messages of a conversation in the order in which they came and were made; ties: the resident's first."""
    if of is None:
        return ()
    return in_order(deps.store.inbounds(of.id), deps.store.outbox(of.id))


def in_order(inbounds: Sequence[Inbound], outbox: Sequence[OutboxMessage]) -> tuple[TranscriptLine, ...]:
    """Put both sides in one order."""
    titles = {b.payload: b.title for m in outbox for b in m.buttons}
    heard = [_heard(i, titles) for i in inbounds]
    last = max((i.received_at for i in inbounds), default=None)
    open_id = next((m.id for m in reversed(outbox) if m.buttons and (last is None or m.made_at >= last)), "")
    said = [_said(m, m.id == open_id) for m in outbox]
    return tuple(sorted((*heard, *said), key=lambda line: (line.at, not line.is_resident)))


def _heard(inbound: Inbound, titles: dict[str, str]) -> TranscriptLine:
    text = "My phone number has changed." if inbound.kind is InboundKind.PHONE_CHANGED else inbound.text
    pressed = titles.get(inbound.button, inbound.button)
    return TranscriptLine(
        f"in-{inbound.seq}", inbound.received_at, True, text, inbound.media, pressed, seq=inbound.seq
    )  # fmt: skip


def _said(message: OutboxMessage, is_open: bool) -> TranscriptLine:
    return TranscriptLine(
        message.id, message.made_at, False, message.text, kind=message.kind, state=message.state,
        buttons=message.buttons if is_open else (), turn_id=message.turn_id,
    )  # fmt: skip
