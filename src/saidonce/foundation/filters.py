"""Room: filters of a search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from datetime import datetime
from functools import lru_cache
from operator import attrgetter
from typing import Any

from saidonce.foundation.model import Filterable, Filters


def passes(block: Filterable, filters: Filters) -> bool:
    """Return whether a block passes the filters."""
    return all(
        not values.isdisjoint(value if isinstance(value := get(block), tuple) else (value,))
        for get, values in _restrictions(filters)
    ) and _is_within(block.authored_at, filters.since, filters.until)


@lru_cache(maxsize=64)
def _restrictions(filters: Filters) -> tuple[tuple[Callable[[Filterable], Any], frozenset[str]], ...]:
    """Return the restricted properties of a block, each with the values of which it must have one."""
    return tuple(
        (attrgetter(each.metadata["of"]), frozenset(values))
        for each in fields(filters)
        if "of" in each.metadata and (values := getattr(filters, each.name))
    )


def _is_within(moment: datetime | None, since: datetime | None, until: datetime | None) -> bool:
    if since is None and until is None:
        return True
    if moment is None:
        return False
    return (since is None or moment >= since) and (until is None or moment <= until)
