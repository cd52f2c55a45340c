"""Resources opened at most once, on first use, and closed in reverse order."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Resources:
    """Open resources, by name; for several threads."""

    opened: dict[str, Any] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)

    def get(self, name: str, make: Callable[[], Any]) -> Any:
        """Return the resource of a name, opening it on first use."""
        with self.lock:
            if name not in self.opened:
                self.opened[name] = make()
            return self.opened[name]

    def close(self) -> None:
        """Close all resources that can be closed, in reverse order."""
        for thing in reversed(list(self.opened.values())):
            if hasattr(thing, "close"):
                thing.close()
        self.opened.clear()
