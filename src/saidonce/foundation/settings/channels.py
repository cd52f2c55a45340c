"""Settings of the channels that residents write by, and what describes a setting."""

from __future__ import annotations

import re
from ipaddress import ip_network
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, Field
from pydantic_settings import BaseSettings


def setting(default: Any, says: str, unit: str = "", source: str = "") -> Any:
    """Describe a setting as data: its default, what it does, its unit and where the default comes from."""
    return Field(default=default, description=says, json_schema_extra={"unit": unit, "source": source})


AnySettings = TypeVar("AnySettings", bound="ChannelSettings")

Megabytes = Annotated[int, Field(ge=1, le=1_000)]

CHANNEL_SECRETS = frozenset(
    {
        "whatsapp_app_secret", "whatsapp_verify_token", "whatsapp_token", "twilio_auth_token", "channel_options",
        "org_channels",
    }
)  # fmt: skip
"""Settings of this file whose values are shown to nobody."""


_NUMBER = re.compile(r"\+[1-9][0-9]{4,14}|[0-9]{5,30}")


def numbers_of(written: str) -> dict[str, str]:
    """Read `channel_numbers`: which organisation each number belongs to, by number.

    Raises:
        ValueError: a part is not ORG=NUMBER, or a number belongs to two.
    """
    org_of: dict[str, str] = {}
    for part in written.split(",") if written.strip() else ():
        org, _, number = (one.strip() for one in part.partition("="))
        if not org or not _NUMBER.fullmatch(number) or org_of.setdefault(number, org) != org:
            raise ValueError("ORG=NUMBER separated by commas: ids of WhatsApp, or +NUMBER of Twilio, each for one ORG")
    return org_of


def _checked_numbers(written: str) -> str:
    numbers_of(written)
    return written


def _checked_proxies(written: str) -> str:
    for part in written.split(",") if written.strip() else ():
        try:
            ip_network(part.strip(), strict=False)
        except ValueError:
            raise ValueError("addresses or networks separated by commas, such as 10.0.0.5, 192.168.0.0/24") from None
    return written


Proxies = Annotated[str, AfterValidator(_checked_proxies)]

_META = (
    "whatsapp_app_secret", "whatsapp_verify_token", "whatsapp_token", "whatsapp_phone_number_id", "whatsapp_template",
    "whatsapp_template_language",
)  # fmt: skip
_TWILIO = ("twilio_account_sid", "twilio_auth_token", "twilio_webhook_url", "twilio_template", "sms_webhook_url")
ACCOUNTS = (_META, _TWILIO)
"""Settings of one account at a provider: an organisation has all of them of its own, or none."""


def _checked_accounts(tables: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    for org, table in tables.items():
        if not org.strip() or not table.keys() <= {*_META, *_TWILIO}:
            raise ValueError(f"a table per organisation, with {', '.join((*_META, *_TWILIO))}")
        if ("twilio_account_sid" in table) != ("twilio_auth_token" in table):
            raise ValueError("twilio_account_sid and twilio_auth_token, both of one organisation's account")
    return tables


class ChannelSettings(BaseSettings):
    """How residents reach us: WhatsApp from Meta (Cloud API) or through Twilio, SMS through Twilio, and their files."""

    whatsapp_app_secret: str = setting("", "secret of the Meta app, which signs WhatsApp's webhooks; never logged")
    whatsapp_verify_token: str = setting("", "verify token of the webhook, of your choice; never logged")
    whatsapp_token: str = setting(
        "", "access token of a Meta system user, for sending messages and fetching files; never logged"
    )
    whatsapp_phone_number_id: str = setting(
        "", "id of your WhatsApp number; messages to other numbers are refused; empty: all numbers of the account"
    )
    channel_numbers: Annotated[str, AfterValidator(_checked_numbers)] = setting(
        "",
        "numbers of other organisations on this server, ORG=NUMBER separated by commas: WhatsApp's phone number ids,"
        " or +NUMBER for Twilio (WhatsApp and SMS); all others belong to `org`",
    )
    whatsapp_api_url: str = setting("https://graph.facebook.com", "base URL of the Graph API", "URL")
    whatsapp_api_version: str = setting("v26.0", "version of the Graph API")
    whatsapp_template: str = setting(
        "",
        "approved template with one variable in its body, for messages after the 24-hour window; empty: none are sent",
    )
    whatsapp_template_language: str = setting("en", "language code of that template at WhatsApp")

    repairs_enabled: bool = setting(
        True,
        "enable the repair assistant: answer residents, and offer its pages, commands and routes; needs the extra"
        " `repairs`",
    )

    twilio_account_sid: str = setting("", "SID of the Twilio account, AC and 32 hex digits")
    twilio_auth_token: str = setting("", "auth token of that account, which signs Twilio's webhooks; never logged")
    twilio_api_url: str = setting("https://api.twilio.com", "base URL of Twilio's API", "URL")
    twilio_webhook_url: str = setting("", "webhook URL, exactly as configured in Twilio's console", "URL")
    twilio_template: str = setting(
        "", "Content SID (HX...) of an approved template with the variable 1, for messages after the 24-hour window"
    )

    sms_webhook_url: str = setting(
        "",
        "webhook URL for SMS, exactly as configured in Twilio's console; empty: no SMS",
        "URL",
    )
    sms_max_segments: Annotated[int, Field(ge=1, le=24)] = setting(
        10,
        "maximum number of segments of an SMS, which are charged one by one; longer ones are not sent, except safety"
        " texts",
        "segments",
    )
    sms_sender_proves: bool = setting(
        True, "trust the sender number of an SMS; otherwise the landlord approves each sender once"
    )
    sms_timeout_s: Annotated[float, Field(gt=0, le=50)] = setting(10.0, "time limit for sending one SMS", "s")

    channel_options: dict[str, dict[str, str]] = setting(
        {},
        "settings of plug-in channels, by channel and name: tables in saidonce.toml, such as [channel_options.pigeon],"
        " or JSON in the environment; never logged",
    )

    org_channels: Annotated[dict[str, dict[str, str]], AfterValidator(_checked_accounts)] = setting(
        {},
        "accounts of other organisations on this server: tables in saidonce.toml, such as [org_channels.south] with"
        " its own twilio_account_sid, twilio_auth_token and twilio_webhook_url; their webhooks are accepted only at"
        " that organisation's URL; never logged",
    )
    webhook_oldest_h: Annotated[int, Field(ge=1, le=168)] = setting(
        24,
        "maximum age of a WhatsApp message, by its timestamp; older ones are refused as replays",
        "h",
        "Meta retries a failed webhook for up to 7 days",
    )

    whatsapp_timeout_s: Annotated[float, Field(gt=0, le=50)] = setting(10.0, "time limit for sending one message", "s")
    media_timeout_s: Annotated[float, Field(gt=0, le=600)] = setting(60.0, "time limit for fetching one file", "s")
    media_image_mb: Megabytes = setting(16, "maximum size of a picture", "MB")
    media_video_mb: Megabytes = setting(16, "maximum size of a video", "MB", "WhatsApp's own limit")
    media_audio_mb: Megabytes = setting(16, "maximum size of a voice message", "MB", "WhatsApp's own limit")
    media_document_mb: Megabytes = setting(25, "maximum size of other files; WhatsApp allows 100", "MB")
    media_keep_original: bool = setting(
        False, "also keep the original pictures, with their metadata about place, time and camera"
    )
    media_voice_minutes: Annotated[int, Field(ge=1, le=60)] = setting(
        5, "maximum length of a voice message to transcribe; longer ones are left to people", "min"
    )
    media_voice_s: Annotated[float, Field(gt=0, le=600)] = setting(
        120.0, "time limit for transcribing one voice message, and for waiting in the queue", "s"
    )
    media_image_pixels: Annotated[int, Field(ge=1_000_000, le=1_000_000_000)] = setting(
        60_000_000, "maximum number of pixels of a picture", "pixels"
    )
    media_picture_s: Annotated[float, Field(gt=0, le=120)] = setting(20.0, "time limit for decoding one picture", "s")
    media_picture_memory_mb: Annotated[int, Field(ge=128)] = setting(
        768, "memory limit of the process that decodes pictures", "MiB"
    )


def settings_for(settings: AnySettings, org: str) -> AnySettings:
    """Return the settings by which an organisation's channels work: those of its own accounts, where it has any.

    Of an account nothing is mixed: with one setting of its own, an organisation's others of that provider are empty
    unless they are its own too.
    """
    own = settings.org_channels.get(org)
    if not own:
        return settings
    mine: dict[str, str] = {}
    for account in ACCOUNTS:
        if any(name in own for name in account):
            mine |= {name: own.get(name, _DEFAULTS[name]) for name in account}
    return settings.model_copy(update=mine)


_DEFAULTS = {name: str(ChannelSettings.model_fields[name].default) for account in ACCOUNTS for name in account}
