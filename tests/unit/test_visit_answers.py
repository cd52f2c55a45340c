"""Answers to offered times: picked only if all words are understood and one time fits; see `tests/cases/visits`."""

from __future__ import annotations

import tomllib
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from saidonce.foundation.model.progress import TimeSpan
from saidonce.repairs.conversation.visit_answers import NONE_FITS, UNCLEAR, read_answer

CASES = tomllib.loads(
    (Path(__file__).parents[1] / "cases" / "visits" / "answers.toml").read_text(encoding="utf-8")
)  # fmt: skip
READ_AS = {"none": NONE_FITS, "unclear": UNCLEAR, "other": None}


def span(day: int, first: int, last: int, zone: object = UTC) -> TimeSpan:
    start, end = (datetime(2026, 2, day, hour, tzinfo=zone).astimezone(UTC) for hour in (first, last))  # type: ignore[arg-type]
    return TimeSpan(start, end)


OFFERED = (span(3, 9, 11), span(4, 14, 16), span(6, 9, 12))


@pytest.mark.parametrize(
    ("text", "expected"),
    [(text, READ_AS.get(kind, n - 1)) for kind, cases in CASES.items() for text, n in cases.items()],
)
def test_answers_are_read_as_a_tenant_meant_them(text: str, expected: int | str | None) -> None:
    assert read_answer(text, OFFERED, UTC, is_asked=True) == expected


@pytest.mark.parametrize("text", ["1", "yes", "no", "ok", "2"])
def test_bare_words_count_only_right_after_the_offer(text: str) -> None:
    assert read_answer(text, OFFERED, UTC, is_asked=False) is None


def test_one_offered_time_is_taken_by_a_yes() -> None:
    assert read_answer("yes please", OFFERED[:1], UTC, is_asked=True) == 0
    assert read_answer("that works, thanks", OFFERED[:1], UTC, is_asked=True) is None


def test_days_and_hours_are_those_of_the_zone() -> None:
    zone = ZoneInfo("Pacific/Auckland")
    offered = (span(3, 9, 11, zone), span(4, 9, 11, zone))
    assert offered[0].starts_at.day == 2, "it is still the day before in UTC"
    assert read_answer("tuesday at 9am", offered, zone, is_asked=False) == 0
