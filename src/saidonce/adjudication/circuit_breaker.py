"""A circuit breaker: after repeated failures a service is not called for a while."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock

from saidonce.foundation.model import Failure

N_FAILURES = 5
WAIT_S = 60.0

OUTSIDE = frozenset({Failure.UNREACHABLE, Failure.TIMEOUT, Failure.REFUSED})
"""Failures that open a breaker. A malformed or contradictory reply does not: the author of a text could cause it."""


class CircuitBreaker:
    """Closed, it allows all calls; open, none; half open, one, whose result closes or opens it again.

    Args:
        n_failures: failures in a row that open it.
        wait_s: seconds until it is half open.
        clock: monotonic clock, in seconds.
    """

    def __init__(
        self, n_failures: int = N_FAILURES, wait_s: float = WAIT_S, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._n_failures = n_failures
        self._wait_s = wait_s
        self._clock = clock
        self._lock = Lock()
        self._n_failed = 0
        self._next_trial = 0.0

    def may_ask(self) -> bool:
        """Return whether a call is allowed now; half open, only one is until the wait is over again."""
        with self._lock:
            if self._n_failed < self._n_failures:
                return True
            now = self._clock()
            if now < self._next_trial:
                return False
            self._next_trial = now + self._wait_s
            return True

    def note(self, failure: Failure | None) -> None:
        """Record the result of a call."""
        with self._lock:
            if failure not in OUTSIDE:
                self._n_failed = 0
                return
            self._n_failed += 1
            if self._n_failed >= self._n_failures:
                self._next_trial = self._clock() + self._wait_s
