"""Letters to contractors, by the mail server that carries notices."""

from __future__ import annotations

from collections.abc import Mapping

from saidonce.adapters.senders import open_senders
from saidonce.errors import DeliveryError
from saidonce.foundation.model import Channel, ChannelKind
from saidonce.foundation.model.progress import Letter
from saidonce.foundation.ports.sending import Message, Sender
from saidonce.foundation.settings.policy import Settings


class LetterPost:
    """Hands letters to the mail server; see `saidonce.repairs.conversation.Post`."""

    def __init__(self, senders: Mapping[ChannelKind, Sender], org: str) -> None:
        self._senders = senders
        self._org = org

    def __call__(self, letter: Letter) -> None:
        """Send a letter; one that was tried before goes under the same id.

        Raises:
            DeliveryError: it was not taken.
        """
        sender = self._senders.get(ChannelKind.EMAIL)
        if sender is None:
            raise DeliveryError("e-mail", "no mail server is configured")
        to = Channel(letter.id, ChannelKind.EMAIL, letter.to, "", 0, "", 0, letter.made_at)
        sender.send(to, Message(letter.id, self._org, letter.made_at, letter.subject, letter.text, {}))


def open_post(settings: Settings) -> LetterPost:
    """Open what sends letters.

    Raises:
        SettingsError: the mail server or the sender's address is malformed.
    """
    senders = open_senders(
        settings.smtp_url, settings.smtp_from, settings.webhook_allow_private, settings.send_timeout_s
    )  # fmt: skip
    return LetterPost(senders, settings.org)
