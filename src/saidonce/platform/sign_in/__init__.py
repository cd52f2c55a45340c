"""Adapter: single sign-on by OpenID Connect; needs the extra `oidc`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from saidonce.errors import SettingsError
from saidonce.foundation import extras

if TYPE_CHECKING:
    from saidonce.platform.sign_in.oidc import IssuerIdentity, OidcProvider

__all__ = ["IssuerIdentity", "OidcProvider", "open_provider"]


def open_provider(issuer: str, client_id: str, client_secret: str, redirect_uri: str) -> OidcProvider:
    """Return the provider of the configured issuer, without connecting yet.

    Raises:
        SettingsError: the issuer or the client is malformed, or the extra is not installed.
    """
    try:
        from saidonce.platform.sign_in.oidc import OidcProvider  # noqa: PLC0415  an extra, imported only when it is configured
    except ImportError as missing:
        allowed = f"empty, or {extras.command('oidc')} ({missing.name} is missing)"
        raise SettingsError("oidc_issuer", issuer, allowed) from missing
    return OidcProvider(issuer, client_id, client_secret, redirect_uri)
