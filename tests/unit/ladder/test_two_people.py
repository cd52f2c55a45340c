"""Which names are those of two people."""

from __future__ import annotations

import pytest

from saidonce.matching.ladder import are_two_people


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Marisol", "Tobias"),
        ("Marisol Okonjo", "Marisol Quist"),
        ("Marisol", "Marisol Okonjo"),
        ("Speaker 1", "Speaker 2"),
        ("ada@fenn.example", "jo@kern.example"),
        ("info@fenn.example", "info@kern.example"),
        ("Renn (chair)", "Kern (chair)"),
        ("山田", "田中"),
    ],
)
def test_two_people(a: str, b: str) -> None:
    assert are_two_people(a, b)
    assert are_two_people(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Marisol", "Marisol"),
        ("Marisol Okonjo", "MARISOL OKONJO"),
        ("Marisol", "Marisol (Chair)"),
        ("Marisol Okonjo", "Marisol Okonjo [Secretary]"),
        ("Marisol Okonjo", "Marisol Okonjo, secretary"),
        ("Marisol Okonjo", "Okonjo, Marisol"),
        ("Marisol Okonjo", "marisol.okonjo@renn.example"),
        ("Marisol Okonjo", "Marisol Okonjo via Residents"),
        ("(Chair)", "(chair)"),
        ("", "Tobias"),
        ("", ""),
    ],
)
def test_nobody_knows_of_two(a: str, b: str) -> None:
    assert not are_two_people(a, b)
    assert not are_two_people(b, a)
