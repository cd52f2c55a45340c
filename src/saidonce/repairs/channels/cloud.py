"""WhatsApp's Cloud API, incoming: the handshake, the signature, and what a post holds. Nothing is sent or stored."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from saidonce.errors import AccessError, UsageError
from saidonce.foundation.model.conversation import OutboxState
from saidonce.foundation.model.residents import Inbound
from saidonce.foundation.settings.channels import ChannelSettings, numbers_of
from saidonce.repairs.channels.cloud_messages import UnreadableError, inbound_of
from saidonce.repairs.channels.cloud_shapes import (
    Contact,
    SentStatus,
    Value,
    WebhookChange,
    WebhookEntry,
    WebhookEnvelope,
)
from saidonce.repairs.channels.received import (
    ID,
    MAX_BODY,
    NUMBER_OF_ANOTHER,
    DeliveryStatus,
    NotTaken,
    Received,
    replayed,
)

_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{1,200}")
_SURROGATE = re.compile("[\ud800-\udfff]")
_STATES = {
    "sent": OutboxState.SENT,
    "delivered": OutboxState.DELIVERED,
    "read": OutboxState.READ,
    "played": OutboxState.READ,
    "failed": OutboxState.FAILED,
}
IsForeign = Callable[[str], bool]
WhyNot = Callable[[str], str]
_Model = TypeVar("_Model", bound=BaseModel)


def challenge(params: Mapping[str, str], settings: ChannelSettings) -> str:
    """Answer the handshake by which Meta makes sure that the webhook is ours: give what has to be sent back.

    Args:
        params: of the request's address, as `hub.mode`, `hub.verify_token` and `hub.challenge`.
        settings: with `whatsapp_verify_token`.

    Raises:
        AccessError: the token is missing or another.
        UsageError: it is no handshake.
    """
    expected, token = settings.whatsapp_verify_token, params.get("hub.verify_token", "")
    if not expected or not hmac.compare_digest(expected.encode(), token.encode("utf-8", "surrogatepass")):
        raise AccessError("the verify token", "the verify token is missing or another")
    echo = params.get("hub.challenge", "")
    if params.get("hub.mode") != "subscribe" or not _CHALLENGE.fullmatch(echo):
        raise UsageError("a handshake has hub.mode=subscribe and a hub.challenge of letters and digits")
    return echo


def signature(secret: str, body: bytes) -> str:
    """Return the value of `X-Hub-Signature-256` of a body: `sha256=` and HMAC-SHA256 in hex."""
    return f"sha256={hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}"


def read(
    body: bytes, signed: str, settings: ChannelSettings, received_at: datetime, is_foreign: IsForeign = lambda _n: False
) -> Received:
    """Read a post of the Cloud API. What cannot be read stands in `refused` and costs its neighbours nothing.

    Args:
        body: the raw bytes, as they came.
        signed: the header `X-Hub-Signature-256`.
        settings: with `whatsapp_app_secret`; and `whatsapp_phone_number_id`, if only that number is ours.
        received_at: now.
        is_foreign: tells of a number whether it belongs to another organisation than the one whose address was called.

    Raises:
        AccessError: the signature is missing or wrong, or no secret is set to check it by.
        UsageError: the body is too large or no post of the Cloud API.
    """
    secret = settings.whatsapp_app_secret
    ours = signature(secret, body).encode()
    if not secret or not hmac.compare_digest(ours, signed.encode("utf-8", "surrogatepass")):
        raise AccessError("a signature by the app secret", "the signature is missing or wrong")
    inbounds: list[Inbound] = []
    statuses: list[DeliveryStatus] = []
    refused: list[NotTaken] = []
    only = settings.whatsapp_phone_number_id
    named = numbers_of(settings.channel_numbers)

    def why_not(number: str) -> str:
        if is_foreign(number):
            return NUMBER_OF_ANOTHER
        return f"other number {_short(number)}" if only and number != only and number not in named else ""

    for part in _parts(_envelope(body), why_not, received_at):
        if isinstance(part, Inbound):
            if reason := replayed(part, settings):
                refused.append(NotTaken(part.message_id, reason))
            else:
                inbounds.append(part)
        elif isinstance(part, DeliveryStatus):
            statuses.append(part)
        else:
            refused.append(part)
    return Received(tuple(inbounds), tuple(statuses), tuple(refused))


def _envelope(body: bytes) -> WebhookEnvelope:
    if len(body) > MAX_BODY:
        raise UsageError(f"a post of {len(body)} bytes; at most {MAX_BODY} are read")
    try:
        envelope = WebhookEnvelope.model_validate(_scrubbed(json.loads(body)))
    except (ValueError, RecursionError):
        raise UsageError("the body is no post of the Cloud API: no JSON object with object and entry") from None
    if envelope.object != "whatsapp_business_account":
        raise UsageError(f"a post about {envelope.object[:40]!r}; this webhook is for whatsapp_business_account")
    return envelope


def _scrubbed(value: Any) -> Any:
    """Replace lone halves of characters, which texts cut in an emoji have, and leave out what is null."""
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_scrubbed(v) for v in value]
    if isinstance(value, dict):
        return {_scrubbed(k): _scrubbed(v) for k, v in value.items() if v is not None}
    return value


def _parts(
    envelope: WebhookEnvelope, why_not: WhyNot, received_at: datetime
) -> Iterator[Inbound | DeliveryStatus | NotTaken]:
    for raw in envelope.entry:
        entry = _valid(WebhookEntry, raw)
        if entry is None:
            yield NotTaken("", "malformed entry")
            continue
        for change in entry.changes:
            yield from _change(change, why_not, received_at)


def _change(raw: Any, why_not: WhyNot, received_at: datetime) -> Iterator[Inbound | DeliveryStatus | NotTaken]:
    change = _valid(WebhookChange, raw)
    if change is None:
        named = raw.get("field") if isinstance(raw, dict) else None
        other = isinstance(named, str) and named != "messages"
        yield NotTaken("", f"other field {_short(named)}" if other else "malformed change")
        return
    if change.field != "messages":
        yield NotTaken("", f"other field {_short(change.field)}")
        return
    if reason := why_not(change.value.metadata.phone_number_id):
        yield NotTaken("", reason)
        return
    yield from _value(change.value, received_at)


def _value(value: Value, received_at: datetime) -> Iterator[Inbound | DeliveryStatus | NotTaken]:
    contacts = tuple(c for c in (_valid(Contact, raw) for raw in value.contacts) if c is not None)
    for raw in value.messages:
        try:
            yield inbound_of(raw, contacts, value.metadata.phone_number_id, received_at)
        except UnreadableError as bad:
            yield NotTaken(_id_of(raw), bad.reason)
    for raw in value.statuses:
        yield _status(raw)
    for _ in value.errors:
        yield NotTaken("", "error of the account")


def _status(raw: Any) -> DeliveryStatus | NotTaken:
    status = _valid(SentStatus, raw)
    if status is None:
        return NotTaken(_id_of(raw), "malformed status")
    state = _STATES.get(status.status)
    if state is None:
        return NotTaken(status.id, f"unknown status {_short(status.status)}")
    callback = status.biz_opaque_callback_data
    if not callback or not ID.fullmatch(callback):
        return NotTaken(status.id, f"status {state} of a message that is not ours")
    return DeliveryStatus(callback, state, status.id, ",".join(str(e.code) for e in status.errors))


def _valid(model: type[_Model], raw: Any) -> _Model | None:
    try:
        return model.model_validate(raw)
    except ValidationError:
        return None


def _id_of(raw: Any) -> str:
    id_ = raw.get("id") if isinstance(raw, dict) else None
    return id_ if isinstance(id_, str) and ID.fullmatch(id_) else ""


def _short(text: Any) -> str:
    return repr(str(text)[:40])
