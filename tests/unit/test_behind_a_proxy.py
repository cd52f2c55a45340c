"""Who a caller is behind a proxy: `X-Forwarded-For` counts where a proxy that was named says so, and nowhere else."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from saidonce.interfaces.http.server import config_of

CALLER = "203.0.113.7"


async def whoever(scope: Any, receive: Any, send: Any) -> None:
    """Answer with the address from which a request seems to come."""
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": scope["client"][0].encode()})


def seen(proxies: str, peer: str, forwarded: str) -> str:
    """The address that the application sees of a request from a peer."""
    config = config_of(whoever, ("127.0.0.1", 1), proxies)
    config.load()

    async def ask() -> str:
        transport = httpx.ASGITransport(config.loaded_app, client=(peer, 5_000))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return (await client.get("/", headers={"X-Forwarded-For": forwarded})).text

    return asyncio.run(ask())


@pytest.mark.parametrize(
    ("proxies", "peer", "forwarded", "expected"),
    [
        ("", "127.0.0.1", CALLER, "127.0.0.1"),
        ("", CALLER, "10.0.0.1", CALLER),
        ("10.0.0.9", "10.0.0.9", CALLER, CALLER),
        ("10.0.0.9, 10.1.0.0/16", "10.1.2.3", CALLER, CALLER),
        ("10.0.0.9", "10.0.0.8", CALLER, "10.0.0.8"),
        ("10.0.0.9", "10.0.0.9", f"192.0.2.1, {CALLER}", CALLER),
        ("10.0.0.0/8", "10.0.0.9", f"192.0.2.1, {CALLER}, 10.0.0.8", CALLER),
    ],
)
def test_only_a_proxy_that_was_named_says_who_comes(proxies: str, peer: str, forwarded: str, expected: str) -> None:
    """What a caller writes into the header before the proxy adds to it counts for nothing."""
    assert seen(proxies, peer, forwarded) == expected
