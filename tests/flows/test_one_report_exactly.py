"""One report on two channels to the letter: what goes over, what comes back, what stays, and what the records say."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
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
    OutboxKind,
    OutboxMessage,
    Path,
    PhotoStatus,
    ReportPart,
    Slot,
    Turn,
    Urgency,
)
from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, Media, Via
from saidonce.foundation.text import digest
from saidonce.repairs.conversation import Rules
from saidonce.repairs.conversation.one_person import alarms_elsewhere, joined, last_used
from saidonce.repairs.conversation.one_report import (
    OneReport,
    one_report,
    places_of,
    settled,
    waits_elsewhere,
    with_report_back,
)
from talking import World

HERE, THERE, THIRD = "c-1", "c-2", "c-3"
TAP = Slot("the tap drips", "the tap drips")
KITCHEN = Slot("kitchen", "in the kitchen")
TOLD = "the tap drips in the kitchen"
KNOWN = IdentityStatus.ACTIVE
UNKNOWN = IdentityStatus.IDENTIFIED
SECOND = timedelta(seconds=1)


class Kept:
    """Conversations, messages and alarms of one home, written row by row."""

    def __init__(self) -> None:
        self.world = World(rules=Rules())
        self.deps = self.world.deps
        self.store: Any = self.world.store
        self.now: datetime = self.world.clock.now()

    def conversation(self, id_: str, **fields: Any) -> Conversation:
        named: dict[str, Any] = {"identity": KNOWN, "tenancy_id": "t1", "version": 4, **fields}
        of = Conversation(id_, ChannelIdentity(Via.WEB, id_, None), "n", self.now - timedelta(days=9), **named)
        self.store._rows.conversations[id_] = of
        return of

    def inbound(self, of: str, seq: int, text: str, *media: str) -> Inbound:
        files = tuple(Media(m, "image/jpeg", "0" * 64, stored=True) for m in media)
        kind = InboundKind.MEDIA if files else InboundKind.TEXT
        at = self.now - timedelta(hours=1) + seq * SECOND
        sender = ChannelIdentity(Via.WEB, of, None)
        row = Inbound(sender, "n", f"m{seq}", kind, at, at, text, files, "", of, seq, scanned=True)
        self.store._rows.inbox[row.key] = row
        return row

    def reply(self, of: str, id_: str, at: datetime) -> OutboxMessage:
        row = OutboxMessage(id_, of, "t", OutboxKind.REPLY, f"reply {id_}", at)
        self.store._rows.outbox[id_] = row
        return row

    def event(self, of: str, seq: int, state: Alarm = Alarm.SUSPECTED, **fields: Any) -> EmergencyEvent:
        at = fields.pop("at", self.now - timedelta(hours=1) + seq * SECOND)
        row = EmergencyEvent(f"e{seq}", of, seq, "gas", "smell gas", True, at, at, True, state, **fields)
        self.store._rows.events[row.id] = row
        return row

    def turn(self, of: str, n: int, *effects: str) -> None:
        same = (KNOWN, KNOWN)
        idle = (Gathering.IDLE, Gathering.IDLE)
        turn = Turn(f"{of}-{n}", of, n, self.now, Path.SILENT, (), same, idle, effects=effects)
        self.store._rows.turns[turn.id] = turn


@pytest.fixture
def kept() -> Kept:
    return Kept()


def reporting(kept: Kept, id_: str = THERE, **fields: Any) -> Conversation:
    """A conversation with an open report, told in its message 1."""
    kept.inbound(id_, 1, TOLD)
    named: dict[str, Any] = {
        "gathering": Gathering.AWAITING_PHOTO, "seen": 1, "draft": IssueDraft(TAP, KITCHEN, since=1),
        "draft_expires_at": kept.now + timedelta(hours=5), "is_nudged": True,
        "more_drafts": (IssueDraft(Slot("a lamp", "a lamp")),), "language": "de", **fields,
    }  # fmt: skip
    return kept.conversation(id_, **named)


def test_a_report_goes_over_whole_with_what_was_said_of_it(kept: Kept) -> None:
    there = reporting(kept, told_on=(ReportPart(HERE, 9), ReportPart(THIRD, 8)))
    here = kept.conversation(HERE)
    new = kept.inbound(HERE, 2, "no photo")
    moved = one_report(kept.deps, here, [new])
    assert (moved.before, moved.taken_from, moved.is_with_a_person) == (here, there, False)
    assert moved.conversation == replace(
        here, gathering=there.gathering, draft=there.draft, draft_expires_at=there.draft_expires_at, is_nudged=True,
        more_drafts=there.more_drafts, told_on=(ReportPart(THIRD, 8), ReportPart(THERE, 1)), language="de",
    )  # fmt: skip
    assert [i.text for i in moved.elsewhere] == [TOLD]


def test_who_has_written_here_before_keeps_their_language(kept: Kept) -> None:
    reporting(kept)
    here = kept.conversation(HERE, seen=1, language="fr")
    assert one_report(kept.deps, here, [kept.inbound(HERE, 2, "non")]).conversation.language == "fr"


@pytest.mark.parametrize(
    ("seen", "parked", "moves"), [(1, (), True), (2, (), False), (3, (), False), (2, (2,), True), (2, (1,), False)]
)
def test_only_an_unread_message_moves_a_report(kept: Kept, seen: int, parked: tuple[int, ...], moves: bool) -> None:
    reporting(kept)
    here = kept.conversation(HERE, seen=seen, parked=parked)
    moved = one_report(kept.deps, here, [kept.inbound(HERE, 2, "no photo")])
    assert (moved.taken_from is not None) is moves
    assert (moved.conversation != here) is moves


@pytest.mark.parametrize("fields", [{"identity": UNKNOWN}, {"tenancy_id": ""}])
def test_a_claim_moves_nothing(kept: Kept, fields: dict[str, Any]) -> None:
    reporting(kept, tenancy_id=fields.get("tenancy_id", "t1"))
    here = kept.conversation(HERE, **fields, told_on=(ReportPart(THERE, 1),), draft=IssueDraft(since=1))
    assert one_report(kept.deps, here, [kept.inbound(HERE, 2, "no")]) == OneReport(here, here)
    assert joined(kept.deps, here) == (here,)
    kept.event(THERE, 1)
    assert alarms_elsewhere(kept.deps, here, {"gas"}) == ()


def test_a_person_who_has_one_channel_has_the_other_as_well(kept: Kept) -> None:
    reporting(kept, handed_off_at=kept.now)
    here = kept.conversation(HERE)
    new = kept.inbound(HERE, 2, "hello?")
    assert one_report(kept.deps, here, [new]) == OneReport(
        replace(here, handed_off_at=kept.now), here, is_with_a_person=True
    )
    theirs = kept.conversation(HERE, handed_off_at=kept.now - SECOND)
    assert one_report(kept.deps, theirs, [new]) == OneReport(theirs, theirs), "it is with a person already"
    read = kept.conversation(HERE, seen=2)
    assert one_report(kept.deps, read, [new]) == OneReport(read, read)


def test_a_report_of_its_own_stays_and_nothing_comes_over(kept: Kept) -> None:
    reporting(kept)
    here = kept.conversation(HERE, gathering=Gathering.GATHERING_DETAILS, draft=IssueDraft(since=2), seen=2)
    assert one_report(kept.deps, here, [kept.inbound(HERE, 3, "no")]) == OneReport(here, here)


@pytest.mark.parametrize(
    ("state", "acknowledged", "moves"),
    [
        (Alarm.SUSPECTED, None, False), (Alarm.VALIDATED, None, False), (Alarm.POSSIBLE, None, False),
        (Alarm.DISMISSED, None, True), (Alarm.SUSPECTED, 2 * 86_400, True), (Alarm.SUSPECTED, 3_600, False),
    ],
)  # fmt: skip
def test_a_report_under_an_alarm_stays_there(kept: Kept, state: Alarm, acknowledged: float | None, moves: bool) -> None:
    reporting(kept)
    at = kept.now - timedelta(days=3)
    seen = kept.now - timedelta(seconds=acknowledged) if acknowledged is not None else None
    kept.event(THERE, 7, state, acknowledged_at=seen, at=at)
    moved = one_report(kept.deps, kept.conversation(HERE), [kept.inbound(HERE, 2, "no photo")])
    assert (moved.taken_from is not None) is moves


def test_a_report_stays_under_an_acknowledged_alarm_that_is_still_written_about(kept: Kept) -> None:
    reporting(kept)
    kept.event(THERE, 7, at=kept.now - timedelta(days=3), acknowledged_at=kept.now - timedelta(hours=30))
    same, idle = (KNOWN, KNOWN), (Gathering.IDLE, Gathering.IDLE)
    at = kept.now - timedelta(hours=15)
    kept.store._rows.turns["t"] = Turn("t", THERE, 1, at, Path.EMERGENCY, (), same, idle)
    assert one_report(kept.deps, kept.conversation(HERE), [kept.inbound(HERE, 2, "no photo")]).taken_from is None


@pytest.mark.parametrize(
    ("here", "there", "stays"),
    [(None, 5, False), (6, 5, False), (5, 5, True), (4, 5, True)],
    ids=["none here", "older here", "the same moment", "newer here"],
)
def test_the_issue_that_was_filed_last_is_spoken_of(kept: Kept, here: int | None, there: int, stays: bool) -> None:
    for id_, minutes in ((THERE, there), (THIRD, there + 2)):
        at = kept.now - timedelta(minutes=minutes)
        kept.conversation(id_, gathering=Gathering.ISSUE_CREATED, issue_id=f"i-{id_}", issue_at=at)
    own: dict[str, Any] = {}
    if here is not None:
        at = kept.now - timedelta(minutes=here)
        own = {"gathering": Gathering.ISSUE_CREATED, "issue_id": "i-own", "issue_at": at}
    of = kept.conversation(HERE, **own)
    newest: dict[str, Any] = {
        "gathering": Gathering.ISSUE_CREATED,
        "issue_id": f"i-{THERE}",
        "issue_at": kept.now - there * 60 * SECOND,
    }
    after = one_report(kept.deps, of, [kept.inbound(HERE, 2, "when?")])
    assert after == OneReport(of if stays else replace(of, **newest), of)


@pytest.mark.parametrize(
    "fields",
    [
        {"gathering": Gathering.GATHERING_DETAILS, "draft": IssueDraft(since=1)},
        {"gathering": Gathering.IDLE, "draft": IssueDraft(since=1)},
        {"gathering": Gathering.AWAITING_PHOTO},
    ],
)
def test_an_open_report_here_is_spoken_of_before_an_issue_there(kept: Kept, fields: dict[str, Any]) -> None:
    kept.conversation(THERE, gathering=Gathering.ISSUE_CREATED, issue_id="i", issue_at=kept.now)
    of = kept.conversation(HERE, **fields)
    assert one_report(kept.deps, of, [kept.inbound(HERE, 2, "when?")]) == OneReport(of, of)


@pytest.mark.parametrize("gathering", [Gathering.IDLE, Gathering.ISSUE_CREATED])
def test_an_issue_that_is_settled_there_is_not_spoken_of(kept: Kept, gathering: Gathering) -> None:
    at = kept.now if gathering is Gathering.IDLE else None
    kept.conversation(THERE, gathering=gathering, issue_id="i", issue_at=at)
    of = kept.conversation(HERE)
    assert one_report(kept.deps, of, [kept.inbound(HERE, 2, "when?")]) == OneReport(of, of)


def test_an_issue_here_without_a_moment_gives_way_to_one_there(kept: Kept) -> None:
    kept.conversation(THERE, gathering=Gathering.ISSUE_CREATED, issue_id="i", issue_at=kept.now)
    of = kept.conversation(HERE, gathering=Gathering.ISSUE_CREATED, issue_id="own")
    assert one_report(kept.deps, of, [kept.inbound(HERE, 2, "when?")]).conversation.issue_id == "i"
    idle = kept.conversation(HERE, issue_id="own", issue_at=kept.now)
    assert one_report(kept.deps, idle, [kept.inbound(HERE, 2, "when?")]).conversation.issue_id == "i"


def test_what_was_said_of_a_report_on_other_channels_is_read_in_the_order_of_arrival(kept: Kept) -> None:
    for of, seqs in ((THERE, (2, 3, 6, 9)), (THIRD, (1, 4, 5))):
        kept.conversation(of)
        for seq in seqs:
            kept.inbound(of, seq, f"words {seq}")
    kept.event(THERE, 6)
    kept.event(THIRD, 5, Alarm.DISMISSED)
    first_there, first_third = (kept.now - timedelta(hours=1) + n * SECOND for n in (2, 4))
    kept.reply(THERE, "early", first_there - SECOND)
    replies = [kept.reply(THERE, "at once", first_there), kept.reply(THIRD, "third", first_third + SECOND)]
    kept.reply(HERE, "own", first_third + SECOND)
    here = kept.conversation(
        HERE, gathering=Gathering.GATHERING_DETAILS, draft=IssueDraft(since=2), seen=12,
        told_on=(ReportPart(THERE, 8), ReportPart(THIRD, 5), ReportPart("gone", 9)),
    )  # fmt: skip
    read = one_report(kept.deps, here, [kept.inbound(HERE, 13, "and?")])
    assert [i.seq for i in read.elsewhere] == [2, 3, 4, 5]
    assert list(read.replies) == replies
    assert read.conversation == here
    bare = kept.conversation(HERE, told_on=here.told_on, seen=12)
    assert one_report(kept.deps, bare, [kept.inbound(HERE, 14, "and?")]).elsewhere == ()


def test_messages_of_another_language_come_with_their_glosses_the_newest_place_first(kept: Kept) -> None:
    kept.conversation(THERE, language="de")
    kept.conversation(THIRD, language="de")
    kept.inbound(THERE, 2, "der wasserhahn tropft")
    kept.inbound(THIRD, 3, "die heizung ist kalt")
    here = kept.conversation(
        HERE, gathering=Gathering.GATHERING_DETAILS, draft=IssueDraft(since=1), seen=5,
        told_on=(ReportPart(THERE, 8), ReportPart(THIRD, 8)),
    )  # fmt: skip
    read = one_report(kept.deps, here, [kept.inbound(HERE, 6, "and?")])
    assert [g.source for g in read.glosses] == ["die heizung ist kalt", "der wasserhahn tropft"]
    assert [i.text for i in read.elsewhere] == [g.text for g in reversed(read.glosses)]


@pytest.mark.parametrize(
    ("fields", "waits"),
    [
        ({}, False),
        ({"gathering": Gathering.AWAITING_PHOTO, "draft": IssueDraft(since=1)}, True),
        ({"draft": IssueDraft(since=1)}, False),
        ({"handed_off_at": datetime(2026, 1, 1)}, True),  # only asked whether it is there
        ({"gathering": Gathering.ISSUE_CREATED, "issue_at": datetime(2026, 1, 1)}, True),
        ({"gathering": Gathering.ISSUE_CREATED}, False),
    ],
)
def test_what_waits_on_another_channel_of_the_resident(kept: Kept, fields: dict[str, Any], waits: bool) -> None:
    here = kept.conversation(HERE)
    kept.conversation(THERE, **fields)
    assert waits_elsewhere(kept.deps, here) is waits
    kept.conversation(THERE, **fields, identity=UNKNOWN)
    assert not waits_elsewhere(kept.deps, here)
    kept.store._rows.conversations.pop(THERE)
    assert not waits_elsewhere(kept.deps, kept.conversation(HERE, **fields)), "not on this one itself"


def test_the_conversation_that_a_report_left_says_so(kept: Kept) -> None:
    there = reporting(kept)
    here = kept.conversation(HERE)
    moved = one_report(kept.deps, here, [kept.inbound(HERE, 2, "no photo")])
    after, move, effects = settled(kept.deps, moved, moved.conversation)
    assert after == moved.conversation
    assert effects == (f"report_from:{THERE}",)
    assert move is not None
    bare = replace(
        there, draft=IssueDraft(), more_drafts=(), told_on=(), draft_expires_at=None, is_nudged=False,
        gathering=Gathering.IDLE, wake_at=None,
    )  # fmt: skip
    assert (move.conversation, move.expected) == (bare, 4)
    assert move.turn == Turn(
        digest("turn", THERE, "5"), THERE, 5, kept.now, Path.SILENT, (), (KNOWN, KNOWN),
        (Gathering.AWAITING_PHOTO, Gathering.IDLE), reason="report_moved",
        effects=(f"report_to:{HERE}", "gathering:awaiting_photo>idle"),
    )  # fmt: skip


def test_the_timer_of_a_conversation_that_a_report_left_is_set_anew(kept: Kept) -> None:
    reporting(kept, wake_at=kept.now + timedelta(hours=5), last_inbound_at=kept.now)
    moved = one_report(kept.deps, kept.conversation(HERE), [kept.inbound(HERE, 2, "no photo")])
    _after, move, _effects = settled(kept.deps, moved, moved.conversation)
    assert move is not None
    assert move.conversation.wake_at == kept.now + timedelta(days=30), "when the writer has been silent for long"


@pytest.mark.parametrize(
    ("after", "goes"),
    [
        ({}, True), ({"identity": UNKNOWN}, False), ({"opted_out_at": datetime(2026, 1, 1)}, False),
    ],
)  # fmt: skip
def test_a_report_goes_on_only_where_its_resident_reads_us(kept: Kept, after: dict[str, Any], goes: bool) -> None:
    reporting(kept)
    here = kept.conversation(HERE, issue_id="i0", issue_at=kept.now, draft_expires_at=kept.now, language="de")
    moved = one_report(kept.deps, here, [kept.inbound(HERE, 2, "STOP")])
    then = replace(moved.conversation, **after, seen=2, handed_off_at=kept.now, issue_id="i1", issue_at=None)
    done = settled(kept.deps, moved, then)
    if goes:
        assert done[1] is not None
        return
    assert done == (replace(here, **after, seen=2), None, ())


def test_who_had_opted_out_before_may_write_on(kept: Kept) -> None:
    reporting(kept)
    here = kept.conversation(HERE, opted_out_at=kept.now)
    moved = one_report(kept.deps, here, [kept.inbound(HERE, 2, "no photo")])
    assert settled(kept.deps, moved, moved.conversation)[2] == (f"report_from:{THERE}",)


def test_who_opts_out_while_an_issue_of_the_other_channel_is_spoken_of_changes_nothing_there(kept: Kept) -> None:
    kept.conversation(THERE, gathering=Gathering.ISSUE_CREATED, issue_id="i", issue_at=kept.now)
    here = kept.conversation(HERE)
    spoken = one_report(kept.deps, here, [kept.inbound(HERE, 2, "STOP")])
    after = replace(spoken.conversation, opted_out_at=kept.now)
    assert settled(kept.deps, spoken, after) == (after, None, ())


PARTS = (ReportPart(THERE, 1),)


@pytest.mark.parametrize(
    ("fields", "kept_parts"),
    [
        ({}, ()),
        ({"draft": IssueDraft(since=1)}, PARTS),
        ({"more_drafts": (IssueDraft(),)}, PARTS),
    ],
)
def test_the_places_of_a_report_that_is_closed_are_forgotten(
    kept: Kept, fields: dict[str, Any], kept_parts: tuple[ReportPart, ...]
) -> None:
    here = kept.conversation(HERE, told_on=PARTS)
    after = replace(here, **fields)
    assert settled(kept.deps, OneReport(here, here), after) == (replace(after, told_on=kept_parts), None, ())


def lost(kept: Kept, **fields: Any) -> tuple[Conversation, Conversation]:
    """A conversation with a report that was told there first, before and after its place proves not to be theirs."""
    named: dict[str, Any] = {
        "gathering": Gathering.AWAITING_PHOTO, "draft": IssueDraft(TAP, KITCHEN, since=1), "seen": 2,
        "draft_expires_at": kept.now, "is_nudged": True, "told_on": PARTS, **fields,
    }  # fmt: skip
    before = kept.conversation(HERE, **named)
    return before, replace(before, identity=UNKNOWN)


BARE: dict[str, Any] = {
    "gathering": Gathering.IDLE, "draft": IssueDraft(), "more_drafts": (), "told_on": (), "draft_expires_at": None,
    "is_nudged": False,
}  # fmt: skip


def test_a_report_comes_back_to_where_it_was_told_last(kept: Kept) -> None:
    there = kept.conversation(THERE, seen=1, is_nudged=True, last_inbound_at=kept.now, told_on=())
    kept.inbound(THERE, 1, TOLD)
    before, after = lost(kept, told_on=(ReportPart(THIRD, 1), ReportPart(THERE, 1), ReportPart("gone", 1)))
    bare, move, effects = with_report_back(kept.deps, before, after)
    assert bare == replace(after, **BARE)
    assert effects == (f"report_back_to:{THERE}",)
    assert move is not None
    ends = kept.now + timedelta(seconds=kept.deps.rules.photo_ttl_s)
    wakes = move.conversation.wake_at
    assert wakes is not None
    assert kept.now < wakes < ends, "the nudge"
    assert move.conversation == replace(
        there, draft=IssueDraft(TAP, KITCHEN, photo=PhotoStatus.ASKED, since=1), is_nudged=False,
        told_on=(ReportPart(THIRD, 1), ReportPart("gone", 1)), gathering=Gathering.AWAITING_PHOTO,
        draft_expires_at=ends, wake_at=wakes,
    )  # fmt: skip
    assert move.turn.effects == (f"report_back_from:{HERE}", "gathering:idle>awaiting_photo")


def test_a_report_without_its_place_comes_back_to_be_asked_about(kept: Kept) -> None:
    kept.conversation(THERE, draft=IssueDraft(media=("sent",)), wake_at=kept.now)
    kept.inbound(THERE, 1, "the tap drips")
    lamp = IssueDraft(Slot("a lamp", "drips"))
    before, after = lost(kept, more_drafts=(lamp, IssueDraft(Slot("a door", "a door"))))
    _bare, move, _effects = with_report_back(kept.deps, before, after)
    assert move is not None
    of = move.conversation
    assert of.gathering is Gathering.GATHERING_DETAILS
    assert of.draft == IssueDraft(TAP, None, since=1, media=("sent",), photo=PhotoStatus.PROVIDED)
    assert of.more_drafts == (lamp,), "what was told elsewhere alone is left out"
    assert of.draft_expires_at == kept.now + timedelta(seconds=kept.deps.rules.details_ttl_s)


@pytest.mark.parametrize(
    "there",
    [
        None, {"identity": UNKNOWN}, {"handed_off_at": datetime(2026, 1, 1)},
        {"gathering": Gathering.AWAITING_PHOTO, "draft": IssueDraft(since=1)}, {"tenancy_id": "t2"},
    ],
)  # fmt: skip
def test_a_report_that_cannot_come_back_is_dropped(kept: Kept, there: dict[str, Any] | None) -> None:
    if there is not None:
        kept.conversation(THERE, **there)
        kept.inbound(THERE, 1, TOLD)
    before, after = lost(kept)
    assert with_report_back(kept.deps, before, after) == (replace(after, **BARE), None, ("report_dropped",))


def test_a_report_of_which_nothing_was_told_there_is_dropped(kept: Kept) -> None:
    kept.conversation(THERE)
    before, after = lost(kept)
    assert with_report_back(kept.deps, before, after) == (replace(after, **BARE), None, ("report_dropped",))


def test_an_issue_stays_where_a_report_is_taken_away(kept: Kept) -> None:
    before, after = lost(kept, gathering=Gathering.ISSUE_CREATED)
    assert with_report_back(kept.deps, before, after)[0] == replace(after, **{**BARE, "gathering": after.gathering})


@pytest.mark.parametrize(
    ("known_before", "known_after", "told"), [(True, True, True), (False, False, True), (True, False, False)]
)
def test_nothing_comes_back_unless_its_place_is_lost(
    kept: Kept, known_before: bool, known_after: bool, told: bool
) -> None:
    kept.conversation(THERE)
    kept.inbound(THERE, 1, TOLD)
    before, _ = lost(kept, told_on=PARTS if told else (), identity=KNOWN if known_before else UNKNOWN)
    after = replace(before, identity=KNOWN if known_after else UNKNOWN)
    assert with_report_back(kept.deps, before, after) == (after, None, ())


def come_back(kept: Kept, draft: IssueDraft) -> IssueDraft:
    """Return a draft as it comes back to where messages 1 and on were written."""
    kept.conversation(THERE)
    before, after = lost(kept, draft=draft, told_on=(ReportPart(THIRD, 20), ReportPart(THERE, 20)))
    kept.conversation(THIRD)
    _bare, move, _effects = with_report_back(kept.deps, before, after)
    assert move is not None
    return move.conversation.draft


def test_only_what_was_said_there_comes_back(kept: Kept) -> None:
    kept.inbound(THERE, 3, TOLD, "own")
    kept.inbound(THIRD, 5, "no pictures, the hall is wet")
    draft = IssueDraft(
        Slot("lamp", "a lamp"), Slot("hall", "the hall"), Category.PLUMBING, Urgency.URGENT, PhotoStatus.DECLINED,
        "no photo", ("own", "theirs"), 2, 2, ("the tap", "the door"), ("is wet",),
    )  # fmt: skip
    assert come_back(kept, draft) == replace(
        draft, description=None, photo=PhotoStatus.PROVIDED, photo_quote="", media=("own",), since=3, own=("the tap",)
    )


def test_what_somebody_else_said_does_not_come_back(kept: Kept) -> None:
    kept.conversation(THERE)
    kept.conversation(THIRD, identity=UNKNOWN)
    kept.inbound(THIRD, 1, TOLD)
    before, after = lost(kept, told_on=(ReportPart(THIRD, 1), ReportPart(THERE, 1)))
    assert with_report_back(kept.deps, before, after)[2] == ("report_dropped",)


@pytest.mark.parametrize("status", [PhotoStatus.DECLINED, PhotoStatus.LATER, PhotoStatus.ASKED])
def test_a_photo_that_was_refused_there_stays_refused(kept: Kept, status: PhotoStatus) -> None:
    kept.inbound(THERE, 1, f"{TOLD}, no photo")
    back = come_back(kept, IssueDraft(TAP, None, photo=status, photo_quote="no photo", since=1))
    is_refused = status is not PhotoStatus.ASKED
    assert (back.photo, back.photo_quote) == ((status, "no photo") if is_refused else (PhotoStatus.NONE, ""))


def test_a_photo_that_was_refused_elsewhere_is_asked_for(kept: Kept) -> None:
    kept.inbound(THERE, 1, TOLD)
    draft = IssueDraft(TAP, KITCHEN, photo=PhotoStatus.DECLINED, photo_quote="no photo", since=1)
    back = come_back(kept, draft)
    assert (back.photo, back.photo_quote) == (PhotoStatus.ASKED, "")
    only_what = come_back(kept, replace(draft, location=None))
    assert only_what.photo is PhotoStatus.NONE
    only_where = come_back(kept, replace(draft, description=None))
    assert (only_where.photo, only_where.location) == (PhotoStatus.NONE, KITCHEN)


@pytest.mark.parametrize(("since", "comes_to"), [(2, 3), (3, 3), (4, 5), (0, 0)])
def test_a_report_begins_with_the_first_message_of_it_there(kept: Kept, since: int, comes_to: int) -> None:
    kept.inbound(THERE, 1, "in the kitchen")
    kept.inbound(THERE, 3, "the tap drips")
    kept.inbound(THIRD, 5, "the tap drips")
    assert come_back(kept, IssueDraft(TAP, since=since)).since == comes_to


def test_of_a_report_whose_messages_there_came_before_it_only_the_quotes_come_back(kept: Kept) -> None:
    kept.inbound(THERE, 3, "the tap drips")
    assert come_back(kept, IssueDraft(TAP, since=7)) == IssueDraft(TAP, since=7)


def test_words_of_a_report_are_enough_for_it_to_come_back(kept: Kept) -> None:
    kept.inbound(THERE, 3, "something is odd here")
    assert come_back(kept, IssueDraft(since=3)) == IssueDraft(since=3)
    before, after = lost(kept, draft=IssueDraft(since=3, not_mine=("something is odd here",)))
    assert with_report_back(kept.deps, before, after)[2] == ("report_dropped",)


def test_an_issue_was_told_where_its_report_came_from(kept: Kept) -> None:
    for id_ in (HERE, THERE, THIRD):
        kept.conversation(id_)
    kept.turn(HERE, 1, "issue:i", f"report_from:{THERE}")
    kept.turn(THERE, 1, f"report_from:{THIRD}", f"report_from:{HERE}")
    kept.turn(THERE, 2, f"report_from:{THIRD}")
    issue = Issue(
        "i", "t", HERE, "t1", "p1", "tap", "kitchen", Category.PLUMBING, Urgency.ROUTINE, PhotoStatus.NONE, kept.now
    )
    assert places_of(kept.deps, issue) == (HERE, THERE, THIRD)
    kept.conversation(THERE, excluded=("t1",))
    assert places_of(kept.deps, issue) == (HERE, THIRD)


def test_conversations_of_one_resident_are_joined_the_last_heard_of_first(kept: Kept) -> None:
    here = kept.conversation(HERE, last_inbound_at=kept.now)
    there = kept.conversation(THERE, last_inbound_at=kept.now + SECOND)
    kept.conversation(THIRD, identity=UNKNOWN)
    assert joined(kept.deps, here) == (there, here)
    fresh = replace(here, id="c-new")
    assert joined(kept.deps, fresh) == (fresh,), "recognised in this very turn"
    kept.store._rows.conversations.pop(THERE)
    assert joined(kept.deps, here) == (here,)


def test_alarms_of_the_other_channels_by_their_moment_and_message(kept: Kept) -> None:
    here = kept.conversation(HERE)
    kept.conversation(THERE)
    kept.conversation(THIRD)
    kept.conversation("c-4", identity=UNKNOWN)
    at = kept.now - timedelta(days=3)
    kept.event(HERE, 1, at=at)
    kept.event("c-4", 2, at=at)
    second, first = kept.event(THIRD, 9, at=at), kept.event(THERE, 8, at=at)
    third = kept.event(THERE, 3, at=at + SECOND)
    kept.event(THERE, 4, at=at, acknowledged_at=kept.now - timedelta(days=2))
    assert alarms_elsewhere(kept.deps, here, {"gas"}) == (first, second, third)
    assert alarms_elsewhere(kept.deps, here, {"fire"}) == ()


def test_an_alarm_of_another_channel_is_kept_by_what_was_done_about_it_there(kept: Kept) -> None:
    here = kept.conversation(HERE)
    kept.conversation(THERE)
    acknowledged = kept.now - timedelta(hours=30)
    event = kept.event(THERE, 4, at=kept.now - timedelta(days=3), acknowledged_at=acknowledged)
    assert alarms_elsewhere(kept.deps, here, {"gas"}) == ()
    same, idle = (KNOWN, KNOWN), (Gathering.IDLE, Gathering.IDLE)
    at = kept.now - timedelta(hours=15)
    kept.store._rows.turns["t"] = Turn("t", THERE, 1, at, Path.EMERGENCY, (), same, idle)
    assert alarms_elsewhere(kept.deps, here, {"gas"}) == (event,)


class Outlets:
    """Says what stands in the way of each conversation, and notes when it was asked."""

    def __init__(self, **obstacles: str) -> None:
        self.obstacles = obstacles
        self.asked: list[datetime] = []

    def obstacle(self, of: Conversation, now: datetime) -> str:
        self.asked.append(now)
        return self.obstacles[of.id.replace("-", "")]


@pytest.mark.parametrize(
    ("c1", "c2", "uses"),
    [
        ("", "", THERE), ("", "window_closed", HERE), ("", "no_channel", HERE), ("", "opted_out", THERE),
        ("no_channel", "window_closed", THERE),
    ],
)  # fmt: skip
def test_a_person_writes_to_the_channel_used_last_that_takes_it(kept: Kept, c1: str, c2: str, uses: str) -> None:
    here = kept.conversation(HERE, last_inbound_at=kept.now)
    kept.conversation(THERE, last_inbound_at=kept.now + SECOND)
    outlets: Any = Outlets(c1=c1, c2=c2)
    assert last_used(replace(kept.deps, outlets=outlets), here).id == uses
    assert set(outlets.asked) == {kept.now}
    assert last_used(kept.deps, here).id == THERE, "without channels, too"


def test_the_only_channel_is_used_whatever_stands_in_its_way(kept: Kept) -> None:
    here = kept.conversation(HERE)
    outlets: Any = Outlets()
    assert last_used(replace(kept.deps, outlets=outlets), here) == here
    assert outlets.asked == []
