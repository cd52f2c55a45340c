"""Bounds of what is asked of a gate over HTTP: words of one request, and time of work for each key."""

from __future__ import annotations

import hashlib
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from fastapi import HTTPException, Request

from saidonce.foundation.model import Submission
from saidonce.interfaces.http.site import Caller

TOO_LARGE, TOO_MANY = 413, 429
MOST_KEYS = 10_000
"""Keys whose use is remembered; the one that was not used for longest is forgotten first, and begins anew."""

MINUTE_S = 60.0


@dataclass
class WorkAllowance:
    """Time that was worked for each key: it may work as long as its share of a minute is not used up.

    What a key has used wears off evenly. A request that was begun is finished, and what it took beyond the share is
    owed: the next ones wait for it.

    Attributes:
        monotonic: seconds that pass; not those of a calendar.
    """

    monotonic: Callable[[], float] = time.monotonic
    _used: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def wait_s(self, key: str, per_minute_s: float) -> float:
        """Return how long a key has to wait for its next request; 0 if not at all."""
        with self._lock:
            over = self._used_by(key, per_minute_s) - per_minute_s
        return max(0.0, over) * MINUTE_S / per_minute_s

    def charge(self, key: str, worked_s: float, per_minute_s: float) -> None:
        """Note work that was done for a key."""
        with self._lock:
            self._used[key] = (self._used_by(key, per_minute_s) + worked_s, self.monotonic())
            self._used.move_to_end(key)
            while len(self._used) > MOST_KEYS:
                self._used.popitem(last=False)

    def _used_by(self, key: str, per_minute_s: float) -> float:
        used, at = self._used.get(key, (0.0, 0.0))
        return max(0.0, used - (self.monotonic() - at) * per_minute_s / MINUTE_S)


@contextmanager
def within_bounds(request: Request, caller: Caller, submissions: Iterable[Submission]) -> Iterator[None]:
    """Work on submissions, if they are short enough and their key has time left; what it takes is noted.

    Raises:
        HTTPException: 413, more words than a request may have; 429, the key has used its time up.
    """
    settings = caller.base.settings
    check_words(submissions, settings.gate_max_words)
    per_minute_s = settings.gate_seconds_per_minute
    if not per_minute_s:
        yield
        return
    allowance: WorkAllowance = request.app.state.gate_work
    key = _key_of(request, caller)
    if (wait_s := allowance.wait_s(key, per_minute_s)) > 0:
        seconds = math.ceil(wait_s)
        raise HTTPException(
            TOO_MANY,
            f"this key has used up its {per_minute_s:g} s of gate work per minute (setting"
            f" gate_seconds_per_minute); retry in {seconds} s",
            {"Retry-After": str(seconds)},
        )
    begun = allowance.monotonic()
    try:
        yield
    finally:
        allowance.charge(key, allowance.monotonic() - begun, per_minute_s)


def check_words(submissions: Iterable[Submission], most: int) -> None:
    """Check that the submissions of one request have no more words than they may; 0 does not limit.

    Raises:
        HTTPException: 413, they have; it names the first with which it is too much, counted from 0.
    """
    n_words = 0
    for place, each in enumerate(submissions):
        n_words += sum(len(part.split()) for part in (each.title, each.text, *(value for _, value in each.fields)))
        if most and n_words > most:
            raise HTTPException(
                TOO_LARGE,
                f"submissions[{place}]: the request has {n_words} words up to here; at most {most} are compared at once"
                " (setting gate_max_words); shorten it, or send fewer submissions per request",
            )


def _key_of(request: Request, caller: Caller) -> str:
    """Return a name for a key that does not tell the key; a session goes by its person."""
    sent = request.headers.get("authorization", "")
    org, name = caller.base.settings.org, caller.name
    return hashlib.sha256("\0".join((org, name, sent)).encode()).hexdigest()
