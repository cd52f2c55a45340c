"""Room: the identity machine. Code moves it, from what a channel proved and a landlord knows; a model never does."""

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
    """What can happen to an identity."""

    ONE_HOME = "one_home"
    """exactly one active tenancy of a verified channel identity"""
    CANDIDATES = "candidates"
    """several of them, or some found by what was typed"""
    NOTHING_FOUND = "nothing_found"
    PICKED = "picked"
    """a candidate was picked that the verified channel identity belongs to"""
    PICKED_UNPROVEN = "picked_unproven"
    DENIED = "denied"
    APPROVED = "approved"
    """the landlord says who it is"""
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
"""Every legal move; whatever is not here is refused. An identified resident whose number turns out to belong to one
tenancy only (the landlord added it) is confirmed like an unidentified one."""


def moved(identity: IdentityStatus, event: Event) -> IdentityStatus:
    """Give the identity after an event.

    Raises:
        UsageError: the event cannot happen in this state.
    """
    if (identity, event) not in MOVES:
        raise UsageError(f"an identity that is {identity} cannot move by {event}")
    return MOVES[identity, event]


def recognise(of: Conversation, proven: Sequence[Home], named: Sequence[Home]) -> tuple[Event, tuple[Home, ...]]:
    """Say what a store knows of somebody who is not confirmed, and the homes it is about.

    Args:
        of: the conversation; homes that its resident denied do not count.
        proven: active homes of its verified channel identity.
        named: active homes that what they typed names; never enough to confirm.
    """
    mine = tuple(h for h in proven if h.tenancy.id not in of.excluded)
    if len(mine) == 1 and of.sender.verified:
        return Event.ONE_HOME, mine
    claimed = tuple(h for h in named if h.tenancy.id not in of.excluded and h not in mine)
    found = (*mine, *claimed)[:MAX_CANDIDATES]
    return (Event.CANDIDATES, found) if found else (Event.NOTHING_FOUND, ())


def confirmed(of: Conversation, event: Event, home: Home, at: datetime) -> Conversation:
    """Bind a conversation to a home."""
    return replace(
        of, identity=moved(of.identity, event), tenancy_id=home.tenancy.id, candidates=(), identity_tries=0,
        confirmed_at=at,
    )  # fmt: skip


def identified(of: Conversation, homes: Sequence[Home]) -> Conversation:
    """Offer homes to pick from."""
    return replace(
        of, identity=moved(of.identity, Event.CANDIDATES), candidates=tuple(h.tenancy.id for h in homes)
    )  # fmt: skip


def denied(of: Conversation) -> Conversation:
    """Take the offered homes off; they are not offered again."""
    excluded = tuple(dict.fromkeys((*of.excluded, *of.candidates)))
    return replace(of, identity=moved(of.identity, Event.DENIED), candidates=(), excluded=excluded)


def undone(of: Conversation, event: Event) -> Conversation:
    """Unbind a conversation from its home; its draft stays as it is, and waits.

    After "that is not me" the home is not offered again; after silence or a new number it may be.
    """
    wrong = (of.tenancy_id,) if event is Event.UNDONE else ()
    return replace(
        of, identity=moved(of.identity, event), tenancy_id="", candidates=(), confirmed_at=None,
        excluded=tuple(dict.fromkeys((*of.excluded, *wrong))), draft_expires_at=None,
    )  # fmt: skip


def handled(of: Conversation) -> Conversation:
    """Note that a substantive message was handled."""
    return replace(of, identity=moved(of.identity, Event.HANDLED))
