"""Pieces of code that say the same or something else, from a table: layout, quotation marks, last commas."""

import tomllib
from pathlib import Path

import pytest

from saidonce.foundation.model import Candidate, Kind
from saidonce.foundation.text import content_hash
from saidonce.matching.guards import CANONICAL_GUARDS, REPEAT_GUARDS, same_code
from saidonce.matching.ladder import first_objection

PAIRS = tomllib.loads(Path("tests/cases/code/pairs.toml").read_text())["pair"]
BY_NAME = pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["name"])


def code(text: str) -> Candidate:
    return Candidate(text, content_hash(text, is_code=True), Kind.CODE, "en")


@BY_NAME
def test_code_stands_for_other_code_only_where_its_layout_says_the_same(pair: dict[str, object]) -> None:
    a, b = code(str(pair["a"])), code(str(pair["b"]))

    for guards in (REPEAT_GUARDS, CANONICAL_GUARDS):
        for one, other in ((a, b), (b, a)):
            is_joined = one.content_hash == other.content_hash or not first_objection(guards, one, other)
            assert is_joined is pair["may"]


@BY_NAME
def test_what_differs_in_code_can_be_shown(pair: dict[str, object]) -> None:
    a, b = code(str(pair["a"])), code(str(pair["b"]))

    for objection in first_objection(CANONICAL_GUARDS, a, b):
        assert objection.a.text or objection.b.text


@pytest.mark.parametrize(
    ("a", "b", "is_one"),
    [
        ("run(\n    1,\n    2)", "run( 1, 2)", True),
        ("a: 1\nb:\n  c: 2", "a: 1\nb:\n    c: 2\n", True),
        ("a:\n  b: 1\nc: 2", "a:\n  b: 1\n  c: 2", False),
        ("call(a, # first\n  b)", "call(a, # first b)", False),
        ("open('x')", 'open("x")', False),
        ("", "\n\n", True),
        ("x = {\n    1: ')',\n}\ny = 2", "x = {\n    1: ')',\n} y = 2", False),
    ],
)
def test_exact_repeats_of_code_keep_the_lines_that_count(a: str, b: str, is_one: bool) -> None:
    assert (content_hash(a, is_code=True) == content_hash(b, is_code=True)) is is_one


def test_of_long_code_the_lines_that_differ_are_shown() -> None:
    kept = "import app\n\nclass Job:\n    name = 'sync'\n    retries = 3\n\n    def run(self):\n        app.start()\n"
    newer = kept.replace("'sync'", '"sync"').replace("app.start()", "app.start()\n        app.report()")

    (objection,) = first_objection((same_code,), code(newer), code(kept))

    assert (objection.a.text, objection.b.text) == ("app.report()", "")
    assert newer[objection.a.start : objection.a.end] == "app.report()"


def test_code_that_differs_in_a_break_alone_shows_where() -> None:
    (objection,) = first_objection((same_code,), code("cd /srv\nmake"), code("cd /srv make"))

    assert (objection.a.text, objection.b.text) == ("cd /srv\nmake", "cd /srv make")
