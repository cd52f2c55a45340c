"""Answers about texts are remembered, of long texts fewer; the answers are those of the function itself."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from garbage import searched_for_new_alone
from saidonce.foundation.remembering import HUGE, HUGE_SHARE, LONG, LONG_SHARE, remembered
from saidonce.foundation.text import content_hash

N = 256


@pytest.fixture(autouse=True, scope="module")
def _new_alone() -> Iterator[None]:
    with searched_for_new_alone():
        yield


class Answer:
    """Something that can be watched while it is kept."""


class Asked:
    """A function of two texts that counts its calls."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []
        self.kept: weakref.WeakSet[Answer] = weakref.WeakSet()
        self.answer = remembered(N)(self._answer)

    def _answer(self, a: str, b: str = "") -> Answer:
        self.calls.append((a, b))
        answer = Answer()
        self.kept.add(answer)
        return answer


def test_it_is_asked_once_for_the_same_texts() -> None:
    asked = Asked()
    assert asked.answer("a", "b") is asked.answer("a", "b")
    assert asked.answer("b", "a") is not asked.answer("a", "b")
    assert asked.calls == [("a", "b"), ("b", "a")]


@pytest.mark.parametrize(
    ("length", "most"),
    [(LONG, N), (LONG + 1, N // LONG_SHARE), (HUGE, N // LONG_SHARE), (HUGE + 1, N // HUGE_SHARE)],
)
def test_of_longer_texts_fewer_answers_are_kept(length: int, most: int) -> None:
    asked = Asked()
    for n in range(2 * N):
        asked.answer(f"{n:0{length}}", "short")
    gc.collect()
    assert len(asked.kept) == most


def test_the_longest_of_the_texts_decides_whichever_it_is() -> None:
    asked = Asked()
    for n in range(N):
        asked.answer("short", f"{n:0{HUGE + 1}}")
    gc.collect()
    assert len(asked.kept) == N // HUGE_SHARE


def test_long_texts_push_no_short_ones_out() -> None:
    asked = Asked()
    first = asked.answer("short")
    for n in range(N):
        asked.answer(f"{n:0{HUGE + 1}}")
    assert asked.answer("short") is first


def test_name_and_text_are_those_of_the_function() -> None:
    named = remembered(N)(content_hash)
    assert (named.__name__, named.__doc__) == (content_hash.__name__, content_hash.__doc__)
    assert named("Kept for 30 days.") == content_hash("Kept for 30 days.")
