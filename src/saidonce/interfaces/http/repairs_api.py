"""Conversations, issues and homes over HTTP."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from pydantic import Field

from saidonce.app.repairs_service import replay_turn
from saidonce.errors import NotFoundError
from saidonce.foundation.model import Scope
from saidonce.foundation.model.conversation import IssueState
from saidonce.interfaces.http.repairs import acted, desk_of
from saidonce.interfaces.http.schemas import Body
from saidonce.interfaces.http.site import Caller, allowed, check_form
from saidonce.interfaces.views.repairs import (
    conversation_json,
    event_json,
    home_json,
    inbound_json,
    issue_json,
    issues_json,
    notice_json,
    outbox_json,
    replayed_json,
    shared_json,
    turn_json,
)
from saidonce.repairs import conversation as converse
from saidonce.repairs import tenancies as tenants

repairs_api = APIRouter(prefix="/api", tags=["repairs"])

Json = dict[str, Any]
Token = Annotated[str, Header(alias="X-CSRF-Token", description="the session's token, instead of an API key")]
Limit = Annotated[int, Query(ge=1, le=1_000)]


class Act(Body):
    """What a person does in a conversation."""

    text: str = Field(default="", max_length=4_000, description="what `write` sends")
    tenancy: str = Field(default="", max_length=100, description="whose home `approve` says it is")


class Move(Body):
    """Where an issue goes on the board."""

    state: IssueState
    looked_at: bool = Field(default=False, description="take its reason for a look away")


class Table(Body):
    """A table of homes as comma separated text with a heading."""

    table: str = Field(min_length=1, max_length=1_500_000)
    dry_run: bool = Field(default=False, description="only say what would happen")


def _asked(request: Request, scope: Scope, token: str = "") -> Caller:
    caller = allowed(request, scope)
    if caller.csrf and scope is not Scope.READ:
        check_form(request, caller, token)
    return caller


@repairs_api.get("/conversations", summary="List conversations")
def conversations(request: Request, limit: Limit = 100) -> list[Json]:
    """Give conversations, the last heard of first."""
    desk = desk_of(request, _asked(request, Scope.READ))
    return [conversation_json(c) for c in desk.store.conversations(limit)]


@repairs_api.get("/conversations/{id}", summary="A conversation with everything that happened in it")
def conversation(request: Request, id: str) -> Json:
    """Give its messages, turns, emergencies, issues and notices, each oldest first."""
    store = desk_of(request, _asked(request, Scope.READ)).store
    return {
        **conversation_json(store.conversation(id)),
        "inbounds": [inbound_json(i) for i in store.inbounds(id)],
        "outbox": [outbox_json(m) for m in store.outbox(id)],
        "turns": [turn_json(t) for t in store.turns(id)],
        "events": [event_json(e) for e in store.events(id)],
        "issues": issues_json((i for i in store.issues() if i.conversation_id == id), store.issue_moves()),
        "notices": [notice_json(n) for n in store.notices() if n.conversation_id == id],
    }


@repairs_api.get("/conversations/{id}/turns/{turn}/replay", summary="Take a turn again from what the model said then")
def replay(request: Request, id: str, turn: str) -> Json:
    """Say whether the turn comes out the same; nothing is written and no model is asked."""
    desk = desk_of(request, _asked(request, Scope.READ))
    desk.store.conversation(id)
    return replayed_json(replay_turn(desk, turn))


@repairs_api.post("/conversations/{id}/{verb}", summary="take-over, hand-back, write, approve or undo")
def act(request: Request, id: str, verb: str, body: Act, token: Token = "") -> Json:
    """Do it in the caller's name, and give where the conversation stands."""
    caller = _asked(request, Scope.REVIEW, token)
    desk = desk_of(request, caller)
    acted(desk, id, verb, caller.name, body.text, body.tenancy)
    return conversation_json(desk.store.conversation(id))


@repairs_api.get("/issues", summary="List issues")
def issues(request: Request, state: IssueState | None = None, property: str = "") -> list[Json]:
    """Give issues, oldest first."""
    store = desk_of(request, _asked(request, Scope.READ)).store
    return issues_json((i for i in store.issues(property) if state in (None, i.state)), store.issue_moves())


@repairs_api.get("/issues/{id}", summary="An issue with its moves")
def issue(request: Request, id: str) -> Json:
    """Give it with its moves on the board, oldest first."""
    store = desk_of(request, _asked(request, Scope.READ)).store
    found = next((i for i in store.issues() if i.id == id), None)
    if found is None:
        raise NotFoundError("issue", id)
    return issue_json(found, store.issue_moves(id))


@repairs_api.post("/issues/{id}", summary="Move an issue")
def move(request: Request, id: str, body: Move, token: Token = "") -> Json:
    """Move it on the board in the caller's name; a move back is a move."""
    caller = _asked(request, Scope.REVIEW, token)
    desk = desk_of(request, caller)
    moved = converse.move_issue(desk, id, body.state, caller.name, body.looked_at)
    return issue_json(moved, desk.store.issue_moves(id))


@repairs_api.get("/homes", summary="List homes")
def homes(request: Request) -> list[Json]:
    """Give tenancies with property and resident, ended ones too, by tenancy."""
    return [home_json(h) for h in desk_of(request, _asked(request, Scope.READ)).store.homes()]


@repairs_api.post("/homes/import", summary="Import a table of homes")
def import_homes(request: Request, body: Table, token: Token = "") -> Json:
    """Keep the lines without a flaw; the same table again changes nothing."""
    store = desk_of(request, _asked(request, Scope.ADMIN, token)).store
    sheet = tenants.read_sheet(body.table)
    planned = tenants.plan(store, sheet)
    shared = tenants.shared_phones(store, planned)
    if not body.dry_run:
        tenants.import_homes(store, planned)
    return {
        "lines": [{"line": p.row.line, "change": p.change.value, "tenancy": p.home.tenancy.id} for p in planned],
        "flaws": [{"line": f.line, "column": f.column, "why": f.why} for f in sheet.flaws],
        "shared_phones": [shared_json(s) for s in shared],
    }


@repairs_api.post("/homes/{tenancy}/end", summary="End a tenancy")
def end(request: Request, tenancy: str, token: Token = "") -> Json:
    """End it now."""
    desk = desk_of(request, _asked(request, Scope.ADMIN, token))
    return home_json(tenants.end(desk.store, tenancy, desk.clock.now()))


@repairs_api.post("/homes/{tenancy}/undo", summary="Undo the end of a tenancy")
def resume(request: Request, tenancy: str, token: Token = "") -> Json:
    """Let it go on until further notice."""
    return home_json(tenants.resume(desk_of(request, _asked(request, Scope.ADMIN, token)).store, tenancy))
