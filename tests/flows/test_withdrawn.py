"""What was taken back is never filed, what was denied is filed at no home, and facts stand as they were said."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from saidonce.foundation.model.conversation import IdentityStatus, PhotoStatus
from saidonce.repairs import conversation
from saidonce.repairs.conversation import wording
from talking import World

FOLDER = Path(__file__).resolve().parents[1] / "cases" / "people"
CASES = tomllib.loads((FOLDER / "withdrawals.toml").read_text(encoding="utf-8"))
TAP = "the kitchen tap drips from the spout"
DOWN = ("!timeout", "!timeout")


def later(world: World, days: int = 5) -> None:
    """Let every timer go off."""
    for _ in range(days * 2):
        world.clock.forward(43_200)
        while conversation.work(world.deps, "w") is not None:
            pass
        conversation.tend(world.deps)


@pytest.mark.parametrize("said", CASES["withdrawn"])
def test_a_report_that_was_taken_back_is_never_filed(said: str) -> None:
    world = World()
    world.say("hello")
    held = world.say(TAP, *DOWN)
    assert held.draft.is_full
    held = world.say(said, *DOWN)
    assert world.store.outbox()[-1].text == wording.WITHDRAWN
    assert held.draft.since == 0
    later(world)
    assert world.store.issues() == ()
    assert [n.event for n in world.store.notices()] == []


@pytest.mark.parametrize("said", CASES["kept"])
def test_what_takes_nothing_back_leaves_the_report(said: str) -> None:
    world = World()
    world.say("hello")
    world.say(TAP, *DOWN)
    world.say(said, *DOWN)
    assert all(m.text != wording.WITHDRAWN for m in world.store.outbox())
    later(world)
    assert len(world.store.issues()) == 1


def test_it_is_taken_back_in_one_breath_and_before_anybody_knows_who_writes() -> None:
    world = World()
    stranger = "+447700900123"
    world.say(TAP, phone=stranger)
    held = world.say("never mind, my dad has sorted it", phone=stranger)
    assert held.parked == ()
    conversation.approve_identity(world.deps, held.id, "t1", "jo")
    later(world)
    assert world.store.issues() == ()


def test_what_is_reported_after_it_is_filed_without_it() -> None:
    world = World()
    world.say("hello")
    world.say(TAP, *DOWN)
    world.say("my dad has sorted it")
    world.say("the shower head in the bathroom is broken off", *DOWN)
    world.say("no photo", *DOWN)
    (issue,) = world.store.issues()
    assert "shower head" in issue.description
    assert "tap" not in issue.description


def test_a_filed_report_gets_the_words_and_the_landlord_is_told() -> None:
    world = World()
    world.say("hello")
    world.say(TAP, *DOWN)
    world.say("no photo", *DOWN)
    world.say("my dad has sorted it")
    assert world.store.outbox()[-1].text == wording.WITHDRAWN_LATER
    (issue,) = world.store.issues()
    assert "my dad has sorted it" in issue.description
    assert [n.event for n in world.store.notices()] == ["issue_created", "issue_withdrawn"]


def asked_for_home_and_photo() -> World:
    world = World()
    held = world.say(TAP, *DOWN)
    texts = [m.text for m in world.store.outbox()]
    assert any("Reply NO" in text for text in texts)
    assert any("photo" in text for text in texts)
    assert held.identity is IdentityStatus.ACTIVE
    return world


@pytest.mark.parametrize("no", ["no that's wrong", "no, not my address", "wrong address", "wrong", "NO", "NO."])
def test_a_no_that_means_the_home_files_nothing_there_whatever_was_asked_with_it(no: str) -> None:
    world = asked_for_home_and_photo()
    held = world.say(no, *DOWN)
    assert held.identity is IdentityStatus.IDENTIFIED
    assert "t1" in held.excluded
    later(world)
    assert world.store.issues() == ()


@pytest.mark.parametrize("no", ["no", "No.", "nope", "no sorry", "no thanks"])
def test_a_bare_no_answers_the_question_for_the_photo_and_the_home_is_named_again(no: str) -> None:
    world = asked_for_home_and_photo()
    held = world.say(no, *DOWN)
    assert held.identity is IdentityStatus.ACTIVE
    (issue,) = world.store.issues()
    assert issue.photo is PhotoStatus.DECLINED
    assert "WRONG ADDRESS" in world.store.outbox()[-1].text
    held = world.say("WRONG ADDRESS", *DOWN)
    assert held.identity is IdentityStatus.IDENTIFIED
    (issue,) = world.store.issues()
    assert issue.review == "identity_undone", "a person looks at what was filed there"


@pytest.mark.parametrize("no", ["no", "NO", "nope"])
def test_a_no_is_about_the_home_where_nothing_else_takes_a_no(no: str) -> None:
    world = World()
    world.say("something is broken", *DOWN)
    asked = [m.text for m in world.store.outbox()]
    assert any("Reply NO" in text for text in asked)
    assert "which room" in asked[-1], "no answer to it is a no"
    assert world.say(no, *DOWN).identity is IdentityStatus.IDENTIFIED


def test_no_is_about_the_photo_when_only_that_was_asked() -> None:
    world = World()
    world.say("hello")
    world.say("what do you do?", *DOWN)
    world.say(TAP, *DOWN)
    world.say("no", *DOWN)
    assert [i.photo for i in world.store.issues()] == ["declined"]


@pytest.mark.parametrize(
    "fact",
    ["E119", "0.4 bar", "my mother is 86 and on oxygen", "the gate code is C44", "I have a newborn", "model no. 4471-B",
     "it shows 12:40", "mornings only, I work nights"],
)  # fmt: skip
def test_facts_given_in_answer_stand_in_the_issue_verbatim(fact: str) -> None:
    world = World()
    world.say("hello")
    world.say("My boiler is not working", *DOWN)
    world.say(f"it's in the kitchen. {fact}", *DOWN)
    world.say(fact, *DOWN)
    world.say("no photo", *DOWN)
    (issue,) = world.store.issues()
    assert fact in issue.description


def test_an_unanswered_alarm_finds_its_home_and_its_issue_by_itself() -> None:
    world = World()
    world.say("did you hear the alarm? what is it")
    world.clock.forward(world.deps.rules.answer_wait_s)
    conversation.tend(world.deps)
    while conversation.work(world.deps, "w") is not None:
        pass
    conversation.tend(world.deps)
    assert [i.urgency for i in world.store.issues()] == ["emergency"]
