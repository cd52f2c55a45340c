"""Pairs that a reading of another form once took for one: each is held apart, and what has that form and says the
same is joined."""

import time
import tomllib
from pathlib import Path

import pytest

from saidonce.foundation.model import Candidate
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Agreement, agreement, borne_out

FILES = sorted((Path(__file__).parents[2] / "cases" / "held_apart").glob("*.toml"))
TABLES = [tomllib.loads(file.read_text(encoding="utf-8")) for file in FILES]
APART, SAME = ([case for table in TABLES for case in table[label]] for label in ("apart", "same"))
JOINED = {Agreement.SAME, Agreement.REPEATS_A, Agreement.REPEATS_B}


def _agreement(language: str, a: str, b: str) -> Agreement:
    one, two = (Candidate(text, content_hash(text), language=language) for text in (a, b))
    return borne_out(one, two, agreement(one, two), None).agreement


@pytest.mark.parametrize(("language", "a", "b"), APART)
def test_another_statement_is_not_joined_either_way(language: str, a: str, b: str) -> None:
    assert not {_agreement(language, a, b), _agreement(language, b, a)} & JOINED


@pytest.mark.parametrize(("language", "a", "b"), SAME)
def test_the_same_in_such_a_form_is_joined(language: str, a: str, b: str) -> None:
    assert (_agreement(language, a, b), _agreement(language, b, a)) == (Agreement.SAME, Agreement.SAME)


def test_a_row_of_many_equal_cells_is_read_at_once() -> None:
    row = "| r{n} | a | a | a | a |\n"
    table = "| Name | meaning | description | definition | explanation |\n|---|---|---|---|---|\n"
    points = "\n".join(f"- r{n}: {' '.join(['a'] * 60)}, x" for n in range(2))
    started = time.process_time()
    assert _agreement("en", table + row.format(n=0) + row.format(n=1), points) not in JOINED
    assert time.process_time() - started < 5
