"""Room: filters of a search."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from saidonce.foundation.model import Filters, Kind


class Filterable(Protocol):
    """Block properties used by filters."""

    @property
    def collection(self) -> str: ...  # noqa: D102

    @property
    def documents(self) -> tuple[str, ...]: ...  # noqa: D102

    @property
    def kind(self) -> Kind: ...  # noqa: D102

    @property
    def language(self) -> str: ...  # noqa: D102

    @property
    def authored_at(self) -> datetime | None: ...  # noqa: D102


def passes(block: Filterable, filters: Filters) -> bool:
    """Return whether a block passes the filters."""
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
