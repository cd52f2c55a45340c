"""The landlord's pages: the board of issues, conversations with their timelines, and notices to the landlord."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import RedirectResponse

from saidonce.errors import UsageError
from saidonce.foundation.model import Scope
from saidonce.foundation.model.conversation import IssueState
from saidonce.interfaces.http.chat import file_answer
from saidonce.interfaces.http.pages import render
from saidonce.interfaces.http.site import Caller, authorise, check_form, site_of
from saidonce.repairs import conversation as converse
from saidonce.repairs.board import MOST_CONVERSATIONS, board, standing
from saidonce.repairs.conversation import ConversationDeps
from saidonce.repairs.conversation.alarm_life import claims
from saidonce.repairs.timeline import PATHS_IN_WORDS, timeline

repairs = APIRouter(include_in_schema=False)

MOST_HOMES = 500
"""Maximum number of homes offered for the approval of a resident."""

MOST_NOTICES = 200


def deps_of(request: Request) -> ConversationDeps:
    """Return what conversations of the caller's organisation work with.

    Raises:
        AccessError: they may not see residents' data, whatever else they may.
    """
    return site_of(request).repairs.deps(authorise(request, Scope.RESIDENTS).base.settings.org)


def render_repairs(request: Request, caller: Caller, name: str, **values: Any) -> Response:
    """Render a page of the landlord's."""
    zone = site_of(request).repairs.deps(caller.base.settings.org).rules.office.zone
    return render(
        request, caller, name, is_demo=site_of(request).is_demo, zone=zone, span=converse.span_words, **values
    )


@repairs.get("/repairs")
def issues(request: Request) -> Response:
    """Show issues by state and urgency, and what waits for a person."""
    caller = authorise(request, Scope.RESIDENTS)
    issue_board = board(deps_of(request))
    return render_repairs(
        request, caller, "repairs.html", b=issue_board, states=list(IssueState),
        add_channel=site_of(request).repairs.add_channel(caller.base.settings.org),
        is_silent=site_of(request).repairs.is_silent(caller.base.settings.org),
        troubles=site_of(request).repairs.troubles_of(caller.base.settings.org),
    )  # fmt: skip


@repairs.post("/repairs/issues/{id}")
def move(
    request: Request,
    id: str,
    csrf: Annotated[str, Form()],
    to: Annotated[str, Form()],
    looked_at: Annotated[str, Form()] = "",
    back: Annotated[str, Form()] = "",
) -> Response:
    """Move an issue on the board; its resident is told."""
    caller = authorise(request, Scope.REVIEW, Scope.RESIDENTS)
    check_form(request, caller, csrf)
    if to not in list(IssueState):
        raise UsageError(f"state must be one of {', '.join(IssueState)}, not {to[:40]!r}")
    moved = converse.move_issue(deps_of(request), id, IssueState(to), caller.name, bool(looked_at))
    pages = {"issue": f"/repairs/issues/{id}", "": "/repairs"}
    return RedirectResponse(pages.get(back, f"/repairs/conversations/{moved.conversation_id}"), 303)


@repairs.get("/repairs/conversations")
def conversations(request: Request) -> Response:
    """List conversations, the latest message first."""
    caller = authorise(request, Scope.RESIDENTS)
    deps = deps_of(request)
    homes = {h.tenancy.id: h for h in deps.store.homes()}
    rows = deps.store.conversations(MOST_CONVERSATIONS)
    return render_repairs(request, caller, "repairs_conversations.html", conversations=rows, homes=homes)


@repairs.get("/repairs/conversations/{id}")
def conversation(request: Request, id: str) -> Response:
    """Show one conversation with everything that happened in it."""
    caller = authorise(request, Scope.RESIDENTS)
    deps = deps_of(request)
    events = timeline(deps, id)
    now = deps.clock.now()
    active = [h for h in deps.store.homes() if h.tenancy.ends_at is None or h.tenancy.ends_at > now]
    offered = sorted(active, key=lambda h: h.tenancy.id not in events.conversation.candidates)[:MOST_HOMES]
    return render_repairs(
        request, caller, "repairs_conversation.html", t=events, of=events.conversation, offered=offered,
        states=list(IssueState), paths=PATHS_IN_WORDS, alarms=[e for e in standing(deps, id) if e.replied],
        claimed=claims(deps.store.notices()).get(id),
    )  # fmt: skip


@repairs.post("/repairs/conversations/{id}/{verb}")
def act(
    request: Request,
    id: str,
    verb: str,
    csrf: Annotated[str, Form()],
    text: Annotated[str, Form(max_length=4_000)] = "",
    tenancy: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Take over, hand back, write, approve who writes, or undo that."""
    caller = authorise(request, Scope.REVIEW, Scope.RESIDENTS)
    check_form(request, caller, csrf)
    act_in_conversation(deps_of(request), id, verb, caller.name, text, tenancy)
    return RedirectResponse(f"/repairs/conversations/{id}#last", 303)


def act_in_conversation(deps: ConversationDeps, id: str, verb: str, by: str, text: str, tenancy: str) -> None:
    """Carry out a verb on a conversation.

    Raises:
        UsageError: there is no such verb, or it makes no sense now.
        NotFoundError: there is no such conversation or tenancy.
    """
    match verb:
        case "take-over":
            converse.take_over(deps, id, by)
        case "hand-back":
            converse.hand_back(deps, id, by)
        case "write":
            converse.write_as_staff(deps, id, text, by)
        case "approve":
            converse.approve_identity(deps, id, tenancy, by)
        case "undo":
            converse.undo_identity(deps, id, by)
        case _:
            raise UsageError(f"action must be take-over, hand-back, write, approve or undo, not {verb[:40]!r}")


@repairs.get("/repairs/notices")
def notices(request: Request) -> Response:
    """Show notices to the landlord, newest first."""
    caller = authorise(request, Scope.RESIDENTS)
    deps = deps_of(request)
    rows = tuple(reversed(deps.store.notices()))[:MOST_NOTICES]
    known = {i.id: i for i in deps.store.issues()}
    homes = {h.tenancy.id: h for h in deps.store.homes()}
    return render_repairs(request, caller, "repairs_notices.html", notices=rows, issues=known, homes=homes)


@repairs.get("/repairs/media/{sha256}")
def media(request: Request, sha256: str) -> Response:
    """Return a file from a resident."""
    caller = authorise(request, Scope.RESIDENTS)
    return file_answer(site_of(request).repairs.media(caller.base.settings.org).get(sha256), sha256)
