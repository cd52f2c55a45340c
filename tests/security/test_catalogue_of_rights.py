"""Every table, policy, grant and function of the database, from its own catalogue: each organisation reaches its own.

What is written down here is what differs from the rule. The rule: a table begins its key with `org_id`, forces
row-level security on everybody, and lets the program read and change rows of the organisation that it acts as.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import psycopg
import pytest
from psycopg import Connection, sql
from psycopg.conninfo import make_conninfo
from psycopg.rows import TupleRow

from saidonce.adapters.postgres.migrate import APP_ROLE, READER_ROLE, SCHEMA

WITHOUT_ORG = {"migration": "which migrations were applied; the login reads it before it becomes anybody"}
"""Tables that belong to no organisation, each with what it holds."""

ALL = frozenset({"SELECT", "INSERT", "UPDATE", "DELETE"})
APP_RIGHTS: dict[str, frozenset[str]] = {
    **{name: frozenset({"SELECT", "INSERT"}) for name in (
        "data_act", "gate_event", "inbound", "issue_move", "landlord_notice", "opinion", "security_event", "turn",
    )},
    "call_out": frozenset({"SELECT", "INSERT", "DELETE"}),
    "original": frozenset({"SELECT", "INSERT", "DELETE"}),
}  # fmt: skip
"""What the program may do to a table, if not read, add, change and delete: a log can only grow."""

APP_COLUMNS = {("inbound", "scanned"): frozenset({"UPDATE"})}
"""Columns that the program may change in tables that it may not."""

READS_ALL = frozenset({
    "block", "channel", "conversation", "counter", "decision", "document", "emergency", "flag", "gate_verdict",
    "heading", "inbound", "issue", "notice", "org", "outbox", "pair", "pair_text", "sync_source", "tenancy", "term",
    "version", "waiting_media",
})  # fmt: skip
"""Tables of which the functions below may see rows of every organisation, most of them single columns."""

ERASES = {
    "inbound": {"DELETE", "UPDATE"},
    "landlord_notice": {"DELETE", "SELECT"},
    "turn": {"DELETE", "SELECT", "UPDATE"},
}
"""Logs from which the functions of erasure may take the acting organisation's rows, by the verbs of their policies."""

NAMES_ORGS = frozenset({
    "figures_by_org", "held_by_org", "org_troubles", "orgs_in_doubt", "orgs_unreached", "orgs_with_channels",
    "orgs_with_conversations", "orgs_with_issues_due", "orgs_with_pairs_waiting", "orgs_with_pending",
    "orgs_with_syncs_due",
})  # fmt: skip
"""Functions that give the worker names of organisations, and numbers; no text of theirs."""

KEEPS_ITS_PLAN = frozenset({"gate_standing"})
"""Functions that see what their caller sees, and are there for their plan, which a session keeps."""

OWN_ORG = "(org_id = current_setting('saidonce.org'::text, true))"

FORGED = (None, "", "nobody", "one' or true --")
"""What a connection may say that it acts as, without being anybody."""


@pytest.fixture(scope="module")
def root(external_server: str) -> Iterator[Connection[TupleRow]]:
    """A superuser's connection to a base whose tables belong to a login without any right of its own."""
    from saidonce.adapters.postgres.postgres import PostgresStore

    PostgresStore(external_server, "one").close()
    superuser = {"user": "admin", "password": "superuser password"}
    with psycopg.connect(make_conninfo(external_server, **superuser)) as connection:
        connection.execute(f"set search_path = {SCHEMA}, public, pg_catalog")
        connection.commit()
        yield connection


@pytest.fixture(autouse=True)
def _nothing_stays(root: Connection[TupleRow]) -> Iterator[None]:
    yield
    root.rollback()


def rows(root: Connection[TupleRow], query: str) -> list[Any]:
    """Rows of a query on the catalogue; {own} stands for the schema's number."""
    return root.execute(query.replace("{own}", f"'{SCHEMA}'::regnamespace")).fetchall()


def tables(root: Connection[TupleRow]) -> list[str]:
    found = rows(root, "select relname from pg_class where relnamespace = {own} and relkind in ('r', 'p') order by 1")
    return [name for (name,) in found if name not in WITHOUT_ORG]


def app_rights(table: str) -> frozenset[str]:
    return APP_RIGHTS.get(table, ALL)


def test_every_table_belongs_to_organisations_and_forces_their_separation(root: Connection[TupleRow]) -> None:
    assert len(tables(root)) > 50
    loose = rows(
        root,
        "select relname from pg_class where relnamespace = {own} and relkind in ('r', 'p')"
        " and not (relrowsecurity and relforcerowsecurity)",
    )
    assert {name for (name,) in loose} == set(WITHOUT_ORG), (
        "a table of the schema has `enable row level security, force row level security` in its migration, or a line"
        " in WITHOUT_ORG of this test with what it holds"
    )
    named = rows(
        root,
        "select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid where relnamespace = {own}"
        " and relkind in ('r', 'p') and attname = 'org_id' and attnotnull and atttypid = 'text'::regtype",
    )
    assert {name for (name,) in named} == set(tables(root)), "every table has `org_id text not null`"
    keyed = rows(
        root,
        "select t.relname from pg_index i join pg_class t on t.oid = i.indrelid join pg_attribute a"
        " on a.attrelid = t.oid and a.attnum = i.indkey[0] where t.relnamespace = {own} and indisprimary"
        " and attname = 'org_id'",
    )
    assert {name for (name,) in keyed} == set(tables(root)), "every primary key begins with org_id"


def test_no_row_refers_to_a_row_of_another_organisation(root: Connection[TupleRow]) -> None:
    """Foreign keys are checked with the rights of the owner, who sees all: they must carry the organisation along."""
    references = rows(
        root,
        "select conrelid::regclass::text, pg_get_constraintdef(oid), a.attname, b.attname from pg_constraint"
        " join pg_attribute a on a.attrelid = conrelid and a.attnum = conkey[1]"
        " join pg_attribute b on b.attrelid = confrelid and b.attnum = confkey[1]"
        " where connamespace = {own} and contype = 'f'",
    )
    assert len(references) > 40
    assert [r for r in references if r[2:] != ("org_id", "org_id")] == []


def test_policies_are_the_rule_and_what_is_written_down(root: Connection[TupleRow]) -> None:
    found = rows(
        root,
        "select tablename, roles::text[], cmd, permissive, qual, coalesce(with_check, qual) from pg_policies"
        f" where schemaname = '{SCHEMA}'",
    )
    own = {(name, (APP_ROLE,), "ALL", OWN_ORG) for name in tables(root)}
    read = {(name, (READER_ROLE,), "SELECT", "true") for name in READS_ALL}
    erase = {(name, (READER_ROLE,), verb, OWN_ORG) for name, verbs in ERASES.items() for verb in verbs}
    policies = {(name, tuple(roles), cmd, qual) for name, roles, cmd, _, qual, _ in found}
    assert policies == own | read | erase, "unexpected or missing: " + ", ".join(
        f"{name} {cmd} to {' '.join(roles)}" for name, roles, cmd, _ in sorted(policies ^ (own | read | erase))
    )
    assert {permissive for _, _, _, permissive, _, _ in found} == {"PERMISSIVE"}
    assert all(qual == check for *_, qual, check in found), "what may be written is what may be seen"


def test_grants_are_the_rule_and_what_is_written_down(root: Connection[TupleRow]) -> None:
    granted = rows(
        root,
        "select relname, coalesce(nullif(grantee, 0)::regrole::text, 'public'), privilege_type, is_grantable"
        " from pg_class, aclexplode(relacl) where relnamespace = {own} and relkind in ('r', 'p')"
        " and grantee <> relowner",
    )
    assert not [g for g in granted if g[3]], "nobody may hand rights on"
    by_app: dict[str, set[str]] = {}
    for name, role, privilege, _ in granted:
        assert role in (APP_ROLE, READER_ROLE) or (name in WITHOUT_ORG and privilege == "SELECT"), (name, role)
        if role == APP_ROLE:
            by_app.setdefault(name, set()).add(privilege)
    assert not by_app.keys() & WITHOUT_ORG.keys(), "the program has nothing to do with what belongs to nobody"
    for name in tables(root):
        assert frozenset(by_app.get(name, ())) == app_rights(name), (
            f"the program may {sorted(by_app.get(name, ()))} {name}, and this test says {sorted(app_rights(name))}:"
            " if the migration is right, write the table down in APP_RIGHTS"
        )
    reads = {(n, p) for n, role, p, _ in granted if role == READER_ROLE}
    assert reads == {(n, "SELECT") for n in ("block", "heading", "term")} | {(n, "DELETE") for n in ERASES}


def test_columns_granted_one_by_one_are_written_down(root: Connection[TupleRow]) -> None:
    granted = rows(
        root,
        "select relname, attname, grantee::regrole::text, privilege_type from pg_attribute a"
        " join pg_class c on c.oid = attrelid, aclexplode(attacl) where relnamespace = {own}",
    )
    of_app = {(t, c): frozenset({p}) for t, c, role, p in granted if role == APP_ROLE}
    assert of_app == APP_COLUMNS
    of_reader = [(t, c, p) for t, c, role, p in granted if role == READER_ROLE]
    assert {t for t, _, _ in of_reader} <= READS_ALL | set(ERASES)
    texts = {"text", "record", "body", "content", "target", "secret", "title", "answer"}
    assert {(t, c) for t, c, p in of_reader if c in texts and p == "SELECT"} == set(), "no text of any organisation"
    assert {(t, c) for t, c, p in of_reader if p != "SELECT"} == {("inbound", "record"), ("turn", "record")}


def test_functions_that_see_more_filter_by_the_organisation_or_name_it(root: Connection[TupleRow]) -> None:
    found = rows(
        root,
        "select proname, prosecdef, proconfig, prosrc, proowner::regrole::text,"
        " (select array_agg(coalesce(nullif(grantee, 0)::regrole::text, 'public') order by 1) from aclexplode(proacl)),"
        " pg_get_function_result(oid) from pg_proc where pronamespace = {own}",
    )
    assert len(found) > 15
    for name, is_definer, config, source, owner, may_call, gives in found:
        if name == "only_grows":
            assert gives == "trigger"
            assert re.fullmatch(r"\s*begin\s+raise exception [^;]+;\s+end\s*", source)
            continue
        if name in KEEPS_ITS_PLAN:
            assert not is_definer
            assert set(may_call) <= {APP_ROLE, owner}, name
            assert "current_setting('saidonce.org'" in source, f"{name} filters by no organisation"
            continue
        assert is_definer, f"{name}: without another's rights it needs no function"
        assert any(c.startswith(f"search_path={SCHEMA}, pg_catalog") and c.endswith("pg_temp") for c in config), name
        assert "public" not in may_call, f"{name}: `revoke execute ... from public` is missing"
        assert set(may_call) <= {APP_ROLE, owner}, name
        if name == "refresh_statistics":
            assert gives == "void"
        elif name in NAMES_ORGS:
            assert owner == READER_ROLE
        else:
            assert "current_setting('saidonce.org'" in source, f"{name} filters by no organisation"
            assert owner == READER_ROLE, "as the owner of the tables it would see nothing, or everything"


def test_views_see_with_the_rights_of_who_asks(root: Connection[TupleRow]) -> None:
    views = rows(root, "select relname, reloptions from pg_class where relnamespace = {own} and relkind in ('v', 'm')")
    assert [name for name, options in views if "security_invoker=true" not in (options or ())] == []


def test_roles_can_neither_sign_in_nor_pass_by_the_policies(root: Connection[TupleRow]) -> None:
    roles = rows(
        root,
        "select rolname from pg_roles where rolname like 'saidonce%' and (rolcanlogin or rolsuper or rolbypassrls"
        " or rolcreatedb or rolcreaterole or rolreplication)",
    )
    assert [name for (name,) in roles if name in (APP_ROLE, READER_ROLE)] == []
    members = rows(
        root,
        "select roleid::regrole::text, member::regrole::text, inherit_option from pg_auth_members"
        f" where roleid in ('{APP_ROLE}'::regrole, '{READER_ROLE}'::regrole) and member <> 'admin'::regrole",
    )
    assert {role for role, _, _ in members} == {APP_ROLE, READER_ROLE}
    assert not any(inherits for _, _, inherits in members), "a login sees nothing before it becomes the role"
    schema = rows(root, f"select has_schema_privilege('{APP_ROLE}', '{SCHEMA}', 'create')")
    assert schema == [(False,)]


# What the rights come to when they are tried.

A_VALUE = {
    "text": "x", "integer": 1, "bigint": 1, "boolean": True, "double precision": 0.5, "date": "2026-01-01",
    "timestamp with time zone": "2026-01-01", "json": "{}", "jsonb": "{}", "text[]": "{}", "bigint[]": "{}",
    "integer[]": "{}", "vector": "[1]", "bytea": b"x", "inet": "127.0.0.1", "uuid": "0" * 32, "real": 0.5,
    "smallint": 1, "interval": "1 s", "bytea[]": "{}", "cidr": "127.0.0.0/8", "cidr[]": "{}", "inet[]": "{}",
}  # fmt: skip
"""Something for every type of a column, for a row that means nothing."""


@dataclass
class Trials:
    """Statements tried by one role, each taken back; counts them."""

    root: Connection[TupleRow]
    n: int = 0
    flaws: list[str] = field(default_factory=list)

    def become(self, role: str, org: str | None) -> None:
        """Act as a role for an organisation; None sets none."""
        self.root.execute(sql.SQL("set local role {}").format(sql.Identifier(role)))
        self.root.execute("select set_config('saidonce.org', %s, true)", (org or "",))
        if org is None:
            self.root.execute("reset saidonce.org")

    def check(self, statement: str, expected: int | str, who: str) -> None:
        """Note a statement that does not touch so many rows, or is not refused."""
        self.n += 1
        came_to: int | str
        try:
            with self.root.transaction(force_rollback=True):
                cursor = self.root.execute(statement)
                row = cursor.fetchone() if cursor.description else None
                came_to = row[0] if row is not None else cursor.rowcount
        except psycopg.errors.InsufficientPrivilege:
            came_to = "refused"
        if came_to != expected:
            self.flaws.append(f"{who}: {statement}: {came_to}, expected {expected}")


@pytest.fixture
def trials(root: Connection[TupleRow]) -> Trials:
    return with_rows(root)


def with_rows(root: Connection[TupleRow]) -> Trials:
    """A base with one row of each of two organisations in every table, which is taken back at the end."""
    root.execute("set local session_replication_role = replica")  # rows without what they refer to
    for table in tables(root):
        checks = rows(root, f"select conname from pg_constraint where conrelid = '{table}'::regclass and contype = 'c'")
        for (name,) in checks:
            root.execute(
                sql.SQL("alter table {} drop constraint {}").format(sql.Identifier(table), sql.Identifier(name))
            )
        columns = rows(
            root,
            "select attname, format_type(atttypid, null) from pg_attribute where attnum > 0 and not attisdropped"
            f" and attrelid = '{table}'::regclass and attidentity = '' and attgenerated = '' and attnotnull",
        )
        for org in ("one", "two"):
            root.execute(sql.SQL("delete from {} where org_id = {}").format(sql.Identifier(table), org))
            values = [org if name == "org_id" else A_VALUE[kind] for name, kind in columns]
            names = sql.SQL(", ").join(sql.Identifier(name) for name, _ in columns)
            root.execute(
                sql.SQL("insert into {} ({}) values ({})").format(
                    sql.Identifier(table), names, sql.SQL(", ").join(map(sql.Literal, values))
                )
            )
    root.execute("set local session_replication_role = origin")
    return Trials(root)


def test_nobody_reaches_a_row_of_an_organisation_that_they_do_not_act_as(trials: Trials) -> None:
    root = trials.root
    everything = tables(root)
    for org in FORGED:
        trials.become(APP_ROLE, org)
        for table in everything:
            who, may = f"the program as {org!r}", app_rights(table)
            trials.check(f'select count(*) from "{table}"', 0, who)
            trials.check(f'delete from "{table}"', 0 if "DELETE" in may else "refused", who)
            trials.check(f'update "{table}" set org_id = org_id', 0 if "UPDATE" in may else "refused", who)
            trials.check(f"insert into \"{table}\" (org_id) values ('one')", "refused", who)
        root.execute("reset role")
    trials.become(APP_ROLE, "two")
    for table in everything:
        may = app_rights(table)
        trials.check(f'select count(*) from "{table}"', 1, "the program as 'two'")
        trials.check(f"select count(*) from \"{table}\" where org_id <> 'two'", 0, "the program as 'two'")
        for verb, statement in (
            ("DELETE", f"delete from \"{table}\" where org_id = 'one'"),
            ("UPDATE", f"update \"{table}\" set org_id = org_id where org_id = 'one'"),
        ):
            trials.check(statement, 0 if verb in may else "refused", "the program as 'two'")
        trials.check(f"insert into \"{table}\" (org_id) values ('one')", "refused", "the program as 'two'")
        trials.check(f"update \"{table}\" set org_id = 'one'", "refused", "the program as 'two'")
        for statement in (
            f'truncate "{table}"',
            f'alter table "{table}" disable row level security',
            f'drop table "{table}"',
        ):
            trials.check(statement, "refused", "the program as 'two'")
    root.execute("reset role")
    assert trials.flaws == []
    assert trials.n >= 25 * len(everything) > 1_250


def test_nobody_else_reaches_a_row_at_all(trials: Trials) -> None:
    root = trials.root
    everything = [*tables(root), *WITHOUT_ORG]
    root.execute("create role passer_by nologin")
    root.execute(f"grant usage on schema {SCHEMA} to passer_by")
    owner = root.execute("select relowner::regrole::text from pg_class where relname = 'block'").fetchone()
    assert owner is not None
    assert root.execute("select rolsuper from pg_roles where rolname = %s", owner).fetchone() == (False,)
    trials.become("passer_by", "one")
    for table in everything:
        for statement in (f'select count(*) from "{table}"', f'delete from "{table}"', f'truncate "{table}"'):
            trials.check(statement, "refused", "a login without rights")
    for (call,) in rows(root, "select oid::regprocedure::text from pg_proc where pronamespace = {own}"):
        allowed = root.execute("select has_function_privilege(%s, 'execute')", (call,)).fetchone()
        trials.n += 1
        assert allowed == (False,), call
    root.execute("reset role")
    for org in ("one", None):
        trials.become(owner[0], org)
        for table in tables(root):
            trials.check(f'select count(*) from "{table}"', 0, "the owner of the tables")
        root.execute("reset role")
    trials.become(READER_ROLE, "one")
    for table in WITHOUT_ORG:
        for statement in (f'select count(*) from "{table}"', f'delete from "{table}"'):
            trials.check(statement, "refused", "the reader")
    for table in tables(root):
        trials.check(f"insert into \"{table}\" (org_id) values ('one')", "refused", "the reader")
        others = f"delete from \"{table}\" where org_id = 'two'"
        trials.check(others, 0 if table in ERASES else "refused", "the reader")
    root.execute("reset role")
    assert trials.flaws == []
    assert trials.n > 6 * len(everything)
