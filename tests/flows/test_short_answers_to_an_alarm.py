"""Short answers after an alarm that asked nothing: each gets a true reply in its language, and none calms the alarm."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

import pytest

from saidonce.foundation.model.conversation import Alarm, LandlordEvent
from saidonce.repairs import conversation
from saidonce.repairs.conversation import Orchestration, Rules
from talking import World

FIRE = {
    "en": ("the kitchen is on fire", "Stay outside", "yes no 1 2 ok thanks nobody"),
    "de": ("die Küche brennt", "Bleiben Sie draußen", "ja nein 1 2 ok danke niemand"),
    "fr": ("il y a le feu dans la cuisine", "Restez dehors", "oui non 1 2 d'accord merci personne"),
    "es": ("hay fuego en la cocina", "Quédese fuera", "sí no 1 2 vale gracias nadie"),
    "it": ("c'è un incendio in cucina", "Resti fuori", "sì no 1 2 ok grazie nessuno"),
    "nl": ("er is brand in de keuken", "Blijf buiten", "ja nee 1 2 oké bedankt niemand"),
    "pl": ("pali się kuchnia", "zostać na zewnątrz", "tak nie 1 2 dobrze dziękuję nikt"),
    "pt": ("a cozinha está a arder", "Fique lá fora", "sim não 1 2 ok obrigado ninguém"),
}


@pytest.mark.parametrize(
    ("tag", "short"), [(tag, word) for tag, (_, _, shorts) in FIRE.items() for word in shorts.split()]
)
def test_a_short_answer_is_passed_on_with_how_to_stay_safe_and_calms_nothing(tag: str, short: str) -> None:
    alarm, stay, _ = FIRE[tag]
    world = World(rules=Rules(orchestration=Orchestration.OFF))
    world.say("hello")
    held = world.say(alarm)
    before = len(world.store.outbox(held.id))
    world.say(short)
    said = [m.text for m in world.store.outbox(held.id)][before:]
    assert len(said) == 1
    assert stay in said[0]
    assert said[0].rstrip(".").endswith(short)
    (event,) = world.store.events()
    assert event.state is Alarm.SUSPECTED
    assert event.cleared_at is None
    assert LandlordEvent.ALL_CLEAR_SAID not in {n.event for n in world.store.notices()}


def test_what_settled_a_question_gets_one_reply_and_the_same_again_another() -> None:
    world = World(rules=Rules(orchestration=Orchestration.OFF))
    world.say("hello")
    held = world.say("theres a burny smell near the fuse box")
    assert [e.state for e in world.store.events()] == [Alarm.POSSIBLE]
    n = [len(world.store.outbox(held.id))]
    for _ in range(2):
        world.say("1")
        n.append(len(world.store.outbox(held.id)))
    assert [b - a for a, b in pairwise(n)] == [1, 1]
    assert [e.state for e in world.store.events()] == [Alarm.VALIDATED]
    assert world.clock.now() - held.started_at < timedelta(hours=1)
    assert conversation.work(world.deps, "w") is None
