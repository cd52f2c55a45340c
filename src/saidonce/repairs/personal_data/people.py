"""Everything that is kept about one person: who they are, where they live, what they wrote, what came of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.model.board import IssueMove
from saidonce.foundation.model.conversation import (
    Conversation,
    EmergencyEvent,
    Issue,
    LandlordNotice,
    OutboxMessage,
    Turn,
)
from saidonce.foundation.model.residents import Home, Inbound, Media, Resident
from saidonce.foundation.ports.conversations import Conversations

EVERY = 1_000_000
_NOT_DIGITS = re.compile(r"[^0-9]")


@dataclass(frozen=True, slots=True)
class Belongings:
    """What one organisation keeps about one person.

    Attributes:
        residents: usually one; several if the landlord entered the same number twice and one of them was asked for.
        homes: their tenancies, ended ones too.
        conversations: all on which they wrote, each with what lies in it.
        issues: of those conversations or of those tenancies.
        others: ids of conversations with the person's number that belong to somebody else's tenancy; they stay.
    """

    residents: tuple[Resident, ...]
    homes: tuple[Home, ...]
    conversations: tuple[Conversation, ...]
    inbounds: tuple[Inbound, ...]
    turns: tuple[Turn, ...]
    outbox: tuple[OutboxMessage, ...]
    events: tuple[EmergencyEvent, ...]
    notices: tuple[LandlordNotice, ...]
    issues: tuple[Issue, ...]
    moves: tuple[IssueMove, ...]
    others: tuple[str, ...] = ()

    @property
    def media(self) -> tuple[Media, ...]:
        """Files of the messages that lie in our store, each once."""
        return tuple(dict.fromkeys(m for i in self.inbounds for m in i.media if m.stored))

    @property
    def names(self) -> frozenset[str]:
        """Words, numbers and ids that tell who the person is."""
        names = {word for r in self.residents for word in r.name.split() if len(word) > 1}
        phones = {phone for r in self.residents for phone in r.phones}
        phones |= {c.sender.phone for c in self.conversations if c.sender.phone}
        return frozenset({*names, *phones, *(c.sender.external_user_id for c in self.conversations)})


def find_person(store: Conversations, who: str) -> Belongings:
    """Return everything that is kept about a person.

    Args:
        store: of the organisation.
        who: id of a resident, a phone number with its plus, or the id of a conversation.

    Raises:
        NotFoundError: nothing is kept about such a person.
        UsageError: several residents have the number.
    """
    homes = store.homes()
    talks = store.conversations(EVERY)
    phone = f"+{_NOT_DIGITS.sub('', who)}" if who.strip().startswith("+") else ""
    residents = {h.resident.id: h.resident for h in homes if h.resident.id == who or phone in h.resident.phones}
    if who in {c.id for c in talks}:
        return _belongings(store, *_of_conversation(homes, next(c for c in talks if c.id == who)))
    if len(residents) > 1:
        raise UsageError(f"several residents have this number; give one of their ids: {', '.join(sorted(residents))}")
    mine = tuple(h for h in homes if h.resident.id in residents)
    keys = {key for r in residents.values() for key in r.external_ids}
    phones = {*(p for r in residents.values() for p in r.phones), *([phone] if phone else [])}
    tenancies = {h.tenancy.id for h in mine}
    same = [c for c in talks if c.tenancy_id in tenancies or c.sender.key in keys or c.sender.phone in phones]
    own = tuple(c for c in same if c.tenancy_id in tenancies or not c.tenancy_id or _is_gone(homes, c))
    if not residents and not own:
        raise NotFoundError("resident", who, "'saidonce homes list' lists them")
    others = tuple(c.id for c in same if c not in own)
    return _belongings(store, tuple(residents.values()), mine, own, others)


def _is_gone(homes: tuple[Home, ...], of: Conversation) -> bool:
    return all(h.tenancy.id != of.tenancy_id for h in homes)


def _of_conversation(
    homes: tuple[Home, ...], of: Conversation
) -> tuple[tuple[Resident, ...], tuple[Home, ...], tuple[Conversation, ...], tuple[str, ...]]:
    """Return a conversation whose writer is nobody that the landlord knows, as a person."""
    if of.identity.is_known and any(h.tenancy.id == of.tenancy_id for h in homes):
        raise UsageError("the landlord knows who wrote this conversation; give the resident's id or number")
    return (), (), (of,), ()


def _belongings(
    store: Conversations,
    residents: tuple[Resident, ...],
    homes: tuple[Home, ...],
    talks: tuple[Conversation, ...],
    others: tuple[str, ...],
) -> Belongings:
    ids, tenancies = {c.id for c in talks}, {h.tenancy.id for h in homes}
    issues = tuple(i for i in store.issues() if i.conversation_id in ids or i.tenancy_id in tenancies)
    return Belongings(
        residents, homes, talks,
        inbounds=tuple(i for c in talks for i in store.inbounds(c.id)),
        turns=tuple(t for c in talks for t in store.turns(c.id)),
        outbox=tuple(m for c in talks for m in store.outbox(c.id)),
        events=tuple(e for c in talks for e in store.events(c.id)),
        notices=tuple(n for n in store.notices() if n.conversation_id in ids),
        issues=issues, moves=tuple(m for i in issues for m in store.issue_moves(i.id)), others=others,
    )  # fmt: skip
