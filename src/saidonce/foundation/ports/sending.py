"""Ports: how notices leave, and where chance comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from saidonce.foundation.model import Channel


class Chance(Protocol):
    """Gives random bytes that nobody can guess."""

    def __call__(self, nbytes: int, /) -> bytes:
        """Return so many bytes."""
        ...


@dataclass(frozen=True, slots=True)
class Message:
    """A notice in words, and in fields.

    Attributes:
        notice: id of the notice; goes along with every try, so that a receiver can tell a repetition.
        text: plain lines.
        fields: the same for programs; JSON values only.
    """

    notice: str
    org: str
    made_at: datetime
    subject: str
    text: str
    fields: Mapping[str, object]


class Sender(Protocol):
    """Carries messages to the targets of one kind of channel."""

    def send(self, channel: Channel, message: Message) -> None:
        """Hand a message over; on return the receiver has accepted it.

        Raises:
            DeliveryError: it has not, or nobody knows.
        """
        ...
