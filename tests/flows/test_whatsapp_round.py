"""A message out, over real HTTP, and its statuses back in signed posts: what happened is known in the end."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any

import pytest

from channel_server import Reply, accepts, hangs, refuses, scripted
from saidonce.errors import NotFoundError
from saidonce.foundation.model.conversation import LandlordEvent, OutboxState
from saidonce.repairs import conversation
from saidonce.repairs.channels import ByChannel, open_messengers, twilio
from saidonce.repairs.conversation import ConversationDeps
from saidonce.testing.memory_conversations import MemoryConversations
from whatsapp_posts import NOW, SETTINGS, SID, STAMP, WA_ID, form, post, read, text, twilio_read, value


class Clock:
    at = NOW

    def now(self) -> datetime:
        return self.at


class World:
    def __init__(self, server: str) -> None:
        self.clock, self.store = Clock(), MemoryConversations("acme")
        self.deps = ConversationDeps(self.store, self.clock)
        urls = {"whatsapp_api_url": server, "twilio_api_url": server, "whatsapp_timeout_s": 0.5}
        self.messenger = ByChannel(open_messengers(SETTINGS.model_copy(update=urls), self.clock))

    def greeted(self) -> str:
        """A resident writes, and an answer waits to be sent: its id."""
        for inbound in read(post(value([text("hello")]))).inbounds:
            conversation.receive(self.deps, inbound)
        self.forward(11)
        conversation.work(self.deps, "w")
        (message,) = self.store.outbox()
        return message.id

    def forward(self, seconds: float) -> None:
        self.clock.at += timedelta(seconds=seconds)

    def state(self) -> OutboxState:
        (message,) = self.store.outbox()
        return message.state


def status(said: str, callback: str, **more: Any) -> dict[str, Any]:
    given = {"id": "wamid.9", "status": said, "timestamp": STAMP, "recipient_id": WA_ID, **more}
    return value(statuses=[{**given, "biz_opaque_callback_data": callback}])


def settle(at: World, *values: Any) -> None:
    for one in read(post(*values)).statuses:
        conversation.record_status(at.deps, one.callback, one.state, one.external_id, one.reason)


def test_a_message_that_may_have_been_sent_is_settled_by_its_status_and_not_sent_twice() -> None:
    with scripted(hangs) as server:
        at = World(server.url)
        id_ = at.greeted()
        assert conversation.send(at.deps, at.messenger) == 0
        assert at.state() is OutboxState.UNKNOWN
        assert server.asked[0].fields["biz_opaque_callback_data"] == id_
        settle(at, status("delivered", id_), status("sent", id_))
        at.forward(200)
        assert conversation.requeue_unknown(at.deps) == 0
        assert conversation.send(at.deps, at.messenger) == 0
        assert len(server.asked) == 1
    (message,) = at.store.outbox()
    assert (message.state, message.external_id) == (OutboxState.DELIVERED, "wamid.9")


def test_without_a_status_it_is_sent_once_more() -> None:
    with scripted(hangs, accepts("wamid.2")) as server:
        at = World(server.url)
        at.greeted()
        conversation.send(at.deps, at.messenger)
        at.forward(200)
        assert conversation.requeue_unknown(at.deps) == 1
        assert conversation.send(at.deps, at.messenger) == 1
        assert len(server.asked) == 2
    assert at.state() is OutboxState.SENT


def test_statuses_only_move_forward_and_a_failure_ends() -> None:
    with scripted(accepts("wamid.9")) as server:
        at = World(server.url)
        id_ = at.greeted()
        assert conversation.send(at.deps, at.messenger) == 1
        settle(at, status("read", id_), status("delivered", id_), status("sent", id_))
        assert at.state() is OutboxState.READ
        for _ in range(2):
            settle(at, status("failed", id_, errors=[{"code": 131026}]))
        assert at.state() is OutboxState.FAILED
        (told,) = at.store.notices()
        assert (told.event, told.detail) == (LandlordEvent.MESSAGE_FAILED, "identity: code 131026")
        with pytest.raises(NotFoundError):
            settle(at, status("read", "of-another-system"))


@pytest.mark.parametrize(
    ("replies", "waits_s"),
    [([refuses(429, 130429, Retry_After="40"), accepts()], 40), ([refuses(401, 190), accepts()], 300)],
)
def test_too_many_messages_wait_as_long_as_whatsapp_asks(replies: list[Reply], waits_s: int) -> None:
    with scripted(*replies) as server:
        at = World(server.url)
        at.greeted()
        conversation.send(at.deps, at.messenger)
        at.forward(waits_s - 1)
        assert conversation.send(at.deps, at.messenger) == 0
        assert len(server.asked) == 1
        at.forward(1)
        assert conversation.send(at.deps, at.messenger) == 1


def test_twilios_statuses_settle_by_the_address_that_we_gave_it() -> None:
    at = World("http://127.0.0.1:9")
    for inbound in twilio_read(form("hello")).inbounds:
        conversation.receive(at.deps, inbound)
    at.forward(11)
    conversation.work(at.deps, "w")
    (message,) = at.store.outbox()
    at.store.take_outbox(at.clock.now(), at.clock.now() + timedelta(seconds=60))
    fields = form(MessageStatus="delivered", From="whatsapp:+14155238886", To=f"whatsapp:+{WA_ID}")
    (told,) = twilio_read(fields, twilio.callback_url(SETTINGS, message.id)).statuses
    conversation.record_status(at.deps, told.callback, told.state, told.external_id)
    (message,) = at.store.outbox()
    assert (message.state, message.external_id) == (OutboxState.DELIVERED, SID)


def test_no_log_line_at_any_level_holds_a_secret(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with scripted(refuses(401, 190, "Malformed access token EAAG-t0ken")) as server:
        at = World(server.url)
        at.greeted()
        conversation.send(at.deps, at.messenger)
        assert len(server.asked) == 1
    assert "HTTP Request" in caplog.text, "something was logged"
    assert not any(s in caplog.text for s in ("EAAG-t0ken", "app-s3cret", "twilio-s3cret", "hello"))
