"""Whether a channel takes news that its resident did not ask for; see `foundation.ports.conversations.Outlets`."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime

from saidonce.foundation.model.conversation import Conversation
from saidonce.foundation.model.residents import Via
from saidonce.foundation.settings.channels import ChannelSettings
from saidonce.repairs.channels.cloud_sending import WINDOW


class ChannelOutlets:
    """Knows which channels are set up, and which of them close a window after the resident's last message.

    Args:
        settings: whether templates are approved for WhatsApp, from Meta and through Twilio.
        open_vias: returns the channels by which messages are sent; asked when the first message is to go out.
        windowless: channels whose messages stay here, as in a demo.
    """

    def __init__(
        self, settings: ChannelSettings, open_vias: Callable[[], Collection[Via]], windowless: Collection[Via] = ()
    ) -> None:
        templates = {Via.WHATSAPP: settings.whatsapp_template, Via.TWILIO: settings.twilio_template}
        self._closing = {via for via, template in templates.items() if not template and via not in windowless}
        self._open_vias = open_vias

    def obstacle(self, to: Conversation, at: datetime) -> str:
        """Return why no news can be sent to a resident at a moment; empty if it can.

        Web pages and SMS have no window: a web page shows the news when it is opened next.
        """
        if to.opted_out_at is not None:
            return "opted_out"
        if to.sender.via not in self._open_vias():
            return "no_channel"
        heard = to.last_inbound_at
        is_closed = to.sender.via in self._closing and (heard is None or at >= heard + WINDOW)
        return "window_closed" if is_closed else ""
