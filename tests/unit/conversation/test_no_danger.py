"""Words of danger that mean none: each reason takes out its own words, and nothing of danger beside it."""

from __future__ import annotations

import pytest

from saidonce.foundation.text import folded
from saidonce.repairs.conversation import lexicon, no_danger
from saidonce.repairs.conversation.dangers import by_words
from saidonce.repairs.conversation.emergency import named_pack
from saidonce.repairs.conversation.everyday import unread_words
from saidonce.repairs.conversation.foreign_dangers import find_foreign
from saidonce.repairs.conversation.phrase_syntax import MASK, phrase_pattern

UK = named_pack("uk")


@pytest.mark.parametrize(
    "message",
    [
        "her next door is fuming, no smoke or anything", "my lad plays firemen", "he got a water pistol",
        "la vecina está que echa humo por lo de las bicis", "se ahoga en un vaso de agua", "quiere la pared rojo fuego",
        "il a pété un câble, le fauteuil électrique", "la voisine fume au balcon", "que faire en cas d'incendie ?",
        "er spielt Feuerwehr im Flur", "die Wasserpistole tropft", "gioca ai pompieri", "vuole la camera rosso fuoco",
        "bawi się w strażaka", "hij speelt brandweerman", "ela brinca aos bombeiros",
        "nobody is in danger", "nikomu nic nie jest",
    ],
)  # fmt: skip
def test_figures_games_and_denials_are_no_danger(message: str) -> None:
    assert MASK in no_danger.masked(folded(message))
    assert by_words(UK, message) == ()


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("no smoke or anything, but the cooker is on fire", "fire"),
        ("mi hijo juega a los bomberos y hay fuego en la cocina", "fire"),
        ("la vecina está que echa humo, y sale humo de la lavadora", "fire"),
        ("il n'y a pas de fumée mais ma mère ne respire plus", "medical"),
        ("er spielt Feuerwehr, und aus der Steckdose kommt Rauch", "fire"),
        ("gioca ai pompieri, ma mio padre non respira", "medical"),
        ("palnik był całą noc otwarty bez ognia i czuć gaz", "gas"),
        ("nobody is in, but there is a fire next door", "fire"),
        ("nobody came, and we are in danger", "danger"),
    ],
)
def test_a_danger_beside_them_is_found(message: str, kind: str) -> None:
    assert kind in {match.kind for match in by_words(UK, message)}


@pytest.mark.parametrize(
    "message",
    [
        "last year there was a fire over the road", "when I was little my parents' house flooded",
        "my brother in law's balcony collapsed in Leeds, glad we haven't got one",
        "el año pasado hubo un incendio en la nave", "quand j'étais petite la maison a été inondée",
        "l'anno scorso c'è stato un incendio", "a mio cognato è crollato un balcone, meno male che noi non ne abbiamo",
    ],
)  # fmt: skip
def test_what_is_over_or_elsewhere_is_no_danger(message: str) -> None:
    assert by_words(UK, message) == ()


@pytest.mark.parametrize(
    "message",
    [
        "last year there was a fire and now there is one again",
        "my dad died last year and the kitchen is flooded",
        "my brother in law's balcony collapsed",
        "el año pasado hubo un incendio y ahora otra vez hay humo",
        "a mio cognato è crollato un balcone",
        "l'an dernier il y a eu un incendie, et maintenant ça brûle encore",
    ],
)
def test_what_goes_on_or_may_be_here_is_asked_about(message: str) -> None:
    assert by_words(UK, message) != ()


def test_nothing_but_their_own_words_goes() -> None:
    assert no_danger.without("Mi hijo juega a los bomberos con el cubo") == "mi hijo con el cubo"
    assert no_danger.without("El grifo gotea.") == "El grifo gotea."


def test_a_word_before_may_stand_against_a_phrase() -> None:
    pattern = phrase_pattern("-ya no hay humo")
    assert pattern.search("no hay humo")
    assert not pattern.search("ya no hay humo")


@pytest.mark.parametrize(
    ("address", "language"),
    [("12 rue des Lilas", "fr"), ("Calle Mayor 4", "es"), ("Lindenstraße 7", "de"), ("via Roma 21", "it")],
)
def test_a_mere_address_is_not_given_to_the_head(address: str, language: str) -> None:
    assert unread_words(address, language) == ""
    assert unread_words(f"{address}, il y a de la fumée", language) != ""


def test_a_lookalike_is_no_misspelled_danger() -> None:
    assert find_foreign("ya está apagado") == ()
    assert find_foreign("está alagado") != ()


def test_no_one_hurt_is_a_no() -> None:
    assert lexicon.in_danger("no its ok, no one is hurt", holds_danger=False) is False
    assert lexicon.in_danger("no its ok but she is hurt", holds_danger=False) is None


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("my neighbour's kitchen is on fire", "fire"),
        ("there's smoke coming from the smoke detector cupboard", "fire"),
        ("the glue gun set the carpet on fire", "fire"),
        ("the electric wheelchair is on fire in the hall", "fire"),
        ("toy fire engine melted on the heater and it's burning now", "fire"),
        ("no smoke alarm in here and I can smell gas", "gas"),
        ("nobody is hurt but the ceiling came down", "structure"),
        ("we got everyone out, nobody inside, flat is burning", "danger"),
        ("last month there was a leak and tonight water is pouring in", "water"),
        ("my mum's boiler is leaking gas", "gas"),
        ("fireworks went off in the hallway and the door is on fire", "fire"),
        ("laptop battery died and now smokes and hisses", "fire"),
        ("the fire exit is blocked and there is fire on the stairs", "fire"),
        ("I burnt the chips and the pan is still in flames", "fire"),
        ("the tent collapsed on my son he can't breathe", "medical"),
        ("the website crashed and also sparks come out of the fuse box", "electric_shock"),
        ("trapped in the lift with my baby", "trapped"),
        ("I'm boiling in here and feel faint, chest pain", "medical"),
        ("the bed collapsed and she is unconscious", "medical"),
        ("steam is coming out of the boiler with a loud bang", "fire"),
        ("dead tired from the carbon monoxide alarm going off", "carbon_monoxide"),
        ("no fire yet but the socket is sparking", "electric_shock"),
        ("not on fire yet", "fire"),
        ("there is no smoke any more but it smells of gas", "gas"),
    ],
)
def test_a_danger_in_the_words_of_an_idiom_is_found(message: str, kind: str) -> None:
    """Written after the reasons, without a look at them; all were found at first."""
    assert kind in {match.kind for match in by_words(UK, message)}
