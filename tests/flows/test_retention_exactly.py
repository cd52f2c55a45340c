"""Retention to the letter: the days of each kind, what of a row goes and what stays, batches, and what the log says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from saidonce.foundation.model.conversation import (
    Button,
    Category,
    Conversation,
    Gathering,
    IdentityStatus,
    Issue,
    IssueDraft,
    IssueState,
    LandlordEvent,
    LandlordNotice,
    ModelCall,
    OutboxKind,
    OutboxMessage,
    OutboxState,
    Path,
    PhotoStatus,
    Turn,
    Urgency,
)
from saidonce.foundation.model.personal_data import DataActKind
from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, Media, Via
from saidonce.foundation.settings.policy import Settings
from saidonce.repairs.conversation import Rules
from saidonce.repairs.personal_data import PersonalDataDeps, Retention, retain, retaining
from saidonce.repairs.personal_data.retaining import retention_of
from saidonce.testing import MemoryStore
from talking import World

DAY = timedelta(days=1)
ALL = Retention(messages=10, media=10, turns=10, issues=10, notices=10)
HERE, THERE = "c-here", "c-there"
SENDERS = {id_: ChannelIdentity(Via.WEB, id_, None) for id_ in (HERE, THERE)}


class Kept:
    """What one organisation keeps, written row by row: each is as old as the test says."""

    def __init__(self) -> None:
        self.world = World(rules=Rules())
        self.desk = PersonalDataDeps(self.world.deps, MemoryStore("acme").media, lambda n: b"\x07" * n)
        self.store: Any = self.world.store
        self.now: datetime = self.world.clock.now()
        for id_ in SENDERS:
            self.conversation(id_)

    def ago(self, days: float) -> datetime:
        return self.now - timedelta(days=days)

    def conversation(self, id_: str, **fields: Any) -> Conversation:
        of = Conversation(id_, SENDERS[id_], "n", self.ago(400), **fields)
        self.store._rows.conversations[id_] = of
        return of

    def file(self, words: str) -> str:
        return self.desk.files.put(b"\xff\xd8\xff" + words.encode(), "image/jpeg")

    def inbound(self, days: float, text: str = "words", *media: Media, of: str = HERE, button: str = "") -> Inbound:
        self.store._last_seq += 1
        seq, at = self.store._last_seq, self.ago(days)
        kind = InboundKind.MEDIA if media else InboundKind.TEXT
        row = Inbound(SENDERS[of], "n", f"m{seq}", kind, at, at, text, media, button, of, seq, scanned=True)
        self.store._rows.inbox[row.key] = row
        return row

    def issue(self, id_: str, days: float, state: IssueState = IssueState.DONE, **fields: Any) -> Issue:
        row = Issue(
            id_, f"t-{id_}", HERE, "", "p1", "Ana's tap drips", "kitchen", Category.PLUMBING, Urgency.ROUTINE,
            PhotoStatus.NONE, self.ago(days), state=state,
        )  # fmt: skip
        row = replace(row, **fields)
        self.store._rows.issues[id_] = row
        return row

    def outbox(self, id_: str, days: float, state: OutboxState = OutboxState.SENT) -> None:
        row = OutboxMessage(id_, HERE, "t1", OutboxKind.REPLY, "Hello Ana", self.ago(days), (Button("a", "A"),), state)
        self.store._rows.outbox[id_] = row

    def turn(self, id_: str, n: int, days: float) -> None:
        same = (IdentityStatus.ACTIVE, IdentityStatus.ACTIVE)
        self.store._rows.turns[id_] = Turn(
            id_, HERE, n, self.ago(days), Path.V1, (), same, (Gathering.IDLE, Gathering.IDLE), None, "why",
            ("tool: no",), ("effect",), "model", "hash", (ModelCall("Ana wrote"),), 7, 1.0, "shadow",
        )  # fmt: skip

    def notice(self, key: str, days: float) -> None:
        self.store._rows.notices[key] = LandlordNotice(key, LandlordEvent.ISSUE_CREATED, HERE, self.ago(days))

    def inbounds(self, of: str = HERE) -> list[Inbound]:
        return list(self.store.inbounds(of))


@pytest.fixture
def kept() -> Kept:
    return Kept()


def counts(**n: int) -> Mapping[str, int]:
    return {"messages": 0, "replies": 0, "turns": 0, "issues": 0, "notices": 0, "files": 0, **n}


def test_an_organisation_has_its_own_days_and_those_of_all() -> None:
    settings = Settings(keep_days={"messages": 5, "turns": 6}, org_keep_days={"acme": {"turns": 7, "media": 8}})
    assert retention_of(settings, "acme") == Retention(messages=5, turns=7, media=8)
    assert retention_of(settings, "other") == Retention(messages=5, turns=6)


def test_nothing_is_too_old_and_nothing_is_logged(kept: Kept) -> None:
    kept.inbound(9.9)
    kept.outbox("o", 9.9)
    kept.turn("t", 1, 9.9)
    kept.notice("n", 9.9)
    kept.issue("i", 9.9)
    report = retain(kept.desk, ALL)
    assert (report.counts, report.n, report.act, kept.store.acts()) == (counts(), 0, None, ())


@pytest.mark.parametrize("kind", ["messages", "turns", "issues", "notices"])
def test_each_kind_has_its_own_days(kept: Kept, kind: str) -> None:
    kept.inbound(10.1)
    kept.outbox("o", 10.1)
    kept.turn("t", 1, 10.1)
    kept.notice("n", 10.1)
    kept.issue("i", 10.1)
    report = retain(kept.desk, Retention(**{kind: 10}))
    gone = counts(messages=1, replies=1) if kind == "messages" else counts(**{kind: 1})
    assert report.counts == gone
    assert report.n == sum(gone.values())
    assert report.act is not None
    assert (report.act.kind, report.act.at, report.act.by, report.act.why) == (
        DataActKind.EXPIRED, kept.now, "retention", "retention",
    )  # fmt: skip
    assert (report.act.subject, report.act.counts) == ("07" * 12, tuple(sorted(gone.items())))
    assert kept.store.acts() == (report.act,)
    assert retain(kept.desk, Retention(**{kind: 10})).act is None, "nothing is left"


def test_a_dry_run_counts_and_changes_nothing(kept: Kept) -> None:
    kept.inbound(20, "words", Media("m", "image/jpeg", kept.file("a"), stored=True))
    before = kept.inbounds()
    report = retain(kept.desk, ALL, is_dry_run=True)
    assert (report.counts, report.act) == (counts(messages=1, files=1), None)
    assert (kept.inbounds(), kept.store.acts()) == (before, ())
    assert kept.desk.files.get(before[0].media[0].sha256) is not None


def test_words_go_and_what_tells_a_repetition_stays(kept: Kept) -> None:
    voice = Media("v", "audio/ogg", kept.file("v"), stored=True, transcript="Ana speaks")
    row = kept.inbound(11, "Ana", voice, button="yes")
    young = kept.inbound(9, "later", button="no")
    kept.outbox("old", 11)
    kept.outbox("waits", 11, OutboxState.QUEUED)
    report = retain(kept.desk, Retention(messages=10))
    bare = replace(row, text="", button="", media=(replace(voice, transcript=""),))
    assert kept.inbounds() == [bare, young]
    assert {m.id: (m.text, m.buttons) for m in kept.store.outbox(HERE)} == {
        "old": ("", ()), "waits": ("Hello Ana", (Button("a", "A"),)),
    }  # fmt: skip
    assert report.counts == counts(messages=1, replies=1)


def test_of_a_turn_the_words_of_models_go(kept: Kept) -> None:
    kept.turn("t", 1, 11)
    before = kept.store.turns(HERE)[0]
    assert retain(kept.desk, Retention(turns=10)).counts == counts(turns=1)
    assert kept.store.turns(HERE) == (replace(before, calls=(), refused=(), shadow=""),)


def test_files_go_and_their_message_says_so(kept: Kept) -> None:
    full = Media("m", "image/jpeg", kept.file("a"), True, kept.file("small"), kept.file("original"), transcript="heard")
    row = kept.inbound(11, "words", full)
    report = retain(kept.desk, Retention(media=10))
    gone = replace(full, stored=False, sha256="", thumbnail="", original="", apart="no_longer_kept")
    assert kept.inbounds() == [replace(row, media=(gone,))]
    assert report.counts == counts(files=3), "its words stay, and are not counted"
    assert report.act is not None
    assert all(kept.desk.files.get(name) is None for name in full.hashes)


def test_files_and_words_of_one_message_go_together(kept: Kept) -> None:
    photo = Media("m", "image/jpeg", kept.file("a"), stored=True, transcript="heard")
    row = kept.inbound(11, "words", photo)
    assert retain(kept.desk, ALL).counts == counts(messages=1, files=1)
    gone = replace(photo, stored=False, sha256="", apart="no_longer_kept", transcript="")
    assert kept.inbounds() == [replace(row, text="", media=(gone,))]


def test_a_message_without_words_is_none_of_the_messages_counted(kept: Kept) -> None:
    kept.inbound(11, "", Media("m", "image/jpeg", kept.file("a"), stored=True))
    assert retain(kept.desk, Retention(media=10)).counts == counts(files=1)


@pytest.mark.parametrize("of", [HERE, THERE])
def test_a_file_that_another_message_names_stays(kept: Kept, of: str) -> None:
    photo = Media("m", "image/jpeg", kept.file("a"), stored=True)
    kept.inbound(11, "old", photo)
    kept.inbound(1, "new", photo, of=of)
    report = retain(kept.desk, Retention(media=10))
    assert report.counts == counts()
    assert report.act is not None, "the message lost its file"
    assert kept.desk.files.get(photo.sha256) is not None


def test_a_file_named_by_two_old_messages_goes_with_both(kept: Kept) -> None:
    photo = Media("m", "image/jpeg", kept.file("a"), stored=True)
    kept.inbound(12, "old", photo)
    kept.inbound(11, "old too", photo, of=THERE)
    assert retain(kept.desk, Retention(media=10)).counts == counts(files=1)


@pytest.mark.parametrize("state", IssueState)
def test_photos_of_an_open_issue_stay(kept: Kept, state: IssueState) -> None:
    photo = Media("m", "image/jpeg", kept.file("a"), stored=True)
    kept.issue("i", 11, state, media=("m",))
    kept.inbound(11, "old", photo, Media("other", "image/jpeg", kept.file("b"), stored=True))
    is_closed = state in (IssueState.DONE, IssueState.CANCELLED)
    assert retain(kept.desk, Retention(media=10)).counts == counts(files=2 if is_closed else 0)


def test_photos_of_a_draft_stay(kept: Kept) -> None:
    kept.conversation(HERE, draft=IssueDraft(media=("m",)))
    kept.inbound(11, "old", Media("m", "image/jpeg", kept.file("a"), stored=True))
    assert retain(kept.desk, Retention(media=10)).counts == counts()
    kept.conversation(HERE, draft=IssueDraft(media=("another",)))
    assert retain(kept.desk, Retention(media=10)).counts == counts(files=1)


def test_a_photo_of_the_same_name_of_somebody_else_goes(kept: Kept) -> None:
    kept.issue("i", 11, IssueState.OPEN, media=("m",))
    kept.inbound(11, "old", Media("m", "image/jpeg", kept.file("a"), stored=True), of=THERE)
    assert retain(kept.desk, Retention(media=10)).counts == counts(files=1)


@pytest.mark.parametrize(
    ("since", "expires", "stays"),
    [(1, 1.0, True), (1, 0.0, False), (1, -1.0, False), (1, None, False), (2, 1.0, False), (0, 1.0, False)],
)
def test_words_that_a_living_draft_may_quote_stay(kept: Kept, since: int, expires: float | None, stays: bool) -> None:
    until = None if expires is None else kept.now + timedelta(days=expires)
    kept.conversation(HERE, draft=IssueDraft(since=since), draft_expires_at=until)
    kept.inbound(11, "quoted")
    assert retain(kept.desk, Retention(messages=10)).counts == counts(messages=0 if stays else 1)


def test_words_that_a_draft_of_the_same_resident_may_quote_stay(kept: Kept) -> None:
    kept.conversation(HERE, tenancy_id="t1")
    draft = IssueDraft(since=1)
    kept.conversation(THERE, tenancy_id="t1", draft=draft, draft_expires_at=kept.now + DAY)
    kept.inbound(12, "quoted")
    assert retain(kept.desk, Retention(messages=10)).counts == counts()
    kept.conversation(THERE, tenancy_id="t2", draft=draft, draft_expires_at=kept.now + DAY)
    assert retain(kept.desk, Retention(messages=10)).counts == counts(messages=1)


def test_words_behind_a_quoted_one_go(kept: Kept) -> None:
    kept.conversation(THERE, draft=IssueDraft(since=1), draft_expires_at=kept.now + DAY)
    kept.inbound(12, "quoted", of=THERE)
    kept.inbound(11, "not quoted")
    assert retain(kept.desk, Retention(messages=10)).counts == counts(messages=1)
    assert [i.text for i in (*kept.inbounds(THERE), *kept.inbounds())] == ["quoted", ""]


def test_the_personal_part_of_a_closed_issue_goes_from_its_last_move_on(kept: Kept) -> None:
    kept.issue("old", 11, tenancy_id="t1", media=("m",))
    kept.issue("cancelled", 11, IssueState.CANCELLED)
    kept.issue("young", 10)
    kept.issue("open", 400, IssueState.OPEN)
    kept.issue("moved", 400, IssueState.IN_PROGRESS)
    kept.store.move_issue("moved", IssueState.DONE, "jo", kept.ago(9))
    assert retain(kept.desk, Retention(issues=10)).counts == counts(issues=2)
    issues = {i.id: i for i in kept.store.issues()}
    words = "Plumbing problem (the resident's words were erased)"
    assert [(issues[id_].description, issues[id_].location) for id_ in ("old", "cancelled")] == [(words, "")] * 2
    assert (issues["old"].media, issues["old"].tenancy_id) == ((), "t1")
    assert [issues[id_].description for id_ in ("young", "open", "moved")] == ["Ana's tap drips"] * 3
    assert retain(kept.desk, Retention(issues=10)).act is None


def test_a_batch_takes_so_many_of_each_kind(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retaining, "BATCH", 2)
    for n in range(3):
        kept.inbound(20 - n, "words", Media(f"m{n}", "image/jpeg", kept.file(f"f{n}"), stored=True))
        kept.outbox(f"o{n}", 20 - n)
        kept.turn(f"t{n}", n + 1, 20 - n)
        kept.issue(f"i{n}", 20 - n)
        kept.notice(f"n{n}", 20 - n)
    two = counts(messages=2, replies=2, turns=2, issues=2, notices=2, files=2)
    one = counts(messages=1, replies=1, turns=1, issues=1, notices=1, files=1)
    assert [retain(kept.desk, ALL).counts for _ in range(3)] == [two, one, counts()]
