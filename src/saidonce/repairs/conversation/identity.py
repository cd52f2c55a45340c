"""The state machine of identities, moved by code alone, from proofs of channels and data of landlords."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum

from saidonce.errors import UsageError
from saidonce.foundation.model.conversation import Conversation, IdentityStatus
from saidonce.foundation.model.residents import Home

MAX_CANDIDATES = 10
"""Rows of a list message. Source: documented limits of WhatsApp."""


class Event(StrEnum):
    """Events in the life of an identity."""

    ONE_HOME = "one_home"
    """exactly one active tenancy of a verified channel identity"""
    CANDIDATES = "candidates"
    """several tenancies, or some named by typed words"""
    NOTHING_FOUND = "nothing_found"
    PICKED = "picked"
    """a picked candidate belongs to the verified channel identity"""
    PICKED_UNPROVEN = "picked_unproven"
    DENIED = "denied"
    APPROVED = "approved"
    """the landlord approves the writer"""
    HANDLED = "handled"
    """a substantive message was handled"""
    UNDONE = "undone"
    PHONE_CHANGED = "phone_changed"
    TENANCY_ENDED = "tenancy_ended"
    LONG_SILENT = "long_silent"


_U, _I, _C, _A = IdentityStatus.UNIDENTIFIED, IdentityStatus.IDENTIFIED, IdentityStatus.CONFIRMED, IdentityStatus.ACTIVE

MOVES: dict[tuple[IdentityStatus, Event], IdentityStatus] = {
    (_U, Event.ONE_HOME): _C,
    (_U, Event.CANDIDATES): _I,
    (_U, Event.NOTHING_FOUND): _U,
    (_U, Event.APPROVED): _C,
    (_I, Event.ONE_HOME): _C,
    (_I, Event.CANDIDATES): _I,
    (_I, Event.NOTHING_FOUND): _I,
    (_I, Event.PICKED): _C,
    (_I, Event.PICKED_UNPROVEN): _I,
    (_I, Event.DENIED): _U,
    (_I, Event.APPROVED): _C,
    (_C, Event.HANDLED): _A,
    (_C, Event.UNDONE): _I,
    (_C, Event.PHONE_CHANGED): _I,
    (_C, Event.TENANCY_ENDED): _I,
    (_A, Event.HANDLED): _A,
    (_A, Event.UNDONE): _I,
    (_A, Event.PHONE_CHANGED): _I,
    (_A, Event.TENANCY_ENDED): _I,
    (_A, Event.LONG_SILENT): _I,
}
"""Every legal move; others are refused. An identified resident whose number turns out to belong to one tenancy only
(the landlord added it) is confirmed like an unidentified one."""


def next_status(identity: IdentityStatus, event: Event) -> IdentityStatus:
    """Return the identity status after an event.

    Raises:
        UsageError: the event cannot happen in this state.
    """
    if (identity, event) not in MOVES:
        raise UsageError(f"the event {event} is not possible for an identity that is {identity}")
    return MOVES[identity, event]


def recognise(of: Conversation, proven: Sequence[Home], named: Sequence[Home]) -> tuple[Event, tuple[Home, ...]]:
    """Return the event for a writer who is not confirmed, with the homes concerned.

    Args:
        of: the conversation; homes denied by its resident do not count.
        proven: active homes of its verified channel identity.
        named: active homes named by typed words; never enough to confirm.
    """
    mine = tuple(h for h in proven if h.tenancy.id not in of.excluded)
    if len(mine) == 1 and of.sender.verified:
        return Event.ONE_HOME, mine
    claimed = tuple(h for h in named if h.tenancy.id not in of.excluded and h not in mine)
    homes = (*mine, *claimed)[:MAX_CANDIDATES]
    return (Event.CANDIDATES, homes) if homes else (Event.NOTHING_FOUND, ())


def confirm(of: Conversation, event: Event, home: Home, at: datetime) -> Conversation:
    """Return the conversation bound to a home."""
    return replace(
        of, identity=next_status(of.identity, event), tenancy_id=home.tenancy.id, candidates=(), identity_tries=0,
        confirmed_at=at,
    )  # fmt: skip


def offer(of: Conversation, homes: Sequence[Home]) -> Conversation:
    """Return the conversation with homes to pick from."""
    return replace(
        of, identity=next_status(of.identity, Event.CANDIDATES), candidates=tuple(h.tenancy.id for h in homes)
    )  # fmt: skip


def deny(of: Conversation) -> Conversation:
    """Return the conversation without its offered homes; they are not offered again."""
    excluded = tuple(dict.fromkeys((*of.excluded, *of.candidates)))
    return replace(of, identity=next_status(of.identity, Event.DENIED), candidates=(), excluded=excluded)


def undo(of: Conversation, event: Event) -> Conversation:
    """Return the conversation unbound from its home; its draft stays, and waits.

    After "that is not me" the home is not offered again; after silence or a new number it may be.
    """
    wrong = (of.tenancy_id,) if event is Event.UNDONE else ()
    return replace(
        of, identity=next_status(of.identity, event), tenancy_id="", candidates=(), confirmed_at=None,
        excluded=tuple(dict.fromkeys((*of.excluded, *wrong))), draft_expires_at=None,
    )  # fmt: skip


def activate(of: Conversation) -> Conversation:
    """Return the conversation as active, after a substantive message."""
    return replace(of, identity=next_status(of.identity, Event.HANDLED))
