"""What scenarios cannot say: people, the outbox, races, and the second look at emergencies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest

from saidonce import converse
from saidonce.converse import Desk, Orchestration, Rules, Voice, wording
from saidonce.errors import DeliveryError, ModelUnavailableError, NotFoundError, UsageError
from saidonce.evaluate.conversation import ScriptedChat
from saidonce.evaluate.playing import PHONE, Clock
from saidonce.evaluate.scenario import NOON
from saidonce.model.conversation import (
    Alarm,
    Conversation,
    Identity,
    Issue,
    IssueState,
    LandlordEvent,
    OutboxMessage,
    OutboxState,
    Passage,
    Path,
    Tool,
)
from saidonce.model.residents import ChannelIdentity, Inbound, InboundKind, Property, Resident, Tenancy, Via
from saidonce.repairs.board import board
from saidonce.store.memory_conversations import MemoryConversations

TAP = (
    '{"tool": "create_issue", "message": "", "description": {"value": "tap drips", "quote": "tap drips"},'
    ' "location": {"value": "kitchen", "quote": "kitchen"}, "photo": {"status": "declined", "quote": "no photos"}}'
)


class World:
    def __init__(self, **desk: Any) -> None:
        self.store, self.clock, self.model = MemoryConversations(), Clock(NOON), ScriptedChat()
        named = {"chat": self.model, "rules": Rules(orchestration=Orchestration.ON), **desk}
        self.desk = Desk(self.store, self.clock, **named)
        place = Property("p1", "12 Elm Road", "Flat 2", "Elm House", "EX1 2AB")
        self.store.put_home(place, Resident("r1", "Ana Bell", (PHONE,)), Tenancy("t1", "p1", "r1", NOON))

    def hear(self, text: str, phone: str = PHONE, *replies: str) -> Inbound:
        self.model.replies = list(replies)
        self.clock.forward(30)
        at = self.clock.now()
        inbound = Inbound(ChannelIdentity(Via.WHATSAPP, phone, phone), "n", f"m-{at}", InboundKind.TEXT, at, at, text)
        return converse.receive(self.desk, inbound)

    def say(self, text: str, *replies: str, phone: str = PHONE) -> Conversation:
        kept = self.hear(text, phone, *replies)
        self.clock.forward(11)
        while converse.work(self.desk, "w") is not None:
            pass
        converse.tend(self.desk)
        return self.store.conversation(kept.conversation_id)


class Recorder:
    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.sent: list[str] = []

    def send(self, message: OutboxMessage, to: Conversation) -> str:
        if self.failures:
            raise self.failures.pop(0)
        self.sent.append(message.text)
        return f"external-{len(self.sent)}"


def test_a_message_during_the_model_call_is_answered_in_one_turn() -> None:
    class Interrupting(ScriptedChat):
        def complete_within(self, *args: Any) -> str:
            if len(self.asked) == 0:
                at = world.clock.now()
                late = Inbound(sender, "n", "late", InboundKind.TEXT, at, at, "it is in the attic")
                super().complete_within(*args)
                converse.receive(world.desk, late)
                return "first reply"
            return super().complete_within(*args)

    world = World(chat=Interrupting())
    sender = ChannelIdentity(Via.WHATSAPP, PHONE, PHONE)
    model = world.desk.chat
    assert isinstance(model, Interrupting)
    world.say("hello")
    world.hear("the water heater rattles")
    model.replies = ["ignored", "second reply"]
    world.clock.forward(11)
    turn = converse.work(world.desk, "w")
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
            converse.receive(
                world.desk, Inbound(sender, "n", f"x{self.n}", InboundKind.TEXT, at, at, "and another thing")
            )
            return "Okay."

    sender = ChannelIdentity(Via.WHATSAPP, PHONE, PHONE)
    world.say("hello")
    kept = world.hear("the water heater rattles")
    desk = replace(world.desk, chat=Busy())
    world.clock.forward(11)
    assert converse.work(desk, "w") is None
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
    assert converse.work(world.desk, "b") is None
    assert converse.take(world.desk, held, "a") is not None


def test_passages_of_the_home_are_shown_and_fenced() -> None:
    asked: list[tuple[str, str]] = []
    told: list[str] = []

    def passages(property_id: str, query: str, said: Sequence[str]) -> Sequence[Passage]:
        asked.append((property_id, query))
        told.extend(said)
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
    from saidonce.model.conversation import Category, PhotoStatus, Urgency

    return Issue(
        "i", "y", "c", "t1", "p1", "sink blocked", "bathroom", Category.OTHER, Urgency.ROUTINE, PhotoStatus.NONE, NOON
    )


def test_people_take_over_write_and_hand_back() -> None:
    world = World()
    held = world.say("hello")
    converse.take_over(world.desk, held.id, "jo")
    assert world.say("the tap drips").handed_off_at is not None
    assert [m.kind for m in world.store.outbox()] == ["identity", "reply"]
    converse.write(world.desk, held.id, "Hi, this is Jo.", "jo")
    with pytest.raises(UsageError):
        converse.write(world.desk, held.id, " ", "jo")
    converse.hand_back(world.desk, held.id, "jo")
    assert world.say("thanks").handed_off_at is None
    reasons = [t.reason for t in world.store.turns(held.id) if t.path is Path.HUMAN]
    assert reasons == ["taken_over:jo", "wrote:jo", "handed_back:jo"]


def test_what_came_before_a_take_over_is_answered_after_it() -> None:
    world = World()
    held = world.say("hello")
    world.hear("the kitchen tap drips")
    converse.take_over(world.desk, held.id, "jo")
    world.clock.forward(20)
    assert converse.work(world.desk, "w") is not None, "noted in silence"
    converse.hand_back(world.desk, held.id, "jo")
    world.model.replies = ["Where exactly?"]
    turn = converse.work(world.desk, "w")
    assert turn is not None
    assert turn.tool is Tool.RESPOND
    assert world.store.outbox()[-1].text == "Where exactly?"


def test_what_came_while_a_person_had_it_is_answered_after_it_unless_they_did() -> None:
    world = World()
    held = world.say("hello")
    converse.take_over(world.desk, held.id, "jo")
    world.say("the blinds fell")
    converse.write(world.desk, held.id, "The blinds: I know.", "jo")
    world.clock.forward(20)
    converse.work(world.desk, "w")
    world.say("my sink is blocked in the kitchen")
    converse.take_over(world.desk, held.id, "jo")  # Again changes nothing.
    assert converse.work(world.desk, "w") is None
    converse.hand_back(world.desk, held.id, "jo")
    seqs = {i.text: i.seq for i in world.store.inbounds(held.id)}
    assert world.store.conversation(held.id).parked == (seqs["my sink is blocked in the kitchen"],)
    world.model.replies = ["What exactly?"]
    turn = converse.work(world.desk, "w")
    assert turn is not None
    assert turn.inbound == (seqs["my sink is blocked in the kitchen"],)
    assert world.store.outbox()[-1].text == "What exactly?"
    assert converse.work(world.desk, "w") is None


def test_an_emergency_that_was_answered_is_no_news_after_a_hand_back() -> None:
    world = World()
    held = world.say("hello")
    converse.take_over(world.desk, held.id, "jo")
    world.say("I smell gas")
    converse.hand_back(world.desk, held.id, "jo")
    assert world.store.conversation(held.id).parked == ()


def test_a_stranger_who_asked_for_a_person_is_not_handed_off_again_by_the_same_words() -> None:
    world = World()
    stranger = "+447700900123"
    world.say("my heater is broken", phone=stranger)
    held = world.say("I want to talk to a human", phone=stranger)
    assert held.handed_off_at is not None
    converse.hand_back(world.desk, held.id, "jo")
    world.clock.forward(20)
    assert converse.work(world.desk, "w") is not None
    assert world.store.conversation(held.id).handed_off_at is None


def test_a_landlord_says_who_it_is_once() -> None:
    world = World()
    stranger = "+447700900123"
    held = world.say("my kitchen tap drips", phone=stranger)
    assert held.identity is Identity.UNIDENTIFIED
    with pytest.raises(NotFoundError):
        converse.approve(world.desk, held.id, "none", "jo")
    converse.approve(world.desk, held.id, "t1", "jo")
    with pytest.raises(UsageError):
        converse.approve(world.desk, held.id, "t1", "jo")
    home = world.store.home("t1")
    assert home is not None
    assert home.resident.external_ids == (held.sender.key,)


def test_the_outbox_is_sent_again_after_failures_and_reconciled() -> None:
    world = World()
    world.say("hello")
    messenger = Recorder(TimeoutError(), DeliveryError("whatsapp", "busy"))
    assert converse.send(world.desk, messenger) == 0
    states = {m.id: m.state for m in world.store.outbox()}
    assert sorted(states.values()) == [OutboxState.QUEUED, OutboxState.UNKNOWN]
    unknown = next(id_ for id_, s in states.items() if s is OutboxState.UNKNOWN)
    assert converse.send(world.desk, messenger) == 0, "it waits for its next try"
    world.clock.forward(5)
    assert converse.send(world.desk, messenger) == 1
    assert converse.again(world.desk) == 0, "a status may still come"
    world.clock.forward(200)
    assert converse.again(world.desk) == 1
    assert converse.send(world.desk, messenger) == 1
    converse.settled(world.desk, unknown, OutboxState.READ)
    converse.settled(world.desk, unknown, OutboxState.DELIVERED)
    assert {m.state for m in world.store.outbox()} == {OutboxState.SENT, OutboxState.READ}
    assert len(messenger.sent) == 2


def test_a_channel_that_always_refuses_ends_in_failed() -> None:
    world = World()
    world.say("hello")
    messenger = Recorder(*[DeliveryError("whatsapp", "no")] * 20)
    left = []
    for _ in range(1_000):
        converse.send(world.desk, messenger)
        left.append(len(messenger.failures))
        world.clock.forward(1)
    n = len(world.store.outbox())
    tried_at = [s for s, (a, b) in enumerate(pairwise([20, *left])) if a != b]
    assert n == 2
    assert tried_at == [0, 5, 25, 105, 425, 430, 450, 530, 850], "the second waits for the first"
    assert left[-1] == 20 - 5 * n
    assert {m.state for m in world.store.outbox()} == {OutboxState.FAILED}
    told = [x for x in world.store.notices() if x.event is LandlordEvent.MESSAGE_FAILED]
    assert [x.dedupe_key for x in told] == [f"message_failed:{m.id}" for m in world.store.outbox()]
    assert [x.detail for x in told] == ["identity: no", "reply: no"]
    assert (told[1].at - told[0].at).total_seconds() == 425


def test_what_may_have_been_sent_so_often_that_it_is_given_up_is_told() -> None:
    world = World()
    world.say("hello")
    for _ in range(5):
        assert world.store.notices() == ()
        converse.send(world.desk, Recorder(TimeoutError(), TimeoutError()))
        world.clock.forward(500)
        converse.again(world.desk)
    assert {m.state for m in world.store.outbox()} == {OutboxState.FAILED}
    assert sorted(n.detail for n in world.store.notices()) == [
        "identity: no status after 5 tries", "reply: no status after 5 tries",
    ]  # fmt: skip


def test_a_status_settles_a_message_that_may_have_been_sent() -> None:
    world = World()
    world.say("hello")
    converse.send(world.desk, Recorder(TimeoutError(), TimeoutError()))
    for message in world.store.outbox():
        converse.settled(world.desk, message.id, OutboxState.DELIVERED, "wamid")
    world.clock.forward(500)
    assert converse.again(world.desk) == 0


@pytest.mark.parametrize("reply", ["!timeout", "", "{}", '{"emergency": "no"}', '{"emergency": false, "x": 1}', "no"])
def test_only_a_clear_no_calls_an_alarm_off(reply: str) -> None:
    world = World()
    world.say("hello")
    world.say("the basement is flooded", reply)
    world.clock.forward(61)
    converse.tend(world.desk)
    (event,) = world.store.events()
    assert event.state is Alarm.SUSPECTED
    assert event.alerted_at is not None
    assert [i.urgency for i in world.store.issues()] == ["emergency"]


def test_the_landlord_is_not_alerted_before_the_second_look_had_its_time() -> None:
    world = World()
    world.say("hello")
    world.hear("the basement is flooded")
    converse.tend(world.desk)
    assert world.store.notices() == ()
    world.clock.forward(61)
    converse.tend(world.desk)
    assert [n.event for n in world.store.notices()] == ["emergency_unverified", "issue_created"]


def test_an_urgent_issue_waits_for_the_home() -> None:
    world = World()
    held = world.say("I smell gas", phone="+447700900123")
    assert world.store.issues() == ()
    assert [n.event for n in world.store.notices()] == ["emergency_unverified"]
    converse.approve(world.desk, held.id, "t1", "jo")
    converse.tend(world.desk)
    assert [i.property_id for i in world.store.issues()] == ["p1"]


def test_an_alert_leaves_the_board_when_its_issue_is_begun() -> None:
    world = World()
    world.say("hello")
    world.say("I smell gas")
    (issue,) = world.store.issues()
    assert [e.issue_id for e in board(world.desk).alarms] == [issue.id]
    for state, n in (
        (IssueState.IN_PROGRESS, 0), (IssueState.OPEN, 1), (IssueState.DONE, 0), (IssueState.CANCELLED, 0)
    ):  # fmt: skip
        converse.move_issue(world.desk, issue.id, state, "jo")
        assert len(board(world.desk).alarms) == n, state


def test_an_alarm_is_no_answer_to_the_question_who_writes() -> None:
    world = World()
    stranger = "+447700900123"
    world.say("my heater is broken", phone=stranger)
    for _ in range(4):
        held = world.say("I smell gas", phone=stranger)
    assert held.identity_tries == 1
    assert held.handed_off_at is None
    said = [m.text for m in world.store.outbox() if m.kind == "identity"]
    assert wording.ASK_WHO_AGAIN not in said
    assert sum(m.kind == "safety" for m in world.store.outbox()) == 1
    assert world.say("Nobody", phone=stranger).identity_tries == 2
    assert world.store.outbox()[-1].text == wording.ASK_WHO_AGAIN


def test_safety_comes_before_identity_and_model_and_needs_neither() -> None:
    class Down:
        name = "down"

        def complete_within(
            self, instructions: str, prompt: str, schema: Mapping[str, object], timeout_s: float
        ) -> str:
            raise ModelUnavailableError(self.name, "down")

    world = World(chat=Down())
    world.hear("I smell gas", "+447700900123")
    assert [m.kind for m in world.store.outbox()] == ["safety"], "at once: no worker has run"
    assert "0800 111 999" in world.store.outbox()[0].text


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


def test_a_final_refusal_is_not_tried_again_and_a_wait_that_is_asked_for_is_kept() -> None:
    world = World()
    world.say("hello")
    n = len(world.store.outbox())
    asked = Recorder(DeliveryError("whatsapp", "slowly", wait_s=90.0))
    converse.send(world.desk, asked)
    world.clock.forward(89)
    assert converse.send(world.desk, asked) == 0
    world.clock.forward(1)
    refused = Recorder(*[DeliveryError("whatsapp", "never", is_final=True)] * n)
    assert converse.send(world.desk, refused) == 0
    assert {m.state for m in world.store.outbox()} == {OutboxState.FAILED}
    assert {n.event for n in world.store.notices()} == {LandlordEvent.MESSAGE_FAILED}
    assert len(world.store.notices()) == n
