"""WhatsApp through Twilio, outgoing: messages of the outbox; see `foundation.ports.conversations.Messenger`."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from saidonce.errors import DeliveryError, SettingsError
from saidonce.foundation.http import HttpClient, HttpReply, base_url
from saidonce.foundation.model.conversation import Button, Conversation, OutboxMessage
from saidonce.foundation.ports import Clock
from saidonce.foundation.settings.channels import ChannelSettings
from saidonce.repairs.channels.cloud_sending import WINDOW, unique_titles
from saidonce.repairs.channels.twilio import callback_url
from saidonce.repairs.channels.wire import posted, secret

NAME = "twilio"
MAX_TEXT = 1_600
"""Source: Twilio's reference of messages, Body."""

MAX_LINE = 100
"""Longest line of a button, so that ten of them fit beside the question."""

_ACCOUNT = re.compile(r"AC[0-9a-fA-F]{32}")
_TEMPLATE = re.compile(r"HX[0-9a-fA-F]{32}")
_MESSAGE = re.compile(r"[A-Z]{2}[0-9a-fA-F]{32}")
_RATE_LIMITED = frozenset({14_107, 20_429, 63_018})
_WINDOW_CLOSED = frozenset({63_016})
_WAIT_AGAIN_S = 60.0
_DENIED_WAIT_S = 300.0


def account_of(settings: ChannelSettings) -> str:
    """Give the account.

    Raises:
        SettingsError: it is malformed.
    """
    if not _ACCOUNT.fullmatch(settings.twilio_account_sid):
        raise SettingsError("twilio_account_sid", settings.twilio_account_sid, "AC and 32 hex digits")
    return settings.twilio_account_sid


class TwilioMessenger:
    """Sends through Twilio; safe to use from several threads.

    Raises:
        SettingsError: account, token, URL or template is malformed.
    """

    def __init__(self, settings: ChannelSettings, clock: Clock) -> None:
        account = account_of(settings)
        if settings.twilio_template and not _TEMPLATE.fullmatch(settings.twilio_template):
            raise SettingsError("twilio_template", settings.twilio_template, "HX and 32 hex digits")
        base = base_url("twilio_api_url", settings.twilio_api_url)
        self._url = f"{base}/2010-04-01/Accounts/{account}/Messages.json"
        self._auth = (account, secret("twilio_auth_token", settings.twilio_auth_token))
        self._settings = settings
        self._http = HttpClient(settings.whatsapp_timeout_s)
        self._clock = clock

    def send(self, message: OutboxMessage, to: Conversation) -> str:
        """Send a message; give Twilio's id of it. Buttons are written out as text, Twilio has none without a template.

        Later than 24 hours after the resident's last message it goes as the approved template, if one is set.
        """
        form = {"From": f"whatsapp:{to.number_id}", "To": f"whatsapp:{to.sender.external_user_id}"}
        form |= self._content(message, to)
        if callback := callback_url(self._settings, message.id):
            form["StatusCallback"] = callback
        return _accepted(posted(self._http, NAME, self._url, auth=self._auth, data=form))

    def _content(self, message: OutboxMessage, to: Conversation) -> dict[str, str]:
        text = written_out(message.text, message.buttons)
        if not message.text.strip() or len(text) > MAX_TEXT:
            raise DeliveryError(NAME, f"a text of {len(text)} characters; 1 to {MAX_TEXT} can be sent", is_final=True)
        heard = to.last_inbound_at
        if heard is not None and self._clock.now() < heard + WINDOW:
            return {"Body": text}
        if not self._settings.twilio_template:
            reason = "the resident's last message is older than 24 hours; the setting twilio_template would be used"
            raise DeliveryError(NAME, reason, is_final=True)
        variables = json.dumps({"1": " ".join(text.split())}, ensure_ascii=False)
        return {"ContentSid": self._settings.twilio_template, "ContentVariables": variables}


def written_out(text: str, buttons: Sequence[Button]) -> str:
    """Give a text with its buttons as lines: those that pick one of several by their number, others by their words."""
    titles = unique_titles(buttons, MAX_LINE)
    shown = enumerate(zip(buttons, titles, strict=True), 1)
    lines = [f"{n}. {title}" if b.payload[-1:].isdigit() else f"- {title}" for n, (b, title) in shown]
    return "\n".join([text, *lines])


def _accepted(answer: HttpReply) -> str:
    found = answer.fields
    if 200 <= answer.status < 300:
        sid = found.get("sid")
        if not isinstance(sid, str) or not _MESSAGE.fullmatch(sid):
            raise TimeoutError("twilio: accepted without an id; it may have been sent")
        return sid
    code = found.get("code")
    told = f"status {answer.status}, code {code}" if isinstance(code, int) else f"status {answer.status}"
    if answer.status == 429 or code in _RATE_LIMITED:
        raise DeliveryError(NAME, f"{told}: too many messages", wait_s=answer.retry_after_s or _WAIT_AGAIN_S)
    if answer.status in (401, 403):
        raise DeliveryError(NAME, f"{told}: account or token is not good for this", wait_s=_DENIED_WAIT_S)
    window = ": the 24-hour window is closed" if code in _WINDOW_CLOSED else ": refused"
    raise DeliveryError(NAME, f"{told}{window}", is_final=True)
