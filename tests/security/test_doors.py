"""Every route x every kind of caller, generated from the application: who is let in; refusals change nothing."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import pytest
from itsdangerous import TimestampSigner

from doors import DOORS, Apart, Door, Linked, Open
from saidonce.app.repairs_service import Visitor, link_path
from saidonce.errors import StoreUnavailableError
from saidonce.foundation.model import SCOPES_OF, Role, Scope
from saidonce.interfaces.http.revoked_sessions import SESSION_S
from saidonce.interfaces.http.server import described
from saidonce.interfaces.http.signed_sessions import session_signer
from saidonce.platform import access
from saidonce.repairs import alarm_links, chat_links, job_links, tenancies
from saidonce.repairs.channels import cloud, twilio
from saidonce.repairs.demo import whatsapp_post
from saidonce.repairs.link_signing import link_signer
from two_orgs import HOOK, NUMBERS, PHONES, SETTINGS, DownStore, Estate, TwoOrgs, Visit, same, two_orgs
from whatsapp_posts import form

UNKNOWN_KEY = f"so1_north_{'0' * 16}_{'0' * 64}"
NO_ORG_KEY = f"so1_nowhere_{'0' * 16}_{'0' * 64}"
SALTS = {"chat": chat_links.SALT, "job": job_links.SALT, "alarm link": alarm_links.SALT}
ELSEWHERE = {"Origin": "https://elsewhere.example"}


@cache
def routes() -> tuple[str, ...]:
    """Every route of the application as "METHOD /path"."""
    own = described().routes
    included = [each for r in own if hasattr(r, "effective_route_contexts") for each in r.effective_route_contexts()]
    single = [r for r in own if not hasattr(r, "effective_route_contexts")]
    return tuple(sorted({f"{m} {r.path}" for r in [*single, *included] for m in r.methods or () if m != "HEAD"}))


def of_kind(kind: type) -> list[str]:
    """The names of the rows of one kind, of routes that exist."""
    return [name for name in routes() if isinstance(DOORS.get(name), kind)]


@dataclass
class Callers:
    """Both organisations, and everybody who may come: signed in, out of date, or of no right."""

    orgs: TwoOrgs
    bad_visits: dict[str, Visit] = field(default_factory=dict)
    _keys: dict[frozenset[Scope], str] = field(default_factory=dict)
    _visits: dict[frozenset[Scope], Visit] = field(default_factory=dict)
    bad_keys: dict[str, str] = field(default_factory=dict)

    def key(self, scopes: frozenset[Scope]) -> str:
        """A key of the home organisation with exactly these scopes."""
        return self._keys[scopes]

    def visit(self, scopes: frozenset[Scope]) -> Visit:
        """A browser that signed in with that key."""
        return self._visits[scopes]

    def prepare(self, scopes: frozenset[Scope]) -> None:
        """Make a key and a session of these scopes."""
        if scopes and scopes not in self._keys:
            store, now = self.orgs.home.store, datetime.now(UTC)
            _, self._keys[scopes] = access.make_key(store, "owner", "", scopes, now, secrets.token_bytes)
            self._visits[scopes] = self.orgs.sign_in(self._keys[scopes])


@pytest.fixture(scope="module")
def orgs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoOrgs]:
    with pytest.MonkeyPatch.context() as patch:
        # When a key was used last is noted once here: a slow machine would note it between any two requests.
        patch.setattr(access, "NOTED_EVERY", timedelta(days=1))
        made = two_orgs(tmp_path_factory.mktemp("orgs"))
        yield made
        made.close()


@pytest.fixture(scope="module")
def callers(orgs: TwoOrgs) -> Callers:
    made, owner = Callers(orgs), orgs.home.sessions["owner"]
    for row in DOORS.values():
        if isinstance(row, Door):
            made.prepare(row.needs)
            for scope in row.needs:
                made.prepare(frozenset(Scope) - {scope})
    made.bad_visits["an expired session"] = dated(orgs, owner, time.time() - SESSION_S - 60)
    made.bad_visits["a session signed by another secret"] = dated(orgs, owner, time.time(), "another secret")
    signed_out = orgs.sign_in(orgs.home.keys["owner"])
    orgs.ask("POST", "/sign-out", visit=signed_out, data={"csrf": signed_out.token})
    made.bad_visits["a session that was signed out of"] = signed_out
    store, now = orgs.home.store, datetime.now(UTC)
    limited_keys(made, now)
    access.add_person(store, "gone", "", Role.OWNER, now)
    for name, person in (("a session of a revoked key", "owner"), ("a session of who left", "gone")):
        key, presented = access.make_key(store, person, "", list(Scope), now, secrets.token_bytes)
        made.bad_visits[name] = orgs.sign_in(presented)
        access.revoke(store, key.id, now)
    access.add_person(store, "former", "", Role.OWNER, now)
    _, presented = access.make_key(store, "former", "", list(Scope), now, secrets.token_bytes)
    by_issuer = without_key(orgs, orgs.sign_in(presented))
    assert orgs.ask("GET", "/queue", visit=by_issuer).status_code == 200, "a session of single sign-on"
    made.bad_visits["a session of single sign-on of who left"] = by_issuer
    for name in ("gone", "former"):
        access.leave(store, name, now)
    return made


def limited_keys(callers: Callers, now: datetime) -> None:
    """Make an owner's keys that ran out, and that may not be used from here, and the session that began with one."""
    store, made_at = callers.orgs.home.store, now - timedelta(days=2)
    ends = {"a key that ran out": now - timedelta(seconds=1), "a key of another network": None}
    for name, expires_at in ends.items():
        networks = () if expires_at else ("192.0.2.0/24",)
        wish = access.KeyWish("owner", "", frozenset(Scope), expires_at, networks)
        key, callers.bad_keys[name] = access.make_limited_key(store, wish, made_at, secrets.token_bytes)
        lasting = replace(key, expires_at=None, addresses=())
        store.people.put_key(lasting)
        callers.bad_visits[f"a session of {name}"] = callers.orgs.sign_in(callers.bad_keys[name])
        store.people.put_key(key)


class _DatedSigner(TimestampSigner):
    """Signs as of another time."""

    at = 0

    def get_timestamp(self) -> int:
        return self.at


def dated(orgs: TwoOrgs, visit: Visit, at: float, secret: str = "") -> Visit:
    """The same session, last used at another time, or signed by another secret."""
    held = session_signer(orgs.site.secret).unsign(visit.cookie)
    signer = _DatedSigner(secret or orgs.site.secret, digest_method=hashlib.sha256)
    signer.at = int(at)
    return Visit(signer.sign(held).decode(), visit.token)


def without_key(orgs: TwoOrgs, visit: Visit) -> Visit:
    """The same session as if it had begun with single sign-on, where no key ends it."""
    signer = session_signer(orgs.site.secret)
    held = json.loads(b64decode(signer.unsign(visit.cookie)))
    return Visit(signer.sign(b64encode(json.dumps({**held, "key": ""}).encode())).decode(), visit.token)


def outcome(answer: Any) -> str:
    """What a request came to, in a word."""
    text = answer.text if "text" in answer.headers.get("content-type", "json") or answer.status_code >= 400 else ""
    if answer.status_code >= 500:
        return f"failed with {answer.status_code}"
    if answer.status_code == 401 or (answer.status_code == 303 and answer.headers["location"] == "/sign-in"):
        return "unknown"
    if answer.status_code == 422 and "csrf is missing" in text:
        return "no token"
    if answer.status_code == 403:
        refusals = {"needed: scope ": "scope", "sent from another site": "foreign", "the token of ": "no token"}
        return next((word for sign, word in refusals.items() if sign in text), "refused")
    return "in"


@dataclass(frozen=True)
class Ask:
    """One way to send the request of a row: by a key, or by a session with a token."""

    who: str
    expected: str
    key: str = ""
    visit: Visit | None = None
    token: str | None = None
    headers: dict[str, str] = field(default_factory=dict)


def filled(value: Any, estate: Estate) -> Any:
    """Put the names of an organisation's things into what a row sends."""
    if isinstance(value, str):
        return re.sub(r"\{([a-z0-9 ]+)\}", lambda m: estate.ids.get(m[1], m[0]), value)
    if isinstance(value, dict):
        return {name: filled(each, estate) for name, each in value.items()}
    return [filled(each, estate) for each in value] if isinstance(value, list) else value


def address(name: str, ids: Any, estate: Estate) -> tuple[str, str]:
    """The method and the path of a row, about things of an organisation."""
    method, path = name.split(" ")
    return method, re.sub(r"\{(\w+)\}", lambda m: estate.ids.get(ids[m[1]], ids[m[1]]), path)


OF_PROGRAMS = ("/api/", "/v1/", "/v2/")
"""Beginnings of the paths that take a key, and no form."""


def is_of_programs(name: str) -> bool:
    """Whether a row's route takes a key."""
    return name.split(" ")[1].startswith(OF_PROGRAMS)


def send(orgs: TwoOrgs, name: str, row: Door, ask: Ask) -> Any:
    """Send a row's request about things of the home organisation."""
    method, path = address(name, row.ids, orgs.home)
    sent = filled(dict(row.sent), orgs.home)
    headers = dict(ask.headers)
    if ask.key:
        headers["Authorization"] = f"Bearer {ask.key}"
    if ask.token is not None and method != "GET":
        if path.startswith(OF_PROGRAMS):
            headers["X-CSRF-Token"] = ask.token
        else:
            sent["data"] = {**sent["data"], "csrf": ask.token}
    return orgs.ask(method, path, visit=ask.visit, headers=headers, **sent)


def strangers(callers: Callers) -> Iterator[Ask]:
    """Whoever is not known: no, wrong and former keys and sessions."""
    home = callers.orgs.home
    yield Ask("nobody", "unknown")
    keys = {
        "an unknown key": UNKNOWN_KEY, "a key of no organisation": NO_ORG_KEY, "a revoked key": home.keys["revoked"],
        "a key of who left": home.keys["left"], "a resident's link as a key": home.ids["chat"],
    }  # fmt: skip
    for who, key in (keys | callers.bad_keys).items():
        yield Ask(who, "unknown", key=key)
    for who, visit in callers.bad_visits.items():
        yield Ask(who, "unknown", visit=visit, token=visit.token)


def of_scopes(name: str, row: Door, callers: Callers) -> Iterator[Ask]:
    """Keys with exactly what is needed and without one of it, and people of each role."""
    is_api = is_of_programs(name)
    for scope in sorted(row.needs):
        rest = frozenset(Scope) - {scope}
        visit = callers.visit(rest)
        if is_api:
            yield Ask(f"a key with all but {scope}", "scope", key=callers.key(rest))
        else:
            yield Ask(f"a session with all but {scope}", "scope", visit=visit, token=visit.token)
    if is_api:
        yield Ask("a key with just what is needed", "in", key=callers.key(row.needs))
    else:
        visit = callers.visit(row.needs)
        yield Ask("a session with just what is needed", "in", visit=visit, token=visit.token)
    for role in Role:
        visit = callers.orgs.home.sessions[role]
        yield Ask(f"a {role}", "in" if row.needs <= SCOPES_OF[role] else "scope", visit=visit, token=visit.token)


def without_token(name: str, callers: Callers) -> Iterator[Ask]:
    """An owner's session with no, a wrong and another's token, or with its own on another site's page."""
    if name.startswith("GET "):
        return
    owner, other = (callers.orgs.home.sessions[who] for who in ("owner", "reviewer"))
    yield Ask("a session without a token", "no token", visit=owner)
    yield Ask("a session with an empty token", "no token", visit=owner, token="")
    yield Ask("a session with another's token", "no token", visit=owner, token=other.token)
    yield Ask("a form of another site", "foreign", visit=owner, token=owner.token, headers=ELSEWHERE)
    if not is_of_programs(name):
        yield Ask("a form with a key and no session", "no token", key=callers.orgs.home.keys["owner"], token="")


def test_every_route_has_a_row_and_every_row_a_route() -> None:
    missing = sorted(set(routes()) - DOORS.keys())
    assert not missing, (
        f"{', '.join(missing)}: no row in tests/doors.py says who may come in. Add one to DOORS: _door({{scopes}},"
        " status for who has them, status for another organisation's owner, ids in the path, what is sent), Linked for"
        " a signed link, Open for everybody with the reason, Apart with the test that proves it"
    )
    gone = sorted(DOORS.keys() - set(routes()) - {"MOUNT /static"})
    assert not gone, f"{', '.join(gone)}: tests/doors.py has a row and the application no such route; remove it"
    assert len(of_kind(Door)) > 110, "most routes need scopes"
    tests = {row.test for row in DOORS.values() if isinstance(row, Apart)}
    assert tests <= set(globals()), f"no such test: {sorted(tests - set(globals()))}"


@pytest.mark.parametrize("nth", [4, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", of_kind(Door))
def test_a_door_lets_in_who_may_and_nobody_else(callers: Callers, name: str, nth: int) -> None:
    """Nobody is refused at each door, other strangers at every fourth in the check, at all in `make proofs`."""
    row, orgs = DOORS[name], callers.orgs
    assert isinstance(row, Door)
    before = orgs.home.kept(), orgs.neighbour.kept()
    nobody, *others = strangers(callers)
    unknown = [nobody, *others[routes().index(name) % nth :: nth]]
    asks = [*unknown, *without_token(name, callers), *of_scopes(name, row, callers)]
    refused, let_in = ([a for a in asks if (a.expected == "in") is is_in] for is_in in (False, True))
    for ask in refused:
        answer = send(orgs, name, row, ask)
        assert outcome(answer) == ask.expected, f"{name} by {ask.who}: {answer.status_code} {answer.text[-300:]}"
    assert same(before[0], orgs.home.kept()), f"{name} refused everybody, and changed something"
    for ask in let_in:
        answer = send(orgs, name, row, ask)
        assert (outcome(answer), answer.status_code) == ("in", row.answer), f"{name} by {ask.who}: {answer.text[-300:]}"
        orgs.home.restore(before[0])
    assert same(before[1], orgs.neighbour.kept()), f"{name} changed another organisation"
    assert len(let_in) >= 2, "who may was never let in: nothing is proven"
    assert len(refused) >= len(row.needs) + 1 + 13 // nth


@pytest.mark.parametrize("name", of_kind(Door))
def test_an_owner_of_another_organisation_sees_and_changes_their_own_alone(callers: Callers, name: str) -> None:
    row, orgs = DOORS[name], callers.orgs
    assert isinstance(row, Door)
    before = orgs.home.kept(), orgs.neighbour.kept()
    theirs = orgs.neighbour.sessions["owner"]
    asks = [Ask("their session", "in", visit=theirs, token=theirs.token)]
    if is_of_programs(name):
        asks.append(Ask("their key", "in", key=orgs.neighbour.keys["owner"]))
    for ask in asks:
        answer = send(orgs, name, row, ask)
        assert answer.status_code == row.others, f"{name} by {ask.who}: {answer.status_code} {answer.text[-300:]}"
        assert orgs.home.mark.encode() not in answer.content, f"{name} by {ask.who} shows what is not theirs"
        assert same(before[0], orgs.home.kept()), f"{name} by {ask.who} changed another organisation"
        orgs.neighbour.restore(before[1])


def test_lists_of_each_organisation_show_its_own(callers: Callers) -> None:
    """The mark that the test above looks for is there to be found."""
    orgs = callers.orgs
    shown = {}
    for name in of_kind(Door):
        row = DOORS[name]
        assert isinstance(row, Door)
        if name.startswith("GET "):
            answer = send(orgs, name, row, Ask("owner", "in", visit=orgs.home.sessions["owner"]))
            shown[name] = orgs.home.mark in answer.text
    marked = sorted(name for name, is_shown in shown.items() if is_shown)
    assert len(marked) > 25, marked
    assert {"GET /api/v1/search", "GET /queue", "GET /repairs", "GET /api/v1/homes", "GET /api/v1/keys"} <= set(marked)


def test_a_session_signed_again_with_the_present_time_is_good(callers: Callers) -> None:
    """So that a session counts as expired for its time alone."""
    again = dated(callers.orgs, callers.orgs.home.sessions["owner"], time.time())
    assert callers.orgs.ask("GET", "/queue", visit=again).status_code == 200


def link_request(orgs: TwoOrgs, name: str, row: Linked, token: str, **more: Any) -> Any:
    method, path = address(name, {**row.ids, "token": token}, orgs.home)
    return orgs.ask(method, path, **filled(dict(row.sent), orgs.home), **more)


@pytest.mark.parametrize("name", of_kind(Linked))
def test_a_link_opens_one_door_to_whoever_has_it(callers: Callers, name: str) -> None:
    row, orgs = DOORS[name], callers.orgs
    assert isinstance(row, Linked)
    before, right = orgs.home.kept(), orgs.home.ids[row.link]
    held, _, signature = right.rpartition(".")
    wrong = {
        "no link": "x", "a changed signature": f"{held}.{signature[::-1]}", "no signature": held,
        "a link signed by another secret": link_path("s", Visitor("north", "d")).rpartition("/")[2],
        "a key as a link": orgs.home.keys["owner"],
        **{f"the {kind}": orgs.home.ids[kind] for kind in ("chat", "job", "alarm link") if kind != row.link},
    }  # fmt: skip
    own = link_signer(orgs.site.secret, SALTS[row.link]).loads(right)
    for kind, salt in SALTS.items():
        if kind != row.link:
            wrong[f"the same signed for a {kind}"] = link_signer(orgs.site.secret, salt).dumps(own)
    for who, token in wrong.items():
        for more in ({}, {"visit": orgs.home.sessions["owner"]}):
            answer = link_request(orgs, name, row, token, **more)
            assert answer.status_code == 404, f"{name} by {who}: {answer.status_code}"
            assert orgs.home.mark not in answer.text
    if name.startswith("POST "):
        answer = link_request(orgs, name, row, right, headers=ELSEWHERE)
        assert (answer.status_code, outcome(answer)) == (403, "foreign"), f"{name} by a form of another site"
    assert same(before, orgs.home.kept()), f"{name} was refused, and changed something"
    answer = link_request(orgs, name, row, right)
    assert answer.status_code == row.answer, answer.text[-300:]
    orgs.home.restore(before)


def test_a_link_that_was_replaced_ended_or_ran_out_opens_nothing(orgs: TwoOrgs) -> None:
    home, before = orgs.home, orgs.home.kept()
    tenancies.chat_name(home.store.conversations, home.ids["tenancy"], secrets.token_bytes, renew=True)
    assert orgs.ask("GET", f"/chat/{home.ids['chat']}").status_code == 404
    headers = {"Authorization": f"Bearer {home.keys['owner']}"}
    assert orgs.ask("POST", "/api/v1/issues/i1/contractor/revoke", headers=headers).status_code == 200
    tries: tuple[tuple[str, dict[str, Any]], ...] = (("GET", {}), ("POST", {"data": {"verb": "accept"}}))
    for method, sent in tries:
        assert orgs.ask(method, f"/jobs/{home.ids['job']}", **sent).status_code == 404
        assert orgs.ask(method, f"/alarms/{home.ids['old alarm link']}", **sent).status_code == 410
    home.restore(before)


def test_a_link_opens_the_files_of_its_own_conversation_and_no_other(orgs: TwoOrgs) -> None:
    home, theirs = orgs.home, orgs.neighbour
    kinds = {("chat", "sha256"): 200, ("chat", "job photo"): 404, ("job", "job photo"): 200, ("job", "sha256"): 404}
    for (link, file), status in kinds.items():
        page = {"chat": "chat", "job": "jobs"}[link]
        answer = orgs.ask("GET", f"/{page}/{home.ids[link]}/media/{home.ids[file]}")
        assert answer.status_code == status, (link, file)
    assert orgs.ask("GET", f"/chat/{theirs.ids['chat']}/media/{home.ids['sha256']}").status_code == 404
    page = orgs.ask("GET", f"/chat/{theirs.ids['chat']}")
    assert theirs.mark in page.text
    assert home.mark not in page.text


@pytest.mark.parametrize("name", [*of_kind(Open), "MOUNT /static"])
def test_an_open_door_answers_everybody_alike(orgs: TwoOrgs, name: str) -> None:
    row = DOORS[name]
    assert isinstance(row, Open)
    method, path = ("GET", "/static/app.css") if name.startswith("MOUNT") else name.split(" ")
    before = orgs.home.kept()
    for more in ({}, {"headers": {"Authorization": f"Bearer {UNKNOWN_KEY}"}}, {"visit": orgs.home.sessions["owner"]}):
        answer = orgs.ask(method, path, **row.sent, **more)
        assert answer.status_code == row.answer, answer.text[:300]
        assert orgs.home.mark not in answer.text, "what anybody may see holds nothing of an organisation"
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert same(before, orgs.home.kept())


def test_signing_in_needs_the_token_of_the_form_and_a_key(orgs: TwoOrgs) -> None:
    key = orgs.home.keys["owner"]
    wrong = (UNKNOWN_KEY, orgs.home.keys["revoked"], orgs.home.keys["left"], orgs.home.ids["chat"])
    cases: list[tuple[str | None, str, int]] = [(None, each, 401) for each in wrong]
    cases += [(token, key, 303) for token in ("wrong", orgs.home.sessions["owner"].token)]
    for token, presented, status in cases:
        orgs.client.cookies.clear()
        page = orgs.browse("GET", "/sign-in").text
        right = re.findall(r'name="csrf" value="([^"]+)"', page)[0]
        answer = orgs.browse("POST", "/sign-in", data={"csrf": right if token is None else token, "key": presented})
        assert (answer.status_code, answer.headers.get("location")) == (status, "/sign-in" if status == 303 else None)
        assert orgs.browse("GET", "/queue").headers.get("location") == "/sign-in", "nobody is signed in by this"
    orgs.client.cookies.clear()
    visit = orgs.sign_in(key)
    assert orgs.ask("GET", "/queue", visit=visit).status_code == 200
    assert orgs.ask("POST", "/sign-in", visit=visit, data={"key": key}).status_code == 422


def test_signing_out_needs_the_token_of_the_form_and_ends_the_session(orgs: TwoOrgs) -> None:
    visit, other = orgs.sign_in(orgs.home.keys["owner"]), orgs.home.sessions["reviewer"]
    for token, headers in ((other.token, {}), ("x", {}), (visit.token, ELSEWHERE)):
        answer = orgs.ask("POST", "/sign-out", visit=visit, data={"csrf": token}, headers=headers)
        assert answer.status_code == 403
    assert orgs.ask("POST", "/sign-out", visit=visit).status_code == 422
    assert outcome(orgs.ask("POST", "/sign-out", data={"csrf": visit.token})) == "unknown"
    assert orgs.ask("GET", "/queue", visit=visit).status_code == 200, "no refused form signed anybody out"
    answer = orgs.ask("POST", "/sign-out", visit=visit, data={"csrf": visit.token})
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    assert answer.headers["clear-site-data"] == '"cache", "storage"', "the browser forgets the pages too"
    assert orgs.ask("GET", "/queue", visit=visit).headers["location"] == "/sign-in", "copies of the cookie ended too"


def test_what_changes_something_is_never_done_by_reading() -> None:
    """Every other verb of a page's path is a form: links, pictures and prefetching change nothing."""
    assert {name.split(" ")[0] for name in routes()} == {"GET", "POST", "DELETE"}
    assert all("/api/" in name for name in routes() if name.startswith("DELETE"))


# Channels.


def meta_post(name: str, text: str = "The tap drips", org: str = "north") -> tuple[bytes, dict[str, str]]:
    """A post of WhatsApp, signed as Meta signs."""
    body = json.loads(whatsapp_post(name, text, datetime.now(UTC)))
    body["entry"][0]["changes"][0]["value"]["metadata"]["phone_number_id"] = NUMBERS[org]
    raw = json.dumps(body).encode()
    return raw, {"X-Hub-Signature-256": cloud.signature(SETTINGS["whatsapp_app_secret"], raw)}


def meta_status(name: str) -> tuple[bytes, dict[str, str]]:
    """A post of WhatsApp about the state of a message of ours."""
    body = json.loads(whatsapp_post(name, "x", datetime.now(UTC)))
    value = body["entry"][0]["changes"][0]["value"]
    del value["messages"], value["contacts"]
    value["statuses"] = [
        {"id": "wamid.ours", "status": "delivered", "timestamp": str(int(time.time())), "recipient_id": "447700900001",
         "biz_opaque_callback_data": "o2"}
    ]  # fmt: skip
    raw = json.dumps(body).encode()
    return raw, {"X-Hub-Signature-256": cloud.signature(SETTINGS["whatsapp_app_secret"], raw)}


def twilio_post(channel: str, name: str) -> tuple[dict[str, str], dict[str, str]]:
    """A post of Twilio's about WhatsApp or SMS, signed."""
    prefix = "whatsapp:" if channel == "twilio" else ""
    fields = form("The tap drips", To=f"{prefix}{PHONES['north']}", From=f"{prefix}+447700900123", MessageSid=name)
    signed = twilio.signature(HOOK.replace("twilio", channel), fields, SETTINGS["twilio_auth_token"])
    return fields, {"X-Twilio-Signature": signed}


def posted(orgs: TwoOrgs, channel: str, body: Any, headers: dict[str, str], org: str = "north") -> int:
    sent = {"content": body} if isinstance(body, bytes) else {"data": body}
    return int(orgs.ask("POST", f"/webhooks/{channel}/{org}", headers=headers, **sent).status_code)


def n_kept(estate: Estate) -> int:
    talk = estate.store.conversations
    return sum(len(talk.inbounds(each.id)) for each in talk.conversations())


POSTS: dict[str, Callable[[str], tuple[Any, dict[str, str]]]] = {
    "whatsapp": meta_post,
    "twilio": lambda name: twilio_post("twilio", name),
    "sms": lambda name: twilio_post("sms", name),
}


@pytest.mark.parametrize("channel", POSTS)
def test_a_post_of_a_channel_is_taken_when_signed_and_kept(orgs: TwoOrgs, channel: str) -> None:
    before, n = orgs.home.kept(), n_kept(orgs.home)
    body, headers = POSTS[channel](f"SM{secrets.token_hex(16)}")
    (name, signature), *_ = headers.items()
    altered = body.replace(b"drips", b"burst") if isinstance(body, bytes) else {**body, "Body": "The tap burst"}
    key, owner = {"Authorization": f"Bearer {orgs.home.keys['owner']}"}, orgs.home.sessions["owner"]
    for tried, sent, more in (
        ("no signature", body, {}), ("an owner's key", body, key), ("an empty signature", body, {name: ""}),
        ("a changed signature", body, {name: signature[:-4] + "AAA="}), ("a changed body", altered, headers),
    ):  # fmt: skip
        assert posted(orgs, channel, sent, more) == 401, tried
    raw = {"content": body} if isinstance(body, bytes) else {"data": body}
    assert orgs.ask("POST", f"/webhooks/{channel}/north", visit=owner, **raw).status_code == 401
    assert posted(orgs, channel, body, headers, "south") in (401, 403), "signed for another organisation"
    assert posted(orgs, channel, body, headers, "nowhere") in (401, 403, 404)
    assert same(before, orgs.home.kept()), "a refused post changed something"
    assert posted(orgs, channel, body, headers) == 200
    assert n_kept(orgs.home) == n + 1
    assert posted(orgs, channel, body, headers) == 200, "posted again, it is taken again"
    assert n_kept(orgs.home) == n + 1, "and kept once"
    orgs.home.restore(before)


@pytest.mark.parametrize("fails", ["receive", "commit of the whole"])
@pytest.mark.parametrize("channel", POSTS)
def test_a_post_is_not_acknowledged_while_the_store_is_down(
    orgs: TwoOrgs, channel: str, fails: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The channel posts again what it heard no yes for: a yes without a row would lose the message for good."""
    before, n = orgs.home.kept(), n_kept(orgs.home)
    body, headers = POSTS[channel](f"SM{secrets.token_hex(16)}")

    def away(*_: Any, **__: Any) -> Any:
        raise StoreUnavailableError("the database does not answer")

    talk = orgs.home.store.conversations
    with monkeypatch.context() as down:
        if fails == "receive":
            down.setattr(type(talk), "receive", away)
        else:
            down.setattr(orgs.site.repairs, "deps", away)
        assert posted(orgs, channel, body, headers) == 503
    assert n_kept(orgs.home) == n
    assert posted(orgs, channel, body, headers) == 200
    assert n_kept(orgs.home) == n + 1, "posted again, it is kept"
    orgs.home.restore(before)


def test_a_state_of_a_message_is_not_acknowledged_while_the_store_is_down(
    orgs: TwoOrgs, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, (body, headers) = orgs.home.kept(), meta_status("wamid.state")

    def away(*_: Any, **__: Any) -> Any:
        raise StoreUnavailableError("the database does not answer")

    with monkeypatch.context() as down:
        for name in ("mark_outbox", "sent_message", "outbox"):
            if hasattr(type(orgs.home.store.conversations), name):
                down.setattr(type(orgs.home.store.conversations), name, away)
        assert posted(orgs, "whatsapp", body, headers) == 503
    assert posted(orgs, "whatsapp", body, headers) == 200
    orgs.home.restore(before)


def test_a_channel_is_told_its_challenge_for_the_right_token_alone(orgs: TwoOrgs) -> None:
    right = {"hub.mode": "subscribe", "hub.verify_token": SETTINGS["whatsapp_verify_token"], "hub.challenge": "1158201"}
    answer = orgs.ask("GET", "/webhooks/whatsapp/north", params=right)
    assert (answer.status_code, answer.text) == (200, "1158201")
    owner = orgs.home.sessions["owner"]
    for wrong in ({"hub.verify_token": "x"}, {"hub.verify_token": ""}):
        for more in ({}, {"visit": owner}):
            answer = orgs.ask("GET", "/webhooks/whatsapp/north", params={**right, **wrong}, **more)
            assert answer.status_code in (401, 403)
            assert "1158201" not in answer.text
    assert orgs.ask("GET", "/webhooks/whatsapp/nowhere", params=right).status_code == 404
    assert orgs.ask("GET", "/webhooks/pigeon/north", params=right).status_code == 404
    for channel in ("twilio", "sms"):
        assert orgs.ask("GET", f"/webhooks/{channel}/north", params=right).status_code == 422


# The store.


@pytest.mark.parametrize("name", [*of_kind(Door), *of_kind(Linked), "GET /healthz"])
def test_no_door_says_yes_while_the_store_is_down(callers: Callers, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    row, orgs = DOORS[name], callers.orgs
    monkeypatch.setitem(orgs.site.base._lazy.opened, "store", DownStore("north"))
    monkeypatch.setattr(orgs.site.repairs, "_deps", {})
    if isinstance(row, Door):
        owner = orgs.home.sessions["owner"]
        answers = [send(orgs, name, row, Ask("owner", "", visit=owner, token=owner.token))]
        if is_of_programs(name):
            answers.append(send(orgs, name, row, Ask("owner", "", key=orgs.home.keys["owner"])))
    elif isinstance(row, Linked):
        answers = [link_request(orgs, name, row, orgs.home.ids[row.link])]
    else:
        answers = [orgs.ask("GET", "/healthz")]
    assert [answer.status_code for answer in answers] == [503] * len(answers), answers[0].text[-300:]
