"""Notices: each automatic decision is told once to each channel that it concerns, whatever fails on the way."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import pytest

from saidonce.errors import DeliveryError, NotFoundError, UsageError
from saidonce.foundation.context import Context
from saidonce.foundation.model import POLICY, Channel, ChannelKind, DecisionDraft, Detail, Verb
from saidonce.foundation.ports.sending import Message
from saidonce.kb import review
from saidonce.kb.review import By
from saidonce.platform import notifications
from saidonce.platform.notifications import Delivery
from world import NOW, World, world

TEXTS = (
    "Backups of all customer files are kept for thirty days in two regions.",
    "Doors are locked at night by the guard on duty.",
    "Invoices are sent on the first working day of the month.",
)


@dataclass
class MovingClock:
    at: datetime = NOW

    def now(self) -> datetime:
        return self.at


@dataclass
class Recorder:
    """A sender that fails as often as it is told to."""

    failures: int = 0
    sent: list[tuple[str, Message]] = field(default_factory=list)

    def send(self, channel: Channel, message: Message) -> None:
        if self.failures:
            self.failures -= 1
            raise DeliveryError(channel.id, "the receiver answered 500: no acceptance")
        self.sent.append((channel.id, message))


@dataclass
class Told:
    """A canonical base with one sender for all channels."""

    world: World
    clock: MovingClock
    out: Recorder
    n: int = 0

    @property
    def base(self) -> Context:
        return replace(self.world.base, clock=self.clock)

    def merges(self, n: int = 1, owner: str = "") -> None:
        """Have the ladder merge by ingesting what is said already."""
        self.world.set(owner=owner)
        for _ in range(n):
            self.n += 1
            self.world.put(f"{self.n}.md", TEXTS[0] + "\n" * self.n)

    def add(self, kind: ChannelKind = ChannelKind.WEBHOOK, owner: str = "", every_s: int = 0) -> Channel:
        target = "https://example.com/x" if kind is ChannelKind.WEBHOOK else "ann@example.com"
        return notifications.add_channel(self.base, kind, target, owner, every_s, secrets.token_bytes)

    def deliver(self, id: str) -> Delivery:
        return notifications.deliver(self.base, dict.fromkeys(ChannelKind, self.out), id)


@pytest.fixture
def told() -> Told:
    found = Told(world(collection_use="canonical", public_url="https://kb.example.com/"), MovingClock(), Recorder())
    found.merges()  # The first one has nothing to be merged with.
    return found


def numbers(message: Message) -> list[int]:
    decisions = message.fields["decisions"]
    assert isinstance(decisions, list)
    return [d["decision"] for d in decisions]


def test_a_new_channel_is_told_of_what_happens_from_then_on(told: Told) -> None:
    told.merges(2)
    channel = told.add()
    assert notifications.create_notices(told.base) == []
    told.merges(2)
    (notice,) = notifications.create_notices(told.base)
    assert notice.channel == channel.id
    assert told.deliver(notice.id) is Delivery.SENT
    ((_, message),) = told.out.sent
    assert message.notice == notice.id
    assert message.fields["n_merges"] == 2
    assert message.subject == "saidonce: 2 merged (north)"
    assert "https://kb.example.com/blocks/" in message.text
    assert TEXTS[0] in message.text
    assert len(numbers(message)) == 2


def test_nothing_is_told_twice_and_nothing_is_passed_over(told: Told) -> None:
    one, other = told.add(), told.add()
    for n in (1, 3, 2):
        told.merges(n)
        assert len(notifications.create_notices(told.base)) == 2
        assert notifications.create_notices(told.base) == []
    for notice in notifications.pending(told.base):
        assert told.deliver(notice.id) is Delivery.SENT
        assert told.deliver(notice.id) is Delivery.SENT_BEFORE
    assert notifications.pending(told.base) == []
    log = [d.seq for d in told.base.store.ledger.log() if d.actor == POLICY]
    for channel in (one, other):
        assert [n for id_, m in told.out.sent if id_ == channel.id for n in numbers(m)] == log


def test_a_digest_waits_for_its_time(told: Told) -> None:
    told.add(every_s=notifications.HOURLY_S)
    told.merges(2)
    assert notifications.create_notices(told.base) == []
    told.clock.at += timedelta(minutes=61)
    (notice,) = notifications.create_notices(told.base)
    told.merges()
    assert notifications.create_notices(told.base) == []
    told.clock.at += timedelta(minutes=59)
    assert notifications.create_notices(told.base) == []
    told.clock.at += timedelta(minutes=1)
    (next_notice,) = notifications.create_notices(told.base)
    assert next_notice.after == notice.up_to


def test_an_owners_channel_is_told_of_the_owners_blocks(told: Told) -> None:
    told.add(owner="bob")
    told.merges(owner="ann")
    assert notifications.create_notices(told.base) == []
    told.merges(owner="bob")
    (notice,) = notifications.create_notices(told.base)
    assert told.deliver(notice.id) is Delivery.SENT
    ((_, message),) = told.out.sent
    assert message.fields["n_merges"] == 1


def test_flags_are_told_with_the_way_to_the_queue(told: Told) -> None:
    told.add()
    told.world.set(auto_merge=False)
    told.merges()
    (notice,) = notifications.create_notices(told.base)
    told.deliver(notice.id)
    ((_, message),) = told.out.sent
    assert (message.fields["n_merges"], message.fields["n_flags"]) == (0, 1)
    assert message.subject == "saidonce: 1 waiting for a decision (north)"
    assert "https://kb.example.com/queue" in message.text


def test_what_people_decide_is_not_told(told: Told) -> None:
    told.world.put("doors.md", TEXTS[1])
    told.add()
    blocks = told.world.blocks()
    review.merge(told.base, By("ann"), blocks[0].id, blocks[1].id)
    assert notifications.create_notices(told.base) == []


def test_what_was_taken_back_before_the_notice_left_is_not_told(told: Told) -> None:
    told.add()
    told.merges()
    (notice,) = notifications.create_notices(told.base)
    (merged,) = [d for d in told.base.store.ledger.log() if d.verb is Verb.MERGE]
    review.revert(told.base, By("ann"), merged.seq)
    assert told.deliver(notice.id) is Delivery.NOTHING_LEFT
    assert told.out.sent == []
    assert told.deliver(notice.id) is Delivery.SENT_BEFORE


def test_a_failure_is_noted_and_counted_until_the_notice_is_given_up(told: Told) -> None:
    told.world.set(notify_tries=3)
    told.out.failures = 3
    told.add()
    told.merges()
    (notice,) = notifications.create_notices(told.base)
    for n_tries in (1, 2, 3):
        assert [n.id for n in notifications.pending(told.base)] == [notice.id]
        with pytest.raises(DeliveryError) as failed:
            told.deliver(notice.id)
        assert failed.value.n_tries == n_tries
        noted = told.base.store.people.notice(notice.id)
        assert noted is not None
        assert (noted.n_tries, noted.error) == (n_tries, "the receiver answered 500: no acceptance")
    assert notifications.pending(told.base) == []
    assert told.deliver(notice.id) is Delivery.SENT  # Somebody may still ask for it.
    noted = told.base.store.people.notice(notice.id)
    assert noted is not None
    assert (noted.error, noted.delivered_at) == ("", NOW)


def test_a_crash_between_sending_and_noting_repeats_the_same_notice(told: Told) -> None:
    told.add()
    told.merges()
    (notice,) = notifications.create_notices(told.base)
    told.deliver(notice.id)
    told.base.store.people.put_notice(notice)  # As if it had not been noted.
    told.merges()
    notifications.create_notices(told.base)
    for waiting in notifications.pending(told.base):
        told.deliver(waiting.id)
    first, again, second = (m for _, m in told.out.sent)
    assert first.notice == again.notice != second.notice
    assert numbers(first) == numbers(again)
    assert not set(numbers(first)) & set(numbers(second))


def test_a_crash_inside_gather_passes_nothing_over(told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    told.add()
    told.merges()

    def killed(self: object, channel: Channel) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(type(told.base.store.people), "put_channel", killed)
        with pytest.raises(KeyboardInterrupt):
            notifications.create_notices(told.base)
    assert notifications.pending(told.base) == []
    (notice,) = notifications.create_notices(told.base)
    assert [n.id for n in notifications.pending(told.base)] == [notice.id]


def test_long_digests_are_cut_and_counted(told: Told) -> None:
    told.add()
    (member,) = told.base.store.ledger.members_of(documents=[d.id for d in told.base.store.documents("main")])
    draft = DecisionDraft(verb=Verb.FLAG, collection="main", members=(member, member), actor=POLICY, detail=Detail())
    told.base.store.ledger.append([draft] * 1_234)
    (notice,) = notifications.create_notices(told.base)
    told.deliver(notice.id)
    ((_, message),) = told.out.sent
    assert message.fields["n_flags"] == 1_234
    assert len(numbers(message)) == 100
    assert message.fields["n_more"] == 1_134
    last = told.base.store.ledger.decisions(limit=1)[0].seq
    assert message.fields["all_url"] == f"https://kb.example.com/feed?before={last + 1}"
    assert f"And 1134 more; all of them: {message.fields['all_url']}" in message.text


def test_without_a_public_url_commands_stand_for_links(told: Told) -> None:
    told.world.set(public_url="")
    told.add()
    told.merges()
    (notice,) = notifications.create_notices(told.base)
    told.deliver(notice.id)
    ((_, message),) = told.out.sent
    assert "saidonce why " in message.text


def test_stored_text_cannot_steer_a_terminal_or_forge_lines(told: Told) -> None:
    told.add()
    evil = "Doors are \x1b[31mlocked at night \x9b by the guard on duty, and so are the windows."
    told.world.put("x\nSubject: y.md", evil)
    told.world.put("y.md", evil + "\n")
    (notice,) = notifications.create_notices(told.base)
    told.deliver(notice.id)
    ((_, message),) = told.out.sent
    assert all(c.isprintable() or c == "\n" for c in message.text)
    assert "\nSubject:" not in message.text


@pytest.mark.parametrize(
    ("kind", "target"),
    [
        (ChannelKind.WEBHOOK, "ftp://example.com"),
        (ChannelKind.WEBHOOK, "https://"),
        (ChannelKind.WEBHOOK, "example.com/x"),
        (ChannelKind.WEBHOOK, "https://ann:secret@example.com"),
        (ChannelKind.WEBHOOK, "https://example.com/a b"),
        (ChannelKind.WEBHOOK, "https://example.com/\r\nX: y"),
        (ChannelKind.WEBHOOK, "https://[::1"),
        (ChannelKind.WEBHOOK, "https://example.com:99999/"),
        (ChannelKind.EMAIL, "ann"),
        (ChannelKind.EMAIL, "ann@example.com, bob@example.com"),
        (ChannelKind.EMAIL, "ann@example.com\nBcc: eve@example.com"),
    ],
)
def test_targets_that_are_none_are_refused_without_being_repeated(told: Told, kind: ChannelKind, target: str) -> None:
    with pytest.raises(UsageError) as refused:
        notifications.add_channel(told.base, kind, target, "", 0, secrets.token_bytes)
    assert "secret" not in str(refused.value)
    assert told.base.store.people.channels() == ()


def test_a_removed_channel_takes_its_notices_along(told: Told) -> None:
    channel = told.add()
    told.merges()
    (notice,) = notifications.create_notices(told.base)
    notifications.remove_channel(told.base, channel.id)
    with pytest.raises(NotFoundError):
        told.deliver(notice.id)
    with pytest.raises(NotFoundError):
        notifications.remove_channel(told.base, channel.id)


def test_a_channel_can_be_tried_out(told: Told) -> None:
    channel = told.add(ChannelKind.EMAIL)
    notifications.send_test(told.base, dict.fromkeys(ChannelKind, told.out), channel.id, secrets.token_bytes)
    ((id_, message),) = told.out.sent
    assert (id_, message.fields["test"]) == (channel.id, True)
    assert message.notice.startswith("test-")
