"""What every text passes on its way into a store."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saidonce.adapters.postgres.clean import clean, clean_name, clean_time, clean_vectors
from saidonce.errors import StoreCorruptError, UsageError


@given(st.text())
def test_only_unstorable_characters_change_one_for_one(text: str) -> None:
    cleaned = clean(text)
    assert len(cleaned) == len(text)
    assert all(
        c == k or (k == "\ufffd" and (c == "\0" or "\ud800" <= c <= "\udfff"))
        for c, k in zip(text, cleaned, strict=True)
    )
    assert clean(cleaned) == cleaned
    cleaned.encode("utf-8")


def test_lone_surrogates_and_nul() -> None:
    assert clean("a\x00b\ud800c\udfff") == "a\ufffdb\ufffdc\ufffd"


def test_names() -> None:
    assert clean_name("document", "a\x00") == "a\ufffd"
    for bad in ("", "x" * 1001):
        with pytest.raises(UsageError, match="1 to 1000"):
            clean_name("document", bad)


def test_times_become_utc() -> None:
    moment = datetime(2026, 1, 1, 2, tzinfo=timezone(timedelta(hours=2)))
    assert clean_time(moment) == datetime(2026, 1, 1, tzinfo=UTC)
    assert clean_time(None) is None
    with pytest.raises(UsageError):
        clean_time(datetime(2026, 1, 1))


def test_vectors_are_copied_and_checked() -> None:
    given_row = np.ones(3, np.float64)
    kept = clean_vectors({"k": given_row}, 3)["k"]  # type: ignore[dict-item]
    given_row[0] = 7
    assert kept.dtype == np.float32
    assert kept.tolist() == [1, 1, 1]
    assert not kept.flags.writeable
    for bad in (np.ones(2, np.float32), np.array([1, 2, np.nan], np.float32), np.ones((1, 3), np.float32)):
        with pytest.raises(StoreCorruptError):
            clean_vectors({"k": bad}, 3)
