"""What the HTTP door writes into the security log, how it slows guessing down, and when its sessions end."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from in_process import InProcess, in_process
from saidonce.errors import StoreUnavailableError
from saidonce.foundation.model import Role, Scope
from saidonce.foundation.model.security import SecurityFilter, SecurityKind
from saidonce.platform import access
from saidonce.platform.attempts import FREE
from world import world

WRONG = f"so1_north_{'0' * 16}_{'0' * 64}"


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., InProcess]:
    def make(**changes: object) -> InProcess:
        made = in_process(world(), tmp_path, monkeypatch, local=False, **changes)
        access.add_person(made.base.store, "olga", "", Role.OWNER, datetime.now(UTC))
        access.add_person(made.base.store, "rolf", "", Role.READER, datetime.now(UTC))
        return made

    return make


def key_of(made: InProcess, person: str, *scopes: Scope, **limits: Any) -> str:
    wish = access.KeyWish(person, "", frozenset(scopes), **limits)
    return access.make_limited_key(made.base.store, wish, datetime.now(UTC), bytes_of)[1]


_count = iter(range(10_000))


def bytes_of(n: int) -> bytes:
    return next(_count).to_bytes(4, "big").rjust(n, b"\1")


def kinds(made: InProcess) -> list[SecurityKind]:
    return [event.kind for event in made.base.store.security.events(SecurityFilter())][::-1]


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def test_signing_in_and_out_and_refusals_stand_in_the_log(served: Callable[..., InProcess]) -> None:
    made = served()
    key = key_of(made, "olga", *Scope)
    assert made.post("/sign-in", key=WRONG).status_code == 401
    assert made.post("/sign-in", key=key).status_code == 303
    page = made.client.get("/security")
    assert page.status_code == 200
    csrf = page.text.split('name="csrf" value="')[1].split('"')[0]
    assert made.client.post("/sign-out", data={"csrf": csrf}).status_code == 303
    assert kinds(made)[-4:] == [
        SecurityKind.REFUSED, SecurityKind.KEY_FIRST_USED, SecurityKind.SIGNED_IN, SecurityKind.SIGNED_OUT,
    ]  # fmt: skip
    events = made.base.store.security.events(SecurityFilter(kinds=(SecurityKind.SIGNED_IN, SecurityKind.SIGNED_OUT)))
    assert {(e.person, e.address, e.door) for e in events} == {("olga", "testclient", "http")}
    assert WRONG not in repr(made.base.store.security.events(SecurityFilter()))


def test_the_page_and_the_api_are_for_administrators_and_filter(served: Callable[..., InProcess]) -> None:
    made = served()
    reader, owner = key_of(made, "rolf", Scope.READ), key_of(made, "olga", Scope.ADMIN)
    for path in ("/security", "/api/v1/security-log"):
        assert made.client.get(path, headers=bearer(reader)).status_code == 403
        assert made.client.get(path, headers=bearer(owner)).status_code == 200
    read = made.client.get("/api/v1/security-log", params={"kind": "refused"}, headers=bearer(owner)).json()
    assert [(e["person"], e["kind"]) for e in read] == [("rolf", "refused")] * 2
    assert read[0]["detail"]["reason"] == "rolf may not do this"
    every = made.client.get("/api/v1/security-log", headers=bearer(owner)).json()
    after = made.client.get("/api/v1/security-log", params={"after": 2, "limit": 1}, headers=bearer(owner)).json()
    assert [e["n"] for e in every] == list(range(len(every), 0, -1))
    assert [e["n"] for e in after] == [3]
    page = made.client.get("/security", params={"kind": "refused", "day": "1999-01-01"}, headers=bearer(owner)).text
    assert "No matching entries" in page
    page = made.client.get("/security", params={"kind": "person_added", "person": "<b>"}, headers=bearer(owner)).text
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    odd = {"kind": "nonsense", "day": "soon", "before": "3"}
    assert made.client.get("/security", params=odd, headers=bearer(owner)).status_code == 200


def test_the_log_has_no_verb_that_changes_it(served: Callable[..., InProcess]) -> None:
    made = served()
    owner = key_of(made, "olga", *Scope)
    for verb in ("post", "put", "patch", "delete"):
        answer = getattr(made.client, verb)("/api/v1/security-log", headers=bearer(owner))
        assert answer.status_code == 405, verb


def test_guessing_gets_slow_and_hurts_nobody_who_has_a_key(
    served: Callable[..., InProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1_000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    made = served()
    known, fresh = key_of(made, "olga", *Scope), key_of(made, "olga", Scope.READ)
    assert made.client.get("/api/v1/people", headers=bearer(known)).status_code == 200
    answers = [made.client.get("/api/v1/people", headers=bearer(WRONG)) for _ in range(FREE + 3)]
    assert [a.status_code for a in answers] == [401] * FREE + [429] * 3
    assert answers[-1].headers["retry-after"] == "1"
    assert answers[-1].json()["error"] == "SlowedDown"
    assert made.client.get("/api/v1/people", headers=bearer(known)).status_code == 200
    assert made.client.get("/api/v1/status", headers=bearer(fresh)).status_code == 429, "a right guess would be seen"
    slowed = made.post("/sign-in", key=WRONG)
    assert (slowed.status_code, slowed.headers["retry-after"]) == (429, "1")
    assert "wait 1 s" in slowed.text
    now[0] += 2
    assert made.client.get("/api/v1/status", headers=bearer(fresh)).status_code == 200
    assert kinds(made).count(SecurityKind.REFUSED) == 3, "the 1st, 2nd and 4th"


def test_a_program_that_asks_again_and_again_fills_no_log(served: Callable[..., InProcess]) -> None:
    made = served()
    reader = key_of(made, "rolf", Scope.READ)
    for _ in range(20):
        assert made.client.get("/api/v1/people", headers=bearer(reader)).status_code == 403
    assert kinds(made).count(SecurityKind.REFUSED) == 5, "the 1st, 2nd, 4th, 8th and 16th"


def test_a_session_ends_however_often_it_is_used(
    served: Callable[..., InProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = served(session_days=1.0)
    assert made.post("/sign-in", key=key_of(made, "olga", *Scope)).status_code == 303
    begun = time.time()
    monkeypatch.setattr(time, "time", lambda: begun + 23 * 3_600)
    assert made.client.get("/queue").status_code == 200
    monkeypatch.setattr(time, "time", lambda: begun + 25 * 3_600)
    answer = made.client.get("/queue")
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")


def test_a_session_ends_with_its_key(served: Callable[..., InProcess]) -> None:
    made = served()
    key = key_of(made, "olga", *Scope, expires_at=datetime.now(UTC) + timedelta(hours=1))
    assert made.post("/sign-in", key=key).status_code == 303
    assert made.client.get("/queue").status_code == 200
    (kept,) = [k for k in made.base.store.people.keys() if k.expires_at]  # noqa: SIM118
    object.__setattr__(kept, "expires_at", datetime.now(UTC) - timedelta(seconds=1))
    made.base.store.people.put_key(kept)
    assert made.client.get("/queue").headers["location"] == "/sign-in"


def test_a_key_is_bound_to_its_networks(served: Callable[..., InProcess]) -> None:
    made = served()
    key = key_of(made, "olga", *Scope, addresses=("10.0.0.0/8",))
    for host, status in (("10.1.2.3", 200), ("192.168.0.1", 401)):
        made.client._transport.client = (host, 1)  # type: ignore[attr-defined]
        assert made.client.get("/api/v1/people", headers=bearer(key)).status_code == status


def test_keys_with_limits_are_made_over_the_api(served: Callable[..., InProcess]) -> None:
    made = served()
    owner = key_of(made, "olga", *Scope)
    body = {"person": "rolf", "expires_at": "2999-01-01T00:00:00Z", "addresses": ["10.0.0.7/8"]}
    answer = made.client.post("/api/v1/keys", json=body, headers=bearer(owner))
    assert answer.status_code == 201, answer.text
    assert (answer.json()["addresses"], answer.json()["expires_at"][:4]) == (["10.0.0.0/8"], "2999")
    for wrong in ({"expires_at": "2999-01-01T00:00:00"}, {"expires_at": "1999-01-01T00:00:00Z"}, {"addresses": ["x"]}):
        assert made.client.post("/api/v1/keys", json={**body, **wrong}, headers=bearer(owner)).status_code == 422


def test_the_cookie_on_https_is_bound_to_the_host(served: Callable[..., InProcess]) -> None:
    made = served(public_url="https://kb.example.com")
    made.client.base_url = "https://kb.example.com"
    (cookie,) = made.client.get("/sign-in").headers.get_list("set-cookie")
    assert cookie.startswith("__Host-saidonce=")
    assert {"path=/", "secure", "httponly", "samesite=lax"} <= {part.strip().lower() for part in cookie.split(";")}
    assert "domain" not in cookie.lower()
    key = key_of(made, "olga", *Scope)
    assert made.post("/sign-in", key=key).status_code == 303
    assert made.client.get("/queue").status_code == 200


@pytest.mark.parametrize("path", ["/sign-in", "/queue", "/api/v1/people", "/nowhere", "/healthz", "/static/style.css"])
def test_who_came_over_https_stays_with_it_for_a_year(served: Callable[..., InProcess], path: str) -> None:
    made = served(public_url="https://kb.example.com")
    made.client.base_url = "https://kb.example.com"
    assert made.client.get(path).headers["strict-transport-security"] == "max-age=31536000"
    plain = served(public_url="http://kb.example.com")
    assert "strict-transport-security" not in plain.client.get(path).headers


@pytest.mark.parametrize("path", ["/healthz", "/metrics"])
def test_programs_that_watch_get_no_page_for_an_error(
    served: Callable[..., InProcess], monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    made = served()
    owner = key_of(made, "olga", *Scope)

    def away(*_: object) -> None:
        raise StoreUnavailableError("the database is away")

    monkeypatch.setattr(type(made.base.store), "ping", away)
    monkeypatch.setattr(access, "authenticate", away)
    answer = made.client.get(path, headers=bearer(owner))
    assert (answer.status_code, answer.headers["content-type"]) == (503, "application/json")
    assert answer.json() == {"error": "StoreUnavailable", "message": "the database is away"}


@pytest.mark.parametrize("path", ["/queue", "/search?q=backups", "/?done=1", "/api/v1/status"])
def test_a_database_that_is_away_is_waited_for_once(
    served: Callable[..., InProcess], monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    made = served()
    headers = bearer(key_of(made, "olga", *Scope))
    asked: list[str] = []

    def away(*_: object, **__: object) -> None:
        asked.append(path)
        raise StoreUnavailableError("the database is not available")

    monkeypatch.setattr(access, "authenticate", away)
    answer = made.client.get(path, headers=headers)
    assert (answer.status_code, answer.headers["Retry-After"], len(asked)) == (503, "5", 1)
    assert "the database is not available" in answer.text
    assert ("<html" in answer.text) != path.startswith("/api/")


def test_no_note_of_what_was_done_is_looked_up_for_a_failed_page(
    served: Callable[..., InProcess], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = served()
    headers = bearer(key_of(made, "olga", *Scope))
    asked: list[str] = []

    def away(*_: object, **__: object) -> None:
        asked.append("ledger")
        raise StoreUnavailableError("the database is not available")

    monkeypatch.setattr(type(made.base.store), "ledger", property(away))
    answer = made.client.get("/queue?done=1", headers=headers)
    assert (answer.status_code, len(asked)) == (503, 1)
    assert "the database is not available" in answer.text


def test_sessions_are_signed_by_sha_256(served: Callable[..., InProcess]) -> None:
    (cookie,) = served().client.get("/sign-in").headers.get_list("set-cookie")
    signature = cookie.partition(";")[0].rpartition(".")[2]
    assert len(base64.urlsafe_b64decode(signature + "=")) == 32


def test_on_one_machine_the_cookie_has_its_plain_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = in_process(world(), tmp_path, monkeypatch)
    (cookie,) = made.client.get("/sign-in").headers.get_list("set-cookie")
    assert cookie.startswith("saidonce=")
