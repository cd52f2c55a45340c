"""WhatsApp's Cloud API, outgoing: messages of the outbox; see `saidonce.foundation.ports.conversations.Messenger`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from saidonce.errors import DeliveryError, SettingsError
from saidonce.foundation.http import HttpClient, HttpReply, base_url
from saidonce.foundation.model.conversation import Button, Conversation, OutboxMessage
from saidonce.foundation.ports import Clock
from saidonce.foundation.settings.channels import ChannelSettings
from saidonce.repairs.channels.wire import posted, secret

NAME = "whatsapp"
WINDOW = timedelta(hours=24)
"""How long after a resident's message anything may be sent. Source: Meta, customer service window."""

MAX_TEXT, MAX_BUTTON_TEXT, MAX_TEMPLATE_TEXT = 4_096, 1_024, 1_024
MAX_BUTTONS, MAX_ROWS = 3, 10
MAX_TITLE, MAX_ROW_TITLE, MAX_PAYLOAD = 20, 24, 200
"""Source: Meta's reference of text, interactive and template messages."""

_NUMBER = re.compile(r"[0-9]{3,30}")
_VERSION = re.compile(r"v[0-9]{1,3}\.[0-9]{1,2}")
_TEMPLATE = re.compile(r"[a-z0-9_]{1,512}")

_RATE_LIMITED = frozenset({4, 80_007, 130_429, 131_048, 131_056, 133_016})
_WAIT_AGAIN_S = 60.0
_DENIED = frozenset({0, 3, 10, 190, *range(200, 300)})
_DENIED_WAIT_S = 300.0
"""A token that has run out is renewed by a person."""


class CloudMessenger:
    """Sends by the Cloud API; safe to use from several threads.

    Raises:
        SettingsError: token, URL, version or template is malformed.
    """

    def __init__(self, settings: ChannelSettings, clock: Clock) -> None:
        if not _VERSION.fullmatch(settings.whatsapp_api_version):
            raise SettingsError("whatsapp_api_version", settings.whatsapp_api_version, "such as v26.0")
        if settings.whatsapp_template and not _TEMPLATE.fullmatch(settings.whatsapp_template):
            raise SettingsError("whatsapp_template", settings.whatsapp_template, "lower-case letters, digits and _")
        base = base_url("whatsapp_api_url", settings.whatsapp_api_url)
        self._base = f"{base}/{settings.whatsapp_api_version}"
        self._headers = {"Authorization": f"Bearer {secret('whatsapp_token', settings.whatsapp_token)}"}
        self._template = (settings.whatsapp_template, settings.whatsapp_template_language)
        self._http = HttpClient(settings.whatsapp_timeout_s)
        self._clock = clock

    def send(self, message: OutboxMessage, to: Conversation) -> str:
        """Send a message; give WhatsApp's id of it.

        Within 24 hours of the resident's last message it goes as text, with up to three reply buttons or a list of
        up to ten rows; later as the approved template, if one is set.
        """
        if not _NUMBER.fullmatch(to.number_id):
            raise DeliveryError(NAME, "our number's id is malformed", is_final=True)
        content = self._content(message, to)
        body = {
            "messaging_product": "whatsapp", "recipient_type": "individual", **_recipient(to), **content,
            "biz_opaque_callback_data": message.id,
        }  # fmt: skip
        return _accepted(
            posted(self._http, NAME, f"{self._base}/{to.number_id}/messages", headers=self._headers, json=body)
        )

    def _content(self, message: OutboxMessage, to: Conversation) -> dict[str, Any]:
        heard = to.last_inbound_at
        if heard is not None and self._clock.now() < heard + WINDOW:
            return content_of(message.text, message.buttons)
        name, language = self._template
        if not name:
            reason = "the resident's last message is older than 24 hours; the setting whatsapp_template would be used"
            raise DeliveryError(NAME, reason, is_final=True)
        return template_of(name, language, message.text, message.buttons)


def content_of(text: str, buttons: Sequence[Button]) -> dict[str, Any]:
    """Return a message within the window as the API takes it.

    Raises:
        DeliveryError: it is empty, or longer or with more buttons than WhatsApp takes.
    """
    if not text.strip() or len(text) > MAX_TEXT:
        raise DeliveryError(NAME, f"a text of {len(text)} characters; 1 to {MAX_TEXT} can be sent", is_final=True)
    if not buttons:
        return {"type": "text", "text": {"preview_url": False, "body": text}}
    if len(buttons) > MAX_ROWS or any(not 0 < len(b.payload) <= MAX_PAYLOAD for b in buttons):
        raise DeliveryError(NAME, f"{len(buttons)} buttons; {MAX_ROWS} with payloads can be sent", is_final=True)
    if len(buttons) <= MAX_BUTTONS and len(text) <= MAX_BUTTON_TEXT:
        titles = unique_titles(buttons, MAX_TITLE)
        shown = [
            {"type": "reply", "reply": {"id": b.payload, "title": t}} for b, t in zip(buttons, titles, strict=True)
        ]
        action: dict[str, Any] = {"buttons": shown}
        return {"type": "interactive", "interactive": {"type": "button", "body": {"text": text}, "action": action}}
    titles = unique_titles(buttons, MAX_ROW_TITLE)
    rows = [{"id": b.payload, "title": t} for b, t in zip(buttons, titles, strict=True)]
    action = {"button": "Choose", "sections": [{"title": "Choose", "rows": rows}]}
    return {"type": "interactive", "interactive": {"type": "list", "body": {"text": text}, "action": action}}


def template_of(name: str, language: str, text: str, buttons: Sequence[Button]) -> dict[str, Any]:
    """Return a message after the window: the template with the text as its one variable, on one line.

    Raises:
        DeliveryError: the text does not fit.
    """
    titles = " / ".join(unique_titles(buttons, MAX_ROW_TITLE))
    line = " ".join(f"{text} {titles}".split())
    if not line or len(line) > MAX_TEMPLATE_TEXT:
        reason = f"a text of {len(line)} characters; 1 to {MAX_TEMPLATE_TEXT} fit into the template"
        raise DeliveryError(NAME, reason, is_final=True)
    parameters = [{"type": "text", "text": line}]
    body = {"name": name, "language": {"code": language}, "components": [{"type": "body", "parameters": parameters}]}
    return {"type": "template", "template": body}


def unique_titles(buttons: Sequence[Button], most: int) -> tuple[str, ...]:
    """Return titles that fit and differ, since WhatsApp refuses equal ones; those cut to the same get a number."""
    titles: list[str] = []
    for button in buttons:
        label = " ".join(button.title.split())[:most] or "?"
        title, n = label, 2
        while title in titles:
            title = f"{label[: most - len(str(n)) - 1]} {n}"
            n += 1
        titles.append(title)
    return tuple(titles)


def _recipient(to: Conversation) -> dict[str, str]:
    """Return the phone where we know it, else the business-scoped id."""
    if to.sender.phone:
        return {"to": to.sender.phone.removeprefix("+")}
    key = to.sender.external_user_id
    return {"to": key} if key.isdigit() else {"recipient": key}


def _accepted(answer: HttpReply) -> str:
    """Return the id in an answer that accepts; an acceptance without one leaves open what was sent."""
    if 200 <= answer.status < 300:
        sent = answer.fields.get("messages")
        id_ = sent[0].get("id") if isinstance(sent, list) and sent and isinstance(sent[0], dict) else None
        if not isinstance(id_, str) or not 0 < len(id_) <= 512:
            raise TimeoutError("whatsapp: accepted without an id; it may have been sent")
        return id_
    raise _refused(answer)


def _refused(answer: HttpReply) -> DeliveryError:
    """Return what a refusal means; Graph's own words are left out, for they may repeat the token."""
    error = answer.fields.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    status = f"status {answer.status}, code {code}" if isinstance(code, int) else f"status {answer.status}"
    if answer.status == 429 or code in _RATE_LIMITED:
        return DeliveryError(NAME, f"{status}: too many messages", wait_s=answer.retry_after_s or _WAIT_AGAIN_S)
    if answer.status in (401, 403) or code in _DENIED:
        return DeliveryError(NAME, f"{status}: the token is not good for this", wait_s=_DENIED_WAIT_S)
    if code == 131_047:
        return DeliveryError(NAME, f"{status}: the 24-hour window is closed", is_final=True)
    return DeliveryError(NAME, f"{status}: refused", is_final=True)
