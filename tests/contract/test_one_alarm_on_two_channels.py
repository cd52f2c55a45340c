"""One alarm on two proven channels of one person, on every store: one issue, two reports, one acknowledgement."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from saidonce.foundation.model.conversation import Urgency, Way
from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, Property, Resident, Tenancy, Via
from saidonce.foundation.ports import Conversations, Store
from saidonce.repairs import conversation
from saidonce.repairs.conversation import ConversationDeps
from talk_cases import T

Open = Callable[[str], Store]
PHONE = "+447700900001"
WHATSAPP, SMS = ChannelIdentity(Via.WHATSAPP, "wa-1", PHONE), ChannelIdentity(Via.SMS, PHONE, PHONE)


class Clock:
    at = T

    def now(self) -> datetime:
        return self.at


def writes(deps: ConversationDeps, clock: Clock, sender: ChannelIdentity, text: str) -> None:
    clock.at += timedelta(seconds=60)
    name = f"{sender.via}-{clock.at:%H%M%S}"
    conversation.receive(deps, Inbound(sender, "n", name, InboundKind.TEXT, clock.at, clock.at, text))
    clock.at += timedelta(seconds=11)
    while conversation.work(deps, "w") is not None:
        pass
    conversation.tend(deps)


def alarmed(store: Conversations) -> tuple[ConversationDeps, Clock]:
    clock = Clock()
    deps = ConversationDeps(store, clock)
    start = T - timedelta(days=30)
    store.put_home(Property("p1", "12 Elm Road", "Flat 2"), Resident("r1", "Ana Bell", (PHONE,)),
                   Tenancy("t1", "p1", "r1", start))  # fmt: skip
    writes(deps, clock, WHATSAPP, "hello")
    writes(deps, clock, WHATSAPP, "I smell gas in the kitchen")
    writes(deps, clock, SMS, "the gas smell is in the stairs now")
    return deps, clock


def test_it_is_one_issue_with_both_reports(opened: Open, org: str) -> None:
    store = opened(org).conversations
    alarmed(store)
    (issue,) = [i for i in store.issues() if i.urgency is Urgency.EMERGENCY]
    assert "I smell gas in the kitchen" in issue.description
    assert "in the stairs now" in issue.description
    assert [e.issue_id for e in store.events()] == [issue.id, issue.id]


def test_one_acknowledgement_and_one_all_clear_end_both(opened: Open, org: str) -> None:
    store = opened(org).conversations
    deps, _ = alarmed(store)
    first, second = store.events()
    conversation.acknowledge(deps, second.id, "ann", Way.PAGE)
    assert [e.acknowledged_by for e in store.events()] == ["ann", "ann"]
    conversation.confirm_all_clear(deps, first.id, "ann", Way.PAGE)
    assert all(e.cleared_at is not None for e in store.events())
    texts = {store.outbox(e.conversation_id)[-1].text for e in (first, second)}
    assert len(texts) == 1, "both channels read that it is over"
