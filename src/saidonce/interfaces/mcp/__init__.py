"""The Model Context Protocol: agents search, read, ask why, and propose texts; every failure has a code.

The package is `saidonce.interfaces.mcp`; the SDK that it stands on is `mcp`.
"""

from saidonce.interfaces.mcp.server import parsed_address, serve_http, serve_stdio

__all__ = ["parsed_address", "serve_http", "serve_stdio"]
