"""A word that names a kind of value is held by a text that has such a value."""

from __future__ import annotations

import pytest

from saidonce.kb.search.named_values import words_of_values


@pytest.mark.parametrize(
    "content",
    ["call 020 7946 0123.", "Tel. +49 151 1234567", "(030) 123456", "ring 0151-2345678", "+44 (0)20 7946 0123"],
)
def test_a_number_of_a_telephone_is_one(content: str) -> None:
    assert words_of_values(["receipt", "phone", "number"], content) == {"phone", "number"}


@pytest.mark.parametrize(
    "content",
    ["on 2026-01-31", "in 2026 and 2027", "1,000 hours", "GP-400", "0.25 bar", "10 000 000 litres", "call us"],
)
def test_dates_counts_and_names_are_none(content: str) -> None:
    assert words_of_values(["phone", "number"], content) == frozenset()


def test_a_number_alone_is_no_telephone() -> None:
    assert words_of_values(["flat", "number"], "call 020 7946 0123") == frozenset()


def test_an_address_of_electronic_mail_is_one() -> None:
    assert words_of_values(["email", "address"], "write to service@pondworks.example") == {"email", "address"}
    assert words_of_values(["email"], "at noon @ the gate") == frozenset()
