"""Requests of one organisation that hang hold up that organisation alone."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.types import Receive, Scope, Send

from saidonce.interfaces.http.middleware import FairShare

KEY = "so1_{org}_" + "a" * 16 + "_" + "b" * 64


def scope(org: str, path: str = "/api/v1/search") -> Scope:
    headers = [(b"authorization", f"Bearer {KEY.format(org=org)}".encode())] if org else []
    return {"type": "http", "path": path, "headers": headers, "method": "GET", "session": {}, "query_string": b""}


class Hanging:
    """An application that hangs for one organisation until it is let go."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.n_inside = 0

    async def __call__(self, at: Scope, _receive: Receive, send: Send) -> None:
        self.n_inside += 1
        if b"acme" in dict(at["headers"]).get(b"authorization", b"acme"):
            await self.go.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})


async def statuses(door: FairShare, scopes: list[Scope]) -> list[Any]:
    sent: list[list[Any]] = [[] for _ in scopes]

    async def ask(n: int, at: Scope) -> Any:
        async def send(message: Any) -> None:
            sent[n].append(message)

        async def receive() -> Any:
            return {"type": "http.request"}

        await door(at, receive, send)
        return sent[n][0]["status"]

    return await asyncio.gather(*(ask(n, at) for n, at in enumerate(scopes)))


def test_others_go_on_while_one_organisation_hangs() -> None:
    async def story() -> None:
        app = Hanging()
        door = FairShare(app, at_once=3, wait_s=60)
        hanging = asyncio.ensure_future(statuses(door, [scope("acme")] * 10))
        await asyncio.sleep(0.05)
        assert app.n_inside == 3
        assert await asyncio.wait_for(statuses(door, [scope("other")] * 20), 5) == [200] * 20
        app.go.set()
        assert await hanging == [200] * 10
        assert door._shares == {}, "nothing is kept of organisations without requests"

    asyncio.run(story())


def test_a_request_that_waits_too_long_is_told_to_come_again() -> None:
    async def story() -> None:
        app = Hanging()
        door = FairShare(app, at_once=1, wait_s=0.05)
        hanging = asyncio.ensure_future(statuses(door, [scope("acme")] * 3))
        await asyncio.sleep(0.3)
        app.go.set()
        assert sorted(await hanging) == [200, 503, 503]

    asyncio.run(story())


def test_health_and_residents_are_never_made_to_wait() -> None:
    async def story() -> None:
        app = Hanging()
        door = FairShare(app, at_once=1, wait_s=60)
        hanging = asyncio.ensure_future(statuses(door, [scope("acme")] * 2))
        paths = ["/healthz", "/chat/abc", "/webhooks/whatsapp/acme"]
        app_free = asyncio.ensure_future(statuses(door, [scope("other", p) for p in paths]))
        assert await asyncio.wait_for(app_free, 5) == [200] * 3
        app.go.set()
        await hanging

    asyncio.run(story())
