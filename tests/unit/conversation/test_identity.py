from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import product

import pytest

from saidonce.errors import UsageError
from saidonce.foundation.model.conversation import Conversation, IdentityStatus
from saidonce.foundation.model.residents import ChannelIdentity, Home, Property, Resident, Tenancy, Via
from saidonce.repairs.conversation.identity import (
    MOVES,
    Event,
    confirm,
    deny,
    next_status,
    offer,
    recognise,
    undo,
)
from saidonce.repairs.conversation.recognition import lookup_words

NOW = datetime(2026, 1, 17, 12, tzinfo=UTC)
SENDER = ChannelIdentity(Via.WHATSAPP, "u")
START = Conversation("c", SENDER, "n", NOW)


def home(name: str) -> Home:
    return Home(Tenancy(name, f"p{name}", "r", NOW), Property(f"p{name}", "12 Elm Road"), Resident("r", "Ana Bell"))


@pytest.mark.parametrize(("identity", "event"), list(product(IdentityStatus, Event)))
def test_only_listed_moves_exist(identity: IdentityStatus, event: Event) -> None:
    if (identity, event) in MOVES:
        assert next_status(identity, event) is MOVES[identity, event]
    else:
        with pytest.raises(UsageError):
            next_status(identity, event)


def test_nothing_but_proof_or_a_landlord_confirms() -> None:
    proof = {Event.ONE_HOME, Event.PICKED, Event.APPROVED}
    assert {e for (_, e), after in MOVES.items() if after is IdentityStatus.CONFIRMED} == proof
    assert {e for (_, e), after in MOVES.items() if after is IdentityStatus.ACTIVE} == {Event.HANDLED}


@pytest.mark.parametrize(
    ("proven", "named", "event", "found"),
    [
        ("a", "", Event.ONE_HOME, "a"),
        ("ab", "", Event.CANDIDATES, "ab"),
        ("", "a", Event.CANDIDATES, "a"),
        ("a", "b", Event.ONE_HOME, "a"),
        ("", "", Event.NOTHING_FOUND, ""),
    ],
)
def test_recognition(proven: str, named: str, event: Event, found: str) -> None:
    homes = {n: home(n) for n in "ab"}
    got, about = recognise(START, [homes[n] for n in proven], [homes[n] for n in named])
    assert got is event
    assert "".join(h.tenancy.id for h in about) == found


def test_an_unverified_channel_confirms_nothing() -> None:
    web = replace(START, sender=replace(SENDER, verified=False))
    assert recognise(web, [home("a")], []) == (Event.CANDIDATES, (home("a"),))


def test_a_denied_home_is_not_offered_again() -> None:
    of = deny(offer(START, [home("a"), home("b")]))
    assert of.identity is IdentityStatus.UNIDENTIFIED
    assert recognise(of, [home("a"), home("b")], [home("a")]) == (Event.NOTHING_FOUND, ())
    back = undo(confirm(START, Event.ONE_HOME, home("a"), NOW), Event.UNDONE)
    assert recognise(back, [home("a")], []) == (Event.NOTHING_FOUND, ())
    later = undo(confirm(START, Event.ONE_HOME, home("a"), NOW), Event.PHONE_CHANGED)
    assert recognise(later, [home("a")], [])[0] is Event.ONE_HOME


def test_postcodes_are_found_with_and_without_their_space() -> None:
    assert "ex12ab" in lookup_words(["Bell, EX1 2AB"])
    assert "ex12ab" in lookup_words(["ex12ab please"])
