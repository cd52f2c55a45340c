"""The example of a middleware does what it says."""

from __future__ import annotations

import httpx2
import pytest
from examples.gate_middleware import OnceMiddleware
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from saidonce import KnowledgeBase
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.testing import MemoryStore

COUNT = "Count the winter coats in the stock room and explain every difference from the ledger."


@pytest.mark.anyio
async def test_a_service_creates_nothing_twice_and_may_try_again() -> None:
    created: list[str] = []
    status = [500, 201, 201]

    async def create(request: Request) -> Response:
        created.append((await request.json())["text"])
        return JSONResponse({}, status[min(len(created), 3) - 1])

    with KnowledgeBase() as base:
        base._lazy.get("store", lambda: MemoryStore("test"))
        base._lazy.get("embedder", lambda: HashedEmbedder(256))
        routes = [Route("/tasks", create, methods=["POST"]), Route("/other", create, methods=["POST"])]
        app = OnceMiddleware(Starlette(routes=routes), lambda: base, {"POST": "/tasks"})
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://test") as client:
            posts = [await client.post("/tasks", json={"text": text}) for text in (COUNT, COUNT, f"{COUNT} ")]
            bad = [await client.post("/tasks", content=content) for content in (b"{", b"[]", b"x" * 2_000_000)]
            other = await client.post("/other", json={"text": COUNT})
    assert [post.status_code for post in posts] == [500, 201, 409]
    assert posts[2].json()["existing"] == COUNT
    assert [post.status_code for post in bad] == [422, 422, 413]
    assert (other.status_code, len(created)) == (201, 3)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
