"""The second set of pairs written blind keeps its form; what the matching makes of them is measured elsewhere."""

import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "cases" / "blind" / "second"
LANGUAGES = ("de", "en", "es", "fr", "it", "ja", "nl", "pl", "pt", "zh")


@cache
def _rows(language: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = tomllib.loads((FOLDER / f"{language}.toml").read_text("utf-8"))["cases"]
    return rows


def test_there_is_a_file_for_each_language_and_no_other() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == [f"{language}.toml" for language in LANGUAGES]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_pair_has_the_known_keys_and_two_texts_that_differ(language: str) -> None:
    for row in _rows(language):
        assert set(row) == {"label", "kind", "a", "b"}, row
        assert all(isinstance(text, str) and text == text.strip() and text for text in row.values()), row
        assert row["a"] != row["b"], row


@pytest.mark.parametrize("language", LANGUAGES)
def test_half_of_a_language_changes_what_is_stated_and_half_says_the_same(language: str) -> None:
    labels = Counter(row["label"] for row in _rows(language))
    assert set(labels) == {"changed", "same"}
    assert labels["changed"] == labels["same"] >= 6


def test_no_pair_of_texts_stands_twice() -> None:
    texts = Counter(frozenset((row["a"], row["b"])) for language in LANGUAGES for row in _rows(language))
    assert [sorted(pair) for pair, times in texts.items() if times > 1] == []
    assert texts.total() >= 240
