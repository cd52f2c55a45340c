"""What organisations hold in numbers: the same from every store, of all organisations, with no text of any."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from test_gates import definition, pending
from test_syncs import ELSEWHERE, SITE, WIKI

from open_pairs import AGAIN, OTHER, THIRTY
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.foundation.context import Source
from saidonce.foundation.model.syncs import SyncRun
from saidonce.foundation.ports import GateWrite, QueueFilter, Store
from saidonce.kb.ingest import ingest, remove
from talk_cases import due, message
from world import NOON, wired

Open = Callable[[str], Store]
LATER = NOON + timedelta(hours=2)
TEXTS = (("a.md", THIRTY.encode()), ("b.md", AGAIN.encode()), ("c.txt", OTHER.encode()))


def of(store: Store, org: str) -> dict[tuple[str, str], float]:
    figures = store.figures_by_org(LATER)
    assert [(f.org, f.name, f.part) for f in figures] == sorted((f.org, f.name, f.part) for f in figures)
    return {(f.name, f.part): f.n for f in figures if f.org == org}


def test_an_empty_organisation_has_no_figures(opened: Open, org: str) -> None:
    assert of(opened(org), org) == {}


def test_documents_blocks_counters_and_the_queue_are_counted(opened: Open, org: str) -> None:
    store = opened(org)
    base = wired(
        store,
        HashedEmbedder(256),
        collection_use="canonical",
        merge_investigate_from=0.5,
        merge_from=0.99,
        same_from=1.0,
    )
    ingest(base, [Source(name, bytes(content).__bytes__) for name, content in TEXTS], "main")
    counted = of(store, org)
    assert (counted["documents", "md"], counted["documents", "txt"]) == (2, 1)
    (counts,) = store.counts()
    assert (counted["segments", ""], counted["blocks", ""]) == (counts.n_segments, counts.n_blocks)
    assert counted["max_boost", ""] == counts.max_boost
    assert {name: n for (what, name), n in counted.items() if what == "counter"} == store.counters()
    assert sum(n for (what, _), n in counted.items() if what == "queue") == store.ledger.n_flags(QueueFilter()) == 1
    assert 0 <= counted["queue_oldest_s", ""] <= 7_200
    remove(base, "main", "c.txt")
    assert ("documents", "txt") not in of(store, org), "what is gone is not counted"


def test_sources_are_counted_by_how_their_last_run_ended(opened: Open, org: str) -> None:
    store = opened(org)
    run = SyncRun(NOON, NOON, n_listed=1)
    store.syncs.put_source(WIKI)
    store.syncs.put_source(replace(SITE, last=run))
    store.syncs.put_source(replace(ELSEWHERE, last=replace(run, error="it does not respond")))
    assert of(store, org) == {
        ("syncs", "new"): 1, ("syncs", "ok"): 1, ("syncs", "failed"): 1, ("syncs_late_s", ""): 7_260
    }  # fmt: skip
    store.syncs.put_source(replace(SITE, last=replace(run, n_refused=2)))
    assert of(store, org)["syncs", "refused"] == 1


def test_verdicts_and_conversations_are_counted_by_state(opened: Open, org: str) -> None:
    store = opened(org)
    store.gates.ensure(definition())
    store.gates.write(GateWrite(verdicts=(pending(1), pending(2))))
    store.conversations.receive(message(), due)
    assert of(store, org) == {("verdicts", "pending"): 2, ("conversations", "waiting"): 1}


def test_every_organisation_is_counted_for_itself(opened: Open, org: str) -> None:
    store, other = opened(org), opened(f"{org}-2")
    store.syncs.put_source(WIKI)
    assert (of(other, org), of(other, f"{org}-2")) == (of(store, org), {})
    assert of(store, org)
