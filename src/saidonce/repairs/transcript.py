"""The transcript of a conversation for its page: both sides' messages in one order, and the open buttons."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from saidonce.foundation.model.conversation import Button, Conversation, OutboxKind, OutboxMessage, OutboxState
from saidonce.foundation.model.residents import Inbound, InboundKind, Media
from saidonce.repairs.conversation import ConversationDeps
from saidonce.repairs.conversation.incoming_files import settled_name

MOST_LINES = 300
"""Newest messages shown on the resident's page."""


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """One message.

    Attributes:
        is_resident: written by the resident.
        pressed: title of the button pressed by the resident.
        kind: kind of our message; None for a resident's.
        english: our message in English, where it was sent in another language; for the landlord's team.
        buttons: open buttons; only of the last message, until it is answered.
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
    english: str = ""


def lines_of(deps: ConversationDeps, of: Conversation | None) -> tuple[TranscriptLine, ...]:
    """Return the messages of a conversation in chronological order; ties: the resident's first."""
    if of is None:
        return ()
    return in_order(deps.store.inbounds(of.id), deps.store.outbox(of.id))


def in_order(inbounds: Sequence[Inbound], outbox: Sequence[OutboxMessage]) -> tuple[TranscriptLine, ...]:
    """Merge both sides into one order."""
    titles = {b.payload: b.title for m in outbox for b in m.buttons}
    settled = {i.message_id for i in inbounds}
    lines = [(i, _inbound_line(replace(i, media=_still_here(i, settled)), titles)) for i in inbounds]
    inbound_lines = [line for i, line in lines if line.text or line.pressed or line.media or not i.media]
    last = max((i.received_at for i in inbounds), default=None)
    open_id = next((m.id for m in reversed(outbox) if m.buttons and (last is None or m.made_at >= last)), "")
    outbound_lines = [_outbound_line(m, m.id == open_id) for m in outbox]
    return tuple(sorted((*inbound_lines, *outbound_lines), key=lambda line: (line.at, not line.is_resident)))


def _still_here(inbound: Inbound, settled: Collection[str]) -> tuple[Media, ...]:
    """Return the files of a message but those that have arrived, or were refused, as a message of their own."""
    return tuple(m for m in inbound.media if m.stored or settled_name(inbound, m.id) not in settled)


def _inbound_line(inbound: Inbound, titles: dict[str, str]) -> TranscriptLine:
    text = "My phone number has changed." if inbound.kind is InboundKind.PHONE_CHANGED else inbound.text
    pressed = titles.get(inbound.button, inbound.button)
    return TranscriptLine(
        f"in-{inbound.seq}", inbound.received_at, True, text, inbound.media, pressed, seq=inbound.seq
    )  # fmt: skip


def _outbound_line(message: OutboxMessage, is_open: bool) -> TranscriptLine:
    return TranscriptLine(
        message.id, message.made_at, False, message.text, kind=message.kind, state=message.state,
        buttons=message.buttons if is_open else (), turn_id=message.turn_id,
        english=message.english,
    )  # fmt: skip
