"""Tags of documents and of the blocks that they support, on every store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.errors import UsageError
from saidonce.foundation.context import Context
from saidonce.foundation.model import Block, Filters
from saidonce.foundation.ports import Store
from saidonce.foundation.text import terms
from saidonce.kb import review
from saidonce.kb.ingest import State, ingest
from saidonce.kb.ingest.removal import remove
from saidonce.kb.search import SearchIndex, search
from world import source, wired

Open = Callable[[str], Store]
BACKUPS = "Backups of the finance servers are kept for thirty days."
DOORS = "Doors of the warehouse are locked at nine every evening."


def context_of(store: Store, use: str = "evidence") -> Context:
    return wired(store, HashedEmbedder(64), collection_use=use)


def put(context: Context, name: str, text: str, *tags: str) -> State:
    report = ingest(context, [replace(source(name, text), tags=tags)], "main")
    return report.documents[0].state


def blocks(context: Context) -> dict[str, Block]:
    ids = [row.block_id for batch in context.store.changes(context.embedder.model, 0) for row in batch if not row.gone]
    return {block.text: block for block in context.store.blocks(ids).values()}


@pytest.mark.parametrize("use", ["evidence", "canonical"])
def test_a_block_has_the_tags_of_its_document_and_is_found_by_them(opened: Open, org: str, use: str) -> None:
    context = context_of(opened(org), use)
    put(context, "a.md", BACKUPS, "it", "finance")
    put(context, "b.md", DOORS, "site")
    put(context, "c.md", "Visitors sign the book at the desk.")
    assert {b.tags for b in blocks(context).values()} == {("finance", "it"), ("site",), ()}
    store, index = context.store, SearchIndex(context.embedder.model, context.embedder.dim)
    (doors,) = (b for b in blocks(context).values() if b.tags == ("site",))
    for tags, wanted in ((("site",), {DOORS}), (("it", "site"), {BACKUPS, DOORS}), (("none",), set())):
        filters = Filters(tags=tags)
        hits = search(context, index, "backups doors kept locked", filters, 20).hits
        assert {hit.block.text for hit in hits} == wanted
        pool = store.lexical(list(terms(f"{BACKUPS} {DOORS}", "en")), filters, 1000)
        scanned = store.scan(context.embedder.model, context.embedder.embed([DOORS])[0], 10, filters)
        assert len(pool.rows) == len(scanned) == len(wanted)
        assert (doors.id in [id_ for id_, _ in scanned]) is ("site" in tags)


def test_an_ingest_without_tags_leaves_them_and_one_with_tags_replaces_them(opened: Open, org: str) -> None:
    context = context_of(opened(org))
    assert put(context, "a.md", BACKUPS, "it") is State.NEW
    assert put(context, "a.md", BACKUPS) is State.UNCHANGED
    assert put(context, "a.md", BACKUPS, " it ", "it") is State.UNCHANGED
    assert put(context, "a.md", BACKUPS, "law") is State.CHANGED
    (block,) = blocks(context).values()
    assert block.tags == ("law",)
    put(context, "a.md", f"{BACKUPS} {DOORS}")
    (block,) = blocks(context).values()
    assert block.tags == ("law",)
    stored = context.store.document("main", "a.md")
    assert stored is not None
    assert (stored.version, stored.tags) == (3, ("law",))
    assert [h.document.tags for h in context.store.history(block.id)] == [("law",)]


def test_a_merged_block_has_the_tags_of_all_its_documents(opened: Open, org: str) -> None:
    context = context_of(opened(org), "canonical")
    put(context, "a.md", BACKUPS, "it")
    put(context, "b.md", DOORS, "site", "it")
    put(context, "c.md", "Doors of the warehouse are shut at night.", "safety")
    a, c = (next(b.id for b in blocks(context).values() if b.documents == (name,)) for name in ("b.md", "c.md"))
    review.merge(context, review.By("ann"), a, c)
    merged = next(b for b in blocks(context).values() if len(b.members) == 2)
    assert merged.tags == ("it", "safety", "site")
    remove(context, "main", "c.md")
    assert {b.tags for b in blocks(context).values()} == {("it",), ("it", "site")}
    assert review.rebuild(context).is_sound


def test_an_export_brings_tags_along(opened: Open, org: str) -> None:
    context = context_of(opened(org), "canonical")
    put(context, "a.md", BACKUPS, "it", "r\u00e9gion")
    copy = opened(f"{org}-copy")
    copy.load(context.store.dump())
    assert list(copy.dump()) == list(context.store.dump())
    assert [b.tags for b in blocks(context_of(copy, "canonical")).values()] == [("it", "r\u00e9gion")]


@pytest.mark.parametrize("tags", [("",), (" ",), ("x" * 51,), tuple(map(str, range(21)))])
def test_tags_are_few_and_short(tags: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match="up to 20 tags of 1 to 50 characters"):
        replace(source("a.md", "x"), tags=tags)
