"""MCP over HTTP asks for a key as soon as the base has people."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from in_process import in_process
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.errors import AccessError
from saidonce.foundation.model import Role, Scope
from saidonce.foundation.model.security import SecurityFilter, SecurityKind
from saidonce.interfaces.mcp.gate import PRINCIPAL, KeyGate, check_may_write
from saidonce.interfaces.mcp.server import server
from saidonce.platform import access
from saidonce.platform.attempts import FREE
from world import world

NOW = datetime(2026, 11, 22, tzinfo=UTC)


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KnowledgeBase:
    return in_process(world(), tmp_path, monkeypatch).base


def who(request: Request) -> JSONResponse:
    principal = request.scope.get(PRINCIPAL)
    return JSONResponse({"who": principal.person.name if principal else None})


@pytest.fixture
def client(base: KnowledgeBase) -> TestClient:
    app = KeyGate(Starlette(routes=[Route("/mcp", who, methods=["GET", "POST"])]), base)
    return TestClient(app, "http://127.0.0.1")


def key_for(base: KnowledgeBase, person: str, role: Role, *scopes: Scope) -> dict[str, str]:
    access.add_person(base.store, person, "", role, NOW)
    seed = iter(range(1, 100))
    _, key = access.make_key(base.store, person, "", scopes, NOW, lambda n: bytes([next(seed), len(person)] * (n // 2)))
    return {"Authorization": f"Bearer {key}"}


def test_without_people_nobody_is_asked_and_with_them_everybody(base: KnowledgeBase, client: TestClient) -> None:
    assert client.post("/mcp").json() == {"who": None}
    key = key_for(base, "olga", Role.OWNER, Scope.READ)
    refused = client.post("/mcp")
    assert (refused.status_code, refused.headers["www-authenticate"][:6]) == (401, "Bearer")
    assert client.post("/mcp", headers=key).json() == {"who": "olga"}
    assert client.get("/mcp", headers={"Authorization": "Basic b2xnYTpvbGdh"}).status_code == 401
    kinds = [e.kind for e in base.store.security.events(SecurityFilter())]
    assert SecurityKind.REFUSED in kinds
    assert {e.door for e in base.store.security.events(SecurityFilter(kinds=(SecurityKind.REFUSED,)))} == {"mcp"}


def test_a_key_needs_the_scope_read_and_to_be_of_this_organisation(base: KnowledgeBase, client: TestClient) -> None:
    no_read = key_for(base, "olga", Role.OWNER, Scope.WRITE)
    assert client.post("/mcp", headers=no_read).status_code == 403
    other = base.store.of_org(f"{base.store.org}-other")
    access.add_person(other, "eve", "", Role.OWNER, NOW)
    _, key = access.make_key(other, "eve", "", [Scope.READ], NOW, bytes)
    assert client.post("/mcp", headers={"Authorization": f"Bearer {key}"}).status_code == 401


def test_guessing_gets_slow(base: KnowledgeBase, client: TestClient) -> None:
    key_for(base, "olga", Role.OWNER, Scope.READ)
    wrong = {"Authorization": "Bearer so1_x_0_0"}
    assert [client.post("/mcp", headers=wrong).status_code for _ in range(FREE + 2)] == [401] * FREE + [429] * 2


def test_a_call_that_writes_needs_the_scope(base: KnowledgeBase) -> None:
    def request(*scopes: Scope) -> Request:
        person = access.add_person(base.store, "p" + "".join(scopes), "", Role.OWNER, NOW)
        return Request({"type": "http", PRINCIPAL: access.Principal(person, frozenset(scopes))})

    check_may_write(None)
    check_may_write(request(Scope.READ, Scope.WRITE))
    with pytest.raises(AccessError, match="write"):
        check_may_write(request(Scope.READ))


def test_the_real_server_lets_a_reader_search_and_not_propose(base: KnowledgeBase) -> None:
    key = key_for(base, "olga", Role.OWNER, Scope.READ)
    app: Any = KeyGate(
        server(base).streamable_http_app(host="127.0.0.1", json_response=True, stateless_http=True), base
    )
    with TestClient(app, "http://127.0.0.1:8766") as client:

        def call(tool: str, **arguments: object) -> Any:
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
            accept = {"Accept": "application/json, text/event-stream", **key}
            answer = client.post("/mcp", json=body, headers=accept)
            assert answer.status_code == 200, answer.text
            return answer.json()["result"]["structuredContent"]

        assert "error" not in call("search", query="backups")
        refused = call("propose", text="The cat sleeps on the roof at noon.", collection="main", dry_run=False)
        assert refused["error"]["code"] == "not_allowed"
