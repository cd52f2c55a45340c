"""Twilio, outgoing: messages of the outbox, and those of WhatsApp; see `foundation.ports.conversations.Messenger`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from saidonce.errors import DeliveryError, SettingsError
from saidonce.foundation.http import HttpClient, HttpReply, base_url
from saidonce.foundation.model.conversation import Button, Conversation, OutboxMessage
from saidonce.foundation.ports import Clock
from saidonce.foundation.settings.channels import ChannelSettings
from saidonce.repairs.channels.cloud_sending import WINDOW, unique_titles
from saidonce.repairs.channels.twilio import REFUSALS, callback_url
from saidonce.repairs.channels.wire import posted, secret

NAME = "twilio"
MAX_TEXT = 1_600
"""Source: Twilio's reference of messages, Body."""

MAX_LINE = 100
"""Longest line of a button, so that ten of them fit beside the question."""

_ACCOUNT = re.compile(r"AC[0-9a-fA-F]{32}")
_TEMPLATE = re.compile(r"HX[0-9a-fA-F]{32}")
_MESSAGE = re.compile(r"[A-Z]{2}[0-9a-fA-F]{32}")
_RATE_LIMITED = frozenset({14_107, 20_429, 21_611, 63_018})
_WAIT_AGAIN_S = 60.0
_DENIED_WAIT_S = 300.0


def account_of(settings: ChannelSettings) -> str:
    """Return the account.

    Raises:
        SettingsError: it is malformed.
    """
    if not _ACCOUNT.fullmatch(settings.twilio_account_sid):
        raise SettingsError("twilio_account_sid", settings.twilio_account_sid, "AC and 32 hex digits")
    return settings.twilio_account_sid


class TwilioApi:
    """One account at Twilio that messages are sent by; safe to use from several threads.

    Raises:
        SettingsError: account, token or URL is malformed.
    """

    def __init__(self, settings: ChannelSettings, name: str, timeout_s: float) -> None:
        account = account_of(settings)
        base = base_url("twilio_api_url", settings.twilio_api_url)
        self._url = f"{base}/2010-04-01/Accounts/{account}/Messages.json"
        self._auth = (account, secret("twilio_auth_token", settings.twilio_auth_token))
        self._http = HttpClient(timeout_s)
        self._name = name

    def post(self, form: Mapping[str, str], callback: str) -> str:
        """Post a message; return Twilio's id of it.

        Args:
            form: From, To and what is sent.
            callback: address for its statuses; empty for none.

        Raises:
            DeliveryError: Twilio did not take it.
            TimeoutError: nobody knows whether it did.
        """
        whole = {**form, "StatusCallback": callback} if callback else dict(form)
        return _accepted(self._name, posted(self._http, self._name, self._url, auth=self._auth, data=whole))


class TwilioMessenger:
    """Sends WhatsApp messages through Twilio; safe to use from several threads.

    Raises:
        SettingsError: account, token, URL or template is malformed.
    """

    def __init__(self, settings: ChannelSettings, clock: Clock) -> None:
        account_of(settings)
        if settings.twilio_template and not _TEMPLATE.fullmatch(settings.twilio_template):
            raise SettingsError("twilio_template", settings.twilio_template, "HX and 32 hex digits")
        self._api = TwilioApi(settings, NAME, settings.whatsapp_timeout_s)
        self._settings = settings
        self._clock = clock

    def send(self, message: OutboxMessage, to: Conversation) -> str:
        """Send a message; return Twilio's id of it. Buttons are written out: Twilio has none without a template.

        Later than 24 hours after the resident's last message it goes as the approved template, if one is set.
        """
        form = {"From": f"whatsapp:{to.number_id}", "To": f"whatsapp:{to.sender.external_user_id}"}
        form |= self._content(message, to)
        return self._api.post(form, callback_url(self._settings, message.id, to.number_id))

    def _content(self, message: OutboxMessage, to: Conversation) -> dict[str, str]:
        text = fitting(NAME, message)
        heard = to.last_inbound_at
        if heard is not None and self._clock.now() < heard + WINDOW:
            return {"Body": text}
        if not self._settings.twilio_template:
            reason = "the resident's last message is older than 24 hours; the setting twilio_template would be used"
            raise DeliveryError(NAME, reason, is_final=True)
        variables = json.dumps({"1": " ".join(text.split())}, ensure_ascii=False)
        return {"ContentSid": self._settings.twilio_template, "ContentVariables": variables}


def fitting(name: str, message: OutboxMessage) -> str:
    """Return a message's text with its buttons as lines.

    Raises:
        DeliveryError: it is empty, or longer than Twilio takes.
    """
    text = written_out(message.text, message.buttons)
    if not message.text.strip() or len(text) > MAX_TEXT:
        raise DeliveryError(name, f"a text of {len(text)} characters; 1 to {MAX_TEXT} can be sent", is_final=True)
    return text


def written_out(text: str, buttons: Sequence[Button]) -> str:
    """Return a text with its buttons as lines.

    Buttons that pick one of several are written by number, others by their words.
    """
    titles = unique_titles(buttons, MAX_LINE)
    shown = enumerate(zip(buttons, titles, strict=True), 1)
    lines = [f"{n}. {title}" if b.payload[-1:].isdigit() else f"- {title}" for n, (b, title) in shown]
    return "\n".join([text, *lines])


def _accepted(name: str, answer: HttpReply) -> str:
    fields = answer.fields
    if 200 <= answer.status < 300:
        sid = fields.get("sid")
        if not isinstance(sid, str) or not _MESSAGE.fullmatch(sid):
            raise TimeoutError(f"{name}: accepted without an id; it may have been sent")
        return sid
    code = fields.get("code")
    status = f"status {answer.status}, code {code}" if isinstance(code, int) else f"status {answer.status}"
    if answer.status == 429 or code in _RATE_LIMITED:
        raise DeliveryError(name, f"{status}: too many messages", wait_s=answer.retry_after_s or _WAIT_AGAIN_S)
    if answer.status in (401, 403):
        raise DeliveryError(name, f"{status}: account or token is not good for this", wait_s=_DENIED_WAIT_S)
    raise DeliveryError(name, f"{status}: {REFUSALS.get(str(code), 'refused')}", is_final=True)
