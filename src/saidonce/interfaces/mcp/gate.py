"""Who may call the tools over HTTP: as soon as people work with the base, whoever has a key of theirs."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.errors import AccessError, SaidonceError, SlowedDownError, StoreError
from saidonce.foundation.model import Scope as KeyScope
from saidonce.platform import access
from saidonce.platform.access import Principal
from saidonce.platform.attempts import Attempts, is_worth_noting
from saidonce.platform.security_log import Acting, acting_as, record_refusal

PRINCIPAL = "saidonce.principal"
"""Where a request keeps who asks."""


class KeyGate:
    """Ask for an API key of the base's organisation, with the scope `read`, once the base has people.

    Args:
        app: the server behind.
        base: whose tools are served.
    """

    def __init__(self, app: ASGIApp, base: KnowledgeBase) -> None:
        self._app = app
        self._base = base
        self._attempts = Attempts()
        self._has_people = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, with who asks."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        client = scope.get("client")
        with acting_as(Acting("mcp", address=str(client[0]) if client else "")) as who:
            try:
                principal = await anyio.to_thread.run_sync(self._identify, Request(scope), who.address)
            except SaidonceError as refused:
                await _answer(refused)(scope, receive, send)
                return
            await self._app({**scope, PRINCIPAL: principal}, receive, send)

    def _identify(self, request: Request, address: str) -> Principal | None:
        store = self._base.store
        self._has_people = self._has_people or bool(store.people.people())
        if not self._has_people:
            return None
        kind, _, presented = request.headers.get("authorization", "").partition(" ")
        presented = presented.strip() if kind.lower() == "bearer" else ""
        if wait_s := self._attempts.wait_s(address, presented, time.monotonic()):
            raise SlowedDownError(wait_s)
        try:
            principal = access.authenticate(store, presented, datetime.now(UTC))
        except AccessError as refused:
            n = self._attempts.failed(address, time.monotonic())
            if is_worth_noting(n):
                record_refusal(store, datetime.now(UTC), refused.reason, attempts=n)
            raise
        self._attempts.worked(address, presented)
        access.require(principal, KeyScope.READ)
        return principal


def check_may_write(request: Request | None) -> None:
    """Refuse a call that writes by a key that may not.

    Raises:
        AccessError: the key lacks the scope `write`.
    """
    principal: Principal | None = request.scope.get(PRINCIPAL) if request is not None else None
    if principal is not None:
        access.require(principal, KeyScope.WRITE)


def _answer(refused: SaidonceError) -> JSONResponse:
    message = {"error": type(refused).__name__.removesuffix("Error"), "message": str(refused)}
    if isinstance(refused, SlowedDownError):
        return JSONResponse(message, 429, {"Retry-After": str(max(1, round(refused.wait_s)))})
    if isinstance(refused, StoreError):
        return JSONResponse(message, 503, {"Retry-After": "5"})
    if isinstance(refused, AccessError) and refused.is_known:
        return JSONResponse(message, 403)
    return JSONResponse(message, 401, {"WWW-Authenticate": 'Bearer realm="saidonce"'})
