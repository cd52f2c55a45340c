"""Authentication and authorisation: sessions, keys, CSRF, and the headers of every answer."""

from __future__ import annotations

import getpass
import hmac
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from urllib.parse import quote, urlsplit

from fastapi import Depends, Request, Response
from fastapi.templating import Jinja2Templates

from saidonce.app.base_metrics import FreshFigures
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.app.repairs_service import Repairs
from saidonce.errors import AccessError, SlowedDownError, UsageError
from saidonce.foundation.model import SCOPES_OF, Person, Role, Scope, each_once
from saidonce.foundation.model.security import SecurityKind
from saidonce.foundation.text import clock
from saidonce.interfaces.http.figures import FiguresCache
from saidonce.interfaces.http.revoked_sessions import EndedSessions
from saidonce.interfaces.http.rich_text import excerpt, rich
from saidonce.interfaces.http.words import BECAUSE, KINDS, short
from saidonce.interfaces.views.held import REASONS, reason_in_words
from saidonce.platform import access
from saidonce.platform.access import Principal
from saidonce.platform.attempts import Attempts, is_worth_noting
from saidonce.platform.security_log import present, record, record_refusal

HERE = Path(__file__).parent

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; media-src 'self';"
        " font-src 'self'; connect-src 'self';"
        " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
"""No inline script or style, nothing from elsewhere, no frame around us."""

HSTS = "max-age=31536000"
"""A browser that came over https stays with it for a year. Whether subdomains do is for the proxy to say."""

COOKIE = "saidonce"
"""Name of the session's cookie."""

SECURE_COOKIE = f"__Host-{COOKIE}"
"""Its name on https: browsers take it from this host alone, over https alone, and for all paths (RFC 6265bis)."""

CHANGED = "changed"
"""Key of a session under which stands when it last sent a form, in seconds since 1970."""

DAY_S = 86_400

API = "/api/v1/"
DEPRECATED = "@1793491200"
"""Since when the paths under /api/ without a version are deprecated: 2026-11-01. Source: RFC 9745."""

SENT_KEY = "an API key, sent as 'Authorization: Bearer so1_...'"
"""What programs are asked for."""

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
"""Names under which a server without sign-in answers; another Host header is somebody else's page asking."""

MOST_BASES = 64
"""Bases of other organisations that are kept with their search caches; the one longest unused gives way."""

BIGGEST = 2**63 - 1
"""Largest number that names anything."""


@dataclass(frozen=True, slots=True)
class Caller:
    """A recognised person with the base of their organisation.

    Attributes:
        csrf: token that every form of this session carries; empty for an API key.
    """

    base: KnowledgeBase
    principal: Principal
    csrf: str = ""

    @property
    def name(self) -> str:
        """The person's name, under which their decisions are recorded."""
        return self.principal.person.name

    def may(self, scope: Scope) -> bool:
        """Return whether they may."""
        return access.allowed(self.principal, scope)


@cache
def _templates() -> Jinja2Templates:
    """Return the templates of all sites of this process, each compiled once."""
    templates = Jinja2Templates(HERE / "templates")
    templates.env.filters["excerpt"] = excerpt
    templates.env.filters["short"] = short
    templates.env.filters["each_once"] = each_once
    templates.env.filters["clock"] = clock
    templates.env.filters["number"] = "{:,}".format
    templates.env.globals.update(
        rich=rich, because_labels=BECAUSE, kind_labels=KINDS, happened=reason_in_words, held_reasons=REASONS
    )
    return templates


@dataclass
class Site:
    """The state shared by all requests.

    Attributes:
        base: the base of the settings' organisation; those of others are opened when one of theirs comes.
        local: on this machine alone, for one person who need not sign in, until people are named.
        secret: signs sessions.
        ended: knows the sessions that were signed out of.
        repairs: the conversations with residents, of all organisations.
        is_demo: all data is fictional.
        attempts: wrong keys, by address.
        refusals: how often a person was refused the same, so that a program that repeats itself fills no log.
    """

    base: KnowledgeBase
    local: bool
    secret: str
    ended: EndedSessions
    repairs: Repairs
    is_demo: bool = False
    templates: Jinja2Templates = field(default_factory=_templates)
    figures: FiguresCache = field(default_factory=FiguresCache)
    base_figures: FreshFigures = field(default_factory=FreshFigures)
    attempts: Attempts = field(default_factory=Attempts)
    refusals: Attempts = field(default_factory=Attempts)
    _bases: OrderedDict[str, KnowledgeBase] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def is_https(self) -> bool:
        """Return whether people reach the server over https, by a proxy that ends it."""
        return not self.local and self.base.settings.public_url.startswith("https:")

    def is_local(self) -> bool:
        """Return whether there is no sign-in; ends for good with the first person added."""
        if self.local and self.base.store.people.people():
            self.local = False
        return self.local

    def base_of(self, org: str) -> KnowledgeBase:
        """Return the base of a recognised person's organisation; connections and models are the first's."""
        if org == self.base.settings.org:
            return self.base
        with self._lock:
            if org not in self._bases:
                self._bases[org] = self.base.for_org(org)
            self._bases.move_to_end(org)
            while len(self._bases) > MOST_BASES:
                self._bases.popitem(last=False)
            return self._bases[org]


def site_of(request: Request) -> Site:
    """Return the site of a request."""
    site: Site = request.app.state.site
    return site


def number_in(written: str) -> int | None:
    """Read the number of something; None if it can be none."""
    return int(written) if written.isdecimal() and len(written) < 19 else None


def caller_of(request: Request) -> Caller:
    """Return who asks, recognised once for each request.

    Raises:
        AccessError: nobody is signed in, or the key is no good.
    """
    caller = recognised(request)
    if caller is None:
        caller = request.state.caller = _identify(request)
        present().person = caller.name
    return caller


def recognised(request: Request) -> Caller | None:
    """Return who asks, if this request has been asked before; the database is not."""
    caller: Caller | None = getattr(request.state, "caller", None)
    return caller


def _identify(request: Request) -> Caller:
    site = site_of(request)
    authorization = request.headers.get("authorization", "")
    if authorization:
        kind, _, presented = authorization.partition(" ")
        if kind.lower() != "bearer":
            raise AccessError(SENT_KEY, "the header 'Authorization' holds no key")
        return _by_key(site, presented.strip())
    csrf = request.session.setdefault("csrf", secrets.token_urlsafe(24))
    if site.is_local():
        return Caller(site.base, Principal(_local_person(), frozenset(Scope)), csrf)
    org, key_id, person = (str(request.session.get(name, "")) for name in ("org", "key", "person"))
    session = str(request.session.get("id", ""))
    if not person or not session or site.ended.has(session):
        raise AccessError(f"{SENT_KEY}, or a session", "you are not signed in")
    begun = request.session.get("begun")
    if not isinstance(begun, int) or time.time() - begun > site.base.settings.session_days * DAY_S:
        raise AccessError("a session", "the session has ended; sign in again")
    base = site.base_of(org)
    return Caller(base, _still(base, person, key_id), csrf)


def authorise(request: Request, *scopes: Scope) -> Caller:
    """Return who asks, if they have all scopes.

    Raises:
        AccessError: they do not.
    """
    caller = caller_of(request)
    for scope in scopes:
        access.require(caller.principal, scope)
    return caller


async def may_lag(request: Request) -> None:
    """Let a page that only shows something read the copy of the database, where the settings name one.

    Not for a session that changed something within the oldest age of the copy: it sees what it did. A dependency that
    does not block, so that it runs in the context of the request, and what it lets holds for that request alone.
    """
    settings = site_of(request).base.settings
    if not settings.replica_url:
        return
    changed_at = request.session.get(CHANGED)
    if not isinstance(changed_at, int) or time.time() - changed_at > settings.replica_max_lag_s + 1:
        request.state.may_lag = True
        site_of(request).base.store.let_reads_lag()


MAY_LAG = [Depends(may_lag)]
"""For the routes of pages that only show something; those on which somebody decides read the database itself."""


def check_form(request: Request, caller: Caller, token: str) -> None:
    """Refuse a form of another site, or without the session's token.

    Raises:
        AccessError: the token is not the session's, or another site's page sent the form.
    """
    origin = request.headers.get("origin")
    if origin and origin != "null" and urlsplit(origin).netloc != request.headers.get("host"):
        raise AccessError("a form of this site", "this form was sent from another site", is_known=True)
    if not caller.csrf or not hmac.compare_digest(caller.csrf.encode(), token.encode()):
        if not token:
            raise AccessError(
                "an API key, or the token of a form",
                "requests that change something need 'Authorization: Bearer KEY' ('saidonce people add' and 'saidonce"
                " keys make' create one), or come from a page of this site",
                is_known=True,
            )
        raise AccessError(
            "the token of this session",
            "the form is out of date; go back, reload the page and send it again",
            is_known=True,
        )
    request.session[CHANGED] = int(time.time())


def sign_in(request: Request, presented: str) -> None:
    """Begin a session by an API key.

    Raises:
        AccessError: the key is no good.
    """
    caller = _by_key(site_of(request), presented.strip())
    begin_session(request, caller.base, caller.name, access.key_id_of(presented.strip()))


def begin_session(request: Request, base: KnowledgeBase, person: str, key_id: str = "") -> None:
    """Begin a session of a person; with a key it ends when that is revoked."""
    org = base.settings.org
    present().person = person
    record(base.store, SecurityKind.SIGNED_IN, datetime.now(UTC), person, key=key_id)
    request.session.clear()
    request.session.update(
        {
            "org": org, "person": person, "key": key_id, "csrf": secrets.token_urlsafe(24),
            "id": secrets.token_urlsafe(24), "begun": int(time.time()),
        }
    )  # fmt: skip


def end_session(request: Request) -> None:
    """End a session for good: copies of its cookie are refused from now on."""
    if session := str(request.session.get("id", "")):
        site_of(request).ended.add(session)
        caller = caller_of(request)
        record(caller.base.store, SecurityKind.SIGNED_OUT, datetime.now(UTC), caller.name)
    request.session.clear()


def _still(base: KnowledgeBase, name: str, key_id: str) -> Principal:
    """Return the person of a session, if they and its key are still valid.

    Raises:
        AccessError: they left, or the key was revoked.
    """
    person = base.store.people.person(name)
    if person is None or person.left_at is not None:
        raise AccessError("a session", f"{name!r} is no longer a member of this organisation")
    scopes = SCOPES_OF[person.role]
    if key_id:
        key = base.store.people.key(key_id)
        if key is None:
            raise AccessError("a session", "the key of this session no longer exists")
        now = datetime.now(UTC)
        access.check_key(key, now)
        access.note_use(base.store, key, now)
        scopes &= key.scopes
    return Principal(access.note_activity(base.store, person, datetime.now(UTC)), scopes)


def _by_key(site: Site, presented: str) -> Caller:
    """Return whose key it is; wrong ones make the address that they come from wait.

    Raises:
        AccessError: it is no good.
        SlowedDownError: too many wrong ones came from there.
    """
    address = present().address
    if wait_s := site.attempts.wait_s(address, presented, time.monotonic()):
        raise SlowedDownError(wait_s)
    try:
        caller = _verify_key(site, presented)
    except AccessError as refused:
        n = site.attempts.failed(address, time.monotonic())
        if is_worth_noting(n):
            _note_refusal(site, presented, refused.reason, n)
        raise
    site.attempts.worked(address, presented)
    return caller


def _note_refusal(site: Site, presented: str, reason: str, n: int) -> None:
    """Write a refusal into the log of the organisation that a key claims; of the settings' one if it claims none."""
    store = site.base.store
    try:
        org, key_id = access.org_of_key(presented), access.key_id_of(presented)
        store = store if org == store.org else store.of_org(org)
    except (AccessError, UsageError):
        key_id = ""
    record_refusal(store, datetime.now(UTC), reason, key=key_id, attempts=n)


def note_refused(request: Request, refused: AccessError) -> None:
    """Record a denied request in the security log; of repeated ones only some."""
    caller: Caller | None = getattr(request.state, "caller", None)
    if caller is None:
        return
    site = site_of(request)
    what = f"{request.method} {request.scope['path']}"[:200]
    n = site.refusals.failed(f"{caller.base.settings.org} {caller.name} {refused.missing}", time.monotonic())
    if is_worth_noting(n):
        record_refusal(caller.base.store, datetime.now(UTC), refused.reason, asked=what, attempts=n)


def _verify_key(site: Site, presented: str) -> Caller:
    org = access.org_of_key(presented)
    try:
        store = site.base.store if org == site.base.settings.org else site.base.store.of_org(org)
    except UsageError:
        raise AccessError("a valid API key", "unknown key") from None
    # Whoever presents no key of the organisation opens nothing.
    principal = access.authenticate(store, presented, datetime.now(UTC))
    return Caller(site.base_of(org), principal)


def _local_person() -> Person:
    try:
        name = getpass.getuser()
    except (OSError, KeyError):
        name = "local"
    return Person(name, "", Role.OWNER, datetime.now(UTC))


Next = Callable[[Request], Awaitable[Response]]


async def guard_host(request: Request, call_next: Next) -> Response:
    """Refuse foreign host names on a server without sign-in, and put the headers on every answer."""
    site = site_of(request)
    host = urlsplit(f"//{request.headers.get('host', '')}").hostname or ""
    if site.local and host not in LOOPBACK:
        return Response("this server answers requests from its own machine only", status_code=421, headers=HEADERS)
    return with_headers(request, await call_next(request))


def with_headers(request: Request, response: Response) -> Response:
    """Put the headers on an answer."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if site_of(request).is_https:
        response.headers.setdefault("Strict-Transport-Security", HSTS)
    path = request.url.path
    if not path.startswith("/static/"):
        response.headers.setdefault("Cache-Control", "no-store")
    if path.startswith("/api/") and not path.startswith(API):
        response.headers["Deprecation"] = DEPRECATED
        response.headers["Link"] = f'<{quote(API + path.removeprefix("/api/"))}>; rel="successor-version"'
    return response
