"""A voice message is kept, the landlord is told of it, and the resident is asked to write; what is heard is scanned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from test_media_intake import World, sha

from channel_server import Scripted, gives, gives_address, scripted
from saidonce.errors import ModelUnavailableError
from saidonce.foundation.model.conversation import LandlordEvent, OutboxKind
from saidonce.foundation.ports.recognition import Recognised
from saidonce.repairs import conversation
from saidonce.repairs.conversation import wording
from whatsapp_posts import image, text

VOICE = b"OggS\0\2" + b"\0" * 50


class Hears:
    """Stands in for a recogniser at the outermost wire: it gives the words that were agreed upon."""

    name = "scripted"

    def __init__(self, *parts: str) -> None:
        self.parts = parts
        self.asked: list[tuple[bytes, str]] = []

    def recognise(self, content: bytes, mime: str) -> Sequence[Recognised]:
        self.asked.append((content, mime))
        if not self.parts:
            raise ModelUnavailableError(self.name, "no such model")
        return [Recognised(part, n, n + 1.0) for n, part in enumerate(self.parts)]


@contextmanager
def world(recogniser: Hears | None = None) -> Iterator[tuple[World, Scripted]]:
    with scripted(gives_address("/file/m1"), gives(VOICE, kind="audio/ogg")) as server:
        at = World(server.url)
        at.intake = replace(at.intake, recogniser=recogniser)
        yield at, server


def speaks(at: World, name: str = "v1") -> None:
    audio = {"id": "m1", "mime_type": "audio/ogg; codecs=opus", "sha256": sha(VOICE), "voice": True}
    at.receive({**image("m1", "", name), "type": "audio", "audio": audio})
    assert conversation.fetch_media(at.intake) == 1
    at.settle()


def told_of(at: World) -> list[Any]:
    return [n for n in at.store.notices() if n.event is LandlordEvent.VOICE_NOTE]


def test_without_a_recogniser_it_is_kept_the_landlord_told_and_the_resident_asked_to_write() -> None:
    with world() as (at, _):
        speaks(at)
        assert at.files.get(sha(VOICE)) == (VOICE, "audio/ogg")
        assert at.said()[-1] == wording.FILE_KEPT
        assert len(told_of(at)) == 1
        at.receive(text("The tap in my kitchen drips", "w2"))
        at.settle()
        assert len(told_of(at)) == 1, "once each"


def test_the_landlord_is_told_while_a_person_has_the_conversation() -> None:
    with world() as (at, _):
        at.receive(text("hello", "w1"))
        at.settle()
        (held,) = at.store.conversations()
        conversation.take_over(at.deps, held.id, "jo")
        n_before = len(at.said())
        speaks(at)
        assert len(told_of(at)) == 1
        assert len(at.said()) == n_before, "the person answers"


def test_the_landlord_is_told_during_an_alarm_and_the_resident_asked_to_write() -> None:
    with world() as (at, _):
        at.receive(text("I smell gas in the kitchen", "w1"))
        at.settle()
        speaks(at)
        assert len(told_of(at)) == 1
        assert at.said()[-1] == wording.VOICE_IN_ALARM
        assert at.files.get(sha(VOICE)) is not None


def test_the_landlord_is_told_of_somebody_whose_home_nobody_knows() -> None:
    with world() as (at, _):
        for home in at.store.homes():
            at.store.put_home(home.property, replace(home.resident, phones=()), home.tenancy)
        speaks(at)
        assert len(told_of(at)) == 1
        assert at.said() != []


def test_what_is_heard_is_scanned_for_emergencies_before_anything_else() -> None:
    hears = Hears("There is a strong smell", "I smell gas in the kitchen")
    with world(hears) as (at, _):
        audio = {"id": "m1", "mime_type": "audio/ogg; codecs=opus", "sha256": sha(VOICE), "voice": True}
        at.receive({**image("m1", "", "v1"), "type": "audio", "audio": audio})
        conversation.fetch_media(at.intake)
        (event,) = at.store.events()
        (safety,) = at.store.outbox()
        assert (event.kind, safety.kind) == ("gas", OutboxKind.SAFETY), "before any turn"
        (held,) = at.store.conversations()
        assert at.store.turns(held.id) == ()
        kept = at.all_inbounds()[-1]
        assert kept.media[0].transcript == kept.text == "There is a strong smell I smell gas in the kitchen"
        assert at.files.get(kept.media[0].sha256) == (VOICE, "audio/ogg"), "kept with the sound"
        assert hears.asked == [(VOICE, "audio/ogg")]


def test_what_is_heard_is_understood_as_if_it_were_written() -> None:
    with world(Hears("The tap in my kitchen keeps dripping")) as (at, _):
        speaks(at)
        (held,) = at.store.conversations()
        assert held.draft.description is not None
        assert told_of(at) == []
        assert wording.FILE_KEPT not in at.said()


def test_a_recogniser_that_fails_leaves_it_to_people() -> None:
    with world(Hears()) as (at, _):
        speaks(at)
        assert len(told_of(at)) == 1
        assert at.said()[-1] == wording.FILE_KEPT
