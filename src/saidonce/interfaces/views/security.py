"""The security log."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from saidonce.foundation.model.security import SecurityKind
from saidonce.interfaces.views.base import At, View


class SecurityEventView(View):
    """An entry of the security log."""

    DERIVED: ClassVar[Mapping[str, Callable[[Any], object]]] = {"detail": lambda event: dict(event.detail)}

    n: int
    """its number in the organisation; numbers have no gaps"""
    at: At
    kind: SecurityKind
    person: str
    """who did it; empty if nobody was recognised"""
    address: str
    """of the network; empty on the server's own machine"""
    door: str
    """where they came in: command, http or mcp"""
    subject: str
    """what it was done to: a person, the id of a key, a file"""
    detail: dict[str, str]
