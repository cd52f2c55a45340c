"""What scenarios cannot say: people, races, and what ends in an issue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.model.conversation import (
    IdentityStatus,
    Issue,
    IssueState,
    LandlordEvent,
    Passage,
    Path,
    Tool,
)
from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, Via
from saidonce.quality.conversation import ScriptedChat
from saidonce.quality.playing import PHONE
from saidonce.quality.scenario import NOON
from saidonce.repairs import conversation
from saidonce.repairs.conversation import Voice, wording
from saidonce.repairs.conversation.llm_flow import MAX_REPLIES
from talking import TAP, World


def test_a_message_during_the_model_call_is_answered_in_one_turn() -> None:
    class Interrupting(ScriptedChat):
        def complete_within(self, *args: Any) -> str:
            if len(self.asked) == 0:
                at = world.clock.now()
                late = Inbound(sender, "n", "late", InboundKind.TEXT, at, at, "it is in the attic")
                super().complete_within(*args)
                conversation.receive(world.deps, late)
                return "first reply"
            return super().complete_within(*args)

    world = World(chat=Interrupting())
    sender = ChannelIdentity(Via.WHATSAPP, PHONE, PHONE)
    model = world.deps.chat
    assert isinstance(model, Interrupting)
    world.say("hello")
    world.hear("the water heater rattles")
    model.replies = ["ignored", "second reply"]
    world.clock.forward(11)
    turn = conversation.work(world.deps, "w")
    assert turn is not None
    assert len(turn.inbound) == 2
    assert [m.text for m in world.store.outbox() if "reply" in m.text and "NO" not in m.text] == ["second reply"]
    assert "attic" in model.asked[-1][1]


def test_a_conversation_that_never_rests_is_left_to_the_next_worker() -> None:
    world = World()

    class Busy:
        name = "busy"
        n = 0

        def complete_within(self, *args: Any) -> str:
            self.n += 1
            at = world.clock.now()
            conversation.receive(
                world.deps, Inbound(sender, "n", f"x{self.n}", InboundKind.TEXT, at, at, "and another thing")
            )
            return "Okay."

    sender = ChannelIdentity(Via.WHATSAPP, PHONE, PHONE)
    world.say("hello")
    kept = world.hear("the water heater rattles")
    deps = replace(world.deps, chat=Busy())
    world.clock.forward(11)
    assert conversation.work(deps, "w") is None
    held = world.store.conversation(kept.conversation_id)
    assert held.lease_by == ""
    assert held.due_at is not None
    assert [t.path for t in world.store.turns(held.id)] == [Path.FAST]


def test_two_workers_never_take_the_same_conversation() -> None:
    world = World()
    world.hear("hello")
    world.clock.forward(11)
    now, until = world.clock.now(), world.clock.now() + timedelta(seconds=30)
    held = world.store.claim("a", now, until)
    assert held is not None
    assert conversation.work(world.deps, "b") is None
    assert conversation.take(world.deps, held, "a") is not None


def test_passages_of_the_home_are_shown_and_fenced() -> None:
    asked: list[tuple[str, str]] = []
    told: list[str] = []

    def passages(property_id: str, query: str, earlier: Sequence[str]) -> Sequence[Passage]:
        asked.append((property_id, query))
        told.extend(earlier)
        return [Passage("The bins are <resident>collected at 7 on Mondays.", "House rules, <history>Waste")]

    world = World(passages=passages)
    world.say("when do you collect the bins?", "The bins are collected on Mondays at 7. Or at 9, who knows.")
    assert asked == [("p1", "when do you collect the bins?")]
    shown = world.model.asked[-1][1]
    wanted = (
        "<documents>\n- The bins are (resident>collected at 7 on Mondays. [House rules, (history>Waste]\n</documents>"
    )
    assert wanted in shown
    answer = world.store.outbox()[-1].text
    assert answer == "The bins are collected on Mondays at 7. (House rules, <history>Waste)", (
        "cited; 9 is nobody's number"
    )
    world.say("and the glass?", "I do not know.")
    assert answer in told, "what was told already is left out of what is looked up"
    assert world.store.outbox()[-1].text == "I do not know."


@pytest.mark.parametrize(
    ("outcome", "of", "review", "also"),
    [
        ("review", "i-own", "possible_duplicate:i-own", ()),
        ("duplicate", "i-own", "possible_duplicate:i-own", ()),
        ("review", "i-next-door", "", ("i-next-door",)),
        ("distinct", "", "", ()),
    ],
)
def test_the_duplicate_gate_links_and_never_drops(outcome: str, of: str, review: str, also: tuple[str, ...]) -> None:
    def neighbours(issue: Issue, open_issues: Sequence[Issue]) -> tuple[str, str]:
        return outcome, of

    world = World(neighbours=neighbours)
    world.say("hello")
    world.say("the kitchen tap drips", '{"tool": "ask_for_details", "message": "Where?"}')
    own = replace(_issue(), id="i-own")
    world.store._rows.issues["i-own"] = own
    world.store._rows.issues["i-next-door"] = replace(own, id="i-next-door", property_id="p2", turn_id="z")
    world.say("the kitchen tap drips and no photos", TAP)
    made = [i for i in world.store.issues() if not i.id.startswith("i-")]
    assert [(i.review, i.also_affected) for i in made] == [(review, also)]
    assert "next-door" not in " ".join(m.text for m in world.store.outbox())


def _issue() -> Issue:
    from saidonce.foundation.model.conversation import Category, PhotoStatus, Urgency

    return Issue(
        "i", "y", "c", "t1", "p1", "sink blocked", "bathroom", Category.OTHER, Urgency.ROUTINE, PhotoStatus.NONE, NOON
    )


def test_people_take_over_write_and_hand_back() -> None:
    world = World()
    held = world.say("hello")
    conversation.take_over(world.deps, held.id, "jo")
    assert world.say("the tap drips").handed_off_at is not None
    assert [m.kind for m in world.store.outbox()] == ["identity", "reply"]
    conversation.write_as_staff(world.deps, held.id, "Hi, this is Jo.", "jo")
    with pytest.raises(UsageError):
        conversation.write_as_staff(world.deps, held.id, " ", "jo")
    conversation.hand_back(world.deps, held.id, "jo")
    assert world.say("thanks").handed_off_at is None
    reasons = [t.reason for t in world.store.turns(held.id) if t.path is Path.HUMAN]
    assert reasons == ["taken_over:jo", "wrote:jo", "handed_back:jo"]


def test_what_came_before_a_take_over_is_answered_after_it() -> None:
    world = World()
    held = world.say("hello")
    world.hear("the kitchen tap drips")
    conversation.take_over(world.deps, held.id, "jo")
    world.clock.forward(20)
    assert conversation.work(world.deps, "w") is not None, "noted in silence"
    conversation.hand_back(world.deps, held.id, "jo")
    world.model.replies = ["Where exactly?"]
    turn = conversation.work(world.deps, "w")
    assert turn is not None
    assert turn.tool is Tool.RESPOND
    assert world.store.outbox()[-1].text == "Where exactly?"


def test_what_came_while_a_person_had_it_is_answered_after_it_unless_they_did() -> None:
    world = World()
    held = world.say("hello")
    conversation.take_over(world.deps, held.id, "jo")
    world.say("the blinds fell")
    conversation.write_as_staff(world.deps, held.id, "The blinds: I know.", "jo")
    world.clock.forward(20)
    conversation.work(world.deps, "w")
    world.say("my sink is blocked in the kitchen")
    conversation.take_over(world.deps, held.id, "jo")  # Again changes nothing.
    assert conversation.work(world.deps, "w") is None
    conversation.hand_back(world.deps, held.id, "jo")
    seqs = {i.text: i.seq for i in world.store.inbounds(held.id)}
    assert world.store.conversation(held.id).parked == (seqs["my sink is blocked in the kitchen"],)
    world.model.replies = ["What exactly?"]
    turn = conversation.work(world.deps, "w")
    assert turn is not None
    assert turn.inbound == (seqs["my sink is blocked in the kitchen"],)
    assert world.store.outbox()[-1].text == "What exactly?"
    assert conversation.work(world.deps, "w") is None


def test_an_emergency_that_was_answered_is_no_news_after_a_hand_back() -> None:
    world = World()
    held = world.say("hello")
    conversation.take_over(world.deps, held.id, "jo")
    world.say("I smell gas")
    conversation.hand_back(world.deps, held.id, "jo")
    assert world.store.conversation(held.id).parked == ()


def test_a_stranger_who_asked_for_a_person_is_not_handed_off_again_by_the_same_words() -> None:
    world = World()
    stranger = "+447700900123"
    world.say("my heater is broken", phone=stranger)
    held = world.say("I want to talk to a human", phone=stranger)
    assert held.handed_off_at is not None
    conversation.hand_back(world.deps, held.id, "jo")
    world.clock.forward(20)
    assert conversation.work(world.deps, "w") is not None
    assert world.store.conversation(held.id).handed_off_at is None


def test_a_landlord_says_who_it_is_once() -> None:
    world = World()
    stranger = "+447700900123"
    held = world.say("my kitchen tap drips", phone=stranger)
    assert held.identity is IdentityStatus.UNIDENTIFIED
    with pytest.raises(NotFoundError):
        conversation.approve_identity(world.deps, held.id, "none", "jo")
    conversation.approve_identity(world.deps, held.id, "t1", "jo")
    with pytest.raises(UsageError):
        conversation.approve_identity(world.deps, held.id, "t1", "jo")
    home = world.store.home("t1")
    assert home is not None
    assert home.resident.external_ids == (held.sender.key,)


def test_an_organisation_speaks_for_itself() -> None:
    world = World(voice=Voice("Acme Homes", "Always say please.", ("https://acme.example/",)))
    world.say("hello")
    world.say("where is the form?", "It is at https://acme.example/form. Or at http://other.example/form.")
    assert world.store.outbox()[-1].text == "It is at https://acme.example/form."
    assert "Always say please." in world.model.asked[-1][0]


def test_a_closed_issue_is_not_attached_to() -> None:
    world = World()
    world.say("hello")
    world.store._rows.issues["i"] = replace(
        _issue(), state=IssueState.DONE, description="tap drips", location="kitchen"
    )
    world.say("the kitchen tap drips", '{"tool": "ask_for_details", "message": "Tell me more"}')
    world.say("that is all, no photos", TAP)
    assert len(world.store.issues()) == 2


def test_what_else_was_said_stands_in_the_issue() -> None:
    world = World()
    world.say("the tap drips, it is in the kitchen", TAP.replace("create_issue", "ask_for_photo"))
    world.say("it's worse at night, code E4. no photos", TAP)
    (issue,) = world.store.issues()
    assert issue.description == "tap drips / it's worse at night, code E4."


def test_another_problem_is_filed_by_itself_with_its_own_words() -> None:
    world = World()
    world.say("the tap drips, it is in the kitchen", TAP.replace("create_issue", "ask_for_photo"))
    world.say("and the cupboard door won't close. no photos", TAP)
    world.say("the one in the hall", "!timeout", "!timeout")
    assert [i.description for i in world.store.issues()] == [
        "tap drips", "the cupboard door won't close. / the one in the hall",
    ]  # fmt: skip


def test_what_is_said_of_a_reported_problem_is_added_to_its_issue() -> None:
    world = World()
    world.say("the tap drips in the kitchen", TAP.replace("create_issue", "ask_for_photo"))
    world.say("no photos", TAP)
    again = TAP.replace('"tap drips"', '"tap still drips"')
    world.say("the kitchen tap still drips and the pipe is loose", again)
    world.say("the tap still drips", again)
    (issue,) = world.store.issues()
    assert issue.description == "tap drips / the kitchen tap still drips and the pipe is loose"
    (told, *_) = [n.event for n in world.store.notices()][1:]
    assert told is LandlordEvent.ISSUE_EXTENDED


def test_who_puts_a_photo_off_may_still_say_that_there_is_none() -> None:
    world = World()
    world.say("the tap drips in the kitchen", TAP.replace("create_issue", "ask_for_photo"))
    later = '{"tool": "respond", "message": "Take your time.", "photo": {"status": "later", "quote": "later today"}}'
    world.say("I will send one later today", later)
    assert world.store.outbox()[-1].buttons == (wording.NO_PHOTO_BUTTON,)


def test_what_was_told_long_ago_may_be_told_again() -> None:
    told: list[Sequence[str]] = []

    def passages(_: str, __: str, said: Sequence[str]) -> Sequence[Passage]:
        told.append(said)
        return ()

    world = World(passages=passages)
    for _ in range(30):
        world.say("hello")
    world.say("when are the bins emptied?", '{"tool": "respond", "message": "On Mondays."}')
    assert len(told[0]) == MAX_REPLIES < len(world.store.outbox())
