"""Nouns of those who rent: properties, tenancies, and what residents send by a channel.

A *resident* rents a *property* by a *tenancy*; the three together are a *home*. An *inbound* is one message of a
channel.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

CHANNEL_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")
"""How a channel of residents may be called; it stands in addresses and in the keys of residents."""


class Via(StrEnum):
    """Channels that residents write by: those of ours, and `Via("name")` of a plug-in's."""

    WHATSAPP = "whatsapp"
    TWILIO = "twilio"
    SMS = "sms"
    WEB = "web"

    @classmethod
    def _missing_(cls, value: object) -> Via | None:
        """Return the name of a plug-in's channel; None, so that it is refused, for what is no name."""
        if not isinstance(value, str) or not CHANNEL_NAME.fullmatch(value):
            return None
        via = str.__new__(cls, value)
        via._name_, via._value_ = value.upper(), value
        return via


class InboundKind(StrEnum):
    """What an inbound message is; delivery statuses are none."""

    TEXT = "text"
    MEDIA = "media"
    BUTTON = "button"
    EDITED = "edited"
    """new text of an edited message"""
    PHONE_CHANGED = "phone_changed"
    UNSUPPORTED = "unsupported"
    """content that cannot be shown; the resident is told so"""
    FILE_REFUSED = "file_refused"
    """a file of an earlier message was rejected; the resident is told so"""


@dataclass(frozen=True, slots=True)
class Property:
    """A place that is let. `building` names what it shares with neighbours; empty if nothing."""

    id: str
    address: str
    unit: str = ""
    building: str = ""
    postcode: str = ""

    @property
    def line(self) -> str:
        """The unit and the address, in one line."""
        return ", ".join(filter(None, (self.unit, self.address)))

    @property
    def whole_line(self) -> str:
        """The same with the postcode."""
        return ", ".join(filter(None, (self.unit, self.address, self.postcode)))


@dataclass(frozen=True, slots=True)
class Resident:
    """Somebody who rents.

    Attributes:
        phones: digits with a leading +, as the landlord knows them.
        external_ids: channel identities that proved to be theirs, as "via:id".
    """

    id: str
    name: str
    phones: tuple[str, ...] = ()
    external_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tenancy:
    """A resident rents a property from one moment until another; `ends_at` None means until further notice."""

    id: str
    property_id: str
    resident_id: str
    starts_at: datetime
    ends_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Home:
    """A tenancy with its property and its resident."""

    tenancy: Tenancy
    property: Property
    resident: Resident


@dataclass(frozen=True, slots=True)
class ChannelIdentity:
    """Who a channel says is writing; the phone may be missing, and is never the key.

    Attributes:
        verified: the channel itself proved possession (a signed webhook); a web form has not.
    """

    via: Via
    external_user_id: str
    phone: str | None = None
    verified: bool = True

    @property
    def key(self) -> str:
        """Name of this identity, as a resident's `external_ids` keep it."""
        return f"{self.via}:{self.external_user_id}"


@dataclass(frozen=True, slots=True)
class Media:
    """A file that a resident sent; only a stored one counts as a photo.

    Attributes:
        id: the channel's name of it.
        mime: what the channel says that it is; of a stored one, what its bytes are.
        sha256: lower-case hex; before it is stored what the channel says, empty if it says nothing.
        thumbnail: sha256 of its small picture in the same store; empty without.
        original: sha256 of the file as it came, with its notes about place and camera; empty unless it is kept.
        transcript: what is said in it, as a recogniser heard it; empty without.
        unclear: a recogniser listened to it, and understood nothing, or not surely enough to act upon it.
        apart: why its notes could not be taken off (not_decodable, notes_not_removed), so that it is shown only with
            care, or no_longer_kept; empty of what has none.
    """

    id: str
    mime: str
    sha256: str = ""
    stored: bool = False
    thumbnail: str = ""
    original: str = ""
    apart: str = ""
    transcript: str = ""
    unclear: bool = False

    @property
    def hashes(self) -> frozenset[str]:
        """Names of everything of it that lies in our store."""
        return frozenset(filter(None, (self.sha256, self.thumbnail, self.original))) if self.stored else frozenset()

    @property
    def is_photo(self) -> bool:
        """Return whether it is a picture or a film that lies in our store."""
        return self.stored and self.mime.partition("/")[0] in ("image", "video")

    @property
    def is_voice(self) -> bool:
        """Return whether it is a voice message that lies in our store."""
        return self.stored and self.mime.startswith("audio/")


@dataclass(frozen=True, slots=True)
class WaitingMedia:
    """A file that is still to be fetched.

    Attributes:
        inbound: the message that it came with.
        n_tries: how often it was taken up, this time included.
    """

    inbound: Inbound
    media: Media
    n_tries: int


@dataclass(frozen=True, slots=True)
class Inbound:
    """One message of a resident, kept once for each (via, number_id, message_id).

    Attributes:
        number_id: which of our numbers it was sent to.
        button: payload of the button that was pressed.
        seq: number in the organisation's inbox, from 1; 0 before it is kept.
        scanned: the emergency scan has looked at it.
    """

    sender: ChannelIdentity
    number_id: str
    message_id: str
    kind: InboundKind
    sent_at: datetime
    received_at: datetime
    text: str = ""
    media: tuple[Media, ...] = ()
    button: str = ""
    conversation_id: str = ""
    seq: int = 0
    scanned: bool = False

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells a repetition."""
        return (self.sender.via, self.number_id, self.message_id)

    @property
    def is_heard(self) -> bool:
        """Return whether its text is what a recogniser heard, so that it may raise an alarm, and never lower one."""
        return any(m.is_voice for m in self.media)

    def as_sent(self) -> tuple[datetime, str]:
        """Return the sort key of messages in sending order; ties by the channel's id."""
        return (self.sent_at, self.message_id)
