"""What happened that matters to security, and what is asked of that log."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class SecurityKind(StrEnum):
    """What happened."""

    SIGNED_IN = "signed_in"
    SIGNED_OUT = "signed_out"
    REFUSED = "refused"
    """an invalid credential, or a request without permission"""
    SLOWED = "slowed"
    """too many failed attempts from one address; further ones are refused for a while"""
    PERSON_ADDED = "person_added"
    ROLE_CHANGED = "role_changed"
    PERSON_LEFT = "person_left"
    KEY_MADE = "key_made"
    KEY_FIRST_USED = "key_first_used"
    KEY_REVOKED = "key_revoked"
    CHANNEL_ADDED = "channel_added"
    CHANNEL_REMOVED = "channel_removed"
    EXPORTED = "exported"
    IMPORTED = "imported"
    ERASED = "erased"
    HANDED_OUT = "handed_out"
    """everything about a resident was exported"""
    SETTINGS = "settings"
    """the program runs with changed settings"""
    BACKED_UP = "backed_up"
    RESTORED = "restored"


@dataclass(frozen=True, slots=True)
class SecurityEvent:
    """An entry of the security log; no secret ever stands in it.

    Attributes:
        at: aware UTC.
        person: person; empty if nobody was authenticated.
        address: of the network, from which they did; empty on this machine.
        door: where they came in: command, http, mcp.
        subject: target: a person, the id of a key, a file.
        detail: more of it, by name.
        n: its number in the organisation; 0 before it is appended.
    """

    kind: SecurityKind
    at: datetime
    person: str = ""
    address: str = ""
    door: str = ""
    subject: str = ""
    detail: tuple[tuple[str, str], ...] = ()
    n: int = 0


@dataclass(frozen=True, slots=True)
class SecurityFilter:
    """Which entries of the security log; empty conditions hold for all.

    Attributes:
        since, until: moments, of which the first is included.
        before, after: numbers, themselves excluded.
        limit: most entries: the newest, or with `after` the next ones.
    """

    kinds: tuple[SecurityKind, ...] = ()
    person: str = ""
    address: str = ""
    since: datetime | None = None
    until: datetime | None = None
    before: int | None = None
    after: int | None = None
    limit: int = 100
