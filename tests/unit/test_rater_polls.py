"""When an auto-rater is polled: soon at first, then by a share of the time that has passed, at last by the interval."""

from __future__ import annotations

from itertools import accumulate, pairwise

import pytest

from saidonce.adjudication import RaterOptions


def times(timeout_ms: int = 90_000, interval_ms: int = 5_000) -> list[float]:
    return list(accumulate(RaterOptions(timeout_ms, interval_ms).pauses_s()))


def test_a_ruling_of_six_seconds_is_seen_within_seven_by_default() -> None:
    assert min(at for at in times() if at >= 6.0) < 7.0


def test_no_pause_is_longer_than_the_interval_and_the_last_polls_come_at_it() -> None:
    pauses = list(RaterOptions(90_000, 5_000).pauses_s())
    assert (pauses[0], max(pauses), pauses[-1]) == (0.25, 5.0, 5.0)
    assert all(later >= sooner for sooner, later in pairwise(pauses))


@pytest.mark.parametrize(("timeout_ms", "interval_ms"), [(1_000, 1), (2, 1), (600, 50), (3_600_000, 3_599_999)])
def test_polls_cover_the_timeout_and_end(timeout_ms: int, interval_ms: int) -> None:
    polls = times(timeout_ms, interval_ms)
    assert polls[-1] * 1_000 > timeout_ms
    assert len(polls) <= timeout_ms / interval_ms + 100
