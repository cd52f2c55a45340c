"""Adapter: single sign-on by OpenID Connect; needs the extra `oidc`."""

from saidonce.signin.oidc import Identity, OidcProvider

__all__ = ["Identity", "OidcProvider"]
