"""The web channel: a message is sent as soon as the page may read it, and delivered when the page has."""

from __future__ import annotations

from dataclasses import dataclass

from saidonce.errors import FileRefusal, MediaError
from saidonce.foundation.model.conversation import Conversation, OutboxMessage
from saidonce.foundation.model.residents import WaitingMedia
from saidonce.foundation.ports.media import MediaFiles


class WebMessenger:
    """See `saidonce.foundation.ports.conversations.Messenger`; the chat page reads the outbox itself."""

    def send(self, message: OutboxMessage, to: Conversation) -> str:
        """Return the message's own id: it waits for the page."""
        del to
        return message.id


@dataclass(frozen=True, slots=True)
class WebFiles:
    """See `saidonce.foundation.ports.intake.MediaFetcher`; a file sent on a page of ours lies in our store already.

    Attributes:
        files: of the organisation.
    """

    files: MediaFiles

    def fetch(self, waiting: WaitingMedia, most: int) -> bytes:
        """Return a file's bytes."""
        file = self.files.get(waiting.media.sha256)
        if file is None:
            raise MediaError(FileRefusal.GONE, "it is no longer in the store", is_final=True)
        if len(file[0]) > most:
            raise MediaError(FileRefusal.TOO_LARGE, f"it has more than {most} bytes", is_final=True)
        return file[0]
