"""The gate's API and page on a store in memory, with a judge that says what a test has it say."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from judges import Judge, distinct, failing
from saidonce import KnowledgeBase
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.errors import SettingsError
from saidonce.foundation.model import Failure
from saidonce.gate import reopen, reopening
from saidonce.interfaces.http import create_app
from saidonce.testing import MemoryStore

TEXT = "Count the shirts and trousers in the stock room of the shop and note what is missing on the sheet."
NEAR = "Count the shirts and the trousers in the stock room of the shop, and note what is missing on the sheet."


class Served:
    def __init__(self, folder: Path, judge: Judge, **settings: Any) -> None:
        self.base = KnowledgeBase(data_dir=folder, **settings)
        self.judge = judge
        self.base._lazy.opened |= {
            "store": MemoryStore("default"), "embedder": HashedEmbedder(), "adjudicator": judge,
        }  # fmt: skip
        self.client = TestClient(create_app(self.base, local=True), "http://127.0.0.1")
        self.token = ""
        self.token = self.page_token()

    def page_token(self) -> str:
        self.get("/queue")
        session = self.client.get("/gate")
        assert session.status_code == 200
        found = re.search(r'name="csrf" value="([^"]*)"', session.text)
        return found[1] if found else self._from_pair()

    def _from_pair(self) -> str:
        """Without a form on the page, the token is that of the sign-in page."""
        found = re.search(r'name="csrf" value="([^"]+)"', self.client.get("/sign-in").text)
        assert found is not None
        return found[1]

    def get(self, path: str, **values: Any) -> Any:
        return self.client.get(path, params=values)

    def post(self, path: str, body: Any, **headers: str) -> Any:
        return self.client.post(path, json=body, headers={"X-CSRF-Token": self.token, **headers})


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    made = Served(tmp_path, Judge(distinct), gate_llm_enabled=True)
    yield made
    made.client.close()


def test_one_is_submitted_polled_and_ruled_on_by_a_worker(served: Served) -> None:
    first = served.post("/api/v1/gate/submissions", {"text": TEXT, "fields": {"line": "soft"}})
    assert (first.status_code, first.json()["reason"], first.json()["authorized"]) == (200, "no_matches", True)
    second = served.post("/api/v1/gate/submissions", {"text": NEAR, "fields": {"line": "hard"}, "key": "k"})
    assert (second.status_code, second.json()["state"], second.json()["authorized"]) == (202, "pending", False)
    id_ = second.json()["id"]
    assert served.get(f"/api/v1/gate/verdicts/{id_}").json()["state"] == "pending"
    assert served.judge.asked == []
    served.base.rule_pending()
    polled = served.get(f"/api/v1/gate/verdicts/{id_}").json()
    assert (polled["state"], polled["reason"], polled["authorized"]) == ("ruled", "llm_cleared", True)
    assert polled["near"][0]["fields"] == {"line": "soft"}
    assert [e["act"] for e in polled["events"]] == ["submitted", "ruled", "cleared"]
    again = served.post("/api/v1/gate/submissions", {"text": NEAR, "fields": {"line": "hard"}, "key": "k"})
    assert (again.status_code, again.json()["id"]) == (200, id_)


def test_a_repeated_request_is_done_once_and_its_key_stands_for_it_alone(served: Served) -> None:
    headers = {"Idempotency-Key": "one"}
    ids = {served.post("/api/v1/gate/submissions", {"text": TEXT}, **headers).json()["id"] for _ in range(3)}
    assert len(ids) == 1
    other = served.post("/api/v1/gate/submissions", {"text": "Another thing altogether."}, **headers)
    assert (other.status_code, other.json()["error"]) == (409, "KeyTaken")
    twice = {"submissions": [{"text": "Sail.", "key": "k"}, {"text": "Paint the long fence.", "key": "k"}]}
    assert served.post("/api/v1/gate/batches", twice).status_code == 409
    batch = {"submissions": [{"text": "Sail."}, {"text": "Paint the long fence."}]}
    told = [served.post("/api/v1/gate/batches", batch, **{"Idempotency-Key": "b"}).json() for _ in range(2)]
    assert told[0] == told[1]
    assert [v["authorized"] for v in told[0]] == [True, True]
    assert served.get("/api/v1/gate/stats").json()["n"] == 3


def test_a_title_alone_is_refused(served: Served) -> None:
    for body in ({"title": "x"}, {"title": "x", "text": " "}):
        refused = served.post("/api/v1/gate/submissions", body)
        assert (refused.status_code, refused.json()["error"]) == (422, "Usage")
    assert served.get("/api/v1/gate/stats").json()["n"] == 0


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ({"text": " "}, "submissions[2]: a submission must be an object with a text"),
        ({"text": "Row.", "fields": {"title": "x"}}, "submissions[2]: 'title' is not a valid field name"),
    ],
)
def test_a_batch_that_is_refused_names_the_place_of_what_is_wrong(
    served: Served, bad: dict[str, Any], why: str
) -> None:
    batch = {"submissions": [{"text": "Sail."}, {"text": "Paint the long fence."}, bad, {"text": ""}]}
    refused = served.post("/api/v1/gate/batches", batch)
    assert (refused.status_code, refused.json()["error"]) == (422, "Usage")
    assert refused.json()["message"].startswith(why)
    assert served.get("/api/v1/gate/verdicts").json() == []


def test_the_documented_request_is_answered_as_documented(served: Served) -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "gate.md").read_text(encoding="utf-8")
    body = re.search(r"-d '(\{.*\})'", page)
    assert body is not None
    told = served.post("/api/v1/gate/submissions", json.loads(body[1]), **{"Idempotency-Key": "task-17"}).json()
    assert (told["gate"], told["key"], told["authorized"], told["reason"]) == ("tasks", "task-17", True, "no_matches")
    assert served.post("/api/v1/gate/submissions", {"text": "Sail.", "subdomain": "softlines"}).status_code == 422


def test_what_is_held_is_overridden_and_released(tmp_path: Path) -> None:
    served = Served(tmp_path, Judge(failing(Failure.TIMEOUT)), gate_llm_enabled=True)
    served.post("/api/v1/gate/submissions", {"text": TEXT})
    id_ = served.post("/api/v1/gate/submissions", {"text": NEAR}).json()["id"]
    early = served.post(f"/api/v1/gate/verdicts/{id_}/override", {"why": "now"})
    assert early.status_code == 422
    served.base.rule_pending()
    page = served.get(f"/gate/{id_}").text
    assert "timeout" in page
    assert served.post(f"/api/v1/gate/verdicts/{id_}/override", {"why": ""}).status_code == 422
    through = served.post(f"/api/v1/gate/verdicts/{id_}/override", {"why": "another shop"}).json()
    assert (through["authorized"], through["reason"]) == (True, "override")
    released = served.post(f"/api/v1/gate/verdicts/{id_}/release", {"why": "dropped"}).json()
    assert not released["authorized"]
    assert served.get("/api/v1/gate/stats").json()["failures"] == {"timeout": 1}
    events = served.get("/api/v1/gate/events", gate="main").json()
    assert [e["act"] for e in events][:2] == ["released", "overridden"]


def test_held_ones_are_asked_about_again_by_cause(tmp_path: Path) -> None:
    served = Served(tmp_path, Judge(failing(Failure.CANARY)), gate_llm_enabled=True, gate_adjudicator="local")
    served.post("/api/v1/gate/submissions", {"text": TEXT})
    id_ = served.post("/api/v1/gate/submissions", {"text": NEAR}).json()["id"]
    served.base.rule_pending()
    assert served.post("/api/v1/gate/retry", {}).json() == []
    assert served.post("/api/v1/gate/retry", {"failed": ["nothing"]}).status_code == 422
    assert served.post("/api/v1/gate/retry", {"judge": "local:/etc"}).status_code == 422
    assert served.post("/api/v1/gate/retry", {"gate": "none"}).status_code == 404
    again = served.post("/api/v1/gate/retry", {"failed": ["canary", "timeout"]})
    assert (again.status_code, [v["id"] for v in again.json()]) == (202, [id_])
    served.judge.says = distinct
    assert [v.id for v in served.base.rule_pending()] == [id_]
    assert served.get(f"/api/v1/gate/verdicts/{id_}").json()["reason"] == "llm_cleared"
    served.client.close()


def test_a_judge_that_was_made_for_another_model_is_not_there_and_the_answer_says_why(served: Served) -> None:
    served.post("/api/v1/gate/submissions", {"text": TEXT})
    answer = served.post("/api/v1/gate/retry", {"failed": ["canary", "contradiction"], "judge": "local"})
    assert (answer.status_code, answer.json()["error"]) == (503, "Artefact")
    assert "it was trained on similarities of" in answer.json()["message"]


def test_a_judge_that_cannot_be_opened_holds_what_waits_for_it_and_says_why(tmp_path: Path) -> None:
    served = Served(tmp_path, Judge(failing(Failure.CANARY)), gate_llm_enabled=True)
    served.post("/api/v1/gate/submissions", {"text": TEXT})
    id_ = served.post("/api/v1/gate/submissions", {"text": NEAR}).json()["id"]
    (held,) = served.base.rule_pending()
    how = reopening("jo", ["canary"], "nobody-such")
    base = served.base.base
    assert len(reopen(base, [held], how, base.clock.now())) == 1
    (still,) = served.base.rule_pending()
    assert (still.id, still.blocked) == (id_, True)
    assert still.ruling is not None
    assert (still.ruling.failure, still.ruling.adjudicator) == (Failure.REFUSED, "nobody-such")
    assert "gate_adjudicator" in still.ruling.reason
    with pytest.raises(SettingsError):
        served.base.gate("main", asked_again=how.order)
    served.client.close()


def test_a_change_needs_the_token_of_the_session(served: Served) -> None:
    refused = served.client.post("/api/v1/gate/submissions", json={"text": TEXT})
    assert refused.status_code == 403
    assert served.get("/api/v1/gate/verdicts").json() == []


def test_the_page_shows_figures_charts_and_verdicts(served: Served) -> None:
    assert "No submissions yet" in served.get("/gate").text
    served.post("/api/v1/gate/submissions", {"text": TEXT, "title": "<b>Inventory</b>"})
    held = served.post("/api/v1/gate/submissions", {"text": TEXT, "title": "<b>Inventory</b>"}).json()
    page = served.get("/gate").text
    assert "same content" in page
    assert "&lt;b&gt;Inventory" in page
    assert "escape hatch" not in page
    for name in ("days", "reasons", "bands", "failures"):
        for theme in ("light", "dark"):
            chart = served.get(f"/gate/charts/{name}.svg", gate="main", theme=theme)
            assert chart.status_code == 200
            assert "<script" not in chart.text
            assert chart.text.startswith("<svg")
    assert served.get("/gate/charts/nothing.svg", gate="main").status_code == 404
    assert served.get("/gate/charts/days.svg", gate="none").status_code == 404
    assert "Blocked" in served.get(f"/gate/{held['id']}").text
    assert served.get("/gate/gv-00000000").status_code == 404


def test_the_page_warns_while_the_hatch_is_open(tmp_path: Path) -> None:
    judge = Judge(failing(Failure.UNREACHABLE))
    served = Served(tmp_path, judge, gate_llm_enabled=True, gate_escape_hatch=True, gate_lenient=True)
    served.post("/api/v1/gate/submissions", {"text": TEXT})
    served.post("/api/v1/gate/submissions", {"text": NEAR})
    served.base.rule_pending()
    page = served.get("/gate").text
    assert "The escape hatch is open" in page
    assert "1 let through so far" in page
    assert "Free text of an auto-rater may clear" in page
    metrics = served.get("/metrics").text
    assert "saidonce_gate_escape_hatch 1.0" in metrics
    assert 'saidonce_gate_rulings_total{outcome="unreachable"}' in metrics


def test_a_verdict_is_overridden_from_its_page_without_scripts(tmp_path: Path) -> None:
    served = Served(tmp_path, Judge(failing(Failure.TIMEOUT)))
    served.post("/api/v1/gate/submissions", {"text": TEXT})
    id_ = served.post("/api/v1/gate/submissions", {"text": NEAR}).json()["id"]
    form = re.search(r'name="csrf" value="([^"]+)"', served.get(f"/gate/{id_}").text)
    assert form is not None
    page = served.client.post(f"/gate/{id_}/override", data={"csrf": form[1], "why": "another shop"})
    assert page.status_code == 200
    assert "Let through by" in page.text
    assert served.get(f"/api/v1/gate/verdicts/{id_}").json()["authorized"]
    assert served.client.post(f"/gate/{id_}/praise", data={"csrf": form[1]}).status_code == 422
