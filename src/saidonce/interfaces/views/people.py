"""People, API keys, channels of notices."""

from __future__ import annotations

from typing import Annotated, ClassVar
from urllib.parse import urlsplit

from pydantic import BeforeValidator

from saidonce.foundation.model import SCOPES_OF, Channel, ChannelKind, Role, Scope
from saidonce.interfaces.views.base import At, View

Scopes = Annotated[tuple[Scope, ...], BeforeValidator(sorted)]


def address_of(channel: Channel) -> str:
    """Return where a channel leads, without the secret part of a URL."""
    if channel.kind is ChannelKind.EMAIL:
        return channel.target
    url = urlsplit(channel.target)
    return f"{url.scheme}://{url.netloc.rpartition('@')[2]}/..."


class PersonView(View):
    """A person of the organisation."""

    DERIVED: ClassVar = {"scopes": lambda person: SCOPES_OF[person.role]}

    name: str
    email: str
    role: Role
    added_at: At
    subject: str
    """"issuer subject" of single sign-on"""
    active_at: At | None
    left_at: At | None
    scopes: Scopes


class KeyView(View):
    """An API key, without its secret."""

    id: str
    person: str
    label: str
    scopes: Scopes
    added_at: At
    revoked_at: At | None
    expires_at: At | None
    """time of expiry; null: never"""
    addresses: tuple[str, ...]
    """networks from which it may be used; empty: all"""
    used_at: At | None
    """time of last use, to five minutes"""


class NewKeyView(KeyView):
    """A new API key."""

    key: str
    """the key itself, returned only once"""


class ChannelView(View):
    """A channel, without its secret and without the secret part of its address."""

    DERIVED: ClassVar = {"target": address_of}

    id: str
    kind: ChannelKind
    target: str
    owner: str
    every_s: int
    """seconds between digests; 0: at once"""
    seen: int
    """number of the last decision that was notified"""
    added_at: At
    told_at: At | None


class NewChannelView(ChannelView):
    """A new channel."""

    secret: str
    """secret that signs webhooks, returned only once"""


class NoticeView(View):
    """One message of a channel: the decisions after one number up to another."""

    id: str
    channel: str
    after: int
    up_to: int
    made_at: At
    n_tries: int
    error: str
    delivered_at: At | None


class ChannelWithNotices(ChannelView):
    """A channel with its last notices."""

    notices: tuple[NoticeView, ...]


class ChannelId(View):
    """The channel that was removed."""

    id: str


class ChannelRemoved(View):
    """The channel that was removed."""

    removed: str


class ChannelTested(View):
    """The channel that was sent a test."""

    sent: str
