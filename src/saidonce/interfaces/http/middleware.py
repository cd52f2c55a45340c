"""Authenticate before reading a request body, and limit its size."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from fastapi import HTTPException, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from saidonce.errors import SaidonceError
from saidonce.interfaces.http.site import Next, caller_of

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

WEBHOOK_BYTES = 4 * MIB
"""Longest post of a channel. Source: WhatsApp's documentation, payloads of up to 3 MB."""

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
        if scope["path"] in OPEN:
            return STRANGER_BYTES
        if scope["path"].startswith((CHAT, JOBS)):
            return self._chat_bytes
        if scope["path"].startswith(WEBHOOKS):
            return WEBHOOK_BYTES
        return self._source_bytes if scope["path"] == "/api/v1/documents" else FORM_BYTES


def _is_open(path: str) -> bool:
    return path in OPEN or path.startswith((CHAT, JOBS, WEBHOOKS))
