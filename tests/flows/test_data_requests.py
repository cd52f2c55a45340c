"""A resident asks to have their data deleted: a person decides by a day that is named, or a yes is enough."""

from __future__ import annotations

from datetime import timedelta
from itertools import count

import pytest

from saidonce.foundation.model.conversation import LandlordEvent
from saidonce.foundation.model.personal_data import DataActKind
from saidonce.foundation.model.residents import (
    ChannelIdentity,
    Inbound,
    InboundKind,
    Property,
    Resident,
    Tenancy,
    Via,
)
from saidonce.repairs import conversation
from saidonce.repairs.channels.web import WebMessenger
from saidonce.repairs.conversation import ConversationDeps, Rules, wording
from saidonce.repairs.conversation.data_request import wants_erasure
from saidonce.repairs.personal_data import PersonalDataDeps, erase_confirmed, find_person
from saidonce.testing.memory_conversations import MemoryConversations
from saidonce.testing.memory_media import MemoryMedia
from whatsapp_posts import NOW

SENDER = ChannelIdentity(Via.WHATSAPP, "ana", "+447700900001")


class Clock:
    at = NOW

    def now(self):  # type: ignore[no-untyped-def]
        return self.at


def desk(erases_at_once: bool = False) -> PersonalDataDeps:
    deps = ConversationDeps(MemoryConversations("acme"), Clock(), rules=Rules(erases_at_once=erases_at_once))
    ana = Resident("r1", "Ana Bell", phones=("+447700900001",))
    start = NOW - timedelta(days=30)
    deps.store.put_home(Property("p1", "12 Elm Road", "Flat 2"), ana, Tenancy("t1", "p1", "r1", start))
    numbers = count(1)
    return PersonalDataDeps(deps, MemoryMedia(), lambda n: next(numbers).to_bytes(n, "big"))


def writes(at: PersonalDataDeps, text: str, button: str = "") -> list[str]:
    """Write as Ana; give what she reads."""
    deps = at.deps
    before = len(deps.store.outbox())
    deps.clock.at += timedelta(seconds=60)  # type: ignore[attr-defined]
    now = deps.clock.now()
    kind = InboundKind.BUTTON if button else InboundKind.TEXT
    conversation.receive(deps, Inbound(SENDER, "n", f"w{now}", kind, now, now, text, button=button))
    deps.clock.at += timedelta(seconds=11)  # type: ignore[attr-defined]
    while conversation.work(deps, "w") is not None:
        pass
    return [m.text for m in deps.store.outbox()[before:]]


# Written before the code was: what residents say, and what only sounds like it.
@pytest.mark.parametrize(
    "text",
    [
        "delete my data", "Please erase me", "erase me", "I want you to delete all my personal data please",
        "can u delete everything you have about me", "i want all my information removed. delete my details",
        "pls remove my phone number from ur system", "I invoke my right to be forgotten", "GDPR erasure request",
        "Wipe my chat history", "borra mis datos por favor", "Supprimez mes données s'il vous plaît",
        "Bitte löschen Sie meine Daten", "Löscht meine persönlichen Daten!", "proszę usunąć moje dane",
        "apaguem os meus dados", "ștergeți datele mele", "Delete my account",
    ],
)  # fmt: skip
def test_a_wish_to_be_deleted_is_understood(text: str) -> None:
    assert wants_erasure(text)


@pytest.mark.parametrize(
    "text",
    [
        "please delete my last message", "remove the old fridge from my kitchen", "can you remove my old sofa",
        "the mould won't wipe off my wall", "ignore that, delete my previous photo", "don't delete my data",
        "my data plan is used up", "I forgot my keys", "My number has changed, remove the old number please",
        "The heating has erased my savings", "did you delete my report?",
    ],
)  # fmt: skip
def test_what_only_sounds_like_it_is_none(text: str) -> None:
    assert not wants_erasure(text)


def test_a_wish_is_recorded_and_the_reply_says_who_decides_by_when() -> None:
    at = desk()
    writes(at, "The tap in my kitchen keeps dripping")
    (said_of_it,) = writes(at, "Please delete my data")
    day = f"{at.deps.clock.now() + timedelta(days=30):%-d %B %Y}"
    assert day in said_of_it
    assert "Your landlord decides" in said_of_it
    notices = [n for n in at.deps.store.notices() if n.event is LandlordEvent.ERASURE_ASKED]
    assert len(notices) == 1
    assert find_person(at.deps.store, "r1").inbounds, "nothing is deleted until a person does it"
    assert erase_confirmed(at) == 0
    writes(at, "erase me!!")
    again = [n for n in at.deps.store.notices() if n.event is LandlordEvent.ERASURE_ASKED]
    assert len(again) == 1, "a day has one notice"


@pytest.mark.parametrize("text", ["borren mis datos por favor", "supprimez mes données", "bitte meine Daten löschen"])
def test_a_wish_in_another_language_is_understood_in_a_conversation(text: str) -> None:
    at = desk()
    writes(at, "hello")
    writes(at, text)
    assert [n.event for n in at.deps.store.notices()].count(LandlordEvent.ERASURE_ASKED) == 1


@pytest.mark.parametrize("text", ["Please delete my data", "borren mis datos por favor"])
def test_a_wish_is_recorded_while_a_person_has_the_conversation(text: str) -> None:
    at = desk()
    writes(at, "The tap in my kitchen keeps dripping")
    (held,) = at.deps.store.conversations()
    conversation.take_over(at.deps, held.id, "jo")
    assert writes(at, text) == [], "the person answers"
    (notice,) = [n for n in at.deps.store.notices() if n.event is LandlordEvent.ERASURE_ASKED]
    assert notice.detail.startswith("answer_by_")
    (held,) = at.deps.store.conversations()
    assert (held.erasure_asked_at, held.handed_off_at is None) == (at.deps.clock.now(), False)


def test_a_wish_beside_a_report_costs_neither() -> None:
    at = desk()
    texts = writes(at, "The tap in my kitchen keeps dripping. And delete my data afterwards please")
    assert any("decides about it" in text for text in texts)
    assert any(n.event is LandlordEvent.ERASURE_ASKED for n in at.deps.store.notices())
    (held,) = at.deps.store.conversations()
    assert held.draft.since, "the report goes on"


def test_an_emergency_comes_first() -> None:
    at = desk()
    texts = writes(at, "I smell gas in the kitchen, and delete my data")
    assert "gas" in texts[0].lower()


def test_where_it_is_set_a_yes_is_enough_and_the_last_reply_goes_out_first() -> None:
    at = desk(erases_at_once=True)
    writes(at, "The tap in my kitchen keeps dripping")
    writes(at, "no photo")
    assert writes(at, "delete my data") == [wording.ASK_ERASE]
    assert writes(at, "yes") == [wording.ERASING]
    assert erase_confirmed(at) == 0, "the reply is still to be sent"
    while conversation.send(at.deps, WebMessenger()):
        pass
    assert erase_confirmed(at) == 1
    assert [c for c in at.deps.store.conversations() if c.sender.key == SENDER.key] == []
    (issue,) = at.deps.store.issues()
    assert "tap" in issue.description
    (act,) = at.deps.store.acts()
    assert (act.kind, act.by, act.why) == (DataActKind.ERASED, "resident", "asked_by_resident")
    assert erase_confirmed(at) == 0


@pytest.mark.parametrize(("text", "button"), [("", wording.ERASE_NO), ("no", ""), ("when do you open?", "")])
def test_anything_but_a_yes_deletes_nothing(text: str, button: str) -> None:
    at = desk(erases_at_once=True)
    writes(at, "hello")
    writes(at, "delete my data")
    writes(at, text, button)
    writes(at, "yes")
    assert [c.erasure_confirmed_at for c in at.deps.store.conversations()] == [None]


def test_a_yes_an_hour_later_is_no_answer_to_it() -> None:
    at = desk(erases_at_once=True)
    writes(at, "hello")
    writes(at, "delete my data")
    at.deps.clock.at += timedelta(hours=2)  # type: ignore[attr-defined]
    writes(at, "yes")
    assert [c.erasure_confirmed_at for c in at.deps.store.conversations()] == [None]
