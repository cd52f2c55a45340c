"""Two texts in plain words: what a rule bears out is joined with its reason, and what comes near a rule stays apart."""

import tomllib
from pathlib import Path

import pytest

from saidonce.foundation.model import Candidate, Kind
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Agreement, agreement
from saidonce.matching.compared import compared
from saidonce.matching.facts import in_plain_words
from saidonce.matching.guards import reasons_of

_FILES = sorted((Path(__file__).parents[2] / "cases" / "plain_words").glob("*.toml"))
CASES = [case for file in _FILES for case in tomllib.loads(file.read_text("utf-8"))["cases"]]


def _pair(case: dict[str, str], kind: Kind = Kind.PARAGRAPH) -> tuple[Candidate, Candidate]:
    a, b = (Candidate(case[s], content_hash(case[s]), kind, case["language"]) for s in "ab")
    return a, b


@pytest.mark.parametrize("case", [c for c in CASES if c["label"] == "apart"], ids=lambda c: c["b"])
def test_what_comes_near_a_rule_stays_apart(case: dict[str, str]) -> None:
    a, b = _pair(case)
    assert agreement(a, b).agreement in (Agreement.OPEN, Agreement.OBJECTED, _one_way(case))
    assert agreement(b, a).agreement is agreement(a, b).mirrored.agreement


def _one_way(case: dict[str, str]) -> Agreement:
    """A text that is the whole of the other with a sentence more may go for it, but not stand for it."""
    return Agreement.REPEATS_B if case["b"].startswith(case["a"]) else Agreement.OPEN


@pytest.mark.parametrize("case", [c for c in CASES if c["label"] == "same"], ids=lambda c: c["b"])
def test_what_a_rule_bears_out_is_the_same_both_ways_with_its_reason(case: dict[str, str]) -> None:
    a, b = _pair(case)
    accord = agreement(a, b)
    assert accord.agreement is agreement(b, a).agreement is Agreement.SAME
    assert accord.reasons


def test_an_objection_that_falls_in_plain_words_leaves_the_pair_open() -> None:
    a, b = _pair(
        {"language": "en", "a": "Some 300 tenants signed the letter on paper.", "b": "About 300 people agreed."}
    )
    assert agreement(a, b).agreement is Agreement.OPEN
    a, b = _pair(
        {"language": "en", "a": "Some 300 tenants signed the letter on paper.", "b": "About 200 people agreed."}
    )
    assert agreement(a, b).agreement is Agreement.OBJECTED


def test_a_text_that_says_what_an_abbreviation_means_goes_for_none_that_does_not() -> None:
    case = {"language": "en", "a": "The value added tax (VAT) is included.", "b": "VAT is included."}
    assert agreement(*_pair(case)).agreement is Agreement.REPEATS_A


def test_code_tables_and_records_are_never_written_otherwise() -> None:
    case = next(c for c in CASES if c["label"] == "same")
    for kind in (Kind.CODE, Kind.TABLE, Kind.RECORD):
        assert reasons_of(compared(*_pair(case, kind))) == ()


def test_what_is_quoted_or_code_stands_as_it_was() -> None:
    written = in_plain_words('Press "prior to" prior to `at once`.', "Press it.", "en")
    assert written is not None
    assert written.a == 'Press "prior to" before `at once`.'


def test_a_language_without_a_table_is_left_alone() -> None:
    assert in_plain_words("Prior to use, rinse.", "Rinse before use.", "unknown") is None
