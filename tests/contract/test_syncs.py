"""Sources that collections are kept in step with, on every store."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import psycopg
import pytest

from saidonce.adapters.postgres.archive import line_of
from saidonce.adapters.postgres.postgres import PostgresStore
from saidonce.adapters.postgres.postgres_write import Statements
from saidonce.errors import NotFoundError, StoreCorruptError
from saidonce.foundation.model.syncs import SyncEntry, SyncRun, SyncSource, UpstreamKind
from saidonce.foundation.ports import Store
from saidonce.testing import MemoryStore
from world import NOON

Open = Callable[[str], Store]
WIKI = SyncSource("a" * 32, "main", "/srv/wiki", UpstreamKind.FOLDER, NOON, prune=True, every_s=300.0, next_at=NOON)
SITE = SyncSource("b" * 32, "main", "https://example.com/sitemap.xml", UpstreamKind.SITEMAP, NOON)
ELSEWHERE = replace(WIKI, id="c" * 32, collection="other", next_at=NOON - timedelta(minutes=1))


@pytest.fixture
def store(opened: Open, org: str) -> Store:
    store = opened(org)
    for source in (WIKI, SITE, ELSEWHERE):
        store.syncs.put_source(source)
    return store


def resealed(lines: list[bytes], part: bytes, other: bytes) -> list[bytes]:
    """Return an export in which something is written in place of something else, with sums that are right."""
    bodies = [line.replace(part, other).rpartition(b',"crc":"')[0] for line in lines[:-1]]
    summed = [b'%s,"crc":"%08x"}\n' % (body, zlib.crc32(body)) for body in bodies]
    return [*summed, line_of({"lines": len(summed), "sha256": hashlib.sha256(b"".join(summed)).hexdigest()})]


def entry(source: SyncSource, name: str, mark: str = "m1") -> SyncEntry:
    return SyncEntry(source.id, name, mark, "f" * 64, "", "")


def test_sources_are_kept_changed_listed_and_dropped(store: Store) -> None:
    run = SyncRun(NOON, NOON + timedelta(seconds=3), n_listed=4, refusals=("a.pdf: locked",))
    store.syncs.put_source(replace(SITE, last=run, cursor="c1"))
    assert store.syncs.sources() == (WIKI, replace(SITE, last=run, cursor="c1"), ELSEWHERE)
    assert store.syncs.source(WIKI.id) == WIKI
    store.syncs.drop_source(WIKI.id)
    assert store.syncs.source(WIKI.id) is None
    with pytest.raises(NotFoundError):
        store.syncs.drop_source(WIKI.id)


def test_what_is_due_comes_longest_due_first(store: Store) -> None:
    assert store.syncs.sources_due(NOON) == (ELSEWHERE, WIKI)
    assert store.syncs.sources_due(NOON - timedelta(seconds=1)) == (ELSEWHERE,)


def test_entries_are_kept_by_source_and_name_and_go_with_their_source(store: Store) -> None:
    store.syncs.put_entries([entry(WIKI, "b"), entry(WIKI, "a"), entry(SITE, "a")])
    store.syncs.put_entries([entry(WIKI, "a", "m2"), entry(WIKI, "n\0ul")])
    assert store.syncs.entries(WIKI.id) == (entry(WIKI, "a", "m2"), entry(WIKI, "b"), entry(WIKI, "n\ufffdul"))
    store.syncs.drop_entries(WIKI.id, ["b", "never there", "n\0ul"])
    assert store.syncs.entries(WIKI.id) == (entry(WIKI, "a", "m2"),)
    store.syncs.drop_source(WIKI.id)
    assert store.syncs.entries(WIKI.id) == ()
    assert store.syncs.entries(SITE.id) == (entry(SITE, "a"),)
    store.syncs.put_entries([])


def test_an_entry_needs_its_source(store: Store) -> None:
    with pytest.raises(StoreCorruptError):
        store.syncs.put_entries([SyncEntry("d" * 32, "a")])


def test_another_source_counts_in_the_same_collection_only(store: Store) -> None:
    store.syncs.put_entries([entry(WIKI, "a"), entry(WIKI, "b"), entry(SITE, "a"), entry(ELSEWHERE, "b")])
    assert store.syncs.also_in(WIKI.id, ["a", "b", "c"]) == {"a"}


def test_a_source_is_locked_for_one_at_a_time(opened: Open, org: str, store: Store) -> None:
    beside = opened(org)
    other = opened(f"{org}-other")
    with store.syncs.locked(WIKI.id) as first:
        assert first
        with beside.syncs.locked(WIKI.id) as second, beside.syncs.locked(SITE.id) as another:
            assert (second, another) == (False, True)
        with other.syncs.locked(WIKI.id) as theirs:
            assert theirs, "another organisation's source of the same id is another source"
    with beside.syncs.locked(WIKI.id) as after:
        assert after


def test_a_source_is_free_before_the_end_of_a_connection_is_noticed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    still_open: list[psycopg.Connection] = []

    def noticed_later(connection: psycopg.Connection) -> None:
        still_open.append(connection)

    with monkeypatch.context() as closing_late:
        closing_late.setattr(psycopg.Connection, "close", noticed_later)
        with store.syncs.locked(WIKI.id) as first:
            assert first
        with store.syncs.locked(WIKI.id) as second:
            assert second
    for connection in still_open:
        connection.close()


def test_sources_and_entries_are_exported_and_come_in_again(opened: Open, org: str, store: Store) -> None:
    store.syncs.put_entries([entry(WIKI, "a"), entry(SITE, "a")])
    lines = list(store.dump())
    copy = opened(f"{org}-copy")
    assert copy.load(lines) == len(lines)
    assert list(copy.dump()) == lines
    assert copy.syncs.sources() == tuple(replace(s, next_at=None, is_imported=True) for s in store.syncs.sources())
    assert copy.syncs.sources_due(NOON + timedelta(days=999)) == (), "no file has a worker read anything"
    assert copy.syncs.entries(SITE.id) == store.syncs.entries(SITE.id)
    oracle = MemoryStore("oracle")
    oracle.load(lines)
    assert list(oracle.dump()) == lines


def test_no_export_says_when_a_source_is_due(opened: Open, org: str, store: Store) -> None:
    """A line that somebody wrote by hand, in an export whose sums are right."""
    lines = list(store.dump())
    written = resealed(lines, b'"next_at":null', b'"next_at":"2026-03-01T12:00:00Z"')
    copy = opened(f"{org}-copy")
    assert copy.load(written) == len(lines)
    assert written[:-1] != lines[:-1]
    assert copy.syncs.sources_due(NOON + timedelta(days=999)) == ()


@pytest.mark.parametrize("stated", [b"", b',"is_imported":false'])
def test_sources_of_an_older_export_wait_too(opened: Open, org: str, store: Store, stated: bytes) -> None:
    """Before version 0.2 a source did not say where it came from, and its export when it was due."""
    lines = resealed(list(store.dump()), b'"next_at":null', b'"next_at":"2026-03-01T12:00:00Z"')
    older = resealed(lines, b',"is_imported":true', stated)
    assert older[:-1] != lines[:-1]
    copy = opened(f"{org}-copy")
    assert copy.load(older) == len(lines)
    assert {s.is_imported for s in copy.syncs.sources()} == {True}
    assert copy.syncs.sources_due(NOON + timedelta(days=999)) == ()
    assert list(copy.dump()) == list(store.dump())


def test_a_source_that_an_older_version_stored_is_read_as_one_that_was_added_here(store: Store) -> None:
    if not isinstance(store, PostgresStore):
        pytest.skip("a store in memory holds nothing of an older version")
    with store._database.writing() as cursor:
        Statements(cursor).run("enter_org")
        cursor.execute("update sync_source set record = (record::jsonb - 'is_imported')::json")
        assert cursor.rowcount == 3
    assert store.syncs.source(WIKI.id) == WIKI
    assert store.syncs.sources_due(NOON) == (ELSEWHERE, WIKI)


def test_no_organisation_sees_the_sources_of_another(opened: Open, org: str, store: Store) -> None:
    store.syncs.put_entries([entry(WIKI, "a")])
    other = opened(f"{org}-other")
    assert other.syncs.sources() == ()
    assert other.syncs.entries(WIKI.id) == ()
    with pytest.raises(NotFoundError):
        other.syncs.drop_source(WIKI.id)
