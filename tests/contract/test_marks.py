"""Marks of the searchable set, on every store: a copy of it is trusted only as long as they add up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.foundation.ports import Marks, Store
from saidonce.kb.ingest import ingest
from saidonce.kb.ingest.removal import remove
from world import source, wired

Open = Callable[[str], Store]
BOOK = "# Keys\n\nThe key of the yard hangs in the office.\n\nVisitors sign the book at the desk."


def test_marks_are_those_of_the_changes_and_follow_every_change(opened: Open, org: str) -> None:
    context = wired(opened(org), HashedEmbedder(64))
    store, model = context.store, context.embedder.model

    def added_up() -> Marks:
        rows = [row for batch in store.changes(model, 0) for row in batch]
        assert all(row.mark == 0 for row in rows if row.gone)
        live = {row.block_id: row.mark for row in rows if not row.gone}
        return Marks(len(live), sum(live.values()) % 2**64)

    seen = [store.marks(model)]
    assert seen == [Marks(0, 0)] == [added_up()]
    for step in (
        lambda: ingest(context, [source("a.md", BOOK)], "main"),
        lambda: ingest(context, [replace(source("a.md", BOOK), tags=("site",))], "main"),
        lambda: ingest(context, [source("b.md", BOOK + "\n\nThe gate is shut at nine.")], "main"),
        lambda: remove(context, "main", "a.md"),
    ):
        step()
        assert store.marks(model) == added_up()
        assert store.marks(model) not in seen
        seen.append(store.marks(model))
    assert store.marks("another model") == Marks(0, 0)


def test_an_identity_stays(opened: Open, org: str) -> None:
    store = opened(org)
    before = store.identity()
    ingest(wired(store, HashedEmbedder(64)), [source("a.md", BOOK)], "main")
    assert before == store.identity() == opened(org).identity()
    assert len(before) > 8
