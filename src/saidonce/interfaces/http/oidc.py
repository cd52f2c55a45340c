"""Signing in with an organisation's own issuer (OpenID Connect)."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from saidonce.errors import AccessError, NotFoundError
from saidonce.foundation.settings.policy import Settings
from saidonce.interfaces.http.site import begin_session, site_of
from saidonce.platform import access
from saidonce.platform.sign_in import open_provider

if TYPE_CHECKING:
    from saidonce.platform.sign_in import OidcProvider

oidc = APIRouter(prefix="/oidc", include_in_schema=False)

CALLBACK = "/oidc/callback"


@oidc.get("/begin")
def begin(request: Request) -> Response:
    """Send the browser to the issuer."""
    url, state = _provider(site_of(request).base.settings).begin()
    request.session["oidc"] = state
    return RedirectResponse(url, 303)


@oidc.get("/callback")
def finish(request: Request) -> Response:
    """Take the browser back from the issuer, and begin a session."""
    site = site_of(request)
    state = request.session.pop("oidc", None)
    if not isinstance(state, dict):
        raise AccessError("a sign-in", "none was begun in this browser")
    identity = _provider(site.base.settings).finish(state, dict(request.query_params))
    principal = access.authenticate_subject(site.base.store, identity.subject, identity.email, datetime.now(UTC))
    begin_session(request, site.base.settings.org, principal.person.name)
    return RedirectResponse("/queue", 303)


def _provider(settings: Settings) -> OidcProvider:
    if not settings.oidc_issuer or not settings.public_url:
        raise NotFoundError("single sign-on", "/oidc", "set oidc_issuer and public_url, or sign in with a key")
    return _opened(settings.oidc_issuer, settings.oidc_client_id, settings.oidc_client_secret, settings.public_url)


@lru_cache(maxsize=4)
def _opened(issuer: str, client_id: str, client_secret: str, public_url: str) -> OidcProvider:
    return open_provider(issuer, client_id, client_secret, public_url.rstrip("/") + CALLBACK)
