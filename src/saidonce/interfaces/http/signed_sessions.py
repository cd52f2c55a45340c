"""Sessions in cookies, signed by HMAC-SHA-256 where Starlette's own are by HMAC-SHA-1."""

from __future__ import annotations

import hashlib

from itsdangerous import TimestampSigner
from starlette.middleware.sessions import SessionMiddleware
from starlette.types import ASGIApp


class SignedSessions(SessionMiddleware):
    """Keep a session in a signed cookie that no other site's form brings along.

    Args:
        app: the application behind.
        secret_key: of the server.
        session_cookie: name of the cookie.
        max_age: seconds without use after which it is no good.
        https_only: browsers send it over https alone.
    """

    def __init__(self, app: ASGIApp, secret_key: str, session_cookie: str, max_age: int, https_only: bool) -> None:
        super().__init__(app, secret_key, session_cookie, max_age, same_site="lax", https_only=https_only)
        self.signer = session_signer(secret_key)


def session_signer(secret: str) -> TimestampSigner:
    """Return what signs the cookies of sessions, with their moment."""
    return TimestampSigner(secret, digest_method=hashlib.sha256)
