"""Room: bounds on dates, where documents share blocks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from saidonce.foundation.model import Filters, StoredDocument


def by_dated_documents(filters: Filters, documents: Iterable[StoredDocument]) -> Filters:
    """Return filters that ask for documents within the bounds on dates instead of blocks.

    A block has the earliest date of its documents. Where documents share blocks, one that is stated unchanged by an
    older document would be left out, although a document within the bounds states it.

    Args:
        filters: with a bound on dates.
        documents: of the searched collections, which are all canonical.
    """
    dated = {d.name for d in documents if d.authored_at is not None and _is_within(d.authored_at, filters)}
    if filters.documents:
        dated &= set(filters.documents)
    if not dated:  # no block has a date within the bounds either
        return filters
    return replace(filters, documents=tuple(sorted(dated)), since=None, until=None)


def _is_within(moment: datetime, filters: Filters) -> bool:
    after = filters.since is None or moment >= filters.since
    return after and (filters.until is None or moment <= filters.until)
