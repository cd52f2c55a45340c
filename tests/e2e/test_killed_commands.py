"""A command that is stopped at its first write has changed nothing, and does its work when it is given again."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from chat_server import chatting
from command_line import Shell
from conftest import prepared, reachable_folder
from embedding_server import embedding
from every_command import lines as command_lines
from every_command import paths_of
from injections import perfect, read
from interruptions import started
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.interfaces.cli import walk

HANDBOOK = Path(__file__).resolve().parents[2] / "examples" / "handbook"
EXIT_CODES = {signal.SIGINT: (130,), signal.SIGTERM: (143, -15), signal.SIGKILL: (-9,)}
WAIT_S = 120.0

LEDGER = """
merge {kept0} {new0} --flag {flag0} | keep-apart {kept1} {new1} --flag {flag1}
conflict {kept2} {new2} --flag {flag2} | dismiss {flag3} | assign {flag4} ann | opine
review bulk keep-apart --differs number --yes | review add-rule version | audit {merge0} --wrong | revert {merge1}
split {block} {member} | edit {block} Kept | approve {block} | own {block} ann | remove onboarding.txt
sources remove {source} | db export again.jsonl --force
--org copy db import export.jsonl | sync folder -c synced | evaluate retrieval beir
"""
PEOPLE = """
people add bob | people role bob reviewer | keys make bob | keys revoke {key} | people leave bob
channels add webhook https://hooks.example.com/x | channels remove {channel}
"""
GATE = """
gate import lines.jsonl --gate other | gate check others.jsonl | gate held assign {held0} --to ann
gate held note {held0} looked | gate held decide {held0} --let-through --why other | gate held undo {undo}
gate override {held1} --why other | gate held audit {held1} --wrong --as ben | gate release {held1} --why gone
"""
ASKED_AGAIN = "gate retry"
MOVED = "gate reembed"
REPAIRS = """
alarms acknowledge {alarm} | alarms all-clear {alarm} | homes import homes.csv | call-outs set lists.toml
conversations take-over {talk} | conversations write {talk} Hello | conversations hand-back {talk}
conversations undo {talk} | conversations approve {talk} {tenancy}
issues move {issue} in_progress | issues own {issue} ann | issues propose {issue} 2031-05-05T10:00/11:00
issues book {issue} 2031-05-05T10:00/11:00 | issues cancel-visit {issue}
issues assign {issue} Bo --phone +447700900077 | issues revoke {issue} | issues close {issue}
homes end {tenancy} | homes undo {tenancy} | chat --as Ana --json < more.jsonl
residents export {resident} --out ana.zip | residents erase {resident} --yes
"""

COUNTED = "search backups | context backups | ask backups"
"""Commands that count themselves, and write nothing else."""

READ_ONLY = """
sources list | status | documents | settings | pairs show | queue
review groups | review rules | review throughput | decisions | settled | people list | keys list | security-log
channels list | gate verdict {verdict} | gate export verdicts.jsonl | gate replay
gate stats | gate list | gate held throughput | gate held show {held} | conversations list | alarms list
call-outs show | issues list | homes list | residents log | why {block}
evaluate quality | doctor | calibrate --decisions | adjudicator show
"""
"""Commands that write nothing into the base."""

NOT_KILLED = {
    "reads a conversation or an issue as `list` does": "conversations show | conversations replay | issues show",
    "reads files or sends a message, and reads the base at most as `search` and `decisions` do": """
    channels test | db new-key | dedupe | evaluate pairs | evaluate contrast | evaluate said-again | evaluate scenarios
    evaluate tenants | evaluate emergencies | evaluate questions | adjudicator train | adjudicator evaluate
    pairs translations
    """,
    "asks nothing else of the store than `evaluate retrieval`": "evaluate context",
    "`gate retry` under another name": "gate again",
    "changes rows that can be computed again, and goes on where it was (tests/e2e/test_stopped_commands.py)": """
    pairs rebuild | pairs compare | rebuild
    """,
    "killed while it writes (`python -m benchmarks.chaos`)": "ingest | db migrate | backup | restore | serve | worker",
    "all or nothing, as `gate reembed` (tests/e2e/test_stopped_commands.py stops it)": "reembed",
    "serves, and writes what `serve` does": "mcp | demo repairs",
    "a clear is retracted only by an auto-rater of another version (tests/flows/test_clears_taken_back.py)": """
    gate recheck
    """,
    "writes one row of a contact, the first time (tests/e2e/test_repairs_commands.py)": "homes link",
    "deletes what is older than days that no test waits for (tests/e2e/test_residents_commands.py)": """
    residents retention
    """,
}
"""Commands that stand in no table above, and why."""


@dataclass
class Base:
    """A real base with something of everything, and what its ids are called in the tables above."""

    folder: Path
    shell: Shell
    server: EmbeddedServer
    names: dict[str, str] = field(default_factory=dict)

    @contextmanager
    def sealed(self) -> Iterator[psycopg.Connection[Any]]:
        """Let nobody write to any table: whoever wants to waits."""
        with psycopg.connect(self.server.url) as connection:
            tables = [sql.Identifier("saidonce", name) for name in self.tables(connection)]
            connection.execute(sql.SQL("lock table {} in share mode").format(sql.SQL(", ").join(tables)))
            with psycopg.connect(self.server.url, autocommit=True) as looking:  # A transaction sees one moment of it.
                yield looking
            connection.rollback()

    @staticmethod
    def tables(connection: psycopg.Connection[Any]) -> list[str]:
        query = "select tablename from pg_tables where schemaname = 'saidonce' order by 1"
        return [name for (name,) in connection.execute(query)]

    def content(self) -> dict[str, str]:
        """A sum of every table."""
        with psycopg.connect(self.server.url, autocommit=True) as connection:
            _until(lambda: _n(connection, "state <> 'idle'") == 0, "the killed one's session does not end")
            add = sql.SQL("select coalesce(md5(string_agg(md5(t::text), '' order by md5(t::text))), '') from {} t")
            return {
                name: str(connection.execute(add.format(sql.Identifier("saidonce", name))).fetchone())
                for name in self.tables(connection)
            }

    def start(self, words: list[str]) -> subprocess.Popen[bytes]:
        """Start a command; what stands behind "<" names a file that is typed into it."""
        words, file = (words[:-2], words[-1]) if "<" in words else (words, "")
        command = [sys.executable, "-m", "saidonce", *words]
        with (self.folder / file).open("rb") if file else contextlib.nullcontext(subprocess.DEVNULL) as typed:
            return started(command, self.folder, self.shell.env, subprocess.PIPE, typed)


def _n(connection: psycopg.Connection[Any], which: str) -> int:
    query = f"select count(*) from pg_stat_activity where backend_type = 'client backend' and {which}"
    row = connection.execute(f"{query} and pid <> pg_backend_pid()").fetchone()
    assert row is not None
    return int(row[0])


def _until(happens: Callable[[], bool], trouble: str) -> None:
    end = time.monotonic() + WAIT_S
    while not happens():
        assert time.monotonic() < end, trouble
        time.sleep(0.02)


@pytest.fixture
def base() -> Iterator[Base]:
    folder = reachable_folder()
    prepared(folder / "data")
    with Shell(folder / "data") as shell:
        shell.env |= {"SAIDONCE_GRAY_ZONE": "sort", "SAIDONCE_OWNER": "ann"}
        server = EmbeddedServer(folder / "data")
        yield Base(folder, shell, server)
        server.close()
    shutil.rmtree(folder, ignore_errors=True)


def killed_and_repeated(base: Base, words: list[str]) -> str:
    """Stop a command in its first write by each signal, and let it end then; return what it printed.

    What was sent together with its commit is done as a whole, also if the sender is killed meanwhile; the command then
    finds it done.
    """
    before = after = base.content()
    for number, codes in EXIT_CODES.items():
        with base.sealed() as connection:
            process = base.start(words)
            _until(lambda: process.poll() is not None or _n(connection, "wait_event_type = 'Lock'") > 0, "no write")  # noqa: B023
            assert process.poll() is None, f"{words} ended before it wrote: {process.communicate()}"
            process.send_signal(number)
            _, errors = process.communicate(timeout=60)
        assert process.returncode in codes, (words, number, process.returncode, errors)
        assert b"Traceback" not in errors, (words, number, errors)
        after = base.content()
        changed = [name for name in before if before[name] != after[name]]
        assert not changed or (number is signal.SIGKILL and words[:2] == ["gate", "check"]), (words, number, changed)
    process = base.start(words)
    printed, errors = process.communicate(timeout=WAIT_S)
    assert process.returncode in (0, 4), (words, errors)
    assert (base.content() == after) == (after != before), f"{words} changes nothing, or did not change all at once"
    return (printed + errors).decode()


def in_turn(base: Base, table: str, found: Callable[[str, str], dict[str, str]] = lambda words, printed: {}) -> None:
    """Do so with every command of a table, and check the base after each."""
    for line in (each.strip() for each in table.replace("\n", " | ").split(" | ") if each.strip()):
        words = [word.format(**base.names).replace("/", "-") if "2031" in word else word.format(**base.names)
                 for word in line.split()]  # fmt: skip
        base.names |= found(line, killed_and_repeated(base, words))
        assert base.shell.invoke("rebuild").returncode == 0, line


def lines(folder: Path, name: str, rows: list[dict[str, Any]]) -> None:
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.mark.slow
@pytest.mark.timeout(3_600)
def test_commands_of_the_ledger(base: Base) -> None:
    shell, folder = base.shell, base.folder
    shutil.copytree(HANDBOOK, folder / "handbook")
    for name in ("folder", "watched", "second", "beir"):
        (folder / name).mkdir()
        (folder / name / f"{name}.md").write_text(f"The {name} is kept in the shed behind the house.", "utf-8")
    lines(folder, "beir/corpus.jsonl", [{"_id": "1", "title": "", "text": "Backups are kept for 30 days."}])
    lines(folder, "beir/queries.jsonl", [{"_id": "q", "text": "how long are backups kept?"}])
    lines(folder, "beir/qrels.jsonl", [{"query": "q", "doc": "1", "score": 1}])
    policy = (HANDBOOK / "backup-policy.md").read_text(encoding="utf-8")
    (folder / "second" / "backup-policy.md").write_text(policy.replace("2025-03-03", "2026-03-02"), "utf-8")
    shell.run("ingest", "handbook", "second", "--use", "canonical", "-q")
    shell.run("sync", "watched", "-c", "watched")
    shell.run("db", "export", "export.jsonl")
    for place, pair in enumerate(shell.json("queue", "-n", "50")["pairs"]):
        base.names |= {f"flag{place}": str(pair["seq"]), f"kept{place}": pair["of"], f"new{place}": pair["candidate"]}
    merges = [d for d in shell.json("decisions", "-n", "100") if d["verb"] == "merge"]
    base.names |= {f"merge{place}": str(d["seq"]) for place, d in enumerate(merges)}
    members = merges[2]["members"]
    base.names |= {"block": members[0], "member": members[1], "source": shell.json("sources", "list")[0]["id"]}
    in_turn(base, LEDGER)


@pytest.mark.slow
@pytest.mark.timeout(1_800)
def test_commands_for_people_keys_and_channels(base: Base) -> None:
    base.shell.run("people", "add", "ann", "--role", "owner")

    def found(line: str, printed: str) -> dict[str, str]:
        if line.startswith("keys make"):
            return {"key": printed.split("_")[2]}
        return {"channel": printed.split()[1]} if line.startswith("channels add") else {}

    in_turn(base, PEOPLE, found)


@pytest.mark.slow
@pytest.mark.timeout(1_800)
def test_commands_of_the_gate(base: Base) -> None:
    things = ("shirts", "hats", "coats", "ties", "socks")
    rows = [{"id": f"t{n}", "text": f"Count the {thing} in the stock room."} for n, thing in enumerate(things)]
    lines(base.folder, "lines.jsonl", rows)
    lines(base.folder, "others.jsonl", [{"id": "u", "text": "Water the plants on the roof every Sunday."}])
    for n in (1, 2):
        rows.append({"id": f"again{n}", "text": f"Count the shirts in stock room {n}, all of them."})
    lines(base.folder, "all.jsonl", rows)
    base.shell.run("gate", "check", "all.jsonl", code=4)
    held = [verdict["id"] for verdict in base.shell.json("gate", "held")["held"]]
    base.names |= {f"held{place}": id_ for place, id_ in enumerate(held)}

    def found(line: str, printed: str) -> dict[str, str]:
        named = re.search(r"held undo (\S+?)'", printed)
        return {"undo": named[1]} if named else {}

    in_turn(base, GATE, found)


@pytest.mark.slow
@pytest.mark.timeout(3_600)
def test_commands_of_the_repair_assistant(base: Base) -> None:
    header = "address,unit,postcode,resident,phones,starts,ends\n"
    ana = "12 Elm Road,Flat 2,LS6 3AB,Ana Bell,+447700900001,2024-03-01,\n"
    (base.folder / "homes.csv").write_text(header + ana, "utf-8")
    base.shell.run("homes", "import", "homes.csv")
    (base.folder / "homes.csv").write_text(header + ana + "14 Elm Road,,LS6 3AB,Ben Hall,,2024-03-01,\n", "utf-8")
    (base.folder / "lists.toml").write_text("[[step]]\nwait_minutes = 5\n", "utf-8")
    messages = ({"text": "My boiler in the kitchen is not working"}, {"button": "photo:none"}, {"text": "I smell gas"})
    lines(base.folder, "talk.jsonl", list(messages))
    talk = (base.folder / "talk.jsonl").read_bytes()
    command = [sys.executable, "-m", "saidonce", "chat", "--as", "Ana Bell", "--json"]
    subprocess.run(command, env=base.shell.env, cwd=base.folder, input=talk, capture_output=True, check=True)
    (issue,) = (i for i in base.shell.json("issues", "list") if "boiler" in i["description"])
    lines(base.folder, "more.jsonl", [{"text": "The tap in the bathroom drips"}])
    tenancies = base.shell.json("homes", "list")
    base.names |= {
        "talk": issue["conversation"], "issue": issue["id"], "tenancy": issue["tenancy"],
        "resident": next(t["resident"]["id"] for t in tenancies if t["tenancy"] == issue["tenancy"]),
        "alarm": base.shell.json("alarms", "list")[0]["id"],
    }  # fmt: skip
    in_turn(base, REPAIRS)


@pytest.mark.slow
@pytest.mark.timeout(1_800)
def test_a_gate_that_asks_again(base: Base) -> None:
    kept = "Count the shirts in the stock room of the shop and note on the sheet what is missing."
    rows = [{"id": "kept", "text": kept}, {"id": "other", "text": kept.replace("shirts", "gloves")}]
    lines(base.folder, "tasks.jsonl", rows)
    with chatting() as chat:
        base.shell.env |= {
            "SAIDONCE_GATE_LLM_ENABLED": "true", "SAIDONCE_GATE_ADJUDICATOR": "openai:scripted",
            "SAIDONCE_GATE_MODEL_URL": chat.url, "SAIDONCE_GATE_MODEL_KEY": "none", "NO_PROXY": "127.0.0.1",
        }  # fmt: skip
        base.shell.run("gate", "check", "tasks.jsonl", code=4)  # the endpoint fails
        chat.reply = lambda request: (200, perfect(read(request["messages"][-1]["content"])))
        in_turn(base, ASKED_AGAIN)


@pytest.mark.slow
@pytest.mark.timeout(1_800)
def test_a_gate_that_moves_to_another_model(base: Base) -> None:
    lines(base.folder, "tasks.jsonl", [{"id": "kept", "text": "Count the shirts in the stock room of the shop."}])
    base.shell.run("gate", "check", "tasks.jsonl")
    with embedding() as url:
        base.shell.env |= {"SAIDONCE_EMBEDDER": "openai:tiny", "SAIDONCE_EMBEDDER_URL": url, "NO_PROXY": "127.0.0.1"}
        in_turn(base, MOVED)


def test_every_command_is_killed_or_not_for_a_reason() -> None:
    tables = (LEDGER, PEOPLE, GATE, ASKED_AGAIN, MOVED, REPAIRS, COUNTED, READ_ONLY)
    killed = [path for table in tables for path in paths_of(table.replace("--org copy ", ""))]
    groups = {path.rpartition(" ")[0] for path, _ in walk()}
    commands = {path.removeprefix("saidonce ") for path, _ in walk() if path not in groups}
    spared = [path for table in NOT_KILLED.values() for path in paths_of(table)]
    assert len(spared) == len(set(spared))
    assert set(spared).isdisjoint(killed)
    assert {*killed, *spared} == commands


@pytest.mark.slow
@pytest.mark.timeout(1_800)
def test_commands_that_write_nothing(base: Base) -> None:
    (base.folder / "texts").mkdir()
    (base.folder / "texts" / "backups.md").write_text("Backups are kept for 35 days in the vault.", "utf-8")
    header = "address,unit,postcode,resident,phones,starts,ends\n"
    (base.folder / "homes.csv").write_text(header + "12 Elm Road,,LS6 3AB,Ana Bell,,2024-03-01,\n", "utf-8")
    shirts = [{"id": str(n), "text": f"Count the shirts in stock room {n}, all of them."} for n in (1, 2)]
    lines(base.folder, "tasks.jsonl", shirts)
    base.shell.run("ingest", "texts", "--use", "canonical", "-q")
    base.shell.run("homes", "import", "homes.csv")
    base.shell.run("gate", "check", "tasks.jsonl", code=4)
    held = base.shell.json("gate", "held")["held"][0]["id"]
    base.names |= {
        "held": held, "verdict": held, "block": base.shell.json("search", "backups")["hits"][0]["id"],
    }  # fmt: skip
    changed = {}
    for words in (line.words for line in command_lines(f"{READ_ONLY} | {COUNTED}")):
        before = base.content()
        base.shell.invoke(*(word.format(**base.names) for word in words), code=int(words[0] == "calibrate"))
        after = base.content()
        if tables := {name for name in after if after[name] != before.get(name)}:
            changed[" ".join(words)] = tables
    assert changed == {line.text: {"counter", "org"} for line in command_lines(COUNTED)}
