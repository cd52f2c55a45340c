"""SIGKILL during operations that must be atomic.

A merge, an export, an import, a migration, a backup, a restoration, a first start.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from benchmarks.chaos_base import blocks_of, forked, name_of, opened, source, text_of, words
from benchmarks.chaos_copies import copies
from benchmarks.operation import WHOLE, Operation, tried
from benchmarks.proof import Proof
from saidonce.adapters.postgres import migrate as migrating
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.adapters.postgres.postgres import PostgresStore
from saidonce.foundation.context import Context
from saidonce.foundation.model import Block, Collection, Decision, Verb
from saidonce.kb import review
from saidonce.kb.ingest import ingest
from saidonce.kb.review import By, rebuild

OLD_SCHEMA = 5
"""Number of the migration up to which an old base had come."""


def inside(folder: Path, tries: int) -> list[Proof]:
    """Kill each operation in its middle, a number of times."""
    with _base(folder / "base") as (base, server):
        operations = [merges(base), exports(base), imports(base), migrations(server), *copies(base, server)]
        proofs = [tried(operation, tries) for operation in operations]
    return [*proofs, *(tried(first_starts(folder, is_group), max(1, tries // 2)) for is_group in (False, True))]


@contextmanager
def _base(folder: Path) -> Iterator[tuple[Path, EmbeddedServer]]:
    """Yield a base with content, whose server keeps running."""
    server = EmbeddedServer(folder)
    base = opened(folder, "full")
    ingest(base, [source(name_of(n), text_of(n)) for n in range(60)], "main")
    base.store.close()
    yield folder, server
    server.close()


def merges(folder: Path) -> Operation:
    """Merge two blocks by hand; one decision, or none."""

    def texts(n: int) -> tuple[str, str]:
        return tuple(f"merge-{n}-{side}.md" for side in "ab")  # type: ignore[return-value]

    def ids(base: Context, n: int) -> list[str]:
        blocks = [b for b in _blocks(base) if {a.document for a in b.attributions} & set(texts(n))]
        return [block.id for block in blocks]

    def merged(base: Context, n: int) -> list[Decision]:
        return [d for d in base.store.ledger.log() if d.verb is Verb.MERGE and d.key == f"merge-{n}"]

    def bring(n: int) -> None:
        base = opened(folder, "merge")
        pieces = [source(name, f"The {words(7_000_000 + 2 * n + k, 24)}.") for k, name in enumerate(texts(n))]
        ingest(base, pieces, "main")
        base.store.close()

    def run(n: int) -> None:
        base = opened(folder, "merge")
        if len(ids(base, n)) < 2:  # A kill may come between the two texts.
            base.store.close()
            bring(n)
            base = opened(folder, "merge")
        a, b = ids(base, n)
        review.merge(base, By("ann", key=f"merge-{n}"), a, b)
        base.store.close()

    def check(n: int, proof: Proof) -> None:
        base = opened(folder, "merge")
        proof.check(rebuild(base).is_sound, f"after kill {n} the log does not tell what the base holds")
        proof.check(len(ids(base, n)) in {0, 1, 2}, f"kill {n} left {len(ids(base, n))} blocks of two texts")
        if not (decisions := merged(base, n)):
            base.store.close()
            run(n)
            base = opened(folder, "merge")
            decisions = merged(base, n)
        is_whole = len(ids(base, n)) == 1 and len(decisions) == 1
        proof.check(is_whole, f"after kill {n} a merge that was done again made {len(decisions)} decisions")
        proof.happened[WHOLE] += is_whole
        base.store.close()

    return Operation("a merge", run, check)


def _blocks(base: Context) -> list[Block]:
    store = base.store
    if not store.collections():
        return []
    ids = [segment.id for batch in store.segments("main") for segment, _, _ in batch]
    return list(store.blocks(ids).values())


def command(folder: Path, org: str, *rest: str) -> None:
    """Run a saidonce command in this process."""
    from saidonce.interfaces.cli import app

    app(["--data-dir", str(folder), "--org", org, *rest], standalone_mode=False)


def exports(folder: Path) -> Operation:
    """Export over an older export; the file is the old or the new one, never a partial one."""
    file = folder.parent / "export.jsonl.gz"

    def run(n: int) -> None:
        command(folder, "full", "db", "export", str(file), "--force")
        shutil.copy2(file, file.with_suffix(".calm")) if n == 0 else None

    def check(n: int, proof: Proof) -> None:
        calm = file.with_suffix(".calm").read_bytes()
        proof.check(file.read_bytes() == calm, f"kill {n} left half an export")
        file.write_bytes(b"an older export")
        with forked(lambda _: run(n)) as child:
            code = child.ended()
        is_whole = code == 0 and file.read_bytes() == calm
        proof.check(is_whole, f"after kill {n} the export cannot be made again")
        proof.happened[WHOLE] += is_whole

    return Operation("an export", run, check)


def imports(folder: Path) -> Operation:
    """Import into an empty organisation: all of it, or nothing."""
    file = folder.parent / "export.jsonl.gz"

    def run(n: int) -> None:
        command(folder, f"copy-{n}", "db", "import", str(file))

    def check(n: int, proof: Proof) -> None:
        full, copy = opened(folder, "full"), opened(folder, f"copy-{n}")
        had = len(copy.store.collections())
        if not had:
            with forked(lambda _: run(n)) as child:
                proof.check(child.ended() == 0, f"after kill {n} the import cannot be made again")
        is_whole = blocks_of(copy) == blocks_of(full) and rebuild(copy).is_sound
        proof.check(is_whole, f"kill {n} left part of an import")
        proof.happened[WHOLE] += is_whole
        full.store.close()
        copy.store.close()

    return Operation("an import", run, check)


def migrations(server: EmbeddedServer) -> Operation:
    """Bring an old base to the schema of today: all steps, or none."""

    def url(n: int) -> str:
        return psycopg.conninfo.make_conninfo(server.url, dbname=f"old_{n}")

    def make(n: int) -> None:
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute(f"create database old_{n}")
        steps, all_steps = tuple(s for s in migrating.migrations() if s.number <= OLD_SCHEMA), migrating.migrations
        migrating.migrations = lambda: steps
        try:
            store = PostgresStore(url(n), "acme")
            store.ensure_collection(Collection("main", "evidence", "paragraph", "m", 4))
            store.add_counters({"kept": 7.0})
            store.close()
        finally:
            migrating.migrations = all_steps

    def run(n: int) -> None:
        PostgresStore(url(n), "acme").close()

    def check(n: int, proof: Proof) -> None:
        with psycopg.connect(url(n)) as connection:
            row = connection.execute("select max(number), count(*) from saidonce.migration").fetchone()
        steps = migrating.migrations()
        proof.check(row in {(OLD_SCHEMA, OLD_SCHEMA), (len(steps), len(steps))}, f"kill {n} left steps {row}")
        store = PostgresStore(url(n), "acme")
        is_whole = store.counters() == {"kept": 7.0} and [c.name for c in store.collections()] == ["main"]
        store.conversations.issues()
        store.close()
        proof.check(is_whole, f"after kill {n} the old base lost what it held")
        proof.happened[WHOLE] += is_whole
        make(n + 1)

    make(0)
    make(1)
    return Operation("a migration", run, check)


def first_starts(folder: Path, is_group: bool) -> Operation:
    """Start a new base; the next start works regardless of an interrupted first one."""

    def place(n: int) -> Path:
        return folder / f"first-{is_group:d}-{n}"

    def run(n: int) -> None:
        base = opened(place(n), "first")
        ingest(base, [source(name_of(n), text_of(n))], "main")
        base.store.close()

    def check(n: int, proof: Proof) -> None:
        with forked(lambda _: run(n)) as child:
            code = child.ended()
        drafts = list(place(n).glob(".new-*"))
        is_whole = code == 0 and not drafts
        proof.check(is_whole, f"after kill {n} the next start ended with {code}, leaving {drafts}")
        proof.happened[WHOLE] += is_whole
        shutil.rmtree(place(n), ignore_errors=True)

    return Operation("a first start" + (", with all its programs" if is_group else ""), run, check, is_group)
