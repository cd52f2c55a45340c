"""mcp."""

from __future__ import annotations

from typing import Annotated

import typer

from saidonce.foundation import extras
from saidonce.interfaces.cli.lines import clean
from saidonce.interfaces.cli.shared import err, opened

ADDRESS = "Serve over HTTP at HOST:PORT of the loopback instead, such as 127.0.0.1:8766."


def mcp(http: Annotated[str | None, typer.Option("--http", help=ADDRESS)] = None) -> None:
    """Serve the base to agents over the Model Context Protocol: search, context, get, why, propose.

    Over HTTP each request carries an API key as soon as the base has people: `Authorization: Bearer so1_...`.

    Speaks the protocol on standard input and output until the client hangs up; logs go to standard error.

    **Examples**

    * `saidonce --data-dir ./base mcp`
    * `saidonce --data-dir ./base mcp --http 127.0.0.1:8766`
    """
    extras.need(extras.MCP, "serving agents")
    from saidonce.interfaces.mcp import parsed_address, serve_http, serve_stdio

    with opened() as base:
        if http is None:
            serve_stdio(base)
        else:
            address = parsed_address(http)
            err.print(f"serving MCP at http://{clean(http)}/mcp")
            serve_http(base, *address)
