"""What becomes of an issue is told to its resident: moves, visits, reminders, limits of time; on a stepping clock."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from saidonce.errors import UsageError
from saidonce.foundation.model.conversation import (
    Conversation,
    Issue,
    IssueState,
    LandlordEvent,
    OutboxKind,
    OutboxMessage,
)
from saidonce.foundation.model.progress import IssueStep, TimeSpan, VisitState
from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, Via
from saidonce.quality.playing import PHONE
from saidonce.repairs import conversation
from saidonce.repairs.conversation import Rules
from saidonce.repairs.conversation.issue_clock import LimitState, TimeLimit, standings
from saidonce.repairs.conversation.office_hours import OfficeHours, span_words
from talking import TAP, World

DAY = 86_400.0


class Windows:
    """Outlets of a channel with a window of 24 hours, and no template."""

    def obstacle(self, to: Conversation, at: datetime) -> str:
        heard = to.last_inbound_at
        return "" if heard is not None and at < heard + timedelta(hours=24) else "window_closed"


def reported(**deps: Any) -> tuple[World, Issue]:
    """A world whose resident has reported a dripping tap."""
    world = World(**deps)
    world.say("hello")
    world.say("the kitchen tap drips", '{"tool": "ask_for_details", "message": "Tell me more"}')
    world.say("that is all, no photos", TAP)
    (issue,) = world.store.issues()
    return world, issue


def span(world: World, days: float, hours: float = 2) -> TimeSpan:
    start = world.clock.now() + timedelta(days=days)
    return TimeSpan(start, start + timedelta(hours=hours))


def news(world: World) -> list[OutboxMessage]:
    return [m for m in world.store.outbox() if m.kind is OutboxKind.PROGRESS]


def press(world: World, payload: str) -> Conversation:
    world.clock.forward(30)
    at = world.clock.now()
    sender = ChannelIdentity(Via.WHATSAPP, PHONE, PHONE)
    kept = conversation.receive(world.deps, Inbound(sender, "n", f"b-{at}", InboundKind.BUTTON, at, at, button=payload))
    world.clock.forward(11)
    while conversation.work(world.deps, "w") is not None:
        pass
    return world.store.conversation(kept.conversation_id)


def events(world: World) -> list[LandlordEvent]:
    return [n.event for n in world.store.notices()]


@pytest.mark.parametrize(
    ("to", "words"),
    [(IssueState.IN_PROGRESS, "being worked on"), (IssueState.DONE, "Is it fixed? Reply 1 yes, 2 no"),
     (IssueState.CANCELLED, "closed without work")],
)  # fmt: skip
def test_a_move_on_the_board_is_told_once(to: IssueState, words: str) -> None:
    world, issue = reported()
    for _ in range(2):
        moved = conversation.move_issue(world.deps, issue.id, to, "ann")
    (message,) = news(world)
    assert words in message.text
    assert moved.progress.told is not None
    assert (moved.progress.told.message_id, moved.progress.told.obstacle) == (message.id, "")
    assert [m.after for m in world.store.issue_moves()] == [to]


def test_a_look_is_told_to_nobody() -> None:
    world, issue = reported()
    assert conversation.move_issue(world.deps, issue.id, IssueState.OPEN, "ann", is_looked_at=True) == issue
    assert news(world) == []


def test_after_the_window_nobody_is_told_and_the_board_knows() -> None:
    world, issue = reported(outlets=Windows())
    conversation.move_issue(world.deps, issue.id, IssueState.IN_PROGRESS, "ann")
    world.clock.forward(DAY)
    moved = conversation.move_issue(world.deps, issue.id, IssueState.DONE, "ann")
    assert len(news(world)) == 1
    assert moved.progress.told is not None
    assert moved.progress.told.obstacle == "window_closed"
    assert moved.state is IssueState.DONE


def test_who_sent_stop_is_told_nothing() -> None:
    world, issue = reported()
    world.say("STOP")
    moved = conversation.move_issue(world.deps, issue.id, IssueState.DONE, "ann")
    assert news(world) == []
    assert moved.progress.told is not None
    assert moved.progress.told.obstacle == "opted_out"


def test_somebody_else_at_the_number_is_told_nothing() -> None:
    world, issue = reported()
    conversation.undo_identity(world.deps, issue.conversation_id, "ann")
    moved = conversation.move_issue(world.deps, issue.id, IssueState.DONE, "ann")
    assert news(world) == []
    assert moved.progress.told is not None
    assert moved.progress.told.obstacle == "no_conversation"


@pytest.mark.parametrize("answer", ["1", "yes", "Yes thanks", "it's fixed"])
def test_yes_keeps_a_finished_issue_closed(answer: str) -> None:
    world, issue = reported()
    conversation.move_issue(world.deps, issue.id, IssueState.DONE, "ann")
    world.say(answer)
    after = world.store.issue(issue.id)
    assert (after.state, after.progress.is_fixed) == (IssueState.DONE, True)
    assert world.model.replies == []
    assert world.store.issue_moves()[-1].step is IssueStep.FIXED


@pytest.mark.parametrize("answer", ["2", "no", "No, it's still dripping", "still leaking"])
def test_no_opens_it_again_with_the_residents_words_and_the_landlord_is_told(answer: str) -> None:
    world, issue = reported()
    conversation.move_issue(world.deps, issue.id, IssueState.DONE, "ann")
    of = world.say(answer)
    after = world.store.issue(issue.id)
    assert (after.state, after.progress.is_fixed) == (IssueState.OPEN, False)
    last = world.store.issue_moves()[-1]
    assert (last.actor, last.step, last.note) == ("resident", IssueStep.NOT_FIXED, answer)
    assert LandlordEvent.ISSUE_REOPENED in events(world)
    assert "opened your report again" in world.store.outbox(of.id)[-1].text
    assert len(world.store.issues()) == 1


def test_a_doubtful_yes_closes_nothing() -> None:
    world, issue = reported()
    conversation.move_issue(world.deps, issue.id, IssueState.DONE, "ann")
    world.say("yes but now the cupboard is wet", '{"tool": "respond", "message": "Thanks."}')
    assert world.store.issue(issue.id).progress.is_fixed is None


def test_a_button_of_another_home_moves_nothing() -> None:
    world, issue = reported()
    conversation.move_issue(world.deps, issue.id, IssueState.DONE, "ann")
    for payload in ("fixed:somebody-elses:no", "fixed::", "visit:x:pick:0", "visit", "fixed:" + "9" * 150 + ":no"):
        press(world, payload)
    assert world.store.issue(issue.id).state is IssueState.DONE


def test_a_resident_picks_an_offered_time_and_both_get_it() -> None:
    world, issue = reported()
    slots = [span(world, 3), span(world, 2), span(world, 4)]
    conversation.propose_visit(world.deps, issue.id, slots, "ann")
    (offer,) = news(world)
    assert [b.title for b in offer.buttons][-1] == "None of these"
    assert len(offer.buttons) == 4
    of = press(world, offer.buttons[1].payload)
    visit = world.store.issue(issue.id).progress.visit
    assert visit is not None
    assert (visit.state, visit.at) == (VisitState.AGREED, slots[0])
    assert "Agreed" in world.store.outbox(of.id)[-1].text
    notice = world.store.notices()[-1]
    assert (notice.event, notice.issue_id) == (LandlordEvent.VISIT_AGREED, issue.id)
    assert notice.detail in news(world)[0].text


@pytest.mark.parametrize(("answer", "n"), [("the second", 1), ("2", 1), ("1", 0), ("the last one please", 2)])
def test_a_time_is_picked_in_words(answer: str, n: int) -> None:
    world, issue = reported()
    slots = [span(world, 2), span(world, 3), span(world, 4)]
    conversation.propose_visit(world.deps, issue.id, slots, "ann")
    world.say(answer)
    visit = world.store.issue(issue.id).progress.visit
    assert visit is not None
    assert visit.at == slots[n]
    assert world.store.issues()[0].description == issue.description


def test_none_of_these_is_passed_on() -> None:
    world, issue = reported()
    conversation.propose_visit(world.deps, issue.id, [span(world, 2)], "ann")
    world.say("sorry, none of these work")
    visit = world.store.issue(issue.id).progress.visit
    assert visit is not None
    assert (visit.state, visit.at) == (VisitState.NONE_FITS, None)
    assert events(world)[-1] is LandlordEvent.VISIT_DECLINED


def test_an_unclear_answer_is_asked_about_once_and_read_by_a_person() -> None:
    world, issue = reported()
    slots = [TimeSpan(datetime(2027, 2, 2, h, tzinfo=UTC), datetime(2027, 2, 2, h + 2, tzinfo=UTC)) for h in (9, 14)]
    conversation.propose_visit(world.deps, issue.id, slots, "ann")
    of = world.say("tuesday but only after 10")
    assert "not sure which time" in world.store.outbox(of.id)[-1].text
    assert world.store.outbox(of.id)[-1].buttons
    assert world.store.issue_moves()[-1].note == "tuesday but only after 10"
    of = world.say("tuesday, he has to ring first")
    assert "recorded your answer" in world.store.outbox(of.id)[-1].text
    assert events(world).count(LandlordEvent.ANSWER_UNCLEAR) == 2
    visit = world.store.issue(issue.id).progress.visit
    assert visit is not None
    assert visit.state is VisitState.PROPOSED


def test_another_problem_beside_the_answer_is_not_lost() -> None:
    world, issue = reported()
    conversation.propose_visit(world.deps, issue.id, [span(world, 2), span(world, 3)], "ann")
    world.hear("the second")
    world.say("also the bedroom window does not close", '{"tool": "respond", "message": "Tell me more."}')
    visit = world.store.issue(issue.id).progress.visit
    assert visit is not None
    assert visit.state is VisitState.AGREED
    texts = [m.text for m in world.store.outbox()]
    assert any("Agreed" in text for text in texts)
    assert "Tell me more." in texts or any("room" in text or "photo" in text for text in texts)


def test_an_old_offer_is_not_taken() -> None:
    world, issue = reported()
    conversation.propose_visit(world.deps, issue.id, [span(world, 2)], "ann")
    old = news(world)[-1].buttons[0].payload
    world.clock.forward(60)
    conversation.propose_visit(world.deps, issue.id, [span(world, 5)], "ann")
    of = press(world, old)
    assert "no longer on offer" in world.store.outbox(of.id)[-1].text
    late = news(world)[-1].buttons[0].payload
    world.clock.forward(6 * DAY)
    press(world, late)
    visit = world.store.issue(issue.id).progress.visit
    assert visit is not None
    assert visit.state is VisitState.PROPOSED, "its time has passed"


@pytest.mark.parametrize("n", [0, 4])
def test_one_to_three_times_are_offered(n: int) -> None:
    world, issue = reported()
    with pytest.raises(UsageError, match="1 to 3"):
        conversation.propose_visit(world.deps, issue.id, [span(world, 1 + k) for k in range(n)], "ann")


def test_times_have_to_be_to_come_and_issues_open() -> None:
    world, issue = reported()
    with pytest.raises(UsageError, match="past"):
        conversation.propose_visit(world.deps, issue.id, [span(world, -1)], "ann")
    with pytest.raises(UsageError, match="end after"):
        conversation.book_visit(world.deps, issue.id, span(world, 1, -1), "ann")
    conversation.move_issue(world.deps, issue.id, IssueState.DONE, "ann")
    with pytest.raises(UsageError, match="open it again"):
        conversation.book_visit(world.deps, issue.id, span(world, 1), "ann")


def booked(**deps: Any) -> tuple[World, Issue, TimeSpan]:
    world, issue = reported(**deps)
    slot = span(world, 3)
    conversation.book_visit(world.deps, issue.id, slot, "ann")
    return world, issue, slot


def test_the_day_before_a_visit_its_resident_is_reminded_once() -> None:
    world, issue, _ = booked()
    assert conversation.tend_issues(world.deps).n_reminded == 0
    world.clock.forward(2 * DAY - 60)
    conversation.tend_issues(world.deps)
    assert len(news(world)) == 1
    world.clock.forward(60)
    n = [conversation.tend_issues(world.deps).n_reminded for _ in range(3)]
    assert n == [1, 0, 0]
    assert "A reminder" in news(world)[-1].text
    assert [m.step for m in world.store.issue_moves(issue.id)].count(IssueStep.REMINDED) == 1


def test_out_of_the_window_nobody_is_reminded_and_the_board_knows() -> None:
    world, issue, _ = booked(outlets=Windows())
    world.clock.forward(2 * DAY)
    conversation.tend_issues(world.deps)
    last = world.store.issue(issue.id).progress.told
    assert last is not None
    assert (last.about, last.obstacle) == ("reminder", "window_closed")
    assert len(news(world)) == 1


def test_of_a_visit_tomorrow_the_confirmation_is_the_reminder() -> None:
    world, issue = reported()
    conversation.book_visit(world.deps, issue.id, span(world, 0.5), "ann")
    for _ in range(3):
        conversation.tend_issues(world.deps)
    assert len(news(world)) == 1
    assert conversation.tend_issues(world.deps).n_reminded == 0


def test_a_reminder_keeps_the_hour_when_clocks_change() -> None:
    zone = ZoneInfo("Europe/London")
    world, issue = reported(rules=Rules(office=OfficeHours(zone)))
    start = datetime(2027, 3, 28, 12, tzinfo=zone)  # Clocks go forward that night.
    world.clock.forward((start - timedelta(days=9) - world.clock.now()).total_seconds())
    begins = start.astimezone(UTC)
    conversation.book_visit(world.deps, issue.id, TimeSpan(begins, begins + timedelta(hours=1)), "ann")
    noon = datetime(2027, 3, 27, 12, tzinfo=zone)
    world.clock.forward((noon - world.clock.now()).total_seconds() - 1)
    for _ in range(5):
        conversation.tend_issues(world.deps)
    assert "A reminder" not in news(world)[-1].text
    world.clock.forward(1)
    conversation.tend_issues(world.deps)
    assert "Sun 28 Mar, 12:00 to 13:00" in news(world)[-1].text


def test_a_resident_cancels_a_visit_by_button_and_in_words() -> None:
    world, issue, _ = booked()
    of = world.say("I need to cancel the appointment")
    assert "Shall I cancel" in world.store.outbox(of.id)[-1].text
    visit = world.store.issue(issue.id).progress.visit
    assert visit is not None
    assert visit.state is VisitState.AGREED, "asked first"
    world.say("2")
    assert "stays as it is" in world.store.outbox(of.id)[-1].text
    world.say("I can't make it")
    world.say("1")
    after = world.store.issue(issue.id).progress.visit
    assert after is not None
    assert after.state is VisitState.CANCELLED
    assert events(world)[-1] is LandlordEvent.VISIT_CANCELLED


def test_dont_cancel_cancels_nothing() -> None:
    world, issue, _ = booked()
    world.say("please don't cancel the appointment", '{"tool": "respond", "message": "All right."}')
    visit = world.store.issue(issue.id).progress.visit
    assert visit is not None
    assert visit.state is VisitState.AGREED
    assert not any("Shall I cancel" in m.text for m in world.store.outbox())


def test_the_landlord_cancels_and_the_resident_is_told() -> None:
    world, issue, _ = booked()
    conversation.cancel_visit(world.deps, issue.id, "ann")
    assert "is cancelled" in news(world)[-1].text
    with pytest.raises(UsageError, match="no visit"):
        conversation.cancel_visit(world.deps, issue.id, "ann")
    world.clock.forward(5 * DAY)
    conversation.tend_issues(world.deps)
    assert "reminder" not in news(world)[-1].text


def test_a_visit_that_has_to_move_is_named_in_the_new_offer() -> None:
    world, issue, slot = booked()
    conversation.propose_visit(world.deps, issue.id, [span(world, 5)], "ann")
    assert "has to move" in news(world)[-1].text
    assert span_words(slot, UTC) in news(world)[-1].text
    world.say("yes")
    visit = world.store.issue(issue.id).progress.visit
    assert visit is not None
    assert (visit.state, visit.at) == (VisitState.AGREED, visit.slots[0])


def test_a_limit_that_was_missed_is_told_once() -> None:
    world, issue = reported()
    assert {s.state for s in standings(issue, world.deps.rules, world.clock.now())} == {LimitState.OPEN}
    for _ in range(40):
        world.clock.forward(DAY)
        for _ in range(3):
            conversation.tend_issues(world.deps)
    late = [n for n in world.store.notices() if n.event is LandlordEvent.SLA_MISSED]
    assert [n.detail for n in late] == ["response", "done"]
    after = world.store.issue(issue.id)
    assert after.progress.wake_at is None
    assert [s.state for s in standings(after, world.deps.rules, world.clock.now())] == [LimitState.OVERDUE] * 2
    assert [m.note for m in world.store.issue_moves()] == ["response", "done"]


def test_a_response_in_time_is_not_late_and_the_rest_goes_on() -> None:
    world, issue = reported()
    world.clock.forward(3_600)
    conversation.write_as_staff(world.deps, issue.conversation_id, "We come on Monday.", "ann")
    for _ in range(20):
        world.clock.forward(DAY)
        conversation.tend_issues(world.deps)
    assert not [n for n in world.store.notices() if n.event is LandlordEvent.SLA_MISSED]
    states = {s.limit: s.state for s in standings(world.store.issue(issue.id), world.deps.rules, world.clock.now())}
    assert states[TimeLimit.RESPONSE] is LimitState.MET
    assert states[TimeLimit.DONE] in (LimitState.OPEN, LimitState.DUE_SOON)


def test_business_hours_pass_while_somebody_works() -> None:
    office = OfficeHours(ZoneInfo("Europe/London"))
    friday = datetime(2026, 3, 27, 16, tzinfo=UTC)
    assert office.after(friday, 1) == datetime(2026, 3, 27, 17, tzinfo=UTC)
    assert office.after(friday, 2) == datetime(2026, 3, 30, 9, tzinfo=UTC), "clocks went forward meanwhile"
    assert office.after(datetime(2026, 3, 28, 3, tzinfo=UTC), 8) == datetime(2026, 3, 30, 16, tzinfo=UTC)


def test_an_owner_is_named_and_kept_in_the_history() -> None:
    world, issue = reported()
    conversation.own_issue(world.deps, issue.id, " Bo  Fox ", "ann")
    after = conversation.own_issue(world.deps, issue.id, "Bo Fox", "ann")
    assert after.progress.owner == "Bo Fox"
    assert [(m.step, m.note) for m in world.store.issue_moves()] == [(IssueStep.OWNED, "Bo Fox")]
    assert news(world) == []
    assert replace(after, progress=issue.progress) == issue
