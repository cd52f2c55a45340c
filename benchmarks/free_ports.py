"""Ports for programs that are given one by number."""

from __future__ import annotations

import socket

_held: list[socket.socket] = []


def free_port() -> int:
    """Return a port of the loopback on which nobody listens, and which the system hands to nobody while this runs.

    Both ends of a connection to it are held: a server that is told its number may still listen there, as one may that
    starts again beside the connections of its predecessor (SO_REUSEADDR, which servers set).
    """
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = int(listening.getsockname()[1])
        _held.extend((socket.create_connection(("127.0.0.1", port)), listening.accept()[0]))
    return port
