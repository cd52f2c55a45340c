"""Mutation testing of the database: check that the tests notice a missing guard of an organisation.

    python -m benchmarks.mutants_sql [--sample N] [--json]

Each mutant is a migrated database without one guard: a policy that lets everything through, row-level security that
is off or not forced, a right too many, a role that nothing binds. The tests of rights and of isolation run on each, and
one has to fail. Those of rights need one connection: each mutant is made, looked at and taken back in one transaction.
What they let pass becomes a database of its own, on which the tests of isolation run. Mutants that may pass stand, with
the reason, in `tests/cases/mutants_sql.toml`; any other one fails the run.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import inspect
import io
import json
import os
import random
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from benchmarks.proof import Proof, flaws_of, show
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.adapters.postgres.postgres import PostgresStore

ROOT = Path(__file__).resolve().parents[1]
LISTED = ROOT / "tests/cases/mutants_sql.toml"
TESTS = ("tests/contract/test_store_isolation.py",)
RIGHTS = "test_catalogue_of_rights"
BY_RIGHTS, BY_ISOLATION = "the tests of rights noticed a mutant", "the tests of isolation noticed a mutant"
BASE = "whole"

TABLES = """
select relname, p.polname, r.rolname, p.polcmd, p.polwithcheck is not null
from pg_class c left join pg_policy p on p.polrelid = c.oid left join pg_roles r on r.oid = p.polroles[1]
where relnamespace = 'saidonce'::regnamespace and relkind = 'r' and relname <> 'migration' order by 1, 2
"""
FUNCTIONS = """
select oid::regprocedure::text, proconfig is not null from pg_proc
where pronamespace = 'saidonce'::regnamespace and prosecdef order by 1
"""
LACKING = """
select relname, privilege from pg_class c, unnest(array['insert', 'update', 'delete', 'truncate', 'select']) privilege
where relnamespace = 'saidonce'::regnamespace and relkind = 'r'
  and not has_table_privilege('saidonce_app', c.oid, privilege) order by 1, 2
"""


@dataclass(frozen=True)
class Mutant:
    """A mutant: one guard is removed.

    Attributes:
        undo: the statement that restores it, for objects shared by all databases of a server.
    """

    kind: str
    sql: str
    undo: str = ""


def mutants(connection: psycopg.Connection[Any]) -> list[Mutant]:
    """Return the mutants of a migrated database, read from its catalogue."""
    found_mutants: list[Mutant] = []
    rows = connection.execute(TABLES).fetchall()
    for table in dict.fromkeys(row[0] for row in rows):
        found_mutants.append(Mutant("row-level security is off", f"alter table {table} disable row level security"))
        found_mutants.append(
            Mutant("row-level security is not forced", f"alter table {table} no force row level security")
        )
    for table, policy, role, command, _ in rows:
        if policy and policy.endswith("own_org"):
            found_mutants.append(
                Mutant(f"a policy of {role} shows everything", f"alter policy {policy} on {table} using (true)")
            )
            if command in {"*", "w"}:
                sql = f"alter policy {policy} on {table} with check (true)"
                found_mutants.append(Mutant(f"a policy of {role} takes everything", sql))
    for table, right in connection.execute(LACKING).fetchall():
        found_mutants.append(Mutant("a right too many", f"grant {right} on {table} to saidonce_app"))
    for function, has_path in connection.execute(FUNCTIONS).fetchall():
        found_mutants.append(Mutant("a function for everybody", f"grant execute on function {function} to public"))
        if has_path:
            found_mutants.append(Mutant("a function on the caller's path", f"alter function {function} reset all"))
    for role in ("saidonce_app", "saidonce_reader"):
        for right in ("superuser", "bypassrls", "login", "createdb", "createrole"):
            found_mutants.append(Mutant("a role unbound", f"alter role {role} {right}", f"alter role {role} no{right}"))
    return found_mutants


class GivenServer:
    """Provides the tests with a database in place of their own server."""

    def __init__(self, url: str) -> None:
        self.url = url

    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Any:
        """Return the replacement of the embedded server fixture."""
        if fixturedef.argname != "embedded_server":
            return None
        fixturedef.cached_result = (self, fixturedef.cache_key(request), None)
        return self


def warm_up() -> None:
    """Import the modules of the tests once, before every child does."""
    sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/contract"), str(ROOT / "tests/security")]
    for module in ("conftest", "store_cases", "talk_cases", "world", RIGHTS):
        importlib.import_module(module)


def passes(url: str) -> bool:
    """Run the tests of isolation on a database in a child process; return whether all pass."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                words = [
                    "-x",
                    "-q",
                    "--assert=plain",
                    "-p",
                    "no:randomly",
                    "-p",
                    "no:cacheprovider",
                    "-k",
                    "not external_server",
                ]
                code = int(pytest.main([*words, *TESTS], plugins=[GivenServer(url)]))
        finally:
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status) == 0


@contextmanager
def server() -> Iterator[EmbeddedServer]:
    """Yield a server with one migrated database, of which the others are copies."""
    folder = Path(tempfile.mkdtemp(prefix="so-", dir="/tmp"))
    folder.chmod(0o711)
    running = EmbeddedServer(folder / "base")
    try:
        with psycopg.connect(running.url, autocommit=True) as connection:
            connection.execute(f"create database {BASE}")
        PostgresStore(url_of(running, BASE), "first").close()
        yield running
    finally:
        running.close()
        shutil.rmtree(folder, ignore_errors=True)


def url_of(running: EmbeddedServer, database: str) -> str:
    """Return the address of a database."""
    return psycopg.conninfo.make_conninfo(running.url, dbname=database)


@contextmanager
def copied(running: EmbeddedServer, mutant: Mutant | None) -> Iterator[str]:
    """Yield a copy of the migrated database without a guard."""
    with psycopg.connect(running.url, autocommit=True) as connection:
        connection.execute(f"create database mutant template {BASE}")
    url = url_of(running, "mutant")
    try:
        if mutant is not None:
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute("set search_path = saidonce, public")
                connection.execute(mutant.sql)
        yield url
    finally:
        with psycopg.connect(running.url, autocommit=True) as connection:
            connection.execute("drop database mutant with (force)")
            if mutant is not None and mutant.undo:
                connection.execute(mutant.undo)


def rights_hold(root: psycopg.Connection[Any], mutant: Mutant | None) -> bool:
    """Run the tests of rights on a base without a guard, which is then restored; return whether all pass."""
    module = importlib.import_module(RIGHTS)
    tests = [test for name, test in vars(module).items() if name.startswith("test_")]
    rows = "trials"
    for test in sorted(tests, key=lambda test: rows in inspect.signature(test).parameters):
        with root.transaction(force_rollback=True):
            if mutant is not None:
                root.execute(mutant.sql)
            try:
                test(module.with_rows(root) if rows in inspect.signature(test).parameters else root)
            except Exception:  # noqa: BLE001  whatever fails a test
                return False
    return True


@contextmanager
def whole_base() -> Iterator[psycopg.Connection[Any]]:
    """Yield a superuser's connection to a migrated base whose tables belong to a login without rights."""
    conftest = importlib.import_module("conftest")
    folder = conftest.reachable_folder()
    running = conftest.ExternalServer(folder)
    try:
        PostgresStore(running.url, "one").close()
        admin = psycopg.conninfo.make_conninfo(running.url, user="admin", password="superuser password")
        with psycopg.connect(admin, autocommit=True) as root:
            root.execute("set search_path = saidonce, public, pg_catalog")
            yield root
    finally:
        running.stop()
        shutil.rmtree(folder, ignore_errors=True)


def run_mutants(chosen: Sequence[Mutant], root: psycopg.Connection[Any], listed: dict[str, str]) -> Proof:
    """Test the mutants one after another, and again on a separate base those that pass; return the proof."""
    expected = dict.fromkeys(f"noticed: {mutant.kind}" for mutant in chosen if mutant.sql not in listed)
    proof = Proof.of("mutants of the database", "the tests pass without one", BY_RIGHTS, *expected)
    proof.counts["mutants"] = len(chosen)
    proof.happened["the tests pass without one"] += rights_hold(root, None)
    if not proof.happened["the tests pass without one"]:
        return proof
    passed = []
    for number, mutant in enumerate(chosen, 1):
        has_passed = rights_hold(root, mutant)
        passed += [mutant] if has_passed else []
        _note(proof, mutant, BY_RIGHTS, has_passed)
        print(f"{number} of {len(chosen)}: {'passes' if has_passed else 'noticed'}: {mutant.sql}", file=sys.stderr)
    if passed:
        with server() as running:
            _isolated(passed, running, proof, listed)
    return proof


def _isolated(passed: Sequence[Mutant], running: EmbeddedServer, proof: Proof, listed: dict[str, str]) -> None:
    """Run the tests of isolation on mutants that the tests of rights let pass."""
    with copied(running, None) as url:
        proof.happened["the tests pass without one"] += passes(url)
    proof.check(proof.happened["the tests pass without one"] == 2, "the tests of isolation fail without any mutant")
    for mutant in passed:
        with copied(running, mutant) as url:
            has_passed = passes(url)
        _note(proof, mutant, BY_ISOLATION, has_passed)
        proof.check(not has_passed or mutant.sql in listed, f"nobody notices: {mutant.sql}")
        print(f"on its own: {'passes' if has_passed else 'noticed'}: {mutant.sql}", file=sys.stderr)


def _note(proof: Proof, mutant: Mutant, by: str, has_passed: bool) -> None:
    proof.happened[by] += not has_passed
    proof.happened[f"noticed: {mutant.kind}"] += not has_passed


def main() -> int:
    """Test the mutants; return 1 if one passes without a reason."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sample", type=int, default=0, help="try so many, drawn by chance; 0 tries all")
    options.add_argument("--json", action="store_true", help="print JSON")
    chosen = options.parse_args()
    listed: dict[str, str] = tomllib.loads(LISTED.read_text(encoding="utf-8"))["passes"]
    os.chdir(ROOT)
    warm_up()
    with whole_base() as root:
        everything = mutants(root)
        unknown = sorted(set(listed) - {mutant.sql for mutant in everything})
        drawn = (
            random.Random(15).sample(everything, min(chosen.sample, len(everything))) if chosen.sample else everything
        )
        proof = run_mutants(drawn, root, listed)
    for sql in unknown:
        proof.check(False, f"it is listed, and does not exist: {sql}")
    if chosen.json:
        print(json.dumps(proof.as_json(), indent=1))
    else:
        show([proof])
    return int(bool(flaws_of([proof])))


if __name__ == "__main__":
    sys.exit(main())
