"""The dashboard's figures, summed up once for each state of a base: a page and its charts ask five times."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from saidonce.foundation.context import Context
from saidonce.kb.analytics import Analytics, analytics

GOOD_FOR_S = 60.0
"""Seconds after which figures are summed up anew though nothing was written: waiting pairs grow older."""

MOST_ORGS = 64


@dataclass
class FiguresCache:
    """Cache of the newest figures of each organisation."""

    _known: dict[str, tuple[int, float, Analytics]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def of(self, context: Context) -> Analytics:
        """Return the figures of a base as it is now; concurrent callers wait for them."""
        org = context.store.org
        with self._lock:
            rev, now = context.store.rev(), time.monotonic()
            known = self._known.get(org)
            if known is not None and known[0] == rev and now - known[1] < GOOD_FOR_S:
                return known[2]
            if len(self._known) >= MOST_ORGS:
                self._known.clear()
            figures = analytics(context)
            self._known[org] = (rev, now, figures)
        return figures
