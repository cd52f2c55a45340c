"""What settings open: messengers and fetchers by channel."""

from __future__ import annotations

from collections.abc import Mapping

from saidonce.errors import DeliveryError
from saidonce.foundation.model.conversation import Conversation, OutboxMessage
from saidonce.foundation.model.residents import Via
from saidonce.foundation.ports import Clock
from saidonce.foundation.ports.conversations import Messenger
from saidonce.foundation.ports.intake import MediaFetcher
from saidonce.foundation.settings.channels import ChannelSettings
from saidonce.repairs.channels.cloud_sending import CloudMessenger
from saidonce.repairs.channels.media import CloudMedia, TwilioMedia
from saidonce.repairs.channels.twilio_sending import TwilioMessenger, account_of


class ByChannel:
    """Sends each message by the channel that its resident writes by; see `foundation.ports.conversations.Messenger`."""

    def __init__(self, messengers: Mapping[Via, Messenger]) -> None:
        self._messengers = dict(messengers)

    def send(self, message: OutboxMessage, to: Conversation) -> str:
        """Send a message.

        Raises:
            DeliveryError: the channel is not set up, or refused it.
            TimeoutError: nobody knows whether it was sent.
        """
        messenger = self._messengers.get(to.sender.via)
        if messenger is None:
            raise DeliveryError(to.sender.via, "this channel is not set up")
        return messenger.send(message, to)


def open_messengers(settings: ChannelSettings, clock: Clock) -> dict[Via, Messenger]:
    """Give messengers of the channels that settings hold a token for.

    Raises:
        SettingsError: what is set is malformed; a Twilio account also without a token.
    """
    found: dict[Via, Messenger] = {}
    if settings.twilio_account_sid:
        account_of(settings)
    if settings.whatsapp_token:
        found[Via.WHATSAPP] = CloudMessenger(settings, clock)
    if settings.twilio_auth_token:
        found[Via.TWILIO] = TwilioMessenger(settings, clock)
    return found


def open_fetchers(settings: ChannelSettings) -> dict[Via, MediaFetcher]:
    """Give fetchers of the channels that settings hold a token for.

    Raises:
        SettingsError: what is set is malformed.
    """
    found: dict[Via, MediaFetcher] = {}
    if settings.whatsapp_token:
        found[Via.WHATSAPP] = CloudMedia(settings)
    if settings.twilio_auth_token:
        found[Via.TWILIO] = TwilioMedia(settings)
    return found
