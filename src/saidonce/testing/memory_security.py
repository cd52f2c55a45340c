"""The log of security in memory."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime

from saidonce.adapters.postgres.clean import clean, cleaned
from saidonce.foundation.model.security import SecurityEvent, SecurityFilter
from saidonce.testing.memory_people import MemoryPeople


class MemorySecurity:
    """Keeps the security log of one organisation in memory; see `saidonce.foundation.ports.security`."""

    def __init__(self, people: MemoryPeople, lock: AbstractContextManager[object], has_org: Callable[[], bool]) -> None:
        self._people = people
        self._lock = lock
        self._has_org = has_org

    def append(self, event: SecurityEvent, makes_org: bool = True) -> SecurityEvent | None:
        """Append an entry."""
        with self._lock:
            log = self._people.log
            if not (makes_org or log or self._has_org()):
                return None
            logged = cleaned(replace(event, n=len(log) + 1))
            log[logged.n] = logged
            return logged

    def events(self, asked: SecurityFilter) -> tuple[SecurityEvent, ...]:
        """Give entries, newest first; with `after` oldest first."""
        chosen = [each for each in self._people.log.values() if _matches(each, asked)]
        return tuple(chosen[: asked.limit] if asked.after is not None else chosen[::-1][: asked.limit])

    def note_key_use(self, key: str, at: datetime) -> bool:
        """Note that a key was used; tell whether it was the first time."""
        with self._lock:
            return self._people.note_key_use(clean(key), at)


def _matches(event: SecurityEvent, asked: SecurityFilter) -> bool:
    return (
        (not asked.kinds or event.kind in asked.kinds)
        and asked.person in ("", event.person)
        and asked.address in ("", event.address)
        and (asked.since is None or event.at >= asked.since)
        and (asked.until is None or event.at < asked.until)
        and (asked.before is None or event.n < asked.before)
        and (asked.after is None or event.n > asked.after)
    )
