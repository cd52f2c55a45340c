"""Alarms by what stands around a message: the conversation's language, an open question or alarm, and the clock."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from saidonce.foundation.model.conversation import (
    Alarm,
    Conversation,
    EmergencyEvent,
    LandlordEvent,
    OutboxMessage,
    Way,
)
from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, Media, Via
from saidonce.foundation.text import digest
from saidonce.quality.playing import PHONE
from saidonce.quality.scenario import NOON
from saidonce.repairs import conversation
from saidonce.repairs.conversation import alarm
from saidonce.repairs.conversation import turn as turns
from saidonce.repairs.conversation.danger_head import DangerReading, HeadCard
from talking import WEB, World, world_of_two_channels

QUESTION = "did you hear the alarm? what is it"
FRENCH = "Bonjour, le chauffage de la salle de bain ne marche plus depuis hier soir"
GERMAN = "Guten Tag, meine Heizung in der Wohnung ist seit gestern Abend leider ganz kalt"
WHO = ChannelIdentity(Via.WHATSAPP, PHONE, PHONE)


def sent(world: World, id_: str, text: str, *media: Media, scans: bool = True) -> Inbound:
    """Keep a message and scan it a minute later."""
    world.clock.forward(60)
    at = world.clock.now()
    kind = InboundKind.MEDIA if media else InboundKind.TEXT
    fresh = turns.keep(world.deps, Inbound(WHO, "n", id_, kind, at, at, text, media=media))
    world.clock.forward(60)
    if scans:
        alarm.scan_message(world.deps, fresh)
    return fresh


def only(world: World) -> EmergencyEvent:
    (event,) = world.store.events()
    return event


def messages(world: World, what: str) -> list[OutboxMessage]:
    return [m for m in world.store.outbox() if m.id in {digest(what, e.id) for e in world.store.events()}]


def asked_in(language_of: str) -> World:
    """A resident of some language who was asked whether anybody is in danger."""
    world = World()
    world.say(language_of)
    sent(world, "m1", QUESTION)
    assert only(world).state is Alarm.POSSIBLE
    return world


@pytest.mark.parametrize(("answer", "state"), [("oui", Alarm.VALIDATED), ("non", Alarm.DISMISSED)])
def test_a_word_of_the_conversations_language_answers_although_it_shows_none(answer: str, state: Alarm) -> None:
    world = World()
    first = world.say(FRENCH)
    event, question = alarm.raise_question(world.deps, world.store.inbounds(first.id)[-1])
    world.store.record_scan(sent(world, "m1", "1234", scans=False), 0, (event,), (question,), ())
    sent(world, "m2", answer)
    assert only(world).state is state


def test_a_word_of_the_conversations_language_is_a_danger_although_it_is_an_english_name() -> None:
    for language, kinds in ((GERMAN, ["fire"]), ("hello, my radiator has been cold since yesterday evening", [])):
        world = World()
        world.say(language)
        sent(world, "m1", "Brand")
        assert [e.kind for e in world.store.events()] == kinds


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("no, the ceiling is falling down", "structure"),
        ("no, somebody is breaking in", "intruder"),
        ("no, it is flooding", "water"),
        ("no, burning smell", "fire"),
    ],
)
def test_a_no_before_a_danger_denies_nothing(text: str, kind: str) -> None:
    world = World()
    sent(world, "m1", text)
    assert only(world).kind == kind


@pytest.mark.parametrize("text", ["no, burning smell", "no, it is flooding now"])
def test_a_late_no_before_a_danger_is_told_nobody_as_an_all_clear(text: str) -> None:
    world = World()
    for words in ("hello", QUESTION, "it was the neighbour", "the neighbour upstairs", "smoke and flooding here", text):
        world.say(words)
    assert alarm.contact_of(world.deps, world.store.events()).has_run_out
    assert [n for n in world.store.notices() if n.event is LandlordEvent.ALL_CLEAR_SAID] == []
    assert not any("Good to hear" in m.text for m in world.store.outbox())
    world.say("no, nobody is in danger")
    assert [n.event for n in world.store.notices()].count(LandlordEvent.ALL_CLEAR_SAID) == 1


@dataclass(frozen=True)
class Head:
    """A trained head that reads a danger in whatever it is asked."""

    card: HeadCard = field(default_factory=lambda: HeadCard("e", ("harmless", "gas"), 0.5, 0.9))

    def read(self, _message: str) -> DangerReading:
        return DangerReading("gas", 0.95)


def test_a_picture_without_words_is_asked_of_no_reader() -> None:
    world = World(dangers=Head())
    sent(world, "m1", "", Media("p1", "image/jpeg", stored=True))
    assert world.store.events() == ()
    sent(world, "m2", "there is something in the air since the morning")
    assert only(world).kind == "gas"


@pytest.mark.parametrize(("text", "media"), [("STOP", ()), ("", (Media("p1", "image/jpeg", stored=True),))])
def test_what_asks_for_silence_and_what_has_no_words_answer_no_question(text: str, media: tuple[Media, ...]) -> None:
    world = asked_in("hello")
    for n in range(2):
        sent(world, f"n{n}", text, *media)
    assert only(world).state is Alarm.POSSIBLE
    assert messages(world, "asked-again") == []


@pytest.mark.parametrize(
    ("text", "state", "n_again"), [("no", Alarm.POSSIBLE, 1), ("yes", Alarm.VALIDATED, 0), ("maybe", Alarm.POSSIBLE, 1)]
)
def test_what_a_recogniser_heard_confirms_and_calls_nothing_off(text: str, state: Alarm, n_again: int) -> None:
    world = asked_in("hello")
    voice = Media("v1", "audio/ogg", stored=True)
    assert voice.is_voice
    sent(world, "n1", text, voice)
    assert only(world).state is state
    assert len(messages(world, "asked-again")) == n_again


def test_a_doubt_while_an_alarm_stands_is_no_doubt_and_its_turns_keep_it_standing() -> None:
    for is_kept, state in ((True, Alarm.SUSPECTED), (False, Alarm.POSSIBLE)):
        world = World()
        world.say("hello")
        world.say("I smell gas")
        conversation.acknowledge(world.deps, only(world).id, "Sam", Way.PAGE)
        day = world.deps.rules.alarm_s
        world.clock.forward(day - 600)
        if is_kept:
            world.say("the man is here now")
        world.clock.forward(day - 600 if is_kept else 1_200)
        sent(world, "m1", QUESTION)
        assert world.store.events()[-1].state is state


def test_whether_a_question_ran_out_is_known_by_the_message_that_said_so() -> None:
    world = asked_in("hello")
    assert alarm.contact_of(world.deps, world.store.events()).has_run_out is False
    sent(world, "n1", "it was the neighbour")
    assert alarm.contact_of(world.deps, world.store.events()).has_run_out is False
    sent(world, "n2", "the neighbour upstairs")
    assert len(messages(world, "unanswered")) == 1
    assert alarm.contact_of(world.deps, world.store.events()).has_run_out is True
    assert alarm.contact_of(world.deps, ()).has_run_out is False


@pytest.mark.parametrize(("text", "what"), [("I smell gas", "safety"), (QUESTION, "asked")])
def test_the_first_word_of_an_alarm_has_the_moment_of_its_message_however_late_it_is_scanned(
    text: str, what: str
) -> None:
    world = World()
    inbound = sent(world, "m1", text)
    (message,) = messages(world, what)
    assert message.made_at == inbound.received_at == only(world).at
    assert message.made_at < world.clock.now()
    assert message.turn_id == "", "no turn says it"


def test_a_confirmed_alarm_is_answered_at_the_moment_of_the_answer() -> None:
    world = asked_in("hello")
    sent(world, "n1", "yes")
    (message,) = messages(world, "safety")
    assert message.made_at == world.clock.now() > only(world).at


def test_what_is_told_in_english_for_want_of_a_translation_is_marked_as_english() -> None:
    world = World()
    sent(world, "m1", "Jó napot kívánok, a fűtés tegnap este óta nem működik a lakásban")
    (heard,) = world.store.inbounds(world.store.conversations()[0].id)
    _, question = alarm.raise_question(world.deps, heard)
    assert alarm._spoken(world.deps, heard.conversation_id).language == "hu"
    assert (question.language, question.english) == ("en", "")


@pytest.mark.parametrize(("text", "n_issues"), [("I smell gas here too", 1), ("there is a fire in the kitchen", 2)])
def test_an_alarm_of_one_kind_on_two_channels_has_one_issue_and_another_kind_its_own(text: str, n_issues: int) -> None:
    world = world_of_two_channels(World().deps.rules)
    world.say("hello")
    world.say("I smell gas")
    world.clock.forward(30)
    at = world.clock.now()
    for id_, words in (("w1", "hello, it's me"), ("w2", text)):
        conversation.receive(world.deps, Inbound(WEB, "web", id_, InboundKind.TEXT, at, at, words))
        world.clock.forward(11)
        while conversation.work(world.deps, "w") is not None:
            pass
        conversation.tend(world.deps)
    assert len(world.store.events()) == 2
    assert len(world.store.issues()) == n_issues


@dataclass
class Kept:
    """A store that holds one conversation and its messages."""

    of: Conversation
    heard: tuple[Inbound, ...]

    def conversation(self, _id: str) -> Conversation:
        return self.of

    def inbounds(self, _id: str) -> tuple[Inbound, ...]:
        return self.heard


def language(before: str, seen: int, *texts: str) -> str:
    heard = tuple(
        Inbound(WHO, "n", f"m{n}", InboundKind.TEXT, NOON, NOON, text, seq=n, conversation_id="c")
        for n, text in enumerate(texts, 1)
    )
    store: Any = Kept(Conversation("c", WHO, "n", NOON, language=before, seen=seen), heard)
    return alarm._spoken(replace(World().deps, store=store), "c").language


def test_the_language_of_an_alarm_is_that_of_the_new_messages_after_the_conversations_own() -> None:
    english = "hello, my radiator has been cold since yesterday evening"
    assert language("de", 1, english) == "de", "what was read before has had its say"
    assert language("de", 1, english, "12") == "de", "a message that shows no language keeps the one before"
    assert language("de", 0, english, "12") == "en"
    assert language("fr", 0, "", GERMAN, "  ") == "de"
