"""One message of the Cloud API becomes an inbound of ours; pure."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import TypeAdapter, ValidationError

from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, Media, Via
from saidonce.repairs.channels.cloud_shapes import (
    Card,
    Contact,
    Edited,
    File,
    Head,
    Interactive,
    Place,
    System,
    TemplateButton,
    TextBody,
)
from saidonce.repairs.channels.received import MAX_TEXT, phone_of

_HEX = re.compile(r"[0-9a-f]{64}")
_CARDS = TypeAdapter(list[Card])
_LATEST = 32_503_680_000
"""The year 3000; a stamp beyond it is no time."""

_SILENT = frozenset({"reaction", "sticker", "revoke"})
"""Kinds that say nothing about a home and ask for no answer; they are reported, not kept."""

_NUMBER_CHANGES = frozenset({"user_changed_number", "user_changed_user_id"})

_Parts = tuple[InboundKind, str, tuple[Media, ...], str]
"""Kind, text, files, pressed button."""


class UnreadableError(Exception):
    """A message that does not become an inbound; `reason` is machine-readable."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


def inbound_of(raw: Any, contacts: Sequence[Contact], number_id: str, received_at: datetime) -> Inbound:
    """Return a message as an inbound. One whose content we do not know or cannot read is `unsupported`.

    Raises:
        UnreadableError: nobody could be answered: no id, no sender, no time; or nothing is to be answered.
    """
    try:
        head = Head.model_validate(raw)
    except ValidationError:
        raise UnreadableError("malformed message") from None
    if head.type in _SILENT:
        raise UnreadableError(head.type)
    sent_at = _time(head.timestamp)
    if head.type == "system":
        return Inbound(_system(head, raw), number_id, head.id, InboundKind.PHONE_CHANGED, sent_at, received_at)
    sender = _sender(head, contacts)
    kind, text, media, button = _content(head.type, raw)
    return Inbound(sender, number_id, head.id, kind, sent_at, received_at, text[:MAX_TEXT], media, button)


def _time(stamp: str | int) -> datetime:
    try:
        seconds = int(stamp) if isinstance(stamp, int) or (stamp.isascii() and stamp.isdigit()) else -1
    except ValueError:
        seconds = -1
    if isinstance(stamp, bool) or not 0 < seconds < _LATEST:
        raise UnreadableError("no time")
    return datetime.fromtimestamp(seconds, UTC)


def _sender(head: Head, contacts: Sequence[Contact]) -> ChannelIdentity:
    """Return who wrote: by the business-scoped id, for a phone may be missing and change its owner."""
    same = [c for c in contacts if _is_same(c.wa_id, head.from_) or _is_same(c.user_id, head.from_user_id)]
    # A wa_id may be written otherwise than the phone of the same person, so an only contact counts without being equal.
    lone = contacts[0] if len(contacts) == 1 and None in (contacts[0].user_id, head.from_user_id) else Contact()
    contact = same[0] if same else lone
    wa_id = head.from_ or contact.wa_id
    key = head.from_user_id or contact.user_id or wa_id or head.from_parent_user_id
    if not key:
        raise UnreadableError("no sender")
    return ChannelIdentity(Via.WHATSAPP, key, phone_of(wa_id))


def _is_same(one: str | None, other: str | None) -> bool:
    return one is not None and one == other


def _system(head: Head, raw: Any) -> ChannelIdentity:
    """Return whose number has changed, as known so far, with the new phone, since only there they read us."""
    try:
        system = System.model_validate(raw.get("system"))
    except ValidationError:
        raise UnreadableError("malformed message") from None
    if system.type not in _NUMBER_CHANGES:
        raise UnreadableError(f"system {system.type[:40]!r}")
    key = system.previous_user_id or head.from_user_id or head.from_
    if not key:
        raise UnreadableError("no sender")
    return ChannelIdentity(Via.WHATSAPP, key, phone_of(system.wa_id))


def _content(kind: str, raw: Any) -> _Parts:
    read = _READERS.get(kind)
    try:
        return read(raw.get(kind)) if read is not None else _UNSUPPORTED
    except (ValidationError, UnreadableError):
        return _UNSUPPORTED


_UNSUPPORTED: _Parts = (InboundKind.UNSUPPORTED, "", (), "")


def _words(text: str) -> _Parts:
    return (InboundKind.TEXT, text, (), "") if text.strip() else _UNSUPPORTED


def _text(raw: Any) -> _Parts:
    return _words(TextBody.model_validate(raw).body)


def _file(raw: Any) -> _Parts:
    file = File.model_validate(raw)
    media = Media(file.id, file.mime_type.partition(";")[0].strip().lower()[:100], _sha256(file.sha256))
    return InboundKind.MEDIA, file.caption, (media,), ""


def _sha256(written: str) -> str:
    """Return the hash as hex; WhatsApp writes it as base64 in webhooks and as hex elsewhere. Empty if it is neither."""
    if _HEX.fullmatch(written.lower()):
        return written.lower()
    try:
        plain = base64.b64decode(written, validate=True)
    except (binascii.Error, ValueError):
        return ""
    return plain.hex() if len(plain) == 32 else ""


def _place(raw: Any) -> _Parts:
    place = Place.model_validate(raw)
    named = ", ".join(filter(None, (place.name.strip(), place.address.strip())))
    return _words(f"Location: {named} ({place.latitude}, {place.longitude})".replace("  ", " "))


def _cards(raw: Any) -> _Parts:
    cards = _CARDS.validate_python(raw)
    lines = (" ".join(filter(None, (c.name.formatted_name, *(p.phone for p in c.phones)))) for c in cards)
    details = "; ".join(line for line in lines if line.strip())
    return _words(f"Contact: {details}" if details else "")


def _pressed(raw: Any) -> _Parts:
    interactive = Interactive.model_validate(raw)
    reply = {"button_reply": interactive.button_reply, "list_reply": interactive.list_reply}.get(interactive.type)
    if reply is None or not reply.id:
        return _UNSUPPORTED
    return InboundKind.BUTTON, "", (), reply.id


def _template_button(raw: Any) -> _Parts:
    pressed = TemplateButton.model_validate(raw).payload
    return (InboundKind.BUTTON, "", (), pressed) if pressed else _UNSUPPORTED


def _edited(raw: Any) -> _Parts:
    """Return an edited message: a changed text is a new one; of a changed caption the file is already known."""
    message = Edited.model_validate(raw).message
    inner = message.get(str(message.get("type")))
    caption = inner.get("caption") if isinstance(inner, dict) else None
    kind, text, media, button = _words(caption) if isinstance(caption, str) else _text(inner)
    return InboundKind.EDITED if kind is InboundKind.TEXT else kind, text, media, button


_READERS: dict[str, Callable[[Any], _Parts]] = {
    "text": _text,
    "image": _file,
    "video": _file,
    "audio": _file,
    "document": _file,
    "location": _place,
    "contacts": _cards,
    "interactive": _pressed,
    "button": _template_button,
    "edit": _edited,
}
