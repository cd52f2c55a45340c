"""Who may see residents' data, over real HTTP; tests/security/test_doors.py asks every route with every scope."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from datetime import UTC, datetime

import httpx
import pytest

from repairs_site import Office, office
from saidonce.foundation.model import Role, Scope
from saidonce.platform import access


@pytest.fixture(scope="module")
def site() -> Iterator[Office]:
    with office() as running:
        store = running.repairs.base.store
        now = datetime.now(UTC)
        access.add_person(store, "olga", "", Role.OWNER, now)
        yield running


@pytest.fixture(scope="module")
def keys(site: Office) -> dict[str, str]:
    """A key for each single scope."""
    store, now = site.repairs.base.store, datetime.now(UTC)
    return {s.value: access.make_key(store, "olga", "", {s}, now, secrets.token_bytes)[1] for s in Scope}


def ask(site: Office, path: str, key: str) -> httpx.Response:
    with httpx.Client(base_url=site.url, timeout=30) as client:
        return client.get(path, headers={"Authorization": f"Bearer {key}"})


def test_who_only_has_read_hears_what_to_do(site: Office, keys: dict[str, str]) -> None:
    answer = ask(site, "/api/v1/conversations", keys["read"])
    assert answer.status_code == 403
    assert "--scope residents" in answer.text
    assert "no longer includes" in answer.text


def test_every_other_route_needs_no_more_than_before(site: Office, keys: dict[str, str]) -> None:
    for path in ("/api/v1/queue", "/queue", "/feed", "/dashboard", "/metrics"):
        assert ask(site, path, keys["read"]).status_code in (200, 404), path


def test_a_reader_of_the_base_sees_no_residents_and_a_reviewer_does() -> None:
    from saidonce.foundation.model import SCOPES_OF

    assert Scope.RESIDENTS not in SCOPES_OF[Role.READER]
    assert Scope.RESIDENTS in SCOPES_OF[Role.REVIEWER] & SCOPES_OF[Role.OWNER]
