"""The gate in front of an HTTP service of your own: `POST /tasks` creates nothing twice.

    pip install saidonce uvicorn
    uvicorn examples.gate_middleware:app

    curl -d '{"text": "Count the winter coats."}' -H 'Content-Type: application/json' localhost:8000/tasks  # 201
    curl -d '{"text": "Count the winter coats!"}' -H 'Content-Type: application/json' localhost:8000/tasks  # 409

The middleware is plain ASGI, so it fits Starlette, FastAPI, Litestar, Quart and Django alike. It reads the body of
requests that it guards, asks the gate, and answers for the service if something may not be created: 409 with what
exists already, or 202 with the verdict while a person or a judge decides. If the service fails, what it was to create
is released again.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from saidonce import KnowledgeBase
from saidonce.errors import UsageError
from saidonce.interfaces.integrations import GateAnswer, gate_answers, submission_of

MOST_BYTES = 1_000_000
STATUS = {"repeat": 409, "held": 202, "pending": 202}


class OnceMiddleware:
    """Asks the gate before a request creates something.

    Args:
        app: the service.
        base: opens the knowledge base, at the first request that needs it.
        creates: the path that creates, by method: `{"POST": "/tasks"}`.
        gate: name of the gate.
    """

    def __init__(
        self, app: ASGIApp, base: Callable[[], KnowledgeBase], creates: Mapping[str, str], gate: str = "main"
    ) -> None:
        self._app = app
        self._base = base
        self._creates = creates
        self._gate = gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, unless it would create what is there already."""
        if scope["type"] != "http" or self._creates.get(scope["method"]) != scope["path"]:
            await self._app(scope, receive, send)
            return
        body = await _body(receive)
        if body is None:
            await JSONResponse({"error": f"at most {MOST_BYTES} bytes"}, 413)(scope, receive, send)
            return
        try:
            answer = await asyncio.to_thread(self._asked, body)
        except (ValueError, UsageError) as bad:
            await JSONResponse({"error": str(bad)}, 422)(scope, receive, send)
            return
        if not answer.may_create:
            await JSONResponse(answer.as_dict(), STATUS[answer.state])(scope, receive, send)
            return
        await self._created(scope, body, send, answer)

    def _asked(self, body: bytes) -> GateAnswer:
        return gate_answers(self._base(), self._gate, [submission_of(json.loads(body))])[0]

    async def _created(self, scope: Scope, body: bytes, send: Send, answer: GateAnswer) -> None:
        """Let the service create it, and release it if that fails."""
        statuses: list[int] = []

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])
            await send(message)

        try:
            await self._app(scope, _replayed(body), noted)
        finally:
            if not statuses or statuses[0] >= 400:
                await asyncio.to_thread(self._released, answer)

    def _released(self, answer: GateAnswer) -> None:
        self._base().gate(self._gate).release(answer.verdict, "middleware", "the service did not create it")


async def _body(receive: Receive) -> bytes | None:
    """Return the whole body of a request; None if it is too large."""
    body: bytes = b""
    while True:
        message = await receive()
        part: bytes = message.get("body", b"")
        body += part
        if len(body) > MOST_BYTES:
            return None
        if not message.get("more_body", False):
            return body


def _replayed(body: bytes) -> Receive:
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


TASKS: list[dict[str, Any]] = []


async def create_task(request: Request) -> Response:
    """Create a task: the service itself, which knows nothing of the gate."""
    task = {"id": len(TASKS) + 1, **await request.json()}
    TASKS.append(task)
    return JSONResponse(task, 201)


class Standing:
    """One knowledge base of the settings, opened when it is first needed."""

    def __init__(self) -> None:
        self._base: KnowledgeBase | None = None

    def __call__(self) -> KnowledgeBase:
        """Return the open base."""
        self._base = self._base or KnowledgeBase()
        return self._base


app = OnceMiddleware(Starlette(routes=[Route("/tasks", create_task, methods=["POST"])]), Standing(), {"POST": "/tasks"})
