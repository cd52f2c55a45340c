"""A search by a program that has just started: `python -m benchmarks.cold_search [BLOCKS] [--folder DIR]`.

Fills a base with made-up documents (100,000 blocks by default, a quarter of an hour; with --folder it stays, and is not
filled again). More than 100,000 blocks are copies of these in the database itself, with ids of their own and vectors in
which some numbers change their signs: ten minutes more for a million. Then runs `saidonce search` as a program of its
own, which starts the database server, loads the model and fills the index. The first run finds no copy of the index and
leaves one; the others map it. Seconds by the clock and of the processor, of the program without the server. The vectors
are made of hashed words under the name of the built-in model, so that it is loaded and asked for the question; what it
finds means nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.end_to_end import HereParser, sources
from benchmarks.made_up import varied_document
from saidonce.adapters.clock import SystemClock
from saidonce.adapters.embed import open_embedder
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.adapters.postgres import open_store
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.foundation.context import Context
from saidonce.foundation.settings.policy import Settings
from saidonce.kb import ingest as flow

ORG = "bench"
BATCH = 100
"""Documents that are ingested together."""

DIM = 384
INGESTED = 100_000
"""Blocks that are ingested; more of them are copied."""

FILLED = "filled"
"""A file that says that a folder holds a whole base."""


class NamedVectors(HashedEmbedder):
    """Vectors of hashed words that are kept under the name of another model."""

    def __init__(self, model: str) -> None:
        super().__init__(DIM)
        self._model = model

    @property
    def model(self) -> str:
        """Fingerprint of that model."""
        return self._model


def fill(folder: Path, n_blocks: int) -> int:
    """Ingest made-up documents until a base has so many blocks; return how many there are."""
    model = open_embedder("minilm", "", "", 0).model
    store = open_store("", folder, ORG)
    context = Context(store, NamedVectors(model), HereParser(), SystemClock(), Settings(metrics_enabled=False))
    n_documents, n_kept = 0, 0
    while n_kept < n_blocks:
        report = flow.ingest(context, sources(n_documents, BATCH, varied_document), "main")
        n_documents, n_kept = n_documents + BATCH, n_kept + int(report.totals["n_kept"])
        print(f"\r{n_kept} of {n_blocks} blocks", end="", file=sys.stderr)
    print(file=sys.stderr)
    store.close()
    return n_kept


IDS = {
    "document_id", "segment_id", "block_id", "key", "text_key", "context_key", "heading_key", "fingerprint",
    "content_hash", "name", "document", "text_id",
}  # fmt: skip
"""Columns of text that a copy has values of its own in."""

COPIED = {
    "document": "document_id", "name": "document_id", "version": "document_id", "segment": "segment_id",
    "placement": "segment_id", "heading": "heading_key", "embedding": "key", "embedding_use": "key",
    "block": "block_id", "pair_text": "text_id",
}  # fmt: skip
"""Tables that are copied, with a column that tells a copy."""


def multiply(folder: Path, n_copies: int) -> None:
    """Copy all documents of a base in its database, until each is there so many times; indexes are made anew behind."""
    server = EmbeddedServer(folder)
    with psycopg.connect(server.url, autocommit=True) as database:
        database.execute("set session_replication_role = replica; set synchronous_commit = off")
        database.execute("set maintenance_work_mem = '1GB'")
        (extension,) = database.execute(
            "select n.nspname from pg_type t join pg_namespace n on n.oid = t.typnamespace where t.typname = 'vector'"
        ).fetchone() or ("public",)
        database.execute(f'set search_path = saidonce, "{extension}"')
        indexes = database.execute(
            "select indexname, indexdef from pg_indexes where schemaname = 'saidonce' and tablename = any(%s)"
            " and indexdef not like '%%UNIQUE%%'",
            [list(COPIED)],
        ).fetchall()
        for name, _ in indexes:
            database.execute(f'drop index "{name}"')
        for table, column in COPIED.items():
            _copy_rows(database, table, column, n_copies)
        database.execute(f"update term_count set n_blocks = n_blocks * {n_copies}")
        database.execute(f"update collection set n_blocks = n_blocks * {n_copies}, n_terms = n_terms * {n_copies}")
        for _, definition in indexes:
            database.execute(definition)
        database.execute("vacuum analyze")
    server.close()


def _copy_rows(database: psycopg.Connection[Any], table: str, column: str, n_copies: int) -> None:
    columns = database.execute(
        "select attname, format_type(atttypid, null) from pg_attribute"
        " where attrelid = %s::regclass and attnum > 0 and not attisdropped and attgenerated = ''",
        [table],
    ).fetchall()
    names = ", ".join(f'"{name}"' for name, _ in columns)
    for copy in range(1, n_copies):
        values = ", ".join(_copied(name, kind, copy) for name, kind in columns)
        database.execute(f"insert into {table} ({names}) select {values} from {table} where \"{column}\" !~ '~[0-9]+$'")
    print(f"{table}: {n_copies} times", file=sys.stderr)


def _copied(name: str, kind: str, copy: int) -> str:
    """Return the SQL of a column's value in a copy."""
    if name == "vector":
        signs = f"case when (i * {copy * 7_919} + {copy}) % {copy + 2} = 0 then -1 else 1 end"
        return f"vector * (select array_agg({signs} order by i)::vector from generate_series(1, {DIM}) i)"
    if name in ("documents", "members"):
        return f"(select array_agg(x || '~{copy}') from unnest(\"{name}\") x)"
    if name in ("of", "near_miss"):
        return f"case when \"{name}\" = '' then '' else \"{name}\" || '~{copy}' end"
    return f"\"{name}\" || '~{copy}'" if name in IDS and kind == "text" else f'"{name}"'


def searched(folder: Path, question: str) -> tuple[float, float]:
    """Search by a program of its own; return its seconds by the clock and of the processor.

    Raises:
        subprocess.CalledProcessError: it failed.
    """
    environment = {**os.environ, "SAIDONCE_DATA_DIR": str(folder), "SAIDONCE_ORG": ORG}
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = [sys.executable, "-m", "saidonce", "search", question, "--json"]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    seconds, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(folder: Path, n_blocks: int, n_runs: int) -> dict[str, float]:
    """Fill a base if it is not, and search it."""
    if not (folder / FILLED).is_file():
        n_copies = max(1, round(n_blocks / INGESTED))
        n_kept = fill(folder, min(n_blocks, INGESTED))
        if n_copies > 1:
            multiply(folder, n_copies)
        (folder / FILLED).write_text(f"{n_kept * n_copies}\n")
    question = " ".join(varied_document(3).decode().split()[10:16])
    first = searched(folder, question)
    clock, processor = zip(*(searched(folder, question) for _ in range(n_runs)), strict=True)
    return {
        "blocks": int((folder / FILLED).read_text()),
        "first_s": round(first[0], 2), "first_cpu_s": round(first[1], 2),
        "median_s": round(statistics.median(clock), 2), "longest_s": round(max(clock), 2),
        "median_cpu_s": round(statistics.median(processor), 2), "load": round(os.getloadavg()[0], 1),
    }  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("blocks", nargs="?", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, help="where the base is made, and stays; a temporary one by default")
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args(arguments)
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
        print(json.dumps(measure(options.folder, options.blocks, options.runs)))
        return
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(measure(Path(folder), options.blocks, options.runs)))


if __name__ == "__main__":
    main()
