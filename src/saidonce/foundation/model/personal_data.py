"""Nouns of data protection: what was erased, handed out or let go, and what an erasure writes.

A *data act* is an entry of a log that nobody changes: who did what to personal data and when, with kinds and counts,
and nothing of the person.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from saidonce.foundation.model.conversation import Conversation, Issue, OutboxMessage, Turn
from saidonce.foundation.model.residents import Home, Inbound


class DataActKind(StrEnum):
    """What was done."""

    ERASED = "erased"
    EXPORTED = "exported"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class DataAct:
    """One entry of the log; `n` counts from 1, and is 0 before it is written.

    Attributes:
        subject: a random name by which the act is spoken of; it says nothing about the person.
        counts: how much of each kind, such as ("messages", 12).
        why: machine-readable: asked_by_landlord, asked_by_resident, or retention.
    """

    kind: DataActKind
    at: datetime
    by: str
    subject: str
    counts: tuple[tuple[str, int], ...] = ()
    why: str = ""
    n: int = 0


@dataclass(frozen=True, slots=True)
class Erasure:
    """Everything that an erasure writes, in one transaction.

    Attributes:
        conversations: ids of those that go, with everything in them.
        residents, tenancies: ids of those that go.
        shells: nameless conversations for the issues that stay.
        homes: nameless residents with their tenancies, likewise.
        issues: the issues that stay, as they become, by their ids.
        photos: messages of the shells that hold nothing but photos of issues; numbered when written.
        act: for the log.
    """

    conversations: tuple[str, ...]
    residents: tuple[str, ...]
    tenancies: tuple[str, ...]
    shells: tuple[Conversation, ...]
    homes: tuple[Home, ...]
    issues: tuple[Issue, ...]
    photos: tuple[Inbound, ...]
    act: DataAct


@dataclass(frozen=True, slots=True)
class Expiry:
    """What a round of retention writes, in one transaction.

    Attributes:
        inbounds, outbox, turns, issues: as they become, by their ids.
        notices: dedupe keys of notices that go.
        act: for the log.
    """

    act: DataAct
    inbounds: tuple[Inbound, ...] = ()
    outbox: tuple[OutboxMessage, ...] = ()
    turns: tuple[Turn, ...] = ()
    issues: tuple[Issue, ...] = ()
    notices: tuple[str, ...] = ()
