"""A text that holds none of the beginnings of some phrases holds none of the phrases."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saidonce.foundation.text import folded
from saidonce.repairs.conversation import no_danger
from saidonce.repairs.conversation.foreign_dangers import foreign_dangers
from saidonce.repairs.conversation.phrase_syntax import Phrases

CASES = Path(__file__).parents[2] / "cases" / "emergencies"

WORDS = st.sampled_from(
    ["gas", "gases", "oil", "l'eau", "smell", "smells", "~", "~~", "-no", "fire*", "a/the", "on-off"]
)
TEXTS = st.lists(
    st.sampled_from(["gas", "gases", "oil", "de l'eau", "smells", "fires", "no", "a", "the", "on-off", ","])
)


@cache
def sentences() -> tuple[str, ...]:
    """Every tenth sentence of the lists of emergencies, folded."""
    files = sorted(CASES.rglob("*.toml"))
    return tuple(folded(text) for file in files for text in _texts(tomllib.loads(file.read_text()))[::10])


def _texts(body: object) -> list[str]:
    if isinstance(body, str):
        return [body]
    parts = body.values() if isinstance(body, dict) else body if isinstance(body, list) else ()
    return [text for part in parts for text in _texts(part)]


@given(st.lists(st.lists(WORDS, min_size=1, max_size=4).map(" ".join), max_size=3), TEXTS.map(" ".join))
def test_nothing_that_is_there_is_missed(written: list[str], text: str) -> None:
    phrases = Phrases.of([p for p in written if set(p.split()) - {"~", "~~", "-no"}])
    assert phrases.search(text) == phrases.pattern.search(text) or (
        phrases.search(text).span() == phrases.pattern.search(text).span()  # type: ignore[union-attr]
    )
    assert [m.span() for m in phrases.finditer(text)] == [m.span() for m in phrases.pattern.finditer(text)]


@pytest.mark.parametrize("language", [d.language for d in foreign_dangers()])
def test_no_list_of_dangers_misses_a_phrase(language: str) -> None:
    lists = next(d for d in foreign_dangers() if d.language == language)
    every = (
        lists.harmless,
        lists.calm,
        lists.everyday,
        *(p for kind in lists.kinds for p in (kind.sure, kind.possible)),
    )
    assert sum(len(p.begins) for p in every) > 50
    for text in sentences():
        for phrases in every:
            assert (phrases.search(text) is None) == (phrases.pattern.search(text) is None)


def test_no_list_of_what_is_no_danger_misses_a_phrase() -> None:
    for lists in no_danger.lists():
        for name in no_danger.LISTS:
            phrases: Phrases = getattr(lists, name)
            for text in sentences():
                assert (phrases.search(text) is None) == (phrases.pattern.search(text) is None), name


def test_a_text_of_the_same_length_is_masked() -> None:
    assert Phrases.of(["gas bill", "fire door*"]).masked("my gas bill, two fire doors") == (
        "my \N{OBJECT REPLACEMENT CHARACTER}"
        + "\N{OBJECT REPLACEMENT CHARACTER}" * 7
        + ", two "
        + "\N{OBJECT REPLACEMENT CHARACTER}" * 10
    )
    assert Phrases.of([]).search("anything") is None
