"""What a channel that residents write by has to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from saidonce.foundation.ports import Clock
from saidonce.foundation.ports.conversations import Messenger
from saidonce.foundation.ports.intake import MediaFetcher
from saidonce.foundation.settings.channels import ChannelSettings
from saidonce.repairs.channels.received import Received

IsForeign = Callable[[str], bool]
"""Tells of a number of ours whether it belongs to another organisation than the one whose address was called."""


@dataclass(frozen=True, slots=True)
class ChannelPost:
    """A request to a channel's address, as it came in.

    Attributes:
        org: whose address was called.
        url: the whole address as the server saw it, query included; a proxy may have changed it.
        query: its raw query.
        headers: by name in lower case.
        body: the raw bytes.
        received_at: now.
    """

    org: str
    url: str
    query: str
    headers: Mapping[str, str]
    body: bytes
    received_at: datetime


class ResidentChannel(Protocol):
    """One channel: its posts are read, messages sent by it, files fetched from it.

    It keeps no state and opens nothing before it is asked to. What a resident writes comes back from `read` with
    `Via(name)`, and messages go out by the messenger of the same name.
    """

    @property
    def name(self) -> str:
        """Name in addresses (`/webhooks/NAME/ORG`), records and errors; it never changes."""
        ...

    @property
    def settings(self) -> frozenset[str]:
        """Settings that it reads; a plug-in's own stand in `channel_options`, and are named as there."""
        ...

    @property
    def secrets(self) -> frozenset[str]:
        """Those of its settings that are shown to nobody."""
        ...

    def handshake(self, params: Mapping[str, str], settings: ChannelSettings) -> str:
        """Return the answer to the question, by GET, whether an address is ours.

        Args:
            params: of the request's address.
            settings: all of them.

        Raises:
            AccessError: who asks does not prove to be the channel.
            UsageError: it is no such question, or this channel has none.
        """
        ...

    def read(self, post: ChannelPost, settings: ChannelSettings, is_foreign: IsForeign) -> Received:
        """Read a post: messages of residents and statuses of ours; what cannot be read costs its neighbours nothing.

        Raises:
            AccessError: the signature is missing or wrong, or nothing is set to check it by.
            UsageError: it is no post of this channel.
        """
        ...

    def messenger(self, settings: ChannelSettings, clock: Clock) -> Messenger | None:
        """Open what sends messages; None where the settings do not set the channel up.

        Raises:
            SettingsError: what is set is malformed.
        """
        ...

    def fetcher(self, settings: ChannelSettings) -> MediaFetcher | None:
        """Open what fetches files; None where the settings do not set the channel up, or where it has no files.

        Raises:
            SettingsError: what is set is malformed.
        """
        ...
