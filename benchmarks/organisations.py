"""Many organisations on one server: costs of a search, a write and a migration, with plain indexes and partitions.

    python -m benchmarks.organisations [ORGANISATIONS] [--texts 20] [--searches 100] [--partitions 16] [--json]

A few organisations are made by `ingest`; all others are copies of their rows under other names, so that they share
words and headings, which is the worst case for an index that several share. Random ones are searched: each first
by a process with cold caches, then again. Then the same tables, with the same keys, indexes, foreign keys
and row-level security, are divided among hash partitions by organisation, and everything is measured again. Seconds
are CPU of this program's thread and of the server's processes together, which a busy machine changes little; wall time
is beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
from psycopg import Connection, sql
from psycopg.rows import TupleRow

from benchmarks.dedupe_files import PLACES, WORDS
from saidonce import KnowledgeBase
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.adapters.postgres.migrate import SCHEMA, migrate, migrations

KINDS = 8
"""Organisations that are made by `ingest`."""

STEP = 1_000_000
"""Distance between the ids of two organisations' terms."""

AT_ONCE = 500
"""Organisations that one statement copies."""


def text_of(kind: int, n_texts: int) -> str:
    """Return a document of one kind of organisation."""
    rng = random.Random(kind)
    lines = [f"# Handbook of the {PLACES[kind]} office"]
    for at in range(n_texts):
        if at % 5 == 0:
            lines.append(f"## The {rng.choice(WORDS)} and the {rng.choice(WORDS)}")
        a, b, c = (rng.choice(WORDS) for _ in range(3))
        lines.append(
            f"The {a} in {rng.choice(PLACES)} is checked every {rng.randrange(2, 90)} days; the {b} beside the {c} has"
            f" the number {rng.randrange(100, 99_999)} and belongs to the office of {PLACES[kind]}."
        )
    return "\n\n".join(lines)


def fill(base: KnowledgeBase, owner: Connection[TupleRow], folder: Path, n: int, n_texts: int) -> None:
    """Create some organisations, and copy them until there are n."""
    for kind in range(min(KINDS, n)):
        place = folder / f"kind-{kind}"
        place.mkdir()
        (place / "handbook.md").write_text(text_of(kind, n_texts), encoding="utf-8")
        base.for_org(f"org-{kind:06d}").ingest([place])
    tables = owner.execute(
        "select c.relname, array_agg(a.attname::text order by a.attnum) from pg_class c"
        " join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''"
        " where c.relnamespace = %s::regnamespace and c.relkind = 'r' group by c.relname"
        " having 'org_id' = any(array_agg(a.attname::text)) order by c.relname = 'org' desc, c.relname",
        [SCHEMA],
    ).fetchall()
    owner.execute("set session_replication_role = replica")  # what is copied was checked where it was made
    for begin in range(KINDS, n, AT_ONCE):
        for table, columns in tables:
            copied = sql.SQL(", ").join(_copied(table, column) for column in columns)
            owner.execute(
                sql.SQL(
                    "insert into {t} ({names}) overriding system value select {copied} from {t} o"
                    " join generate_series({a}, {b}) copy_at"
                    " on o.org_id = 'org-' || lpad((copy_at %% {kinds})::text, 6, '0')"
                ).format(
                    t=sql.Identifier(SCHEMA, table), names=sql.SQL(", ").join(map(sql.Identifier, columns)),
                    copied=copied, a=begin, b=min(n, begin + AT_ONCE) - 1, kinds=KINDS,
                ),
                [],
            )  # fmt: skip
    owner.execute("set session_replication_role = default")
    owner.execute(f"select setval(pg_get_serial_sequence('{SCHEMA}.term', 'term_id'), {(n + 1) * STEP})")
    owner.execute("vacuum analyze")


def _copied(table: str, column: str) -> sql.Composable:
    if column == "org_id":
        return sql.SQL("'org-' || lpad(copy_at::text, 6, '0')")
    if column == "term_id":
        return sql.SQL("o.term_id + copy_at::bigint * {}").format(STEP)
    if (table, column) == ("block", "terms"):
        return sql.SQL(
            "array(select t + copy_at::bigint * {} from unnest(o.terms) with ordinality u (t, at) order by at)"
        ).format(STEP)
    return sql.SQL("o.{}").format(sql.Identifier(column))


def partition(owner: Connection[TupleRow], n_partitions: int) -> None:
    """Divide every table with organisations into hash partitions: keys, indexes, foreign keys, policies, grants."""
    owner.execute(f"set search_path = {SCHEMA}, public, pg_catalog")
    with owner.transaction():
        tables = [name for (name,) in owner.execute(
            "select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id'"
            " where c.relnamespace = %s::regnamespace and c.relkind = 'r' order by 1", [SCHEMA]
        ).fetchall()]  # fmt: skip
        keys = owner.execute(
            "select conrelid::regclass::text, conname, pg_get_constraintdef(oid) from pg_constraint"
            " where connamespace = %s::regnamespace and contype = 'f' order by 1, 2", [SCHEMA]
        ).fetchall()  # fmt: skip
        policies = owner.execute(
            "select tablename, policyname, cmd, roles::text[], qual, with_check from pg_policies where schemaname = %s",
            [SCHEMA],
        ).fetchall()
        for table, key, _ in keys:
            owner.execute(
                sql.SQL("alter table {} drop constraint {}").format(sql.Identifier(table), sql.Identifier(key))
            )
        views = _taken_down(owner)
        for table in tables:
            _divide(owner, table, n_partitions)
        for table, key, definition in keys:
            owner.execute(
                sql.SQL("alter table {} add constraint {} ").format(sql.Identifier(table), sql.Identifier(key))
                + sql.SQL(definition)
            )
        for table, name, command, roles, using, check in policies:
            owner.execute(
                sql.SQL("create policy {} on {} for ").format(sql.Identifier(name), sql.Identifier(table))
                + sql.SQL(f"{command} to {', '.join(roles)}" + (f" using ({using})" if using else ""))
                + sql.SQL(f" with check ({check})" if check else "")
            )
        for statement in views:
            owner.execute(statement)
    owner.execute("vacuum analyze")


def _taken_down(owner: Connection[TupleRow]) -> list[sql.SQL | sql.Composed]:
    """Drop the views, and return the statements that recreate them."""
    rows = owner.execute(
        "select c.relname, array_to_string(c.reloptions, ', '), pg_get_viewdef(c.oid), array(select format("
        "'grant %%s on %%I to %%s', a.privilege_type, c.relname, a.grantee::regrole) from aclexplode(c.relacl) a"
        " where a.grantee <> c.relowner) from pg_class c where c.relnamespace = %s::regnamespace and c.relkind = 'v'",
        [SCHEMA],
    ).fetchall()
    again: list[sql.SQL | sql.Composed] = []
    for name, options, definition, grants in rows:
        owner.execute(sql.SQL("drop view {}").format(sql.Identifier(name)))
        statement = sql.SQL("create view {}" + (f" with ({options})" if options else "")).format(sql.Identifier(name))
        again += [statement + sql.SQL(" as " + definition), *map(sql.SQL, grants)]
    return again


def _divide(owner: Connection[TupleRow], table: str, n_partitions: int) -> None:
    """Put a table's rows into partitions of the same columns, keys and indexes, and grant the same."""
    whole, old = sql.Identifier(table), sql.Identifier(f"{table}_old")
    row = owner.execute(
        "select array_to_string(reloptions, ', '), relrowsecurity from pg_class where oid = %s::regclass", [table]
    ).fetchone()
    assert row is not None
    columns = owner.execute(
        "select attname from pg_attribute where attrelid = %s::regclass and attnum > 0"
        " and not attisdropped and attgenerated = '' order by attnum", [table]
    ).fetchall()  # fmt: skip
    names = sql.SQL(", ").join(sql.Identifier(name) for (name,) in columns)
    grants = owner.execute(
        "select a.grantee::regrole::text, a.privilege_type from pg_class c, aclexplode(c.relacl) a"
        " where c.oid = %s::regclass and a.grantee <> c.relowner", [table]
    ).fetchall()  # fmt: skip
    by_column = owner.execute(
        "select a.attname, x.grantee::regrole::text, x.privilege_type from pg_attribute a, aclexplode(a.attacl) x"
        " where a.attrelid = %s::regclass", [table]
    ).fetchall()  # fmt: skip
    owner.execute(sql.SQL("alter table {} rename to {}").format(whole, old))
    owner.execute(sql.SQL("create table {} (like {} including all) partition by hash (org_id)").format(whole, old))
    options = sql.SQL(f" with ({row[0]})" if row[0] else "")
    for at in range(n_partitions):
        part = sql.Identifier(f"{table}_part{at:03d}")
        bounds = sql.SQL(" for values with (modulus {}, remainder {})").format(n_partitions, at)
        owner.execute(sql.SQL("create table {} partition of {}").format(part, whole) + bounds + options)
    owner.execute(
        sql.SQL("insert into {} ({}) overriding system value select {} from {}").format(whole, names, names, old)
    )
    owner.execute(sql.SQL("drop table {}").format(old))
    if row[1]:
        owner.execute(sql.SQL("alter table {} enable row level security, force row level security").format(whole))
    for to, right in grants:
        owner.execute(sql.SQL(f"grant {right} on {{}} to {to}").format(whole))
    for column, to, right in by_column:
        owner.execute(sql.SQL(f"grant {right} ({{}}) on {{}} to {to}").format(sql.Identifier(column), whole))


class Meter:
    """CPU seconds of this thread and of the server's processes, and their memory."""

    def __init__(self, server: EmbeddedServer) -> None:
        self._pid = server.pid or 0

    def _processes(self) -> Iterator[Path]:
        for task in Path("/proc").glob("[0-9]*"):
            with suppress(FileNotFoundError, ProcessLookupError):
                if int((task / "stat").read_text().rpartition(") ")[2].split()[1]) == self._pid:
                    yield task

    def server_s(self) -> float:
        """Return the CPU seconds of the server's processes, including ended ones."""
        ended = (Path("/proc") / str(self._pid) / "stat").read_text().rpartition(") ")[2].split()[13:15]
        total = sum(map(int, ended)) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")
        for task in self._processes():
            with suppress(FileNotFoundError, ProcessLookupError):
                total += int((task / "schedstat").read_text().split()[0])
        return total / 1e9

    def session_mb(self) -> float:
        """Return the private memory of the largest session of the server."""
        largest = 0
        for task in self._processes():
            with suppress(FileNotFoundError, ProcessLookupError, PermissionError):
                if b"saidonce" in (task / "cmdline").read_bytes():
                    lines = (task / "smaps_rollup").read_text().splitlines()
                    dirty = [int(line.split()[1]) for line in lines if line.startswith("Private_Dirty")]
                    largest = max(largest, sum(dirty))
        return largest / 1_024

    @contextmanager
    def taken(self, into: list[tuple[float, float, float]]) -> Iterator[None]:
        """Record (CPU here, CPU of the server, wall time) of the enclosed block."""
        server, here, wall = self.server_s(), time.thread_time(), time.perf_counter()
        yield
        here, wall = time.thread_time() - here, time.perf_counter() - wall
        into.append((here, self.server_s() - server, wall))


def _p(taken: Sequence[tuple[float, float, float]]) -> dict[str, float]:
    here, server, wall = np.array(taken).T * 1_000
    quantiles = {f"p{q}_cpu_ms": round(float(np.percentile(here + server, q)), 1) for q in (50, 95)}
    return quantiles | {
        "p95_server_cpu_ms": round(float(np.percentile(server, 95)), 1),
        "p50_wall_ms": round(float(np.percentile(wall, 50)), 1),
        "p95_wall_ms": round(float(np.percentile(wall, 95)), 1),
    }


QUESTIONS = (
    "how often is the {0} in {1} checked",
    "number of the ladder beside the {0}",
    "{0} and garden",
    "{0}s of {1}",
)


def measure(
    base: KnowledgeBase, owner: Connection[TupleRow], meter: Meter, options: argparse.Namespace
) -> dict[str, Any]:
    """Return all figures of the tables as they are now."""
    rng = random.Random(7)
    first: list[tuple[float, float, float]] = []
    again: list[tuple[float, float, float]] = []
    write: list[tuple[float, float, float]] = []
    base.embedder.embed(["warm"])
    base.for_org("org-000000").search("garden")  # connections
    hits = 0
    for at in range(options.searches):
        one = base.for_org(f"org-{rng.randrange(options.organisations):06d}")
        question = QUESTIONS[at % len(QUESTIONS)].format(rng.choice(WORDS), rng.choice(PLACES))
        with meter.taken(first):
            one.search(question)
        with meter.taken(again):
            hits += len(one.search(question[:-1]).hits)
    folder = Path(tempfile.mkdtemp(prefix="saidonce-organisations-"))
    for at in range(max(1, options.searches // 5)):
        one = base.for_org(f"org-{rng.randrange(options.organisations):06d}")
        (folder / f"{at}.md").write_text(f"# Notice {rng.random()}\n\nThe gate number {rng.random()} is closed.")
        with meter.taken(write):
            one.ingest([folder / f"{at}.md"])
    shutil.rmtree(folder)
    size = owner.execute("select pg_database_size(current_database())").fetchone()
    assert size is not None
    return {
        "first_search": _p(first), "next_search": _p(again), "new_document": _p(write),
        "hits_a_search": round(hits / options.searches, 1), "session_mb": round(meter.session_mb(), 1),
        "this_program_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1_024,
        "database_mb": size[0] // 2**20,
        **{f"{name}_s": seconds for name, seconds in _changes(owner, meter).items()},
    }  # fmt: skip


def _changes(owner: Connection[TupleRow], meter: Meter) -> dict[str, float]:
    """Return the times of two common migrations on the filled base: a column, an index. Both are undone."""
    seconds = {}
    for name, statement in {
        "migration_of_a_column": "alter table {}.block add column measured text not null default ''",
        "migration_of_an_index": "create index on {}.block (org_id, heading_key, block_id)",
    }.items():
        seconds[name] = round(_cpu(meter, lambda: _taken_back(owner, statement.format(SCHEMA))), 3)  # noqa: B023
    return seconds


def _taken_back(owner: Connection[TupleRow], statement: str) -> None:
    with owner.transaction(force_rollback=True):
        owner.execute(statement)


def _cpu(meter: Meter, do: Callable[[], Any]) -> float:
    taken: list[tuple[float, float, float]] = []
    with meter.taken(taken):
        do()
    return taken[0][0] + taken[0][1]


def main() -> None:
    """Print the figures with plain indexes, and in partitions."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("organisations", type=int, nargs="?", default=10_000)
    parser.add_argument("--texts", type=int, default=20, help="texts of each organisation")
    parser.add_argument("--searches", type=int, default=100, help="organisations that are searched, twice each")
    parser.add_argument("--partitions", type=int, default=16, help="0 measures plain indexes only")
    parser.add_argument("--folder", type=Path, help="where the base is made; a temporary folder by default")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.organisations < KINDS:
        raise SystemExit(f"at least {KINDS} organisations")
    folder = Path(tempfile.mkdtemp(prefix="saidonce-organisations-", dir=options.folder))
    folder.chmod(0o755)
    server = EmbeddedServer(folder / "data")
    try:
        with (
            psycopg.connect(server.url, autocommit=True) as owner,
            KnowledgeBase(data_dir=folder / "data", log_enabled=False, metrics_enabled=False) as base,
        ):
            meter = Meter(server)
            _print(
                options, {"fresh_schema_s": round(_cpu(meter, lambda: migrate(owner)), 2), "steps": len(migrations())}
            )
            _print(
                options,
                {
                    "filling_s": round(
                        _cpu(meter, lambda: fill(base, owner, folder, options.organisations, options.texts)), 1
                    )
                },
            )
            _print(options, {"tables": "plain", **measure(base, owner, meter, options)})
            if options.partitions:
                seconds = round(_cpu(meter, lambda: partition(owner, options.partitions)), 1)
                _print(options, {"dividing_s": seconds})
        if options.partitions:
            with (
                psycopg.connect(server.url, autocommit=True) as owner,
                KnowledgeBase(data_dir=folder / "data", log_enabled=False, metrics_enabled=False) as base,
            ):
                _print(
                    options,
                    {"tables": f"{options.partitions} partitions", **measure(base, owner, Meter(server), options)},
                )
    finally:
        server.close()
        shutil.rmtree(server.home, ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)


def _print(options: argparse.Namespace, figures: dict[str, Any]) -> None:
    figures = {"organisations": options.organisations, **figures}
    line = json.dumps(figures) if options.json else "  ".join(f"{name}={value}" for name, value in figures.items())
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
