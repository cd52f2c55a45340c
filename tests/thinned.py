"""Many cases of one kind: a share of them in the check, all of them in `make proofs`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from _pytest.mark import ParameterSet


def slow(case: Any) -> ParameterSet:
    """Return a case that `make proofs` runs; a tuple is one value, as it is where one name is given."""
    if isinstance(case, ParameterSet):
        return pytest.param(*case.values, marks=[*case.marks, pytest.mark.slow], id=case.id)
    return pytest.param(case, marks=pytest.mark.slow)


def every(nth: int, cases: Iterable[Any]) -> list[Any]:
    """Return all cases, of which the check runs every nth from the first on."""
    return [case if place % nth == 0 else slow(case) for place, case in enumerate(cases)]


def on_stores(nth: int, cases: Iterable[tuple[Any, ...]]) -> list[ParameterSet]:
    """Return all cases with the kind of store for `opened` before: in the check every nth on a server."""
    held = list(cases)
    kinds = {kind: [pytest.param(kind, *case) for case in held] for kind in ("memory", "embedded", "external")}
    return [*kinds["memory"], *every(nth, kinds["embedded"]), *map(slow, kinds["external"])]
