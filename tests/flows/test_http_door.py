"""What the HTTP door lets in: keys, bodies, numbers, sessions, and the headers of what goes out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from in_process import InProcess, in_process
from open_pairs import THIRTY, clustered_base, flag_of
from saidonce.foundation.model import Role, Scope
from saidonce.foundation.ports import Store
from saidonce.interfaces.http import site as http_site
from saidonce.platform import access
from saidonce.platform.attempts import Attempts
from world import NOW, World, world

Serve = Callable[..., InProcess]
HUGE = "9" * 5_000


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Serve:
    def begin(w: World, **given: object) -> InProcess:
        return in_process(w, tmp_path, monkeypatch, **given)  # type: ignore[arg-type]

    return begin


def key_of(store: Store, name: str) -> str:
    access.add_person(store, name, "", Role.OWNER, NOW)
    return access.make_key(store, name, "", list(Scope), NOW, lambda n: bytes(range(n)))[1]


def people_in_two_organisations() -> tuple[World, str, str]:
    w = world(collection_use="canonical")
    w.put("0.md", THIRTY)
    return w, key_of(w.base.store, "ann"), key_of(w.base.store.of_org("south"), "sue")


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def test_who_has_no_key_of_an_organisation_opens_nothing(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    w, mine, theirs = people_in_two_organisations()
    app = serve(w, local=False)
    for n in range(4):
        forged = bearer(f"so1_org{n}_{'0' * 16}_{'0' * 64}")
        assert app.client.get("/api/v1/status", headers=forged).status_code == 401
    long_name = "x" * 2_000
    assert app.client.get("/api/v1/status", headers=bearer(f"so1_{long_name}_{'0' * 16}_{'0' * 64}")).status_code == 401
    app.site.attempts = Attempts()
    assert app.client.get("/api/v1/status", headers=bearer(mine)).status_code == 200
    assert (app.opened, list(app.site._bases)) == (["north"], [])
    assert app.client.get("/api/v1/documents", headers=bearer(theirs)).json() == []
    assert (app.opened, list(app.site._bases)) == (["north"], ["south"])
    monkeypatch.setattr(http_site, "MOST_BASES", 2)
    for org in ("a", "b", "south", "c"):
        app.site.base_of(org)
    assert list(app.site._bases) == ["south", "c"]


def test_nobody_has_a_body_read(serve: Serve) -> None:
    w, mine, _ = people_in_two_organisations()
    app = serve(w, local=False)
    big = b'{"a": "' + b"x" * 5_000_000 + b'"}'
    as_json = {"content-type": "application/json"}

    def trickle() -> Iterator[bytes]:
        yield from [big[:1_000_000]] * 5

    assert app.client.post("/api/v1/merges", content=big, headers=as_json).status_code == 401
    assert app.client.post("/api/v1/merges", content=b"{", headers=as_json).status_code == 401
    assert app.client.post("/api/v1/documents", files={"file": ("a.md", big)}).status_code == 401
    assert app.client.post("/queue/1", data={"csrf": "x", "ruling": "merge"}).headers["location"] == "/sign-in"
    assert app.client.post("/sign-in", data={"csrf": "x", "key": "y" * 20_000}).status_code == 413
    known = {**as_json, **bearer(mine)}
    assert app.client.post("/api/v1/merges", content=big, headers=known).status_code == 413
    assert app.client.post("/api/v1/merges", content=trickle(), headers=known).status_code == 413
    few = serve(w, local=False, max_source_mb=2)
    assert few.client.post("/api/v1/documents", files={"file": ("a.md", big)}, headers=bearer(mine)).status_code == 413


def test_what_is_malformed_is_told_as_such(serve: Serve) -> None:
    w = clustered_base()
    app, seq = serve(w), flag_of(w).seq
    assert app.client.get(f"/queue?done={HUGE}").status_code == 200
    assert app.client.get(f"/queue?after=1,{HUGE}").status_code == 200
    assert app.client.get("/queue?after=nan,1").status_code == 200
    assert app.post(f"/queue/{seq}", ruling="bogus").status_code == 422
    assert app.post(f"/queue/{seq}", ruling="merge:bogus").status_code == 422
    assert app.post(f"/blocks/{w.blocks()[0].id}/approve", approval="bogus").status_code == 422
    over = 2**63
    for path in (
        f"/feed?before={over}", f"/api/v1/decisions?before={over}", f"/api/v1/queue?after_worth=1&after_seq={over}",
        "/api/v1/queue?after_worth=nan&after_seq=1",
    ):  # fmt: skip
        assert app.client.get(path).status_code == 422, path
    assert flag_of(w).open


@pytest.mark.parametrize("number", ["abc", "1.5", "-3", "0", str(2**63), HUGE[:30]])
def test_a_path_whose_number_is_none_leads_nowhere(serve: Serve, number: str) -> None:
    app = serve(clustered_base())
    for path in (f"/queue/{number}", f"/api/v1/queue/{number}"):
        answer = app.client.get(path)
        assert (answer.status_code, f"there is nothing at {path}" in answer.text) == (404, True), path
        assert "nteger" not in answer.text
    for path in (
        f"/queue/{number}",
        f"/decisions/{number}/revert",
        f"/decisions/{number}/audit",
        f"/blocks/0/{number}",
    ):
        answer = app.post(path, wrong="yes", ruling="dismiss")
        assert (answer.status_code, f"there is nothing at {path}" in answer.text) == (404, True), path


def test_a_number_that_nothing_has_is_one_of_no_pair(serve: Serve) -> None:
    answer = serve(clustered_base()).client.get("/queue/999")
    assert (answer.status_code, "no pair &#39;999&#39;" in answer.text) == (404, True)


def test_what_is_malformed_is_named_in_plain_words(serve: Serve) -> None:
    app = serve(world())
    assert app.client.get("/api/v1/decisions?limit=many").json()["message"] == "limit must be a whole number"
    assert (
        app.client.get("/api/v1/search?q=x&since=soon").json()["message"] == "since must be a date such as 2025-03-31"
    )
    reranked = app.client.post(
        "/v1/rerank", json={"query": "x", "documents": [1]}, headers={"X-CSRF-Token": app.token()}
    )
    assert reranked.json()["message"] == "documents[0] must be a string"
    body = {"submissions": [{"text": "Count the shirts."}, {"text": 1}]}
    answer = app.client.post("/api/v1/gate/batches", json=body, headers={"X-CSRF-Token": app.token()})
    assert (answer.status_code, answer.json()["message"]) == (422, "submissions[1].text must be a string")


def test_a_mistake_of_ours_carries_the_headers(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    app = serve(world())

    def fail(*_: object) -> None:
        raise RuntimeError("a secret of ours")

    monkeypatch.setattr("saidonce.app.knowledge_base.KnowledgeBase.status", fail)
    monkeypatch.setattr("saidonce.kb.review.list_pairs", fail)
    for path in ("/api/v1/status", "/queue"):
        answer = app.client.get(path)
        assert answer.status_code == 500
        assert "secret" not in answer.text
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_server_without_sign_in_answers_to_no_other_name(serve: Serve) -> None:
    app = serve(world())
    for host in ("testserver", "evil.example"):
        assert app.client.get("/queue", headers={"Host": host}).status_code == 421


def test_a_stolen_cookie_ends_with_the_session(serve: Serve) -> None:
    w, mine, _ = people_in_two_organisations()
    app = serve(w, local=False)
    assert app.post("/sign-in", key=mine).headers["location"] == "/"
    stolen = app.client.cookies["saidonce"]
    page = app.client.get("/queue")
    assert page.status_code == 200
    app.client.post("/sign-out", data={"csrf": re.findall(r'name="csrf" value="([^"]+)"', page.text)[0]})
    for other in (app, serve(w, local=False)):
        other.client.cookies.clear()
        answer = other.client.get("/queue", headers={"Cookie": f"saidonce={stolen}"})
        assert answer.headers["location"] == "/sign-in"


def test_the_series_of_all_are_for_the_servers_own(serve: Serve) -> None:
    w, mine, theirs = people_in_two_organisations()
    app = serve(w, local=False)
    assert [app.client.get("/metrics", headers=bearer(k)).status_code for k in (mine, theirs)] == [200, 403]


def test_charts_come_under_a_strict_policy(serve: Serve) -> None:
    w = world(collection_use="canonical")
    w.put("0.md", THIRTY)
    app = serve(w)
    for name in ("growth", "similarities", "rulings", "formats"):
        chart = app.client.get(f"/charts/{name}.svg")
        assert "unsafe" not in chart.headers["content-security-policy"]
        assert "style-src 'sha256-" in chart.headers["content-security-policy"]
        assert not re.search(r"\sstyle=", chart.text)


def test_the_dashboard_is_summed_up_once_for_each_state(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    w = world(collection_use="canonical")
    w.put("0.md", THIRTY)
    app = serve(w)
    n_logs = 0
    log = w.base.store.ledger.log

    def counted() -> object:
        nonlocal n_logs
        n_logs += 1
        return log()

    monkeypatch.setattr(w.base.store.ledger, "log", counted)
    page = app.client.get("/dashboard").text
    for name in ("growth", "similarities", "rulings", "formats"):
        assert app.client.get(f"/charts/{name}.svg").status_code == 200
    assert n_logs == 1
    w.put("1.md", f"# x\n\n{THIRTY}")
    assert app.client.get("/dashboard").text != page
    assert n_logs == 2


def test_a_block_is_read_by_the_beginning_of_its_id_too(serve: Serve) -> None:
    w = world()
    w.put("0.md", THIRTY)
    app = serve(w)
    id_ = w.blocks()[0].id
    assert app.client.get(f"/api/v1/blocks/{id_[:8]}").json()["id"] == id_
    assert app.client.get(f"/api/v1/blocks/{'0' * 8}").status_code == 404
    assert "first four hexadecimal digits" in app.client.get("/api/v1/blocks/zz").json()["message"]


def test_a_parameter_that_the_route_does_not_know_is_refused(serve: Serve) -> None:
    w = world()
    w.put("0.md", THIRTY)
    w.put("0.md", THIRTY, "spare")
    app = serve(w)
    found = app.client.get("/api/v1/search", params={"q": "backups", "collection": "spare"})
    assert (found.status_code, [hit["collection"] for hit in found.json()["hits"]]) == (200, ["spare"])
    wrong = app.client.get("/api/v1/search", params={"q": "backups", "colection": "spare"})
    assert (wrong.status_code, wrong.json()["message"]) == (422, "colection is not known here")
    gone = app.client.delete("/api/v1/documents", params={"name": "0.md", "colection": "spare"})
    assert gone.status_code in (403, 422)
    key = key_of(w.base.store, "ann")
    gone = app.client.delete("/api/v1/documents", params={"name": "0.md", "colection": "spare"}, headers=bearer(key))
    assert gone.status_code == 422
    assert len(w.blocks()) == 1
