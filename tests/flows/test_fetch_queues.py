"""Each conversation has a queue of its own for files; who has sent a photo is not asked for one."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest

from pictures_made import jpeg
from saidonce.errors import FileRefusal, MediaError
from saidonce.foundation.model.conversation import Gathering
from saidonce.foundation.model.residents import (
    ChannelIdentity,
    Inbound,
    InboundKind,
    Media,
    Property,
    Resident,
    Tenancy,
    Via,
    WaitingMedia,
)
from saidonce.foundation.ports.intake import Thumbnail
from saidonce.foundation.settings.policy import Settings
from saidonce.interfaces.worker.fetching import Fetching
from saidonce.repairs import conversation
from saidonce.repairs.conversation import ConversationDeps, Intake, wording
from saidonce.repairs.conversation.turn import media_stored
from saidonce.testing.memory_conversations import MemoryConversations
from saidonce.testing.memory_media import MemoryMedia
from waiting_for import eventually
from whatsapp_posts import NOW

PHOTO = jpeg()


class Clock:
    at = NOW

    def now(self):  # type: ignore[no-untyped-def]
        return self.at


class Small:
    def thumbnail(self, content: bytes) -> Thumbnail:
        return Thumbnail(b"\xff\xd8\xffsmall", "image/jpeg", 40, 40)


class Server:
    """Hangs for the files of some residents until it is let go, and fails for those of others."""

    def __init__(self, hanging: set[str], failing: set[str]) -> None:
        self.go_on = threading.Event()
        self._hanging, self._failing = hanging, failing
        self.at_once: dict[str, int] = {}
        self.most: dict[str, int] = {}
        self._lock = threading.Lock()

    def fetch(self, waiting: WaitingMedia, most: int) -> bytes:
        who = waiting.inbound.sender.external_user_id
        with self._lock:
            self.at_once[who] = self.at_once.get(who, 0) + 1
            self.most[who] = max(self.most.get(who, 0), self.at_once[who])
        try:
            if who in self._hanging:
                self.go_on.wait(20)
            if who in self._failing:
                raise MediaError(FileRefusal.UNREACHABLE, "down", is_final=False)
            return PHOTO
        finally:
            with self._lock:
                self.at_once[who] -= 1


class Repairs:
    def __init__(self, intake: Intake) -> None:
        self._intake = intake

    def intake(self, org: str = "") -> Intake:
        return self._intake


@contextmanager
def twenty(hanging: set[str], failing: set[str]) -> Iterator[tuple[ConversationDeps, Server, Fetching]]:
    """Twenty residents, each of whom sent an album of four photos."""
    deps = ConversationDeps(MemoryConversations("acme"), Clock())
    for n in range(20):
        who = f"user{n}"
        media = tuple(Media(f"{who}-{k}", "image/jpeg") for k in range(4))
        sender = ChannelIdentity(Via.WHATSAPP, who, None)
        conversation.receive(deps, Inbound(sender, "n", who, InboundKind.MEDIA, NOW, NOW, media=media))
    server = Server(hanging, failing)
    most = Settings().media_image_mb * 1_000_000
    intake = Intake(deps, MemoryMedia(), {Via.WHATSAPP: server}, Small(), {"image": most}, 60.0)
    fetching = Fetching(Repairs(intake))  # type: ignore[arg-type]
    try:
        yield deps, server, fetching
    finally:
        server.go_on.set()
        fetching.stop()


def stored(deps: ConversationDeps) -> dict[str, int]:
    return {
        c.sender.external_user_id: sum(m.stored for i in deps.store.inbounds(c.id) for m in i.media)
        for c in deps.store.conversations()
    }


@pytest.mark.parametrize(("hanging", "failing"), [({"user0"}, {"user1"}), ({f"user{n}" for n in range(12)}, set())])
def test_a_hanging_server_holds_up_no_other_conversation(hanging: set[str], failing: set[str]) -> None:
    with twenty(hanging, failing) as (deps, server, fetching):
        began = time.monotonic()

        def all_others_there() -> bool:
            fetching.start_due("acme")
            done = stored(deps)
            return all(n == 4 for who, n in done.items() if who not in hanging | failing)

        eventually(all_others_there)
        assert time.monotonic() - began < 10
        assert all(stored(deps)[who] == 0 for who in hanging | failing)
        assert set(server.most.values()) == {1}, "never two files of one conversation at the same time"
        server.go_on.set()

        def hanging_there() -> bool:
            fetching.start_due("acme")
            return all(stored(deps)[who] == 4 for who in hanging)

        eventually(hanging_there)


def asks_for_one(text: str) -> bool:
    return "Could you send a photo" in text or text == wording.NUDGE_PHOTO


START = NOW - timedelta(days=30)


def one_resident() -> tuple[ConversationDeps, ChannelIdentity]:
    deps = ConversationDeps(MemoryConversations("acme"), Clock())
    ana = Resident("r1", "Ana Bell", phones=("+447700900001",))
    deps.store.put_home(Property("p1", "12 Elm Road", "Flat 2"), ana, Tenancy("t1", "p1", "r1", START))
    return deps, ChannelIdentity(Via.WHATSAPP, "ana", "+447700900001")


def photo_of(deps: ConversationDeps, sender: ChannelIdentity, caption: str, name: str = "m1") -> Inbound:
    now = deps.clock.now()
    media = (Media(name, "image/jpeg"),)
    return conversation.receive(deps, Inbound(sender, "n", f"w-{name}", InboundKind.MEDIA, now, now, caption, media))


def forward(deps: ConversationDeps, seconds: float) -> None:
    deps.clock.at += timedelta(seconds=seconds)  # type: ignore[attr-defined]
    while conversation.work(deps, "w") is not None:
        pass


CAPTION = "The tap in my kitchen keeps dripping"


def test_a_captions_report_waits_a_moment_for_its_own_photo() -> None:
    deps, sender = one_resident()
    caption = photo_of(deps, sender, CAPTION)
    forward(deps, 5)
    assert deps.store.outbox() == (), "it may be here in a moment"
    media_stored(deps, caption, Media("m1", "image/jpeg", "ab" * 32))
    forward(deps, 6)
    (issue,) = deps.store.issues()
    assert issue.media == ("m1",)
    assert not any(asks_for_one(m.text) for m in deps.store.outbox())


def test_nobody_whose_photo_is_still_being_fetched_is_asked_for_one() -> None:
    deps, sender = one_resident()
    caption = photo_of(deps, sender, CAPTION)
    forward(deps, 20)
    (held,) = deps.store.conversations()
    texts = [m.text for m in deps.store.outbox()]
    assert wording.PHOTO_COMING in texts
    assert not any(asks_for_one(text) for text in texts)
    assert held.gathering is Gathering.AWAITING_PHOTO
    media_stored(deps, caption, Media("m1", "image/jpeg", "ab" * 32))
    forward(deps, 20)
    (issue,) = deps.store.issues()
    assert issue.media == ("m1",), "and it goes on by itself once the photo is here"


def test_who_sent_no_photo_is_asked_as_ever_and_so_is_whose_file_was_refused() -> None:
    deps, sender = one_resident()
    now = deps.clock.now()
    conversation.receive(deps, Inbound(sender, "n", "w1", InboundKind.TEXT, now, now, CAPTION))
    forward(deps, 20)
    assert any(asks_for_one(m.text) for m in deps.store.outbox())
    refused, sender = one_resident()
    caption = photo_of(refused, sender, CAPTION)
    conversation.media_refused(refused, caption, caption.media[0])
    forward(refused, 20)
    assert wording.PHOTO_COMING not in [m.text for m in refused.store.outbox()]
