"""What waits in organisations because nobody was reached: numbers of all organisations, on every store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from saidonce.foundation.model import Channel, ChannelKind, Notice
from saidonce.foundation.model.call_outs import OrgTroubles
from saidonce.foundation.model.conversation import Alarm, EmergencyEvent, Way
from saidonce.foundation.ports import Store
from talk_cases import T, due, message

Open = Callable[[str], Store]


def mine(store: Store, org: str, tries: int = 3) -> OrgTroubles | None:
    return next((each for each in store.org_troubles(tries) if each.org == org), None)


def test_alarms_that_nobody_acknowledged_are_counted_with_the_oldest(opened: Open, org: str) -> None:
    store = opened(org)
    assert mine(store, org) is None
    talk = store.conversations
    kept, _ = talk.receive(message(), due)
    first = EmergencyEvent("a", kept.conversation_id, kept.seq, "gas", "gas", True, T, T, True, alerted_at=T)
    later = replace(first, id="b", at=T + timedelta(minutes=5))
    said = replace(first, id="c", replied=False)
    asked = replace(first, id="d", state=Alarm.POSSIBLE, alerted_at=None)
    talk.record_scan(kept, 0, (first, later, said, asked), (), ())
    assert mine(store, org) == OrgTroubles(org, 2, T)
    exhausted = replace(later, exhausted_at=T)
    talk.settle_event(later, exhausted, None, (), ())
    talk.settle_event(first, replace(first, acknowledged_at=T, acknowledged_via=Way.PAGE), None, (), ())
    assert mine(store, org) == OrgTroubles(org, 1, later.at, 1)
    assert org in store.orgs_to_answer(T + timedelta(days=9)), "its calls go on"


def test_notices_that_were_given_up_are_counted(opened: Open, org: str) -> None:
    store = opened(org)
    store.people.put_channel(Channel("c1", ChannelKind.EMAIL, "jo@example.com", "", 0, "", 0, T))
    for n, (tries, done) in enumerate(((3, None), (2, None), (3, T), (4, None))):
        store.people.put_notice(Notice(f"n{n}", "c1", 0, 0, T, tries, "no", done))
    assert mine(store, org) == OrgTroubles(org, n_given_up=2)
