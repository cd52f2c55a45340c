"""The worker's threads: one bad conversation never stops the rest, and the log holds no resident's words."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import pytest

from repairs_site import Office, office
from saidonce.errors import where
from saidonce.foundation.model.conversation import OutboxState
from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, Via
from saidonce.interfaces.worker import take_turns
from saidonce.repairs import conversation
from waiting_for import eventually


class Poisoned:
    """A model that breaks, in a way that nobody foresaw, on one word."""

    name = "poisoned"

    def complete_within(self, instructions: str, prompt: str, schema: Mapping[str, object], timeout_s: float) -> str:
        if "harmonica" in prompt:
            raise ZeroDivisionError("the purple words of a resident")
        return '{"tool": "respond", "message": "Hello from the model."}'


def wrote(site: Office, phone: str, text: str) -> None:
    now = site.deps.clock.now()
    sender = ChannelIdentity(Via.WEB, f"w-{phone}", phone)
    conversation.receive(site.deps, Inbound(sender, "web", f"{phone}-{now}", InboundKind.TEXT, now, now, text))


def test_one_bad_conversation_never_stops_the_rest(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="saidonce")
    with office(chat=Poisoned()) as site:
        wrote(site, "+447700900001", "the harmonica is in the kitchen of the purple house")
        time.sleep(0.3)
        wrote(site, "+447700900002", "when do you open?")
        eventually(lambda: any("Hello from the model" in m.text for m in site.deps.store.outbox()))
        bad = next(c for c in site.deps.store.conversations() if c.sender.phone == "+447700900001")
        assert site.deps.store.turns(bad.id) == ()
        assert bad.lease_until is not None  # It is tried again when its lease has ended.
    failed = [r for r in caplog.records if r.message.startswith("conversation.failed")]
    assert failed
    assert "ZeroDivisionError@test_residents_worker.py" in failed[0].message
    assert "purple" not in caplog.text


def test_a_failed_conversation_is_tried_again_after_its_lease() -> None:
    with office(chat=Poisoned()) as site:
        quiet = replace(site.deps, rules=replace(site.deps.rules, text_wait_s=0.0))
        wrote(site, "+447700900001", "harmonica")
        time.sleep(0.5)
        held = site.deps.store.conversations()[0]
        assert held.lease_until is not None

        class Later:
            def now(self) -> object:
                assert held.lease_until is not None
                return held.lease_until + timedelta(seconds=1)

        well = replace(quiet, chat=None, clock=Later())  # type: ignore[arg-type]
        assert len(take_turns(well, "another")) == 1


def test_messages_are_sent_and_delivered_when_the_page_has_read_them() -> None:
    with office() as site:
        wrote(site, "+447700900001", "hello")
        site.settled()
        eventually(lambda: all(m.state is OutboxState.SENT for m in site.deps.store.outbox()))
        site.say("Ben Okafor", "hello")
        mine = [m for c in site.deps.store.conversations()[:1] for m in site.deps.store.outbox(c.id)]
        assert {m.state for m in mine} == {OutboxState.DELIVERED}


def test_threads_end_when_they_are_told_to() -> None:
    import threading

    with office():
        assert any(t.name.startswith("residents") for t in threading.enumerate())
    assert not any(t.name.startswith("residents") for t in threading.enumerate())


def test_an_error_is_named_without_what_it_says() -> None:
    with pytest.raises(KeyError) as caught:
        dict[str, int]()["a resident's words"]
    assert where(caught.value).startswith("KeyError@test_residents_worker.py:")
