"""The other pages: blocks, feed, dashboard, search, the API's reference, signing in."""

from __future__ import annotations

import secrets
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import PlainTextResponse, RedirectResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from saidonce import text
from saidonce.analytics import analytics
from saidonce.differences import highlighted
from saidonce.errors import AccessError
from saidonce.http import charts
from saidonce.http.pages import render
from saidonce.http.site import allowed, caller_of, check_form, sign_in, site_of
from saidonce.model import POLICY, Approval, Filters, Scope, Verb

more = APIRouter(include_in_schema=False)

FEED = 50


@more.get("/blocks/{id}")
def block(request: Request, id: str) -> Response:
    """Show a block, what supports it, and every decision about it."""
    caller = allowed(request, Scope.READ)
    account = caller.base.why(id)
    members = caller.base.store.ledger.members(list(account.block.members)) if account.block is not None else {}
    return render(
        request, caller, "block.html", account=account, block=account.block, members=members,
        approvals=list(Approval), key=secrets.token_urlsafe(16),
    )  # fmt: skip


@more.post("/blocks/{id}/{verb}")
def change(
    request: Request,
    id: str,
    verb: str,
    csrf: Annotated[str, Form()],
    key: Annotated[str, Form(max_length=200)] = "",
    leaving: Annotated[list[str] | None, Form()] = None,
    edits: Annotated[str, Form()] = "",
    written: Annotated[str, Form(max_length=100_000)] = "",
    approval: Annotated[str, Form()] = "",
    owner: Annotated[str, Form(max_length=200)] = "",
    reason: Annotated[str, Form(max_length=2_000)] = "",
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
            decision = reviewer.approve(id, Approval(approval))
        case "own":
            decision = reviewer.own(id, owner)
        case _:
            return PlainTextResponse("no such verb", 404)
    return RedirectResponse(f"/blocks/{id}?done={decision.seq}", 303)


@more.get("/feed")
def feed(request: Request, before: int | None = None, mine: bool = False) -> Response:
    """Show what the ladder merged and flagged by itself, newest first, each with one-click split."""
    caller = allowed(request, Scope.READ)
    found = [d for d in caller.base.decisions((Verb.MERGE, Verb.FLAG), before, FEED * 4) if d.actor == POLICY]
    shown = found[:FEED]
    blocks = caller.base.store.blocks(sorted(_present(caller.base, [d.members[0] for d in shown]).values()))
    where = _present(caller.base, [m for d in shown for m in d.members[:2]])
    rows = [(d, blocks.get(where.get(d.members[0], ""))) for d in shown]
    if mine:
        rows = [(d, b) for d, b in rows if b is not None and b.owner == caller.name]
    audited = {d.flag for d in caller.base.store.ledger.rulings_on([d.seq for d in shown]) if d.verb is Verb.AUDIT}
    return render(
        request, caller, "feed.html", rows=rows, before=shown[-1].seq if len(found) > FEED else None, mine=mine,
        audited=audited,
    )  # fmt: skip


@more.post("/decisions/{seq}/audit")
def audit(request: Request, seq: int, csrf: Annotated[str, Form()], wrong: Annotated[str, Form()]) -> Response:
    """Say whether an automatic merge was right; a wrong one is split at once."""
    caller = allowed(request, Scope.REVIEW)
    check_form(request, caller, csrf)
    reviewer = caller.base.as_person(caller.name)
    decision = reviewer.audit(seq, wrong == "yes")
    if wrong == "yes":
        decision = reviewer.revert(seq)
    return RedirectResponse(f"/feed?done={decision.seq}", 303)


@more.get("/dashboard")
def dashboard(request: Request) -> Response:
    """Show the figures as charts and tables."""
    caller = allowed(request, Scope.READ)
    return render(request, caller, "dashboard.html", a=analytics(caller.base.base), charts=charts.NAMES)


@more.get("/charts/{name}.svg")
def chart(request: Request, name: str, theme: str = "light") -> Response:
    """Draw one chart of the dashboard."""
    caller = allowed(request, Scope.READ)
    if name not in charts.NAMES:
        return PlainTextResponse("no such chart", 404)
    drawn = charts.draw(name, analytics(caller.base.base), dark=theme == "dark")
    headers = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"}
    return Response(drawn, media_type="image/svg+xml", headers=headers)


@more.get("/search")
def search(request: Request, q: str = "", collection: str = "", k: int = 10) -> Response:
    """Search, with the words found marked and the places that repeat a hit."""
    caller = allowed(request, Scope.READ)
    report = None
    hits: list[Any] = []
    if q.strip():
        filters = Filters((collection,) if collection else ())
        report = caller.base.search(q[:10_000], filters, max(1, min(k, 50)))
        asked = [*text.terms(q), *report.corrected.values()]
        hits = [(hit, highlighted(hit.block.text, asked)) for hit in report.hits]
    return render(
        request, caller, "search.html", q=q, report=report, hits=hits, collection=collection,
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
    request.session.clear()
    return RedirectResponse("/sign-in", 303)


@more.get("/healthz")
def health(request: Request) -> Response:
    """Say that the server and its database answer."""
    site_of(request).base.store.rev()
    return PlainTextResponse("ok\n")


@more.get("/metrics")
def metrics(request: Request) -> Response:
    """Give the process's Prometheus series."""
    allowed(request, Scope.READ)
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)


def _present(base: Any, ids: list[str]) -> dict[str, str]:
    """Where members are now."""
    return {id_: m.block_id for id_, m in base.store.ledger.members(ids).items() if m.block_id}
