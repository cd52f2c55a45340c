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
        ("anna.fenn@renn.example", "anna.fenn@kern.example"),
        ("<anna.fenn@renn.example>", "Anna.Fenn@kern.example"),
        ("José Ruiz", "Josep Ruiz"),
        ("が", "か"),
        ("J. Smith", "Mary Smith"),
        ("J. Smith", "J. Smythe"),
        ("J. Smith", "John"),
        ("J.", "John"),
        ("J. A. Smith", "John Brian Smith"),
        ("Speaker A", "Speaker B"),
        ("Team 1", "Team 12"),
        ("王 小明", "王小 小明"),
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
        ("José Ruiz", "Jose Ruiz"),
        ("Jose\u0301 Ruiz", "José Ruiz"),
        ("Zoë Müller", "ZOE MULLER"),
        ("josé.ruiz@renn.example", "José Ruiz"),
        ("J. Smith", "John Smith"),
        ("Smith, J", "John Smith"),
        ("J. A. Smith", "John Smith"),
        ("J. A. Smith", "John Adam Smith"),
        ("J. Adam Smith", "John A. Smith"),
        ("J. Smith", "John Smith, chair"),
        ("É. Dubois", "Étienne Dubois"),
        ("j.smith@renn.example", "John Smith"),
        ("anna.fenn@renn.example", "Anna.Fenn@renn.example"),
        ("", "Tobias"),
        ("", ""),
    ],
)
def test_nobody_knows_of_two(a: str, b: str) -> None:
    assert not are_two_people(a, b)
    assert not are_two_people(b, a)
