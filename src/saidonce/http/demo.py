"""The demo's page: who to write as, the same message twice, the model off."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import RedirectResponse

from saidonce import converse
from saidonce.converse import Desk
from saidonce.errors import NotFoundError
from saidonce.http.repairs import desk_of, shown
from saidonce.http.site import Caller, allowed, check_form, site_of
from saidonce.model import Scope
from saidonce.repairs.demo import ORG_NAME, situations

demo = APIRouter(include_in_schema=False)


@demo.get("/demo")
def page(request: Request) -> Response:
    """Say what can be tried."""
    return _page(request, _caller(request), "")


@demo.post("/demo/again")
def again(request: Request, csrf: Annotated[str, Form()]) -> Response:
    """Deliver the last message twice more, as a channel may."""
    caller = _caller(request)
    check_form(request, caller, csrf)
    desk = desk_of(request, caller)
    return _page(request, caller, _delivered_again(desk))


@demo.post("/demo/model")
def switch(request: Request, csrf: Annotated[str, Form()]) -> Response:
    """Switch the model off, or on again."""
    check_form(request, _caller(request), csrf)
    model = site_of(request).repairs.model
    if model is not None:
        model.is_on = not model.is_on
    return RedirectResponse("/demo", 303)


def _caller(request: Request) -> Caller:
    if not site_of(request).is_demo:
        raise NotFoundError("page", "/demo", "'saidonce demo repairs' serves it")
    return allowed(request, Scope.ADMIN)


def _page(request: Request, caller: Caller, told: str) -> Response:
    site = site_of(request)
    found = situations(desk_of(request, caller), site.secret)
    return shown(request, caller, "demo.html", situations=found, model=site.repairs.model, org_name=ORG_NAME, told=told)


def _delivered_again(desk: Desk) -> str:
    talks = desk.store.conversations(1)
    if not talks:
        return "Nobody has written yet."
    last = desk.store.inbounds(talks[0].id)[-1]
    before = len(desk.store.inbounds(talks[0].id)), len(desk.store.issues()), len(desk.store.notices())
    for _ in range(2):
        converse.receive(desk, last)
    after = len(desk.store.inbounds(talks[0].id)), len(desk.store.issues()), len(desk.store.notices())
    names = ("messages", "issues", "notices")
    counts = ", ".join(f"{n} {name} before, {m} after" for n, m, name in zip(before, after, names, strict=True))
    return f"Message {last.message_id} came twice more: {counts}."
