"""Door: review pages and API over HTTP."""

from saidonce.interfaces.http.server import create_app, run

__all__ = ["create_app", "run"]
