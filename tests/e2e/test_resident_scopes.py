"""Who may see residents' data: every route of repairs with every scope, taken from the application itself."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from datetime import UTC, datetime

import httpx
import pytest

from repairs_site import Office, office
from saidonce.foundation.model import Role, Scope
from saidonce.interfaces.http.server import described
from saidonce.platform import access

ABOUT_RESIDENTS = re.compile(
    r"/(?:api(?:/v1)?/(?:conversations|issues|homes|residents|alarms|call-outs)|repairs)(?:/|$)"
)
ADMIN_TOO = re.compile(r"/homes/(?:import|add|\{tenancy\})|/residents/(?:erase|export|\{who\})")
BODIES = {
    "erase": {"who": "nobody"}, "export": {"who": "nobody"}, "import": {"table": "address,resident\n", "dry_run": True},
    "{id}": {"state": "done"},
}  # fmt: skip
"""What a route needs before it looks at who asks."""

FORM = {"csrf": "x", "to": "done", "file": "x", "table": "x", "day": "2026-02-03", "start": "09:00", "end": "10:00"}


def routes() -> list[tuple[str, str]]:
    """Every method and path that is about residents, as the application has them."""
    found = []
    included = [route for route in described().routes if hasattr(route, "effective_route_contexts")]
    for route in (each for router in included for each in router.effective_route_contexts()):
        path, methods = route.path, route.methods or ()
        if ABOUT_RESIDENTS.match(path):
            found += [(method, path) for method in sorted(methods) if method not in ("HEAD", "OPTIONS")]
    return sorted(set(found))


def needed(method: str, path: str) -> set[Scope]:
    """What a route needs, by the rule that the documentation states."""
    if ADMIN_TOO.search(path) or (method != "GET" and path.endswith("/call-outs")):
        return {Scope.ADMIN, Scope.RESIDENTS}
    return {Scope.RESIDENTS} if method == "GET" else {Scope.REVIEW, Scope.RESIDENTS}


@pytest.fixture(scope="module")
def site() -> Iterator[Office]:
    with office() as running:
        store = running.repairs.base.store
        now = datetime.now(UTC)
        access.add_person(store, "olga", "", Role.OWNER, now)
        yield running


@pytest.fixture(scope="module")
def keys(site: Office) -> dict[str, str]:
    """A key for each single scope, and for what routes need."""
    store, now = site.repairs.base.store, datetime.now(UTC)
    sets = {scope.value: {scope} for scope in Scope}
    sets |= {"residents review": {Scope.RESIDENTS, Scope.REVIEW}, "residents admin": {Scope.RESIDENTS, Scope.ADMIN}}
    sets["all but residents"] = set(Scope) - {Scope.RESIDENTS}
    return {name: access.make_key(store, "olga", "", of, now, secrets.token_bytes)[1] for name, of in sets.items()}


def ask(site: Office, method: str, path: str, key: str) -> httpx.Response:
    filled = re.sub(r"\{sha256\}", "0" * 64, re.sub(r"\{(?!sha256|verb)\w+\}", "none", path))
    filled = filled.replace("/alarms/none/{verb}", "/alarms/none/acknowledge").replace("{verb}", "none")
    with httpx.Client(base_url=site.url, timeout=30) as client:
        headers = {"Authorization": f"Bearer {key}"}
        if path.startswith("/repairs"):
            form = {"csrf": "x"} if path.endswith(("/homes/add", "/homes/import")) else FORM
            return client.request(method, filled, headers=headers, data=form)
        return client.request(method, filled, headers=headers, json=BODIES.get(path.rpartition("/")[2], {}))


def test_there_are_routes_about_residents() -> None:
    assert len(routes()) > 25
    assert {path.split("/")[3] for _, path in routes() if path.startswith("/api/v1")} == {
        "conversations", "issues", "homes", "residents", "alarms", "call-outs",
    }  # fmt: skip


@pytest.mark.parametrize(("method", "path"), routes())
def test_each_route_needs_the_scope_residents_and_what_else_it_does(
    site: Office, keys: dict[str, str], method: str, path: str
) -> None:
    for name, key in keys.items():
        of = set(Scope) - {Scope.RESIDENTS} if name == "all but residents" else {Scope(n) for n in name.split()}
        answer = ask(site, method, path, key)
        is_refused = answer.status_code == 403 and "needed: scope" in answer.text
        assert is_refused != (needed(method, path) <= of), f"{name}: {answer.status_code} {answer.text[-300:]}"


def test_who_only_has_read_hears_what_to_do(site: Office, keys: dict[str, str]) -> None:
    answer = ask(site, "GET", "/api/v1/conversations", keys["read"])
    assert answer.status_code == 403
    assert "--scope residents" in answer.text
    assert "no longer includes" in answer.text


def test_every_other_route_needs_no_more_than_before(site: Office, keys: dict[str, str]) -> None:
    for path in ("/api/v1/queue", "/queue", "/feed", "/dashboard", "/metrics"):
        assert ask(site, "GET", path, keys["read"]).status_code in (200, 404), path


def test_a_reader_of_the_base_sees_no_residents_and_a_reviewer_does() -> None:
    from saidonce.foundation.model import SCOPES_OF

    assert Scope.RESIDENTS not in SCOPES_OF[Role.READER]
    assert Scope.RESIDENTS in SCOPES_OF[Role.REVIEWER] & SCOPES_OF[Role.OWNER]
