"""What a server of a test sends back."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler


def respond(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    """Send a whole answer with its length; `_` in the name of a header stands for `-`."""
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)
