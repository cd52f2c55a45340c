"""The same passage in Chinese, Japanese or Korean with another layout, notation or spelling says the same.

With a value, an entry of a menu, a cell, an item or a step changed it does not.
"""

import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

from saidonce.foundation.model import Candidate
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Agreement, agreement

CASES = tomllib.loads(
    (Path(__file__).parents[2] / "cases" / "forms_in_characters" / "cases.toml").read_text(encoding="utf-8")
)["cases"]


class FormCase(NamedTuple):
    language: str
    a: str
    b: str

    def agreement(self) -> Agreement:
        a, b = (Candidate(text, content_hash(text), language=self.language) for text in (self.a, self.b))
        return agreement(a, b).agreement


def _cases(label: str) -> list[object]:
    return [
        pytest.param(FormCase(case["language"], case["a"], text), id=f"{case['form']}-{case['language']}-{i}-{n}")
        for i, case in enumerate(CASES)
        for n, text in enumerate(case[label])
    ]


@pytest.mark.parametrize("case", _cases("same"))
def test_a_passage_that_is_only_set_otherwise_says_the_same(case: FormCase) -> None:
    assert case.agreement() is Agreement.SAME


@pytest.mark.parametrize("case", _cases("apart"))
def test_a_passage_that_is_set_otherwise_and_changed_does_not_say_the_same(case: FormCase) -> None:
    assert case.agreement() is not Agreement.SAME


@pytest.mark.parametrize(
    ("language", "a", "b"),
    [
        pytest.param("ko", "회비는 30,000원입니다.", "회비로 삼만 원, 곧 3만 원을 냅니다.", id="ten-thousands"),
        pytest.param("zh", "罚款约占预算的千分之三。", "罚款所得大概是预算的 0.3%。", id="a-share"),
    ],
)
def test_figures_in_two_notations_are_not_objected_to(language: str, a: str, b: str) -> None:
    one, two = (Candidate(text, content_hash(text), language=language) for text in (a, b))
    assert agreement(one, two).agreement is not Agreement.OBJECTED


def test_a_comma_too_many_is_no_member_of_a_list() -> None:
    assert FormCase("ko", "가방에 펜, , 자를 넣는다.", "가방에 자, 펜을 넣는다.").agreement() is not Agreement.SAME
