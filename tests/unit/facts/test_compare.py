"""The parts of a comparison: spans, changes, covering, languages, size."""

import pytest

from saidonce.foundation.model import FactKind, Span
from saidonce.matching.facts import Pairing, compare, covers

OLD = "Logs are kept for 30 days. The gate is locked."
NEW = "Logs are kept for 90 days. The gate is locked. A guard has the key."


def test_an_objection_shows_both_places() -> None:
    (found,) = compare(OLD, NEW).objections
    assert found.kind is FactKind.NUMBER
    assert found.a == Span(18, 25, "30 days")
    assert found.b == Span(18, 25, "90 days")


def test_a_missing_negation_has_an_empty_span_where_it_would_stand() -> None:
    (found,) = compare("The gate is not open.", "The gate is open.").objections
    assert found.a.text == "not"
    assert found.b == Span(12, 12, "")


def test_changes_align_the_sentences() -> None:
    changes = compare(OLD, NEW).changes
    assert [c.relation for c in changes] == [Pairing.CONFLICT, Pairing.EQUAL, Pairing.INSERTED]
    assert changes[2].a == Span(len(OLD), len(OLD), "")
    assert changes[2].b.text == "A guard has the key."


def test_newest_covers_only_what_it_says() -> None:
    assert covers("The gate is locked. A guard has the key.", "The gate is locked.")
    assert not covers("The gate is locked.", "The gate is locked. A guard has the key.")
    assert not covers(NEW, OLD)


def test_a_table_with_a_row_more_covers_the_older_one() -> None:
    older = "| plan | price |\n| small | $5 |"
    newer = older + "\n| large | $9 |"
    assert covers(newer, older)
    assert not covers(older, newer)


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "ja", "xx", "und"])
def test_numbers_and_dates_speak_every_language(language: str) -> None:
    assert compare("X 30 Y 2024-03-03.", "X 31 Y 2024-03-03.", language).objections
    assert compare("X 30 Y 2024-03-03.", "X 30 Y 2024-03-04.", language).objections


def test_a_decimal_comma_counts_by_language() -> None:
    assert not compare("Es kostet 1.000 EUR.", "Es kostet 1000 EUR.", "de").objections
    assert compare("It costs 1.000 EUR.", "It costs 1000 EUR.", "en").objections


HOSTILE = [
    "a. ", "x", "word ", "1,", "(", "_a", "a-", "/a", "a'", "日本", "a.", "one hundred ", " ", "a@", "\u200b",
    "Ab1_", "+1", "a.b-", "-- ", "9", "not ", "|", "\n", "https://", "3 March ",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_megabyte_of_anything_is_compared_in_time(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    # What grew with the square of a text would not end before the suite's time limit; this takes two seconds.
    found = compare(f"Q {text} one.", f"Z {text} two.", "en")
    assert compare(text, text).objections == ()
    assert found.changes


def test_lines_by_the_thousand_are_compared_in_time() -> None:
    a = "\n".join(f"line {i} holds {i * 7 % 1000} things" for i in range(30_000))
    b = "\n".join(f"line {i} holds {i * 11 % 1000} things" for i in range(30_000))
    assert compare(a, b, "en").objections


def test_what_is_too_large_to_read_is_not_called_the_same() -> None:
    a = " ".join(f"w{i}" for i in range(20_000))
    b = " ".join(f"v{i}" for i in range(20_000))
    found = compare(a, b, "en")
    assert found.objections
    assert found.a_adds
    assert found.b_adds
