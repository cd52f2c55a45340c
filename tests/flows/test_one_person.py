"""Two channels of one person are one thread once each was proved; a claim joins nothing."""

from __future__ import annotations

from dataclasses import replace

from saidonce.foundation.model.conversation import Conversation, IdentityStatus, IssueState, OutboxKind
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
