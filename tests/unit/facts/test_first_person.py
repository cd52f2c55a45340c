"""Texts that speak of the one who writes them, and texts that do not."""

from __future__ import annotations

import pytest

from saidonce.foundation.model import UNKNOWN_LANGUAGE
from saidonce.matching.facts import is_in_first_person


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "I undertake to pay for the scaffolding."),
        ("en", "Next week I\N{RIGHT SINGLE QUOTATION MARK}ll bring the keys."),
        ("en", "so do I."),
        ("en", "i will pay on friday"),
        ("en", "The cellar is mine."),
        ("en", "Please send the bill to me."),
        ("en", "> Who pays?\nI do."),
        ("en", "See the annex.\nI undertake to pay."),
        ("en", "See the annex\nI undertake to pay."),
        ("en", "It is in the chapter. I will pay."),
        ("en", "As the act says, I will pay."),
        ("en", "if nobody else does, i will pay on Friday"),
        ("de", "Die Kosten übernehme ich."),
        ("de", "Mein Keller steht unter Wasser."),
        ("fr", "J\N{RIGHT SINGLE QUOTATION MARK}accepte l'offre."),
        ("es", "Me comprometo a pagar el andamio."),
        ("it", "Mi impegno a pagare il ponteggio."),
        ("pt", "Eu pago o andaime."),
        ("nl", "De steiger betaal ik."),
        ("pl", "Za rusztowanie płacę ja."),
        (UNKNOWN_LANGUAGE, "Das zahle ich."),
    ],
)
def test_somebody_speaks_of_themselves(language: str, text: str) -> None:
    assert is_in_first_person(text, language)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The scaffolding is paid for by the landlord."),
        ("en", "We undertake to pay for the scaffolding."),
        ("en", "The rules are in Part I of the handbook."),
        ("en", "The rules are in Part\tI of the handbook."),
        ("en", "The i and j."),
        ("en", "Count the loops by i first."),
        ("en", "I. General\nThe rules follow."),
        ("en", "(i) the roof, (ii) the lift, i.e. all that is shared"),
        ("en", "> I undertake to pay for the scaffolding.\nAgreed."),
        ("en", 'The landlord said: "I pay."'),
        ("de", "Der Vermieter sagt: \N{DOUBLE LOW-9 QUOTATION MARK}Ich zahle.\N{LEFT DOUBLE QUOTATION MARK}"),
        ("de", "Die Kosten trägt der Vermieter."),
        ("fr", "Le bailleur accepte l'offre de M. Renn."),
        ("ja", "I pay."),
        (UNKNOWN_LANGUAGE, "The landlord pays."),
        (UNKNOWN_LANGUAGE, "Jan i Ewa"),
    ],
)
def test_nobody_speaks_of_themselves(language: str, text: str) -> None:
    assert not is_in_first_person(text, language)
