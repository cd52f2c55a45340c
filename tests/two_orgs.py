"""Two organisations of one server, each with one of everything, marked by a word that no text of the other holds."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import httpx

import talk_cases
from repairs_site import PNG
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.app.repairs_service import WEB_NUMBER, Repairs, Visitor, link_path
from saidonce.app.syncing import SyncWish
from saidonce.errors import StoreUnavailableError
from saidonce.foundation.context import Source
from saidonce.foundation.model import (
    SCOPES_OF,
    ChannelKind,
    GateVerdict,
    HeldChoice,
    Outcome,
    Reason,
    Role,
    Scope,
    Submission,
)
from saidonce.foundation.model.progress import Contractor
from saidonce.foundation.model.residents import ChannelIdentity, Media, Property, Resident, Tenancy, Via
from saidonce.foundation.ports import GateWrite, QueueFilter
from saidonce.foundation.settings.reading import settings_from
from saidonce.foundation.text import digest
from saidonce.gate.held import HeldItem, HeldOrder
from saidonce.interfaces.http import create_app
from saidonce.interfaces.http.site import COOKIE, Site
from saidonce.platform import access, notifications
from saidonce.platform.attempts import Attempts
from saidonce.repairs import conversation as converse
from saidonce.repairs import tenancies
from saidonce.repairs.alarm_links import AlarmPass, alarm_path
from saidonce.repairs.conversation import JobTerms
from saidonce.repairs.demo import import_demo_homes
from saidonce.repairs.job_links import JobLink, job_path
from saidonce.testing import MemoryDatabase, MemoryStore
from website import token_of
from world import CountingEmbedder, PlainParser

HOME, NEIGHBOUR = "north", "south"
"""The server's own organisation, and another one on it."""

MARKS = {HOME: "zebrafinch", NEIGHBOUR: "okapimoss"}
NUMBERS = {HOME: "100000000000001", NEIGHBOUR: "100000000000009"}
PHONES = {HOME: "+14155238886", NEIGHBOUR: "+14155230009"}
ACCOUNT = "AC" + "a1" * 16
HOOK = "http://127.0.0.1/webhooks/twilio/north"
SETTINGS: dict[str, Any] = {
    "org": HOME, "collection": "handbook", "collection_use": "canonical", "segment_style": "whole",
    "merge_investigate_from": 0.5, "merge_from": 0.99, "same_from": 1.0, "whatsapp_app_secret": "app-s3cret",
    "whatsapp_verify_token": "verify-me", "twilio_account_sid": ACCOUNT, "twilio_auth_token": "twilio-s3cret",
    "twilio_webhook_url": HOOK, "sms_webhook_url": HOOK.replace("twilio", "sms"),
    "channel_numbers": f"{NEIGHBOUR}={NUMBERS[NEIGHBOUR]}, {NEIGHBOUR}={PHONES[NEIGHBOUR]}",
}  # fmt: skip


@dataclass
class Estate:
    """What one organisation has: names of its things, keys by their purpose, and links."""

    org: str
    store: MemoryStore
    ids: dict[str, str] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    sessions: dict[str, Visit] = field(default_factory=dict)

    @property
    def mark(self) -> str:
        """The word that stands in everything of this organisation."""
        return MARKS[self.org]

    def kept(self) -> tuple[Any, ...]:
        """Everything that is stored of it but the security log; equal if nothing was written in between."""
        database = self.store._database
        talk, media = database.conversations[self.org], database.media[self.org]
        state = database.orgs.get(self.org)
        people = {name: rows for name, rows in database.people[self.org].snapshot().items() if name != "log"}
        return id(state), state, people, talk._rows.copy(), dict(media._files), list(database.syncs[self.org].rows())

    def restore(self, kept: tuple[Any, ...]) -> None:
        """Put back what was stored then."""
        database = self.store._database
        database.orgs[self.org] = kept[1]
        database.people[self.org].restore({name: dict(rows) for name, rows in kept[2].items()})
        database.conversations[self.org]._rows = kept[3].copy()
        database.media[self.org]._files = dict(kept[4])
        syncs = database.syncs[self.org]
        syncs._sources, syncs._entries = {}, {}
        syncs.load(kept[5])


def same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Whether nothing was written between two calls of `kept`."""
    return one[0] == other[0] and one[2:] == other[2:]


@dataclass(frozen=True)
class Visit:
    """A signed-in browser: its cookie, and the token of its forms."""

    cookie: str
    token: str


@dataclass
class TwoOrgs:
    """One application in this process over one database with both organisations."""

    client: httpx.AsyncClient
    loop: asyncio.Runner
    site: Site
    home: Estate
    neighbour: Estate

    def close(self) -> None:
        """Close the application and its bases."""
        self.loop.run(self.client.aclose())
        self.loop.close()
        self.site.repairs.close()
        self.site.base.close()

    def ask(self, method: str, path: str, *, visit: Visit | None = None, headers: Any = None, **more: Any) -> Any:
        """Send one request as nobody but the one whom a cookie or a header names, slowed by no earlier refusal."""
        self.site.attempts = Attempts()
        self.client.cookies.clear()
        sent = dict(headers or {})
        if visit is not None:
            sent["Cookie"] = f"{COOKIE}={visit.cookie}"
        answer = self.browse(method, path, headers=sent, **more)
        self.client.cookies.clear()
        return answer

    def browse(self, method: str, path: str, **more: Any) -> httpx.Response:
        """Send one request with the cookies of those before it."""
        return self.loop.run(self.client.request(method, path, **more))

    def sign_in(self, key: str) -> Visit:
        """Sign in by a key, as a browser does."""
        self.client.cookies.clear()
        token = token_of(self.browse("GET", "/sign-in").text)
        answer = self.browse("POST", "/sign-in", data={"csrf": token, "key": key})
        assert answer.headers["location"] == "/", answer.text
        token = token_of(self.browse("GET", "/sign-in").text)
        visit = Visit(self.client.cookies[COOKIE], token)
        self.client.cookies.clear()
        return visit


def two_orgs(folder: Path) -> TwoOrgs:
    """Serve both organisations, with people who have to sign in."""
    database = MemoryDatabase()
    base = KnowledgeBase(settings_from(None, **{**SETTINGS, "data_dir": str(folder)}))
    store = MemoryStore(HOME, database)
    base._lazy.opened |= {"store": store, "embedder": CountingEmbedder(), "parser": PlainParser()}
    desks = Repairs(base, base.for_org)
    app = create_app(base, False, desks, is_demo=True)
    behind = httpx.ASGITransport(app, raise_app_exceptions=False)
    client = httpx.AsyncClient(transport=behind, base_url="http://127.0.0.1", timeout=60)
    made = TwoOrgs(
        client, asyncio.Runner(), app.state.site, Estate(HOME, store), Estate(NEIGHBOUR, store.of_org(NEIGHBOUR))
    )
    for estate in (made.home, made.neighbour):
        _people(estate)
        _documents(estate, made.site.base_of(estate.org))
        _residents(estate, desks, made.site.secret)
        if estate is made.home:
            _issue(estate, desks, made.site.secret)
        estate.sessions |= {name: made.sign_in(estate.keys[name]) for name in ("reader", "reviewer", "owner")}
    return made


def _people(estate: Estate) -> None:
    people, now = estate.store, datetime.now(UTC)
    roles = {"owner": Role.OWNER, "reviewer": Role.REVIEWER, "reader": Role.READER, "left": Role.OWNER}
    for name, role in roles.items():
        access.add_person(people, name, "", role, now)
    for name in roles:
        estate.keys[name] = _key(estate, name, None)
    for scope in Scope:
        estate.keys[f"only {scope}"] = _key(estate, "owner", {scope})
        estate.keys[f"all but {scope}"] = _key(estate, "owner", set(Scope) - {scope})
    estate.keys["revoked"] = _key(estate, "owner", None)
    access.revoke(people, access.key_id_of(estate.keys["revoked"]), now)
    access.leave(people, "left", now)
    spare, _ = access.make_key(people, "reader", estate.mark, [Scope.READ], now, secrets.token_bytes)
    estate.ids |= {"key": spare.id, "person": "reader"}
    for presented in estate.keys.values():
        if presented not in (estate.keys["revoked"], estate.keys["left"]):
            access.authenticate(people, presented, now)  # notes the activity, so that no later request writes


def _key(estate: Estate, person: str, scopes: set[Scope] | None) -> str:
    holder = estate.store.people.person(person)
    assert holder is not None
    of = SCOPES_OF[holder.role] if scopes is None else scopes
    return access.make_key(estate.store, person, "", of, datetime.now(UTC), secrets.token_bytes)[1]


def _documents(estate: Estate, base: KnowledgeBase) -> None:
    mark = estate.mark
    texts = {
        "0.md": f"Backups of all {mark} files are kept for thirty days in two regions.",
        "1.md": f"Backups of all {mark} files are kept for forty days in two regions.",
        "2.md": f"Doors of the {mark} house are locked at night by the guard on duty.",
        "3.md": f"Doors of the {mark} house are locked at night by a guard on duty.",
    }
    for name, text in texts.items():
        base.ingest([Source(name, text.encode)])
    flags = estate.store.ledger.queue(QueueFilter())
    assert len(flags) >= 2, "the pairs of a queue"
    made = base.as_person("owner").because("", "a").dismiss(flags[1].seq)
    # Decided by somebody whom nobody who comes is, so that anybody may audit it; and only at home has a number so high.
    for _ in range(3 if estate.org == HOME else 1):
        base.as_person("left").revert(made.seq)
        made = base.as_person("left").dismiss(estate.store.ledger.queue(QueueFilter())[1].seq)
    (verdict,) = base.gate("main").submit_many([Submission(f"Count the shirts of the {mark} shop.", key=mark)])
    estate.ids |= {
        "seq": str(flags[0].seq), "decision": str(made.seq), "block": flags[0].candidate, "other block": flags[0].of,
        "verdict": verdict.id, "document": "2.md", **_held(base, verdict),
        "document id": next(d.id for d in base.documents() if d.name == "1.md"),
        "source": base.syncs.add(SyncWish(f"https://{mark}.example.com/sitemap.xml")).id,
    }  # fmt: skip


def _held(base: KnowledgeBase, near: GateVerdict) -> dict[str, str]:
    """Hold two submissions that no judge ruled on, and decide about one of them."""
    assert near.verdict is not None
    unruled = replace(near.verdict, outcome=Outcome.DUPLICATE, reason=Reason.NO_RULING, of=near.admitted)
    held = [
        replace(
            near, id=f"gv-{digest(near.id, way)}", submission=Submission(f"{way} {near.submission.text}"),
            verdict=unruled, admitted="",
        )
        for way in ("Please.", "Now.")
    ]  # fmt: skip
    base.store.gates.write(GateWrite(tuple(held)))
    decided = base.held.decide([HeldItem(held[0].id)], HeldOrder(HeldChoice.REPEAT, "left"))
    assert decided.decision, decided
    return {"held": held[1].id, "held decision": decided.decision}


def _residents(estate: Estate, desks: Repairs, secret: str) -> None:
    store, now = estate.store, datetime.now(UTC)
    base = desks._base(estate.org)
    channel = notifications.add_channel(
        base.base, ChannelKind.EMAIL, f"{estate.mark}@example.com", "", 0, secrets.token_bytes
    )
    place = Property(f"{estate.org}-place", f"4 {estate.mark} Lane")
    home = (place, Resident(f"{estate.org}-resident", estate.mark), Tenancy(f"{estate.org}-home", place.id, "", now))
    store.conversations.put_home(home[0], home[1], replace(home[2], resident_id=home[1].id))
    name = tenancies.chat_name(store.conversations, home[2].id, secrets.token_bytes)
    seen = store.media.put(PNG + estate.mark.encode(), "image/png")
    photo = Media("p", "image/png", seen, stored=True)
    sender = ChannelIdentity(Via.WEB, name, None, verified=True)
    sent = talk_cases.message("web1", 2, sender, f"My {estate.mark} tap drips")
    store.conversations.receive(replace(sent, number_id=WEB_NUMBER, media=(photo,)), talk_cases.due)
    estate.ids |= {
        "channel": channel.id, "tenancy": home[2].id, "resident": home[1].id, "sha256": seen,
        "chat": link_path(secret, Visitor(estate.org, name)).rpartition("/")[2],
    }  # fmt: skip


def _issue(estate: Estate, desks: Repairs, secret: str) -> None:
    """Give the home organisation a conversation with an emergency and an issue, and the issue to a contractor."""
    store, now = estate.store, datetime.now(UTC)
    import_demo_homes(desks.deps(estate.org))
    with mock.patch.object(talk_cases, "HOSTILE", estate.mark):
        talk_cases.whole(store)

    def link_of(issue: str, work: str) -> str:
        return job_path(secret, JobLink(estate.org, issue, work))

    terms = JobTerms("the key is under the mat", True, 30)
    who = Contractor(f"{estate.mark} Plumbing", "", "+447700900555")
    issue = converse.assign_issue(desks.deps(estate.org), "i1", who, terms, link_of, "owner")
    work = issue.progress.assignment
    assert work is not None
    (turn, *_) = store.conversations.turns(issue.conversation_id)
    ends = {"alarm link": now + timedelta(days=1), "old alarm link": now}
    estate.ids |= {
        "conversation": issue.conversation_id, "turn": turn.id, "issue": "i1", "ended tenancy": "t1", "alarm": "e1",
        "job photo": hashlib.sha256(talk_cases.FILE).hexdigest(),
        "job": link_of("i1", work.id).rpartition("/")[2],
        **{
            kind: alarm_path(secret, AlarmPass(estate.org, "e1", estate.ids["channel"], until)).rpartition("/")[2]
            for kind, until in ends.items()
        },
    }  # fmt: skip


class DownStore:
    """A store that cannot be reached."""

    def __init__(self, org: str) -> None:
        self.org = org

    def of_org(self, org: str) -> DownStore:
        """Give another organisation's, which cannot be reached either."""
        return DownStore(org)

    def __getattr__(self, name: str) -> Any:
        raise StoreUnavailableError("the database does not answer")
