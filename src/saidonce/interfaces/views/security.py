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
    """number within the organisation; without gaps"""
    at: At
    kind: SecurityKind
    person: str
    """person; empty if nobody was authenticated"""
    address: str
    """IP address; empty on the server's own machine"""
    door: str
    """interface: command, http or mcp"""
    subject: str
    """target: a person, the id of a key, a file"""
    detail: dict[str, str]
