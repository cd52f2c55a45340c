"""Signing in and out: by an API key, or with an organisation's own issuer (OpenID Connect)."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import RedirectResponse

from saidonce.errors import AccessError, NotFoundError, SlowedDownError
from saidonce.foundation.settings.policy import Settings
from saidonce.interfaces.http.pages import render
from saidonce.interfaces.http.site import begin_session, caller_of, check_form, end_session, sign_in, site_of
from saidonce.platform import access
from saidonce.platform.security_log import record_refusal
from saidonce.platform.sign_in import open_provider

if TYPE_CHECKING:
    from saidonce.platform.sign_in import OidcProvider

sign_in_pages = APIRouter(include_in_schema=False)

CALLBACK = "/oidc/callback"


@sign_in_pages.get("/sign-in")
def sign_in_page(request: Request) -> Response:
    """Ask for an API key, or for single sign-on."""
    request.session.setdefault("csrf", secrets.token_urlsafe(24))
    has_oidc = bool(site_of(request).base.settings.oidc_issuer)
    return render(request, None, "sign_in.html", token=request.session["csrf"], has_oidc=has_oidc, message="")


@sign_in_pages.post("/sign-in")
def sign_in_form(request: Request, csrf: Annotated[str, Form()], key: Annotated[str, Form()]) -> Response:
    """Begin a session."""
    token = str(request.session.get("csrf", ""))
    if not token or not secrets.compare_digest(token.encode(), csrf.encode()):
        return RedirectResponse("/sign-in", 303)
    try:
        sign_in(request, key)
    except SlowedDownError as slowed:
        page = render(request, None, "sign_in.html", 429, token=token, has_oidc=False, message=str(slowed))
        page.headers["Retry-After"] = str(max(1, round(slowed.wait_s)))
        return page
    except AccessError as refused:
        return render(request, None, "sign_in.html", 401, token=token, has_oidc=False, message=str(refused))
    return RedirectResponse("/", 303)


@sign_in_pages.post("/sign-out")
def sign_out(request: Request, csrf: Annotated[str, Form()]) -> Response:
    """End the session, and have the browser forget what it kept of the pages."""
    check_form(request, caller_of(request), csrf)
    end_session(request)
    return RedirectResponse("/sign-in", 303, {"Clear-Site-Data": '"cache", "storage"'})


@sign_in_pages.get("/oidc/begin")
def begin(request: Request) -> Response:
    """Send the browser to the issuer."""
    url, state = _provider(site_of(request).base.settings).begin()
    request.session["oidc"] = state
    return RedirectResponse(url, 303)


@sign_in_pages.get("/oidc/callback")
def finish(request: Request) -> Response:
    """Take the browser back from the issuer, and begin a session."""
    site = site_of(request)
    state = request.session.pop("oidc", None)
    if not isinstance(state, dict):
        raise AccessError("a sign-in", "no sign-in was started in this browser")
    identity = _provider(site.base.settings).finish(state, dict(request.query_params))
    try:
        principal = access.authenticate_subject(site.base.store, identity.subject, identity.email, datetime.now(UTC))
    except AccessError as refused:
        record_refusal(site.base.store, datetime.now(UTC), refused.reason, subject=identity.subject)
        raise
    begin_session(request, site.base, principal.person.name)
    return RedirectResponse("/", 303)


def _provider(settings: Settings) -> OidcProvider:
    if not settings.oidc_issuer or not settings.public_url:
        raise NotFoundError("single sign-on", "/oidc", "set oidc_issuer and public_url, or sign in with a key")
    return _cached_provider(
        settings.oidc_issuer, settings.oidc_client_id, settings.oidc_client_secret, settings.public_url
    )


@lru_cache(maxsize=4)
def _cached_provider(issuer: str, client_id: str, client_secret: str, public_url: str) -> OidcProvider:
    return open_provider(issuer, client_id, client_secret, public_url.rstrip("/") + CALLBACK)
