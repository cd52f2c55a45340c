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
from saidonce.repairs.channels.registry import channels_of


class ByChannel:
    """Sends each message by the channel that its resident writes by; see `foundation.ports.conversations.Messenger`."""

    def __init__(self, messengers: Mapping[Via, Messenger]) -> None:
        self._messengers = dict(messengers)

    @property
    def vias(self) -> frozenset[Via]:
        """The channels that are set up."""
        return frozenset(self._messengers)

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
    """Open messengers of the channels that settings set up.

    Raises:
        SettingsError: what is set is malformed; a Twilio account also without a token.
        PluginError: a channel of a plug-in cannot be loaded.
    """
    opened = {Via(name): channel.messenger(settings, clock) for name, channel in channels_of(settings).items()}
    return {via: messenger for via, messenger in opened.items() if messenger is not None}


def open_fetchers(settings: ChannelSettings) -> dict[Via, MediaFetcher]:
    """Open fetchers of the channels that settings set up.

    Raises:
        SettingsError: what is set is malformed.
        PluginError: a channel of a plug-in cannot be loaded.
    """
    opened = {Via(name): channel.fetcher(settings) for name, channel in channels_of(settings).items()}
    return {via: fetcher for via, fetcher in opened.items() if fetcher is not None}
