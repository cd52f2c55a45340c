"""Alarms to the letter: what each answer to the question about danger leaves, and what a resident is told when."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from saidonce.errors import ModelUnavailableError, StaleWriteError, StoreUnavailableError
from saidonce.foundation.model.conversation import (
    Alarm,
    Category,
    EmergencyEvent,
    IdentityStatus,
    Issue,
    LandlordEvent,
    LandlordNotice,
    OutboxMessage,
    Path,
    PhotoStatus,
    Urgency,
)
from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, Media, Via
from saidonce.foundation.text import digest
from saidonce.quality.playing import PHONE
from saidonce.quality.scenario import NOON
from saidonce.repairs import conversation
from saidonce.repairs.conversation import alarm, wording
from saidonce.repairs.conversation import turn as turns
from saidonce.repairs.conversation.alarm_life import claims
from saidonce.repairs.conversation.danger_head import DangerReading, HeadCard
from saidonce.repairs.conversation.emergency import PhraseMatch
from talking import World

QUESTION = "did you hear the alarm? what is it"
AGAIN = "I have kept that. First: is anybody in danger right now? If so ring 999. Reply 1 if yes, 2 if no."


@dataclass(frozen=True)
class Still:
    """A clock that stands."""

    at: datetime

    def now(self) -> datetime:
        return self.at


def asked() -> World:
    """A resident who was asked whether anybody is in danger."""
    world = World()
    world.say("hello")
    world.say(QUESTION)
    return world


def event_of(world: World) -> EmergencyEvent:
    (event,) = world.store.events()
    return event


def last_of(world: World, what: str) -> OutboxMessage:
    """The one message of the alarm with this purpose, which its id tells."""
    (message,) = (m for m in world.store.outbox() if m.id == digest(what, event_of(world).id))
    return message


def alerts(world: World) -> list[LandlordNotice]:
    return [n for n in world.store.notices() if n.event is not LandlordEvent.ISSUE_CREATED]


def paths(world: World) -> list[tuple[Path, str]]:
    return [(turn.path, turn.reason) for turn in world.store.turns(event_of(world).conversation_id)][1:]


def test_a_question_waits_and_keeps_what_was_written_meanwhile() -> None:
    world = asked()
    assert paths(world) == [(Path.EMERGENCY, "danger_asked")]
    assert last_of(world, "asked").text == wording.danger("999")
    held = world.say("it was the neighbour")
    assert held.parked == (world.store.inbounds(held.id)[-1].seq,)
    again = last_of(world, "asked-again")
    assert (again.text, again.buttons) == (AGAIN, wording.DANGER_BUTTONS)
    assert event_of(world).state is Alarm.POSSIBLE
    assert alerts(world) == []


def test_a_second_message_that_answers_nothing_raises_the_alarm_and_says_why() -> None:
    world = asked()
    world.say("it was the neighbour")
    world.say("the neighbour upstairs")
    event = event_of(world)
    assert (event.state, event.is_critical) == (Alarm.SUSPECTED, True)
    assert event.alerted_at is not None
    reply = last_of(world, "unanswered")
    assert reply.text.startswith(wording.unanswered("999"))
    assert world.deps.pack.of("fire").safety in reply.text
    assert reply.text.endswith(wording.PASSED_ON)
    (notice,) = alerts(world)
    assert (notice.event, notice.dedupe_key) == (
        LandlordEvent.EMERGENCY_UNVERIFIED, f"emergency_unverified:{event.id}",
    )  # fmt: skip
    assert (notice.alarm_id, notice.detail, notice.issue_id) == (event.id, "fire", "")
    assert notice.at == event.at, "since when it is"


def test_a_yes_raises_the_alarm_and_says_how_to_stay_safe() -> None:
    world = asked()
    world.say("yes")
    event = event_of(world)
    assert (event.state, event.is_critical) == (Alarm.VALIDATED, True)
    assert event.alerted_at is not None
    assert event.alerted_at > event.at
    safety = last_of(world, "safety")
    assert safety.text.startswith(world.deps.pack.of("fire").safety[:60])
    assert safety.made_at == event.alerted_at
    (notice,) = alerts(world)
    assert (notice.event, notice.dedupe_key) == (LandlordEvent.EMERGENCY_VALIDATED, f"emergency_validated:{event.id}")


def test_a_no_ends_it_with_a_word_and_alerts_nobody() -> None:
    world = asked()
    world.say("no")
    assert event_of(world).state is Alarm.DISMISSED
    assert last_of(world, "soften").text == wording.SOFTEN
    assert alerts(world) == []


def test_the_moment_by_which_an_answer_has_to_come_is_too_late() -> None:
    world = asked()
    event = event_of(world)
    early, late = (replace(world.deps, clock=Still(event.alert_by - timedelta(seconds=s))) for s in (1, 0))
    assert not alarm._raise_if_overdue(early, event)
    assert event_of(world).state is Alarm.POSSIBLE
    assert alarm._raise_if_overdue(late, event)
    assert event_of(world).state is Alarm.SUSPECTED
    assert not alarm._raise_if_overdue(late, event), "somebody else was faster"


def test_a_model_may_only_raise_a_question() -> None:
    world = World()
    inbound = world.hear("the toaster looks odd")
    event, message = alarm.raise_question(world.deps, inbound)
    assert (event.kind, event.phrase, event.state) == ("danger", "urgency: emergency", Alarm.POSSIBLE)
    assert (event.is_critical, event.replied, event.inbound_seq) == (False, True, inbound.seq)
    assert event.id == digest("emergency", *inbound.key, "danger")
    assert (event.alert_by - event.at).total_seconds() == world.deps.rules.answer_wait_s
    assert message.id == digest("asked", event.id)
    assert (message.text, message.buttons) == (wording.danger("999"), wording.DANGER_BUTTONS)


def test_the_first_word_of_an_alarm_is_in_the_residents_language_with_the_english_beside_it() -> None:
    german, english = World(), World()
    german.say("Es brennt in der K\u00fcche und \u00fcberall ist Rauch, bitte helfen Sie uns schnell")
    english.say("hello, there is a fire in the kitchen")
    there, here = last_of(german, "safety"), last_of(english, "safety")
    assert (here.language, here.english) == ("en", "")
    assert (there.language, there.english) == ("de", here.text)
    assert there.text != here.text


@dataclass(frozen=True)
class Head:
    """A trained head that reads the same in every message."""

    card: HeadCard = field(default_factory=lambda: HeadCard("e", ("harmless", "gas"), 0.5, 0.9))

    def read(self, _message: str) -> DangerReading:
        return DangerReading("gas", 0.95)


def test_a_danger_in_other_words_is_read_by_the_head_and_says_by_what() -> None:
    world = World()
    fresh = turns.keep(world.deps, message("there is something in the air since the morning"))
    alarm.scan_message(replace(world.deps, dangers=Head()), fresh)
    event = event_of(world)
    assert (event.kind, event.evidence, event.certainty) == ("gas", ("head: gas 0.95",), 0.95)


def test_who_names_a_danger_when_asked_has_answered() -> None:
    world = asked()
    world.hear("there is a fire in the kitchen")
    assert world.store.events()[0].state is not Alarm.POSSIBLE
    assert [m for m in world.store.outbox() if m.id == digest("asked-again", world.store.events()[0].id)] == []


def test_a_question_about_danger_has_its_buttons_in_the_residents_language() -> None:
    world = World()
    inbound = world.hear("Guten Tag, meine Heizung in der Wohnung ist seit gestern Abend leider ganz kalt")
    _, question = alarm.raise_question(world.deps, inbound)
    assert question.language == "de"
    assert question.english == wording.danger("999")
    assert [button.title for button in question.buttons] == ["1: Ja", "2: Nein"]


def test_the_all_clear_of_a_resident_is_told_with_its_turn_issue_and_kind() -> None:
    world = World()
    world.say("hello")
    world.say("I smell gas")
    before = world.store.notices()
    assert claims(before) == {}
    held = world.say("it is over now, the gas is off, all clear")
    (issue,) = world.store.issues()
    (said,) = (n for n in world.store.notices() if n.event is LandlordEvent.ALL_CLEAR_SAID)
    turn = world.store.turns(held.id)[-1]
    assert [t.reason for t in world.store.turns(held.id)][1:] == ["alarm", "all_clear_said"]
    assert (said.dedupe_key, said.issue_id, said.detail) == (f"all_clear_said:{turn.id}", issue.id, "gas")
    assert claims(world.store.notices()) == {held.id: said.at}
    stranger = World()
    stranger.say("I smell gas", phone="+447700900123")
    stranger.say("it is over now, the gas is off, all clear", phone="+447700900123")
    (said,) = (n for n in stranger.store.notices() if n.event is LandlordEvent.ALL_CLEAR_SAID)
    assert (said.issue_id, said.detail) == ("", "gas")


def alarmed() -> tuple[World, EmergencyEvent, LandlordNotice]:
    """An alarm whose notice is on its way."""
    world = World()
    world.hear("I smell gas")
    (notice,) = world.store.notices()
    return world, event_of(world), notice


@pytest.mark.parametrize(("is_reached", "what"), [(True, "told"), (False, "unreached")])
def test_what_a_resident_is_told_of_the_landlord_has_its_own_name_and_moment(is_reached: bool, what: str) -> None:
    world, event, notice = alarmed()
    world.clock.forward(5)
    conversation.tell_resident(world.deps, replace(notice, alarm_id=""), is_reached)
    message = world.store.outbox()[-1]
    assert message.id == digest(what, event.id)
    assert message.text == (wording.LANDLORD_NOTIFIED if is_reached else wording.unreached("999"))
    assert (message.made_at - event.at).total_seconds() == 5


def test_a_resident_is_told_again_only_of_what_reached_somebody_and_after_a_while() -> None:
    world, _, notice = alarmed()
    further = replace(notice, event=LandlordEvent.EMERGENCY_UNACKNOWLEDGED)
    conversation.tell_resident(world.deps, further, is_reached=False)
    assert len(world.store.outbox()) == 1
    conversation.tell_resident(world.deps, further, is_reached=True)
    conversation.tell_resident(world.deps, notice, is_reached=False)
    assert [m.text for m in world.store.outbox()][1:] == [wording.LANDLORD_NOTIFIED], "that they were told stands"
    other = replace(notice, event=LandlordEvent.ISSUE_CREATED)
    conversation.tell_resident(world.deps, other, is_reached=True)
    world.clock.forward(world.deps.rules.safety_again_s)
    conversation.tell_resident(world.deps, notice, is_reached=False)
    assert len(world.store.outbox()) == 2, "half an hour ago is not long enough ago"
    world.clock.forward(1)
    conversation.tell_resident(world.deps, notice, is_reached=False)
    assert [m.text for m in world.store.outbox()][2:] == [wording.unreached("999")]


def test_nobody_is_told_of_an_alarm_that_is_none_or_no_more() -> None:
    world, event, notice = alarmed()
    conversation.tell_resident(world.deps, replace(notice, alarm_id="another"), is_reached=True)
    world.store.settle_event(event, replace(event, state=Alarm.DISMISSED), None, (), ())
    conversation.tell_resident(world.deps, notice, is_reached=True)
    assert len(world.store.outbox()) == 1


def test_an_alarms_issue_keeps_the_time_of_its_message_however_late_it_is_filed() -> None:
    world = World(chat=None)
    heard = world.hear("I smell gas")
    world.clock.forward(7_200)
    while conversation.work(world.deps, "w") is not None:
        pass
    conversation.tend(world.deps)
    (issue,) = world.store.issues()
    assert issue.reported_at == heard.received_at
    assert issue.created_at - heard.received_at >= timedelta(hours=2), "the worker was away"
    limits = {s.limit: s for s in conversation.standings(issue, world.deps.rules, world.clock.now())}
    hours = world.deps.rules.response_h[issue.urgency]
    assert limits[conversation.TimeLimit.RESPONSE].due_at == heard.received_at + timedelta(hours=hours)


def test_any_other_issue_was_reported_when_it_was_filed() -> None:
    world = World(chat=None)
    world.say("hello")
    world.say("the kitchen tap drips")
    world.say("no photo")
    (issue,) = world.store.issues()
    assert (issue.alarmed_at, issue.reported_at) == (None, issue.created_at)


class Changing:
    """A store whose emergencies somebody else changes, so many times, right before they are written."""

    def __init__(self, store: Any, times: int) -> None:
        self._store, self.left = store, times

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def _changed(self) -> None:
        self.left -= 1
        if self.left >= 0:
            raise StaleWriteError("somebody was faster")

    def settle_event(self, *of: Any) -> Any:
        self._changed()
        return self._store.settle_event(*of)

    def record_scan(self, *of: Any) -> Any:
        self._changed()
        return self._store.record_scan(*of)


def test_a_resident_is_told_although_somebody_changes_the_alarm_a_few_times() -> None:
    world, event, notice = alarmed()
    conversation.tell_resident(replace(world.deps, store=Changing(world.store, 4)), notice, is_reached=True)
    assert [m.text for m in world.store.outbox()][1:] == [wording.LANDLORD_NOTIFIED]
    other, event, notice = alarmed()
    with pytest.raises(StaleWriteError) as stale:
        conversation.tell_resident(replace(other.deps, store=Changing(other.store, 5)), notice, is_reached=True)
    assert str(stale.value) == f"emergency {event.id!r} keeps changing"
    assert len(other.store.outbox()) == 1


def message(text: str, id_: str = "m1", phone: str = PHONE, media: tuple[Media, ...] = ()) -> Inbound:
    """A message that nobody has scanned."""
    sender = ChannelIdentity(Via.WHATSAPP, phone, phone)
    return Inbound(sender, "n", id_, InboundKind.TEXT, NOON, NOON, text, media=media)


def test_a_message_is_scanned_although_somebody_changes_its_conversation_a_few_times() -> None:
    for times in (4, 5):
        world = World()
        fresh = turns.keep(world.deps, message("I smell gas"))
        deps = replace(world.deps, store=Changing(world.store, times))
        if times == 4:
            assert alarm.scan_message(deps, fresh)
            assert event_of(world).kind == "gas"
            continue
        with pytest.raises(StaleWriteError) as stale:
            alarm.scan_message(deps, fresh)
        assert str(stale.value) == f"conversation {fresh.conversation_id!r} keeps changing"
    assert not alarm.scan_message(world.deps, replace(fresh, scanned=True))


def test_whoever_sends_is_woken_only_when_there_is_something_to_send() -> None:
    woken: list[str] = []
    world = World(wake=lambda: woken.append("now"))
    world.hear("hello")
    assert woken == []
    world.hear("I smell gas")
    assert woken == ["now"]


def test_what_fails_for_one_holds_up_no_other_and_is_told_in_the_end() -> None:
    seen: list[int] = []

    def act(n: int) -> bool:
        seen.append(n)
        if n in (2, 3):
            raise ValueError(n)
        return n != 4

    with pytest.raises(ValueError, match="2"):
        alarm._act_on_each([1, 2, 3, 4, 5], act)
    assert seen == [1, 2, 3, 4, 5]
    assert alarm._act_on_each([1, 4, 5], act) == 2

    def away(n: int) -> bool:
        seen.append(n)
        raise StoreUnavailableError("away")

    seen.clear()
    with pytest.raises(StoreUnavailableError):
        alarm._act_on_each([1, 2], away)
    assert seen == [1]


class Answering:
    """A model that gives one answer, and notes what it was asked."""

    name = "answering"

    def __init__(self, reply: str | Exception) -> None:
        self.reply, self.asked = reply, list[tuple[Any, ...]]()

    def complete_within(self, *of: Any) -> str:
        self.asked.append(of)
        if isinstance(self.reply, Exception):
            raise self.reply
        return self.reply


def uncritical(world: World, **more: Any) -> EmergencyEvent:
    """A sure danger of a class that a model may look at again."""
    inbound = turns.keep(world.deps, message("<water> everywhere" + "!" * 900))
    kind = next(c.kind for c in world.deps.pack.classes if not c.is_critical)
    event = alarm._event(world.deps, inbound, PhraseMatch(kind, "x"), ())
    return replace(event, **more)


@pytest.mark.parametrize(
    ("reply", "state"),
    [
        ('{"emergency": true}', Alarm.VALIDATED),
        ('{"emergency": false}', Alarm.SUSPECTED),
        ('{"emergency": 1}', Alarm.SUSPECTED),
        ('{"emergency": true, "more": 1}', Alarm.SUSPECTED),
        ("{}", Alarm.SUSPECTED),
        ("nonsense", Alarm.SUSPECTED),
        (ModelUnavailableError("m", "away"), Alarm.SUSPECTED),
    ],
)
def test_a_second_look_may_confirm_and_dismisses_nothing(reply: str | Exception, state: Alarm) -> None:
    world = World()
    turns.keep(world.deps, message("hello", "m0"))
    event = uncritical(world)
    assert (event.is_critical, event.alerted_at) == (False, None)
    wait = world.deps.rules.alert_wait_s
    assert (event.alert_by - event.at).total_seconds() == wait
    model = Answering(reply)
    assert alarm._second_look(replace(world.deps, chat=model), event) == replace(event, state=state)
    text = "(water> everywhere" + "!" * 882
    fenced = f"<resident>\n{text}\n</resident>"
    assert model.asked == [(alarm.QUESTION, fenced, alarm.ANSWER, world.deps.rules.call_timeout_s)]


@pytest.mark.parametrize(
    "settled", [{"is_critical": True}, {"state": Alarm.VALIDATED}, {"state": Alarm.DISMISSED}, {"alerted_at": NOON}]
)
def test_what_is_settled_is_not_looked_at_again(settled: dict[str, Any]) -> None:
    world = World()
    event = uncritical(world, **settled)
    model = Answering('{"emergency": true}')
    assert alarm._second_look(replace(world.deps, chat=model), event) is event
    assert alarm._second_look(replace(world.deps, chat=None), uncritical(world)).state is Alarm.SUSPECTED
    assert model.asked == []


def test_without_a_model_nobody_looks_again_and_the_landlord_is_alerted_at_once() -> None:
    world = World(chat=None)
    event = uncritical(world)
    assert event.alert_by == event.at


@pytest.mark.parametrize(
    ("state", "seconds", "kind"),
    [
        (Alarm.SUSPECTED, -1, None),
        (Alarm.SUSPECTED, 0, LandlordEvent.EMERGENCY_UNVERIFIED),
        (Alarm.VALIDATED, -1, LandlordEvent.EMERGENCY_VALIDATED),
        (Alarm.DISMISSED, 9, None),
    ],
)
def test_the_landlord_is_alerted_when_it_is_time_and_once(
    state: Alarm, seconds: int, kind: LandlordEvent | None
) -> None:
    world = World()
    event = uncritical(world, state=state)
    at = event.alert_by + timedelta(seconds=seconds)
    after, notices = alarm._alerted(replace(world.deps, clock=Still(at)), event)
    if kind is None:
        assert (after, notices) == (event, ())
        return
    assert after.alerted_at == at
    (notice,) = notices
    assert (notice.event, notice.dedupe_key, notice.at) == (kind, f"{kind}:{event.id}", at)
    assert alarm._alerted(world.deps, after) == (after, ())


def test_how_to_stay_safe_is_that_of_the_most_urgent_class() -> None:
    world = World()
    classes = world.deps.pack.classes
    last, first = (uncritical(world, kind=classes[n].kind) for n in (-1, 0))
    for n, more in enumerate(classes[:-1]):
        pair = [replace(last, kind=classes[n + 1].kind), replace(last, kind=more.kind)]
        assert alarm.contact_of(world.deps, pair).stay == more.stay
    unknown = replace(last, kind="another")
    contact = alarm.contact_of(world.deps, [unknown, last, first])
    assert (contact.stay, contact.number, contact.is_reached) == (classes[0].stay, "999", True)
    assert alarm.contact_of(world.deps, [unknown, last]).stay == classes[-1].stay
    assert alarm.contact_of(world.deps, [unknown]).stay == "Stay where it is safe."
    assert alarm.contact_of(world.deps, []).stay == "Stay where it is safe."


def test_a_team_is_reached_unless_it_has_no_channel_or_the_last_notice_failed() -> None:
    world, event, notice = alarmed()

    def is_reached() -> bool:
        return alarm.contact_of(world.deps, [event]).is_reached

    assert is_reached()
    conversation.tell_resident(world.deps, notice, is_reached=False)
    assert not is_reached()
    conversation.tell_resident(world.deps, notice, is_reached=True)
    assert is_reached()

    class Channels:
        def __init__(self, has: bool) -> None:
            self.has = has

        def has_channel(self) -> bool:
            return self.has

    for has in (True, False):
        deps = replace(world.deps, reach=Channels(has))
        assert (alarm.can_tell(deps), alarm.contact_of(deps, [event]).is_reached) == (has, has)
        assert alarm._status(deps) == (wording.PASSED_ON if has else wording.unreached("999"))


def test_the_issue_of_an_alarm_holds_all_that_was_said_since_it_began() -> None:
    world = World()
    world.say("hello")
    world.say("good morning to you")
    world.say("I smell gas")
    (issue,) = world.store.issues()
    event = event_of(world)
    assert issue == Issue(
        digest("issue", "emergency", event.id), f"emergency:{event.id}", event.conversation_id, "t1", "p1",
        "I smell gas", "", Category.HEATING, Urgency.EMERGENCY, PhotoStatus.NONE, issue.created_at,
        alarmed_at=event.at,
    )  # fmt: skip
    assert event.issue_id == issue.id
    created = next(n for n in world.store.notices() if n.event is LandlordEvent.ISSUE_CREATED)
    assert (created.dedupe_key, created.issue_id, created.detail) == (f"issue_created:{issue.id}", issue.id, "gas")
    assert (created.alarm_id, created.at, created.conversation_id) == ("", issue.created_at, event.conversation_id)
    world.say("there is smoke and fire now")
    assert [i.id for i in world.store.issues()] == [issue.id], "one alarm has one issue"
    assert {e.issue_id for e in world.store.events()} == {issue.id}


def test_every_class_has_its_category_and_the_rest_have_none() -> None:
    for kind, category in {**alarm._CATEGORIES, "fire": Category.OTHER}.items():
        world = World()
        world.say("hello")
        event = uncritical(world, kind=kind, alerted_at=NOON, acknowledged_at=NOON)
        after, issue = alarm._issue(world.deps, event)
        assert issue is not None
        assert (after.issue_id, issue.category, issue.progress.responded_at) == (issue.id, category, NOON)


@pytest.mark.parametrize("settled", [{"alerted_at": None}, {"issue_id": "i9"}, {"state": Alarm.DISMISSED}])
def test_an_issue_is_opened_for_what_was_alerted_and_stands(settled: dict[str, Any]) -> None:
    world = World()
    world.say("hello")
    event = uncritical(world, **{"alerted_at": NOON, **settled})
    assert alarm._issue(world.deps, event) == (event, None)


def test_a_stranger_gets_an_alarm_and_no_issue_until_their_home_is_known() -> None:
    world = World()
    world.say("I smell gas", phone="+447700900123")
    assert world.store.issues() == ()
    assert event_of(world).alerted_at is not None


class Paged:
    """A store that gives unscanned messages two at a time, and cannot take the scan of one."""

    def __init__(self, store: Any, failing: int) -> None:
        self._store, self.failing, self.asked = store, failing, list[tuple[Any, ...]]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def unscanned(self, *of: Any) -> Any:
        self.asked.append(of)
        return self._store.unscanned(*of)[:2]

    def record_scan(self, inbound: Inbound, *of: Any) -> Any:
        if inbound.seq == self.failing:
            raise ValueError("this one cannot be scanned")
        return self._store.record_scan(inbound, *of)


def test_unscanned_messages_are_looked_at_page_by_page_and_a_bad_one_hides_none() -> None:
    world = World()
    kept = [turns.keep(world.deps, message(f"text {n}", f"m{n}")) for n in range(1, 6)]
    store = Paged(world.store, kept[1].seq)
    with pytest.raises(ValueError, match="cannot be scanned"):
        alarm.scan(replace(world.deps, store=store), kept[0].conversation_id)
    assert [i.seq for i in world.store.unscanned(kept[0].conversation_id)] == [kept[1].seq]
    id_ = kept[0].conversation_id
    assert store.asked == [(id_,), (id_, kept[1].seq), (id_, kept[3].seq), (id_, kept[4].seq)]


def test_all_conversations_are_scanned_or_the_one_that_is_named() -> None:
    world = World()
    one = turns.keep(world.deps, message("text", "m1"))
    other = turns.keep(world.deps, message("text", "m2", "+447700900123"))
    last = turns.keep(world.deps, message("text", "m3"))
    assert alarm.scan(world.deps, other.conversation_id) == 1
    assert alarm.scan(world.deps) == 2
    assert alarm.scan(world.deps) == 0
    assert [i.scanned for id_ in (one, last) for i in world.store.inbounds(id_.conversation_id)] == [True] * 4


def test_following_up_counts_the_alarms_that_changed() -> None:
    world = asked()
    event = event_of(world)
    assert alarm.tend(world.deps) == 0, "the answer is still waited for"
    late = replace(world.deps, clock=Still(event.alert_by))
    assert alarm.tend(replace(late, store=Changing(world.store, 1))) == 0, "somebody else is at it"
    assert alarm.tend(late) == 1
    assert alarm.tend(late) == 0, "there is nothing left to do"
    world, _, _ = alarmed()
    world.clock.forward(11)
    while conversation.work(world.deps, "w") is not None:
        pass
    assert event_of(world).issue_id == ""
    assert alarm.tend(replace(world.deps, store=Changing(world.store, 1))) == 0
    assert alarm.tend(world.deps) == 1
    assert event_of(world).issue_id != ""


class Standing:
    """A store with these emergencies, whose conversation is as it is given."""

    def __init__(self, store: Any, events: tuple[EmergencyEvent, ...], **of: Any) -> None:
        self._store, self._events, self._of = store, events, of

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def events(self, id_: str) -> tuple[EmergencyEvent, ...]:
        return tuple(e for e in self._events if e.conversation_id == id_)

    def turns(self, id_: str) -> Any:
        assert id_ == self._events[0].conversation_id
        return self._store.turns(id_)

    def conversation(self, id_: str) -> Any:
        return replace(self._store.conversation(id_), **self._of)


def test_an_issue_begins_with_the_first_message_of_its_alarms_and_is_in_their_language() -> None:
    world = World()
    world.say("hello")
    photo = Media("p1", "image/jpeg", stored=True)
    first, _, last = (
        turns.keep(world.deps, message(text, id_, media=media))
        for text, id_, media in (
            ("Huelo a gas en la cocina, por favor ayuda", "m7", ()),
            ("1", "m8", ()),
            ("el olor viene del horno", "m9", (photo,)),
        )
    )
    events = tuple(
        replace(alarm._event(world.deps, each, PhraseMatch("gas", "x"), ()), alerted_at=NOON) for each in (first, last)
    )
    standing: Any = Standing(world.store, events)
    _, issue = alarm._issue(replace(world.deps, store=standing), events[1])
    assert issue is not None
    assert issue.description == "Huelo a gas en la cocina, por favor ayuda / el olor viene del horno"
    assert (issue.language, issue.photo, issue.media) == ("es", PhotoStatus.PROVIDED, ("p1",))
    for identity in IdentityStatus:
        is_known = identity in (IdentityStatus.CONFIRMED, IdentityStatus.ACTIVE)
        standing = Standing(world.store, events, identity=identity)
        assert (alarm._issue(replace(world.deps, store=standing), events[0])[1] is not None) is is_known
