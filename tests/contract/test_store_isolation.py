"""What raw SQL may see and do with the rights of the program; the database itself keeps organisations apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import numpy as np
import psycopg
import pytest
from psycopg import Connection
from psycopg.rows import TupleRow
from store_cases import DIM, MODEL, Draft, Piece, collection, simple, write_of

from conftest import SERVERS
from saidonce.adapters.postgres.migrate import APP_ROLE, READER_ROLE
from saidonce.adapters.postgres.postgres import PostgresStore
from saidonce.adapters.postgres.statements import queries
from saidonce.adapters.postgres.wire import filter_values
from saidonce.errors import NotFoundError
from saidonce.foundation.model import (
    POLICY,
    Admission,
    ApiKey,
    Candidate,
    Channel,
    ChannelKind,
    Collection,
    Detail,
    Filters,
    Flag,
    GateAct,
    GateDefinition,
    GateEvent,
    GateFields,
    GateState,
    GateVerdict,
    Member,
    NearText,
    Notice,
    Opinion,
    Original,
    Person,
    ReviewNote,
    Role,
    Ruling,
    Scope,
    SecondOpinion,
    Submission,
    Verb,
)
from saidonce.foundation.model import DecisionDraft as Decided
from saidonce.foundation.model.conversation import IssueState, OutboxState
from saidonce.foundation.model.personal_data import DataAct, DataActKind
from saidonce.foundation.model.residents import InboundKind, Media
from saidonce.foundation.model.security import SecurityEvent, SecurityFilter, SecurityKind
from saidonce.foundation.model.syncs import SyncEntry, SyncSource, UpstreamKind
from saidonce.foundation.ports import GateWrite
from saidonce.foundation.text import digest
from talk_cases import FILE, T, due, message, whole
from world import NOON

Raw = Connection[TupleRow]

TABLES = (
    "org", "collection", "document", "name", "version", "segment", "placement", "embedding", "embedding_use", "term",
    "term_count", "heading", "block", "gone", "counter", "decision", "concern", "apart", "member", "flag",
    "person", "api_key", "channel", "notice", "gate", "gate_verdict", "admission", "admission_vector", "gate_event",
    "gate_ruling", "gate_review", "gate_budget", "property", "resident", "resident_contact", "tenancy", "conversation",
    "inbox", "inbound", "turn", "issue", "emergency", "outbox", "landlord_notice", "media", "waiting_media",
    "issue_move", "opinion", "pair", "pair_text", "data_act", "call_out", "security_event", "original",
    "sync_source", "sync_entry",
)  # fmt: skip

REPLACED = frozenset({"call_out", "original"})
"""Rows that come and go, and never change."""

APPEND_ONLY = frozenset(
    {"gate_event", "turn", "landlord_notice", "inbound", "opinion", "issue_move", "data_act", "security_event"}
)


BOTH = pytest.mark.parametrize("url", ["embedded_server", "external_server"], indirect=True)
"""What depends on the login and on who owns the tables is checked on both servers; all else in `make proofs`."""


@pytest.fixture(params=SERVERS)
def url(request: pytest.FixtureRequest) -> str:
    server = request.getfixturevalue(request.param)
    return server if isinstance(server, str) else str(server.url)


@pytest.fixture
def store(url: str, org: str) -> Iterator[PostgresStore]:
    made = PostgresStore(url, org)
    made.ensure_collection(collection())
    pieces = (Piece("Backups are kept for 30 days.", heading=("Retention",)), Piece("Again.", "near"))
    seen = (Original("a" * 64, 1, "image/jpeg", b"\xff\xd8\xff", "picture:00"),)
    made.put_document(replace(write_of(Draft("a", pieces, counts={"n": 1.0})), fingerprint="a" * 64, originals=seen))
    made.put_document(simple("b", "gone"))
    made.remove_document("main", "b")
    decide(made)
    compare(made)
    yield made
    made.close()


def decide(store: PostgresStore) -> None:
    """Put something into the tables of decisions and people."""
    wanted = Collection("shared", "canonical", "paragraph", MODEL, DIM)
    store.ensure_collection(wanted)
    write = simple("c", "Doors are locked at night.", "Doors are shut at night.", collection="shared")
    store.put_document(write)
    member, other = (Member(s, "shared", write.document_id, "c", "", None, NOON, 0.5, 0.0) for s in write.segments)
    store.ledger.put_members(write.document_id, [member, other])
    pair = (member.segment.content_hash, other.segment.content_hash)
    (flag, _) = store.ledger.append(
        [
            Decided(verb=Verb.FLAG, collection="shared", members=(member.id, other.id), actor=POLICY),
            Decided(
                verb=Verb.KEEP_APART, collection="shared", members=(member.id, other.id), actor="ann",
                detail=Detail(pairs=((min(pair), max(pair)),)),
            ),
        ]
    )  # fmt: skip
    store.ledger.put_flags([Flag(flag.seq, "shared", member.id, other.id, (), "unsure", 0.5, True, "")])
    store.opinions.add([SecondOpinion(flag.seq, "t", "j", Ruling(Opinion.UNSURE), NOON)])
    store.people.put_person(Person("ann", "", Role.OWNER, NOON))
    store.people.put_key(ApiKey("k", "ann", "", frozenset({Scope.READ}), "h", NOON))
    store.people.put_channel(Channel("c", ChannelKind.EMAIL, "ann@example.com", "", 0, "", 0, NOON))
    store.people.put_notice(Notice("n", "c", 0, 1, NOON))
    store.security.append(SecurityEvent(SecurityKind.SIGNED_IN, NOON, "ann"))
    store.syncs.put_source(SyncSource("s" * 32, "main", "/srv/wiki", UpstreamKind.FOLDER, NOON))
    store.syncs.put_entries([SyncEntry("s" * 32, "a")])
    let_in(store)
    whole(store)
    store.conversations.record_act(DataAct(DataActKind.EXPORTED, NOON, "ann", "s1"))


def compare(store: PostgresStore) -> None:
    """Put something into the pair table."""
    store.put_document(simple("d", "Windows are shut at night."))
    step, (a, b, *_) = store.pairs.unlisted(MODEL, 0.9)
    assert store.pairs.put_lists([a], [NearText(a, b, 0.95)], 0.9, step) is not None


def let_in(store: PostgresStore) -> None:
    """Put something into the tables of gates."""
    store.gates.ensure(GateDefinition("g", GateFields(), "m", 2, NOON))
    submission = Submission("x")
    pending = GateVerdict("gv-1", "g", submission, "f", GateState.PENDING, NOON)
    admission = Admission("a", "g", Candidate("x", "h"), submission, "p", "gv-1", NOON)
    event = GateEvent("g", "gv-1", GateAct.SUBMITTED, "gate", "", NOON)
    vector = np.array([1, 0], np.float32)
    store.gates.write(GateWrite((pending,), admissions=((admission, vector),), events=(event,)))
    store.gates.remember({"k": Ruling(Opinion.UNSURE)})
    store.gates.note_review(ReviewNote("r", "n", "r-1", NOON))
    store.gates.spend(NOON.date(), 1, 0.5)


@pytest.fixture
def raw(url: str, store: PostgresStore) -> Iterator[Raw]:
    """A connection with the rights of the program, and no organisation."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"set search_path = {store._database._search_path}")
        connection.execute(f"set role {APP_ROLE}")
        yield connection


@BOTH
@pytest.mark.parametrize("forged", [None, "", "another org", "' or true --"])
def test_without_the_right_organisation_nothing_is_seen(raw: Raw, forged: str | None) -> None:
    if forged is not None:
        raw.execute("select set_config('saidonce.org', %s, false)", (forged,))
    for table in TABLES:
        assert raw.execute(f"select count(*) from {table}").fetchone() == (0,), table
        for statement in (f"delete from {table}", f"update {table} set org_id = org_id"):
            if table not in APPEND_ONLY and not (table in REPLACED and statement.startswith("update")):
                assert raw.execute(statement).rowcount == 0, table
    everything = filter_values(Filters())
    assert raw.execute("select * from similar_headings('retention')").fetchall() == []
    assert raw.execute("select * from similar_terms('{backup}')").fetchall() == []
    ids = {"asked": list(range(1, 200)), "rare": list(range(1, 200)), **everything}
    assert raw.execute(queries()["lexical"], ids).fetchall() == [(None, None, None)]


def test_with_the_organisation_everything_is_seen(raw: Raw, store: PostgresStore) -> None:
    raw.execute("select set_config('saidonce.org', %s, false)", (store.org,))
    for table in TABLES:
        assert raw.execute(f"select count(*) > 0 from {table}").fetchone() == (True,), table
    assert raw.execute("select count(*) from similar_headings('retention')").fetchone() == (1,)


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("gate_event", "actor"),
        ("turn", "record"),
        ("landlord_notice", "record"),
        ("inbound", "record"),
        ("opinion", "outcome"),
        ("issue_move", "record"),
        ("data_act", "record"),
        ("security_event", "record"),
    ],
)
def test_logs_can_only_grow(raw: Raw, store: PostgresStore, table: str, column: str) -> None:
    raw.execute("select set_config('saidonce.org', %s, false)", (store.org,))
    for statement in (f"delete from {table}", f"update {table} set {column} = 'null'", f"truncate {table}"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            raw.execute(statement)
    assert raw.execute(f"select count(*) > 0 from {table}").fetchone() == (True,)


def test_neither_the_owner_nor_a_superuser_changes_the_security_log(url: str, store: PostgresStore) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"set search_path = {store._database._search_path}")
        for statement in ("delete from", "update", "truncate"):
            change = " set person = 'nobody'" if statement == "update" else ""
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="can only grow"):
                connection.execute(f"{statement} security_event{change}")
    assert len(store.security.events(SecurityFilter())) == 1


def test_states_are_those_of_the_two_machines(raw: Raw, store: PostgresStore) -> None:
    raw.execute("select set_config('saidonce.org', %s, false)", (store.org,))
    for change in (
        """conversation set record = '{"identity": "known"}'""",
        """conversation set record = '{"gathering": "done"}'""",
        """conversation set record = '{"draft": {"photo": "maybe"}}'""",
        "conversation set lease_by = 'nobody', lease_until = null",
        "outbox set state = 'lost'",
        "emergency set state = 'over'",
        "issue set state = 'gone'",
        "media set sha256 = 'short'",
    ):
        with pytest.raises(psycopg.errors.CheckViolation):
            raw.execute(f"update {change}")


def test_the_worker_learns_who_has_conversations_and_nothing_else(raw: Raw, store: PostgresStore) -> None:
    raw.execute("select set_config('saidonce.org', '', false)")
    found = [org for (org,) in raw.execute("select * from orgs_with_conversations()").fetchall()]
    assert found.count(store.org) == 1
    assert found == sorted(found)
    for table in ("conversation", "inbound", "outbox", "emergency", "home"):
        assert raw.execute(f"select count(*) from {table}").fetchone() == (0,), table


def test_organisations_without_anything_to_do_are_not_named(raw: Raw, store: PostgresStore) -> None:
    quiet = store.of_org(f"{store.org}-quiet")
    kept, _ = quiet.conversations.receive(message(), due)
    ask = "select count(*) from orgs_with_conversations(%s) as org where org = %s"
    assert raw.execute(ask, (T, quiet.org)).fetchone() == (1,), "not scanned"
    quiet.conversations.record_scan(kept, 0, (), (), ())
    for later, is_due in ((0, 0), (2, 1)):
        assert raw.execute(ask, (T + timedelta(seconds=later), quiet.org)).fetchone() == (is_due,)


def test_an_organisation_is_named_when_a_file_is_due(raw: Raw, store: PostgresStore) -> None:
    waits = store.of_org(f"{store.org}-waits")
    sent = replace(message(), kind=InboundKind.MEDIA, media=(Media("m1", "image/jpeg"),))
    kept, _ = waits.conversations.receive(sent, lambda *_: T + timedelta(days=9))
    waits.conversations.record_scan(kept, 0, (), (), ())
    (waiting,) = waits.conversations.take_media(T, T + timedelta(seconds=60))
    ask = "select count(*) from orgs_with_conversations(%s) as org where org = %s"
    for later, is_due in ((59, 0), (60, 1)):
        assert raw.execute(ask, (T + timedelta(seconds=later), waits.org)).fetchone() == (is_due,)
    waits.conversations.end_media(waiting)
    assert raw.execute(ask, (T + timedelta(seconds=60), waits.org)).fetchone() == (0,)


def test_another_organisation_sees_no_conversation(store: PostgresStore) -> None:
    other = store.of_org(f"{store.org}-other")
    id_ = store.conversations.conversations()[0].id
    sha256 = store.media.put(FILE, "image/jpeg")
    talk = other.conversations
    seen = (
        *talk.conversations(), *talk.homes(), *talk.issues(), *talk.outbox(), *talk.events(), *talk.notices(),
        *talk.inbounds(id_), *talk.turns(id_), *talk.unscanned(), *talk.issue_moves(),
    )  # fmt: skip
    assert seen == ()
    assert other.conversations.claim("w", NOON, NOON) is None
    assert other.conversations.homes_of(["whatsapp:user"], "+447700900001", T) == ()
    assert other.media.get(sha256) is None
    for touch in (
        lambda: other.conversations.conversation(id_),
        lambda: other.conversations.release(id_, "w"),
        lambda: other.conversations.mark_outbox("o1", OutboxState.READ),
        lambda: other.conversations.move_issue("i1", IssueState.DONE, "intruder", T),
    ):
        with pytest.raises(NotFoundError):
            touch()
    assert other.media.put(FILE, "image/png") == sha256
    assert (store.media.get(sha256), other.media.get(sha256)) == ((FILE, "image/jpeg"), (FILE, "image/png"))


def test_the_worker_learns_names_of_organisations_and_nothing_else(raw: Raw, store: PostgresStore) -> None:
    raw.execute("select set_config('saidonce.org', '', false)")
    assert (store.org,) in raw.execute("select * from orgs_with_pending()").fetchall()
    assert raw.execute("select count(*) from gate_verdict").fetchone() == (0,)
    assert (store.org,) in raw.execute("select * from orgs_in_doubt()").fetchall()
    assert raw.execute("select count(*) from flag").fetchone() == (0,)
    assert (store.org,) in raw.execute("select * from orgs_with_pairs_waiting(0.9, 'guards', null)").fetchall()
    for table in ("pair", "pair_text", "org"):
        assert raw.execute(f"select count(*) from {table}").fetchone() == (0,), table


def test_a_store_of_another_organisation_has_gates_of_its_own(store: PostgresStore) -> None:
    other = store.of_org(f"{store.org}-other")
    assert other.gates.gates() == ()
    other.gates.ensure(GateDefinition("theirs", GateFields(), "m", 2, NOON))
    assert [g.name for g in store.gates.gates()] == ["g"]
    assert [g.name for g in other.gates.gates()] == ["theirs"]


@BOTH
def test_another_organisation_cannot_be_written(raw: Raw, store: PostgresStore) -> None:
    raw.execute("select set_config('saidonce.org', 'intruder', false)")
    for statement in (
        "insert into org (org_id) values (%s)",
        "insert into counter (org_id, name, value) values (%s, 'x', 1)",
        "insert into gone (org_id, model, block_id, rev) values (%s, 'm', 'b', 9)",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            raw.execute(statement, (store.org,))
    raw.execute("insert into org (org_id) values ('intruder')")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        raw.execute("update org set org_id = %s", (store.org,))
    raw.execute("delete from org")


@BOTH
def test_the_owner_of_the_tables_is_bound_too(url: str, store: PostgresStore) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        superuser = connection.execute("select rolsuper from pg_roles where rolname = current_user").fetchone()
        seen = connection.execute("select count(*) from saidonce.block").fetchone()
    assert superuser == (True,) or seen == (0,)


@BOTH
def test_rights_of_the_roles(raw: Raw) -> None:
    for role in (APP_ROLE, READER_ROLE):
        rights = raw.execute(
            "select rolcanlogin, rolsuper, rolbypassrls, rolcreatedb, rolcreaterole from pg_roles where rolname = %s",
            (role,),
        ).fetchone()
        assert rights == (False,) * 5
    for statement in (
        "create table saidonce.x (n int)",
        "drop table block",
        "truncate block",
        "select * from migration",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            raw.execute(statement)
    unbound = raw.execute(
        "select relname from pg_class where relnamespace = 'saidonce'::regnamespace and relkind = 'r'"
        " and not (relrowsecurity and relforcerowsecurity) and relname <> 'migration'"
    ).fetchall()
    assert unbound == []
    found = raw.execute(
        "select tablename from pg_tables where schemaname = 'saidonce' and tablename <> 'migration' order by 1"
    ).fetchall()
    assert [name for (name,) in found] == sorted(TABLES)


@BOTH
def test_the_program_has_no_right_too_many(raw: Raw) -> None:
    """Truncating asks no policy, nor do triggers; a log that can be changed is none."""
    lacking = raw.execute(
        "select relname, privilege from pg_class c,"
        " unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']) privilege"
        f" where relnamespace = 'saidonce'::regnamespace and relkind = 'r'"
        f" and not has_table_privilege('{APP_ROLE}', c.oid, privilege)"
    ).fetchall()
    wanted = {(table, right) for table in (*TABLES, "migration") for right in ("truncate", "references", "trigger")}
    wanted |= {("migration", right) for right in ("select", "insert", "update", "delete")}
    wanted |= {(table, right) for table in APPEND_ONLY for right in ("update", "delete")}
    assert set(lacking) == wanted | {(table, "update") for table in REPLACED}


def test_functions_that_act_for_another_role_are_nobody_elses_and_keep_their_path(raw: Raw) -> None:
    functions = raw.execute(
        "select oid::regprocedure::text, coalesce(array_to_string(proconfig, ','), ''),"
        " proacl is null or exists (select from aclexplode(proacl) where grantee = 0)"
        " from pg_proc where pronamespace = 'saidonce'::regnamespace and prosecdef"
    ).fetchall()
    assert len(functions) >= 10
    assert [name for name, settings, _ in functions if "search_path=" not in settings] == []
    assert [name for name, _, is_public in functions if is_public] == []


def test_keys_begin_with_the_organisation(raw: Raw) -> None:
    keys = raw.execute(
        "select i.indexrelid::regclass::text, a.attname, am.amname from pg_index i"
        " join pg_class c on c.oid = i.indexrelid join pg_am am on am.oid = c.relam"
        " join pg_class t on t.oid = i.indrelid and t.relname <> 'migration'"
        " join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]"
        " where c.relnamespace = 'saidonce'::regnamespace"
    ).fetchall()
    # Terms of a posting list are ids of one organisation's vocabulary.
    assert {name for name, first, _ in keys if first != "org_id"} == {"block_terms", "sync_source_next_at_idx"}


def test_searches_use_their_indexes(url: str, org: str) -> None:
    """Row-level security must not keep the planner from the indexes of non-leakproof operators."""
    store = PostgresStore(url, org)
    store.ensure_collection(collection())
    names = [digest(str(n)) for n in range(2_000)]
    pieces = tuple(Piece(f"common topic{name[:2]} item{name}", heading=(name[:16], name[16:])) for name in names)
    store.put_document(write_of(Draft("big", pieces)))
    with psycopg.connect(url, autocommit=True) as owner:
        # Other tests fill the same tables; an old estimate of this organisation's share would decide the plan.
        owner.execute("analyze saidonce.block, saidonce.heading, saidonce.term")

    with store._database.reading() as connection:
        # With rows this dear, only a planner that may not use the index reads all of them.
        connection.execute("set local cpu_tuple_cost = 10")
        rare = [t for (t,) in connection.execute("select max(term_id) from term").fetchall()]
        connection.execute(queries()["lexical"], {"asked": rare, "rare": rare, **filter_values(Filters())})
        connection.execute("select * from similar_headings(%s)", (names[7][16:],))
        connection.execute("select * from similar_terms(%s)", ([f"item{names[7]}"],))
        used = dict(
            connection.execute(
                "select relname, pg_stat_get_xact_numscans(oid) from pg_class"
                " where relkind = 'i' and relnamespace = 'saidonce'::regnamespace"
            ).fetchall()
        )
    assert used["block_terms"] > 0
    assert used["heading_letters"] > 0
    assert used["term_letters"] > 0
    store.close()


def test_one_connection_serves_organisations_in_turn_and_mixes_none(store: PostgresStore) -> None:
    """Whose turn it is is told before every transaction, and outside of it: no rollback brings another's back."""
    other = store.of_org(f"{store.org}-other")
    store.add_counters({"mine": 1.0})
    other.add_counters({"theirs": 2.0})

    def fail() -> None:
        with other.ledger.exclusive():
            other.add_counters({"lost": 1.0})
            other.remove_document("nothing", "nothing")

    for _ in range(3):
        with pytest.raises(NotFoundError):
            fail()
        assert store.counters()["mine"] == 1.0
        with pytest.raises(NotFoundError):
            store.remove_document("nothing", "nothing")
        assert other.counters() == {"theirs": 2.0}
    assert other.rev() == 1


def test_an_interrupted_statement_costs_its_connection_and_says_what_interrupted_it(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(_: object) -> None:
        raise psycopg.OperationalError("another command is already in progress")

    def interrupted() -> None:
        with store._database.writing():
            monkeypatch.setattr(psycopg.Connection, "rollback", busy)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    monkeypatch.undo()
    assert store.counters()["n"] == 1.0
