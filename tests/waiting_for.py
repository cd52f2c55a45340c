"""Waiting for what another thread or process does; how long it may take is no property of the product."""

from __future__ import annotations

import time
from collections.abc import Callable

MOST_S = 240.0
"""Less than the time limit of a test, so that what was waited for is named."""


def eventually(is_so: Callable[[], object], otherwise: str = "it never happened") -> None:
    """Wait until something is so."""
    until = time.monotonic() + MOST_S
    while not is_so():
        if time.monotonic() > until:
            raise AssertionError(otherwise)
        time.sleep(0.02)
