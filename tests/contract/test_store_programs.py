"""Random programs of writes: every store gives the same answers after them."""

from __future__ import annotations

import os
import uuid
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store_cases import (
    MODEL,
    Draft,
    Piece,
    answers,
    collection,
    document_id,
    folded,
    key_of,
    vector_of,
    write_of,
)

from conftest import SERVERS
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.adapters.postgres.postgres import PostgresStore
from saidonce.adapters.postgres.trigrams import letters, similarity
from saidonce.errors import StaleWriteError, StoreError
from saidonce.foundation.model import Filters, Kind
from saidonce.foundation.ports import Store
from saidonce.testing import MemoryDatabase, MemoryStore
from world import NOON, TickingClock

N_PROGRAMS = int(os.environ.get("TEST_PROGRAMS", "5"))
TEXTS = (
    "Backups are kept for 30 days.",
    "Backups are kept for 90 days.",
    "Резервные копии хранятся 30 дней.",
    "保存期間は30日です。",
    "Délais: l'été, ß and ﬁ ligatures, ٣ days",
    "Retention of logs",
    "retention retention retention of everything that is logged",
    "",
)
HEADINGS = ((), ("Retention",), ("Backups", "Rétention & co"), ("Журналы",))
NAMES = ("a", "b", "ü/ж.md")
COLLECTIONS = ("main", "annexe")
QUERIES = ("retention", "retenton of bakups", "дней 30 копии", "保存期間", "days 30 zzz")
FILTERS = (
    Filters(),
    Filters(collections=("annexe",)),
    Filters(documents=("a", "b"), kinds=(Kind.PARAGRAPH, Kind.LIST)),
    Filters(since=NOON, languages=("en",)),
)

PIECES = st.builds(
    Piece,
    text=st.sampled_from(TEXTS),
    relation=st.sampled_from(("kept", "kept", "exact", "near", "aside")),
    heading=st.sampled_from(HEADINGS),
    salience=st.sampled_from((0.5, 0.75)),
    kind=st.sampled_from((Kind.PARAGRAPH, Kind.TABLE, Kind.LIST)),
)
DRAFTS = st.builds(
    Draft,
    name=st.sampled_from(NAMES),
    pieces=st.lists(PIECES, max_size=5).map(tuple),
    collection=st.sampled_from(COLLECTIONS),
    title=st.sampled_from(("", "The Handbook", "Handbuch")),
    settings=st.sampled_from(("s1", "s2")),
    authored_at=st.sampled_from((None, NOON, NOON - timedelta(days=3))),
    language=st.sampled_from(("en", "und")),
    counts=st.sampled_from(({}, {"documents": 1.0, "ms": 0.1})),
)
STEPS = st.one_of(
    st.tuples(st.just("put"), st.integers(0, 1), DRAFTS),
    st.tuples(st.just("put"), st.integers(0, 1), DRAFTS),
    st.tuples(st.just("remove"), st.integers(0, 1), st.sampled_from(COLLECTIONS), st.sampled_from((*NAMES, "x"))),
    st.tuples(st.just("name"), st.integers(0, 1), st.sampled_from(NAMES), st.sampled_from((*NAMES, "x"))),
    st.tuples(st.just("count"), st.integers(0, 1), st.sampled_from(({"c": 0.1}, {"c": 1e9, "d": -1.0}))),
    st.tuples(st.just("reembed"), st.integers(0, 1), st.sampled_from((MODEL, "model-b"))),
)


@pytest.fixture(scope="module")
def postgres(embedded_server: EmbeddedServer) -> str:
    return embedded_server.url


def run(store: Store, step: tuple[Any, ...]) -> Any:
    """Do one step; what a store says, or refuses, is part of its answer."""
    match step:
        case ("put", _, draft):
            return store.put_document(write_of(draft))
        case ("remove", _, where, name):
            return store.remove_document(where, name)
        case ("name", _, of, name):
            return store.add_name("main", document_id(of), name)
        case ("count", _, counters):
            return store.add_counters(counters)
        case ("reembed", _, model):
            rows = [row for batch in store.segments("main") for row in batch]
            keys = {s.id: (key_of(s.text, model), key_of(s.context, model)) for s, _, _ in rows}
            vectors = {key: vector_of(key) for pair in keys.values() for key in pair}
            return store.reembed(collection("main", model), keys, vectors)
        case _:
            return None


def outcome(store: Store, step: tuple[Any, ...]) -> Any:
    try:
        return run(store, step)
    except (StoreError, LookupError) as refused:
        return type(refused), str(refused) if isinstance(refused, StaleWriteError) else ""


def check_statistics(store: Store) -> None:
    """What a search counts equals a recount of what was written."""
    live = folded(store) | folded(store, "model-b")
    pool = store.lexical(["retent", "30", "day"], Filters(), 10**9)
    assert pool.n_blocks == len(live) == sum(c.n_blocks for c in store.counts())
    recount = Counter[int]()
    for row in pool.rows:
        recount.update(place for place, n in enumerate(row.counts) if n)
    assert pool.n_containing == tuple(recount[place] for place in range(3))


@settings(max_examples=N_PROGRAMS, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(program=st.lists(STEPS, min_size=1, max_size=12))
def test_stores_agree(postgres: str, program: list[tuple[Any, ...]]) -> None:
    database, run_id = MemoryDatabase(), uuid.uuid4().hex
    pairs = [
        (MemoryStore(name, database, TickingClock()), PostgresStore(postgres, name, TickingClock()))
        for name in (f"one-{run_id}", f"two-{run_id}")
    ]
    seen: list[dict[str, Any]] = []
    try:
        for memory, real in pairs:
            for name in COLLECTIONS:
                assert memory.ensure_collection(collection(name)) == real.ensure_collection(collection(name))
            seen.append({})
        for step in program:
            memory, real = pairs[step[1]]
            rev = memory.rev()
            before = folded(memory)
            assert outcome(memory, step) == outcome(real, step)
            follow(memory, before, rev)
            follow(real, before, rev)
        for memory, real in pairs:
            assert answers(memory, QUERIES, FILTERS) == answers(real, QUERIES, FILTERS)
            check_statistics(real)
            check_statistics(memory)
            copy = PostgresStore(postgres, f"{real.org}-copy")
            copy.load(memory.dump())
            assert list(copy.dump()) == list(real.dump())
            again = MemoryStore("again")
            again.load(real.dump())
            assert answers(again, QUERIES, FILTERS) == answers(copy, QUERIES, FILTERS)
            copy.close()
    finally:
        for _, real in pairs:
            real.close()


def follow(store: Store, before: dict[str, Any], rev: int) -> None:
    """A reader that has the live set of an earlier revision catches up by the changes since then."""
    live = dict(before)
    for batch in store.changes(MODEL, rev):
        for row in batch:
            live.pop(row.block_id, None)
    live.update(folded(store, since=rev))
    assert live == folded(store)


@settings(max_examples=300, deadline=None)
@given(a=st.text(max_size=40), b=st.text(max_size=40))
def test_trigrams_are_those_of_the_database(similar: Any, a: str, b: str) -> None:
    assert similarity(letters(a), letters(b)) == similar(letters(a), letters(b))
    assert letters(letters(a)) == letters(a)
    assert letters(a).isascii()


@pytest.fixture(scope="module", params=SERVERS)
def similar(request: pytest.FixtureRequest) -> Iterator[Any]:
    server = request.getfixturevalue(request.param)
    url = server if isinstance(server, str) else server.url
    store = PostgresStore(url, "trigrams")
    with store._database.reading() as connection:
        yield lambda a, b: connection.execute("select similarity(%s, %s)::float8", (a, b)).fetchall()[0][0]
    store.close()
