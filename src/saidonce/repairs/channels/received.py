"""What a post of a channel holds: messages, statuses of ours, and what was not taken, with reasons."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta

from saidonce.foundation.model.conversation import OutboxState
from saidonce.foundation.model.residents import Inbound
from saidonce.foundation.settings.channels import ChannelSettings, numbers_of

MAX_BODY = 4_000_000
"""Most bytes of one post. Source: Meta's documentation, payloads of up to 3 MB."""

MAX_TEXT = 65_536
"""Most characters of a message that are kept; WhatsApp's own limit is 4,096."""

ID = re.compile(r"[\x21-\x7e]{1,512}")
"""Ids of a channel, in the printable characters that they are made of."""

PHONE = re.compile(r"[1-9][0-9]{4,14}")
"""A phone number without its plus. Source: E.164, fifteen digits at most."""


@dataclass(frozen=True, slots=True)
class DeliveryStatus:
    """How far a message of ours has come.

    Attributes:
        callback: id of the outbox message, as we sent it along.
        reason: the channel's own codes of a failure.
    """

    callback: str
    state: OutboxState
    external_id: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class NotTaken:
    """Something in a post that became no message and no status; `id` is empty where there is none."""

    id: str
    reason: str


NUMBER_OF_ANOTHER = "number of another organisation"
"""Reason of what was sent to a number that does not belong to the organisation whose address was called."""


TOO_OLD = "older than webhook_oldest_h"
NOT_YET = "sent in the future"
AHEAD = timedelta(minutes=10)
"""How far a channel's clock may be ahead of ours."""


@dataclass(frozen=True, slots=True)
class Received:
    """One post of a channel, in the order in which it was written."""

    inbounds: tuple[Inbound, ...] = ()
    statuses: tuple[DeliveryStatus, ...] = ()
    refused: tuple[NotTaken, ...] = ()


def replayed(inbound: Inbound, settings: ChannelSettings) -> str:
    """Return why a message is taken for a replay, by the time that its channel signed; empty if it is none."""
    if inbound.sent_at < inbound.received_at - timedelta(hours=settings.webhook_oldest_h):
        return TOO_OLD
    return NOT_YET if inbound.sent_at > inbound.received_at + AHEAD else ""


def is_of_another(settings: ChannelSettings, org: str, own_org: str, number: str) -> bool:
    """Return whether a number does not belong to an organisation.

    Args:
        settings: with `channel_numbers`.
        org: whose address was called.
        own_org: whose every number is that `channel_numbers` does not name.
    """
    return numbers_of(settings.channel_numbers).get(number, own_org) != org


def phone_of(digits: str | None) -> str | None:
    """Return a phone number with its plus, or None if it is none."""
    bare = (digits or "").removeprefix("+")
    return f"+{bare}" if PHONE.fullmatch(bare) else None
