"""The two channels of WhatsApp: straight from Meta (Cloud API), and through Twilio."""

from __future__ import annotations

from collections.abc import Mapping

from saidonce.errors import UsageError
from saidonce.foundation.model.residents import Via
from saidonce.foundation.ports import Clock
from saidonce.foundation.ports.conversations import Messenger
from saidonce.foundation.ports.intake import MediaFetcher
from saidonce.foundation.settings.channels import ChannelSettings
from saidonce.repairs.channels import cloud, twilio
from saidonce.repairs.channels.channel import ChannelPost, IsForeign
from saidonce.repairs.channels.cloud_sending import CloudMessenger
from saidonce.repairs.channels.media import CloudMedia, TwilioMedia
from saidonce.repairs.channels.received import Received
from saidonce.repairs.channels.twilio_sending import TwilioMessenger, account_of


class CloudChannel:
    """WhatsApp from Meta; see `saidonce.repairs.channels.channel.ResidentChannel`."""

    name = Via.WHATSAPP.value
    settings = frozenset(
        {
            "whatsapp_app_secret", "whatsapp_verify_token", "whatsapp_token", "whatsapp_phone_number_id",
            "whatsapp_api_url", "whatsapp_api_version", "whatsapp_template", "whatsapp_template_language",
            "whatsapp_timeout_s", "channel_numbers", "media_timeout_s", "org_channels", "webhook_oldest_h",
        }
    )  # fmt: skip
    secrets = frozenset({"whatsapp_app_secret", "whatsapp_verify_token", "whatsapp_token"})

    def handshake(self, params: Mapping[str, str], settings: ChannelSettings) -> str:
        """Return the challenge by which Meta makes sure that the webhook is ours."""
        return cloud.challenge(params, settings)

    def read(self, post: ChannelPost, settings: ChannelSettings, is_foreign: IsForeign) -> Received:
        """Read a post of the Cloud API."""
        signed = post.headers.get("x-hub-signature-256", "")
        return cloud.read(post.body, signed, settings, post.received_at, is_foreign)

    def messenger(self, settings: ChannelSettings, clock: Clock) -> Messenger | None:
        """Open what sends by the Cloud API."""
        return CloudMessenger(settings, clock) if settings.whatsapp_token else None

    def fetcher(self, settings: ChannelSettings) -> MediaFetcher | None:
        """Open what fetches files of the Cloud API."""
        return CloudMedia(settings) if settings.whatsapp_token else None


class TwilioChannel:
    """WhatsApp through Twilio; see `saidonce.repairs.channels.channel.ResidentChannel`."""

    name = Via.TWILIO.value
    settings = frozenset(
        {
            "twilio_account_sid", "twilio_auth_token", "twilio_api_url", "twilio_webhook_url", "twilio_template",
            "whatsapp_timeout_s", "channel_numbers", "media_timeout_s",
        }
    )  # fmt: skip
    secrets = frozenset({"twilio_auth_token"})

    def handshake(self, params: Mapping[str, str], settings: ChannelSettings) -> str:
        """Refuse: Twilio asks nothing of an address."""
        del params, settings
        raise UsageError("Twilio has no handshake; it posts to this address")

    def read(self, post: ChannelPost, settings: ChannelSettings, is_foreign: IsForeign) -> Received:
        """Read a form of Twilio's about WhatsApp."""
        form, signed = twilio.form_of(post.body), post.headers.get("x-twilio-signature", "")
        is_set = bool(settings.twilio_webhook_url)
        url = twilio.webhook_url(settings, post.query, post.org) if is_set else post.url
        return twilio.read(url, form, signed, settings, post.received_at, is_foreign)

    def messenger(self, settings: ChannelSettings, clock: Clock) -> Messenger | None:
        """Open what sends by Twilio; an account without a token sends nothing, and is checked all the same."""
        if settings.twilio_account_sid:
            account_of(settings)
        return TwilioMessenger(settings, clock) if settings.twilio_auth_token else None

    def fetcher(self, settings: ChannelSettings) -> MediaFetcher | None:
        """Open what fetches files from Twilio."""
        return TwilioMedia(settings) if settings.twilio_auth_token else None
