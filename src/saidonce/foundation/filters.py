"""Room: which blocks a search may return."""

from __future__ import annotations

from datetime import datetime

from saidonce.foundation.model import Filterable, Filters


def passes(block: Filterable, filters: Filters) -> bool:
    """Tell whether a search with these filters may return a block."""
    return (
        (not filters.collections or block.collection in filters.collections)
        and (not filters.documents or not set(filters.documents).isdisjoint(block.documents))
        and (not filters.kinds or block.kind in filters.kinds)
        and (not filters.languages or block.language in filters.languages)
        and _is_within(block.authored_at, filters.since, filters.until)
    )


def _is_within(moment: datetime | None, since: datetime | None, until: datetime | None) -> bool:
    if since is None and until is None:
        return True
    if moment is None:
        return False
    return (since is None or moment >= since) and (until is None or moment <= until)
