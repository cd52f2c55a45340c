"""The blind sets in TOML files keep their form; what the matching makes of them is measured elsewhere."""

import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "cases" / "blind"
LANGUAGES = {
    "second": ("de", "en", "es", "fr", "it", "ja", "nl", "pl", "pt", "zh"),
    "third": ("de", "en", "es", "fr", "ga", "it", "ja", "ko", "nl", "pt", "zh"),
    "fourth": ("de", "en", "es", "fr", "zh"),
    "fifth": ("de", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "zh"),
    "sixth": ("de", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "zh"),
    "seventh": ("de", "en", "es", "fr", "ja", "ko", "zh"),
}
HALVES = ("second", "third", "fourth")
FILES = [(name, language) for name, languages in LANGUAGES.items() for language in languages]


@cache
def _rows(name: str, language: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = tomllib.loads((FOLDER / name / f"{language}.toml").read_text("utf-8"))["cases"]
    return rows


@pytest.mark.parametrize("name", LANGUAGES)
def test_there_is_a_file_for_each_language_and_no_other(name: str) -> None:
    assert sorted(path.name for path in (FOLDER / name).iterdir()) == [f"{one}.toml" for one in LANGUAGES[name]]


@pytest.mark.parametrize(("name", "language"), FILES)
def test_every_pair_has_the_known_keys_and_two_texts_that_differ(name: str, language: str) -> None:
    for row in _rows(name, language):
        assert set(row) == {"label", "kind", "a", "b"}, row
        assert all(isinstance(text, str) and text == text.strip() and text for text in row.values()), row
        assert row["a"] != row["b"], row


@pytest.mark.parametrize(("name", "language"), [file for file in FILES if file[0] in HALVES])
def test_half_of_a_language_changes_what_is_stated_and_half_says_the_same(name: str, language: str) -> None:
    labels = Counter(row["label"] for row in _rows(name, language))
    assert set(labels) == {"changed", "same"}
    assert labels["changed"] == labels["same"] >= 4


@pytest.mark.parametrize(("name", "language"), [file for file in FILES if file[0] not in HALVES])
def test_of_the_later_sets_more_pairs_change_what_is_stated(name: str, language: str) -> None:
    labels = Counter(row["label"] for row in _rows(name, language))
    assert set(labels) == {"changed", "same"}
    assert labels["changed"] > labels["same"] >= 3


def test_no_pair_of_texts_stands_twice() -> None:
    texts = Counter(frozenset((row["a"], row["b"])) for name, language in FILES for row in _rows(name, language))
    assert [sorted(pair) for pair, times in texts.items() if times > 1] == []
    assert texts.total() >= 700
