"""Any program of writes to conversations: PostgreSQL tells the same as memory, after every step and in its export."""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conftest import SERVERS, examples
from saidonce.adapters.postgres.postgres import PostgresStore
from saidonce.errors import SaidonceError
from saidonce.foundation.model.conversation import (
    Alarm,
    Category,
    Conversation,
    EmergencyEvent,
    Gathering,
    IdentityStatus,
    Issue,
    IssueDraft,
    IssueState,
    LandlordEvent,
    LandlordNotice,
    OutboxKind,
    OutboxMessage,
    OutboxState,
    PhotoStatus,
    Slot,
    TurnWrite,
    Urgency,
)
from saidonce.foundation.model.residents import ChannelIdentity, Property, Resident, Tenancy, Via
from saidonce.foundation.ports import Store
from saidonce.testing import MemoryStore
from talk_cases import HOSTILE, T, due, message, turn

SMALL = st.integers(0, 3)
TEXTS = ("hello", HOSTILE, "", "\u0130 STRASSE \u00df")
STEPS = st.one_of(
    st.tuples(st.just("receive"), SMALL, st.integers(0, 9), SMALL, st.integers(0, 60)),
    st.tuples(st.just("scan"), SMALL, st.integers(0, 1), st.booleans()),
    st.tuples(st.just("claim"), SMALL, st.integers(0, 90)),
    st.tuples(st.just("release"), SMALL, SMALL),
    st.tuples(st.just("commit"), SMALL, SMALL, SMALL, st.sampled_from(((0, 0), (0, 0), (1, 0), (-1, 0), (0, 1)))),
    st.tuples(st.just("take"), st.integers(1, 3), st.integers(0, 90)),
    st.tuples(st.just("mark"), st.integers(0, 9), st.sampled_from(list(OutboxState))),
    st.tuples(st.just("settle"), SMALL, st.sampled_from(list(Alarm)), st.booleans()),
    st.tuples(st.just("move"), SMALL, st.sampled_from(list(IssueState)), st.booleans()),
    st.tuples(st.just("home"), SMALL, SMALL, SMALL, st.integers(-9, 9)),
    st.tuples(st.just("file"), SMALL),
)
START: tuple[tuple[Any, ...], ...] = (
    ("home", 0, 0, 0, 0), ("home", 1, 2, 1, 0), ("receive", 0, 0, 1, 0), ("receive", 1, 1, 1, 1),
    ("scan", 0, 0, True), ("commit", 0, 1, 0, (0, 0)), ("receive", 2, 2, 2, 5),
)  # fmt: skip
"""Lets every program have something to work on."""


def at(seconds: float) -> Any:
    return T + timedelta(seconds=seconds)


def picked(rows: Any, n: int) -> Any:
    return rows[n % len(rows)] if rows else None


def done(store: Store, step: tuple[Any, ...], n: int) -> Any:
    """What a step gives, or how it is refused."""
    try:
        return globals()[f"_{step[0]}"](store, n, *step[1:])
    except SaidonceError as refused:
        return type(refused).__name__, str(refused)


def _receive(store: Store, n: int, user: int, name: int, text: int, seconds: int) -> Any:
    sender = ChannelIdentity(
        list(Via)[user % 3], f"u{user}{HOSTILE if user == 3 else ''}", f"+{text}" if text else None
    )
    return store.conversations.receive(message(f"m{name}", seconds, sender, TEXTS[text]), due)


def _scan(store: Store, n: int, which: int, n_events: int, replied: bool) -> Any:
    if (of := picked(store.conversations.unscanned(), which)) is None:
        return None
    event = EmergencyEvent(f"e{n}", of.conversation_id, of.seq, "gas", "gas", replied, at(n % 3), T, replied)
    out = OutboxMessage(f"s{n % 4}", of.conversation_id, "", OutboxKind.SAFETY, HOSTILE, at(-n))
    told = LandlordNotice(f"n{n % 4}", LandlordEvent.EMERGENCY_UNVERIFIED, of.conversation_id, T, detail=HOSTILE)
    return store.conversations.record_scan(of, n_events, (event,) if replied else (), (out,), (told, told))


def _claim(store: Store, n: int, worker: int, seconds: int) -> Any:
    return store.conversations.claim(f"w{worker}", at(seconds), at(seconds + 30))


def _release(store: Store, n: int, which: int, worker: int) -> Any:
    of = picked(store.conversations.conversations(), which)
    return store.conversations.release(of.id if of else "none", f"w{worker}")


def _commit(store: Store, n: int, which: int, state: int, kind: int, wrong: tuple[int, int]) -> Any:
    if (of := picked(store.conversations.conversations(), which)) is None:
        return None
    last = max((i.seq for i in store.conversations.inbounds(of.id)), default=0)
    homes = store.conversations.homes()
    made = _issue(of, homes[0], n) if homes and kind == 0 else None
    flagged = tuple(i.id for i in store.conversations.issues())[:1] if kind == 1 else ()
    extended = picked(store.conversations.issues(), which) if kind == 2 else None
    out = tuple(
        OutboxMessage(f"o{n - k}", of.id, "t", list(OutboxKind)[kind], HOSTILE, at(-n if k else n)) for k in range(2)
    )
    told = (LandlordNotice(f"n{n % 3}", LandlordEvent.ISSUE_CREATED, of.id, T),)
    write = TurnWrite(
        _moved(of, state, last), of.version + wrong[1], last + wrong[0], turn(of, last, reason=HOSTILE), out, made,
        replace(extended, media=("x",), turn_id="other") if extended else None, told, flagged,
    )  # fmt: skip
    return store.conversations.commit(write)


def _moved(of: Conversation, state: int, last: int) -> Conversation:
    draft = IssueDraft(Slot("a", HOSTILE), None, Category.DAMP, None, list(PhotoStatus)[state], since=last)
    return replace(
        of, identity=list(IdentityStatus)[state], gathering=list(Gathering)[state],
        draft=draft if state else IssueDraft(),
        wake_at=at(70) if state == 1 else None, parked=(last,) * (state == 2), candidates=("t0", HOSTILE)[:state],
        lease_by="nobody", lease_until=T, due_at=T, handed_off_at=T if state == 3 else None,
    )  # fmt: skip


def _issue(of: Conversation, home: Any, n: int) -> Issue:
    return Issue(
        f"i{n}", f"turn {n % 4}", of.id, home.tenancy.id, home.property.id, HOSTILE, "", Category.OTHER,
        Urgency.ROUTINE, PhotoStatus.NONE, at(-n), ("a", "b"),
    )  # fmt: skip


def _take(store: Store, n: int, limit: int, seconds: int) -> Any:
    return store.conversations.take_outbox(at(seconds), at(seconds + 20), limit)


def _mark(store: Store, n: int, which: int, state: OutboxState) -> Any:
    of = picked(store.conversations.outbox(), which)
    return store.conversations.mark_outbox(of.id if of else "none", state, HOSTILE if which % 2 else "", None, _failed)


def _failed(of: OutboxMessage) -> LandlordNotice:
    return LandlordNotice(f"n{of.n_tries}", LandlordEvent.MESSAGE_FAILED, of.conversation_id, T, detail=of.text)


def _settle(store: Store, n: int, which: int, state: Alarm, is_stale: bool) -> Any:
    if (of := picked(store.conversations.events(), which)) is None:
        return None
    before = replace(of, phrase="other") if is_stale else of
    homes = store.conversations.homes()
    held = store.conversations.conversation(of.conversation_id)
    made = _issue(held, homes[0], n) if homes and which == 1 else None
    after = replace(of, state=state, alerted_at=at(n), issue_id=made.id if made else "")
    return store.conversations.settle_event(before, after, made, (), ())


def _move(store: Store, n: int, which: int, state: IssueState, is_looked_at: bool) -> Any:
    of = picked(store.conversations.issues(), which)
    return store.conversations.move_issue(of.id if of else "none", state, HOSTILE, at(-n), is_looked_at)


def _home(store: Store, n: int, place: int, who: int, which: int, days: int) -> Any:
    names = ("Ana Bell", "", "Bo \u0130PEK", HOSTILE)
    store.conversations.put_home(
        Property(f"p{place}", HOSTILE, "", "", ("EX1 2AB", "", "ex12ab", "\u00df 1")[place]),
        Resident(f"r{who}", names[who], (f"+{n % 3}", "+9")[: who + 1], (f"web:u{who}",) * (who > 1)),
        Tenancy(f"t{which}", f"p{place}", f"r{who}", T, T + timedelta(days=days) if days else None),
    )
    words = ["ex12ab", "bell", "i\u0307pek", "ss1", ""]
    return (
        store.conversations.homes(), store.conversations.homes_named(words, at(n), 2),
        [store.conversations.homes_of([f"web:u{k}"], f"+{k}", at(n)) for k in range(3)],
        store.conversations.homes_of([], None, T), store.conversations.home(f"t{which}"),
    )  # fmt: skip


def _file(store: Store, n: int, which: int) -> Any:
    sha256 = store.media.put(bytes([which]) * which, f"image/{n}")
    return sha256, store.media.get(sha256), store.media.get("none")


def told(store: Store) -> dict[str, Any]:
    talk = store.conversations
    all_ = talk.conversations()
    return {
        "conversations": all_, "unscanned": talk.unscanned(), "outbox": talk.outbox(), "issues": talk.issues(),
        "inbounds": [talk.inbounds(c.id, 2) for c in all_], "turns": [talk.turns(c.id) for c in all_],
        "events": [talk.events(), talk.events(is_open=True), *(talk.events(c.id) for c in all_)],
        "notices": talk.notices(), "homes": talk.homes(),
        "moves": [talk.issue_moves(), *(talk.issue_moves(i.id) for i in talk.issues())],
        "by place": [talk.issues(f"p{k}") for k in range(3)],
        "mine": [talk.outbox(c.id) for c in all_], "lost": talk.outbox(state=OutboxState.UNKNOWN),
        "dump": list(store.dump()),
    }  # fmt: skip


@pytest.fixture(scope="module", params=SERVERS)
def url(request: pytest.FixtureRequest) -> str:
    server = request.getfixturevalue(request.param)
    return server if isinstance(server, str) else str(server.url)


@settings(max_examples=examples(4, 60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(program=st.lists(STEPS, min_size=5, max_size=30).map(lambda steps: [*START, *steps]))
def test_stores_agree(url: str, program: list[tuple[Any, ...]]) -> None:
    org = f"talk-{uuid.uuid4().hex}"
    memory, real = MemoryStore(org), PostgresStore(url, org)
    try:
        for n, step in enumerate(program):
            assert done(memory, step, n) == done(real, step, n), step
        wanted = told(memory)
        assert told(real) == wanted
        copy = real.of_org(f"{org}-copy")
        copy.load(wanted["dump"])
        again = MemoryStore("again")
        again.load(copy.dump())
        assert told(copy) == told(again) == wanted
    finally:
        real.close()
