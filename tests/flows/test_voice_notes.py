"""A voice message is kept, the landlord is told of it, and the resident is asked to write; what is heard is scanned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from test_media_intake import World, sha

from channel_server import Scripted, gives, gives_address, scripted
from saidonce.errors import ModelUnavailableError
from saidonce.foundation.model.conversation import Alarm, Issue, LandlordEvent, OutboxKind, PhotoStatus
from saidonce.foundation.ports.recognition import Recognised
from saidonce.repairs import conversation
from saidonce.repairs.conversation import wording
from saidonce.repairs.issue_file import issue_file
from saidonce.repairs.personal_data import ErasureOptions, PersonalDataDeps, erase_person
from saidonce.repairs.transcript import lines_of
from whatsapp_posts import image, text

VOICE = b"OggS\0\2" + b"\0" * 50


class Hears:
    """Stands in for a recogniser at the outermost wire: it gives the words that were agreed upon."""

    name = "scripted"

    def __init__(self, *parts: str, sure: float = 0.8) -> None:
        self.parts, self.sure = parts, sure
        self.asked: list[tuple[bytes, str, str]] = []

    def recognise(self, content: bytes, mime: str, language: str = "") -> Sequence[Recognised]:
        self.asked.append((content, mime, language))
        if not self.parts:
            raise ModelUnavailableError(self.name, "no such model")
        return [Recognised(part, n, n + 1.0, self.sure) for n, part in enumerate(self.parts) if part]


@contextmanager
def world(recogniser: Hears | None = None) -> Iterator[tuple[World, Scripted]]:
    with scripted(gives_address("/file/m1"), gives(VOICE, kind="audio/ogg")) as server:
        at = World(server.url)
        at.intake = replace(at.intake, recogniser=recogniser)
        yield at, server


def speaks(at: World, name: str = "v1") -> None:
    """Send a voice message, have it fetched and heard, and take the turn."""
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
        assert hears.asked == [(VOICE, "audio/ogg", "")], "nobody knows the language yet"


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


def issue_of(at: World) -> Issue:
    (issue,) = at.store.issues()
    return issue


def again(at: World, server: Scripted, *parts: str, sure: float = 0.8) -> None:
    """Say something else in a further voice message."""
    server.replies[:] = [gives_address("/file/m1"), gives(VOICE, kind="audio/ogg")]
    at.intake = replace(at.intake, recogniser=Hears(*parts, sure=sure))
    speaks(at, f"v{len(at.all_inbounds())}")


def test_what_was_heard_is_shown_before_the_reply_that_follows_from_it() -> None:
    with world(Hears("The tap in my kitchen keeps dripping")) as (at, _):
        speaks(at)
        shown, _known, asked = at.said()
        assert (
            shown == 'I heard: "The tap in my kitchen keeps dripping". If that is not what you said, please write it.'
        )
        assert asked == wording.ASK_PHOTO


def test_what_decides_nothing_is_not_shown() -> None:
    with world(Hears("Hello")) as (at, _):
        at.receive(text("hello", "w1"))
        at.settle()
        n_before = len(at.said())
        speaks(at)
        assert len(at.said()[n_before:]) == 1
        assert not at.said()[-1].startswith("I heard")


def test_a_number_or_a_link_that_was_heard_is_not_sent_back() -> None:
    with world(Hears("The tap in my kitchen drips, ring 07700 900123 555")) as (at, _):
        speaks(at)
        assert wording.VOICE_HEARD in at.said()
        assert not any("900123" in line for line in at.said())


def test_the_sound_stays_with_the_issue_beside_its_photo_state() -> None:
    with world(Hears("The tap in my kitchen keeps dripping")) as (at, _):
        speaks(at)
        at.receive(text("I can't send a photo", "w2"))
        at.settle()
        issue = issue_of(at)
        assert (issue.media, issue.photo) == (("m1",), PhotoStatus.DECLINED)
        file = issue_file(at.deps, issue.id)
        assert [(m.sha256, m.transcript) for m in file.sounds] == [(sha(VOICE), "The tap in my kitchen keeps dripping")]
        assert file.photos == ()


def test_a_refusal_of_the_photo_is_understood_from_a_voice_message() -> None:
    with world(Hears("No, I can't send a photo")) as (at, _):
        at.receive(text("The tap in my kitchen drips", "w1"))
        at.settle()
        speaks(at)
        assert issue_of(at).photo is PhotoStatus.DECLINED


def test_words_heard_unsurely_are_no_report_and_a_person_is_told() -> None:
    with world(Hears("A top in my kitchen keeps stripping", sure=0.3)) as (at, _):
        speaks(at)
        assert at.all_inbounds()[-1].text == ""
        assert at.all_inbounds()[-1].media[0].transcript == "A top in my kitchen keeps stripping", "kept for people"
        assert at.said()[-1] == wording.VOICE_UNCLEAR
        assert len(told_of(at)) == 1
        (held,) = at.store.conversations()
        assert held.draft.description is None


def test_silence_is_asked_about_and_told_of() -> None:
    with world(Hears("")) as (at, _):
        speaks(at)
        assert at.said()[-1] == wording.VOICE_UNCLEAR
        assert len(told_of(at)) == 1


def test_a_danger_heard_unsurely_raises_the_alarm_all_the_same() -> None:
    with world(Hears("I can smell gas in the kitchen", sure=0.2)) as (at, _):
        speaks(at)
        (event,) = at.store.events()
        assert (event.kind, event.state) == ("gas", Alarm.SUSPECTED)
        assert len(told_of(at)) == 1, "somebody has to listen to it, too"


def test_a_voice_message_calls_no_alarm_off() -> None:
    with world(Hears("No, nobody is in danger")) as (at, server):
        at.receive(text("it smells a bit burnt in the hall, not sure", "w1"))
        at.settle()
        (asked,) = at.store.events()
        assert asked.state is Alarm.POSSIBLE, "a case that is asked about"
        speaks(at)
        (event,) = at.store.events()
        assert event.state is Alarm.POSSIBLE, "what a program heard is no all-clear"
        again(at, server, "No")
        assert all(e.state is not Alarm.DISMISSED for e in at.store.events())


def test_a_written_no_after_a_spoken_one_answers_the_question() -> None:
    with world(Hears("No, nobody is in danger")) as (at, _):
        at.receive(text("it smells a bit burnt in the hall, not sure", "w1"))
        at.settle()
        speaks(at)
        at.receive(text("2", "w2"))
        at.settle()
        (event,) = at.store.events()
        assert event.state is Alarm.DISMISSED


def test_the_language_of_the_resident_is_named_once_it_is_known() -> None:
    with world(Hears("El grifo de la cocina gotea")) as (at, _):
        at.receive(text("hola, buenos d\u00edas", "w1"))
        at.settle()
        speaks(at)
        assert at.intake.recogniser is not None
        assert at.intake.recogniser.asked[0][2] == "es"  # type: ignore[attr-defined]
        assert any(line.startswith("He o\u00eddo") for line in at.said()), "shown in their language"


def test_erasing_a_resident_drops_their_voice_and_keeps_the_photos_of_issues() -> None:
    with world(Hears("The tap in my kitchen keeps dripping")) as (at, _):
        speaks(at)
        at.receive(text("I can't send a photo", "w2"))
        at.settle()
        desk = PersonalDataDeps(at.deps, at.files, lambda n: b"x" * n)
        erase_person(desk, "r1", "jo", ErasureOptions(why="asked"))
        assert at.files.get(sha(VOICE)) is None
        assert issue_of(at).media == ()


def test_a_spoken_yes_deletes_nothing() -> None:
    with world(Hears("Yes")) as (at, _):
        at.deps = replace(at.deps, rules=replace(at.deps.rules, erases_at_once=True))
        at.intake = replace(at.intake, deps=at.deps)
        at.receive(text("hello", "w0"))
        at.settle()
        at.receive(text("delete my data", "w1"))
        at.settle()
        assert at.said()[-1] == wording.ASK_ERASE
        speaks(at)
        (held,) = at.store.conversations()
        assert held.erasure_confirmed_at is None
        at.receive(text("yes", "w2"))
        at.settle()
        assert at.store.conversations()[0].erasure_confirmed_at is None, "the question is no longer the last thing said"


def test_a_file_that_has_arrived_is_no_longer_shown_as_on_its_way() -> None:
    with world(Hears("The tap in my kitchen keeps dripping")) as (at, _):
        audio = {"id": "m1", "mime_type": "audio/ogg; codecs=opus", "sha256": sha(VOICE), "voice": True}
        at.receive({**image("m1", "", "v1"), "type": "audio", "audio": audio})
        (held,) = at.store.conversations()
        assert [m.stored for line in lines_of(at.deps, held) for m in line.media] == [False]
        conversation.fetch_media(at.intake)
        assert [m.stored for line in lines_of(at.deps, held) for m in line.media] == [True]
