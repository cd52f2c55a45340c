"""Who works with a base, by what right, and how they are told of what happens."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from enum import StrEnum

from saidonce.errors import NotFoundError

MOST_NAMED = 3
"""People named to somebody who names a person that is not there."""


class Role(StrEnum):
    """What a person may do; each may do what those before may."""

    READER = "reader"
    REVIEWER = "reviewer"
    OWNER = "owner"


class Scope(StrEnum):
    """What an API key is good for."""

    READ = "read"
    """everything except residents' data"""
    RESIDENTS = "residents"
    """conversations, issues, homes and files: personal data of residents"""
    WRITE = "write"
    REVIEW = "review"
    ADMIN = "admin"


SCOPES_OF = {
    Role.READER: frozenset({Scope.READ}),
    Role.REVIEWER: frozenset({Scope.READ, Scope.RESIDENTS, Scope.REVIEW}),
    Role.OWNER: frozenset(Scope),
}


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody of an organisation.

    Attributes:
        subject: "issuer subject" of single sign-on; empty without.
        active_at: when they last did something here; None if never.
        left_at: when they left; None while they are there.
    """

    name: str
    email: str
    role: Role
    added_at: datetime
    subject: str = ""
    active_at: datetime | None = None
    left_at: datetime | None = None


def check_assignable(name: str, people: Iterable[Person]) -> None:
    """Check that work can be given to a person; an empty name, and any where nobody is registered, will do.

    Raises:
        NotFoundError: nobody who is there has this name; it names those who are, the most alike first.
    """
    everybody = list(people)
    present = sorted(p.name for p in everybody if p.left_at is None)
    if not name or not everybody or name in present:
        return
    alike = get_close_matches(name, present, MOST_NAMED, 0.0)
    raise NotFoundError("person", name, f"there are: {', '.join(alike) or 'none'}; 'saidonce people list' lists all")


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key of a person; only a hash of its secret is kept.

    Attributes:
        hash: 64 hex digits, SHA-256 of the secret, which is 256 random bits; empty for a key that came from an export,
            which fits no secret.
        expires_at: from when on it is no good; None if it does not run out.
        addresses: networks (CIDR) from which it may be used; empty allows all.
        used_at: time of last use, to five minutes; None if never.
    """

    id: str
    person: str
    label: str
    scopes: frozenset[Scope]
    hash: str
    added_at: datetime
    revoked_at: datetime | None = None
    expires_at: datetime | None = None
    addresses: tuple[str, ...] = ()
    used_at: datetime | None = None


class ChannelKind(StrEnum):
    """How a notice travels."""

    WEBHOOK = "webhook"
    EMAIL = "email"


@dataclass(frozen=True, slots=True)
class Channel:
    """Where an organisation wants to be told of automatic merges and flags.

    Attributes:
        target: a URL, or an e-mail address.
        owner: only of blocks of this owner; all if empty.
        every_s: seconds between digests; 0 tells at once.
        secret: signs webhooks; empty for e-mail, and for a webhook that came from an export, to which nothing is sent.
        seen: number of the last decision told.
        told_at: when the last notice was made; None before the first.
    """

    id: str
    kind: ChannelKind
    target: str
    owner: str
    every_s: int
    secret: str
    seen: int
    added_at: datetime
    told_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """One message of a channel: the decisions after one number up to another.

    Attributes:
        id: goes along, so that a receiver can tell a repetition.
        delivered_at: None until the receiver has accepted it.
    """

    id: str
    channel: str
    after: int
    up_to: int
    made_at: datetime
    n_tries: int = 0
    error: str = ""
    delivered_at: datetime | None = None
