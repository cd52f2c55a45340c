"""Numbers beyond all, places in lists that were made up, and sessions that others began: refused, or of no effect."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from fastapi.testclient import TestClient

from open_base import AGAIN, KEPT, OTHER, open_base
from saidonce.foundation.context import Source
from saidonce.foundation.model import Submission
from saidonce.interfaces.http import create_app
from saidonce.interfaces.http.site import COOKIE
from two_orgs import TwoOrgs, two_orgs
from website import token_of

NUMBERS = ["-1", "0", "2147483648", "-2147483649", "9223372036854775808", "-9223372036854775809", "1" + "0" * 400,
           "1e999", "NaN", "Infinity", "-0", "0x10", "\u0663", "1_000", "+1", "1.0", "", " ", "1;drop",
           "\x00"]  # fmt: skip
PLACES = ["0.5,1", "NaN,1", "inf,1", "1e999,1", ",", "~", "~x", "2026-01-01T00:00:00+00:00~x", "2026-01-01~x", "x~y",
          "9999-12-31T23:59:59-14:00~x", "0001-01-01T00:00:00+14:00~x", "0.5," + "9" * 30, "\x00", "\ud7ff", "a" * 190,
          "../../x", "' or 1=1 --", "0.5,1,2", "1,-1", "\u202e", "%00", "(0.5,1)", "eyJhIjoxfQ=="]  # fmt: skip


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    """The application over a real database, as the one person of this machine."""
    with open_base() as base:
        base.ingest([Source(name, text.encode) for name, text in (("a.md", KEPT), ("b.md", OTHER), ("c.md", AGAIN))])
        base.gate("main").submit_many([Submission(KEPT), Submission(AGAIN)])
        app = create_app(base, local=True)
        with TestClient(app, "http://127.0.0.1", raise_server_exceptions=False) as made:
            assert made.get("/documents").status_code == 200
            yield made


def numbered(client: TestClient) -> Iterator[tuple[str, str, str]]:
    """Give each route that takes a number, and which; in the path or in the query."""
    for path, methods in client.get("/openapi.json").json()["paths"].items():
        for method, operation in methods.items():
            for parameter in operation.get("parameters", []):
                if re.search(r"'(integer|number)'", str(parameter["schema"])) and parameter["in"] in {"path", "query"}:
                    yield method.upper(), path, parameter["name"]


SHARES = pytest.mark.parametrize("nth", [3, pytest.param(1, marks=pytest.mark.slow)])
"""Each text at every third route in the check, at another third than the one before; at all in `make proofs`."""


@SHARES
@pytest.mark.parametrize("number", NUMBERS)
def test_no_number_is_beyond_a_route(client: TestClient, number: str, nth: int) -> None:
    routes = list(numbered(client))
    assert len(routes) > 10
    routes = routes[NUMBERS.index(number) % nth :: nth]
    wrong = []
    for method, path, name in routes:
        place = f"{{{name}}}"
        filled = re.sub(r"\{\w+\}", "1", path.replace(place, quote(number, safe="")))
        query = {} if place in path else {name: number}
        answer = client.request(method, filled, params=query, json={})
        if answer.status_code >= 500:
            wrong.append(f"{method} {path} {name}={number!r:.40}: {answer.status_code} {answer.text[:120]}")
    assert wrong == []


PAGED = [
    ("/documents", "after"), ("/queue", "after"), ("/queue/next", "after"), ("/gate/held", "after"), ("/gate", "after"),
    ("/decisions", "before"), ("/security", "before"), ("/security", "after"), ("/api/v1/gate/held", "after"),
    ("/api/v1/gate/verdicts", "after"), ("/api/v1/gate/events", "after"), ("/api/v1/decisions", "before"),
    ("/api/v1/security-log", "before"), ("/api/v1/security-log", "after"), ("/api/v1/queue", "after_seq"),
    ("/api/v1/queue", "after_worth"), ("/api/v1/settled", "after"), ("/api/v1/translations", "after"),
    ("/repairs/conversations", "after"), ("/repairs/notices", "after"), ("/feed", "after"), ("/repairs/homes", "after"),
]  # fmt: skip


@SHARES
@pytest.mark.parametrize("place", PLACES)
def test_a_place_that_was_made_up_is_refused_or_shows_the_beginning(client: TestClient, place: str, nth: int) -> None:
    wrong = []
    for path, name in PAGED[PLACES.index(place) % nth :: nth]:
        answer = client.get(path, params={name: place})
        if answer.status_code >= 500:
            wrong.append(f"{path} {name}={place!r:.40}: {answer.status_code} {answer.text[:120]}")
    assert wrong == []


ODD_WORDS = ["\x00", "\ud7ff\ufffe", "%", "_", "\\", "'", '"', "%s", "{}", "{0.__class__}", "\u202e", "a" * 20_000, "*",
             "(", "[", "?", "$^", "\n", "NULL", "../../../etc/passwd"]  # fmt: skip
WORDED = [
    ("/search", "q"), ("/documents", "q"), ("/documents", "collection"), ("/ask", "q"), ("/queue", "collection"),
    ("/queue", "because"), ("/queue", "assignee"), ("/queue", "order"), ("/queue", "differs"), ("/queue", "documents"),
    ("/gate", "gate"), ("/gate", "state"), ("/gate/held", "gate"), ("/gate/held", "reason"), ("/decisions", "verb"),
    ("/decisions", "actor"), ("/repairs/homes", "q"), ("/repairs", "q"), ("/security", "kind"), ("/security", "person"),
    ("/api/v1/search", "q"), ("/api/v1/search", "collection"), ("/api/v1/search", "language"), ("/api/v1/context", "q"),
    ("/api/v1/documents", "collection"), ("/api/v1/gate/stats", "gate"), ("/api/v1/gate/events", "gate"),
    ("/api/v1/security-log", "person"), ("/api/v1/review/groups", "collection"), ("/dashboard", "collection"),
]  # fmt: skip


@SHARES
@pytest.mark.parametrize("word", ODD_WORDS)
def test_no_word_of_an_address_breaks_a_page(client: TestClient, word: str, nth: int) -> None:
    wrong = []
    for path, name in WORDED[ODD_WORDS.index(word) % nth :: nth]:
        answer = client.get(path, params={name: word})
        if answer.status_code >= 500 and "ModelUnavailable" not in answer.text:
            wrong.append(f"{path} {name}={word!r:.40}: {answer.status_code} {answer.text[:120]}")
        if word == "{0.__class__}" and "<class" in answer.text:
            wrong.append(f"{path} formats what it is given")
    assert wrong == []


@pytest.fixture(scope="module")
def orgs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoOrgs]:
    made = two_orgs(tmp_path_factory.mktemp("orgs"))
    yield made
    made.close()


def begun(orgs: TwoOrgs) -> tuple[str, str]:
    """Begin a session without signing in, as somebody who plants it in another's browser would."""
    orgs.client.cookies.clear()
    token = token_of(orgs.browse("GET", "/sign-in").text)
    cookie = orgs.client.cookies[COOKIE]
    orgs.client.cookies.clear()
    return cookie, token


def with_cookie(orgs: TwoOrgs, cookie: str, method: str, path: str, **sent: Any) -> httpx.Response:
    answer: httpx.Response = orgs.ask(method, path, headers={"Cookie": f"{COOKIE}={cookie}"}, **sent)
    return answer


class TestASessionThatSomebodyElseBegan:
    """Whoever plants a session in another's browser has nothing of it once the other signs in."""

    def test_signing_in_gives_another_cookie_and_another_token(self, orgs: TwoOrgs) -> None:
        planted, token = begun(orgs)
        key = orgs.home.keys["owner"]
        answer = with_cookie(orgs, planted, "POST", "/sign-in", data={"csrf": token, "key": key})
        assert answer.status_code == 303
        fresh = answer.cookies[COOKIE]
        assert fresh != planted
        page = with_cookie(orgs, fresh, "GET", "/people")
        assert page.status_code == 200
        assert token not in page.text
        assert with_cookie(orgs, planted, "GET", "/people").status_code in {303, 401}

    def test_the_token_of_before_sends_no_form_after(self, orgs: TwoOrgs) -> None:
        planted, token = begun(orgs)
        key = orgs.home.keys["owner"]
        answer = with_cookie(orgs, planted, "POST", "/sign-in", data={"csrf": token, "key": key})
        before = orgs.home.kept()
        form = {"csrf": token, "name": "mallory", "role": "owner"}
        sent = with_cookie(orgs, answer.cookies[COOKIE], "POST", "/people", data=form)
        assert sent.status_code == 403
        assert orgs.home.kept()[2] == before[2]

    @pytest.mark.parametrize(
        "cookie",
        [
            "",
            "x",
            "a.b.c",
            "eyJwZXJzb24iOiAib3duZXIifQ==",
            "eyJrZXkiOiAib3duZXIifQ==.x.y",
            "=" * 100,
            "%00",
            "\u00e9" * 9,
        ],
    )
    def test_a_made_up_cookie_is_nobody(self, orgs: TwoOrgs, cookie: str) -> None:
        answer = orgs.ask("GET", "/people", headers={"Cookie": f"{COOKIE}={cookie}".encode()})
        assert answer.status_code in {303, 401}

    def test_a_cookie_cut_turned_or_lengthened_is_nobody(self, orgs: TwoOrgs) -> None:
        good = orgs.home.sessions["owner"].cookie
        body, _, rest = good.partition(".")
        for changed in (good[:-1], good + "A", body[::-1] + "." + rest, f"{body}.{body}", rest, good.swapcase()):
            assert with_cookie(orgs, changed, "GET", "/people").status_code in {303, 401}

    def test_two_cookies_of_one_name_are_no_way_in(self, orgs: TwoOrgs) -> None:
        good, (planted, _) = orgs.home.sessions["reader"].cookie, begun(orgs)
        for pair in (f"{COOKIE}={planted}; {COOKIE}=x", f"{COOKIE}=x; {COOKIE}={planted}"):
            assert orgs.ask("GET", "/people", headers={"Cookie": pair}).status_code in {303, 401}
        answer = orgs.ask("GET", "/people", headers={"Cookie": f"{COOKIE}={planted}; {COOKIE}={good}"})
        assert answer.status_code in {200, 303, 401, 403}
