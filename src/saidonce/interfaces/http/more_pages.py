"""The other pages: blocks, feed, dashboard, search, the API's reference, signing in."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import PlainTextResponse, RedirectResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from saidonce.errors import AccessError, UsageError
from saidonce.foundation import text
from saidonce.foundation.model import Approval, Block, Decision, Filters, Scope, Verb
from saidonce.foundation.ports import Store
from saidonce.interfaces.http import charts
from saidonce.interfaces.http.callers import Before, Seq
from saidonce.interfaces.http.pages import Key, Reason, render
from saidonce.interfaces.http.site import allowed, caller_of, check_form, end_session, sign_in, site_of
from saidonce.kb import review
from saidonce.matching.diff import highlighted
from saidonce.platform import notifications

more = APIRouter(include_in_schema=False)

FEED = 50

TELLING = frozenset({Verb.MERGE, Verb.KEEP_APART, Verb.CONFLICT, Verb.SPLIT})
"""Verbs of people in whose history the other blocks are named."""


@more.get("/blocks/{id}")
def block(request: Request, id: str) -> Response:
    """Show a block, what supports it, and every decision about it."""
    caller = allowed(request, Scope.READ)
    account = caller.base.why(id)
    store = caller.base.store
    members = store.ledger.members(list(account.block.members)) if account.block is not None else {}
    conflicts = review.conflicts(store, [account.block]) if account.block is not None else {}
    named = {d.seq: _named(d, account.id) for d in account.decisions if d.verb in TELLING and not d.detail.near}
    return render(
        request, caller, "block.html", account=account, block=account.block, members=members,
        approvals=list(Approval), conflicts=[b for found in conflicts.values() for b in found], named=named,
    )  # fmt: skip


@more.post("/blocks/{id}/{verb}")
def change(
    request: Request,
    id: str,
    verb: str,
    csrf: Annotated[str, Form()],
    key: Key = "",
    leaving: Annotated[list[str] | None, Form()] = None,
    edits: Annotated[str, Form()] = "",
    written: Annotated[str, Form(max_length=100_000)] = "",
    approval: Annotated[str, Form()] = "",
    owner: Annotated[str, Form(max_length=200)] = "",
    reason: Reason = "",
) -> Response:
    """Split, edit, approve or own a block."""
    caller = allowed(request, Scope.REVIEW)
    check_form(request, caller, csrf)
    reviewer = caller.base.as_person(caller.name).because(reason, key)
    match verb:
        case "split":
            decision = reviewer.split(id, leaving or [], edits)
        case "edit":
            decision = reviewer.edit(id, written)
        case "approve":
            if approval not in list(Approval):
                raise UsageError(f"an approval is one of {', '.join(Approval)}, not {approval[:40]!r}")
            decision = reviewer.approve(id, approval)
        case "own":
            decision = reviewer.own(id, owner)
        case _:
            return PlainTextResponse("no such verb", 404)
    return RedirectResponse(f"/blocks/{id}?done={decision.seq}", 303)


@more.get("/feed")
def feed(request: Request, before: Before = None, mine: bool = False) -> Response:
    """Show what the ladder merged and flagged by itself, newest first, each with one-click split."""
    caller = allowed(request, Scope.READ)
    store = caller.base.store
    shown = notifications.feed(caller.base.base, caller.name if mine else "", before, FEED)
    rows = _with_blocks(store, shown.decisions)
    audited = {d.flag for d in store.ledger.rulings_on([d.seq for d in shown.decisions]) if d.verb is Verb.AUDIT}
    return render(request, caller, "feed.html", rows=rows, before=shown.before, mine=mine, audited=audited)


@more.post("/decisions/{seq}/audit")
def audit(
    request: Request,
    seq: Seq,
    csrf: Annotated[str, Form()],
    wrong: Annotated[str, Form()],
    key: Key = "",
    reason: Reason = "",
) -> Response:
    """Say whether an automatic merge was right; a wrong one is split at once."""
    caller = allowed(request, Scope.REVIEW)
    check_form(request, caller, csrf)
    reviewer = caller.base.as_person(caller.name).because(reason, key)
    decision = reviewer.disown(seq) if wrong == "yes" else reviewer.audit(seq, False)
    return RedirectResponse(f"/feed?done={decision.seq}", 303)


@more.get("/dashboard")
def dashboard(request: Request) -> Response:
    """Show the figures as charts and tables."""
    caller = allowed(request, Scope.READ)
    return render(request, caller, "dashboard.html", a=site_of(request).figures.of(caller.base.base))


@more.get("/charts/{name}.svg")
def chart(request: Request, name: str, theme: str = "light") -> Response:
    """Draw one chart of the dashboard."""
    caller = allowed(request, Scope.READ)
    if name not in charts.NAMES:
        return PlainTextResponse("no such chart", 404)
    drawn = charts.draw(name, site_of(request).figures.of(caller.base.base), dark=theme == "dark")
    headers = {"Content-Security-Policy": f"default-src 'none'; style-src {charts.styles(drawn)}; sandbox"}
    return Response(drawn, media_type="image/svg+xml", headers=headers)


@more.get("/search")
def search(request: Request, q: str = "", collection: str = "", k: int = 10) -> Response:
    """Search, with the words found marked and the places that repeat a hit."""
    caller = allowed(request, Scope.READ)
    report = None
    hits: list[Any] = []
    conflicts: dict[str, tuple[Block, ...]] = {}
    if q.strip():
        filters = Filters((collection,) if collection else ())
        report = caller.base.search(q[:10_000], filters, max(1, min(k, 50)))
        asked = [*text.terms(q), *report.corrected.values()]
        hits = [(hit, highlighted(hit.block.text, asked)) for hit in report.hits]
        conflicts = review.conflicts(caller.base.store, [hit.block for hit in report.hits])
    return render(
        request, caller, "search.html", q=q, report=report, hits=hits, conflicts=conflicts, collection=collection,
        collections=[c.name for c in caller.base.store.collections()],
    )  # fmt: skip


@more.get("/docs")
def reference(request: Request) -> Response:
    """Show the API's reference, made from its own description."""
    schema = request.app.openapi()
    routes = [
        (path, method.upper(), told) for path, methods in schema["paths"].items() for method, told in methods.items()
    ]
    try:
        caller = caller_of(request)
    except AccessError:
        caller = None
    tags = list(dict.fromkeys(tag for _, _, told in routes for tag in told.get("tags", ["other"])))
    return render(request, caller, "docs.html", routes=routes, tags=tags, schemas=schema["components"]["schemas"])


@more.get("/sign-in")
def sign_in_page(request: Request) -> Response:
    """Ask for an API key, or for single sign-on."""
    request.session.setdefault("csrf", secrets.token_urlsafe(24))
    has_oidc = bool(site_of(request).base.settings.oidc_issuer)
    return render(request, None, "sign_in.html", token=request.session["csrf"], has_oidc=has_oidc, told="")


@more.post("/sign-in")
def sign_in_form(request: Request, csrf: Annotated[str, Form()], key: Annotated[str, Form()]) -> Response:
    """Begin a session."""
    token = str(request.session.get("csrf", ""))
    if not token or not secrets.compare_digest(token.encode(), csrf.encode()):
        return RedirectResponse("/sign-in", 303)
    try:
        sign_in(request, key)
    except AccessError as refused:
        return render(request, None, "sign_in.html", 401, token=token, has_oidc=False, told=str(refused))
    return RedirectResponse("/queue", 303)


@more.post("/sign-out")
def sign_out(request: Request, csrf: Annotated[str, Form()]) -> Response:
    """End the session."""
    check_form(request, caller_of(request), csrf)
    end_session(request)
    return RedirectResponse("/sign-in", 303)


@more.get("/healthz")
def health(request: Request) -> Response:
    """Say that the server and its database answer."""
    site_of(request).base.store.rev()
    return PlainTextResponse("ok\n")


@more.get("/metrics")
def metrics(request: Request) -> Response:
    """Give the process's Prometheus series, which sum up all organisations, to the server's own."""
    caller = allowed(request, Scope.READ)
    if caller.base is not site_of(request).base:
        raise AccessError("a key of the server's own organisation", "the series are of all", is_known=True)
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)


def _named(decision: Decision, id: str) -> tuple[str, ...]:
    """Whom a decision names beside a block."""
    return tuple(m for m in dict.fromkeys(decision.members) if m != id)


def _with_blocks(store: Store, decisions: Sequence[Decision]) -> list[tuple[Decision, Block | None]]:
    """Decisions, each with the block that its candidate is in now."""
    members = store.ledger.members([d.members[0] for d in decisions])
    blocks = store.blocks(sorted({m.block_id for m in members.values()} - {""}))
    where = {id_: m.block_id for id_, m in members.items()}
    return [(d, blocks.get(where.get(d.members[0], ""))) for d in decisions]
