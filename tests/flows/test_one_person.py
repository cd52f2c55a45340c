"""Two channels of one person are one thread once each was proved; a claim joins nothing."""

from __future__ import annotations

from dataclasses import replace

from saidonce.foundation.model.conversation import Conversation, IdentityStatus, IssueState, OutboxKind, Urgency, Way
from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, Via
from saidonce.quality.playing import PHONE
from saidonce.repairs import conversation
from saidonce.repairs.timeline import timeline
from talking import TAP, World

WEB = ChannelIdentity(Via.WEB, "w-ana", None)


def by_web(world: World, text: str, sender: ChannelIdentity = WEB) -> Conversation:
    world.clock.forward(30)
    at = world.clock.now()
    kept = conversation.receive(world.deps, Inbound(sender, "web", f"w-{at}", InboundKind.TEXT, at, at, text))
    world.clock.forward(11)
    while conversation.work(world.deps, "w") is not None:
        pass
    return world.store.conversation(kept.conversation_id)


def two_channels() -> tuple[World, Conversation, Conversation]:
    """A resident whose WhatsApp number and web link both proved to be theirs."""
    world = World()
    home = world.store.home("t1")
    assert home is not None
    world.store.put_home(home.property, replace(home.resident, external_ids=(WEB.key,)), home.tenancy)
    world.say("hello")
    world.say("the kitchen tap drips", '{"tool": "ask_for_details", "message": "Tell me more"}')
    phone = world.say("that is all, no photos", TAP)
    web = by_web(world, "hello, it's me")
    assert (phone.tenancy_id, web.tenancy_id) == ("t1", "t1")
    assert phone.id != web.id
    return world, world.store.conversation(phone.id), web


def test_both_channels_stand_in_one_thread_wherever_it_is_opened() -> None:
    world, phone, web = two_channels()
    first, second = timeline(world.deps, phone.id), timeline(world.deps, web.id)
    assert first.moments == second.moments
    assert [c.id for c in first.together] == [web.id, phone.id], "the last heard of first"
    texts = [(m.via, m.line.text) for m in first.moments if m.line is not None and m.line.is_resident]
    assert (Via.WHATSAPP, "the kitchen tap drips") in texts
    assert (Via.WEB, "hello, it's me") in texts
    assert [i.conversation_id for i in second.issues] == [phone.id]


def test_replies_and_news_go_to_the_channel_that_was_used_last() -> None:
    world, phone, web = two_channels()
    (issue,) = world.store.issues()
    conversation.write_as_staff(world.deps, phone.id, "Somebody comes.", "ann")
    conversation.move_issue(world.deps, issue.id, IssueState.IN_PROGRESS, "ann")
    kinds = (OutboxKind.HUMAN, OutboxKind.PROGRESS)
    sent = [(m.kind, m.conversation_id) for m in world.store.outbox() if m.kind in kinds]
    assert sent == [(OutboxKind.HUMAN, web.id), (OutboxKind.PROGRESS, web.id)]
    world.say("thanks")
    conversation.move_issue(world.deps, issue.id, IssueState.DONE, "ann")
    assert world.store.outbox(phone.id)[-1].kind is OutboxKind.PROGRESS


def test_what_was_asked_on_one_channel_may_be_answered_by_its_button_alone_on_another() -> None:
    world, phone, web = two_channels()
    (issue,) = world.store.issues()
    conversation.move_issue(world.deps, issue.id, IssueState.DONE, "ann")
    assert world.store.outbox(web.id)[-1].buttons
    world.say("1", '{"tool": "respond", "message": "Hello."}')
    assert world.store.issue(issue.id).progress.is_fixed is None, "a bare number answers what stands before it"
    by_web(world, "1")
    assert world.store.issue(issue.id).progress.is_fixed is True
    assert phone.id != web.id


def test_a_person_takes_over_both_and_hands_both_back() -> None:
    world, phone, web = two_channels()
    conversation.take_over(world.deps, web.id, "ann")
    assert all(world.store.conversation(c.id).handed_off_at is not None for c in (phone, web))
    conversation.hand_back(world.deps, phone.id, "ann")
    assert all(world.store.conversation(c.id).handed_off_at is None for c in (phone, web))


def test_an_alarm_raised_on_two_channels_is_one_alarm_with_two_reports() -> None:
    world, phone, web = two_channels()
    world.say("I smell gas in the kitchen")
    by_web(world, "there is a smell of gas in the whole flat")
    conversation.tend(world.deps)
    first, second = world.store.events()
    assert (first.kind, second.kind) == ("gas", "gas")
    assert {first.conversation_id, second.conversation_id} == {phone.id, web.id}
    for each in (phone, web):
        assert any(m.kind is OutboxKind.SAFETY for m in world.store.outbox(each.id)), "safety comes on both"
    assert first.issue_id == second.issue_id != ""
    issue = world.store.issue(first.issue_id)
    assert "I smell gas in the kitchen" in issue.description
    assert "in the whole flat" in issue.description
    assert [i.urgency for i in world.store.issues()].count(Urgency.EMERGENCY) == 1


def test_a_first_message_on_another_channel_goes_to_the_alarm_that_stands() -> None:
    world, _phone, _web = two_channels()
    world.say("I smell gas in the kitchen")
    by_sms = by_web(world, "the gas smell is in the stairs now", ChannelIdentity(Via.SMS, PHONE, PHONE))
    assert by_sms.identity is IdentityStatus.CONFIRMED
    conversation.tend(world.deps)
    (issue,) = [i for i in world.store.issues() if i.urgency is Urgency.EMERGENCY]
    assert "in the stairs now" in issue.description
    assert {e.issue_id for e in world.store.events()} == {issue.id}


def test_an_acknowledgement_and_an_all_clear_hold_for_both_channels() -> None:
    world, phone, web = two_channels()
    world.say("I smell gas in the kitchen")
    by_web(world, "there is a smell of gas in the whole flat")
    conversation.tend(world.deps)
    first, _ = world.store.events()
    conversation.acknowledge(world.deps, first.id, "ann", Way.PAGE)
    assert [(e.acknowledged_by, e.acknowledged_via) for e in world.store.events()] == [("ann", Way.PAGE)] * 2
    conversation.confirm_all_clear(world.deps, first.id, "ann", Way.PAGE)
    assert all(e.cleared_at is not None for e in world.store.events())
    last = {c.id: world.store.outbox(c.id)[-1].text for c in (phone, web)}
    assert last[phone.id] == last[web.id], "both channels read that it is over"


def test_alarms_of_two_kinds_stay_two() -> None:
    world, _phone, _web = two_channels()
    world.say("I smell gas in the kitchen")
    by_web(world, "somebody is breaking in at the back door right now")
    conversation.tend(world.deps)
    gas, other = world.store.events()
    assert gas.kind != other.kind
    conversation.acknowledge(world.deps, gas.id, "ann", Way.PAGE)
    assert world.store.events()[1].acknowledged_at is None


def test_a_claimed_home_is_no_second_report_of_its_alarm() -> None:
    world, phone, _web = two_channels()
    world.say("I smell gas in the kitchen")
    claimed = by_web(world, "My name is Bell, I smell gas", ChannelIdentity(Via.WEB, "guest-1", None, verified=False))
    conversation.tend(world.deps)
    (mine,) = world.store.events(phone.id)
    conversation.acknowledge(world.deps, mine.id, "ann", Way.PAGE)
    assert all(e.acknowledged_at is None for e in world.store.events(claimed.id))


def test_a_claim_joins_nothing() -> None:
    world, phone, _ = two_channels()
    claimed = by_web(world, "My name is Bell", ChannelIdentity(Via.WEB, "guest-1", None, verified=False))
    assert claimed.identity is IdentityStatus.IDENTIFIED
    together = {c.id for c in timeline(world.deps, phone.id).together}
    assert claimed.id not in together
    assert [c.id for c in timeline(world.deps, claimed.id).together] == [claimed.id]
    conversation.take_over(world.deps, claimed.id, "ann")
    assert world.store.conversation(phone.id).handed_off_at is None


def test_an_undone_identity_leaves_the_thread() -> None:
    world, phone, web = two_channels()
    conversation.undo_identity(world.deps, web.id, "ann")
    assert [c.id for c in timeline(world.deps, phone.id).together] == [phone.id]
    conversation.write_as_staff(world.deps, phone.id, "Somebody comes.", "ann")
    assert world.store.outbox(phone.id)[-1].kind is OutboxKind.HUMAN
    assert phone.sender.phone == PHONE
