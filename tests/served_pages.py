"""A web server of this machine that answers what a test lays down."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from responding import respond


@dataclass
class ServedPages:
    """Status, headers and body by path, and which paths were asked for, in order."""

    url: str = ""
    pages: dict[str, tuple[int, dict[str, str], bytes]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def put(self, path: str, body: str | bytes, status: int = 200, **headers: str) -> None:
        """Lay down a page; `_` in the name of a header stands for `-`."""
        content = body.encode() if isinstance(body, str) else body
        self.pages[path] = (status, {k.replace("_", "-"): v for k, v in headers.items()}, content)


@contextmanager
def served_pages() -> Iterator[ServedPages]:
    """Serve pages on a free port; a page with an `ETag` that is known already is not sent again."""
    served = ServedPages()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.asked.append(self.path)
            status, headers, body = served.pages.get(self.path, (404, {}, b"none"))
            if headers.get("ETag") and self.headers.get("If-None-Match") == headers["ETag"]:
                status, body = 304, b""
            respond(self, status, body, **headers)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    served.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
