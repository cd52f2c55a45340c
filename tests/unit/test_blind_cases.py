"""The blind cases keep their form; what the matching makes of them is measured elsewhere."""

import json
from collections import Counter
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "cases" / "blind"
HANDBOOK = ROOT / "examples" / "handbook"
PAIRS = ("changed_en", "same_en", "repeats_en", "languages")
LABELS = {"same", "repeats_a", "repeats_b", "changed"}
LANGUAGES = {"en", "de", "fr", "es", "ga", "it", "pt", "nl", "pl", "zh", "ja", "ar"}
LEAST_IN_LANGUAGE = {"changed": 11, "same": 5}
QUERY_KINDS = {"nonsense", "off-topic", "in-handbook"}


@cache
def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CASES / f"{name}.jsonl").read_text("utf-8").splitlines()]


def _all_pairs() -> list[dict[str, Any]]:
    return list(chain.from_iterable(_rows(name) for name in PAIRS))


def _labels(name: str) -> Counter[str]:
    return Counter(row["label"] for row in _rows(name))


@pytest.mark.parametrize("name", PAIRS)
def test_every_pair_has_the_known_keys(name: str) -> None:
    for row in _rows(name):
        assert {"id", "language", "kind", "a", "b", "label"} <= set(row), row
        assert set(row) <= {"id", "language", "kind", "a", "b", "label", "note"}, row
        assert all(isinstance(text, str) and text == text.strip() and text for text in row.values()), row


def test_no_two_rows_share_an_id() -> None:
    ids = Counter(row["id"] for row in [*_all_pairs(), *_rows("off_topic")])
    assert [key for key, times in ids.items() if times > 1] == []


def test_labels_and_languages_are_known() -> None:
    assert {row["label"] for row in _all_pairs()} == LABELS
    assert {row["language"] for row in _all_pairs()} == LANGUAGES
    assert {row["language"] for name in PAIRS[:3] for row in _rows(name)} == {"en"}
    assert {row["language"] for row in _rows("languages")} == LANGUAGES - {"en"}


def test_the_two_sides_of_a_pair_differ() -> None:
    assert [row["id"] for row in _all_pairs() if row["a"] == row["b"]] == []


def test_no_pair_of_texts_stands_twice() -> None:
    texts = Counter(frozenset((row["a"], row["b"])) for row in _all_pairs())
    assert [sorted(pair) for pair, times in texts.items() if times > 1] == []


def test_the_files_hold_the_labels_that_they_are_named_for() -> None:
    assert _labels("changed_en")["changed"] >= 200
    assert set(_labels("same_en")) == {"same"}
    assert _labels("same_en")["same"] >= 200
    assert set(_labels("repeats_en")) == {"repeats_a", "repeats_b"}
    assert min(_labels("repeats_en").values()) >= 20


def test_every_kind_of_change_has_five_pairs_and_a_look_alike_that_says_the_same() -> None:
    rows = _rows("changed_en")
    differing = Counter(row["kind"] for row in rows if row["label"] != "same")
    alike = Counter(row["kind"] for row in rows if row["label"] == "same")
    assert len(differing) >= 40
    assert {kind for kind, times in differing.items() if times < 5} == set()
    assert set(differing) - set(alike) == set()


def test_rewordings_are_light_medium_and_heavy_in_like_shares() -> None:
    weights = Counter(row["note"] for row in _rows("same_en"))
    assert set(weights) == {"light", "medium", "heavy"}
    assert min(weights.values()) >= len(_rows("same_en")) / 4


@pytest.mark.parametrize("language", sorted(LANGUAGES - {"en"}))
def test_every_other_language_has_changes_and_rewordings(language: str) -> None:
    labels = Counter(row["label"] for row in _rows("languages") if row["language"] == language)
    assert {label: least for label, least in LEAST_IN_LANGUAGE.items() if labels[label] < least} == {}


def test_german_french_and_spanish_have_the_most() -> None:
    for language in ("de", "fr", "es"):
        labels = Counter(row["label"] for row in _rows("languages") if row["language"] == language)
        assert labels.total() >= 35
        assert labels["changed"] >= 25
        assert labels.total() - labels["changed"] >= 10


def test_questions_are_of_three_kinds() -> None:
    rows = _rows("off_topic")
    kinds = Counter(row["kind"] for row in rows)
    assert set(kinds) == QUERY_KINDS
    assert kinds["nonsense"] + kinds["off-topic"] == 100
    assert kinds["in-handbook"] == 30
    assert len({row["query"] for row in rows}) == len(rows)


def test_questions_that_the_handbook_answers_name_its_files() -> None:
    for row in _rows("off_topic"):
        assert ("answers" in row) == (row["kind"] == "in-handbook"), row
        assert [name for name in row.get("answers", []) if not (HANDBOOK / name).is_file()] == []
    answered = [row["query"] for row in _rows("off_topic") if row["kind"] == "in-handbook"]
    assert sum(" " not in query for query in answered) >= 5
