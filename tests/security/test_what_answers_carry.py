"""What every answer carries and says to browsers, on every route that can be read; methods that nobody serves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from doors import DOORS, Apart, Door, Linked, Open
from two_orgs import TwoOrgs, two_orgs

READ = [name for name, row in DOORS.items() if name.startswith("GET ") and not isinstance(row, Apart)]
FILES = ("media/{sha256}",)
"""Ends of paths whose answers a browser may keep for a day: a picture under its own hash, to who may see it."""


@pytest.fixture(scope="module")
def orgs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoOrgs]:
    made = two_orgs(tmp_path_factory.mktemp("orgs"))
    yield made
    made.close()


def read(orgs: TwoOrgs, name: str, **headers: str) -> Any:
    """Ask for a route as an owner who has every link."""
    path, row, ids = name.split(" ")[1], DOORS[name], orgs.home.ids
    values = {**getattr(row, "ids", {}), **({"token": row.link} if isinstance(row, Linked) else {})}
    for parameter, of in values.items():
        path = path.replace(f"{{{parameter}}}", ids.get(of, of))
    sent = dict(row.sent) if isinstance(row, Door | Linked | Open) else {}
    return orgs.ask("GET", path, visit=orgs.home.sessions["owner"], headers=headers, **sent)


def test_every_answer_says_what_a_browser_may_do_with_it(orgs: TwoOrgs) -> None:
    assert len(READ) > 60
    for name in READ:
        answer = read(orgs, name, Origin="https://elsewhere.example")
        held = answer.headers
        assert held["content-security-policy"].startswith("default-src 'none'"), name
        assert "unsafe-" not in held["content-security-policy"], name
        assert held["x-content-type-options"] == "nosniff", name
        assert held["x-frame-options"] == "DENY", name
        assert held["referrer-policy"] == "same-origin", name
        assert not [h for h in held if h.startswith("access-control-")], f"{name}: other origins read nothing"
        assert held["cache-control"] == ("private, max-age=86400" if name.endswith(FILES) else "no-store"), name
        if answer.headers.get("content-type", "").startswith("text/html"):
            assert held["content-type"] == "text/html; charset=utf-8", name
            assert "frame-ancestors 'none'" in held["content-security-policy"], name
            assert "<script>" not in answer.text, f"{name}: no inline script"
            assert " onclick=" not in answer.text, name
        elif ".svg" in name:
            assert held["content-type"] == "image/svg+xml; charset=utf-8", name


def test_signing_out_is_on_every_page_of_who_signed_in(orgs: TwoOrgs) -> None:
    pieces = {"GET /queue/next"}  # parts of a page that has it
    pages = [name for name in READ if isinstance(DOORS[name], Door) and name not in pieces]
    shown = {name: read(orgs, name) for name in pages}
    html = {n: a.text for n, a in shown.items() if a.headers.get("content-type", "").startswith("text/html")}
    assert len(html) > 15
    assert [name for name, text in html.items() if 'action="/sign-out"' not in text] == []


def test_redirects_stay_on_this_server(orgs: TwoOrgs) -> None:
    owner, before = orgs.home.sessions["owner"], orgs.home.kept()
    for back in ("//elsewhere.example", "https://elsewhere.example", "/\\elsewhere.example", "javascript:alert(1)"):
        path = f"/decisions/{orgs.home.ids['decision']}/revert"
        answer = orgs.ask("POST", path, visit=owner, data={"csrf": owner.token, "back": back})
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/queue?done="), back
        orgs.home.restore(before)


def test_methods_and_folders_that_nobody_serves_answer_nothing(orgs: TwoOrgs) -> None:
    key = {"Authorization": f"Bearer {orgs.home.keys['owner']}"}
    for method in ("TRACE", "PUT", "PATCH", "OPTIONS", "CONNECT"):
        for path in ("/queue", "/api/v1/status", "/healthz"):
            assert orgs.ask(method, path, headers=key).status_code == 405, (method, path)
    for path in ("/static/", "/static/../server.py", "/static/%2e%2e/server.py", "/.git/config", "/redoc"):
        assert orgs.ask("GET", path, headers=key).status_code == 404, path


def test_the_demos_page_is_there_in_the_demo_alone(orgs: TwoOrgs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orgs.site, "is_demo", False)
    owner = orgs.home.sessions["owner"]
    assert orgs.ask("GET", "/demo", visit=owner).status_code == 404
    assert orgs.ask("POST", "/demo/model", visit=owner, data={"csrf": owner.token}).status_code == 404
