"""The web channel: a message is sent as soon as the page may read it, and delivered when the page has."""

from __future__ import annotations

from saidonce.foundation.model.conversation import Conversation, OutboxMessage


class WebMessenger:
    """See `saidonce.foundation.ports.conversations.Messenger`; the chat page reads the outbox itself."""

    def send(self, message: OutboxMessage, to: Conversation) -> str:
        """Give the message's own id: it waits for the page."""
        del to
        return message.id
