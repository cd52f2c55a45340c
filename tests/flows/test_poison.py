"""A message that cannot be scanned, by a defect that nobody foresaw, holds up its own conversation and no other."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from repairs_site import office
from saidonce.errors import StaleWriteError, StoreUnavailableError
from saidonce.foundation.model.conversation import Conversation, OutboxKind, OutboxMessage
from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, Media, Via
from saidonce.foundation.ports import Store
from saidonce.interfaces.worker import Answering, once, take_turns
from saidonce.quality.playing import ScenarioClock
from saidonce.quality.scenario import NOON
from saidonce.repairs import conversation
from saidonce.repairs.channels import cloud
from saidonce.repairs.conversation import ConversationDeps, alarm
from saidonce.repairs.conversation.dangers import DangerReader
from saidonce.repairs.conversation.emergency import Pack, PhraseMatch
from saidonce.repairs.conversation.heard import dangers_heard
from saidonce.repairs.demo import APP_SECRET, whatsapp_post
from saidonce.testing.memory_conversations import MemoryConversations
from waiting_for import eventually

POISON = "poison in the purple house"
GAS = "I smell gas"
BAD, GOOD = "+447700900001", "+447700900002"


@pytest.fixture(autouse=True)
def defect(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """The scan breaks on one word until it is mended."""
    is_mended = threading.Event()

    def broken(pack: Pack, message: str, before: str, reader: DangerReader | None) -> tuple[PhraseMatch, ...]:
        if "poison" in message and not is_mended.is_set():
            raise ZeroDivisionError("the words of a resident")
        return dangers_heard(pack, message, before, reader)

    monkeypatch.setattr(alarm, "dangers_heard", broken)
    return is_mended.set


def wrote(deps: ConversationDeps, phone: str, text: str) -> Inbound:
    now = deps.clock.now()
    sender = ChannelIdentity(Via.WHATSAPP, phone, phone)
    return conversation.keep(deps, Inbound(sender, "n", f"{phone} {text}", InboundKind.TEXT, now, now, text))


def safety(deps: ConversationDeps, of: Inbound) -> list[OutboxMessage]:
    return [m for m in deps.store.outbox(of.conversation_id) if m.kind is OutboxKind.SAFETY]


class Sent:
    def __init__(self) -> None:
        self.n = 0

    def send(self, message: OutboxMessage, to: Conversation) -> str:
        self.n += 1
        return f"external-{self.n}"


def test_a_scan_goes_on_after_a_message_that_fails_and_says_so(
    opened: Callable[[str], Store], org: str, defect: Callable[[], None]
) -> None:
    deps = ConversationDeps(opened(org).conversations, ScenarioClock(NOON))
    bad, gas, after = wrote(deps, BAD, POISON), wrote(deps, GOOD, GAS), wrote(deps, BAD, GAS)
    with pytest.raises(ZeroDivisionError):
        conversation.scan(deps)
    assert [i.seq for i in deps.store.unscanned()] == [bad.seq]
    assert len(safety(deps, gas)) == len(safety(deps, after)) == 1
    defect()
    assert conversation.scan(deps) == 1
    assert conversation.scan(deps) == 0
    assert deps.store.unscanned() == ()


def test_more_bad_messages_than_a_page_holds_hide_none() -> None:
    deps = ConversationDeps(MemoryConversations(), ScenarioClock(NOON))
    for n in range(120):
        wrote(deps, f"+4477009{n:05}", POISON)
    gas = wrote(deps, GOOD, GAS)
    with pytest.raises(ZeroDivisionError):
        conversation.scan(deps)
    assert len(safety(deps, gas)) == 1


def test_turns_of_others_are_taken_and_the_bad_one_waits_unanswered_for_its_lease(
    opened: Callable[[str], Store], org: str, defect: Callable[[], None], caplog: pytest.LogCaptureFixture
) -> None:
    clock = ScenarioClock(NOON)
    deps = ConversationDeps(opened(org).conversations, clock)
    bad, gas = wrote(deps, BAD, POISON), wrote(deps, GOOD, GAS)
    clock.forward(30)
    assert len(take_turns(deps, "w")) == 1
    assert deps.store.outbox(bad.conversation_id) == ()
    assert deps.store.turns(bad.conversation_id) == ()
    assert len(safety(deps, gas)) == 1
    assert len(deps.store.turns(gas.conversation_id)) == 1
    held = deps.store.conversation(bad.conversation_id)
    assert held.lease_until == clock.now() + timedelta(seconds=deps.rules.lease_s)
    assert "ZeroDivisionError@test_poison.py" in caplog.text
    assert "purple" not in caplog.text
    assert "words of a resident" not in caplog.text
    defect()
    assert take_turns(deps, "w") == ()
    clock.forward(deps.rules.lease_s)
    assert len(take_turns(deps, "w")) == 1
    assert deps.store.outbox(bad.conversation_id) != ()


def test_a_turn_scans_its_own_conversation_and_no_other() -> None:
    clock = ScenarioClock(NOON)
    deps = ConversationDeps(MemoryConversations(), clock)
    gas = wrote(deps, GOOD, GAS)
    clock.forward(1)
    bad = wrote(deps, BAD, POISON)
    clock.forward(30)
    turn = conversation.work(deps, "w")
    assert turn is not None
    assert turn.conversation_id == gas.conversation_id
    assert len(safety(deps, gas)) == 1
    with pytest.raises(ZeroDivisionError):
        conversation.work(deps, "w")
    assert [i.seq for i in deps.store.unscanned()] == [bad.seq]


def test_a_message_is_kept_and_scanned_whatever_came_before_it_in_its_conversation() -> None:
    deps = ConversationDeps(MemoryConversations(), ScenarioClock(NOON))
    bad = wrote(deps, BAD, POISON)
    gas = conversation.receive(deps, replace(bad, message_id="gas", text=GAS))
    assert len(safety(deps, gas)) == 1
    photo = conversation.media_stored(deps, gas, Media("photo", "image/jpeg", "0" * 64))
    assert [i.seq for i in deps.store.inbounds(bad.conversation_id)] == [bad.seq, gas.seq, photo.seq]
    with pytest.raises(ZeroDivisionError):
        conversation.receive(deps, bad)


def test_everything_else_is_done_before_a_failure_is_told() -> None:
    clock, sent = ScenarioClock(NOON), Sent()
    deps = ConversationDeps(MemoryConversations(), clock)
    wrote(deps, BAD, POISON)
    wrote(deps, GOOD, GAS)
    clock.forward(30)
    with pytest.raises(ZeroDivisionError):
        once(deps, sent, "w")
    assert sent.n == len(deps.store.outbox()) > 0


def test_an_emergency_that_cannot_be_tended_holds_up_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = ScenarioClock(NOON)
    deps = ConversationDeps(MemoryConversations(), clock)
    first = conversation.receive(deps, replace(wrote(deps, BAD, "hello"), message_id="f", text="water is pouring in"))
    second = conversation.receive(deps, replace(wrote(deps, GOOD, "hello"), message_id="s", text="water is pouring in"))
    clock.forward(120)
    look = alarm._second_look

    def broken(deps: ConversationDeps, event: Any) -> Any:
        if event.conversation_id == first.conversation_id:
            raise ZeroDivisionError
        return look(deps, event)

    monkeypatch.setattr(alarm, "_second_look", broken)
    with pytest.raises(ZeroDivisionError):
        conversation.tend(deps)
    assert [n.conversation_id for n in deps.store.notices()] == [second.conversation_id]


def test_without_a_store_nothing_is_tried_further() -> None:
    class Away(MemoryConversations):
        n_tries = 0

        def record_scan(self, *_: Any) -> None:
            self.n_tries += 1
            raise StoreUnavailableError("away")

    store = Away()
    deps = ConversationDeps(store, ScenarioClock(NOON))
    wrote(deps, BAD, "hello")
    wrote(deps, GOOD, "hello")
    with pytest.raises(StoreUnavailableError):
        conversation.scan(deps)
    assert store.n_tries == 1


def test_a_conversation_that_keeps_changing_is_not_taken_for_scanned() -> None:
    class Stale(MemoryConversations):
        def record_scan(self, *_: Any) -> None:
            raise StaleWriteError("changed")

    deps = ConversationDeps(Stale(), ScenarioClock(NOON))
    kept = wrote(deps, GOOD, GAS)
    with pytest.raises(StaleWriteError):
        conversation.scan_message(deps, kept)


def test_a_post_with_such_a_message_is_taken_whole(caplog: pytest.LogCaptureFixture) -> None:
    with office(settings={"whatsapp_app_secret": APP_SECRET, "whatsapp_verify_token": "verify"}) as site:
        body = json.loads(whatsapp_post("wamid.bad", POISON, datetime.now(UTC)))
        other = json.loads(whatsapp_post("wamid.gas", GAS, datetime.now(UTC)))
        body["entry"] += other["entry"]
        raw = json.dumps(body).encode()
        headers = {"X-Hub-Signature-256": cloud.signature(APP_SECRET, raw)}
        with site.client() as client:
            answers = [client.post("/webhooks/whatsapp/demo", content=raw, headers=headers) for _ in range(2)]
            assert [a.status_code for a in answers] == [200, 200]
        (of,) = site.deps.store.conversations()
        assert [i.message_id for i in site.deps.store.inbounds(of.id)] == ["wamid.bad", "wamid.gas"]
        assert [m.kind for m in site.deps.store.outbox(of.id)] == [OutboxKind.SAFETY]
        assert site.say("Ben Okafor", POISON).status_code == 200
    assert "scan.failed conversation=" in caplog.text
    assert "purple" not in caplog.text


def test_one_organisations_message_holds_up_no_other_organisation(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR, logger="saidonce")
    with office() as site:
        other = replace(site.deps, store=MemoryConversations("other"))
        site.repairs._deps["other"] = other
        wrote(site.deps, BAD, POISON)
        gas = wrote(other, GOOD, GAS)
        with Answering(site.repairs, lambda: ("demo", "other"), poll_s=0.05):
            eventually(lambda: safety(other, gas) and other.store.turns(gas.conversation_id))
    assert "residents.failed round=alarms at=ZeroDivisionError@test_poison.py" in caplog.text
