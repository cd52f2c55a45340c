from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest
from training.emergency.right_words import near

from saidonce.repairs.conversation.danger_head import DangerReading, HeadCard
from saidonce.repairs.conversation.emergency import named_pack
from saidonce.repairs.conversation.heard import dangers_heard
from saidonce.repairs.conversation.misspelt import LANGUAGES, meant, meant_everyday, words_of
from saidonce.repairs.conversation.spoken import ENGLISH

UK = named_pack("uk")


@dataclass(frozen=True, slots=True)
class ReadsAs:
    """A head that is as certain of every message."""

    certainty: float
    card: ClassVar[HeadCard] = HeadCard("none", ("harmless", "fire"), 0.37, 0.995)

    def read(self, message: str) -> DangerReading:
        return DangerReading("fire", self.certainty)


@pytest.mark.parametrize(
    ("text", "language", "kind"),
    [
        ("there's a fre in the kitchen", "en", "fire"),  # a letter missing
        ("i can smell gsa in the hall", "en", "gas"),  # two letters swapped
        ("i want to kil myself", "en", "self_harm"),  # one of a pair missing
        ("it smells ofgas here", "en", "gas"),  # two words glued
        ("hay fuwgo en el salon", "es", "fire"),  # a key beside
        ("no quiero vivr mas", "es", "self_harm"),
        ("ca sent le gazz dans le couloir", "fr", "gas"),  # a letter doubled
        ("on est blqoués dans l'ascenseur", "fr", "trapped"),
        ("die Deke ist runtergekommen", "de", "structure"),
        ("jemand bircht die Haustür auf", "de", "intruder"),
        ("mio nonno non resipra", "it", "medical"),
        ("sento odore di ags", "it", "gas"),
    ],
)
def test_a_misspelt_word_of_danger_raises_the_question_and_no_more(text: str, language: str, kind: str) -> None:
    (found,) = dangers_heard(UK, text, language)
    assert (found.kind, found.is_sure) == (kind, False)


@pytest.mark.parametrize(
    ("text", "language", "kind"),
    [
        ("a crack over the door has opened and the plaster hangs", "en", "structure"),
        ("the latch has seized and my niece is on the wrong side", "en", "trapped"),
        ("a brick landed on his head", "en", "medical"),
        ("mia zia continua a sanguinare", "it", "medical"),
        ("la spina del frigo fumava stamattina", "it", "electric_shock"),
        ("un vaso è caduto in testa al portiere", "it", "medical"),
        ("la multiprise fumait ce matin", "fr", "electric_shock"),
        ("une tuile est tombée sur la tête du facteur", "fr", "medical"),
        ("mi abuelo no deja de sangrar", "es", "medical"),
        ("ein Ziegel ist ihm auf den Kopf gefallen", "de", "medical"),
    ],
)
def test_dangers_are_on_the_lists_in_every_form_of_their_verbs(text: str, language: str, kind: str) -> None:
    assert kind in {match.kind for match in dangers_heard(UK, text, language)}


@pytest.mark.parametrize("text", ["Feur im Keller", "quiero suicdarme"])
def test_what_is_meant_may_show_the_language_that_a_mistake_hid(text: str) -> None:
    assert dangers_heard(UK, text, ENGLISH)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("what's the fee for parking, or is it free?", "en"),
        ("the fir tree and the file", "en"),
        ("el juego de llaves", "es"),
        ("me lo pude llevar hace dos años", "es"),
        ("un peu de bruit, ma femme l'a dit", "fr"),
        ("unser Gast kommt zur Feier, der Brauch ist neu", "de"),
        ("la firma sul contratto del posto auto", "it"),
    ],
)
def test_a_word_of_the_language_is_never_read_as_misspelt(text: str, language: str) -> None:
    assert meant(text, language) == text


@pytest.mark.parametrize(("certainty", "n_found"), [(0.19, 0), (0.21, 1)])
def test_a_word_that_may_as_well_be_an_everyday_one_needs_the_head_to_agree(certainty: float, n_found: int) -> None:
    reader = ReadsAs(certainty)
    assert len(dangers_heard(UK, "is parking fre for visitors", ENGLISH, reader)) == n_found


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("the smoke alarm chirrps every minute", "en"),
        ("gas bil came in the wrong name", "en"),
        ("la bolleta del gas è a nome sbagliato", "it"),
    ],
)
def test_a_harmless_compound_with_a_mistake_in_it_asks_nothing(text: str, language: str) -> None:
    assert not dangers_heard(UK, text, language)


def test_a_word_of_danger_goes_before_a_harmless_one_as_near() -> None:
    assert meant_everyday("smoke, fre in the hall", ENGLISH) == "smoke, fire in the hall"


def test_a_language_without_a_list_of_right_words_is_read_as_it_is_written() -> None:
    assert meant("jest pozzar w kuchni", "pl") == "jest pozzar w kuchni"


@pytest.mark.parametrize("language", [tag for tag in LANGUAGES if tag != ENGLISH])
def test_right_words_are_no_words_of_danger_and_lie_near_one(language: str) -> None:
    known = words_of(language)
    listed = known.right - known.harmless
    assert not listed & known.danger
    assert set(near(listed, known.danger | known.harmless)) == listed


def test_the_head_alone_raises_nothing_about_words_that_were_mended() -> None:
    class ReadsMended:
        card = ReadsAs.card

        def read(self, message: str) -> DangerReading:
            return DangerReading("fire", 0.9 if "window" in message else 0.1)

    assert not dangers_heard(UK, "bedrom windo hangle is snaped of", ENGLISH, ReadsMended())
