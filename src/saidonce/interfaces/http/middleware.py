"""Authenticate before reading a request body, and limit its size."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from fastapi import HTTPException, Request, Response
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from saidonce.errors import AccessError, SaidonceError
from saidonce.interfaces.http.site import Next, caller_of
from saidonce.platform.access import org_of_key
from saidonce.platform.security_log import Acting, acting_as

MIB = 1024 * 1024

FORM_BYTES = 2 * MIB
"""Longest body of a form or an API call: the longest text that a person may write fits, however it is encoded."""

STRANGER_BYTES = 16 * 1024
"""Longest body from a person who has yet to sign in."""

READING = frozenset({"GET", "HEAD", "OPTIONS"})
OPEN = frozenset({"/sign-in"})
"""Paths open to unknown callers."""

CHAT, JOBS, WEBHOOKS = "/chat/", "/jobs/", "/webhooks/"
"""Paths of residents, contractors and channels, authenticated by a signed link or a signature."""

ALARM_LINKS = "/alarms/"
"""Paths of the receivers of notices, authenticated by a signed link."""

UPLOADS = frozenset({"/api/v1/documents", "/documents"})
"""Paths that take whole documents; the page takes several, as large together as one may be alone."""

WEBHOOK_BYTES = 4 * MIB
"""Longest post of a channel. Source: WhatsApp's documentation, payloads of up to 3 MB."""

HEALTH, METRICS = "/healthz", "/metrics"
"""Paths that programs watch: errors there are JSON, no pages."""

AT_ONCE = 16
"""Requests of one organisation that are worked on at the same time."""

SHARE_WAIT_S = 30.0
"""Longest wait of a further one."""

Failed = Callable[[Request, Exception], Response]


def known_first(failed: Failed) -> Callable[[Request, Next], Awaitable[Response]]:
    """Make the middleware that authenticates a caller before reading the body.

    Args:
        failed: answers an error of the product.
    """

    async def step(request: Request, call_next: Next) -> Response:
        if request.method not in READING and not _is_open(request.url.path):
            try:
                await run_in_threadpool(caller_of, request)
            except SaidonceError as refused:
                return await run_in_threadpool(failed, request, refused)
        return await call_next(request)

    return step


class ActsForCaller:
    """Say for each request that the program acts for its caller, so that the security log knows from where.

    Args:
        app: the application behind.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        client = scope.get("client")
        with acting_as(Acting("http", address=str(client[0]) if client else "")):
            await self._app(scope, receive, send)


class BodyLimit:
    """Refuse too long bodies with 413: at once by their declared length, else when the limit is passed.

    Args:
        app: the application behind.
        source_mb: largest source that may be ingested.
        photo_mb: largest photo of a resident.
    """

    def __init__(self, app: ASGIApp, source_mb: int, photo_mb: int) -> None:
        self._app = app
        self._source_bytes = (source_mb + 1) * MIB
        self._chat_bytes = (photo_mb + 1) * MIB

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, counting its body."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = self._limit_of(scope)
        declared = Request(scope).headers.get("content-length", "0")
        n_read = 0

        async def counted() -> Message:
            nonlocal n_read
            message = await receive()
            n_read += len(message.get("body", b""))
            if n_read > limit or not declared.isdecimal() or len(declared) > 18 or int(declared) > limit:
                raise HTTPException(413, f"the body is longer than {limit} bytes")
            return message

        await self._app(scope, counted, send)

    def _limit_of(self, scope: Scope) -> int:
        if scope["path"] in OPEN or scope["path"].startswith(ALARM_LINKS):
            return STRANGER_BYTES
        if scope["path"].startswith((CHAT, JOBS)):
            return self._chat_bytes
        if scope["path"].startswith(WEBHOOKS):
            return WEBHOOK_BYTES
        return self._source_bytes if scope["path"] in UPLOADS else FORM_BYTES


class FairShare:
    """Limit the requests of one organisation that are worked on at the same time; the others wait without a thread.

    So an organisation whose requests hang, behind a turn to write that somebody holds for instance, holds up itself
    alone. Paths of residents and their channels are not limited: nothing there waits for a turn to write.

    Args:
        app: the application behind.
        at_once: requests of one organisation at the same time.
        wait_s: longest wait of a further one, before 503.
    """

    def __init__(self, app: ASGIApp, at_once: int = AT_ONCE, wait_s: float = SHARE_WAIT_S) -> None:
        self._app = app
        self._at_once = at_once
        self._wait_s = wait_s
        self._shares: dict[str, _Share] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on as soon as its organisation has a place."""
        if scope["type"] != "http" or _is_open(scope["path"]) or scope["path"] == HEALTH:
            await self._app(scope, receive, send)
            return
        org = _claimed_org(Request(scope))
        share = self._shares.setdefault(org, _Share(asyncio.Semaphore(self._at_once)))
        share.n_requests += 1
        try:
            if await _came(share.places, self._wait_s):
                try:
                    await self._app(scope, receive, send)
                finally:
                    share.places.release()
            else:
                message = {"error": "Busy", "message": "too many concurrent requests of this organisation; try again"}
                await JSONResponse(message, 503, {"Retry-After": "5"})(scope, receive, send)
        finally:
            share.n_requests -= 1
            if not share.n_requests:
                self._shares.pop(org, None)


@dataclass
class _Share:
    """The places of one organisation, and how many requests hold one or wait for one."""

    places: asyncio.Semaphore
    n_requests: int = 0


async def _came(places: asyncio.Semaphore, wait_s: float) -> bool:
    try:
        await asyncio.wait_for(places.acquire(), wait_s)
    except TimeoutError:
        return False
    return True


def _claimed_org(request: Request) -> str:
    """Return the organisation that a key or a session names, not yet verified; empty without."""
    presented = request.headers.get("authorization", "").rpartition(" ")[2]
    try:
        return org_of_key(presented.strip())
    except AccessError:
        return str(request.session.get("org", ""))


def _is_open(path: str) -> bool:
    return path in OPEN or path.startswith((CHAT, JOBS, WEBHOOKS, ALARM_LINKS))
