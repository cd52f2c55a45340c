"""What every command prints with --json is what the published schema says, and the schema knows every such command."""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer.main
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from typer.testing import CliRunner

from channel_server import gives, scripted
from conftest import reachable_folder
from saidonce.adapters.embed import open_embedder
from saidonce.app import knowledge_base
from saidonce.interfaces.cli import app
from saidonce.interfaces.views.catalogue import COMMANDS, LINES
from saidonce.platform.notifications.outbox import gather
from saidonce.testing import MemoryDatabase, MemoryStore

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = json.loads((ROOT / "docs" / "reference" / "schema.json").read_text(encoding="utf-8"))

EXPENSES = "Employees hand in travel expenses within a month after the trip."
ARCHIVE = "Customer data in the archive is kept under the 30-day retention policy and is then erased from every region."
VISITORS = "Visitors are registered at the front desk and wear a badge for as long as they stay in the building."
DOCUMENTS = {
    "a.md": f"# Travel\n\n{EXPENSES}\n\n{EXPENSES}\n\n- one\n- two",
    "b.md": "Staff hand in travel expenses within a month after the journey.",
    "c.md": ARCHIVE,
    "d.md": ARCHIVE.replace("30", "90"),
    "e.md": VISITORS,
    "f.md": f"All {VISITORS.lower().replace('for as long', 'as long')}",
    "g.pdf": "%PDF-1.7 broken",
}


class Shell:
    """Runs commands in this process, and keeps what they print by command."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.printed: dict[str, list[Any]] = defaultdict(list)

    def run(self, *words: str, code: int = 0, written: str = "") -> str:
        """Run a command that has to end so."""
        done = CliRunner().invoke(app, ["--data-dir", str(self.folder / "base"), *words], input=written)
        assert done.exit_code == code, f"{words}: {done.output}\n{done.exception!r}"
        return done.stdout

    def json(self, command: str, *words: str, code: int = 0, written: str = "") -> Any:
        """Run a command with --json, and keep its document or its lines."""
        output = self.run(*command.split(), *words, "--json", code=code, written=written)
        documents = [json.loads(line) for line in output.splitlines()] if command in LINES else [json.loads(output)]
        self.printed[command] += documents
        return documents if command in LINES else documents[0]

    def file(self, name: str, content: str) -> str:
        """Write a file, and return where."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        return str(path)

    def rows(self, name: str, rows: list[dict[str, Any]]) -> str:
        """Write JSON lines, and return where."""
        return self.file(name, "".join(json.dumps(row) + "\n" for row in rows))

    def keep_lines(self, answer: str, path: Path) -> None:
        """Keep what a command wrote into a file."""
        self.printed[answer] += [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def printed() -> Iterator[dict[str, list[Any]]]:
    """What each command prints, on stores in memory and with the shipped embedder."""
    folder = reachable_folder()
    database = MemoryDatabase()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(knowledge_base, "open_store", lambda _url, _folder, org: MemoryStore(org, database))
        patch.setattr(knowledge_base, "open_embedder", cache(open_embedder))
        patch.setenv("SAIDONCE_GRAY_ZONE", "propose")
        patch.setenv("SAIDONCE_WEBHOOK_ALLOW_PRIVATE", "true")
        shell = Shell(folder)
        for group in (of_the_base, of_people, of_gates, of_residents, of_measuring):
            group(shell)
        yield shell.printed
    shutil.rmtree(folder, ignore_errors=True)


def of_the_base(shell: Shell) -> None:
    for name, content in DOCUMENTS.items():
        shell.file(f"docs/{name}", content)
    docs = str(shell.folder / "docs")
    shell.json("ingest", docs, "-c", "answers", "--use", "canonical", code=3)
    (shell.folder / "docs" / "e.md").write_text("Now about something else entirely: parking.", encoding="utf-8")
    shell.json("ingest", docs, code=3)
    hits = shell.json("search", "how long is customer data kept?")["hits"]
    shell.json("search", "zzzz")
    shell.json("ask", "who hands in travel expenses?")
    shell.json("status")
    shell.json("documents")
    shell.json("settings")
    assert shell.json("opine")["n_open"] > 0
    pairs = shell.json("queue")["pairs"]
    assert any(pair["opinion"] for pair in pairs)
    shell.run("merge", pairs[0]["candidate"], pairs[0]["of"], "--as", "ann")
    for hit in [*hits, *shell.json("search", EXPENSES)["hits"]]:
        shell.json("why", hit["id"])
    shell.json("decisions")
    shell.json("settled")
    shell.json("rebuild")


def of_people(shell: Shell) -> None:
    shell.json("people add", "ann", "ann@example.com", "--role", "owner")
    shell.json("people add", "ben")
    shell.json("people role", "ben", "reader")
    made = shell.json("keys make", "ann", "--label", "laptop")
    shell.json("keys list")
    shell.json("keys revoke", made["id"])
    with scripted(gives({})) as server:
        channel = shell.json("channels add", "webhook", f"{server.url}/hooks/secret", "--digest", "now")
        shell.json("channels test", channel["id"])
    shell.run("ingest", shell.file("more/h.md", f"{EXPENSES} Twice."), "-c", "answers", "-q")
    with knowledge_base.KnowledgeBase(data_dir=shell.folder / "base") as base:
        assert gather(base.base)
    shell.json("channels list")
    shell.json("channels remove", channel["id"])
    shell.json("people leave", "ben")
    shell.json("people list")


def of_gates(shell: Shell) -> None:
    texts = [*["Count the shirts in the shop."] * 2, "Count 3 shirts.", "Please count the shirts in the shop.", "Sail."]
    tasks = shell.rows("tasks.jsonl", [{"id": str(n), "text": text, "place": "x"} for n, text in enumerate(texts)])
    checked = shell.json("gate check", tasks, code=4)
    held = next(line["id"] for line in checked if not line["authorized"] and line["reason"] != "same_content")
    shell.json("gate verdict", held)
    shell.json("gate verdict", checked[0]["id"])
    shell.json("gate override", held, "--why", "another shop", "--as", "ann")
    shell.json("gate verdict", held)
    shell.json("gate release", held, "--why", "dropped", "--as", "ann")
    shell.json("gate import", shell.rows("had.jsonl", [{"text": "Row the boat.", "id": "old"}]))
    shell.json("gate replay")
    shell.json("gate stats")
    shell.json("gate list")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SAIDONCE_GATE_LLM_ENABLED", "true")
        patch.setenv("SAIDONCE_GATE_ADJUDICATOR", "auto-rater")
        patch.setenv("SAIDONCE_GATE_AUTO_RATER_URL", "http://127.0.0.1:9")
        near = [{"text": "Count all of the shirts in the shop."}]
        shell.json("gate check", shell.rows("near.jsonl", near), code=4)
        assert shell.json("gate again", code=4)
    rows = (ARCHIVE, ARCHIVE, ARCHIVE.replace("30", "90"))
    shell.json("dedupe", shell.rows("rows.jsonl", [{"text": text} for text in rows]))
    shell.keep_lines("dedupe --dropped", shell.folder / "rows.dropped.jsonl")
    shell.keep_lines("dedupe --held-apart", shell.folder / "rows.held_apart.jsonl")
    shell.json("dedupe", shell.file("bad.jsonl", '{"text": "One row."}\n{"text"\n'), code=3)
    shell.keep_lines("dedupe --dropped", shell.folder / "bad.dropped.jsonl")


def of_residents(shell: Shell) -> None:
    table = "address,resident,phones,tenancy_id\n1 A Street,Zoe Ash,07700,t-zoe\n3 C Street,Uma Elm,+447700900078,t-uma"
    shell.json("homes import", shell.file("homes.csv", table), code=3)
    shell.json("homes end", "t-uma")
    shell.json("homes undo", "t-uma")
    shell.json("homes link", "t-uma")
    shell.json("homes list")
    messages = ("The kitchen tap drips from the spout", "no photo", "I smell gas")
    lines = "\n".join(json.dumps({"text": text, "id": str(n)}) for n, text in enumerate(messages))
    assert shell.json("chat", "--as", "t-uma", written=lines)
    (talk,) = shell.json("conversations list")
    whole = shell.json("conversations show", talk["id"])
    assert all(whole[part] for part in ("inbounds", "outbox", "turns", "events", "issues", "notices"))
    shell.json("conversations replay", whole["turns"][-1]["id"])
    shell.json("conversations take-over", talk["id"], "--as", "ann")
    shell.json("conversations write", talk["id"], "I come at ten.", "--as", "ann")
    shell.json("conversations hand-back", talk["id"])
    shell.json("conversations undo", talk["id"])
    shell.json("conversations approve", talk["id"], "t-uma", "--as", "ann")
    issue = shell.json("issues list")[0]["id"]
    shell.json("issues close", issue, "--as", "ann")
    shell.json("issues move", issue, "open")
    shell.json("issues show", issue)
    shell.json("evaluate quality")


def of_measuring(shell: Shell) -> None:
    things = "ladders ropes lamps tents stoves boats paddles helmets jackets boots maps radios".split()
    places = "Oakdale Brookfield Millport Harlow Kingsbridge Selby Thornton Ashford Redhill Lowther".split()
    rows: list[dict[str, Any]] = []
    for n, (thing, place) in enumerate((t, p) for t in things for p in places):
        a, b = f"Count the {thing} in {place}.", f"In {place}, please count the {thing}."
        other = b.replace(thing, things[(n + 1) % len(things)])
        rows.append({"id": f"{n}-same", "a": a, "b": b, "label": "duplicate", "merge_ok": True})
        rows.append({"id": f"{n}-other", "a": a, "b": other, "label": "distinct", "merge_ok": False})
    pairs = shell.rows("pairs.jsonl", rows)
    judge = str(shell.folder / "judge")
    shell.json("adjudicator train", judge, "--pairs", pairs, "--no-decisions")
    shell.json("adjudicator evaluate", pairs, "--judge", judge)
    shell.printed["adjudicator show"].append(json.loads(shell.run("adjudicator", "show", judge)))
    verdicts = shell.folder / "verdicts.jsonl"
    shell.json("evaluate pairs", pairs, "--policy", "canonical", "--verdicts", str(verdicts))
    shell.keep_lines("evaluate pairs --verdicts", verdicts)
    shell.json("calibrate", pairs, code=1)
    text = shell.file("handbook/a.md", f"{ARCHIVE}\n\n{EXPENSES}\n\n{VISITORS}")
    shell.json("evaluate contrast", str(Path(text).parent))
    said = [{"speaker": "system", "text": text} for text in ("Hello there, friend.", "Hello there, friend.")]
    shell.json("evaluate said-again", shell.rows("dialogues.jsonl", [{"id": "d", "turns": said}]))
    shell.json("evaluate scenarios", str(ROOT / "tests" / "cases" / "conversation"), "--flow", "v1", code=1)
    shell.rows("task/corpus.jsonl", [{"_id": n, "title": n, "text": t} for n, t in DOCUMENTS.items() if n != "g.pdf"])
    shell.rows("task/queries.jsonl", [{"_id": "q", "text": "how long is customer data kept?"}])
    shell.rows("task/qrels.jsonl", [{"query": "q", "doc": "c.md", "score": 1}])
    ranking = shell.folder / "run.jsonl"
    shell.json("evaluate retrieval", str(shell.folder / "task"), "--run", str(ranking))
    shell.keep_lines("evaluate retrieval --run", ranking)


def closed(schema: Any) -> Any:
    """The schema with every object closed: a field that it does not name is an error."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {name: closed(part) for name, part in schema.items()}
    return {**parts, "additionalProperties": False} if isinstance(schema.get("properties"), dict) else parts


@pytest.mark.parametrize("answer", [*COMMANDS, *LINES])
def test_what_is_printed_is_what_the_schema_says(answer: str, printed: dict[str, list[Any]]) -> None:
    assert printed[answer], "nothing was printed"
    schema = {**closed(PUBLISHED["answers"][answer]), "$defs": closed(PUBLISHED["$defs"])}
    validator = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    for document in printed[answer]:
        assert [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)] == []


def test_the_schema_knows_every_command_that_prints_json() -> None:
    def walk(command: Any, path: str) -> Iterator[str]:
        if any("--json" in parameter.opts for parameter in command.params):
            yield path.strip()
        for name, inner in getattr(command, "commands", {}).items():
            yield from walk(inner, f"{path} {name}")

    printing = set(walk(typer.main.get_command(app), "")) | {"adjudicator show"}
    assert {name for name in (*COMMANDS, *LINES) if "--" not in name} == printing


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(PUBLISHED)
    assert list(PUBLISHED["answers"]) == [*COMMANDS, *LINES]
