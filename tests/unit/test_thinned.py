"""A share of the cases is left to the check, the first among them; none is lost."""

from __future__ import annotations

import pytest
from _pytest.mark import ParameterSet

from thinned import every, on_stores, slow


def is_slow(case: object) -> bool:
    return isinstance(case, ParameterSet) and any(mark.name == "slow" for mark in case.marks)


def test_every_nth_is_in_the_check_from_the_first_on_and_all_are_in_proofs() -> None:
    cases = every(3, "abcdefg")
    assert [case.values[0] if isinstance(case, ParameterSet) else case for case in cases] == list("abcdefg")
    assert [case for case in cases if not is_slow(case)] == ["a", "d", "g"]


def test_a_case_that_is_slow_keeps_its_name_and_its_other_marks() -> None:
    case = slow(pytest.param(1, 2, id="both", marks=pytest.mark.skip))
    assert (case.values, case.id, [mark.name for mark in case.marks]) == ((1, 2), "both", ["skip", "slow"])


def test_memory_has_all_cases_in_the_check_a_server_a_share_and_another_server_none() -> None:
    cases = on_stores(2, [("a",), ("b",), ("c",)])
    assert [case.values for case in cases if not is_slow(case)] == [
        ("memory", "a"), ("memory", "b"), ("memory", "c"), ("embedded", "a"), ("embedded", "c"),
    ]  # fmt: skip
    assert len(cases) == 9
