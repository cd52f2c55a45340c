"""The demo's page: who to write as, the same message twice, the model off."""

from __future__ import annotations

import secrets
from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import RedirectResponse

from saidonce.errors import AccessError, NotFoundError
from saidonce.foundation.model import Scope
from saidonce.interfaces.http.repairs import deps_of, render_repairs
from saidonce.interfaces.http.site import Caller, authorise, check_form, site_of
from saidonce.interfaces.http.webhooks import keep_post
from saidonce.repairs.channels import cloud
from saidonce.repairs.demo import ORG_NAME, next_text, personas, whatsapp_post

demo = APIRouter(include_in_schema=False)


@demo.get("/demo")
def page(request: Request) -> Response:
    """Show what can be tried."""
    return _page(request, _caller(request), "")


@demo.post("/demo/whatsapp")
def whatsapp(
    request: Request, csrf: Annotated[str, Form()], text: Annotated[str, Form(max_length=1_000)] = ""
) -> Response:
    """Post one WhatsApp message twice: signed, read and stored like any post."""
    caller = _caller(request)
    check_form(request, caller, csrf)
    if not text.strip():
        return _page(request, caller, "Write something first; nothing was posted.")
    deps = deps_of(request)
    settings = site_of(request).base.settings
    name = f"wamid.demo.{secrets.token_hex(8)}"
    body = whatsapp_post(name, text.strip(), deps.clock.now())
    signed = cloud.signature(settings.whatsapp_app_secret, body)
    for _ in range(2):
        keep_post(request, deps.store.org, lambda: cloud.read(body, signed, settings, deps.clock.now()))
    n = sum(i.message_id == name for c in deps.store.conversations(20) for i in deps.store.inbounds(c.id))
    times = "once" if n == 1 else f"{n} times"
    return _page(request, caller, f"Two posts of message {name} came in; it is kept {times}.")


@demo.post("/demo/model")
def switch(request: Request, csrf: Annotated[str, Form()]) -> Response:
    """Switch the model off, or on again."""
    check_form(request, _caller(request), csrf)
    model = site_of(request).repairs.model
    if model is not None:
        model.is_on = not model.is_on
    return RedirectResponse("/demo", 303)


def _caller(request: Request) -> Caller:
    site = site_of(request)
    if not site.is_demo:
        raise NotFoundError("page", "/demo", "'saidonce demo repairs' serves it")
    caller = authorise(request, Scope.ADMIN, Scope.RESIDENTS)
    if caller.base is not site.base:
        raise AccessError(
            "a key of the server's own organisation", "the model is switched for all organisations", is_known=True
        )
    return caller


def _page(request: Request, caller: Caller, message: str) -> Response:
    site, deps = site_of(request), deps_of(request)
    return render_repairs(
        request, caller, "demo.html", situations=personas(deps, site.secret), model=site.repairs.model,
        org_name=ORG_NAME, message=message, text=next_text(deps),
    )  # fmt: skip
