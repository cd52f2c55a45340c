"""Alarms over HTTP: pages and API to acknowledge and end them, call-out lists, and the page behind a signed link."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Form, HTTPException, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import Field

from saidonce.app.repairs_service import AlarmPass, read_alarm_pass
from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.model import Channel, ChannelKind, Scope
from saidonce.foundation.model.conversation import EmergencyEvent, Way
from saidonce.interfaces.http.callers import MayAdmin, MayReview, MaySeeResidents
from saidonce.interfaces.http.chat import check_origin
from saidonce.interfaces.http.pages import render
from saidonce.interfaces.http.repairs import deps_of, render_repairs
from saidonce.interfaces.http.schemas import Body, example
from saidonce.interfaces.http.site import authorise, check_form, site_of
from saidonce.interfaces.views.alarms import AlarmView, CallOutListView, alarm_view, alarm_views
from saidonce.repairs import conversation as converse
from saidonce.repairs.board import board
from saidonce.repairs.conversation import ConversationDeps
from saidonce.repairs.conversation.call_out_sheet import call_outs_as_toml, read_call_outs

alarm_pages = APIRouter(include_in_schema=False)
alarms_api = APIRouter(tags=["repairs"])

AlarmVerb = Literal["acknowledge", "all-clear"]
MAX_FILE_CHARS = 100_000
EXPIRED = 410

_ACTS = {"acknowledge": converse.acknowledge, "all-clear": converse.confirm_all_clear}


class CallOutFile(Body, json_schema_extra=example({"file": "[[step]]\nchannels = []\nwait_minutes = 10\n"})):
    """Call-out lists as a TOML file."""

    file: str = Field(min_length=1, max_length=MAX_FILE_CHARS)


def _reader_deps(request: Request, _caller: MaySeeResidents) -> ConversationDeps:
    return deps_of(request)


Deps = Annotated[ConversationDeps, Depends(deps_of)]
ReadingDeps = Annotated[ConversationDeps, Depends(_reader_deps)]


@alarm_pages.post("/repairs/alarms/{id}/{verb}")
def act_on_page(
    request: Request, id: str, verb: AlarmVerb, csrf: Annotated[str, Form()], back: Annotated[str, Form()] = ""
) -> Response:
    """Acknowledge an alarm, or confirm that it is over, in the caller's name."""
    caller = authorise(request, Scope.REVIEW, Scope.RESIDENTS)
    check_form(request, caller, csrf)
    event = _ACTS[verb](deps_of(request), id, caller.name, Way.PAGE)
    return RedirectResponse(f"/repairs/conversations/{event.conversation_id}" if back else "/repairs", 303)


@alarm_pages.get("/repairs/call-outs")
def call_outs_page(request: Request) -> Response:
    """Show the call-out lists as the file by which they are set."""
    caller = authorise(request, Scope.RESIDENTS)
    lists = deps_of(request).store.call_outs()
    return render_repairs(
        request, caller, "repairs_call_outs.html", lists=lists, file=call_outs_as_toml(lists),
        channels=caller.base.store.people.channels(), may_admin=caller.may(Scope.ADMIN),
    )  # fmt: skip


@alarm_pages.post("/repairs/call-outs")
def set_on_page(
    request: Request, csrf: Annotated[str, Form()], file: Annotated[str, Form(max_length=MAX_FILE_CHARS)]
) -> Response:
    """Replace the call-out lists."""
    caller = authorise(request, Scope.ADMIN, Scope.RESIDENTS)
    check_form(request, caller, csrf)
    people, settings = caller.base.store.people, caller.base.settings
    deps_of(request).store.set_call_outs(read_call_outs(file, people.channels(), settings.time_zone))
    return RedirectResponse("/repairs/call-outs", 303)


@alarm_pages.get("/alarms/{token}")
def show_alarm(request: Request, token: str) -> Response:
    """Show the alarm of a signed link. This changes nothing: mail scanners follow links."""
    deps, event, _ = _of_link(request, token)
    tenancy_id = deps.store.conversation(event.conversation_id).tenancy_id
    home = deps.store.home(tenancy_id) if tenancy_id else None
    return render(request, None, "alarm_link.html", e=event, where=home.property.line if home else "")


@alarm_pages.post("/alarms/{token}")
def acknowledge_by_link(request: Request, token: str, by: Annotated[str, Form(max_length=100)] = "") -> Response:
    """Acknowledge the alarm of a signed link, in the name of the link's receiver."""
    check_origin(request)
    deps, event, channel = _of_link(request, token)
    converse.acknowledge(deps, event.id, _receiver(channel, by), Way.LINK)
    return RedirectResponse(request.url.path, 303)


@alarms_api.get("/alarms", summary="List alarms")
def alarms(deps: ReadingDeps) -> list[AlarmView]:
    """Return the alarms that are not over, unacknowledged ones first."""
    return alarm_views(deps.store, board(deps))


@alarms_api.post("/alarms/{id}/{verb}", summary="Acknowledge an alarm, or end it (all-clear)")
def act(caller: MayReview, deps: Deps, id: str, verb: AlarmVerb) -> AlarmView:
    """Acknowledge an alarm, or confirm that it is over, in the caller's name; the resident is notified."""
    event = _ACTS[verb](deps, id, caller.name, Way.API)
    return alarm_view(deps.store, board(deps), event)


@alarms_api.get("/call-outs", summary="List the call-out lists")
def call_outs(deps: ReadingDeps) -> list[CallOutListView]:
    """Return who is called about emergencies, by scope and subject."""
    return [CallOutListView.show(each) for each in deps.store.call_outs()]


@alarms_api.post("/call-outs", summary="Replace the call-out lists")
def set_call_outs(caller: MayAdmin, deps: Deps, body: CallOutFile) -> list[CallOutListView]:
    """Replace all call-out lists with those of a file."""
    people, settings = caller.base.store.people, caller.base.settings
    deps.store.set_call_outs(read_call_outs(body.file, people.channels(), settings.time_zone))
    return call_outs(deps)


def _of_link(request: Request, token: str) -> tuple[ConversationDeps, EmergencyEvent, Channel]:
    """Return the alarm and the receiver of a link.

    Raises:
        NotFoundError: its signature is not ours, or its alarm or channel is gone.
        HTTPException: 410, it has expired.
    """
    site = site_of(request)
    held = read_alarm_pass(site.secret, token)
    if held is None:
        raise NotFoundError("alarm behind this link", "", "copy the whole link")
    deps = site.repairs.deps(held.org)
    channel = next((c for c in site.repairs.channels(held.org) if c.id == held.channel), None)
    event = next((e for e in deps.store.events() if e.id == held.alarm_id), None)
    if channel is None or event is None:
        raise NotFoundError("alarm behind this link", "")
    _check_time(deps, held)
    return deps, event, channel


def _check_time(deps: ConversationDeps, held: AlarmPass) -> None:
    if deps.clock.now() >= held.until:
        raise HTTPException(EXPIRED, "this link has expired; sign in, or use the link of a later notification")


def _receiver(channel: Channel, by: str) -> str:
    """Return who acknowledged by a link: an e-mail's address; of a webhook the name that came along, else its id."""
    name = " ".join(by.split())
    if any(not c.isprintable() for c in name):
        raise UsageError("a name may contain printable characters only")
    of = channel.target if channel.kind is ChannelKind.EMAIL else f"webhook {channel.id}"
    return f"{name} ({of})" if name else of
