"""Posts of WhatsApp's Cloud API and of Twilio in the shape of their documentation, written for tests, and signed."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from saidonce.foundation.settings.policy import Settings
from saidonce.repairs.channels import Received, cloud, twilio

NOW = datetime(2026, 1, 17, 12, 0, 5, tzinfo=UTC)
STAMP = "1768651200"
"""2026-01-17 12:00:00 UTC."""

NUMBER = "106540352242922"
WA_ID = "447700900123"
USER_ID = "GB.13491208655302741918"
ACCOUNT = "AC" + "a1" * 16
SID = "SM" + "0f" * 16
SETTINGS = Settings(
    whatsapp_app_secret="app-s3cret", whatsapp_verify_token="verify-me", whatsapp_token="EAAG-t0ken",
    twilio_account_sid=ACCOUNT, twilio_auth_token="twilio-s3cret",
    twilio_webhook_url="https://desk.example.com/channels/twilio",
)  # fmt: skip
HOOK = SETTINGS.twilio_webhook_url


def value(messages: list[Any] | None = None, **more: Any) -> dict[str, Any]:
    contact = {"profile": {"name": "Ana Bell"}, "wa_id": WA_ID, "user_id": USER_ID}
    metadata = {"display_phone_number": "15550783881", "phone_number_id": NUMBER}
    found = {"messaging_product": "whatsapp", "metadata": metadata, "contacts": [contact], **more}
    return {**found, "messages": messages} if messages is not None else found


def post(*values: Any) -> dict[str, Any]:
    entries = [{"id": "102290129340398", "changes": [{"value": v, "field": "messages"}]} for v in values]
    return {"object": "whatsapp_business_account", "entry": entries}


def message(kind: str, content: Any = None, id: str = "wamid.1", **more: Any) -> dict[str, Any]:
    made = {"from": WA_ID, "from_user_id": USER_ID, "id": id, "timestamp": STAMP, "type": kind, **more}
    return made if content is None else {**made, kind: content}


def text(body: str, id: str = "wamid.1", **more: Any) -> dict[str, Any]:
    return message("text", {"body": body}, id, **more)


def image(media: str = "2754859441498128", sha256: str = "", id: str = "wamid.1", **more: Any) -> dict[str, Any]:
    return message("image", {"id": media, "mime_type": "image/jpeg", "sha256": sha256, **more}, id)


def read(body: Any, settings: Settings = SETTINGS) -> Received:
    """Sign a post as Meta does, and read it."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return cloud.read(raw, cloud.signature(settings.whatsapp_app_secret, raw), settings, NOW)


def form(body: str = "my tap drips", **more: str) -> dict[str, str]:
    return {
        "MessageSid": SID, "SmsMessageSid": SID, "AccountSid": ACCOUNT, "From": f"whatsapp:+{WA_ID}",
        "To": "whatsapp:+14155238886", "WaId": WA_ID, "ProfileName": "Ana Bell", "Body": body, "NumMedia": "0",
        "NumSegments": "1", "SmsStatus": "received", "ApiVersion": "2010-04-01", **more,
    }  # fmt: skip


def media_url(n: int = 0) -> str:
    return f"https://api.twilio.com/2010-04-01/Accounts/{ACCOUNT}/Messages/{SID}/Media/ME{n:032x}"


def twilio_read(fields: dict[str, str], url: str = HOOK, settings: Settings = SETTINGS) -> Received:
    """Sign a form as Twilio does, and read it."""
    return twilio.read(url, fields, twilio.signature(url, fields, settings.twilio_auth_token), settings, NOW)
