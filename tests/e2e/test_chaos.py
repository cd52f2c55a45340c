"""A short round of the chaos that `make chaos` makes at length."""

from __future__ import annotations

import pytest
from benchmarks.chaos import run

pytestmark = [pytest.mark.xdist_group("chaos"), pytest.mark.timeout(900)]


def test_races_and_kills_lose_nothing_and_double_nothing() -> None:
    figures = run(rounds=6, kills=6, server_kills=1)
    assert figures.is_clean, figures
