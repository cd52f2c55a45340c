"""What residents' conversations tell the landlord goes to each channel once, and holds none of their words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from saidonce.errors import DeliveryError
from saidonce.foundation.model import Channel, ChannelKind
from saidonce.foundation.model.conversation import LandlordEvent, OutboxState
from saidonce.foundation.model.residents import (
    ChannelIdentity,
    Inbound,
    InboundKind,
    Property,
    Resident,
    Tenancy,
    Via,
)
from saidonce.foundation.ports.sending import Message
from saidonce.platform import notifications
from saidonce.platform.notifications import landlord
from saidonce.repairs import conversation
from saidonce.repairs.conversation import ConversationDeps
from world import World, world

WORDS = "I smell gas near the purple sofa"


@dataclass
class Post:
    """Takes messages, or refuses them."""

    refuses: bool = False
    taken: list[Message] = field(default_factory=list)

    def send(self, channel: Channel, message: Message) -> None:
        if self.refuses:
            raise DeliveryError(channel.id, "refused")
        self.taken.append(message)


@pytest.fixture
def w() -> World:
    made = world(public_url="https://desk.example.com")
    notifications.add_channel(
        made.base, ChannelKind.WEBHOOK, "https://hooks.example.com/x", "", notifications.DAILY_S, bytes
    )
    return made


def reported(w: World, text: str = WORDS, at: datetime | None = None) -> ConversationDeps:
    now = at or w.base.clock.now() + timedelta(seconds=1)
    store = w.base.store.conversations
    who = Resident("r1", "Ana Bell", ("+447700900001",))
    store.put_home(
        Property("p1", "12 Elm Road", "Flat 2"), who, Tenancy("t1", "p1", "r1", datetime(2020, 1, 1, tzinfo=UTC))
    )
    deps = ConversationDeps(store, w.base.clock)
    sender = ChannelIdentity(Via.WHATSAPP, "wa-1", "+447700900001")
    conversation.receive(deps, Inbound(sender, "main", f"m{now.timestamp()}", InboundKind.TEXT, now, now, text))
    return deps


def delivered(w: World, post: Post) -> Sequence[Message]:
    for notice in notifications.pending(w.base):
        notifications.deliver(w.base, {ChannelKind.WEBHOOK: post}, notice.id)
    return post.taken


def test_an_emergency_goes_out_once_whatever_is_repeated(w: World) -> None:
    reported(w)
    assert notifications.create_landlord_notices(w.base) == 1
    assert notifications.create_landlord_notices(w.base) == 0
    post = Post()
    found = delivered(w, post)
    assert [m.fields["event"] for m in found] == ["emergency_unverified"]
    assert found[0].subject == "saidonce: EMERGENCY, not verified"
    assert "https://desk.example.com/repairs/conversations/" in found[0].text
    assert "purple" not in f"{found[0].text} {found[0].fields} {found[0].subject}"
    assert len(delivered(w, post)) == 1


def test_a_message_that_did_not_reach_its_resident_is_told(w: World) -> None:
    deps = reported(w)
    (safety,) = deps.store.outbox()
    for _ in range(2):
        conversation.record_status(deps, safety.id, OutboxState.FAILED, "wamid", "131026")
    notifications.create_landlord_notices(w.base)
    (told,) = [m for m in delivered(w, Post()) if m.fields["event"] == "message_failed"]
    assert told.subject == "saidonce: A message to a resident was not delivered"
    assert "safety: code 131026" in told.text
    assert f"/repairs/conversations/{safety.conversation_id}" in told.text
    assert not any(words in f"{told.text} {told.fields}" for words in ("purple", safety.text))


def test_every_event_has_its_words() -> None:
    assert set(landlord.SUBJECTS) == set(LandlordEvent)
    page = (Path(__file__).parents[2] / "docs/how-to/notifications.md").read_text(encoding="utf-8")
    assert [e for e in LandlordEvent if f"`{e}`" not in page] == []


def test_a_refused_notice_waits_and_goes_out_later(w: World) -> None:
    reported(w)
    notifications.create_landlord_notices(w.base)
    with pytest.raises(DeliveryError):
        delivered(w, Post(refuses=True))
    assert len(delivered(w, Post())) == 1


def test_a_channel_is_not_told_of_what_was_before_it_nor_of_other_peoples_blocks(w: World) -> None:
    earlier = w.base.clock.now() - timedelta(days=2)
    reported(w, at=earlier)
    assert notifications.create_landlord_notices(w.base) == 0
    own = notifications.add_channel(
        w.base, ChannelKind.EMAIL, "ann@example.com", "ann", notifications.NOW_S, lambda n: b"z" * n
    )
    reported(w, "there is a fire in the hall")
    notifications.create_landlord_notices(w.base)
    assert w.base.store.people.notices(own.id) == ()


def test_many_are_told_once_each_to_each_channel(w: World) -> None:
    notifications.add_channel(
        w.base, ChannelKind.WEBHOOK, "https://b.example.com/x", "", notifications.NOW_S, lambda n: b"y" * n
    )
    start = w.base.clock.now()
    for n in range(4):
        reported(w, at=start + timedelta(hours=n + 1))
    told = {n.dedupe_key for n in w.base.store.conversations.notices()}
    assert notifications.create_landlord_notices(w.base) == 2 * len(told)
    found = delivered(w, Post())
    assert len(found) == 2 * len(told)
    assert len({m.notice for m in found}) == len(found)
    assert replace(found[0]) == found[0]
