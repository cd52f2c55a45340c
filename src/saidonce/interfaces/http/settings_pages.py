"""Pages of administration: settings, people with their keys, and the sources that collections are kept in step with."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request, Response
from fastapi.responses import RedirectResponse

from saidonce.app.syncing import SyncWish
from saidonce.errors import UsageError
from saidonce.foundation.model import SCOPES_OF, Role, Scope
from saidonce.foundation.settings.origins import OriginKind
from saidonce.interfaces.http.pages import render
from saidonce.interfaces.http.site import MAY_LAG, Caller, authorise, check_form
from saidonce.interfaces.http.sources import syncs_for
from saidonce.interfaces.views.listed_settings import listed_settings
from saidonce.platform import access

settings_pages = APIRouter(include_in_schema=False)

Word = Annotated[str, Query(max_length=200)]
Name = Annotated[str, Form(max_length=200)]
Token = Annotated[str, Form()]


@settings_pages.get("/settings")
def settings(request: Request, q: Word = "", only: Word = "") -> Response:
    """Show settings with their value, unit, meaning and origin; of secrets only whether they are set."""
    caller = authorise(request, Scope.ADMIN)
    words = q.casefold().split()
    listed = listed_settings(caller.base.settings)
    rows = [s for s in listed.rows if all(w in f"{s.name} {s.help}".casefold() for w in words)]
    if only == "set":
        rows = [s for s in rows if s.origin is not OriginKind.DEFAULT]
    return render(request, caller, "settings.html", rows=rows, left_out=listed.left_out, q=q, only=only == "set")


@settings_pages.get("/people")
def people(request: Request) -> Response:
    """Show people with their roles and keys."""
    return _people_page(request, authorise(request, Scope.ADMIN))


def _people_page(request: Request, caller: Caller, **values: Any) -> Response:
    store = caller.base.store
    return render(
        request, caller, "people.html", people=store.people.people(), keys=store.people.keys(), roles=list(Role),
        now=datetime.now(UTC), **values,
    )  # fmt: skip


@settings_pages.post("/people")
def add(
    request: Request, csrf: Token, name: Name, email: Annotated[str, Form(max_length=320)] = "", role: Name = "reviewer"
) -> Response:
    """Add a person; from the first one on everybody signs in, so that the first gets a key at once."""
    caller = _admin(request, csrf)
    store, now = caller.base.store, datetime.now(UTC)
    is_first = not store.people.people()
    if is_first and _role(role) is not Role.OWNER:
        raise UsageError("the first person must be an owner; nobody else could add more people")
    access.add_person(store, name, email, _role(role), now)
    if not is_first:
        return RedirectResponse("/people", 303)
    _, presented = access.make_key(store, name, "", sorted(Scope), now, secrets.token_bytes)
    return _people_page(request, caller, presented=presented, of=name)


@settings_pages.post("/people/{name}/{verb}")
def change(request: Request, name: str, verb: str, csrf: Token, role: Name = "", label: Name = "") -> Response:
    """Change a person's role, note that they left, or make a key for them, which is shown this once."""
    caller = _admin(request, csrf)
    store, now = caller.base.store, datetime.now(UTC)
    match verb:
        case "role":
            access.change_role(store, name, _role(role), now)
        case "leave":
            access.leave(store, name, now)
        case "key":
            person = store.people.person(name)
            scopes = sorted(SCOPES_OF[person.role]) if person is not None else list(Scope)
            _, presented = access.make_key(store, name, label, scopes, now, secrets.token_bytes)
            return _people_page(request, caller, presented=presented, of=name)
        case _:
            raise UsageError(f"action must be role, leave or key, not {verb[:40]!r}")
    return RedirectResponse("/people", 303)


@settings_pages.post("/keys/{id}/revoke")
def revoke(request: Request, id: str, csrf: Token) -> Response:
    """Revoke a key, and end the sessions that were started with it."""
    caller = _admin(request, csrf)
    access.revoke(caller.base.store, id, datetime.now(UTC))
    return RedirectResponse("/people", 303)


@settings_pages.get("/sources", dependencies=MAY_LAG)
def sources(request: Request) -> Response:
    """Show the sources and the results of their last runs."""
    caller = authorise(request, Scope.READ)
    return render(
        request, caller, "sources.html", sources=caller.base.syncs.sources(), may_write=caller.may(Scope.WRITE),
        usual=caller.base.settings.collection,
    )  # fmt: skip


@settings_pages.post("/sources")
def add_source(
    request: Request,
    csrf: Token,
    address: Annotated[str, Form(max_length=2_000)],
    collection: Name = "",
    every_minutes: Annotated[float, Form(ge=0, le=527_040)] = 60.0,
    prune: Name = "",
) -> Response:
    """Add a source for the worker to run."""
    caller = _admin(request, csrf)
    wish = SyncWish(address.strip(), collection.strip(), prune=prune == "yes", every_s=60 * every_minutes)
    syncs = syncs_for(caller)
    syncs.hurry(syncs.add(wish))
    return RedirectResponse("/sources", 303)


@settings_pages.post("/sources/{id}/{verb}")
def change_source(request: Request, id: str, verb: str, csrf: Token) -> Response:
    """Have a worker run a source now, or stop keeping it in step; its documents stay."""
    caller = authorise(request, Scope.ADMIN if verb == "remove" else Scope.WRITE)
    check_form(request, caller, csrf)
    syncs = syncs_for(caller)
    source = syncs.find(id)
    match verb:
        case "run":
            syncs.hurry(source)
        case "remove":
            syncs.remove(source)
        case _:
            raise UsageError(f"action must be run or remove, not {verb[:40]!r}")
    return RedirectResponse("/sources", 303)


def _admin(request: Request, csrf: str) -> Caller:
    caller = authorise(request, Scope.ADMIN)
    check_form(request, caller, csrf)
    return caller


def _role(written: str) -> Role:
    if written not in list(Role):
        raise UsageError(f"role must be one of {', '.join(Role)}, not {written[:40]!r}")
    return Role(written)
