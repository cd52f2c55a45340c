"""Second opinions from the command line and by the worker: real processes, a real database, the shipped judge."""

from __future__ import annotations

import asyncio
import json
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from command_line import Shell
from conftest import prepared, reachable_folder
from judges import Judge, duplicate, failing
from saidonce import KnowledgeBase
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.foundation.context import Source
from saidonce.foundation.model import Failure
from saidonce.foundation.ports import QueueFilter
from saidonce.foundation.settings.policy import load_settings
from saidonce.interfaces.worker.jobs import Bases, Jobs, orgs_in_doubt
from saidonce.interfaces.worker.queue_schema import prepare

pytestmark = pytest.mark.xdist_group("opine_commands")

CHILDREN = "Children wait for the doctor on the sofa beside the refrigerator."
CHILDREN_AGAIN = "Kids wait for the physician on the couch beside the fridge."
ARCHIVE = "Customer data in the archive is kept under the 30-day retention policy and is then erased from every region."
VISITORS = "Visitors are registered at the front desk and wear a badge for as long as they stay in the building."
VISITORS_AGAIN = "All visitors are registered at the front desk and wear a badge as long as they are in the building."
DOCUMENTS = {
    "a.md": CHILDREN,
    "b.md": CHILDREN_AGAIN,
    "c.md": ARCHIVE,
    "d.md": ARCHIVE.replace("30", "90"),
    "e.md": VISITORS,
    "f.md": VISITORS_AGAIN,
}


@pytest.fixture
def shell() -> Iterator[Shell]:
    """A base in which three pairs wait."""
    folder = reachable_folder()
    (folder / "documents").mkdir()
    for name, said in DOCUMENTS.items():
        (folder / "documents" / name).write_text(f"{said}\n", "utf-8")
    with Shell(prepared(folder / "data")) as opened:
        opened.env |= {"SAIDONCE_COLLECTION_USE": "canonical", "SAIDONCE_SAME_FROM": "1"}
        opened.json("ingest", str(folder / "documents"))
        assert opened.json("queue")["n"] == 3
        yield opened
    shutil.rmtree(folder, ignore_errors=True)


def texts(shell: Shell) -> list[str]:
    return sorted({pair[side] for pair in shell.json("queue")["pairs"] for side in ("candidate_text", "kept_text")})


@pytest.mark.slow
def test_the_local_judge_sorts(shell: Shell) -> None:
    assert "set gray_zone" in shell.run("opine", code=2)
    shell.env["SAIDONCE_GRAY_ZONE"] = "sort"
    first = shell.json("opine")
    assert (first["n_open"], first["outcomes"]) == (3, {"distinct": 1, "duplicate": 1, "unsure": 1})
    likely = shell.json("queue", "--likely")["pairs"]
    assert [p["opinion"]["outcome"] for p in likely] == ["duplicate", "unsure", "distinct"]
    assert [p["opinion"]["likelihood"] for p in likely] == sorted(p["opinion"]["likelihood"] for p in likely)[::-1]
    told = shell.run("queue", "--likely")
    assert told.count("second opinion of") == 3
    shell.env["SAIDONCE_GRAY_ZONE"] = "people,main=settle"
    settled = shell.json("opine")
    assert (settled["outcomes"], settled["n_merged"], settled["n_dismissed"]) == ({}, 1, 1)


def test_the_local_judge_settles_what_can_be_taken_back(shell: Shell) -> None:
    shell.env["SAIDONCE_GRAY_ZONE"] = "settle"
    assert "settled: 1 merged, 1 kept apart for now" in shell.run("opine")
    assert texts(shell) == sorted([VISITORS, VISITORS_AGAIN]), "the guard's objection keeps these with a person"
    dismissal, merge = sorted(shell.json("settled"), key=lambda d: d["verb"])
    assert (dismissal["verb"], merge["verb"]) == ("dismiss", "merge")
    assert merge["ruling"]["opinion"] == "duplicate"
    account = shell.run("why", merge["members"][0])
    assert "second opinions:" in account
    assert "based on the opinion of" in account
    for decision in (dismissal, merge):
        shell.run("revert", str(decision["seq"]))
    again = shell.json("opine")
    assert (again["n_open"], again["n_merged"], again["n_dismissed"]) == (2, 0, 0)
    assert "stored blocks match the log" in shell.run("rebuild")


def test_whoever_cannot_be_asked_is_refused_at_once(shell: Shell) -> None:
    shell.env |= {"SAIDONCE_GRAY_ZONE": "sort", "SAIDONCE_GRAY_ZONE_ADJUDICATOR": "local:/nowhere"}
    shell.run("opine", code=1)
    shell.run("worker", "--once", code=1)
    shell.env["SAIDONCE_GRAY_ZONE_ADJUDICATOR"] = "nobody"
    assert "gray_zone_adjudicator" in shell.run("opine", code=2)
    shell.env["SAIDONCE_GRAY_ZONE"] = "sometimes"
    assert "gray_zone" in shell.run("queue", code=2)


class Broken(BaseHTTPRequestHandler):
    """Answers every review wrongly."""

    status, answer = 500, "oh"

    def do_POST(self) -> None:
        self.send_response(self.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(self.answer)))
        self.end_headers()
        self.wfile.write(self.answer.encode())

    def log_message(self, *_given: Any) -> None:
        return


@contextmanager
def endpoint(status: int, answer: str) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Wrong", (Broken,), {"status": status, "answer": answer}))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


CLEARS_ALL = json.dumps({"id": "r", "status": "done", "result": {"review_feedback": '{"opinion": "distinct"}'}})


@pytest.mark.parametrize(
    ("status", "answer", "outcomes", "stops"),
    [
        pytest.param(500, "oh", {"unreachable"}, True, marks=pytest.mark.slow),
        pytest.param(401, "{}", {"refused"}, True, marks=pytest.mark.slow),
        # The second question gets the review of the first.
        (200, CLEARS_ALL, {"malformed", "contradiction"}, False),
    ],
)
def test_an_endpoint_that_fails_leaves_everything_with_people(
    shell: Shell, status: int, answer: str, outcomes: set[str], stops: bool
) -> None:
    shell.env |= {"SAIDONCE_GRAY_ZONE": "settle", "SAIDONCE_GRAY_ZONE_ADJUDICATOR": "auto-rater"}
    shell.env |= {"SAIDONCE_GATE_LLM_TIMEOUT_MS": "2000", "SAIDONCE_GATE_LLM_POLL_INTERVAL_MS": "500"}
    before = texts(shell)
    with endpoint(status, answer) as url:
        shell.env["SAIDONCE_GATE_AUTO_RATER_URL"] = url
        report = shell.json("opine", code=1 if stops else 0)
        assert set(report["outcomes"]) <= outcomes | {"circuit_open"}
        assert (sum(report["outcomes"].values()), report["n_merged"], report["n_dismissed"]) == (3, 0, 0)
        assert shell.json("opine")["outcomes"] == {}, "tried again only after a while"
    assert texts(shell) == before
    assert shell.json("settled") == []


def test_a_budget_that_is_spent_leaves_the_rest_with_people(shell: Shell) -> None:
    shell.env |= {"SAIDONCE_GRAY_ZONE": "settle", "SAIDONCE_GRAY_ZONE_ADJUDICATOR": "auto-rater"}
    shell.env |= {
        "SAIDONCE_GATE_LLM_TIMEOUT_MS": "2000",
        "SAIDONCE_GATE_LLM_POLL_INTERVAL_MS": "500",
        "SAIDONCE_GATE_BUDGET_CALLS_PER_DAY": "1",
    }
    with endpoint(200, CLEARS_ALL) as url:
        shell.env["SAIDONCE_GATE_AUTO_RATER_URL"] = url
        assert shell.json("opine")["outcomes"] == {"budget": 2, "malformed": 1}
    assert shell.json("queue")["n"] == 3


SAID = "Backups of all customer files are kept for thirty days in two regions."


def opened(url: str, org: str, judge: Judge) -> KnowledgeBase:
    base = KnowledgeBase(
        load_settings(
            database_url=url, org=org, collection_use="canonical", merge_investigate_from=0.5, merge_from=0.99,
            same_from=1.0, gray_zone="settle", gray_zone_settle_from=0.9,
        )
    )  # fmt: skip
    base._lazy.opened |= {"embedder": HashedEmbedder(256), "second": judge}
    return base


def test_the_worker_asks_by_itself_and_rests_when_nothing_is_left(
    embedded_server: EmbeddedServer, org: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    url = embedded_server.url
    monkeypatch.setattr("saidonce.interfaces.worker.jobs.orgs_in_doubt", lambda _url: [org])
    monkeypatch.setattr("saidonce.interfaces.worker.jobs.orgs_with_pending", lambda _url: [])
    monkeypatch.setattr("saidonce.interfaces.worker.jobs.orgs_to_tell", lambda _url: [])
    judge = Judge(failing(Failure.UNREACHABLE))
    with opened(url, org, judge) as base:
        for name, said in (("a.md", SAID), ("b.md", SAID.replace("all", "all the"))):
            base.ingest([Source(name, said.encode)])
        assert org in orgs_in_doubt(url)
        prepare(url)
        jobs = Jobs(base.settings, url, Bases(base), {})
        asyncio.run(jobs.run_once())
        assert len(judge.asked) == 1
        jobs._opined(org)
        assert len(judge.asked) == 1, "nobody answered: there is a pause"
        judge.says = duplicate
        base.opine(again=True)
        assert base.store.ledger.n_flags(QueueFilter()) == 0
        assert org not in orgs_in_doubt(url)
        jobs = Jobs(base.settings, url, Bases(base), {})
        jobs._opined(org)
        rev = base.store.rev()
        base.ingest([Source("c.md", SAID.replace("all customer", "all of the customer").encode)])
        assert base.store.rev() > rev
        jobs._opined(org)
        assert len(judge.asked) == 3, "what came in meanwhile is asked about"
        jobs._opined(org)
        jobs._opined(org)
        assert len(judge.asked) == 3
