"""A photo stays while its report is open, on whichever of its resident's channels it came, and goes afterwards."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from saidonce.foundation.model.conversation import IssueState
from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, Media, Via
from saidonce.quality.playing import PHONE
from saidonce.repairs import conversation
from saidonce.repairs.conversation import Orchestration, Rules
from saidonce.repairs.issue_file import issue_file
from saidonce.repairs.personal_data import PersonalDataDeps, Retention, retain, retaining
from saidonce.testing import MemoryStore
from talking import WEB, World, world_of_two_channels

WHATSAPP = ChannelIdentity(Via.WHATSAPP, PHONE, PHONE)
KEEP = Retention(media=1)
DAY_S = 86_400.0


@pytest.fixture
def world() -> World:
    """A resident whose WhatsApp number and web link are theirs; an open report waits longer than photos are kept."""
    waits = 30 * DAY_S
    rules = Rules(Orchestration.OFF, photo_ttl_s=waits, details_ttl_s=waits, identity_ttl_s=3 * DAY_S)
    return world_of_two_channels(rules)


@pytest.fixture
def desk(world: World) -> PersonalDataDeps:
    return PersonalDataDeps(world.deps, MemoryStore("acme").media, bytes)


def write(world: World, sender: ChannelIdentity, text: str, photos: Sequence[Media] = ()) -> None:
    world.clock.forward(30)
    at = world.clock.now()
    kind = InboundKind.MEDIA if photos else InboundKind.TEXT
    conversation.receive(world.deps, Inbound(sender, "n", f"m-{at}", kind, at, at, text, media=tuple(photos)))
    go_on(world, 11)


def go_on(world: World, seconds: float) -> None:
    """Let time pass with the worker running: identities lapse after long silence."""
    world.clock.forward(seconds)
    while conversation.work(world.deps, "w") is not None:
        pass


def photo(desk: PersonalDataDeps, id_: str) -> Media:
    return Media(id_, "image/jpeg", desk.files.put(b"\xff\xd8\xff" + id_.encode(), "image/jpeg"), stored=True)


@pytest.mark.parametrize(("first", "second"), [(WHATSAPP, WEB), (WEB, WHATSAPP)], ids=["by-web", "by-whatsapp"])
def test_a_photo_of_the_other_channel_stays_until_its_issue_is_done(
    world: World, desk: PersonalDataDeps, first: ChannelIdentity, second: ChannelIdentity
) -> None:
    write(world, first, "hello")
    write(world, first, "the kitchen tap is dripping")
    write(world, second, "here it is", [photo(desk, "ph1")])
    (issue,) = world.store.issues()
    go_on(world, 5 * DAY_S)
    assert retain(desk, KEEP).counts["files"] == 0
    (kept,) = issue_file(world.deps, issue.id).photos
    assert desk.files.get(kept.sha256) is not None
    world.store.move_issue(issue.id, IssueState.DONE, "jo", world.clock.now())
    assert retain(desk, KEEP).counts["files"] == 1
    assert desk.files.get(kept.sha256) is None


def test_photos_of_open_issues_hold_up_no_others(
    world: World, desk: PersonalDataDeps, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retaining, "BATCH", 1)
    write(world, WHATSAPP, "hello")
    write(world, WHATSAPP, "the kitchen tap is dripping")
    write(world, WHATSAPP, "here it is", [photo(desk, "ph1")])
    first = world.store.issues()[0]
    write(world, WHATSAPP, "the hall window is broken too")
    write(world, WHATSAPP, "here it is", [photo(desk, "ph2")])
    later = next(issue for issue in world.store.issues() if issue.id != first.id)
    world.store.move_issue(later.id, IssueState.DONE, "jo", world.clock.now())
    go_on(world, 5 * DAY_S)
    assert retain(desk, KEEP).counts["files"] == 1
    assert [len(issue_file(world.deps, id_).photos) for id_ in (first.id, later.id)] == [1, 0]


@pytest.mark.parametrize(("first", "second"), [(WHATSAPP, WEB), (WEB, WHATSAPP)], ids=["to-web", "to-whatsapp"])
def test_a_photo_of_an_open_report_stays_when_the_report_goes_on_elsewhere(
    world: World, desk: PersonalDataDeps, first: ChannelIdentity, second: ChannelIdentity
) -> None:
    write(world, first, "hello")
    write(world, first, "", [photo(desk, "ph1")])
    go_on(world, 2 * DAY_S)
    write(world, second, "the shower drips")
    (at,) = (c for c in world.store.conversations() if c.draft.since)
    assert (at.sender, at.draft.media) == (second, ("ph1",))
    go_on(world, 2 * DAY_S)
    assert [c.sender for c in world.store.conversations() if not c.identity.is_known] == [first], "silent for long"
    assert retain(desk, KEEP).counts["files"] == 0
    write(world, second, "in the bathroom")
    (issue,) = world.store.issues()
    assert [m.stored for m in issue_file(world.deps, issue.id).photos] == [True]


def test_a_photo_of_one_issue_does_not_keep_another_of_the_same_name(world: World, desk: PersonalDataDeps) -> None:
    """Channels number their files by themselves: two residents may each have a photo `ph1`."""
    other = ChannelIdentity(Via.WHATSAPP, "447700900999", "+447700900999")
    write(world, WHATSAPP, "hello")
    write(world, WHATSAPP, "the kitchen tap is dripping")
    write(world, WEB, "here it is", [photo(desk, "ph1")])
    foreign = Media("ph1", "image/jpeg", desk.files.put(b"\xff\xd8\xffanother", "image/jpeg"), stored=True)
    write(world, other, "look", [foreign])
    go_on(world, 5 * DAY_S)
    assert len(world.store.issues()) == 1
    assert retain(desk, KEEP).counts["files"] == 1
    assert desk.files.get(foreign.sha256) is None
