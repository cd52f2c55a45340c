"""What residents do, without a model: correct, take back, ask after, report two things, want a person."""

from __future__ import annotations

import pytest

from saidonce.foundation.model.conversation import Conversation, Gathering, IdentityStatus, IssueState, Urgency
from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, Property, Resident, Tenancy, Via
from saidonce.quality.scenario import NOON
from saidonce.repairs import conversation
from saidonce.repairs.conversation import Rules, wording
from talking import World

TAP = "the kitchen tap drips from the spout"


class Talk(World):
    """A resident whose home is known, without any model."""

    def __init__(self, **deps: object) -> None:
        super().__init__(chat=None, **deps)
        self.held = self.say("hello")

    def tells(self, *lines: str) -> Conversation:
        for line in lines:
            self.held = self.say(line)
        return self.held

    def replies(self) -> list[str]:
        return [m.text for m in self.store.outbox()]

    def events(self) -> list[str]:
        return [str(n.event) for n in self.store.notices()]

    def wait(self, seconds: float) -> None:
        self.clock.forward(seconds)
        while conversation.work(self.deps, "w") is not None:
            pass


def filed() -> Talk:
    talk = Talk()
    talk.tells(TAP, "no photo")
    return talk


def test_a_corrected_place_replaces_the_old_one_and_the_change_stands_in_the_trail() -> None:
    talk = Talk()
    talk.tells("the light in the bedroom flickers", "actually it's the hallway")
    assert talk.held.draft.location is not None
    assert talk.held.draft.location.value == "hallway"
    assert any("corrected:location:bedroom>hallway" in t.effects for t in talk.store.turns(talk.held.id))
    talk.tells("no photo")
    (issue,) = talk.store.issues()
    assert issue.location == "hallway"
    assert "the light in the bedroom flickers" in issue.description, "the old words stay"


def test_a_filed_issue_is_corrected_and_the_landlord_hears_of_it() -> None:
    talk = filed()
    talk.tells("sorry I meant the bathroom tap")
    (issue,) = talk.store.issues()
    assert issue.location == "bathroom"
    assert "sorry I meant the bathroom tap" in issue.description
    assert talk.events() == ["issue_created", "issue_corrected"]


@pytest.mark.parametrize("is_filed", [False, True])
def test_the_new_words_of_an_edited_message_correct_the_report(is_filed: bool) -> None:
    talk = Talk()
    talk.tells(TAP, *(["no photo"] if is_filed else []))
    at = talk.clock.now()
    edit = Inbound(
        talk.held.sender, "n", "edit", InboundKind.EDITED, at, at, "the bathroom tap drips from the spout"
    )  # fmt: skip
    conversation.receive(talk.deps, edit)
    talk.wait(30)
    talk.tells("no photo")
    (issue,) = talk.store.issues()
    assert issue.location == "bathroom"


def test_a_claimed_address_confirms_nobody_but_is_passed_on() -> None:
    talk = Talk()
    place = Property("p2", "4 Mill Lane", "", "", "")
    talk.store.put_home(place, Resident("r2", "Bob Cole", ("+447700900777",)), Tenancy("t2", "p2", "r2", NOON))
    talk.tells(TAP, "wrong house, I'm Cole at 4 Mill Lane")
    assert talk.held.identity is IdentityStatus.IDENTIFIED
    assert talk.held.tenancy_id == ""
    assert talk.events() == ["identity_undone", "identity_asked"]
    assert not any("Mill Lane" in reply for reply in talk.replies())
    conversation.approve_identity(talk.deps, talk.held.id, "t2", "jo")
    talk.wait(1)
    held = talk.store.conversation(talk.held.id)
    assert held.tenancy_id == "t2", "the same words do not undo it again"


@pytest.mark.parametrize("words", ["panic over", "neighbour came round and got it working", "scrap that, just me"])
def test_a_withdrawn_report_is_never_filed_by_any_timer(words: str) -> None:
    talk = Talk()
    talk.tells(TAP, words)
    for _ in range(10):
        talk.wait(43_200)
    assert talk.store.issues() == ()
    assert talk.events() == []


def test_a_filed_report_taken_back_is_shown_to_a_person_and_not_deleted() -> None:
    talk = filed()
    talk.tells("my boyfriend has fixed it so no need to send anyone")
    (issue,) = talk.store.issues()
    assert (issue.review, issue.state) == ("withdrawn", IssueState.OPEN)
    assert "my boyfriend has fixed it" in issue.description
    talk.tells("no wait, it's leaking again")
    (issue,) = talk.store.issues()
    assert (issue.review, issue.state) == ("", IssueState.OPEN)
    assert talk.events() == ["issue_created", "issue_withdrawn", "issue_reopened"]


def test_one_of_two_problems_is_taken_back() -> None:
    talk = Talk()
    talk.tells("the bathroom tap drips and the bathroom door sticks", "the tap is sorted but the door still sticks")
    talk.tells("no photo")
    (issue,) = talk.store.issues()
    assert "door" in issue.description
    assert "tap drips" not in issue.description


def test_words_that_leave_it_open_take_nothing_back() -> None:
    talk = Talk()
    talk.tells(TAP, "my dad tried to fix it but it still drips", "no photo")
    assert len(talk.store.issues()) == 1


def test_asking_after_a_report_tells_its_true_state() -> None:
    talk = filed()
    talk.tells("any news on my tap?")
    assert "is with your landlord's team since 17.01.2026" in " ".join(talk.replies())
    (issue,) = talk.store.issues()
    conversation.move_issue(talk.deps, issue.id, IssueState.IN_PROGRESS, "jo")
    talk.tells("when is the plumber coming?")
    assert "is being worked on since" in talk.replies()[-2]
    assert talk.events() == ["issue_created", "issue_asked_after"], "once a day"


def test_a_question_that_names_the_thing_of_a_report_asks_after_it_unless_it_tells_a_fault() -> None:
    talk = filed()
    talk.tells("It's been a while since I wrote to you about that tap. Is it on somebody's list by now?")
    assert "is with your landlord's team since 17.01.2026" in " ".join(talk.replies())
    assert talk.events() == ["issue_created", "issue_asked_after"]
    other = filed()
    other.tells("Is the tap on somebody's list by now? The tap has come loose, too.")
    assert "is with your landlord's team since" not in " ".join(other.replies())


def test_a_done_issue_is_opened_again_when_its_trouble_is_back() -> None:
    talk = filed()
    (issue,) = talk.store.issues()
    conversation.move_issue(talk.deps, issue.id, IssueState.DONE, "jo")
    talk.wait(3 * 86_400)
    talk.tells("the tap is dripping again, worse at night")
    (issue,) = talk.store.issues()
    assert issue.state is IssueState.OPEN
    assert "worse at night" in issue.description
    assert [(m.actor, m.after) for m in talk.store.issue_moves(issue.id)][-1] == ("resident", IssueState.OPEN)
    assert talk.events()[-1] == "issue_reopened"


def test_nothing_is_said_about_a_report_that_there_is_not() -> None:
    talk = Talk()
    talk.tells("any update on my repair?")
    assert talk.replies()[-1] == wording.NOTHING_STANDS


def test_two_problems_are_asked_about_one_after_another_and_filed_once_each() -> None:
    talk = Talk()
    talk.tells("the washing machine won't drain and the bedroom door handle came off")
    assert len(talk.held.more_drafts) == 1
    talk.tells("the machine is in the kitchen", "no photo", "no")
    assert [(i.location, "handle" in i.description) for i in talk.store.issues()] == [
        ("kitchen", False), ("bedroom", True),
    ]  # fmt: skip
    assert not talk.store.conversation(talk.held.id).more_drafts


def test_who_can_send_no_photos_at_all_is_asked_once() -> None:
    talk = Talk()
    talk.tells("in the bathroom the tap drips and the fan is dead", "I haven't got a camera")
    talk.wait(5)
    assert [i.location for i in talk.store.issues()] == ["bathroom", "bathroom"]
    assert sum("photo of it" in reply for reply in talk.replies()) == 1


def test_vulnerable_people_raise_the_urgency_and_the_words_stand_on_the_issue() -> None:
    talk = Talk()
    talk.tells("the heating in the lounge is off. my nan is 91 and housebound. gate code 4471#", "no photo")
    (issue,) = talk.store.issues()
    assert issue.urgency is Urgency.URGENT
    assert issue.urgent_because == ("nan is 91", "housebound")
    assert "gate code 4471#" in issue.description


@pytest.mark.parametrize("no", ["do i have to?", "cba", "i'm blind so no", "only got a nokia", "just send someone"])
def test_a_photo_is_refused_in_any_wording(no: str) -> None:
    talk = Talk()
    talk.tells(TAP, no)
    assert [i.photo for i in talk.store.issues()] == ["declined"]


def test_a_second_answer_that_is_none_ends_the_wait_for_a_photo_unless_one_was_promised() -> None:
    talk = Talk()
    talk.tells(TAP, "hmm well", "dunno really")
    assert [i.photo for i in talk.store.issues()] == ["none"]
    other = Talk()
    other.tells(TAP, "pics in a minute", "hmm well", "dunno really")
    assert other.store.issues() == ()


@pytest.mark.parametrize("photo", ["no photo sorry", "I can't take photos", "no camera"])
def test_a_photo_refused_with_the_report_is_never_asked_for(photo: str) -> None:
    talk = Talk()
    talk.tells(f"{TAP}. {photo}")
    assert talk.store.issues() == (), "the home was recognised just now, and may be denied"
    talk.wait(700)
    assert [(i.photo, i.description) for i in talk.store.issues()] == [("declined", f"{TAP}.")]
    assert not any("Could you send a photo" in reply for reply in talk.replies())


WISHES = ["put me through to someone", "are you a bot? I want a human", "my solicitor will be in touch",
          "I want to make a complaint", "you useless bot"]  # fmt: skip


@pytest.mark.parametrize("wish", WISHES)
def test_a_person_is_always_given_and_the_assistant_is_silent_until_handed_back(wish: str) -> None:
    talk = Talk()
    talk.tells(wish)
    assert talk.held.handed_off_at is not None
    assert "they are back at work on Monday at 09:00" in talk.replies()[-1], "17 January 2026 is a Saturday"
    n = len(talk.replies())
    talk.tells("hello??")
    assert len(talk.replies()) == n
    assert talk.events() == ["escalated", "message_while_handed_off"]


def test_a_person_is_given_during_an_alarm_and_to_those_who_opted_out() -> None:
    talk = Talk()
    talk.tells("I can smell gas in the kitchen", "get me a person please")
    assert talk.held.handed_off_at is not None
    assert "escalated" in talk.events()
    silent = Talk()
    silent.tells("STOP")
    n = len(silent.replies())
    silent.tells("my solicitor will be in touch")
    assert silent.events() == ["escalated"]
    assert len(silent.replies()) == n, "who wants no messages gets none"


def test_no_limit_keeps_anybody_from_a_person() -> None:
    talk = Talk(rules=Rules(max_escalations=1))
    for _ in range(4):
        talk.tells("get me a human")
        assert talk.held.handed_off_at is not None
        conversation.hand_back(talk.deps, talk.held.id, "jo")
    assert talk.events() == ["escalated"] * 4


def test_three_turns_without_progress_and_the_same_line_twice_end_with_a_person() -> None:
    talk = Talk()
    talk.tells("so what about it", "you know what I mean", "come on then")
    assert talk.held.handed_off_at is not None
    other = Talk()
    other.tells("what are you doing about the thing", "what are you doing about the thing")
    assert other.held.handed_off_at is not None


def test_no_question_comes_twice_in_the_same_words_without_a_new_fact() -> None:
    talk = Talk()
    talk.tells("something is broken", "it just is", "I don't know what you mean")
    questions = [r for r in talk.replies() if r.endswith("?")]
    assert len(questions) == len(set(questions))


def test_after_hand_back_it_goes_on_from_what_the_person_agreed() -> None:
    talk = Talk()
    talk.tells(TAP, "can I talk to someone")
    conversation.write_as_staff(talk.deps, talk.held.id, "Sam comes on Tuesday at ten.", "jo")
    conversation.hand_back(talk.deps, talk.held.id, "jo")
    talk.tells("great thanks")
    assert talk.held.gathering is Gathering.IDLE
    assert talk.replies()[-1] == wording.WELCOME
    talk.tells("when is he coming?")
    assert "Sam comes on Tuesday at ten." in talk.replies()[-1]


def test_a_hand_back_without_a_word_of_a_person_keeps_the_report() -> None:
    talk = Talk()
    talk.tells(TAP, "can I talk to someone")
    conversation.hand_back(talk.deps, talk.held.id, "jo")
    talk.tells("no photo")
    assert len(talk.store.issues()) == 1


def test_moving_out_and_other_trouble_are_passed_on_and_are_no_repair() -> None:
    talk = Talk()
    talk.tells("I'm leaving on the 30th", "the neighbours play loud music all night")
    assert [(n.event, n.detail) for n in talk.store.notices()] == [
        ("resident_note", "moving_out"), ("resident_note", "other_trouble"),
    ]  # fmt: skip
    assert talk.held.gathering is Gathering.IDLE


@pytest.mark.parametrize("word", ["STOP", "cancel", "End", "QUIT.", "STOPALL", "please stop messaging me"])
def test_opting_out_in_the_words_of_the_channels_and_in_others(word: str) -> None:
    talk = Talk()
    talk.tells(word)
    assert talk.held.opted_out_at is not None
    assert talk.replies()[-1] == wording.STOPPED
    talk.tells("start")
    assert talk.held.opted_out_at is None


def test_cancel_takes_an_open_report_back_and_by_sms_opts_out_as_well() -> None:
    talk = Talk()
    talk.tells(TAP, "CANCEL")
    assert talk.held.opted_out_at is None
    assert talk.replies()[-1] == wording.WITHDRAWN_AND_MORE
    sms = World(chat=None)
    at = sms.clock.now()
    who = ChannelIdentity(Via.SMS, "+447700900001", "+447700900001")
    for n, text in enumerate([TAP, "CANCEL"]):
        kept = conversation.receive(sms.deps, Inbound(who, "n", f"m{n}", InboundKind.TEXT, at, at, text))
        sms.clock.forward(30)
        while conversation.work(sms.deps, "w") is not None:
            pass
    held = sms.store.conversation(kept.conversation_id)
    assert held.opted_out_at is not None
    assert held.draft.since == 0
