"""Ports for programs that are given one by number."""

from __future__ import annotations

import socket


def free_port() -> int:
    """Return a port of the loopback on which nobody listens, and which the system hands to nobody while this runs.

    Both ends of a connection to it stay open until this program ends: a server that is told its number may still listen
    there, as one may that starts again beside the connections of its predecessor (SO_REUSEADDR, which servers set).
    """
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = int(listening.getsockname()[1])
        socket.create_connection(("127.0.0.1", port)).detach()
        listening.accept()[0].detach()
    return port
