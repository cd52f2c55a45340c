"""Twilio, incoming: signatures, statuses and files of forms, and WhatsApp's messages. Nothing is sent or stored."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from urllib.parse import parse_qs, parse_qsl, quote, urlencode, urlsplit, urlunsplit

from saidonce.errors import AccessError, UsageError
from saidonce.foundation.model.conversation import OutboxState
from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, Media, Via
from saidonce.foundation.settings.channels import ChannelSettings, numbers_of
from saidonce.repairs.channels.received import (
    ID,
    MAX_TEXT,
    NUMBER_OF_ANOTHER,
    DeliveryStatus,
    NotTaken,
    Received,
    phone_of,
)

CALLBACK = "outbox"
"""Parameter of the status callback's address that holds the id of the outbox message."""

MAX_FIELDS = 500
MAX_MEDIA = 10
"""Source: Twilio's documentation, files of one message."""

_SID = re.compile(r"[A-Z]{2}[0-9a-fA-F]{32}")
_MEDIA_PATH = re.compile(r"/2010-04-01/Accounts/([^/]+)/Messages/([^/]+)/Media/([^/]+)")
_PREFIX = "whatsapp:"
NAME = "twilio"
REFUSALS = {
    "21211": "the number is none that can be written to",
    "21408": "the account may not send to this country",
    "21610": "the resident has opted out with STOP; by START they let messages through again",
    "21614": "the number is none of a mobile phone",
    "63016": "the 24-hour window is closed",
}
"""What codes mean that a person can do something about. Source: Twilio's error dictionary."""

_STATES = {
    "sent": OutboxState.SENT,
    "delivered": OutboxState.DELIVERED,
    "read": OutboxState.READ,
    "failed": OutboxState.FAILED,
    "undelivered": OutboxState.FAILED,
    "canceled": OutboxState.FAILED,
}

Form = Mapping[str, str] | Iterable[tuple[str, str]]
"""Fields of a form; pairs where a name may come twice."""


def signature(url: str, form: Form, token: str) -> str:
    """Return `X-Twilio-Signature`: base64 of HMAC-SHA1 over the address and the fields, sorted by name."""
    values: dict[str, set[str]] = {}
    for name, value in _pairs(form):
        values.setdefault(name, set()).add(value)
    signed = url + "".join(name + value for name in sorted(values) for value in sorted(values[name]))
    mac = hmac.new(token.encode(), signed.encode("utf-8", "surrogatepass"), hashlib.sha1)
    return base64.b64encode(mac.digest()).decode("ascii")


def is_signed(url: str, form: Form, signed: str, token: str, body: bytes | None = None) -> bool:
    """Return whether a post is Twilio's, with or without the port in its address.

    Args:
        url: the whole address, query included, as Twilio called it.
        form: fields of the form; none for another body.
        signed: the header `X-Twilio-Signature`.
        token: the account's auth token; without one nothing is signed.
        body: raw bytes of a post that is no form; its hash stands in the address as `bodySHA256`.
    """
    pairs = [] if body is not None else _pairs(form)
    signature_sent = signed.encode("utf-8", "surrogatepass")
    matches = [hmac.compare_digest(signature(u, pairs, token).encode(), signature_sent) for u in _addresses(url)]
    if body is not None:
        quoted = "".join(parse_qs(urlsplit(url).query).get("bodySHA256", [""])[:1]).lower()
        is_whole = hmac.compare_digest(hashlib.sha256(body).hexdigest().encode(), quoted.encode())
        matches = [m and is_whole for m in matches]
    return bool(token) and any(matches)


def webhook_url(settings: ChannelSettings, query: str, org: str = "") -> str:
    """Return the address that Twilio called: the setting with the request's raw query; a proxy may change the rest."""
    return called(own_address(settings.twilio_webhook_url, NAME, org), query)


def callback_url(settings: ChannelSettings, outbox_id: str, number: str = "") -> str:
    """Return the address for statuses of one message from one of our numbers; empty without `twilio_webhook_url`."""
    return callback(own_address(settings.twilio_webhook_url, NAME, org_of(settings, number)), outbox_id)


def own_address(setting: str, channel: str, org: str) -> str:
    """Return an organisation's address: a setting that ends in `/webhooks/CHANNEL/ORG` ends in its name instead."""
    bare, mark, query = setting.strip().partition("?")
    begin, _, last = bare.rpartition("/")
    if org and last and begin.endswith(f"/webhooks/{channel}"):
        bare = f"{begin}/{quote(org)}"
    return f"{bare}{mark}{query}"


def called(address: str, query: str) -> str:
    """Return an address with the raw query of a request in place of its own."""
    bare = address.partition("?")[0]
    return f"{bare}?{query}" if query else bare


def callback(address: str, outbox_id: str) -> str:
    """Return an address with the id of an outbox message added to its query; empty for an empty one."""
    if not address:
        return ""
    parts = urlsplit(address)
    query = urlencode([*parse_qsl(parts.query, keep_blank_values=True), (CALLBACK, outbox_id)])
    return urlunsplit(parts._replace(query=query))


def org_of(settings: ChannelSettings, number: str) -> str:
    """Return the organisation that `channel_numbers` gives a number to; empty for none."""
    return numbers_of(settings.channel_numbers).get(number, "")


def form_of(body: bytes) -> list[tuple[str, str]]:
    """Return the fields of a form.

    Raises:
        UsageError: the body is none.
    """
    try:
        return parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=2 * MAX_FIELDS)
    except ValueError as bad:
        raise UsageError("the body is no form") from bad


def signed_fields(url: str, form: Form, signed: str, settings: ChannelSettings) -> tuple[dict[str, str], str]:
    """Return the fields of a form that Twilio signed, and the id of the message that it is about.

    Args:
        url: the whole address that Twilio called, query included; see `webhook_url`.
        form: its fields.
        signed: the header `X-Twilio-Signature`.
        settings: with `twilio_auth_token` and `twilio_account_sid`.

    Raises:
        AccessError: the signature is missing or wrong, or no token is set to check it by.
        UsageError: it is about another account, or about no message.
    """
    pairs = _pairs(form)
    if not is_signed(url, pairs, signed, settings.twilio_auth_token):
        raise AccessError("a signature by the auth token", "the signature is missing or wrong")
    fields = dict(pairs)
    if settings.twilio_account_sid and fields.get("AccountSid") != settings.twilio_account_sid:
        raise UsageError("the post is about another account")
    sid = fields.get("MessageSid") or fields.get("SmsMessageSid", "")
    if not _SID.fullmatch(sid):
        raise UsageError("the post names no MessageSid")
    return fields, sid


def read(
    url: str, form: Form, signed: str, settings: ChannelSettings, received_at: datetime,
    is_foreign: Callable[[str], bool] = lambda _number: False,
) -> Received:  # fmt: skip
    """Read a form that Twilio posted: a message of a resident, or a status of one of ours.

    Args:
        url: the whole address that Twilio called, query included; see `webhook_url`.
        form: its fields.
        signed: the header `X-Twilio-Signature`.
        settings: with `twilio_auth_token` and `twilio_account_sid`.
        received_at: now; Twilio does not say when a message was sent.
        is_foreign: tells of a number whether it belongs to another organisation than the one whose address was called.

    Raises:
        AccessError: the signature is missing or wrong, or no token is set to check it by.
        UsageError: it is no post of WhatsApp through our account.
    """
    fields, sid = signed_fields(url, form, signed, settings)
    if not fields.get("From", "").startswith(_PREFIX) or not fields.get("To", "").startswith(_PREFIX):
        raise UsageError("the post is not about WhatsApp")
    ours = fields["From" if "MessageStatus" in fields else "To"].removeprefix(_PREFIX)
    if is_foreign(ours):
        return Received(refused=(NotTaken(sid, NUMBER_OF_ANOTHER),))
    if "MessageStatus" in fields:
        return status_of(url, fields, sid)
    return _message(fields, sid, received_at)


def _pairs(form: Form) -> list[tuple[str, str]]:
    pairs = list(form.items()) if isinstance(form, Mapping) else list(form)
    if len(pairs) > MAX_FIELDS:
        raise UsageError(f"a form of {len(pairs)} fields; at most {MAX_FIELDS} are read")
    return pairs


def _addresses(url: str) -> tuple[str, ...]:
    """Return the address with and without its port: Twilio signs either, depending on the product."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return (url,)
    if not host or "@" in parts.netloc:
        return (url,)
    bare = parts.netloc.rpartition(":")[0] if port is not None else parts.netloc
    with_port = f"{bare}:{port or (443 if parts.scheme == 'https' else 80)}"
    return tuple(dict.fromkeys((url, _at(url, parts.netloc, bare), _at(url, parts.netloc, with_port))))


def _at(url: str, netloc: str, other: str) -> str:
    return url.replace(f"//{netloc}", f"//{other}", 1)


def status_of(url: str, fields: Mapping[str, str], sid: str) -> Received:
    """Read a status of one of our messages, which its own address names."""
    state = _STATES.get(fields["MessageStatus"])
    if state is None:
        return Received(refused=(NotTaken(sid, f"status {fields['MessageStatus'][:40]!r} says nothing new"),))
    callback = "".join(parse_qs(urlsplit(url).query).get(CALLBACK, [""])[:1])
    if not ID.fullmatch(callback):
        return Received(refused=(NotTaken(sid, f"status {state} of a message that is not ours"),))
    code = fields.get("ErrorCode", "")
    return Received(statuses=(DeliveryStatus(callback, state, sid, code if code.isdigit() else ""),))


def _message(fields: Mapping[str, str], sid: str, received_at: datetime) -> Received:
    sender, number = fields["From"].removeprefix(_PREFIX), fields["To"].removeprefix(_PREFIX)
    if not ID.fullmatch(sender) or not ID.fullmatch(number):
        return Received(refused=(NotTaken(sid, "no sender"),))
    media, refused = media_of(fields, sid)
    button = fields.get("ButtonPayload") or fields.get("ListId", "")
    text = "" if button else _text(fields)
    kind = kind_of(button, media, text)
    who = ChannelIdentity(Via.TWILIO, sender, phone_of(sender) if sender.startswith("+") else None)
    inbound = Inbound(who, number, sid, kind, received_at, received_at, text[:MAX_TEXT], media, button[:200])
    return Received((inbound,), refused=refused)


def kind_of(button: str, media: tuple[Media, ...], text: str) -> InboundKind:
    """Return what a message is."""
    if button:
        return InboundKind.BUTTON
    if media:
        return InboundKind.MEDIA
    return InboundKind.TEXT if text.strip() else InboundKind.UNSUPPORTED


def _text(fields: Mapping[str, str]) -> str:
    body = fields.get("Body", "")
    if "Latitude" not in fields or "Longitude" not in fields:
        return body
    named = ", ".join(filter(None, (fields.get("Label", "").strip(), fields.get("Address", "").strip())))
    place = f"Location: {named} ({fields['Latitude']}, {fields['Longitude']})".replace("  ", " ")
    return f"{body}\n{place}" if body.strip() else place


def media_of(fields: Mapping[str, str], sid: str) -> tuple[tuple[Media, ...], tuple[NotTaken, ...]]:
    """Return the files of a message, and what was not taken of them."""
    written = fields.get("NumMedia", "0")
    n = int(written) if written.isascii() and written.isdigit() and len(written) < 4 else 0
    taken: list[Media] = []
    refused: list[NotTaken] = []
    for place in range(min(n, MAX_MEDIA)):
        url, mime = fields.get(f"MediaUrl{place}", ""), fields.get(f"MediaContentType{place}", "")
        id_ = media_id(url, fields.get("AccountSid", ""))
        if id_:
            taken.append(Media(id_, mime.partition(";")[0].strip().lower()[:100]))
        else:
            refused.append(NotTaken(sid, f"file {place}: its address is not one of our account"))
    if n > MAX_MEDIA:
        refused.append(NotTaken(sid, f"{n - MAX_MEDIA} files beyond {MAX_MEDIA}"))
    return tuple(taken), tuple(refused)


def media_id(url: str, account: str) -> str:
    """Return the id by which a file is fetched, "MESSAGE/MEDIA", for no given address is ever called; empty without."""
    try:
        match = _MEDIA_PATH.fullmatch(urlsplit(url).path)
    except ValueError:
        return ""
    if match is None or match[1] != account or not (_SID.fullmatch(match[2]) and _SID.fullmatch(match[3])):
        return ""
    return f"{match[2]}/{match[3]}"
