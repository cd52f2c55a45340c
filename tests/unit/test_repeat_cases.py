"""Readable cases: which pairs may be removed for each other or folded among hits, whatever their similarity."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import examples
from saidonce.foundation.model import Candidate
from saidonce.foundation.text import content_hash
from saidonce.matching.guards import CANONICAL_GUARDS, REPEAT_GUARDS
from saidonce.matching.ladder import first_objection

CASES = Path(__file__).resolve().parents[1] / "cases" / "repeats"
USES = {"hits": REPEAT_GUARDS, "document": CANONICAL_GUARDS}


def _cases(name: str) -> list[Any]:
    rows = tomllib.loads((CASES / f"{name}.toml").read_text("utf-8"))["cases"]
    return [pytest.param(row, id=f"{row.get('kind', name)}-{row['language']}-{n}") for n, row in enumerate(rows, 1)]


def _both_ways(case: dict[str, str]) -> list[tuple[Candidate, Candidate]]:
    a, b = (Candidate(case[side], content_hash(case[side]), language=case["language"]) for side in "ab")
    return [(a, b), (b, a)]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("case", _cases("differs"))
def test_what_differs_is_neither_removed_nor_folded(case: dict[str, str], use: str) -> None:
    for a, b in _both_ways(case):
        assert a.content_hash != b.content_hash
        assert first_objection(USES[use], a, b), (a.text, b.text)


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("case", _cases("agrees"))
def test_what_says_the_same_may_be(case: dict[str, str], use: str) -> None:
    for a, b in _both_ways(case):
        assert not first_objection(USES[use], a, b), (a.text, b.text)


@pytest.mark.parametrize("case", _cases("differs"))
def test_an_objection_quotes_the_texts_as_they_stand(case: dict[str, str]) -> None:
    for a, b in _both_ways(case):
        for found in first_objection(REPEAT_GUARDS, a, b):
            assert a.text[found.a.start : found.a.end] == found.a.text
            assert b.text[found.b.start : found.b.end] == found.b.text


def test_there_are_ten_kinds_in_seven_languages() -> None:
    rows = [case.values[0] for case in _cases("differs")]
    assert len(rows) >= 60
    assert len({row["kind"] for row in rows}) >= 10
    assert len({row["language"] for row in rows} - {"und"}) >= 7


def test_the_kept_text_may_say_more_in_sentences_of_their_own() -> None:
    short = "The archive is on the second floor of the north wing."
    aside = f"{short} Ask at the desk for a map."
    limit = f"{short} It is not open to guests."
    (a, b), (c, d) = _both_ways({"a": short, "b": aside, "language": "en"})
    assert not first_objection(REPEAT_GUARDS, a, b)
    assert first_objection(REPEAT_GUARDS, c, d), "the longer one would be lost"
    assert first_objection(CANONICAL_GUARDS, a, b), "inside a document neither may say more"
    a, b = _both_ways({"a": short, "b": limit, "language": "en"})[0]
    assert first_objection(REPEAT_GUARDS, a, b), "what takes something back is no mere addition"


def test_what_a_very_long_text_adds_is_an_objection() -> None:
    short = "The archive is on the second floor of the north wing."
    words = " ".join(f"Shelf {n} holds the papers of the year {n}." for n in range(2_000))
    a, b = (Candidate(t, content_hash(t), language="en") for t in (short, f"{short} {words}"))
    assert first_objection(REPEAT_GUARDS, b, a)
    assert first_objection(CANONICAL_GUARDS, a, b)


PIECES = st.sampled_from(
    """, |. |- |1. |If the pump stops|the pump is stopped|by Ida|Ida stops|only|on 3 May|Then|It is old|not|`x`|B12|水
    |Der Hof ist offen|https://a.example/v2|'|(|?|;""".split("|")
)


@settings(deadline=None, max_examples=examples(50, 150))
@given(st.lists(PIECES, max_size=9), st.lists(PIECES, max_size=9), st.sampled_from(["en", "de", "zh", "und"]))
def test_whatever_two_texts_are_the_guards_answer_and_quote_them(a: list[str], b: list[str], language: str) -> None:
    one, two = (Candidate(t, content_hash(t), language=language) for t in (" ".join(a), " ".join(b)))
    for guards in USES.values():
        for x, y in ((one, two), (two, one)):
            for found in first_objection(guards, x, y):
                assert x.text[found.a.start : found.a.end] == found.a.text
                assert y.text[found.b.start : found.b.end] == found.b.text
        assert not first_objection(guards, one, one)
