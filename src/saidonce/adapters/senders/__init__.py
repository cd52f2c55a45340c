"""Adapter: channels. Webhooks, signed, and e-mail."""

from __future__ import annotations

from saidonce.adapters.senders.email import EmailSender
from saidonce.adapters.senders.webhook import WebhookSender
from saidonce.foundation.model import ChannelKind
from saidonce.foundation.ports.sending import Sender

__all__ = ["EmailSender", "WebhookSender", "open_senders"]


def open_senders(smtp_url: str, smtp_from: str, allow_private: bool, timeout_s: float) -> dict[ChannelKind, Sender]:
    """Return a sender for each kind of channel.

    Raises:
        SettingsError: the mail server or the sender's address is malformed.
    """
    return {
        ChannelKind.WEBHOOK: WebhookSender(allow_private, timeout_s),
        ChannelKind.EMAIL: EmailSender(smtp_url, smtp_from, timeout_s),
    }
