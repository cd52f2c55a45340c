"""Rows of an export for what is kept beside documents: keys and channels without their secrets, rulings and budgets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime

from saidonce.adapters.postgres.records import compose
from saidonce.errors import StoreCorruptError
from saidonce.foundation.codec import ruling_from_json
from saidonce.foundation.model import ApiKey, Channel, ChannelKind, Scope

_ORIGIN = re.compile(r"[A-Za-z]+://[^/?#]*")


@dataclass(frozen=True, slots=True)
class KeyRow:
    """An API key without what proves it."""

    id: str
    person: str
    label: str
    scopes: tuple[str, ...]
    added_at: datetime
    revoked_at: datetime | None = None
    expires_at: datetime | None = None
    addresses: tuple[str, ...] = ()
    used_at: datetime | None = None

    def __post_init__(self) -> None:
        for scope in self.scopes:
            Scope(scope)


@dataclass(frozen=True, slots=True)
class ChannelRow:
    """A channel without its secret; of a webhook's address only where it leads."""

    id: str
    kind: ChannelKind
    target: str
    owner: str
    every_s: int
    seen: int
    added_at: datetime
    told_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class RulingRow:
    """A remembered ruling."""

    key: str
    ruling: str

    def __post_init__(self) -> None:
        try:
            ruling_from_json(self.ruling)
        except StoreCorruptError as bad:
            raise ValueError(str(bad)) from bad


@dataclass(frozen=True, slots=True)
class BudgetRow:
    """What the rulings of a day cost."""

    day: date
    n_calls: int
    cost: float


def key_row_of(key: ApiKey) -> KeyRow:
    """Return a key as an export holds it."""
    return compose(KeyRow, key, scopes=tuple(sorted(scope.value for scope in key.scopes)))


def key_of_row(row: KeyRow) -> ApiKey:
    """Return a key from an export, which cannot be used: its hash is not exported."""
    return compose(ApiKey, row, scopes=frozenset(map(Scope, row.scopes)), hash="")


def channel_row_of(channel: Channel) -> ChannelRow:
    """Return a channel as an export holds it."""
    leads_to = _ORIGIN.match(channel.target)
    target = channel.target if channel.kind is ChannelKind.EMAIL or leads_to is None else f"{leads_to[0]}/..."
    return compose(ChannelRow, channel, target=target)


def channel_of_row(row: ChannelRow) -> Channel:
    """Return a channel from an export; a webhook has no secret."""
    return compose(Channel, row, secret="")
