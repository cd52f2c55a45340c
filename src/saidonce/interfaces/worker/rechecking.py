"""When a worker asks an auto-rater again whether it stands by a clear: often at first, ever more rarely later."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timedelta

from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.foundation.model import GateVerdict
from saidonce.gate import Rechecked, clears_since

ROUND = timedelta(minutes=5)
"""Between two rounds over the clears of an organisation."""

SHARE = 4
"""A clear is looked at again after a quarter of its age, and after a round at least."""

MOST_AT_ONCE = 200
"""Clears that one round asks about; the next one goes on with those asked about longest ago."""


class Rechecking:
    """Looks again at the clears of organisations, whose times it remembers in this process."""

    def __init__(self, hours: float) -> None:
        self._window = timedelta(hours=hours)
        self._lock = threading.Lock()
        self._rounds: dict[str, datetime] = {}
        self._asked: dict[str, datetime] = {}

    def due(self, org: str, now: datetime) -> bool:
        """Return whether the next round over an organisation is due, and count it as begun."""
        with self._lock:
            if not self._window or now - self._rounds.get(org, datetime.min.replace(tzinfo=now.tzinfo)) < ROUND:
                return False
            self._rounds[org] = now
            return True

    def run(self, base: KnowledgeBase, is_stopping: Callable[[], bool]) -> Rechecked | None:
        """Ask about the clears that are due; None where no judge can be asked."""
        if not base.held.can_recheck():
            return None
        now = base.base.clock.now()
        clears = [v for v in clears_since(base.base, "", now - self._window) if self._is_due(v, now)]
        clears.sort(key=lambda v: (self._asked.get(v.id, v.at), v.id))
        done = Rechecked(0, 0, ())
        for verdict in clears[:MOST_AT_ONCE]:
            if is_stopping():
                break
            one = base.held.recheck_all([verdict])
            self._asked[verdict.id] = base.base.clock.now()
            done = Rechecked(
                done.n_stand + one.n_stand, done.n_unknown + one.n_unknown, (*done.retracted, *one.retracted)
            )
        self._forget(now)
        return done

    def _is_due(self, verdict: GateVerdict, now: datetime) -> bool:
        last_asked_at = self._asked.get(verdict.id, verdict.at)
        return now - last_asked_at >= max(ROUND, (last_asked_at - verdict.at) / SHARE)

    def _forget(self, now: datetime) -> None:
        """Drop the times of clears that are too old to be asked about."""
        self._asked = {id_: at for id_, at in self._asked.items() if now - at < self._window}
