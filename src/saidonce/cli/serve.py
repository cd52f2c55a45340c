"""serve."""

from __future__ import annotations

from typing import Annotated

import typer

from saidonce.cli.shared import err, opened


def serve(
    host: Annotated[
        str, typer.Option(help="Address to listen on; only this machine's own until people sign in.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8765,
) -> None:
    """Serve the review pages and the API.

    Nobody has to sign in on a laptop. Once `saidonce people add` has named somebody, everybody signs in with a key.

    **Examples**

    * `saidonce serve`
    * `saidonce serve --host 0.0.0.0 --port 8080`
    """
    from saidonce.http import run

    with opened() as base:
        run(base, host, port, lambda: err.print(f"saidonce: http://{host}:{port}  (stop with Ctrl-C)"))
