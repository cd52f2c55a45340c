"""Channels for notices: add, remove and test them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.context import Context
from saidonce.foundation.model import Channel, ChannelKind
from saidonce.foundation.model.security import SecurityKind
from saidonce.foundation.ports.sending import Chance, Message, Sender
from saidonce.platform.security_log import noted

NOW_S, HOURLY_S, DAILY_S = 0, 3_600, 86_400
LONGEST_S = 366 * DAILY_S

_EMAIL = re.compile(r"[^\s@<>,;:\"()\[\]\\\x00-\x1f\x7f]+@[A-Za-z0-9._-]+")
_PRINTABLE_ASCII = re.compile(r"[\x21-\x7e]+")


def add_channel(context: Context, kind: ChannelKind, target: str, owner: str, every_s: int, chance: Chance) -> Channel:
    """Add a channel for all notices from now on.

    Args:
        context: wired ports.
        kind: transport of the notices.
        target: a URL or an e-mail address.
        owner: only of blocks of this owner; all if empty.
        every_s: seconds between digests; 0 sends at once.
        chance: `secrets.token_bytes`.

    Returns:
        The channel; its `secret` signs webhooks, for verification by their receiver.

    Raises:
        UsageError: the target is invalid, or the time between digests is out of range.
    """
    target = target.strip()
    if kind is ChannelKind.WEBHOOK:
        _check_url(target)
    elif not _EMAIL.fullmatch(target):
        raise UsageError(f"{target!r} is not an e-mail address")
    if not 0 <= every_s <= LONGEST_S:
        raise UsageError(f"seconds between digests must be 0 (at once) to {LONGEST_S}, not {every_s}")
    with noted(context.store, context.clock.now()) as note:
        newest = context.store.ledger.decisions(limit=1)
        channel = Channel(
            id=chance(6).hex(), kind=kind, target=target, owner=owner.strip(), every_s=every_s,
            secret=chance(32).hex() if kind is ChannelKind.WEBHOOK else "",
            seen=newest[0].seq if newest else 0, added_at=context.clock.now(),
        )  # fmt: skip
        context.store.people.put_channel(channel)
        note(SecurityKind.CHANNEL_ADDED, channel.id, of=kind)
    return channel


def remove_channel(context: Context, id: str) -> None:
    """Remove a channel, with its undelivered notices.

    Raises:
        NotFoundError: there is none.
    """
    with noted(context.store, context.clock.now()) as note:
        context.store.people.drop_channel(id)
        note(SecurityKind.CHANNEL_REMOVED, id)


def send_test(context: Context, senders: Mapping[ChannelKind, Sender], id: str, chance: Chance) -> None:
    """Send a test message to a channel.

    Raises:
        NotFoundError: there is no such channel.
        DeliveryError: the receiver did not take it.
    """
    channel = find_channel(context, id)
    notice = f"test-{chance(8).hex()}"
    now = context.clock.now()
    fields = {"notice": notice, "org": context.store.org, "made_at": now.isoformat(), "test": True}
    text = "This is a test from saidonce: notifications of automatic merges and flags will arrive here.\n"
    senders[channel.kind].send(
        channel, Message(notice, context.store.org, now, "saidonce: a test", text, {**fields, "text": text})
    )


def find_channel(context: Context, id: str) -> Channel:
    """Return one channel.

    Raises:
        NotFoundError: there is none.
    """
    channel = next((c for c in context.store.people.channels() if c.id == id), None)
    if channel is None:
        raise NotFoundError("channel", id, "'saidonce channels list' lists them")
    return channel


def _check_url(target: str) -> None:
    try:
        url = urlsplit(target)
        is_url = bool(url.scheme in ("http", "https") and url.hostname and url.port != 0)
    except ValueError:
        is_url = False
    # The address is not repeated: its path may be a secret.
    if not is_url or not _PRINTABLE_ASCII.fullmatch(target):
        raise UsageError("a webhook needs an ASCII URL with https:// or http:// and a host")
    if url.username is not None or url.password is not None:
        raise UsageError("remove user and password from the URL; webhooks are signed instead")
