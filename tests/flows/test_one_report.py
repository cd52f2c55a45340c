"""A report begun on one channel goes on over the other one of the same resident; a claim neither sees nor moves it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from saidonce.foundation.model.conversation import Conversation, Gathering, IdentityStatus
from saidonce.foundation.model.residents import Inbound, InboundKind, Media, Via
from saidonce.quality.conversation import play
from saidonce.quality.playing import ScenarioClock
from saidonce.quality.scenario import Scenario, read_scenarios
from saidonce.repairs import conversation
from saidonce.repairs.conversation import Orchestration, Rules
from saidonce.repairs.issue_file import issue_file
from saidonce.testing.memory_conversations import MemoryConversations
from talking import WEB, World, world_of_two_channels

CASES = Path(__file__).parents[1] / "cases" / "conversation_two_channels"
ALL = read_scenarios(CASES)


def by_web(world: World, text: str, photos: Sequence[str] = ()) -> Conversation:
    world.clock.forward(30)
    at = world.clock.now()
    media = tuple(Media(id_, "image/jpeg", "0" * 64, stored=True) for id_ in photos)
    kind = InboundKind.MEDIA if media else InboundKind.TEXT
    kept = conversation.receive(world.deps, Inbound(WEB, "web", f"w-{at}", kind, at, at, text, media=media))
    world.clock.forward(11)
    while conversation.work(world.deps, "w") is not None:
        pass
    return world.store.conversation(kept.conversation_id)


@pytest.fixture
def quiet() -> World:
    """A resident whose WhatsApp number and web link are theirs, on the keyword flow, who has reported nothing yet."""
    return world_of_two_channels(Rules(orchestration=Orchestration.OFF))


@pytest.fixture
def world(quiet: World) -> World:
    """The same resident with an open report."""
    quiet.say("hello")
    quiet.say("the kitchen tap is dripping")
    return quiet


def phone_of(world: World) -> Conversation:
    return next(c for c in world.store.conversations() if c.sender.via is Via.WHATSAPP)


@pytest.mark.parametrize("scenario", ALL, ids=lambda s: s.id)
def test_each_case_ends_as_it_should(scenario: Scenario) -> None:
    played = play(scenario, "default", MemoryConversations)
    assert (played.failures, played.flaws) == ((), ())


@pytest.mark.parametrize("scenario", ALL, ids=lambda s: s.id)
def test_every_turn_on_both_channels_is_told_anew_the_same(scenario: Scenario) -> None:
    store = MemoryConversations("acme")
    play(replace(scenario, state={}), "v1", lambda: store)
    deps = conversation.ConversationDeps(
        store, ScenarioClock(scenario.clock), pack=conversation.named_pack(scenario.pack)
    )
    for held in store.conversations():
        for turn in store.turns(held.id):
            told = conversation.replay(deps, turn.id, held.id, MemoryConversations("acme"))
            assert told.is_same, (turn.n, told.differences, told.before)


def test_both_records_say_where_the_report_went(world: World) -> None:
    web = by_web(world, "no photo")
    phone = phone_of(world)
    assert (phone.draft.since, phone.gathering, phone.draft_expires_at) == (0, Gathering.IDLE, None)
    assert f"report_to:{web.id}" in world.store.turns(phone.id)[-1].effects
    assert any(f"report_from:{phone.id}" in t.effects for t in world.store.turns(web.id))
    assert [t.n for t in world.store.turns(phone.id)] == list(range(1, phone.version + 1))


def test_a_photo_of_the_other_channel_is_shown_with_the_issue(world: World) -> None:
    by_web(world, "here it is", ["ph1"])
    (issue,) = world.store.issues()
    assert [m.id for m in issue_file(world.deps, issue.id).photos] == ["ph1"]
    world.clock.forward(60)
    at = world.clock.now()
    phone = phone_of(world)
    late = (Media("ph2", "image/jpeg", "1" * 64, stored=True),)
    conversation.receive(world.deps, Inbound(phone.sender, "n", "late", InboundKind.MEDIA, at, at, media=late))
    world.clock.forward(11)
    while conversation.work(world.deps, "w") is not None:
        pass
    (issue,) = world.store.issues()
    assert [m.id for m in issue_file(world.deps, issue.id).photos] == ["ph1", "ph2"]


def test_it_comes_back_without_the_words_of_somebody_whom_the_landlord_disowns(world: World) -> None:
    web = by_web(world, "the shower in the bathroom is cold")
    assert web.draft.since
    assert web.more_drafts
    conversation.undo_identity(world.deps, web.id, "ann")
    web, phone = world.store.conversation(web.id), phone_of(world)
    assert (web.identity, web.draft.since, web.more_drafts, web.told_on) == (IdentityStatus.IDENTIFIED, 0, (), ())
    assert phone.gathering is Gathering.AWAITING_PHOTO
    assert phone.draft.description is not None
    assert "tap" in phone.draft.description.value
    assert not phone.more_drafts
    world.say("no photo")
    (issue,) = world.store.issues()
    assert "shower" not in issue.description


def test_a_photo_sent_by_somebody_who_is_not_the_resident_does_not_stay(world: World) -> None:
    by_web(world, "hello")
    web = by_web(world, "wrong home, that is not me", ["theirs"])
    assert web.identity is IdentityStatus.IDENTIFIED
    phone = phone_of(world)
    assert phone.draft.media == ()
    assert phone.gathering is Gathering.AWAITING_PHOTO


def test_who_wants_no_messages_there_keeps_the_report_here(world: World) -> None:
    web = by_web(world, "STOP")
    assert not web.draft.since
    assert phone_of(world).draft.since


def test_a_report_under_an_alarm_stays_with_it(world: World) -> None:
    world.say("I smell gas")
    web = by_web(world, "no photo of it")
    assert not web.draft.since


def test_a_timer_moves_nothing(world: World) -> None:
    by_web(world, "no photo")
    world.say("the bedroom window won't shut")
    assert phone_of(world).draft.since
    world.clock.forward(3_600 * 20)
    while conversation.work(world.deps, "w") is not None:
        pass
    assert phone_of(world).draft.since


def test_words_that_tell_of_no_repair_stay_where_they_were_written(quiet: World) -> None:
    by_web(quiet, "my secret is the blue parrot")
    for text in ("hello", "The kitchen tap drips from the spout", "sorry, no photo"):
        quiet.say(text)
    assert phone_of(quiet).told_on == ()
    assert [i.description for i in quiet.store.issues()] == ["The kitchen tap drips from the spout"]


def test_a_greeting_on_one_channel_does_not_keep_the_report_on_the_other(world: World) -> None:
    by_web(world, "hello")
    of = by_web(world, "sorry, no photo")
    assert of.draft.description is not None
    assert [p.conversation_id for p in of.told_on] == [phone_of(world).id]
    assert phone_of(world).gathering is Gathering.IDLE


def test_it_comes_back_to_a_place_that_holds_only_a_greeting_with_a_photo(world: World) -> None:
    web = by_web(world, "the shower in the bathroom is cold")
    by_web(world, "the drill gives off smoke sometimes")
    at, phone = world.clock.now(), phone_of(world)
    cat = (Media("ph1", "image/jpeg", "0" * 64, stored=True),)
    conversation.receive(world.deps, Inbound(phone.sender, "n", "cat", InboundKind.MEDIA, at, at, "lovely day", cat))
    world.clock.forward(11)
    while conversation.work(world.deps, "w") is not None:
        pass
    phone = phone_of(world)
    assert (bool(phone.draft.since), phone.gathering) == (True, Gathering.IDLE), "the report waits for an answer there"
    conversation.undo_identity(world.deps, web.id, "ann")
    phone = phone_of(world)
    assert phone.draft.description is not None
    assert "tap" in phone.draft.description.value
    assert phone.draft.media == ("ph1",), "what the resident has sent there is not lost"
