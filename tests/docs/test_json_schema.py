"""What commands print with --json, and what the API answers, is what the published schemas say of it, all of it."""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from benchmarks.rater_server import Rater
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from starlette.testclient import TestClient
from typer.testing import CliRunner

from channel_server import gives, scripted
from conftest import prepared, reachable_folder
from saidonce.adapters.embed import open_embedder
from saidonce.app import knowledge_base
from saidonce.foundation.ports import GateWrite
from saidonce.interfaces.cli import app, walk
from saidonce.interfaces.http import create_app
from saidonce.interfaces.http.server import described
from saidonce.interfaces.views.catalogue import COMMANDS, LINES
from saidonce.platform.notifications.outbox import create_notices
from saidonce.testing import MemoryDatabase, MemoryStore

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = json.loads((ROOT / "docs" / "reference" / "schema.json").read_text(encoding="utf-8"))

ROOT_URL = "http://127.0.0.1"
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
def shell() -> Iterator[Shell]:
    """Commands over stores in memory, with the shipped embedder."""
    folder = reachable_folder()
    database = MemoryDatabase()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(knowledge_base, "open_store", lambda _url, _folder, org, **_: MemoryStore(org, database))
        patch.setattr(knowledge_base, "open_embedder", cache(open_embedder))
        patch.setenv("SAIDONCE_GRAY_ZONE", "propose")
        patch.setenv("SAIDONCE_TRANSLATION_EMBEDDER", "minilm")
        patch.setenv("SAIDONCE_WEBHOOK_ALLOW_PRIVATE", "true")
        yield Shell(folder)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def printed(shell: Shell) -> dict[str, list[Any]]:
    """What each command prints."""
    for group in (of_backups, of_the_base, of_people, of_gates, of_residents, of_measuring):
        group(shell)
    return shell.printed


def of_backups(shell: Shell) -> None:
    shelf, data_dir = shell.folder / "shelf", prepared(shell.folder / "base")
    shell.json("backup", str(shelf))
    shell.json("backup", str(shelf), "--verify")
    shell.json("backup", str(shell.folder / "none"), "--list")
    restored = shell.run("--data-dir", f"{data_dir}-again", "restore", str(shelf), "--json")
    shell.printed["restore"].append(json.loads(restored))


def of_the_base(shell: Shell) -> None:
    for name, content in DOCUMENTS.items():
        shell.file(f"docs/{name}", content)
    docs = str(shell.folder / "docs")
    shell.json("ingest", docs, "-c", "answers", "--use", "canonical", code=3)
    (shell.folder / "docs" / "e.md").write_text("Now about something else entirely: parking.", encoding="utf-8")
    shell.json("ingest", docs, code=3)
    hits = shell.json("search", "how long is customer data kept?")["hits"]
    shell.json("search", "zzzz")
    context = shell.json("context", "how long is customer data kept?", "--tokens", "400")
    assert any(passage["conflicts"] for passage in context["passages"])
    shell.json("context", "zzzz")
    shell.json("ask", "who hands in travel expenses?")
    shell.json("status")
    shell.json("doctor")
    shell.json("pairs compare")
    assert shell.json("pairs show")["n_pairs"] > 0
    assert shell.json("pairs rebuild")["is_same"] is True
    shell.json("pairs translations")
    shell.json("documents")
    shell.json("why", "a.md", "--collection", "main")
    synced = shell.file("synced/a.txt", "Parcels are handed out at the back door.")
    source = shell.json("sync", str(Path(synced).parent), "-c", "synced")["source"]["id"]
    shell.json("sources list")
    shell.json("sources remove", source)
    shell.json("settings")
    assert shell.json("opine")["n_open"] > 0
    pairs = shell.json("queue")["pairs"]
    assert any(pair["opinion"] for pair in pairs)
    groups = shell.json("review groups")
    assert groups["by_kind"]
    first = str(groups["pairs"][0]["flag"])
    shell.json("review bulk", "dismiss", first)
    done = shell.json("review bulk", "dismiss", first, "--yes")
    shell.run("revert", str(done["decision"]["seq"]))
    made = shell.json("review add-rule", "date", "-c", "answers")
    shell.json("review rules")
    shell.run("revert", str(made["seq"]))
    shell.json("review throughput")
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
    shell.run("ingest", shell.file("more/h.md", f"# Again\n\n{EXPENSES}"), "-c", "answers", "-q")
    with knowledge_base.KnowledgeBase(data_dir=shell.folder / "base") as base:
        assert create_notices(base.base)
    shell.json("channels list")
    shell.json("channels remove", channel["id"])
    shell.json("people leave", "ben")
    assert shell.json("security-log")[0]["kind"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("time.sleep", _stopped)
        assert shell.json("security-log --follow", code=130)
    shell.json("people list")


def _stopped(_seconds: float) -> None:
    """Stop a command that goes on for ever, where it waits."""
    raise KeyboardInterrupt


def of_several_files(shell: Shell, texts: Sequence[str]) -> None:
    """Rows of a run over files, its certificate, and a row that cannot be read."""
    first = shell.rows("first.jsonl", [{"text": text} for text in texts])
    second = shell.file("second.jsonl", '{"text": "One row."}\n{"text"\n')
    certificate, kept = str(shell.folder / "claim.json"), str(shell.folder / "first-kept")
    names = ("--dropped", str(shell.folder / "gone.jsonl"), "--held-apart", str(shell.folder / "apart.jsonl"))
    shell.json("dedupe", first, second, "--out", kept, "--certificate", certificate, *names, code=3)
    shell.keep_lines("dedupe --dropped", shell.folder / "gone.jsonl")
    shell.keep_lines("dedupe --held-apart", shell.folder / "apart.jsonl")
    shell.json("dedupe", "verify", kept, "--certificate", certificate)
    shell.json("dedupe", first, "--against", second, "--out", str(shell.folder / "new.jsonl"), *names)


def draw_for_audit(base: knowledge_base.KnowledgeBase, verdict_id: str) -> None:
    """Have people asked whether a clear was right, as chance would."""
    verdict = base.store.gates.verdict(verdict_id)
    assert verdict is not None
    base.store.gates.write(GateWrite((replace(verdict, sampled=True),)))


@contextmanager
def rating() -> Iterator[Rater]:
    """Run an auto-rater that clears whatever it is asked about."""
    rater = Rater(0.0, lambda _payload: "distinct")
    try:
        yield rater
    finally:
        rater.close()


def of_gates(shell: Shell) -> None:
    texts = [*["Count the shirts in the shop."] * 2, "Count 3 shirts.", "Please count the shirts in the shop.", "Sail."]
    tasks = shell.rows("tasks.jsonl", [{"id": str(n), "text": text, "place": "x"} for n, text in enumerate(texts)])
    checked = shell.json("gate check", tasks, code=4)
    held = next(line["id"] for line in checked if not line["authorized"] and line["reason"] != "same_content")
    shell.json("gate verdict", held)
    shell.json("gate verdict", checked[0]["id"])
    shell.json("gate held", "--gate", "main")
    shell.json("gate held show", held)
    shell.json("gate held assign", held, "--to", "ann")
    shell.json("gate held note", held, "ask the shop")
    decided = shell.json("gate held decide", held, "--link", "--as", "ann")
    shell.json("gate held decide", held, "--repeat", "--as", "bo", code=4)
    shell.json("gate held undo", decided["decision"])
    shell.json("gate held throughput")
    with knowledge_base.KnowledgeBase(data_dir=shell.folder / "base") as base:
        draw_for_audit(base, checked[0]["id"])
    shell.json("gate held", "--audit")
    shell.json("gate held audit", checked[0]["id"], "--right")
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
        assert shell.json("gate retry", code=4)
        with rating() as rater:
            patch.setenv("SAIDONCE_GATE_AUTO_RATER_URL", rater.url)
            patch.setenv("NO_PROXY", "127.0.0.1")
            assert shell.json("gate retry", "--failed", "away")
            assert shell.json("gate recheck")["n_stand"] == 1
            for review in rater.reviews.values():
                review.result["opinion"] = "unsure"
            assert len(shell.json("gate recheck", code=4)["retracted"]) == 1
        shell.json("gate held", "--reason", "retracted")
    rows = (ARCHIVE, ARCHIVE, ARCHIVE.replace("30", "90"))
    shell.json("dedupe", shell.rows("rows.jsonl", [{"text": text} for text in rows]))
    shell.keep_lines("dedupe --dropped", shell.folder / "rows.dropped.jsonl")
    shell.keep_lines("dedupe --held-apart", shell.folder / "rows.held_apart.jsonl")
    shell.json("dedupe", shell.file("bad.jsonl", '{"text": "One row."}\n{"text"\n'), code=3)
    shell.keep_lines("dedupe --dropped", shell.folder / "bad.dropped.jsonl")
    of_several_files(shell, rows)


def of_residents(shell: Shell) -> None:
    homes = ("address,resident,phones,tenancy_id,resident_id", "1 A Street,Zoe Ash,07700,t-zoe,r-zoe",
             "3 C Street,Uma Elm,+447700900078,t-uma,r-uma")  # fmt: skip
    table = "\n".join(homes)
    shell.json("homes import", shell.file("homes.csv", table), code=3)
    shell.json("homes end", "t-uma")
    shell.json("homes undo", "t-uma")
    shell.json("homes link", "t-uma")
    shell.json("homes list")
    messages = ("The kitchen tap drips from the spout", "no photo", "I smell gas")
    lines = "\n".join(json.dumps({"text": text, "id": str(n)}) for n, text in enumerate(messages))
    assert shell.json("chat", "--as", "t-uma", written=lines)
    (alarm,) = shell.json("alarms list")
    shell.json("alarms acknowledge", alarm["id"][:8], "--as", "ann")
    shell.json("alarms all-clear", alarm["id"], "--as", "ann")
    shell.json("call-outs set", shell.file("call-outs.toml", "[[step]]\nwait_minutes = 5\n"))
    shell.json("call-outs show")
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
    shell.json("issues own", issue, "ann")
    shell.json("issues propose", issue, "2199-02-03 09:00-11:00", "2199-02-04 14:00-16:00")
    shell.json("issues cancel-visit", issue)
    shell.json("issues book", issue, "2199-02-03 09:00-11:00", "--as", "ann")
    shell.json("issues assign", issue, "Bo Fox", "--email", "bo@example.com", "--access", "key safe", "--may-call")
    shell.json("issues revoke", issue)
    shell.json("issues show", issue)
    shell.json("residents export", "r-uma", "--out", str(shell.folder / "uma.zip"))
    shell.json("residents erase", "r-uma")
    assert not shell.json("residents retention", "--dry-run")["act"]
    assert [act["kind"] for act in shell.json("residents log")] == ["exported"]
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
    few = shell.rows("few.jsonl", rows[:24])
    shell.json("adjudicator evaluate", few, "--judge", judge)
    shell.printed["adjudicator show"].append(json.loads(shell.run("adjudicator", "show", judge)))
    verdicts = shell.folder / "verdicts.jsonl"
    shell.json("evaluate pairs", few, "--policy", "canonical", "--verdicts", str(verdicts))
    shell.keep_lines("evaluate pairs --verdicts", verdicts)
    shell.json("calibrate", few, code=1)
    text = shell.file("handbook/a.md", f"{ARCHIVE}\n\n{EXPENSES}\n\n{VISITORS}")
    shell.json("evaluate contrast", str(Path(text).parent))
    said = [{"speaker": "system", "text": text} for text in ("Hello there, friend.", "Hello there, friend.")]
    shell.json("evaluate said-again", shell.rows("dialogues.jsonl", [{"id": "d", "turns": said}]))
    messages = (ROOT / "tests/cases/emergencies/tune/pl.toml").read_text(encoding="utf-8")
    shell.json("evaluate emergencies", "--cases", str(Path(shell.file("tune/pl.toml", messages)).parent))
    for case in (ROOT / "tests/cases/conversation").glob("photo-*.toml"):
        shell.file(f"scenarios/{case.name}", case.read_text(encoding="utf-8"))
    shell.json("evaluate scenarios", str(shell.folder / "scenarios"), "--flow", "v1", code=1)
    shell.file("asked/documents/organisation/bins.md", "# Bins\n\nThe bins are emptied every Tuesday.")
    label = {"question": "when are the bins emptied?", "property": "p", "answers": [["every Tuesday"]]}
    asked = shell.rows("asked/questions.jsonl", [{**label, "half": "held"}, {**label, "question": "is there a sauna?"}])
    shell.json("evaluate questions", str(Path(asked).parent))
    shell.json("evaluate tenants", "--conversations", "1", "--seed", "3")
    shell.rows("task/corpus.jsonl", [{"_id": n, "title": n, "text": t} for n, t in DOCUMENTS.items() if n != "g.pdf"])
    shell.rows("task/queries.jsonl", [{"_id": "q", "text": "how long is customer data kept?"}])
    shell.rows("task/qrels.jsonl", [{"query": "q", "doc": "c.md", "score": 1}])
    ranking = shell.folder / "run.jsonl"
    shell.json("evaluate retrieval", str(shell.folder / "task"), "--run", str(ranking))
    shell.json("evaluate context", str(shell.folder / "task"))
    shell.keep_lines("evaluate retrieval --run", ranking)


def closed(schema: Any) -> Any:
    """The schema with every object closed: a field that it does not name is an error."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {name: closed(part) for name, part in schema.items()}
    return {**parts, "additionalProperties": False} if isinstance(schema.get("properties"), dict) else parts


CLOSED = closed(PUBLISHED["$defs"])


def flaws(validator: Draft202012Validator, document: Any) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]


@pytest.mark.parametrize("answer", [*COMMANDS, *LINES])
def test_what_is_printed_is_what_the_schema_says(answer: str, printed: dict[str, list[Any]]) -> None:
    assert printed[answer], "nothing was printed"
    schema = {**closed(PUBLISHED["answers"][answer]), "$defs": CLOSED}
    validator = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    for document in printed[answer]:
        assert flaws(validator, document) == []


def test_the_schema_knows_every_command_that_prints_json() -> None:
    printing = {
        path.removeprefix("saidonce ")
        for path, command in walk()
        if not command.hidden and any("--json" in parameter.opts for parameter in command.params)
    } | {"adjudicator show"}
    assert {name for name in (*COMMANDS, *LINES) if "--" not in name} == printing


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(PUBLISHED)
    assert list(PUBLISHED["answers"]) == [*COMMANDS, *LINES]


class Api:
    """Calls routes, holds every answer against the OpenAPI document, and keeps which routes did what was asked."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.document = client.get("/openapi.json").json()
        self.components = {"schemas": closed(self.document["components"]["schemas"])}
        self.done: set[tuple[str, str]] = set()

    def __call__(self, method: str, template: str, status: int = 200, /, **call: Any) -> Any:
        path = template.format(**call.pop("path", {}))
        answer = self.client.request(method, f"/api/v1{path}", **call)
        assert answer.status_code == status, f"{method} {path}: {answer.text}"
        responses = self.document["paths"][f"/api/v1{template}"][method.lower()]["responses"]
        described = responses.get(str(status)) or responses[f"{status // 100}XX"]
        schema = described["content"]["application/json"]["schema"]
        whole = {**schema, "components": self.components}
        assert flaws(Draft202012Validator(whole), answer.json()) == []
        if status < 300:
            self.done.add((method, template))
        return answer.json()


@pytest.fixture(scope="module")
def api(shell: Shell, printed: dict[str, list[Any]]) -> Iterator[Api]:
    """The API over what the commands left, with an owner's key."""
    assert printed
    key = shell.json("keys make", "ann")["key"]
    with knowledge_base.KnowledgeBase(data_dir=shell.folder / "base") as base:
        headers = {"Authorization": f"Bearer {key}"}
        with TestClient(create_app(base, local=False), "http://127.0.0.1", headers=headers) as client:
            yield Api(client)


def test_every_route_answers_what_its_description_says(api: Api) -> None:
    base_routes(api)
    block_routes(api)
    people_routes(api)
    gate_routes(api)
    source_routes(api)
    repairs_routes(api)
    routes = {
        (method.upper(), path.removeprefix("/api/v1"))
        for path, methods in api.document["paths"].items()
        for method in methods
    }
    elsewhere = {
        ("POST", "/gate/retry"),  # asks again only where somebody rules: see below
        ("GET", "/translations"),  # wants a model for several languages: see tests/unit/test_translations.py
    }
    assert routes - api.done == elsewhere


def test_asking_again_over_http_has_a_judge_rule(
    shell: Shell, printed: dict[str, list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert printed
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    headers = {"Authorization": f"Bearer {shell.json('keys make', 'ann')['key']}"}
    monkeypatch.setenv("SAIDONCE_GATE_LLM_ENABLED", "true")
    monkeypatch.setenv("SAIDONCE_GATE_ADJUDICATOR", "auto-rater")
    near = {
        "gate": "sheds",
        "submissions": [{"text": "Sweep the shed on Friday."}, {"text": "Do sweep the shed Friday."}],
    }

    def opened(url: str) -> knowledge_base.KnowledgeBase:
        return knowledge_base.KnowledgeBase(data_dir=shell.folder / "base", gate_auto_rater_url=url)

    with (
        opened("http://127.0.0.1:9") as base,
        TestClient(create_app(base, local=False), ROOT_URL, headers=headers) as client,
    ):
        assert client.post("/api/v1/gate/batches", json=near).status_code == 202
        assert [v.reason for v in base.rule_pending()] == ["away"]
    with (
        rating() as rater,
        opened(rater.url) as base,
        TestClient(create_app(base, local=False), ROOT_URL, headers=headers) as client,
    ):
        (again,) = Api(client)("POST", "/gate/retry", 202, json={"gate": "sheds"})
        assert again["state"] == "pending"
        (ruled,) = base.rule_pending()
        assert (ruled.id, ruled.reason, rater.paid.total()) == (again["id"], "llm_cleared", 1)
        assert Api(client)("GET", "/gate/verdicts/{id}", path=again)["authorized"]


def base_routes(api: Api) -> None:
    api("GET", "/status")
    boats = {"file": ("boats.md", b"# Boats\n\nThe ferry to the island leaves at noon from the third pier.")}
    api("POST", "/documents", 201, files=boats)
    api("POST", "/documents", 422, files={"file": ("broken.pdf", b"%PDF-1.7 no")})
    api("GET", "/documents")
    assert api("GET", "/search", params={"q": "when does the ferry leave?"})["hits"]
    api("GET", "/search", 422)
    assert api("GET", "/context", params={"q": "when does the ferry leave?", "tokens": 200})["passages"]
    api("GET", "/context", 422, params={"q": "ferry", "tokens": 1})
    api("POST", "/ask", json={"question": "how long is customer data kept?"})
    ferries = ["The ferry leaves at 9 am.", "The ferry leaves at 9 am!", "The ferry leaves at 7 am."]
    ranked = api("POST", "/rerank", json={"query": "when does the ferry leave?", "documents": ferries})
    assert ranked["results"][-1]["relevance_score"] == 0
    assert ranked["conflicts"]
    api("POST", "/rerank", 422, json={"query": "ferry", "documents": []})
    api("DELETE", "/documents", params={"name": "boats.md"})
    api("DELETE", "/documents", 404, params={"name": "boats.md"})


def block_routes(api: Api) -> None:
    pairs = api("GET", "/queue")["pairs"]
    seq = pairs[0]["seq"]
    group = api("GET", "/review/groups", params={"collection": "answers"})["pairs"][0]
    shown = [{"flag": group["flag"], "seen": group["seen"]}, {"flag": 99_999, "seen": "x"}]
    done = api("POST", "/review/bulk", json={"verb": "keep_apart", "pairs": shown})
    assert (done["n_decided"], len(done["left"])) == (1, 1)
    api("POST", "/decisions/{seq}/revert", path=done["decision"], json={})
    rule = api("POST", "/review/rules", 201, json={"collection": "answers", "differs": "date"})
    assert api("GET", "/review/rules")[0]["seq"] == rule["seq"]
    api("POST", "/review/rules", 422, json={"collection": "answers", "differs": "date"})
    api("POST", "/decisions/{seq}/revert", path=rule, json={})
    api("GET", "/review/throughput")
    assert api("GET", "/queue/{seq}", path={"seq": seq})["previews"]
    api("GET", "/queue/{seq}", 404, path={"seq": 99_999})
    api("POST", "/queue/{seq}", path={"seq": seq}, json={"verb": "assign", "to": "ann"})
    api("POST", "/queue/{seq}", 409, path={"seq": seq}, json={"verb": "merge", "seen": "something else"})
    merged = api("POST", "/merges", json={"a": pairs[0]["of"], "b": pairs[0]["candidate"]})
    block = api("GET", "/blocks/{id}", path={"id": pairs[0]["of"]})
    at = {"id": block["id"]}
    api("POST", "/blocks/{id}/own", path=at, json={"owner": "ann"})
    api("POST", "/blocks/{id}/approve", path=at, json={"approval": "approved"})
    api("POST", "/blocks/{id}/edit", path=at, json={"text": "Another text, which a person wrote."})
    api("POST", "/blocks/{id}/split", path=at, json={"leaving": [pairs[0]["candidate"]], "edits": "stay"})
    assert api("GET", "/blocks/{id}/why", path=at)["decisions"]
    questions = ("customer data in the archive", "visitors at the front desk", "travel expenses")
    found = [api("GET", "/search", params={"q": q, "collection": "answers"})["hits"] for q in questions]
    one, other = [*dict.fromkeys(hit["id"] for hits in found for hit in hits)][:2]
    api("POST", "/apart", json={"a": one, "others": [other], "is_conflict": True})
    decisions = api("GET", "/decisions")
    automatic = next(d["seq"] for d in decisions if d["verb"] == "merge" and d["actor"] == "policy")
    api("POST", "/decisions/{seq}/audit", path={"seq": automatic}, json={"wrong": False})
    apart = next(d["seq"] for d in decisions if d["verb"] == "conflict")
    api("POST", "/decisions/{seq}/revert", path={"seq": apart}, json={})
    assert merged["holds"]
    api("GET", "/settled")


def people_routes(api: Api) -> None:
    api("POST", "/people", 201, json={"name": "cal"})
    api("GET", "/people")
    key = api("POST", "/keys", 201, json={"person": "cal"})
    api("GET", "/keys")
    api("GET", "/security-log", params={"kind": "key_made"})
    api("DELETE", "/keys/{id}", path=key)
    channel = api("POST", "/channels", 201, json={"kind": "webhook", "target": "http://127.0.0.1:9/hooks"})
    api("GET", "/channels")
    api("DELETE", "/channels/{id}", path=channel)
    api("POST", "/people/{name}/leave", path={"name": "cal"})


def source_routes(api: Api) -> None:
    source = api("POST", "/sources", 201, json={"address": "https://docs.example.com/sitemap.xml"})
    api("GET", "/sources")
    api("POST", "/sources/{id}/run", 202, path=source)
    api("DELETE", "/sources/{id}", path=source)


def gate_routes(api: Api) -> None:
    cleared = api("POST", "/gate/submissions", json={"text": "Sweep the yard on Friday.", "gate": "yard"})
    near = {"text": "Please sweep the yard on Friday."}
    held = api("POST", "/gate/batches", json={"gate": "yard", "submissions": [near, {"text": "Sail."}]})[0]
    assert (cleared["authorized"], held["authorized"]) == (True, False)
    api("POST", "/gate/retry", 422, json={"gate": "yard"})
    api("GET", "/gate/verdicts")
    api("GET", "/gate/verdicts/{id}", path=held)
    assert api("GET", "/gate/held")["n"]
    api("GET", "/gate/held/{id}", path=held)
    api("GET", "/gate/held/throughput")
    api("POST", "/gate/held/assignments", json={"ids": [held["id"]], "to": "ann"})
    api("POST", "/gate/held/{id}/notes", path=held, json={"text": "ask"})
    decided = api("POST", "/gate/held/decisions", json={"choice": "repeat", "items": [{"id": held["id"]}]})
    api("POST", "/gate/held/decisions/{decision}/undo", path=decided, json={})
    api("POST", "/gate/held/{id}/audit", 422, path=held, json={"right": True})
    draw_for_audit(api.client.app.state.site.base, cleared["id"])  # type: ignore[attr-defined]
    api("POST", "/gate/held/{id}/audit", path=cleared, json={"right": True})
    api("POST", "/gate/verdicts/{id}/override", path=held, json={"why": "another yard"})
    api("POST", "/gate/verdicts/{id}/release", path=held, json={"why": "dropped"})
    api("GET", "/gate/verdicts/{id}", path=held)
    api("GET", "/gate/stats", params={"gate": "yard"})
    api("GET", "/gate/stats", 404, params={"gate": "nowhere"})
    api("GET", "/gate/events")


def repairs_routes(api: Api) -> None:
    talk = api("GET", "/conversations")[0]
    whole = api("GET", "/conversations/{id}", path=talk)
    turn = whole["turns"][0]["id"]
    api("GET", "/conversations/{id}/turns/{turn}/replay", path={"id": talk["id"], "turn": turn})
    api("POST", "/conversations/{id}/{verb}", path={"id": talk["id"], "verb": "take-over"}, json={})
    api("POST", "/conversations/{id}/{verb}", 422, path={"id": talk["id"], "verb": "sing"}, json={})
    api("GET", "/alarms")
    alarm = whole["events"][0]["id"]
    assert api("POST", "/alarms/{id}/{verb}", path={"id": alarm, "verb": "acknowledge"})["acknowledged_by"] == "ann"
    api("POST", "/alarms/{id}/{verb}", 404, path={"id": "none", "verb": "acknowledge"})
    api("POST", "/call-outs", 422, json={"file": "steps of nobody"})
    api("POST", "/call-outs", json={"file": "[[step]]\nwait_minutes = 5\n"})
    api("GET", "/call-outs")
    issue = api("GET", "/issues")[0]
    api("POST", "/issues/{id}/owner", path=issue, json={"owner": "ann"})
    slot = {"starts_at": "2199-02-03T09:00:00+00:00", "ends_at": "2199-02-03T11:00:00+00:00"}
    assert api("POST", "/issues/{id}/visit", path=issue, json={"slots": [slot]})["progress"]["visit"]
    api("POST", "/issues/{id}/visit", 422, path=issue, json={"slots": [slot, slot], "is_agreed": True})
    api("POST", "/issues/{id}/visit/cancel", path=issue)
    who = {"name": "Bo Fox", "email": "bo@example.com", "access": "key safe"}
    assert "/jobs/" in api("POST", "/issues/{id}/contractor", path=issue, json=who)["link"]
    api("POST", "/issues/{id}/contractor", 422, path=issue, json={"name": "Bo Fox", "email": "nobody"})
    api("POST", "/issues/{id}/contractor/revoke", path=issue)
    api("POST", "/issues/{id}", path=issue, json={"state": "done"})
    assert api("GET", "/issues/{id}", path=issue)["moves"]
    api("GET", "/homes")
    api("POST", "/homes/import", json={"table": "address,resident,phones\n9 D Street,Di Fir,07700\n", "dry_run": True})
    api("POST", "/homes/{tenancy}/end", path={"tenancy": "t-uma"})
    api("POST", "/homes/{tenancy}/undo", path={"tenancy": "t-uma"})
    uma = next(h["resident"]["id"] for h in api("GET", "/homes") if h["tenancy"] == "t-uma")
    assert api.client.post("/api/v1/residents/export", json={"who": uma}).content.startswith(b"PK")
    api.done.add(("POST", "/residents/export"))
    assert api("POST", "/residents/erase", json={"who": uma, "dry_run": True})["act"] is None
    assert api("POST", "/residents/erase", json={"who": uma})["counts"]["residents"] == 1
    api("POST", "/residents/export", 404, json={"who": uma})
    assert [act["kind"] for act in api("GET", "/residents/acts")][-2:] == ["exported", "erased"]


def test_paths_without_a_version_still_answer_and_say_where_to_go(api: Api) -> None:
    for path in ("/gate/verdicts", "/conversations", "/issues", "/homes", "/issues/none"):
        former, present = api.client.get(f"/api{path}"), api.client.get(f"/api/v1{path}")
        assert (former.status_code, former.json()) == (present.status_code, present.json())
        assert former.headers["deprecation"].startswith("@")
        assert former.headers["link"] == f'</api/v1{path}>; rel="successor-version"'
        assert "deprecation" not in present.headers
    assert api.client.post("/api/gate/submissions", json={"text": "Paint the fence."}).json()["authorized"]
    assert all(path.startswith("/api/v1/") for path in api.document["paths"])


def test_every_route_names_its_schemes_scope_and_errors() -> None:
    document = described().openapi()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            schemes = {name: scopes for requirement in operation["security"] for name, scopes in requirement.items()}
            assert set(schemes) == {"ApiKey", "Session"}, path
            assert len(schemes["ApiKey"]) == 1
            assert (method == "get") == (not any(p["name"] == "X-CSRF-Token" for p in operation.get("parameters", [])))
            assert {"4XX", "5XX"} <= set(operation["responses"])
            assert operation["tags"]


def test_every_body_has_an_example_that_its_schema_takes() -> None:
    document = described().openapi()
    for path, methods in document["paths"].items():
        for operation in methods.values():
            content = operation.get("requestBody", {}).get("content", {})
            if reference := content.get("application/json", {}).get("schema"):
                body = document["components"]["schemas"][reference["$ref"].rpartition("/")[2]]
                validator = Draft202012Validator({**body, "components": document["components"]})
                assert body.get("examples"), path
                assert [flaws(validator, example) for example in body["examples"]] == [[]]
