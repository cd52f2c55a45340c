"""Conversations, issues and homes over HTTP."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request
from pydantic import Field

from saidonce.app.repairs_service import replay_turn
from saidonce.foundation.model.conversation import IssueState
from saidonce.interfaces.http.callers import MayAdmin, MayReview, MaySeeResidents
from saidonce.interfaces.http.repairs import act_in_conversation, deps_of
from saidonce.interfaces.http.schemas import Body, example
from saidonce.interfaces.views.repairs import (
    ConversationDetail,
    ConversationView,
    HomesImport,
    HomeView,
    IssueView,
    ReplayView,
    conversation_detail,
    homes_import,
    issue_view,
    issue_views,
)
from saidonce.repairs import conversation as converse
from saidonce.repairs import tenancies as tenants
from saidonce.repairs.conversation import ConversationDeps

repairs_api = APIRouter(tags=["repairs"])

ActVerb = Literal["take-over", "hand-back", "write", "approve", "undo"]
Limit = Annotated[int, Query(ge=1, le=1_000)]


def _reader_deps(request: Request, _caller: MaySeeResidents) -> ConversationDeps:
    return deps_of(request)


def _admin_deps(request: Request, _caller: MayAdmin) -> ConversationDeps:
    return deps_of(request)


Deps = Annotated[ConversationDeps, Depends(deps_of)]
ReadingDeps = Annotated[ConversationDeps, Depends(_reader_deps)]
AdminDeps = Annotated[ConversationDeps, Depends(_admin_deps)]


class Act(Body, json_schema_extra=example({"text": "Somebody will come at ten."})):
    """Values of an action in a conversation."""

    text: str = Field(default="", max_length=4_000, description="text that `write` sends")
    tenancy: str = Field(default="", max_length=100, description="tenancy that `approve` confirms")


class Move(Body, json_schema_extra=example({"state": "in_progress"})):
    """New state of an issue on the board."""

    state: IssueState
    looked_at: bool = Field(default=False, description="clear its review mark")


class Table(
    Body,
    json_schema_extra=example(
        {"table": "address,resident,phones\n3 C Street,Uma Elm,+447700900078\n", "dry_run": True}
    ),
):
    """A table of homes as CSV with a header."""

    table: str = Field(min_length=1, max_length=1_500_000)
    dry_run: bool = Field(default=False, description="only report what would happen")


@repairs_api.get("/conversations", summary="List conversations")
def conversations(deps: ReadingDeps, limit: Limit = 100) -> list[ConversationView]:
    """Return conversations, the latest message first."""
    return [ConversationView.show(c) for c in deps.store.conversations(limit)]


@repairs_api.get("/conversations/{id}", summary="Get a conversation")
def conversation(deps: ReadingDeps, id: str) -> ConversationDetail:
    """Return a conversation's messages, turns, emergencies, issues and notices, each oldest first."""
    return conversation_detail(deps, deps.store.conversation(id))


@repairs_api.get("/conversations/{id}/turns/{turn}/replay", summary="Replay a turn from the model's recorded replies")
def replay(deps: ReadingDeps, id: str, turn: str) -> ReplayView:
    """Return whether the turn has the same result; nothing is written and no model is asked."""
    deps.store.conversation(id)
    return ReplayView.show(replay_turn(deps, turn))


@repairs_api.post(
    "/conversations/{id}/{verb}", summary="Act in a conversation: take-over, hand-back, write, approve or undo"
)
def act(caller: MayReview, deps: Deps, id: str, verb: ActVerb, body: Act) -> ConversationView:
    """Carry out an action in the caller's name, and return the state of the conversation."""
    act_in_conversation(deps, id, verb, caller.name, body.text, body.tenancy)
    return ConversationView.show(deps.store.conversation(id))


@repairs_api.get("/issues", summary="List issues")
def issues(deps: ReadingDeps, state: IssueState | None = None, property: str = "") -> list[IssueView]:
    """Return issues, oldest first."""
    store = deps.store
    return issue_views(deps, (i for i in store.issues(property) if state in (None, i.state)), store.issue_moves())


@repairs_api.get("/issues/{id}", summary="Get an issue")
def issue(deps: ReadingDeps, id: str) -> IssueView:
    """Return an issue with its history on the board, oldest first."""
    return issue_view(deps, deps.store.issue(id), deps.store.issue_moves(id))


@repairs_api.post("/issues/{id}", summary="Move an issue")
def move(caller: MayReview, deps: Deps, id: str, body: Move) -> IssueView:
    """Move an issue on the board in the caller's name, in any direction, and notify its resident."""
    moved = converse.move_issue(deps, id, body.state, caller.name, body.looked_at)
    return issue_view(deps, moved, deps.store.issue_moves(id))


@repairs_api.get("/homes", summary="List homes")
def homes(deps: ReadingDeps) -> list[HomeView]:
    """Return all tenancies, including ended ones, with property and resident, by tenancy."""
    return [HomeView.show(h) for h in deps.store.homes()]


@repairs_api.post("/homes/import", summary="Import a table of homes")
def import_homes(deps: AdminDeps, body: Table) -> HomesImport:
    """Import the lines without errors; importing the same table again changes nothing."""
    store = deps.store
    sheet = tenants.read_sheet(body.table)
    planned = tenants.plan(store, sheet)
    shared = tenants.shared_phones(store, planned)
    if not body.dry_run:
        tenants.import_homes(store, planned)
    return homes_import(sheet, planned, shared)


@repairs_api.post("/homes/{tenancy}/end", summary="End a tenancy")
def end(deps: AdminDeps, tenancy: str) -> HomeView:
    """End a tenancy now."""
    return HomeView.show(tenants.end(deps.store, tenancy, deps.clock.now()))


@repairs_api.post("/homes/{tenancy}/undo", summary="Undo the end of a tenancy")
def resume(deps: AdminDeps, tenancy: str) -> HomeView:
    """Undo the end of a tenancy; it continues until further notice."""
    return HomeView.show(tenants.resume(deps.store, tenancy))
