"""Dangers told beside an everyday errand, in words of their own, and what sounds like them and is none."""

from __future__ import annotations

import pytest

from saidonce.repairs.conversation import named_pack
from saidonce.repairs.conversation.dangers import by_words

UK = named_pack("uk")

DANGERS = """my nan won't open her eyes and she's cold
the baby has gone floppy, she's all limp
the little one got hold of the bleach capsules
there's an eggy smell near the hob
hay un olor y mi hija no abre los ojos
mon fils n'ouvre plus les yeux
meine Tochter macht die Augen nicht auf
la bambina non apre più gli occhi
tata nie otwiera oczu
ze doet haar ogen niet open
ele não abre os olhos
I can't talk, he'd hear me
no puedo hablar, me oiría
sonst hört er mich
the kitchen ceiling has sagged about a foot
die Decke im Bad ist abgesackt
every time I touch the tap it knocks my arm away
got a jolt off the cooker
the beeper keeps going and we all feel dizzy
the loft next door has an orange glow, it flickers
I'm shut in, the bolt has dropped down outside""".splitlines()

HARMLESS = """The plant in the hall has gone limp since the heating went off.
The blind cord is all floppy now.
I got hold of new batteries for the remote of the heater.
They'd hear us through this wall all night, please look at the insulation.
There is an orange light on the boiler's door.
My son had a mouthful of cereal when the shelf came down.
The washing machine gets a kick from me to start.
The app throws me back to the menu when I touch the button.
The cat won't open its mouth near that bowl.
We smelled rotten fruit in the bin store.
Die Lampe an der Decke hängt in der Mitte schief.
Le joint de la fenêtre est tout mou.
La baguette du placard est toute molle.
Der Schlauch der Dusche ist ganz schlaff.
El techo del baño tiene una mancha en el centro.
The bar of the towel rail has fallen behind the bath.
The bolt of the gate slid off and lies outside.
The neighbour's orange cat is on the roof again.
I never hear the bell, he'd have to knock.
The hallway lamp has an orange shade and hums.
Could you open my eyes to what the contract says?
Sonst hört er die Klingel nicht.
The ceiling fan in the middle has dropped its cover.
He will hear me knock if I come at ten.""".splitlines()


@pytest.mark.parametrize("errand", ["", "No photo, sorry. ", "Cancel the plumber: "])
@pytest.mark.parametrize("danger", DANGERS)
def test_a_danger_is_heard_beside_an_errand(danger: str, errand: str) -> None:
    assert by_words(UK, errand + danger)


@pytest.mark.parametrize("sentence", HARMLESS)
def test_what_merely_sounds_like_it_asks_nothing(sentence: str) -> None:
    assert not by_words(UK, sentence)
