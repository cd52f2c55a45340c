"""The way of a file from a signed post to a photo of an issue: fetched over real HTTP, checked, kept, told of."""

from __future__ import annotations

import hashlib
import itertools
import random
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from channel_server import Asked, Reply, Scripted, cut_off, gives, gives_address, refuses, scripted
from conftest import examples
from pictures_made import GPS, jpeg, opened, photo_with_place, png_bomb
from saidonce.errors import FileRefusal, MediaError
from saidonce.foundation.model.conversation import Gathering, Tool
from saidonce.foundation.model.residents import (
    Inbound,
    InboundKind,
    Property,
    Resident,
    Tenancy,
    Via,
    WaitingMedia,
)
from saidonce.foundation.ports.intake import Thumbnail
from saidonce.repairs import conversation
from saidonce.repairs.channels import open_fetchers
from saidonce.repairs.conversation import ConversationDeps, Intake, wording
from saidonce.repairs.media import ThumbnailSandbox
from saidonce.testing.memory_conversations import MemoryConversations
from saidonce.testing.memory_media import MemoryMedia
from whatsapp_posts import (
    NOW,
    NUMBER,
    SETTINGS,
    SID,
    WA_ID,
    form,
    image,
    media_url,
    post,
    read,
    text,
    twilio_read,
    value,
)


class Clock:
    at = NOW

    def now(self) -> datetime:
        return self.at

    def forward(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


class World:
    """A desk whose files come from one server."""

    def __init__(self, server: str, **changes: Any) -> None:
        self.clock, self.store, self.files = Clock(), MemoryConversations("acme"), MemoryMedia()
        start = NOW - timedelta(days=30)
        ana = Resident("r1", "Ana Bell", phones=(f"+{WA_ID}",))
        self.store.put_home(Property("p1", "12 Elm Road", "Flat 2"), ana, Tenancy("t1", "p1", "r1", start))
        self.deps = ConversationDeps(self.store, self.clock)
        urls = {"whatsapp_api_url": server, "twilio_api_url": server, "media_timeout_s": 30.0}
        given = SETTINGS.model_copy(update={**urls, **changes})
        self.intake = conversation.intake_of(
            self.deps, self.files, open_fetchers(given), ThumbnailSandbox(given), given
        )

    def receive(self, *messages: Any) -> None:
        for inbound in read(post(value(list(messages)))).inbounds:
            conversation.receive(self.deps, inbound)

    def settle(self) -> None:
        """Take every turn that is due once everything has been waited for."""
        self.clock.forward(11)
        while conversation.work(self.deps, "w") is not None:
            pass

    def said(self) -> list[str]:
        return [m.text for m in self.store.outbox()]

    def all_inbounds(self) -> tuple[Inbound, ...]:
        (held,) = self.store.conversations()
        return self.store.inbounds(held.id)


@contextmanager
def world(*replies: Reply, **changes: Any) -> Iterator[tuple[World, Scripted]]:
    with scripted(*replies) as server:
        yield World(server.url, **changes), server


def cloud_files(**contents: bytes) -> Reply:
    """The Cloud API with some files by id."""

    def reply(connection: socket.socket, asked: Asked) -> None:
        name = asked.path.rpartition("/")[2]
        if asked.path.startswith("/v26.0/"):
            gives_address(f"/file/{name}", file_size=len(contents[name]))(connection, asked)
        else:
            gives(contents[name], kind="image/jpeg")(connection, asked)

    return reply


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_a_photo_becomes_an_issue_with_its_photo() -> None:
    photo = photo_with_place(900, 600)
    with world(cloud_files(m1=photo)) as (at, _server):
        at.receive(text("The tap in my kitchen keeps dripping", "w1"), image("m1", sha(photo), "w2"))
        at.settle()
        assert at.store.issues() == (), "a file that is not fetched is no photo"
        assert conversation.fetch_media(at.intake) == 1
        at.settle()
        (issue,) = at.store.issues()
    kept = at.all_inbounds()[-1].media[0]
    assert issue.media == ("m1",)
    assert (kept.stored, kept.mime, kept.apart, kept.original) == (True, "image/jpeg", "", "")
    stored = at.files.get(kept.sha256)
    assert stored is not None
    assert opened(stored[0]).tobytes() == opened(photo).tobytes(), "what can be seen is kept as it came"
    assert not opened(stored[0]).getexif().get_ifd(GPS), "where it was taken is not"
    assert at.files.get(sha(photo)) is None
    small = at.files.get(kept.thumbnail)
    assert small is not None
    assert small[1] == "image/jpeg"
    assert opened(small[0]).size == (341, 512), "upright, and small"
    assert len(opened(small[0]).getexif()) == 0


def test_a_file_is_settled_once_whatever_crashes_in_between() -> None:
    photo = jpeg()
    with world(cloud_files(m1=photo)) as (at, server):
        at.receive(image("m1", sha(photo)))
        (waiting,) = at.store.take_media(NOW, NOW + timedelta(seconds=60))
        at.clock.forward(60)
        end = at.store.end_media

        def crash(waiting: WaitingMedia) -> None:
            raise ConnectionError

        at.store.end_media = crash  # type: ignore[method-assign]
        with pytest.raises(ConnectionError):
            conversation.fetch_media(at.intake)
        at.store.end_media = end  # type: ignore[method-assign]
        assert conversation.fetch_media(at.intake) == 0, "it is leased"
        at.clock.forward(at.intake.lease_s)
        assert conversation.fetch_media(at.intake) == 1
        assert conversation.fetch_media(at.intake) == 0
        assert len(server.asked) == 4
    assert [i.message_id for i in at.all_inbounds()] == ["wamid.1", "wamid.1#m1"]
    assert waiting.n_tries == 1


def test_a_failure_that_passes_is_tried_again_and_the_resident_reads_nothing_of_it() -> None:
    photo = jpeg()
    flaky = [refuses(500, 1), refuses(429, 4), gives_address(), gives(b"gone", "404 No"), gives_address(), cut_off]
    with world(*flaky, cloud_files(m1=photo)) as (at, server):
        at.receive(image("m1", sha(photo)))
        tried_at = []
        for second in range(1_000):
            n_asked = len(server.asked)
            is_settled = conversation.fetch_media(at.intake)
            tried_at += [second] if len(server.asked) > n_asked else []
            if is_settled:
                break
            at.clock.forward(1)
        assert tried_at == [0, 5, 25, 105, 425], "each wait is four times the one before"
        at.settle()
        assert wording.FILE_REFUSED not in at.said()
    assert at.all_inbounds()[-1].media[0].stored


@pytest.mark.parametrize(
    ("reply", "declared"),
    [
        (cloud_files(m1=b"<html>not a photo</html>"), ""),
        (cloud_files(m1=b"%PDF-1.7 a document"), ""),
        (cloud_files(m1=jpeg(640, 480)[:700]), ""),
        (cloud_files(m1=png_bomb(12_000, 12_000)), ""),
        (cloud_files(m1=b"\xff\xd8\xff" + b"\0" * 16_000_001), ""),
        (refuses(404, 100), ""),
    ],
)
def test_a_bad_file_is_told_of_once_and_nothing_of_it_is_kept(reply: Reply, declared: str) -> None:
    with world(reply) as (at, _server):
        at.receive(text("The tap in my kitchen keeps dripping", "w1"), image("m1", declared, "w2"))
        assert conversation.fetch_media(at.intake) == 1
        at.settle()
        at.settle()
        assert conversation.fetch_media(at.intake) == 0
    assert at.said().count(wording.FILE_REFUSED) == 1
    assert at.files.is_empty()
    assert at.store.issues() == ()


def test_a_hash_that_never_fits_is_given_up_after_half_an_hour() -> None:
    with world(cloud_files(m1=jpeg())) as (at, _server):
        at.receive(image("m1", "00" * 32))
        n_settled, seconds = 0, 0
        while not n_settled and seconds < 4_000:
            n_settled = conversation.fetch_media(at.intake)
            at.clock.forward(5)
            seconds += 5
        assert (n_settled, seconds) == (1, 1_710)
        at.settle()
    assert at.said().count(wording.FILE_REFUSED) == 1


def test_an_album_with_bad_files_is_told_of_once_and_its_good_ones_count() -> None:
    good, bad = jpeg(), b"<html>"
    with world(cloud_files(m1=bad, m2=good, m3=bad)) as (at, _server):
        at.receive(text("The tap in my kitchen keeps dripping", "w0"))
        at.receive(*(image(f"m{n}", "", f"w{n}") for n in (1, 2, 3)))
        assert conversation.fetch_media(at.intake) == 3
        at.settle()
    assert at.said().count(wording.FILE_REFUSED) == 1
    assert [i.media for i in at.store.issues()] == [("m2",)]


def test_who_hears_nothing_from_us_hears_nothing_of_bad_files() -> None:
    with world(cloud_files(m1=b"<html>")) as (at, _server):
        at.receive(text("hello", "w0"))
        at.settle()
        (held,) = at.store.conversations()
        conversation.take_over(at.deps, held.id, "jo")
        at.receive(image("m1", "", "w1"))
        conversation.fetch_media(at.intake)
        at.settle()
    assert wording.FILE_REFUSED not in at.said()


def test_voice_and_documents_are_kept_and_the_resident_is_asked_to_write() -> None:
    voice = b"OggS\0\2" + b"\0" * 50
    with world(cloud_files(m1=voice)) as (at, _server):
        audio = {"id": "m1", "mime_type": "audio/ogg; codecs=opus", "sha256": sha(voice), "voice": True}
        at.receive({**image("m1"), "type": "audio", "audio": audio})
        assert conversation.fetch_media(at.intake) == 1
        at.settle()
    assert at.files.get(sha(voice)) == (voice, "audio/ogg")
    assert at.said()[-1] == wording.FILE_KEPT


def test_something_that_cannot_be_shown_is_told_of() -> None:
    with world(refuses(500, 1)) as (at, _server):
        at.receive({**text("x", "w1"), "type": "poll_of_2031"})
        at.settle()
        assert at.said()[-1] == wording.UNSUPPORTED
        at.receive({**text("x", "w2"), "type": "poll_of_2031"}, text("The tap in my kitchen drips", "w3"))
        at.settle()
    assert at.said()[-1] == wording.UNSUPPORTED
    assert at.store.conversations()[0].gathering is Gathering.AWAITING_PHOTO, "the words beside it count"


def test_a_photo_through_twilio() -> None:
    photo = jpeg()
    with world(gives(b"", "307 Elsewhere", Location="/kept"), gives(photo)) as (at, _server):
        fields = form("The tap in my kitchen keeps dripping", NumMedia="1", MediaUrl0=media_url(),
                      MediaContentType0="image/jpeg")  # fmt: skip
        for inbound in twilio_read(fields).inbounds:
            conversation.receive(at.deps, inbound)
        assert conversation.fetch_media(at.intake) == 1
        at.settle()
    assert [i.media for i in at.store.issues()] == [(f"{SID}/ME{'0' * 32}",)]


def test_a_channel_that_is_not_set_up_keeps_its_files_waiting() -> None:
    with world(refuses(500, 1), whatsapp_token="") as (at, server):
        at.receive(image("m1"))
        assert conversation.fetch_media(at.intake) == 0
        assert server.asked == []
        at.clock.forward(5)
        (waiting,) = at.store.take_media(at.clock.now(), at.clock.now())
    assert waiting.n_tries == 2


PHOTOS = {f"m{n}": jpeg(40 + n, 40) for n in range(5)}


def test_an_album_of_five_posts_in_parallel_repeated_and_out_of_order_is_one_turn() -> None:
    """Five photos, each in a post of its own, three times each, by 15 threads, while two workers fetch."""
    said = [text("The tap in my kitchen keeps dripping", "w0")]
    said += [image(m, sha(content), f"w{m}") for m, content in PHOTOS.items()]
    posts = said * 3
    random.Random(5).shuffle(posts)
    with world(cloud_files(**PHOTOS)) as (at, _server):
        start = threading.Barrier(len(posts))

        def deliver(one: Any) -> None:
            start.wait()
            at.receive(one)

        with ThreadPoolExecutor(len(posts)) as pool:
            list(pool.map(deliver, posts))
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda _: conversation.fetch_media(at.intake), range(2)))
        assert conversation.fetch_media(at.intake) == 0
        at.settle()
        at.receive(*posts)
        at.settle()
    (held,) = at.store.conversations()
    turns = [t for t in at.store.turns(held.id) if t.tool is Tool.CREATE_ISSUE]
    (issue,) = at.store.issues()
    assert len(turns) == 1
    assert sorted(issue.media) == sorted(PHOTOS)
    assert len(at.all_inbounds()) == 1 + 2 * len(PHOTOS)
    assert len(at.said()) == 2, "who we think it is, and that it is reported"


class FixedFetcher:
    def fetch(self, waiting: WaitingMedia, most: int) -> bytes:
        return PHOTOS[waiting.media.id]


class FixedPictures:
    def thumbnail(self, content: bytes) -> Thumbnail:
        return Thumbnail(b"small", "image/jpeg", 40, 40)


@settings(max_examples=examples(20, 60), deadline=None)
@given(
    order=st.permutations([f"m{n}" for n in range(5)]),
    repeated=st.lists(st.sampled_from([f"m{n}" for n in range(5)]), max_size=5),
    fetched_after=st.lists(st.booleans(), min_size=10, max_size=10),
)
def test_any_order_of_an_album_ends_in_the_same_issue(
    order: list[str], repeated: list[str], fetched_after: list[bool]
) -> None:
    at = World("http://127.0.0.1:9")
    intake = Intake(at.deps, at.files, {Via.WHATSAPP: FixedFetcher()}, FixedPictures(), at.intake.most, 60.0)
    at.receive(text("The tap in my kitchen keeps dripping", "w0"))
    for media, fetches in zip(order + repeated, itertools.cycle(fetched_after), strict=False):
        at.receive(image(media, sha(PHOTOS[media]), f"w{media}"))
        if fetches:
            conversation.fetch_media(intake)
    conversation.fetch_media(intake)
    at.settle()
    (issue,) = at.store.issues()
    assert sorted(issue.media) == sorted(PHOTOS)
    assert len(at.said()) == 2


def test_a_file_may_not_grow_past_what_it_turns_out_to_be() -> None:
    """A document may be larger than a picture; a picture sent as a document may not."""

    class Large:
        def fetch(self, waiting: WaitingMedia, most: int) -> bytes:
            assert most == 25_000_000
            return b"\xff\xd8\xff" + b"\0" * 16_000_000

    at = World("http://127.0.0.1:9")
    document = {"id": "m1", "mime_type": "application/pdf"}
    at.receive({**image("m1"), "type": "document", "document": document})
    intake = Intake(at.deps, at.files, {Via.WHATSAPP: Large()}, FixedPictures(), at.intake.most, 60.0)
    assert conversation.fetch_media(intake) == 1
    assert at.all_inbounds()[-1].kind is InboundKind.FILE_REFUSED
    assert at.files.is_empty()


def test_the_reason_of_a_refusal_stands_in_its_error() -> None:
    bad = MediaError(FileRefusal.TOO_LARGE, "it has more than 5 bytes", is_final=True)
    assert str(bad) == "the file was rejected (too_large): it has more than 5 bytes"
    assert NUMBER not in str(bad)
