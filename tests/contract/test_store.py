"""The contract of stores, kept by every one of them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest
from store_cases import (
    MODEL,
    Draft,
    Piece,
    collection,
    document_id,
    folded,
    key_of,
    simple,
    vector_of,
    write_of,
)

from saidonce.errors import NotFoundError, StaleWriteError, StoreCorruptError, UsageError
from saidonce.foundation.model import Filters, GateDefinition, GateFields, Kind, Relation, SegmentFate, WriteState
from saidonce.foundation.ports import BlockText, QueueFilter, Store
from saidonce.foundation.text import terms
from saidonce.testing import MemoryStore
from talk_cases import due, message
from world import NOON

Open = Callable[[str], Store]


@pytest.fixture
def store(opened: Open, org: str) -> Store:
    made = opened(org)
    made.ensure_collection(collection())
    return made


RICH = Draft(
    "handbook",
    (
        Piece("Backups are kept for 30 days.", heading=("Backups", "Retention")),
        Piece("Backups are kept for thirty days.", "near", ("Backups", "Retention")),
        Piece("Backups are kept for 30 days.", "exact", ("Backups", "Again")),
        Piece("© 2026", "aside"),
        Piece("a | b", "kept", ("Tables",), kind=Kind.TABLE),
    ),
    title="The Handbook",
    authored_at=NOON,
    counts={"documents": 1.0},
)


def test_an_organisation_begins_empty(opened: Open, org: str) -> None:
    store = opened(org)
    assert store.org == org
    assert store.rev() == 0
    assert store.collections() == ()
    assert store.counts() == ()
    assert store.counters() == {}
    assert store.document("main", "a") is None
    assert list(store.documents("main")) == []
    assert store.same_source("main", "x") == ()
    assert store.known_vectors(["x"]) == {}
    assert list(store.changes(MODEL, 0)) == []
    assert store.scan(MODEL, vector_of("q"), 5, Filters()) == []
    assert store.lexical(["a"], Filters(), 10).rows == ()
    assert store.headings("a", Filters(), 5) == []
    assert store.correct(["a"], ()) == {}
    assert store.blocks(["0" * 32]) == {}
    assert store.block_texts(["0" * 32]) == {}
    assert store.find_ids("") == ()
    assert store.history("0" * 32) == ()
    assert store.versions("0" * 32) == ()
    assert len(list(store.dump())) == 2
    assert store.rev() == 0


@pytest.mark.parametrize("name", ["", "x" * 1001])
def test_an_organisation_needs_a_name(opened: Open, name: str) -> None:
    with pytest.raises(UsageError):
        opened(name)


def test_collections_are_created_once(store: Store) -> None:
    assert store.rev() == 1
    assert store.ensure_collection(collection(model="other")) == collection()
    assert store.rev() == 1
    store.ensure_collection(collection("annexe"))
    assert [c.name for c in store.collections()] == ["annexe", "main"]
    assert store.rev() == 2


def test_a_new_document(store: Store) -> None:
    write = write_of(RICH)
    receipt = store.put_document(write)
    assert (receipt.state, receipt.version, receipt.rev) == (WriteState.NEW, 1, 2)
    assert (receipt.n_added, receipt.n_removed, receipt.n_unchanged) == (5, 0, 0)
    found = store.document("main", "handbook")
    assert found is not None
    assert (found.id, found.title, found.version, found.names) == (write.document_id, "The Handbook", 1, ("handbook",))
    assert (found.n_segments, found.n_blocks, found.authored_at) == (5, 2, NOON)
    assert found.ingested_at > NOON
    assert found.ingested_at.tzinfo is not None
    assert list(store.documents("main")) == [found]
    assert store.same_source("main", write.fingerprint) == (found,)
    assert store.counters() == {"documents": 1.0}
    (counted,) = store.counts()
    assert (counted.n_documents, counted.n_segments, counted.n_blocks) == (1, 5, 2)
    assert (counted.n_exact, counted.n_near, counted.n_set_aside) == (1, 1, 1)


def test_a_document_keeps_what_its_parser_could_not_carry_over(store: Store) -> None:
    write = write_of(RICH)
    lacking = replace(
        write.document, warnings=("pages without text, perhaps scanned: 2", "picture 'a.png' was not read")
    )
    store.put_document(replace(write, document=lacking))
    (stored,) = store.documents("main")
    assert stored.warnings == lacking.warnings
    store.put_document(replace(write, fingerprint="b" * 64))
    (stored,) = store.documents("main")
    assert stored.warnings == write.document.warnings != lacking.warnings


def test_blocks_carry_their_attributions(store: Store) -> None:
    write = write_of(RICH)
    store.put_document(write)
    kept, table = (draft.segment_id for draft in write.blocks)
    found = store.blocks([kept, table, "0" * 32])
    assert set(found) == {kept, table}
    block = found[kept]
    assert (block.text, block.title, block.document) == ("Backups are kept for 30 days.", "The Handbook", "handbook")
    assert (block.heading_path, block.salience, block.boost) == (("Backups", "Retention"), 0.5, 0.25)
    assert [(a.relation, a.ordinal) for a in block.attributions] == [
        (Relation.KEPT, 0), (Relation.NEAR, 1), (Relation.EXACT, 2),
    ]  # fmt: skip
    assert block.attributions[1].similarity == 0.9375
    assert block.attributions[1].text == "Backups are kept for thirty days."
    assert found[table].rows == (("a", "a | b"), ("b", "c | d"))
    assert found[table].kind is Kind.TABLE


def test_words_of_blocks_are_those_of_the_blocks(store: Store) -> None:
    write = write_of(RICH)
    store.put_document(write)
    ids = [draft.segment_id for draft in write.blocks]
    blocks, found = store.blocks(ids), store.block_texts([*ids, "0" * 32])
    assert found == {
        id_: BlockText(id_, block.title, block.heading_path, block.text, block.language)
        for id_, block in blocks.items()
    }
    assert len(found) == len(ids)


def test_the_same_again_is_unchanged(store: Store) -> None:
    store.put_document(write_of(RICH))
    before = list(store.dump())
    receipt = store.put_document(write_of(RICH))
    assert (receipt.state, receipt.version, receipt.rev, receipt.n_unchanged) == (WriteState.UNCHANGED, 1, 2, 5)
    assert list(store.dump()) == before


def test_a_changed_document_touches_only_what_changed(store: Store) -> None:
    first = simple("a", "one stays here", "two goes away")
    store.put_document(first)
    store.put_document(simple("b", "another document"))
    receipt = store.put_document(simple("a", "one stays here", "three comes in"))
    assert (receipt.state, receipt.version) == (WriteState.CHANGED, 2)
    assert (receipt.n_added, receipt.n_removed, receipt.n_unchanged) == (1, 1, 1)
    rows = [row for batch in store.changes(MODEL, 3) for row in batch]
    assert [row.gone for row in sorted(rows, key=lambda r: r.gone)] == [False, True]
    gone = next(row for row in rows if row.gone)
    assert gone.block_id == first.blocks[1].segment_id
    assert (gone.collection, gone.text, gone.context, gone.text_key) == ("", None, None, "")
    assert folded(store)[first.blocks[0].segment_id][0] == 2
    assert gone.block_id in store.find_ids("")


def test_what_left_may_come_back(store: Store) -> None:
    store.put_document(simple("a", "one", "two"))
    store.put_document(simple("a", "one"))
    store.put_document(simple("a", "one", "two", "three"))
    assert len(folded(store)) == 3
    assert not [row for batch in store.changes(MODEL, 0) for row in batch if row.gone]


def test_other_settings_make_a_new_version(store: Store) -> None:
    store.put_document(simple("a", "one"))
    receipt = store.put_document(simple("a", "one", settings="s2"))
    assert (receipt.state, receipt.version, receipt.n_unchanged) == (WriteState.CHANGED, 2, 1)
    assert next(iter(folded(store).values()))[0] == 2


def test_a_block_changes_with_what_is_searched(store: Store) -> None:
    store.put_document(write_of(Draft("a", (Piece("one"), Piece("two")))))
    store.put_document(write_of(Draft("a", (Piece("one", salience=0.75), Piece("two")))))
    assert sorted(row[0] for row in folded(store).values()) == [2, 3]


def test_history_tells_every_version(store: Store) -> None:
    first = write_of(RICH)
    store.put_document(first)
    pieces = (RICH.pieces[1], *RICH.pieces[2:])
    store.put_document(write_of(replace(RICH, pieces=pieces)))
    dropped = first.segments[0].id
    (only,) = store.history(dropped)
    assert (only.live, only.document.version, only.fate.relation) == (False, 1, Relation.KEPT)
    was, now = store.history(first.segments[1].id)
    assert (was.fate.relation, now.fate.relation) == (Relation.NEAR, Relation.KEPT)
    assert (was.live, now.live) == (False, True)
    assert was.fate == first.fates[1]
    assert was.segment == first.segments[1]
    assert now.segment.ordinal == 0


def test_versions_are_told_newest_first(store: Store) -> None:
    first = write_of(RICH)
    store.put_document(first)
    store.put_document(write_of(replace(RICH, pieces=RICH.pieces[1:])))
    now, was = store.versions(first.document_id)
    assert (now.version, was.version) == (2, 1)
    assert now == store.document("main", "handbook")
    assert (was.n_segments, was.fingerprint, was.names) == (5, first.fingerprint, now.names)


def test_removal_takes_everything_along(store: Store) -> None:
    write = write_of(RICH)
    store.put_document(write)
    receipt = store.remove_document("main", "handbook")
    assert (receipt.state, receipt.n_removed, receipt.rev) == (WriteState.CHANGED, 5, 3)
    assert store.document("main", "handbook") is None
    assert store.history(write.segments[0].id) == ()
    assert store.known_vectors(list(write.embeddings)) == {}
    assert folded(store) == {}
    assert store.lexical(["backup"], Filters(), 10).n_blocks == 0
    assert set(store.find_ids("")) == {block.segment_id for block in write.blocks}
    with pytest.raises(NotFoundError):
        store.remove_document("main", "handbook")
    assert store.rev() == 3
    assert store.put_document(write).version == 1


def test_shared_embeddings_stay_until_the_last_document_goes(store: Store) -> None:
    store.put_document(simple("a", "shared sentence", title="same"))
    store.put_document(simple("b", "shared sentence", "and more", title="same"))
    store.remove_document("main", "a")
    known = store.known_vectors([key_of("shared sentence"), key_of("same"), key_of("shared sentence"), "?"])
    assert set(known) == {key_of("shared sentence"), key_of("same")}
    assert known[key_of("same")].tobytes() == vector_of(key_of("same")).tobytes()
    assert known[key_of("same")].dtype == np.float32
    store.remove_document("main", "b")
    assert store.known_vectors([key_of("shared sentence")]) == {}


def test_stored_embeddings_need_not_be_given_again(store: Store) -> None:
    store.put_document(simple("a", "one"))
    receipt = store.put_document(replace(simple("b", "one", title="a"), embeddings={}))
    assert receipt.state is WriteState.NEW
    assert len(folded(store)) == 2


def test_a_missing_embedding_writes_nothing(store: Store) -> None:
    before = list(store.dump())
    with pytest.raises(StoreCorruptError):
        store.put_document(replace(simple("a", "one"), embeddings={}))
    wrong = {key: row[:3] for key, row in simple("a", "one").embeddings.items()}
    with pytest.raises(StoreCorruptError):
        store.put_document(replace(simple("a", "one"), embeddings=wrong))
    assert list(store.dump()) == before


def test_writes_that_contradict_themselves_are_refused(store: Store) -> None:
    write = write_of(RICH)
    before = list(store.dump())
    bad = [
        replace(write, fates=write.fates[1:]),
        replace(write, fates=(*write.fates, write.fates[0])),
        replace(write, blocks=write.blocks[1:]),
        replace(write, segments=(*write.segments, write.segments[0])),
        replace(write, fates=(write.fates[0], replace(write.fates[1], of="0" * 32), *write.fates[2:])),
        replace(
            write, fates=(*write.fates[:3], SegmentFate(write.segments[3].id, None, "", float("nan")), write.fates[4])
        ),
        replace(write, name=""),
        replace(write, document=replace(write.document, authored_at=datetime(2026, 1, 1))),
    ]
    for one in bad:
        with pytest.raises(UsageError):
            store.put_document(one)
    with pytest.raises(NotFoundError):
        store.put_document(replace(write, collection="elsewhere"))
    assert list(store.dump()) == before


def test_a_document_may_have_several_names(store: Store) -> None:
    write = simple("b.md", "one")
    store.put_document(write)
    rev = store.rev()
    store.add_name("main", write.document_id, "c.md")
    store.add_name("main", write.document_id, "a.md")
    store.add_name("main", write.document_id, "a.md")
    assert store.rev() == rev + 2
    found = store.document("main", "c.md")
    assert found is not None
    assert (found.name, found.names) == ("b.md", ("b.md", "a.md", "c.md"))
    assert list(store.documents("main")) == [found]
    receipt = store.remove_document("main", "b.md")
    assert receipt.n_removed == 0
    found = store.document("main", "c.md")
    assert found is not None
    assert found.names == ("a.md", "c.md")
    assert [row[2] for row in folded(store, since=rev + 2).values()] == [("a.md",)]
    assert store.remove_document("main", "c.md").n_removed == 0
    assert store.remove_document("main", "a.md").n_removed == 1


def test_names_belong_to_one_document(store: Store) -> None:
    first, second = simple("a", "one"), simple("b", "two")
    store.put_document(first)
    store.put_document(second)
    with pytest.raises(StaleWriteError):
        store.add_name("main", first.document_id, "b")
    with pytest.raises(NotFoundError):
        store.add_name("main", "0" * 32, "c")
    with pytest.raises(NotFoundError):
        store.add_name("elsewhere", first.document_id, "c")


def test_a_stale_write_is_told(store: Store) -> None:
    first = simple("a", "one")
    store.put_document(first)
    before = list(store.dump())
    stale = [
        simple("a", "other", document_id="1" * 32),
        replace(simple("b", "one"), fingerprint=first.fingerprint),
        replace(simple("b", "one"), document_id=first.document_id, fingerprint=first.fingerprint),
    ]
    for write in stale:
        with pytest.raises(StaleWriteError):
            store.put_document(write)
    assert list(store.dump()) == before
    store.add_name("main", first.document_id, "b")
    with pytest.raises(StaleWriteError):
        store.put_document(simple("a", "changed"))
    receipt = store.put_document(simple("a", "one", settings="s2"))
    assert receipt.state is WriteState.CHANGED
    assert store.document("main", "b") == store.document("main", "a")
    store.put_document(simple("z", "zed"))
    with pytest.raises(StaleWriteError):
        store.put_document(replace(simple("z", "zed again"), fingerprint=first.fingerprint))


def test_a_segment_belongs_to_one_document(store: Store) -> None:
    store.put_document(simple("a", "one"))
    thief = simple("b", "one too")
    stolen = simple("a", "one").segments[0].id
    own = thief.segments[0].id
    thief = replace(
        thief,
        segments=(replace(thief.segments[0], id=stolen),),
        fates=(SegmentFate(stolen, Relation.KEPT, stolen, 1.0),),
        blocks=(replace(thief.blocks[0], segment_id=stolen),),
    )
    assert own != stolen
    with pytest.raises(StoreCorruptError):
        store.put_document(thief)
    assert store.document("main", "b") is None


def test_scan_is_exact_and_filtered(store: Store) -> None:
    store.ensure_collection(collection("annexe"))
    store.put_document(write_of(RICH))
    store.put_document(simple("x", *(f"text number {n}" for n in range(20)), language="de"))
    store.put_document(simple("y", "text number 3", collection="annexe"))
    query = vector_of("a query")
    found = store.scan(MODEL, query, 100, Filters())
    live = folded(store)
    expected = {key: float(np.frombuffer(row[8], np.float32) @ query) for key, row in live.items()}
    assert len(found) == 23
    assert dict(found) == pytest.approx(expected, abs=1e-6)
    assert found == sorted(found, key=lambda pair: (-pair[1], pair[0]))
    assert store.scan(MODEL, query, 4, Filters()) == found[:4]
    assert store.scan("model-b", query, 4, Filters()) == []
    twins = [key for key, row in live.items() if row[7] == key_of("text number 3")]
    near = store.scan(MODEL, vector_of(key_of("text number 3")), 2, Filters())
    assert [key for key, _ in near] == sorted(twins)
    for filters, n in FILTERS:
        assert len(store.scan(MODEL, query, 100, filters)) == n


FILTERS = [
    (Filters(collections=("annexe",)), 1),
    (Filters(collections=("annexe", "main")), 23),
    (Filters(documents=("x", "y")), 21),
    (Filters(kinds=(Kind.TABLE,)), 1),
    (Filters(languages=("de",)), 20),
    (Filters(since=NOON), 2),
    (Filters(until=NOON), 2),
    (Filters(since=NOON + timedelta(seconds=1)), 0),
    (Filters(since=NOON - timedelta(days=1), until=NOON + timedelta(days=1), kinds=(Kind.PARAGRAPH,)), 1),
    (Filters(collections=("nowhere",)), 0),
]


def test_lexical_gives_counts_of_the_searched_collections(store: Store) -> None:
    store.ensure_collection(collection("annexe"))
    store.put_document(simple("x", "apple apple pear", "apple plum", "plum cherry fig", title="t"))
    store.put_document(simple("y", "apple", collection="annexe", title="t"))
    apple, plum, zebra = terms("apple"), terms("plum"), terms("zebra")
    asked = [*apple, *plum, *zebra, *apple]
    pool = store.lexical(asked, Filters(collections=("main",)), 100)
    assert (pool.n_blocks, pool.mean_terms) == (3, 11 / 3)
    assert pool.n_containing == (2, 2, 0, 2)
    assert {row.counts for row in pool.rows} == {(2, 0, 0, 2), (1, 1, 0, 1), (0, 1, 0, 0)}
    assert [row.block_id for row in pool.rows] == sorted(row.block_id for row in pool.rows)
    assert store.lexical([*apple], Filters(), 100).n_containing == (3,)
    assert store.lexical([], Filters(), 100).rows == ()
    rare = store.lexical([*apple, *plum], Filters(collections=("main",)), 1)
    assert {row.counts for row in rare.rows} == {(2, 0), (1, 1)}


def test_lexical_keeps_to_the_cap_but_for_blocks_with_all_terms(store: Store) -> None:
    common = [f"common word number {n}" for n in range(12)]
    store.put_document(simple("x", *common, "common rare", "rare alone", title="t"))
    asked = [*terms("common"), *terms("rare")]
    pool = store.lexical(asked, Filters(), 5)
    assert pool.n_containing == (13, 2)
    assert {row.counts for row in pool.rows} == {(1, 1), (0, 1)}
    assert len(store.lexical(asked, Filters(), 15).rows) == 14
    assert len(store.lexical(asked, Filters(), 14).rows) == 2
    assert len(store.lexical([*terms("common")], Filters(), 5).rows) == 13
    unknown = store.lexical([*terms("common"), "zzz"], Filters(), 5)
    assert len(unknown.rows) == 13
    for filters, _ in FILTERS:
        assert len(store.lexical(asked, filters, 5).rows) <= 2


def test_headings_are_found_in_spite_of_typing_errors(store: Store) -> None:
    store.put_document(write_of(RICH))
    store.put_document(simple("x", "something", title="Délais de conservation"))
    store.put_document(simple("y", "нечто", title="Резервное копирование"))
    first = store.headings("backup retentoin", Filters(), 5)
    assert len(first) == 1
    assert 0.3 <= first[0][1] < 1.0
    assert store.headings("delais de conservation", Filters(), 5)[0][1] == 1.0
    assert len(store.headings("резервное копирования", Filters(), 5)) == 1
    assert store.headings("tables", Filters(kinds=(Kind.PARAGRAPH,)), 5) == []
    assert store.headings("!!", Filters(), 5) == []


def test_corrections(store: Store) -> None:
    store.put_document(simple("x", "retention of backups", "retention again", "retentive memory", title="t"))
    retention, retent = next(iter(terms("retention"))), "retenton"
    assert store.correct([retent, retention, "qqqq"], ()) == {retent: retention}
    assert store.correct([retent], ("main",)) == {retent: retention}
    assert store.correct([retent], ("elsewhere",)) == {}
    assert store.correct([], ()) == {}


def test_find_ids(store: Store) -> None:
    write = simple("x", *(f"text {n}" for n in range(40)))
    store.put_document(write)
    ids = sorted(s.id for s in write.segments)
    assert store.find_ids("") == tuple(ids[:20])
    assert store.find_ids(ids[7]) == (ids[7],)
    assert store.find_ids(ids[7][:6]) == (ids[7],)
    assert store.find_ids("%") == store.find_ids("_") == store.find_ids("zz") == ()


def test_counters_add_up(store: Store) -> None:
    store.add_counters({"b": 1, "a": 0.5})
    store.add_counters({"a": 0.25})
    store.add_counters({})
    assert store.counters() == {"a": 0.75, "b": 1.0}
    assert store.rev() == 3


def test_segments_of_a_collection(store: Store) -> None:
    write = write_of(RICH)
    store.put_document(write)
    found = [row for batch in store.segments("main") for row in batch]
    by_id = {s.id: s for s in write.segments}
    assert found == [
        (by_id[b.segment_id], b.text_key, b.context_key) for b in sorted(write.blocks, key=lambda b: b.segment_id)
    ]
    assert list(store.segments("elsewhere")) == []


def test_reembed_moves_a_collection_to_another_model(store: Store) -> None:
    write = write_of(RICH)
    store.put_document(write)
    store.ensure_collection(collection("annexe"))
    store.put_document(simple("y", "stays", collection="annexe", title="stays"))
    wanted = collection(model="model-b", dim=4)
    keys = {b.segment_id: (key_of(b.text_key, "model-b"), key_of("c", "model-b")) for b in write.blocks}
    vectors = {key: vector_of(key, 4) for pair in keys.values() for key in pair}
    before = list(store.dump())
    with pytest.raises(StoreCorruptError):
        store.reembed(wanted, {}, vectors)
    with pytest.raises(StoreCorruptError):
        store.reembed(wanted, keys, {})
    with pytest.raises(NotFoundError):
        store.reembed(collection("elsewhere", "model-b", 4), keys, vectors)
    assert list(store.dump()) == before
    rev = store.rev()
    store.reembed(wanted, keys, {**vectors, "unasked": vector_of("unasked", 4)})
    assert store.rev() == rev + 1
    assert wanted in store.collections()
    assert set(folded(store, "model-b")) == set(keys)
    assert len(folded(store)) == 1
    assert {row.block_id for batch in store.changes(MODEL, rev) for row in batch if row.gone} == set(keys)
    assert store.known_vectors([*write.embeddings, "unasked"]) == {}
    assert len(store.scan("model-b", vector_of("q", 4), 9, Filters())) == 2
    store.reembed(collection(), {b.segment_id: (b.text_key, b.context_key) for b in write.blocks}, write.embeddings)
    assert len(folded(store)) == 3
    assert folded(store, "model-b") == {}


def test_an_export_can_be_imported(opened: Open, store: Store, org: str) -> None:
    store.put_document(write_of(RICH))
    store.put_document(simple("x", "eins", 'zwei – ‚drei‘ \\ " {}', language="de"))
    store.put_document(simple("x", "eins", "vier\n\tund so", language="de"))
    store.put_document(simple("gone", "gone"))
    store.remove_document("main", "gone")
    store.add_name("main", document_id("x"), "another name")
    lines = list(store.dump())
    other = opened(f"{org}-other")
    assert other.load(iter(lines)) == len(lines)
    assert list(other.dump()) == lines
    assert other.rev() == store.rev()
    assert folded(other) == folded(store)
    assert other.counts() == store.counts()
    assert other.lexical(["backup"], Filters(), 10) == store.lexical(["backup"], Filters(), 10)
    other.put_document(simple("new", "new"))
    with pytest.raises(UsageError):
        other.load(lines)


def damaged(lines: list[bytes]) -> Iterator[tuple[str, list[bytes]]]:
    yield "no lines", []
    yield "no header", lines[1:]
    yield "no footer", lines[:-1]
    yield "a line missing", [*lines[:4], *lines[5:]]
    yield "a line twice", [*lines[:4], lines[3], *lines[4:]]
    yield "lines exchanged", [*lines[:3], lines[4], lines[3], *lines[5:]]
    yield "a byte changed", [*lines[:3], lines[3].replace(b"main", b"mein"), *lines[4:]]
    yield "not JSON", [*lines[:3], b"hello\n", *lines[4:]]
    yield "more after the end", [*lines, lines[1]]
    yield "a cut line", [*lines[:3], lines[3][:-9]]
    yield "another format", [re.sub(rb'"format":\d+', b'"format":1', lines[0]), *lines[1:]]


def test_a_damaged_export_changes_nothing(opened: Open, store: Store, org: str) -> None:
    store.put_document(write_of(RICH))
    lines = list(store.dump())
    for what, bad in damaged(lines):
        other = opened(f"{org}-other")
        told = "no export of saidonce" if what in ("no lines", "no header") else r"line \d+"
        with pytest.raises(StoreCorruptError, match=told):
            other.load(bad)
        assert other.rev() == 0, what
        assert other.collections() == (), what
    assert other.load(lines) == len(lines)


def test_the_damaged_line_is_named(opened: Open, store: Store, org: str) -> None:
    store.put_document(write_of(RICH))
    lines = list(store.dump())
    broken = json.loads(lines[6])
    for place in (1, 6, len(lines) - 1):
        bad = [*lines[:place], lines[place].replace(b'"', b"'", 1), *lines[place + 1 :]]
        with pytest.raises(StoreCorruptError, match=f"line {place + 1} "):
            opened(f"{org}-other").load(bad)
    assert broken["crc"]


@pytest.mark.parametrize("content", [b"", b"\n", b"a,b\n1,2\n", b'{"text": "Count the shirts."}\n', b"\x89PNG\r\n"])
def test_a_file_that_is_no_export_is_named_as_such(opened: Open, org: str, content: bytes) -> None:
    with pytest.raises(StoreCorruptError, match="no export of saidonce"):
        opened(f"{org}-copy").load([content])


def test_organisations_do_not_see_each_other(opened: Open, store: Store, org: str) -> None:
    write = write_of(RICH)
    store.put_document(write)
    other = opened(f"{org}2")
    before = list(store.dump())
    assert other.document("main", "handbook") is None
    assert other.known_vectors(list(write.embeddings)) == {}
    assert other.blocks([b.segment_id for b in write.blocks]) == {}
    assert other.find_ids("") == ()
    assert other.history(write.segments[0].id) == ()
    assert other.versions(write.document_id) == ()
    other.ensure_collection(collection())
    assert other.put_document(write).state is WriteState.NEW
    assert other.lexical(["backup"], Filters(), 10).n_blocks == 2
    other.remove_document("main", "handbook")
    assert other.headings("backups", Filters(), 5) == []
    assert other.correct(["bakup"], ()) == {}
    assert list(store.dump()) == before


def test_hostile_text_is_kept_as_far_as_it_can_be(store: Store) -> None:
    nasty = "nul \x00 lone \ud800 quote ' \" back\\slash {brace} %s $1 \u202e \U0001f600 e\u0301 -- ; drop table"
    draft = Draft(f"na/me{nasty}", (Piece(nasty, heading=(nasty, "\\")),), title=nasty)
    write = write_of(draft)
    store.put_document(write)
    kept = nasty.replace("\x00", "\ufffd").replace("\ud800", "\ufffd")
    found = store.document("main", f"na/me{nasty}")
    assert found is not None
    assert found.title == kept
    block = store.blocks([write.blocks[0].segment_id])[write.blocks[0].segment_id]
    assert (block.text, block.heading_path) == (kept, (kept, "\\"))
    assert store.put_document(write).state is WriteState.UNCHANGED
    store.headings(nasty, Filters(documents=(nasty,)), 5)
    store.lexical([nasty], Filters(collections=(nasty,)), 5)
    store.correct([nasty], (nasty,))
    assert store.find_ids(nasty) == ()
    assert list(store.dump()) == list(store.dump())


def test_iterators_show_one_moment(store: Store) -> None:
    store.put_document(simple("a", "one"))
    store.put_document(simple("b", "two"))
    documents = store.documents("main")
    first = next(documents)
    store.remove_document("main", "b")
    assert [first.name, *(d.name for d in documents)] == ["a", "b"]


def test_many_rows(store: Store) -> None:
    n = 2_300
    write = simple("big", *(f"text {i}" for i in range(n)), title="t")
    store.put_document(write)
    assert len(folded(store)) == n
    assert len(store.blocks([b.segment_id for b in write.blocks])) == n
    assert len(store.known_vectors(list(write.embeddings))) == n + 1
    assert sum(len(batch) for batch in store.segments("main")) == n
    assert store.lexical(["text"], Filters(), 10).n_containing == (n,)


def test_every_method_is_in_the_port(store: Store) -> None:
    def public(thing: Any) -> set[str]:
        return {name for name in dir(thing) if not name.startswith("_")}

    assert public(type(store)) == public(Store)


def test_another_organisations_store_shares_the_connections_and_nothing_else(opened: Open, org: str) -> None:
    home = opened(org)
    home.ensure_collection(collection())
    home.put_document(simple("a", "one"))
    other = home.of_org(f"{org}-other")
    assert (other.org, other.rev(), other.collections(), other.people.people()) == (f"{org}-other", 0, (), ())
    other.ensure_collection(collection())
    other.put_document(simple("b", "two"))
    assert [[d.name for d in s.documents("main")] for s in (home, other)] == [["a"], ["b"]]
    for each in (home, other):
        each.gates.ensure(GateDefinition(f"of {each.org}", GateFields(), "m", 2, NOON))
        each.conversations.receive(message(text=each.org), due)
        each.media.put(each.org.encode(), "text/plain")
    for each in (home, other):
        assert [gate.name for gate in each.gates.gates()] == [f"of {each.org}"]
        (held,) = each.conversations.conversations()
        assert [i.text for i in each.conversations.inbounds(held.id)] == [each.org]
        assert each.conversations.org == each.org
        assert each.media.get(hashlib.sha256(home.org.encode()).hexdigest() if each is other else "") is None
    with home.ledger.exclusive(), other.ledger.exclusive():
        home.add_counters({"n": 1.0})
        other.add_counters({"n": 2.0})
    assert (home.counters()["n"], other.counters()["n"]) == (1.0, 2.0)
    other.close()
    assert home.rev() > 0
    assert opened(f"{org}-other").counters()["n"] == 2.0
    with pytest.raises(UsageError):
        home.of_org("")


def test_what_the_database_cannot_hold_is_told(store: Store) -> None:
    if isinstance(store, MemoryStore):
        pytest.skip("a dictionary holds every number and text")
    for ask in (
        lambda: store.ledger.decision(10**30),
        lambda: store.ledger.n_flags(QueueFilter(assignee="a\0b")),
        lambda: store.ledger.n_flags(QueueFilter(assignee="\ud800")),
    ):
        with pytest.raises(UsageError, match="cannot be stored in the database"):
            ask()
    assert store.ledger.flag(2**63) is None
