"""A conversation during an alarm, to the letter: what counts to it, what its messages become, how long it stands."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from saidonce.foundation.model.conversation import (
    Alarm,
    Category,
    Conversation,
    EmergencyEvent,
    Gathering,
    IdentityStatus,
    Issue,
    IssueDraft,
    IssueState,
    LandlordEvent,
    LandlordNotice,
    OutboxKind,
    OutboxMessage,
    Path,
    PhotoStatus,
    Turn,
    Urgency,
)
from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, Media, Via
from saidonce.foundation.text import digest
from saidonce.repairs.conversation import wording
from saidonce.repairs.conversation.alarm_life import claims, open_alarms
from saidonce.repairs.conversation.alarm_state import (
    AlarmContact,
    AlarmState,
    alarm_state,
    danger_answers,
    plan_during_alarm,
    wait_for_answer,
)
from saidonce.repairs.conversation.executor import turn_id
from saidonce.repairs.conversation.rules import Rules, Voice
from saidonce.repairs.conversation.view import NoticeDraft, ResidentReply, TurnView

NOON = datetime(2026, 1, 17, 12, tzinfo=UTC)
WHO = ChannelIdentity(Via.WHATSAPP, "+447700900001", "+447700900001")
REACHED = AlarmContact("Stay out.", "999", is_reached=True)
ALONE = AlarmContact("Stay out.", "999", is_reached=False)


def after(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def heard(seq: int, text: str = "", photo: str = "", at: float | None = None, button: str = "") -> Inbound:
    moment = after(seq if at is None else at)
    media = (Media(photo, "image/jpeg", stored=True),) if photo else ()
    kind = InboundKind.TEXT if text else InboundKind.MEDIA if photo else InboundKind.TEXT
    return Inbound(
        WHO, "n", f"m{seq}", kind, moment, moment, text, media=media, button=button, seq=seq, conversation_id="c"
    )


def event(id_: str = "e1", seq: int = 1, kind: str = "gas", **more: Any) -> EmergencyEvent:
    named = {"replied": True, **more}
    return EmergencyEvent(id_, "c", seq, kind, "smell gas", True, named.pop("at", after(seq)), after(seq), **named)


def issue(id_: str = "i1", **more: Any) -> Issue:
    return Issue(
        id_, "emergency:e1", "c", "t1", "p1", more.pop("description", "I smell gas"), "", Category.HEATING,
        Urgency.EMERGENCY, more.pop("photo", PhotoStatus.NONE), NOON, **more,
    )  # fmt: skip


def turn(seq: int, path: Path = Path.EMERGENCY, at: float = 0.0) -> Turn:
    same = (IdentityStatus.ACTIVE, IdentityStatus.ACTIVE)
    return Turn(f"t{seq}", "c", seq, after(at), path, (seq,), same, (Gathering.IDLE, Gathering.IDLE))


def view(*new: Inbound, **of: Any) -> TurnView:
    conversation = Conversation("c", WHO, "n", NOON, **of)
    return TurnView(conversation, new, (), None, after(100), Rules(), Voice())


class TestWhileAQuestionIsOpen:
    def test_all_messages_wait_in_order_and_nothing_is_said(self) -> None:
        looked = view(heard(5, "one"), heard(3, "two"), parked=(4, 3))
        plan = wait_for_answer(looked)
        assert (plan.path, plan.reason, plan.replies, plan.notices) == (Path.EMERGENCY, "danger_asked", (), ())
        assert plan.conversation == replace(looked.conversation, parked=(3, 4, 5))

    def test_the_message_that_says_no_is_an_answer_and_no_other(self) -> None:
        asked, other = event("e1", 2, state=Alarm.DISMISSED), event("e2", 9, state=Alarm.SUSPECTED)
        messages = [
            heard(1, "no", at=1), heard(3, "no", at=2), heard(4, "the neighbour", at=11), heard(5, "no", at=12),
            heard(6, "no", at=13), heard(10, "no", at=20),
        ]  # fmt: skip
        outbox = [message(digest("asked", "e1"), 10), message(digest("asked", "e2"), 10)]
        assert danger_answers([asked, other], outbox, messages) == {5}
        assert danger_answers([asked], outbox, [*messages[:3], heard(7, "yes", button="2", at=10)]) == {7}
        assert danger_answers([asked], outbox, messages[:3]) == {-1}
        assert danger_answers([asked], [message("another", 10)], messages) == set()
        its_own = heard(2, "no", at=10)
        assert danger_answers([asked], outbox, [its_own, heard(5, "no it was only toast", at=12)]) == {5}
        again = event("e3", 20, state=Alarm.DISMISSED)
        both = [*outbox, message(digest("asked", "e3"), 30)]
        assert danger_answers([asked, again], both, [*messages, heard(21, "no", at=31)]) == {5, 21}
        assert danger_answers([other], outbox, messages) == set()
        assert danger_answers([other, asked], outbox, messages) == {5}, "one that stands ends no look at the others"

    def test_the_message_that_says_yes_is_an_answer_to_a_question_that_was_confirmed(self) -> None:
        confirmed, outbox = event("e1", 2, state=Alarm.VALIDATED), [message(digest("asked", "e1"), 10)]
        messages = [heard(3, "the neighbour", at=11), heard(4, "yes", at=12), heard(5, "no", at=13)]
        assert danger_answers([confirmed], outbox, messages, is_yes=True) == {4}
        assert danger_answers([confirmed], outbox, messages) == set()
        assert danger_answers([replace(confirmed, state=Alarm.DISMISSED)], outbox, messages, is_yes=True) == set()


def message(id_: str, at: float) -> OutboxMessage:
    return OutboxMessage(id_, "c", "", OutboxKind.SAFETY, "text", after(at))


class TestTheState:
    def test_it_is_made_of_what_stands_and_what_was_written_since(self) -> None:
        stands, over = event("e1", 3, issue_id="i1"), event("e0", 1, kind="fire", state=Alarm.DISMISSED)
        open_ = event("e2", 6, kind="danger", state=Alarm.POSSIBLE, replied=False)
        messages = [heard(1, "smoke"), heard(3, "I smell gas"), heard(4, "yes"), heard(5, "in the hall")]
        events, issues, looked = [over, stands, open_], [issue("i0"), issue()], view(heard(5, "in the hall"))
        seen = alarm_state(looked, events, issues, [], messages, frozenset({4}))
        spent = AlarmState((open_,), (stands,), issue(), ("I smell gas", "in the hall"), frozenset({1, 3}))
        assert seen == replace(spent, answers=frozenset({4}), dangers=frozenset({1, 3, 6}))
        assert alarm_state(looked, events, issues, [], messages).texts == ("I smell gas", "yes", "in the hall")

    def test_texts_begin_with_the_draft_that_was_open_or_the_new_message_whatever_came_first(self) -> None:
        messages = [heard(n, f"text {n}") for n in range(1, 7)]
        for draft, new, first in ((0, 5, 4), (2, 5, 2), (0, 2, 2)):
            looked = view(heard(new, "x"), draft=IssueDraft(since=draft))
            seen = alarm_state(looked, [event(seq=4)], [], [], messages)
            assert seen.texts[0] == f"text {first}"

    def test_without_an_alarm_there_is_none_of_it(self) -> None:
        seen = alarm_state(view(heard(1, "hello")), [], [issue()], [], [heard(1, "hello")])
        assert seen == AlarmState()
        assert seen.contact == AlarmContact("Stay where it is safe.", "", is_reached=True)

    def test_an_issue_of_another_alarm_is_not_taken(self) -> None:
        seen = alarm_state(view(heard(3, "x")), [event(seq=3)], [issue("")], [], [])
        assert (seen.issue, len(seen.alarms)) == (None, 1)

    def test_an_acknowledged_alarm_ends_when_nothing_was_heard_of_it_for_long(self) -> None:
        acknowledged = event(seq=3, acknowledged_at=after(5))
        looked = view(heard(9, "x"))
        for alarm_s, n_open in ((95.1, 1), (95.0, 0)):
            ruled = replace(looked, rules=replace(looked.rules, alarm_s=alarm_s))
            assert len(alarm_state(ruled, [acknowledged], [], [], []).alarms) == n_open
        ruled = replace(looked, rules=replace(looked.rules, alarm_s=60.0))
        assert len(alarm_state(ruled, [acknowledged], [], [turn(4, at=50)], []).alarms) == 1, "a turn is a sign"


class TestHowLongItStands:
    def stands(
        self, *of: EmergencyEvent, turns: tuple[Turn, ...] = (), now: float = 100, alarm_s: float = 50
    ) -> list[str]:
        return [e.id for e in open_alarms(of, (), turns, after(now), alarm_s)]

    def test_what_nobody_has_acknowledged_stands_for_ever(self) -> None:
        assert self.stands(event(), now=1e7) == ["e1"]
        assert self.stands() == []

    @pytest.mark.parametrize(("now", "is_open"), [(59.9, True), (60, False), (1_000, False)])
    def test_what_somebody_has_acknowledged_stands_while_something_is_heard(self, now: float, is_open: bool) -> None:
        assert self.stands(event(acknowledged_at=after(10)), now=now) == ["e1"] * is_open

    def test_turns_of_the_alarm_and_further_events_are_signs_and_other_turns_are_none(self) -> None:
        one = event(acknowledged_at=after(10))
        assert self.stands(one, turns=(turn(2, at=55),)) == ["e1"]
        assert self.stands(one, turns=(turn(2, Path.V1, at=55),)) == []
        assert self.stands(one, event("e2", 55)) == ["e1", "e2"]
        assert self.stands(one, turns=(turn(3, at=130), turn(2, at=59)), now=170) == [], "once silent is silent"
        assert self.stands(one, turns=(turn(3, at=10), turn(2, at=5)), now=60) == [], "before counts for nothing"

    def test_one_that_ended_ends_no_other(self) -> None:
        assert self.stands(event(acknowledged_at=after(10)), event("e2", 2), now=1_000) == ["e2"]

    def test_residents_claims_are_kept_with_their_last_moment(self) -> None:
        said = [
            LandlordNotice("1", LandlordEvent.ALL_CLEAR_SAID, "c", after(1)),
            LandlordNotice("2", LandlordEvent.ALL_CLEAR_SAID, "d", after(2)),
            LandlordNotice("3", LandlordEvent.ISSUE_CREATED, "e", after(3)),
            LandlordNotice("4", LandlordEvent.ALL_CLEAR_SAID, "c", after(4)),
        ]
        assert claims(said) == {"c": after(4), "d": after(2)}


class TestAMessageDuringAnAlarm:
    def test_before_the_home_is_known_the_landlord_is_told_of_each(self) -> None:
        looked = view(heard(5, "it is in the hall"), parked=(2,))
        plan = plan_during_alarm(
            looked, AlarmState(alarms=(event(), event("e2", 2, "fire"), event("e3", 3)), contact=REACHED)
        )
        assert (plan.path, plan.reason, plan.extended, plan.effects) == (Path.EMERGENCY, "alarm", None, ())
        assert plan.conversation == replace(looked.conversation, parked=())
        assert plan.replies == (
            ResidentReply(OutboxKind.REPLY, wording.passed_on("Stay out.", "it is in the hall")),
        )  # fmt: skip
        assert plan.notices == (NoticeDraft(LandlordEvent.ALARM_MESSAGE, turn_id(looked), "", "gas, fire"),)

    @pytest.mark.parametrize("identity", [IdentityStatus.CONFIRMED, IdentityStatus.ACTIVE])
    def test_whose_home_is_known_has_an_issue_that_tells_of_it(self, identity: IdentityStatus) -> None:
        plan = plan_during_alarm(view(heard(5, "it is in the hall"), identity=identity), AlarmState(alarms=(event(),)))
        assert plan.notices == ()

    def test_what_says_nothing_is_answered_by_nothing(self) -> None:
        for looked in (view(heard(5, "yes")), view(heard(5, " ")), view()):
            at = AlarmState(alarms=(event(),), contact=REACHED, answers=frozenset({5}))
            plan = plan_during_alarm(looked, at)
            assert (plan.replies, plan.notices, plan.reason) == ((), (), "alarm")

    def test_who_wants_no_more_messages_gets_those_of_an_alarm(self) -> None:
        looked = view(heard(5, "it is in the hall"), opted_out_at=NOON)
        plan = plan_during_alarm(looked, AlarmState(alarms=(event(),)))
        assert [reply.kind for reply in plan.replies] == [OutboxKind.SAFETY]

    def test_messages_are_taken_in_the_order_of_sending_but_for_those_that_were_answered(self) -> None:
        looked = view(heard(5, "third", at=30), heard(4, "first", at=10))
        at = AlarmState(alarms=(event(),), replied=frozenset({7}), contact=REACHED, answers=frozenset({8}))
        plan = plan_during_alarm(
            looked, at, [heard(6, "second", at=20), heard(7, "I smell gas", at=25), heard(8, "yes")]
        )
        assert [reply.text for reply in plan.replies] == [wording.passed_on("Stay out.", "first / second / third")]

    def test_an_all_clear_is_noted_and_told_and_ends_nothing(self) -> None:
        looked = view(heard(5, "the gas is off, all clear"))
        at = AlarmState(alarms=(event(),), issue=issue(description="the gas is off, all clear"), contact=REACHED)
        plan = plan_during_alarm(looked, at)
        assert plan.reason == "all_clear_said"
        assert plan.notices == (NoticeDraft(LandlordEvent.ALL_CLEAR_SAID, turn_id(looked), "i1", "gas"),)
        assert [r.text for r in plan.replies] == [wording.all_clear_noted("the gas is off, all clear", "999")]
        assert plan.extended is None
        unknown = plan_during_alarm(looked, replace(at, issue=None, contact=ALONE))
        assert unknown.notices == (NoticeDraft(LandlordEvent.ALL_CLEAR_SAID, turn_id(looked), "", "gas"),)
        assert [r.text for r in unknown.replies] == [wording.all_clear_recorded("the gas is off, all clear", "999")]

    def test_what_was_said_before_the_last_word_clears_nothing(self) -> None:
        looked = view(heard(5, "all clear"), heard(6, "the hall smells"))
        plan = plan_during_alarm(looked, AlarmState(alarms=(event(),)))
        assert (plan.reason, [n.event for n in plan.notices]) == ("alarm", [LandlordEvent.ALARM_MESSAGE])

    def test_the_issue_takes_texts_and_photos_and_the_landlord_is_told(self) -> None:
        looked = view(heard(5, "in the hall", photo="new"), heard(6, photo="new"))
        at = AlarmState(alarms=(event(),), issue=issue(media=("old",)), texts=("I smell gas", "in the hall"))
        plan = plan_during_alarm(looked, at)
        more = issue(description="I smell gas / in the hall", media=("old", "new"), photo=PhotoStatus.PROVIDED)
        assert plan.extended == more
        assert plan.effects == ("extended:i1",)
        assert plan.notices == (NoticeDraft(LandlordEvent.ISSUE_EXTENDED, turn_id(looked), "i1"),)
        assert plan.conversation == looked.conversation

    def test_an_issue_that_nothing_is_added_to_stays_as_it_is(self) -> None:
        asked = issue(photo=PhotoStatus.DECLINED)
        plan = plan_during_alarm(view(heard(5, "I smell gas")), AlarmState(alarms=(event(),), issue=asked))
        assert (plan.extended, plan.notices, plan.effects) == (None, (), ())
        texts = AlarmState(alarms=(event(),), issue=asked, texts=("in the hall",))
        longer = plan_during_alarm(view(heard(5, "in the hall")), texts).extended
        assert longer == replace(asked, description="I smell gas / in the hall"), "no photo came"

    def test_an_open_draft_goes_into_the_issue_with_its_photos(self) -> None:
        looked = view(
            heard(5, "in the hall"), gathering=Gathering.GATHERING_DETAILS, is_nudged=True, draft_expires_at=NOON,
            draft=IssueDraft(since=2, media=("drafted",)), more_drafts=(IssueDraft(since=3),), parked=(4,),
        )  # fmt: skip
        plan = plan_during_alarm(looked, AlarmState(alarms=(event(),), issue=issue()))
        assert plan.extended == issue(media=("drafted",), photo=PhotoStatus.PROVIDED)
        assert plan.conversation == replace(
            looked.conversation, parked=(), gathering=Gathering.ISSUE_CREATED, draft=IssueDraft(),
            draft_expires_at=None, is_nudged=False, issue_id="i1", issue_at=looked.now, more_drafts=(),
        )  # fmt: skip

    def test_an_all_clear_with_something_new_tells_both(self) -> None:
        looked = view(heard(5, "all clear"))
        at = AlarmState(alarms=(event(),), issue=issue(), texts=("all clear",))
        told = [(n.event, n.subject, n.issue_id) for n in plan_during_alarm(looked, at).notices]
        assert told == [
            (LandlordEvent.ISSUE_EXTENDED, turn_id(looked), "i1"),
            (LandlordEvent.ALL_CLEAR_SAID, turn_id(looked), "i1"),
        ]


class TestTheReply:
    def reply(self, contact: AlarmContact, *new: Inbound) -> str:
        plan = plan_during_alarm(view(*new), AlarmState(alarms=(event(),), contact=contact))
        return plan.replies[0].text

    def test_words_are_repeated_on_one_line(self) -> None:
        texts = (heard(5, "in  the\nhall"), heard(6, "and upstairs"))
        assert self.reply(REACHED, *texts) == wording.passed_on("Stay out.", "in the hall / and upstairs")
        assert self.reply(ALONE, *texts) == wording.recorded_only("Stay out.", "in the hall / and upstairs", "999")

    def test_a_photo_alone_is_passed_on(self) -> None:
        assert self.reply(REACHED, heard(5, photo="p")) == wording.photo_passed_on("Stay out.")
        assert self.reply(ALONE, heard(5, photo="p")) == wording.photo_recorded_only("Stay out.", "999")

    def test_what_must_not_be_repeated_is_not(self) -> None:
        hostile = heard(5, "ring 0900 123456 and see http://evil.example/now")
        assert self.reply(REACHED, hostile) == wording.message_passed_on("Stay out.")
        assert self.reply(ALONE, hostile) == wording.message_recorded_only("Stay out.", "999")

    def test_no_more_than_three_hundred_characters_are_repeated(self) -> None:
        exactly = " ".join(["hall"] * 60) + "s"
        assert len(exactly) == 300
        assert self.reply(REACHED, heard(5, exactly)) == wording.passed_on("Stay out.", exactly)
        cut = " ".join(["hall"] * 59) + " ..."
        assert self.reply(REACHED, heard(5, f"{exactly}s")) == wording.passed_on("Stay out.", cut)


def test_a_closed_issue_ends_its_alarm() -> None:
    done = replace(issue(), state=IssueState.DONE)
    assert open_alarms([event(issue_id="i1")], [done], [], after(9), 50) == ()
    assert open_alarms([event(issue_id="i1")], [issue()], [], after(9), 50) == (event(issue_id="i1"),)


@pytest.mark.parametrize("text", ["2", "no", "nope, sorry for the late reply"])
def test_a_late_no_to_a_question_that_ran_out_is_passed_on_and_its_truth_told(text: str) -> None:
    ran_out = replace(REACHED, has_run_out=True)
    plan = plan_during_alarm(view(heard(2, text)), AlarmState(alarms=(event(),), issue=issue(), contact=ran_out))
    assert plan.reason == "all_clear_said"
    assert [r.text for r in plan.replies] == [wording.all_clear_noted(text, "999")]
    assert [n.event for n in plan.notices] == [LandlordEvent.ALL_CLEAR_SAID]


def test_a_late_no_before_a_danger_is_no_all_clear() -> None:
    ran_out = replace(REACHED, has_run_out=True)
    looked, events = view(heard(2, "no, burning smell")), [event(), event("e2", 2, "fire", replied=False)]
    at = replace(alarm_state(looked, events, [issue()], [], looked.new), contact=ran_out)
    assert at.dangers == {1, 2}
    plan = plan_during_alarm(looked, at)
    said = ResidentReply(OutboxKind.REPLY, wording.passed_on("Stay out.", "no, burning smell"))
    assert (plan.reason, plan.replies) == ("alarm", (said,))
    assert LandlordEvent.ALL_CLEAR_SAID not in {n.event for n in plan.notices}


def test_a_mere_no_where_nothing_was_asked_is_no_all_clear() -> None:
    plan = plan_during_alarm(view(heard(2, "no")), AlarmState(alarms=(event(),), issue=issue(), contact=REACHED))
    said = ResidentReply(OutboxKind.REPLY, wording.passed_on("Stay out.", "no"))
    assert (plan.reason, plan.replies) == ("alarm", (said,)), "it goes to the alarm, and lowers nothing"
    assert LandlordEvent.ALL_CLEAR_SAID not in {n.event for n in plan.notices}
