"""The API over real HTTP: keys and scopes, every route against its own description, sign-in by key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

from website import Website, doubtful, served, token_of

pytestmark = pytest.mark.xdist_group("api")


@pytest.fixture(scope="module")
def site() -> Iterator[Website]:
    """A base with people, so that everybody signs in."""
    with served(doubtful(12), ("people", "add", "ann", "ann@example.com", "--role", "owner")) as running:
        yield running


def key_of(site: Website, person: str, *scopes: str) -> str:
    """Make a key on the command line."""
    wanted = [part for scope in scopes for part in ("--scope", scope)]
    made = json.loads(site.run("keys", "make", person, *wanted, "--json"))
    return str(made["key"])


@pytest.fixture(scope="module")
def owner(site: Website) -> Iterator[httpx.Client]:
    key = key_of(site, "ann")
    with httpx.Client(base_url=f"{site.url}/api/v1", headers={"Authorization": f"Bearer {key}"}, timeout=60) as client:
        yield client


def test_nobody_gets_in_without_a_key(site: Website) -> None:
    for path in ("/queue", "/status", "/search?q=books", "/people"):
        assert httpx.get(f"{site.url}/api/v1{path}").status_code == 401
    for page in ("/queue", "/dashboard", "/feed", "/charts/growth.svg"):
        answer = httpx.get(f"{site.url}{page}")
        assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    wrong = httpx.get(f"{site.url}/api/v1/queue", headers={"Authorization": "Bearer so1_default_00_00"})
    assert wrong.status_code == 401


def test_a_key_opens_its_scopes_only(site: Website, owner: httpx.Client) -> None:
    reading = {"Authorization": f"Bearer {key_of(site, 'ann', 'read')}"}
    seq = owner.get("/queue").json()["pairs"][0]["seq"]
    assert httpx.get(f"{site.url}/api/v1/queue", headers=reading).status_code == 200
    refused = httpx.post(f"{site.url}/api/v1/queue/{seq}", json={"verb": "keep_apart"}, headers=reading)
    assert refused.status_code == 403
    assert "review" in refused.json()["message"]
    assert httpx.get(f"{site.url}/api/v1/people", headers=reading).status_code == 403


def test_a_revoked_key_ends_its_sessions(site: Website, owner: httpx.Client) -> None:
    made = owner.post("/keys", json={"person": "ann", "label": "for a while"}).json()
    with site.client() as browser:
        token = token_of(browser.get("/sign-in").text)
        page = browser.post("/sign-in", data={"csrf": token, "key": made["key"]})
        assert page.url.path == "/"
        assert "ann" in page.text
        owner.delete(f"/keys/{made['id']}")
        assert browser.get("/queue").url.path == "/sign-in"


def test_a_wrong_key_is_told_without_a_session(site: Website) -> None:
    with site.client() as browser:
        token = token_of(browser.get("/sign-in").text)
        page = browser.post("/sign-in", data={"csrf": token, "key": "so1_default_nothing"})
        assert page.status_code == 401
        assert "API key" in page.text
        assert browser.get("/queue").url.path == "/sign-in"


def test_a_request_repeated_under_one_key_is_done_once(owner: httpx.Client) -> None:
    flag = owner.get("/queue").json()["pairs"][0]
    headers = {"Idempotency-Key": "one and the same"}
    answers = [owner.post(f"/queue/{flag['seq']}", json={"verb": "merge"}, headers=headers).json() for _ in range(3)]
    assert len({a.get("seq", str(a)) for a in answers}) == 1, answers
    undone = owner.post(f"/decisions/{answers[0]['seq']}/revert", json={}).json()
    assert undone["reverts"] == answers[0]["seq"]
    assert owner.get(f"/queue/{flag['seq']}").json()["open"]


def test_an_outdated_view_is_refused(owner: httpx.Client) -> None:
    flag = owner.get("/queue").json()["pairs"][0]
    seen = owner.get(f"/queue/{flag['seq']}").json()["seen"]
    owner.post(f"/blocks/{flag['of']}/own", json={"owner": "ben"})
    late = owner.post(f"/queue/{flag['seq']}", json={"verb": "merge", "seen": seen})
    assert late.status_code == 409
    assert owner.get(f"/queue/{flag['seq']}").json()["open"]


def test_a_document_is_ingested_found_and_removed(owner: httpx.Client) -> None:
    text = b"# Boats\n\nThe ferry to the island leaves at noon from the third pier."
    report = owner.post("/documents", files={"file": ("boats.md", text)}).json()
    assert report["documents"][0]["state"] == "new"
    hits = owner.get("/search", params={"q": "when does the ferry leave"}).json()["hits"]
    assert hits[0]["document"] == "boats.md"
    assert owner.get(f"/blocks/{hits[0]['id']}").json()["text"].startswith("The ferry")
    assert owner.delete("/documents", params={"name": "boats.md"}).json()["n_removed"] == 1
    assert owner.get(f"/blocks/{hits[0]['id']}").status_code == 404


@pytest.mark.parametrize(
    ("name", "content", "status", "state"),
    [
        ("new.md", b"# Piers\n\nThe third pier is closed on Sundays.", 201, "new"),
        ("broken.pdf", b"%PDF-1.7 no", 422, "refused"),
        ("empty.txt", b"", 422, "refused"),
    ],
)
def test_a_refused_upload_says_so_in_its_status(
    owner: httpx.Client, name: str, content: bytes, status: int, state: str
) -> None:
    answer = owner.post("/documents", files={"file": (name, content)})
    report = answer.json()
    assert (answer.status_code, report["documents"][0]["state"]) == (status, state)
    assert ("message" in report) == (status == 422)


def test_an_upload_that_is_there_already_says_so(owner: httpx.Client) -> None:
    answers = [
        owner.post("/documents", files={"file": ("again.md", b"# Quays\n\nThe quay opens at nine.")}) for _ in "12"
    ]
    assert [answer.json()["documents"][0]["state"] for answer in answers] == ["new", "unchanged"]
    assert {answer.status_code for answer in answers} == {201}


@pytest.mark.parametrize("n_examples", [2, pytest.param(8, marks=pytest.mark.slow)])
def test_every_route_keeps_its_description(site: Website, owner: httpx.Client, n_examples: int) -> None:
    """Whatever is asked, the server answers as described, and never with an error of its own."""
    schema = schemathesis.openapi.from_dict(httpx.get(f"{site.url}/openapi.json", timeout=60).json())
    headers = {"Authorization": owner.headers["Authorization"]}
    for operation in schema.get_all_operations():
        assert isinstance(operation, Ok), operation
        strategy = operation.ok().as_strategy()

        @settings(max_examples=n_examples, deadline=None, suppress_health_check=list(HealthCheck), database=None)
        @given(strategy)
        def run(case: Any) -> None:
            answer = case.call(base_url=site.url, headers=headers, timeout=60, verify=False)
            assert answer.status_code < 500, f"{case.method} {case.path}: {answer.status_code} {answer.text[:300]}"
            case.validate_response(answer, checks=[response_schema_conformance, status_code_conformance])

        run()
