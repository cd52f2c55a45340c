""" "Nobody is hurt" in other words answers a question about danger with no, in each language, unless it says more."""

from __future__ import annotations

import pytest

from saidonce.repairs.conversation import lexicon
from saidonce.repairs.conversation.emergency import named_pack
from saidonce.repairs.conversation.heard import as_heard, dangers_heard

UNHURT = {
    "en": "nobody got hurt | no one's injured | nobody was harmed | no injuries | we are all ok, nobody injured",
    "de": "es wurde niemand verletzt | niemand hat sich wehgetan | keinem ist was passiert | keine Verletzten",
    "fr": "aucun blessé | personne ne s'est fait mal | il n'y a pas de blessés | personne n'a été blessé",
    "es": "nadie resultó herido | no hay heridos | nadie se lastimó | no le ha pasado nada a nadie",
    "it": "non ci sono feriti | nessuno si è fatto niente | nessuno si è fatto male | nessun ferito",
    "nl": "er is niemand gewond | niemand heeft zich bezeerd | geen gewonden | niemand is iets overkomen",
    "pl": "nie ma rannych | nikt się nie zranił | nikt nie ucierpiał | nikomu nic się nie stało",
    "pt": "ninguém se magoou | ninguém se machucou | não há feridos | não aconteceu nada a ninguém",
    "ro": "nu sunt răniți | nimeni nu s-a rănit | nimeni rănit",
}
MORE = {
    "en": "nobody is hurt but the smoke is getting thicker | no one else is hurt, only my mum",
    "de": "niemand ist verletzt, aber es brennt noch | nur meine Mutter ist verletzt",
    "fr": "personne n'est blessé mais ça brûle encore | seule ma mère est blessée",
    "es": "no hay heridos pero sigue ardiendo | solo mi madre está herida",
    "it": "nessuno è ferito ma brucia ancora | solo mia madre è ferita",
    "nl": "niemand is gewond maar het brandt nog | alleen mijn moeder is gewond",
    "pl": "nikt nie jest ranny, ale dalej się pali | tylko moja mama jest ranna",
    "pt": "ninguém se magoou mas ainda está a arder | só a minha mãe está ferida",
}
PACK = named_pack("uk")


def answer(text: str, language: str) -> bool | None:
    """How a message answers "is anybody in danger right now?", as the scan reads it."""
    return lexicon.in_danger(as_heard(text, language)[0], bool(dangers_heard(PACK, text, language)))


@pytest.mark.parametrize(("tag", "text"), [(t, x) for t, texts in UNHURT.items() for x in texts.split(" | ")])
def test_it_is_a_no(tag: str, text: str) -> None:
    assert answer(text, tag) is False


@pytest.mark.parametrize(("tag", "text"), [(t, x) for t, texts in MORE.items() for x in texts.split(" | ")])
def test_with_more_than_that_it_is_none(tag: str, text: str) -> None:
    assert answer(text, tag) is not False
