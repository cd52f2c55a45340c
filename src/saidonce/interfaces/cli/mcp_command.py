"""mcp."""

from __future__ import annotations

from typing import Annotated

import typer

from saidonce.foundation import extras
from saidonce.interfaces.cli.lines import clean
from saidonce.interfaces.cli.shared import err, open_base

ADDRESS = "Serve over HTTP on this loopback HOST:PORT instead, such as 127.0.0.1:8766."


def mcp(http: Annotated[str | None, typer.Option("--http", help=ADDRESS)] = None) -> None:
    """Serve the base to agents over the Model Context Protocol: search, context, get, why, propose.

    Uses standard input and output until the client disconnects; logs go to standard error.

    Over HTTP, each request needs an API key as soon as the base has people: `Authorization: Bearer so1_...`.

    **Examples**

    * `saidonce --data-dir ./base mcp`
    * `saidonce --data-dir ./base mcp --http 127.0.0.1:8766`
    """
    extras.need(extras.MCP, "serving agents")
    from saidonce.interfaces.mcp import parsed_address, serve_http, serve_stdio

    with open_base() as base:
        _ = base.store  # a mistyped folder is reported at the start, not to the first agent that asks
        if http is None:
            serve_stdio(base)
        else:
            address = parsed_address(http)
            err.print(f"serving MCP at http://{clean(http)}/mcp")
            serve_http(base, *address)
