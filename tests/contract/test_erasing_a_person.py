"""After erasing a person no byte of them is found: in no column of the database, no export and no file."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from psycopg import sql

from saidonce.adapters.postgres.postgres import PostgresStore
from saidonce.adapters.postgres.tables import TABLES
from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.model.conversation import IdentityStatus, IssueState, ModelCall
from saidonce.foundation.model.personal_data import DataActKind
from saidonce.foundation.model.residents import (
    ChannelIdentity,
    Inbound,
    InboundKind,
    Media,
    Property,
    Resident,
    Tenancy,
    Via,
)
from saidonce.foundation.ports import Store
from saidonce.foundation.settings.policy import Settings
from saidonce.repairs import conversation
from saidonce.repairs.channels.web import WebMessenger
from saidonce.repairs.conversation import ConversationDeps
from saidonce.repairs.media import ThumbnailSandbox
from saidonce.repairs.personal_data import (
    SECTIONS,
    ErasureOptions,
    PersonalDataDeps,
    Retention,
    erase_person,
    find_person,
    hand_out,
    retain,
)
from thinned import on_stores

T = datetime(2026, 3, 2, 12, tzinfo=UTC)
PHONE, OTHER_PHONE = "+447700900001", "+447700900002"
ANA = ChannelIdentity(Via.WHATSAPP, "447700900001", PHONE)
BEN = ChannelIdentity(Via.WHATSAPP, "447700900002", OTHER_PHONE)
PHOTO, SHARED, SMALL = b"\xff\xd8\xffana's own photo", b"\xff\xd8\xffsent by both", b"\xff\xd8\xffsmall"
Open = Callable[[str], Store]
MARKS = ("Arabella", "Quillfeather", "07700900001", "7700900001", "wamid.ana", "zanzibar", "xylophone", "marmalade")
"""What only Ana said or is."""

WHO = MARKS[:6]
"""What tells who she is, or was said beside every issue."""


class Clock:
    at = T

    def now(self) -> datetime:
        return self.at


class Model:
    """Repeats the resident's words in its reply, as models do."""

    name = "model"

    def complete_within(self, instructions: str, prompt: str, schema: object, timeout_s: float) -> str:
        return '{"tool": "respond", "message": "A zanzibar, I see."}'


def chance() -> Callable[[int], bytes]:
    numbers = count(1)
    return lambda n: next(numbers).to_bytes(n, "big")


@pytest.fixture
def desk(opened: Open, org: str) -> PersonalDataDeps:
    store = opened(org)
    deps = ConversationDeps(store.conversations, Clock())
    start = T - timedelta(days=400)
    talk = deps.store
    ana = Resident("r-arabella", "Arabella Quillfeather", (PHONE,), ("web:arabella-link",))
    talk.put_home(Property("p1", "12 Elm Road", "Flat 2"), ana, Tenancy("t-arabella", "p1", "r-arabella", start))
    ben = Resident("r-ben", "Ben Okafor", (OTHER_PHONE,))
    talk.put_home(Property("p2", "9 Oak Way"), ben, Tenancy("t-ben", "p2", "r-ben", start))
    opened_desk = PersonalDataDeps(deps, store.media, chance())
    lives(opened_desk, ANA, "ana", "The tap in my kitchen keeps dripping under the sink.")
    lives(opened_desk, BEN, "ben", "The boiler in the hallway keeps dripping.")
    return opened_desk


def write(desk: PersonalDataDeps, sender: ChannelIdentity, name: str, text: str, *media: Media) -> None:
    clock = desk.deps.clock
    clock.at += timedelta(seconds=60)  # type: ignore[attr-defined]
    now = clock.now()
    kind = InboundKind.MEDIA if media else InboundKind.TEXT
    conversation.receive(desk.deps, Inbound(sender, "number", f"wamid.{name}", kind, now, now, text, media))
    clock.at += timedelta(seconds=30)  # type: ignore[attr-defined]
    deps = replace(desk.deps, chat=Model()) if "zanzibar" in text else desk.deps
    while conversation.work(deps, "w") is not None:
        pass
    conversation.tend(deps)
    conversation.send(deps, WebMessenger())


def lives(desk: PersonalDataDeps, sender: ChannelIdentity, who: str, problem: str) -> None:
    """Report a problem with two photos, an emergency, and something only chatted about."""
    own = desk.files.put(PHOTO + who.encode(), "image/jpeg")
    shared = desk.files.put(SHARED, "image/jpeg")
    small = desk.files.put(SMALL + who.encode(), "image/jpeg")
    photos = (Media(f"m1-{who}", "image/jpeg", own, True, small), Media(f"m2-{who}", "image/jpeg", shared, True))
    mine = who == "ana"
    write(desk, sender, f"{who}.1", f"{problem} My name is {'Arabella' if mine else 'Ben'}.", *photos)
    write(desk, sender, f"{who}.2", f"The {'zanzibar' if mine else 'harbour'} is all wrong, when do you open?")
    write(desk, sender, f"{who}.3", f"I smell gas near the {'xylophone' if mine else 'piano'}!")
    later = Media(f"m3-{who}", "image/jpeg")
    write(desk, sender, f"{who}.4", f"{'marmalade' if mine else 'jam'} in the photo", later)


def everything(store: Store) -> str:
    """Every byte of every row and file, as text."""
    return b"\n".join(store.dump()).decode()


def columns(store: Store) -> list[tuple[str, str]]:
    """Every value of every text or JSON column of the database, by table; nothing of a store in memory."""
    if not isinstance(store, PostgresStore):
        return []
    found = []
    with store._database.writing() as cursor:
        cursor.execute(
            "select table_name, column_name from information_schema.columns where table_schema = 'saidonce'"
            " and table_name in (select tablename from pg_tables where schemaname = 'saidonce')"
            " and table_name <> 'migration'"
        )
        for table, column in cursor.fetchall():
            name = sql.SQL("select {}::text from {} where org_id = %s").format(
                sql.Identifier(column), sql.Identifier(table)
            )
            cursor.execute(name, (store.org,))
            found += [(f"{table}.{column}", str(value)) for (value,) in cursor.fetchall() if value is not None]
    return found


def assert_nothing_of_ana(store: Store, *more: str, of: tuple[str, ...] = MARKS) -> None:
    dump = everything(store).casefold()
    for mark in (*of, *more):
        assert mark.casefold() not in dump, mark
        for place, value in columns(store):
            assert mark.casefold() not in value.casefold(), f"{mark} in {place}"


def issues_of(desk: PersonalDataDeps, property_id: str) -> tuple[Any, ...]:
    return desk.deps.store.issues(property_id)


def test_the_person_is_everywhere_before(desk: PersonalDataDeps, opened: Open, org: str) -> None:
    dump = everything(opened(org)).casefold()
    assert [mark for mark in MARKS if mark.casefold() not in dump] == ["07700900001"]
    assert issues_of(desk, "p1")
    assert any(isinstance(c, ModelCall) for t in find_person(desk.deps.store, PHONE).turns for c in t.calls)


@pytest.mark.parametrize(("opened", "who"), on_stores(2, [(PHONE,), ("r-arabella",)]), indirect=["opened"])
def test_after_erasing_no_byte_of_the_person_is_found(desk: PersonalDataDeps, opened: Open, org: str, who: str) -> None:
    store = opened(org)
    texts = [i.text for i in find_person(desk.deps.store, who).inbounds if i.text]
    report = erase_person(desk, who, "jo", ErasureOptions(keeps_words=False))
    assert report.act is not None
    conversations = {c.id for c in desk.deps.store.conversations() if c.sender.key != BEN.key}
    assert_nothing_of_ana(store, *texts, "dripping under the sink", "arabella-link", "r-arabella", "t-arabella")
    assert all(c.startswith("erased-") for c in conversations)
    assert desk.deps.store.homes_of([ANA.key, "web:arabella-link"], PHONE, desk.deps.clock.now()) == ()


def test_issues_keep_the_problem_and_the_dates_but_not_the_person(
    desk: PersonalDataDeps, opened: Open, org: str
) -> None:
    before = {i.id: i for i in issues_of(desk, "p1")}
    erase_person(desk, "r-arabella", "jo")
    after = {i.id: i for i in issues_of(desk, "p1")}
    assert after.keys() == before.keys()
    for id_, issue in after.items():
        kept = before[id_]
        assert (issue.created_at, issue.category, issue.urgency, issue.state, issue.property_id) == (
            kept.created_at, kept.category, kept.urgency, kept.state, kept.property_id,
        )  # fmt: skip
        assert issue.media == ()
        home = desk.deps.store.home(issue.tenancy_id)
        assert home is not None
        assert (home.resident.name, home.resident.phones, home.property.address) == ("erased", (), "12 Elm Road")
        assert desk.deps.store.inbounds(issue.conversation_id) == ()
        moved = desk.deps.store.move_issue(id_, IssueState.DONE, "jo", T)
        assert moved.state is IssueState.DONE, "and it goes on on the board"
    assert any("dripping under the sink" in i.description for i in after.values())
    assert_nothing_of_ana(opened(org), of=WHO)


def test_photos_of_issues_stay_where_that_is_chosen(desk: PersonalDataDeps) -> None:
    (before,) = [i for i in issues_of(desk, "p1") if i.media]
    erase_person(desk, "r-arabella", "jo", ErasureOptions(keeps_photos=True))
    (issue,) = [i for i in issues_of(desk, "p1") if i.media]
    assert len(issue.media) == len(before.media) == 2
    files = [m for i in desk.deps.store.inbounds(issue.conversation_id) for m in i.media]
    assert {m.id for m in files} == set(issue.media)
    assert all(desk.files.get(m.sha256) is not None for m in files)
    assert all(not i.text for i in desk.deps.store.inbounds(issue.conversation_id))


def test_nothing_of_anybody_else_goes(desk: PersonalDataDeps) -> None:
    before = find_person(desk.deps.store, "r-ben")
    erase_person(desk, "r-arabella", "jo")
    assert find_person(desk.deps.store, "r-ben") == before
    own, shared = (m for m in before.media)
    assert desk.files.get(own.sha256) == (PHOTO + b"ben", "image/jpeg")
    assert desk.files.get(shared.sha256) == (SHARED, "image/jpeg"), "both sent it"


def test_the_act_is_in_the_log_and_says_nothing_of_the_person(desk: PersonalDataDeps, opened: Open, org: str) -> None:
    dry = erase_person(desk, "r-arabella", "jo", is_dry_run=True)
    assert (dry.act, desk.deps.store.acts()) == (None, ())
    assert find_person(desk.deps.store, "r-arabella").inbounds, "a dry run changes nothing"
    done = erase_person(desk, "r-arabella", "jo")
    (act,) = desk.deps.store.acts()
    assert act == done.act
    assert (act.kind, act.by, act.at, act.n) == (DataActKind.ERASED, "jo", desk.deps.clock.now(), 1)
    counts = dict(act.counts)
    assert counts == done.counts == dry.counts
    assert (counts["residents"], counts["messages"], counts["files"]) == (1, 4, 2)
    with pytest.raises(NotFoundError):
        erase_person(desk, "r-arabella", "jo")
    copy = opened(f"{org}-copy")
    copy.load(list(opened(org).dump()))
    assert copy.conversations.acts() == (act,)
    assert list(copy.dump()) == list(opened(org).dump())


def test_a_crash_between_files_and_rows_is_made_good_by_the_same_again(
    desk: PersonalDataDeps, opened: Open, org: str
) -> None:
    desk.files.drop({name for m in find_person(desk.deps.store, "r-arabella").media for name in m.hashes})
    erase_person(desk, "r-arabella", "jo")
    assert_nothing_of_ana(opened(org), of=WHO)


def test_a_turn_under_way_brings_nothing_back(desk: PersonalDataDeps, opened: Open, org: str) -> None:
    class Erases(Model):
        def complete_within(self, instructions: str, prompt: str, schema: object, timeout_s: float) -> str:
            erase_person(desk, "r-arabella", "jo", ErasureOptions(keeps_words=False))
            return super().complete_within(instructions, prompt, schema, timeout_s)

    now = desk.deps.clock.now()
    late = Inbound(ANA, "number", "wamid.ana.9", InboundKind.TEXT, now, now, "a zanzibar question")
    conversation.receive(desk.deps, late)
    desk.deps.clock.at += timedelta(seconds=30)  # type: ignore[attr-defined]
    failures: list[Exception] = []
    taken = conversation.take_turns(
        replace(desk.deps, chat=Erases()), "w", on_failure=lambda _what, _id, failure: failures.append(failure)
    )
    if not failures:  # During an alarm no model is asked.
        assert taken
        erase_person(desk, "r-arabella", "jo", ErasureOptions(keeps_words=False))
    assert_nothing_of_ana(opened(org))


def test_a_file_that_is_being_fetched_brings_nothing_back(desk: PersonalDataDeps, opened: Open, org: str) -> None:
    class Erases:
        def fetch(self, waiting: Any, most: int) -> bytes:
            if waiting.inbound.sender == ANA:
                erase_person(desk, "r-arabella", "jo", ErasureOptions(keeps_words=False))
            return b"OggS\0\2 zanzibar"

    settings = Settings(whatsapp_token="t")
    intake = conversation.intake_of(
        desk.deps, desk.files, {Via.WHATSAPP: Erases()}, ThumbnailSandbox(settings), settings
    )
    now = desk.deps.clock.now()
    sound = Media("s1", "audio/ogg")
    conversation.receive(desk.deps, Inbound(ANA, "number", "wamid.ana.8", InboundKind.MEDIA, now, now, "", (sound,)))
    for _ in range(5):
        conversation.fetch_media(intake)
        desk.deps.clock.at += timedelta(seconds=600)  # type: ignore[attr-defined]
    assert all(c.sender != ANA for c in desk.deps.store.conversations())
    assert_nothing_of_ana(opened(org))


def test_whoever_writes_again_begins_anew(desk: PersonalDataDeps) -> None:
    erase_person(desk, "r-arabella", "jo")
    write(desk, ANA, "again", "The lamp flickers")
    (held,) = [c for c in desk.deps.store.conversations() if c.sender.key == ANA.key]
    assert held.identity not in (IdentityStatus.CONFIRMED, IdentityStatus.ACTIVE)
    assert len(desk.deps.store.inbounds(held.id)) == 1


def test_somebody_the_landlord_never_knew_is_erased_by_number_or_conversation(desk: PersonalDataDeps) -> None:
    stranger = ChannelIdentity(Via.WHATSAPP, "447700900099", "+447700900099")
    write(desk, stranger, "s", "hello from the stranger")
    erase_person(desk, "+44 7700 900099", "jo")
    guest = ChannelIdentity(Via.WEB, "guest-1", None, verified=False)
    write(desk, guest, "g", "hello from the guest")
    (held,) = [c for c in desk.deps.store.conversations() if c.sender.key == guest.key]
    erase_person(desk, held.id, "jo")
    assert {c.sender.key for c in desk.deps.store.conversations()} == {ANA.key, BEN.key}
    known = next(c for c in desk.deps.store.conversations() if c.sender.key == ANA.key)
    with pytest.raises(UsageError):
        erase_person(desk, known.id, "jo")
    with pytest.raises(NotFoundError):
        erase_person(desk, "+447700900077", "jo")


def test_a_number_of_two_residents_names_nobody(desk: PersonalDataDeps) -> None:
    start = T - timedelta(days=4)
    cy = Resident("r-cy", "Cy Dean", (PHONE,))
    desk.deps.store.put_home(Property("p3", "1 Low Road"), cy, Tenancy("t-cy", "p3", "r-cy", start))
    with pytest.raises(UsageError, match="r-arabella, r-cy"):
        erase_person(desk, PHONE, "jo")
    report = erase_person(desk, "r-cy", "jo", is_dry_run=True)
    assert len(report.others) == 1, "the conversation with that number is Ana's, and stays"
    assert report.counts["messages"] == 0


def test_an_export_holds_everything_about_one_person(desk: PersonalDataDeps, opened: Open, org: str) -> None:
    desk.deps.store.move_issue(issues_of(desk, "p1")[0].id, IssueState.IN_PROGRESS, "jo", T)
    packed, act = hand_out(desk, "r-arabella", "jo")
    assert (act.kind, desk.deps.store.acts()) == (DataActKind.EXPORTED, (act,))
    assert not any(mark in json.dumps(act.counts) + act.subject for mark in MARKS)
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        data = json.loads(archive.read("data.json"))
        files = {name: archive.read(name) for name in archive.namelist() if name.startswith("media/")}
    assert sorted(files.values()) == sorted([PHOTO + b"ana", SHARED, SMALL + b"ana"])
    assert data.keys() == {"format", "made_at", *SECTIONS}
    assert all(data[name] for name in SECTIONS), "each kind has something in this person's life"
    text = json.dumps(data)
    for mark in ("Arabella", "zanzibar", "xylophone", "marmalade", "A zanzibar, I see.", "12 Elm Road", PHONE):
        assert mark in text, mark
    for mark in ("Okafor", OTHER_PHONE, "harbour", "9 Oak Way"):
        assert mark not in text, mark


NOT_RESIDENTS = {"org", "data_act"}
"""Tables without anything of residents."""


def test_the_export_covers_every_table_that_refers_to_residents() -> None:
    about = {"property", "resident", "tenancy", "conversation", "media"}
    grows = True
    while grows:
        more = {table.name for table in TABLES for needed in table.needs if needed[0] in about}
        grows = not more <= about
        about |= more
    assert about - NOT_RESIDENTS == set(SECTIONS)


def test_retention_lets_go_of_what_is_too_old_and_keeps_the_rest(
    desk: PersonalDataDeps, opened: Open, org: str
) -> None:
    store, clock = desk.deps.store, desk.deps.clock
    assert retain(desk, Retention()).n == 0
    for issue in store.issues("p1"):
        store.move_issue(issue.id, IssueState.DONE, "jo", clock.now())
    clock.at += timedelta(days=100)  # type: ignore[attr-defined]
    write(desk, BEN, "ben.new", "A new matter: the bell is broken")
    keep = Retention(messages=90, media=90, turns=90, issues=90, notices=90)
    dry = retain(desk, keep, is_dry_run=True)
    assert dry.n > 0
    assert store.acts() == ()
    rounds = [retain(desk, keep)]
    while rounds[-1].act is not None:
        rounds.append(retain(desk, keep))
    assert len(rounds) < 5, "it comes to an end"
    assert [a.kind for a in store.acts()] == [DataActKind.EXPIRED] * (len(rounds) - 1)
    dump = everything(opened(org))
    for mark in ("zanzibar", "xylophone", "marmalade", "dripping under the sink"):
        assert mark not in dump, mark
    kept = [i.description for i in store.issues("p2")]
    assert sum("harbour" in text for text in kept) == dump.count("harbour") == 1, "in the alarm's open issue alone"
    assert "A new matter: the bell is broken" in dump
    assert "boiler in the hallway" in json.dumps([i.description for i in store.issues("p2")]), "an open issue stays"
    assert any(i.media for i in store.issues("p2")), "with its photos"
    assert all(desk.files.get(m.sha256) for i in store.inbounds(ben_of(desk)) for m in i.media if m.stored)
    again, _ = store.receive(replace(store.inbounds(ben_of(desk))[1], scanned=False, seq=0), lambda *_: clock.now())
    assert again.text == "", "a repetition is still known"
    assert find_person(store, "r-arabella").residents, "who lives where is not a matter of retention"


def ben_of(desk: PersonalDataDeps) -> str:
    return next(c.id for c in desk.deps.store.conversations() if c.sender.key == BEN.key)


def test_a_batch_is_limited_and_the_next_goes_on(desk: PersonalDataDeps, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("saidonce.repairs.personal_data.retaining.BATCH", 40)
    for n in range(50):
        now = desk.deps.clock.now()
        conversation.receive(desk.deps, Inbound(BEN, "number", f"n{n}", InboundKind.TEXT, now, now, f"word{n}"))
    desk.deps.clock.at += timedelta(days=9)  # type: ignore[attr-defined]
    first = retain(desk, Retention(messages=1))
    assert first.counts["messages"] == 40
    assert retain(desk, Retention(messages=1)).counts["messages"] >= 10
    assert retain(desk, Retention(messages=1)).act is None
