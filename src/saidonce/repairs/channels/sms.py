"""SMS and MMS through Twilio: forms are read, segments counted, messages sent.

Source: Twilio's references of the incoming webhook and of the Messages resource; GSM 03.38 for what a segment holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from saidonce.errors import AccessError, DeliveryError, SettingsError, UsageError
from saidonce.foundation.http import base_url
from saidonce.foundation.model.conversation import Conversation, OutboxKind, OutboxMessage
from saidonce.foundation.model.residents import ChannelIdentity, Inbound, Via
from saidonce.foundation.ports import Clock
from saidonce.foundation.ports.conversations import Messenger
from saidonce.foundation.ports.intake import MediaFetcher
from saidonce.foundation.settings.channels import ChannelSettings
from saidonce.repairs.channels import twilio
from saidonce.repairs.channels.channel import ChannelPost, IsForeign
from saidonce.repairs.channels.media import TwilioMedia
from saidonce.repairs.channels.received import MAX_TEXT, NUMBER_OF_ANOTHER, NotTaken, Received, phone_of
from saidonce.repairs.channels.twilio_sending import MAX_TEXT as LONGEST
from saidonce.repairs.channels.twilio_sending import TwilioApi, fitting

NAME = Via.SMS.value

_BASIC = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿"
    "abcdefghijklmnopqrstuvwxyzäöñüà"
)
_EXTENDED = frozenset("\f^{}\\[~]|€")
"""Characters of the phone network's own alphabet, GSM 03.38; the extended ones take two places."""

_PLAIN = str.maketrans(
    {"‘": "'", "’": "'", "‚": ",", "“": '"', "”": '"', "„": '"', "–": "-", "—": "-", "‑": "-", "…": "...",
     "\u00a0": " ", "\u202f": " ", "•": "-"}
)  # fmt: skip
"""Typographic characters, one of which would make a message twice as dear."""

_GSM_PLACES, _WIDE_PLACES = (160, 153), (70, 67)
"""Places in a message of one segment, and in each of several."""


class SmsChannel:
    """SMS and MMS through Twilio; see `saidonce.repairs.channels.channel.ResidentChannel`."""

    name = NAME
    settings = frozenset(
        {
            "twilio_account_sid", "twilio_auth_token", "twilio_api_url", "sms_webhook_url", "sms_max_segments",
            "sms_sender_proves", "sms_timeout_s", "channel_numbers", "media_timeout_s",
        }
    )  # fmt: skip
    secrets = frozenset({"twilio_auth_token"})

    def handshake(self, params: Mapping[str, str], settings: ChannelSettings) -> str:
        """Refuse: Twilio asks nothing of an address."""
        del params, settings
        raise UsageError("Twilio has no handshake; it posts to this address")

    def read(self, post: ChannelPost, settings: ChannelSettings, is_foreign: IsForeign) -> Received:
        """Read a form of Twilio's about SMS or MMS: a message of a resident, or a status of one of ours."""
        if not settings.sms_webhook_url:
            raise AccessError("the setting sms_webhook_url", "SMS is not set up here")
        url = twilio.called(twilio.own_address(settings.sms_webhook_url, NAME, post.org), post.query)
        signed = post.headers.get("x-twilio-signature", "")
        fields, sid = twilio.signed_fields(url, twilio.form_of(post.body), signed, settings)
        sender, receiver = fields.get("From", ""), fields.get("To", "")
        if not sender or not receiver or ":" in sender or ":" in receiver:
            raise UsageError("the post is not about SMS")
        is_status = "MessageStatus" in fields
        if is_foreign(sender if is_status else receiver):
            return Received(refused=(NotTaken(sid, NUMBER_OF_ANOTHER),))
        if is_status:
            return _explained(twilio.status_of(url, fields, sid))
        return _message(fields, sid, settings, post.received_at)

    def messenger(self, settings: ChannelSettings, clock: Clock) -> Messenger | None:
        """Open what sends SMS; None without `sms_webhook_url`."""
        del clock
        if not settings.sms_webhook_url:
            return None
        if not settings.twilio_auth_token:
            raise SettingsError("twilio_auth_token", "", "the account's auth token, since sms_webhook_url is set")
        base_url("sms_webhook_url", settings.sms_webhook_url.partition("?")[0])
        return SmsMessenger(settings)

    def fetcher(self, settings: ChannelSettings) -> MediaFetcher | None:
        """Open what fetches files of MMS; None without `sms_webhook_url`."""
        return TwilioMedia(settings) if settings.sms_webhook_url else None


class SmsMessenger:
    """Sends SMS through Twilio; safe to use from several threads.

    Raises:
        SettingsError: account, token or URL is malformed.
    """

    def __init__(self, settings: ChannelSettings) -> None:
        self._api = TwilioApi(settings, NAME, settings.sms_timeout_s)
        self._settings = settings

    def send(self, message: OutboxMessage, to: Conversation) -> str:
        """Send a message; return Twilio's id of it. Buttons are written out as lines, for SMS has none.

        A message of more segments than `sms_max_segments` is refused for good; a safety text goes whatever it costs.
        """
        text = plain(fitting(NAME, message))
        n, most = n_segments(text), self._settings.sms_max_segments
        if n > most and message.kind is not OutboxKind.SAFETY:
            raise DeliveryError(NAME, f"a text of {n} segments; {most} can be sent (sms_max_segments)", is_final=True)
        org = twilio.org_of(self._settings, to.number_id)
        address = twilio.own_address(self._settings.sms_webhook_url, NAME, org)
        form = {"From": to.number_id, "To": to.sender.external_user_id, "Body": text}
        return self._api.post(form, twilio.callback(address, message.id))


def plain(text: str) -> str:
    """Return a text with plain quotes, dashes and spaces, if that makes it fit the network's alphabet and no dearer."""
    plainer = text.translate(_PLAIN)
    is_better = _is_gsm(plainer) and n_segments(plainer) <= n_segments(text) and len(plainer) <= LONGEST
    return plainer if is_better else text


def n_segments(text: str) -> int:
    """Return how many segments a text takes; one character of another alphabet makes all of them shorter."""
    is_gsm = _is_gsm(text)
    alone, each = _GSM_PLACES if is_gsm else _WIDE_PLACES
    places = [(2 if c in _EXTENDED else 1) if is_gsm else (2 if ord(c) > 0xFFFF else 1) for c in text]
    if sum(places) <= alone:
        return 1
    n, left = 1, each
    for place in places:  # A character of two places is never cut in two.
        if place > left:
            n, left = n + 1, each
        left -= place
    return n


def _is_gsm(text: str) -> bool:
    return all(c in _BASIC or c in _EXTENDED for c in text)


def _explained(received: Received) -> Received:
    """Add what a code means: that somebody has opted out is reported by statuses, too."""
    statuses = (replace(s, reason=": ".join(filter(None, (s.reason, twilio.REFUSALS.get(s.reason, "")))))
                for s in received.statuses)  # fmt: skip
    return replace(received, statuses=tuple(statuses))


def _message(fields: Mapping[str, str], sid: str, settings: ChannelSettings, received_at: datetime) -> Received:
    """Read a message; one from a short code or a name is a program's, and could not be answered."""
    sender, number = fields["From"], fields["To"]
    phone = phone_of(sender) if sender.startswith("+") else None
    if phone is None:
        return Received(refused=(NotTaken(sid, "its sender has no phone number"),))
    if phone_of(number) is None:
        return Received(refused=(NotTaken(sid, "it was sent to no phone number"),))
    text = fields.get("Body", "")[:MAX_TEXT]
    media, refused = twilio.media_of(fields, sid)
    who = ChannelIdentity(Via.SMS, phone, phone, verified=settings.sms_sender_proves)
    kind = twilio.kind_of("", media, text)
    return Received((Inbound(who, number, sid, kind, received_at, received_at, text, media),), refused=refused)
