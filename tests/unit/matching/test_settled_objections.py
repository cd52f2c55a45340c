"""Objections to what a sentence says in another form, which fall where the form is read, and those that stand."""

import tomllib
from pathlib import Path

import pytest

from saidonce.foundation.model import Candidate
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Agreement, agreement

CASES = Path(__file__).parents[2] / "cases" / "objections" / "settled.toml"

FRAMES = {
    "en": (
        "The office is on the second floor of the old mill. Letters are opened by Mrs Hale.",
        "Bicycles stand in the yard behind the house.",
    ),
    "de": (
        "Das Büro liegt im zweiten Stock der alten Mühle. Briefe öffnet Frau Hahn.",
        "Fahrräder stehen im Hof hinter dem Haus.",
    ),
    "fr": (
        "Le bureau est au deuxième étage du vieux moulin. Les lettres sont ouvertes par Mme Hélie.",
        "Les vélos se garent dans la cour derrière la maison.",
    ),
    "es": (
        "La oficina está en la segunda planta del viejo molino. Las cartas las abre la señora Haro.",
        "Las bicicletas se dejan en el patio detrás de la casa.",
    ),
    "it": (
        "L'ufficio è al secondo piano del vecchio mulino. Le lettere le apre la signora Neri.",
        "Le biciclette si lasciano nel cortile dietro la casa.",
    ),
    "pt": (
        "O escritório fica no segundo andar do velho moinho. As cartas são abertas pela senhora Haro.",
        "As bicicletas ficam no pátio atrás da casa.",
    ),
}
"""What stands before and behind both sentences of a pair, so that it is a passage that is otherwise equal."""


def _pairs(label: str) -> list[tuple[str, str, str]]:
    groups = tomllib.loads(CASES.read_text(encoding="utf-8"))["cases"]
    return [(group["language"], a, b) for group in groups for a, b in group.get(label, ())]


def _agreement(language: str, a: str, b: str) -> Agreement:
    before, behind = FRAMES[language]
    texts = (f"{before} {sentence} {behind}" for sentence in (a, b))
    one, two = (Candidate(text, content_hash(text), language=language) for text in texts)
    heard, mirrored = agreement(one, two), agreement(two, one).mirrored
    assert (mirrored.agreement, set(mirrored.objections)) == (heard.agreement, set(heard.objections))
    return heard.agreement


@pytest.mark.parametrize(("language", "a", "b"), _pairs("same"))
def test_what_says_the_same_in_another_form_is_not_objected_to(language: str, a: str, b: str) -> None:
    """It may be read as the same or stay open: nothing contradicts it."""
    assert _agreement(language, a, b) is not Agreement.OBJECTED


@pytest.mark.parametrize(("language", "a", "b"), _pairs("changed"))
def test_what_says_another_thing_in_these_forms_stays_objected_to(language: str, a: str, b: str) -> None:
    """One value, denial, duty or role is another one."""
    assert _agreement(language, a, b) is Agreement.OBJECTED


@pytest.mark.parametrize(("language", "a", "b"), _pairs("apart"))
def test_what_nothing_objects_to_is_not_joined_for_that(language: str, a: str, b: str) -> None:
    """What is not accounted for keeps it open."""
    assert _agreement(language, a, b) is Agreement.OPEN
