"""The hidden goal of a scripted tenant, determined by a seed."""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import StrEnum

from saidonce.quality.tenants import phrases


class Aim(StrEnum):
    """The aim of a tenant."""

    REPORT = "report"
    REPORT_TWO = "report_two"
    CORRECT = "correct"
    WITHDRAW = "withdraw"
    ASK = "ask"
    ASK_AFTER = "ask_after"
    PERSON = "person"
    EMERGENCY = "emergency"
    EMERGENCY_OTHERWISE = "emergency_otherwise"
    OTHER_LANGUAGE = "other_language"


WEIGHTS = {
    Aim.REPORT: 30, Aim.REPORT_TWO: 10, Aim.CORRECT: 8, Aim.WITHDRAW: 10, Aim.ASK: 8, Aim.ASK_AFTER: 8, Aim.PERSON: 8,
    Aim.EMERGENCY: 6, Aim.EMERGENCY_OTHERWISE: 6, Aim.OTHER_LANGUAGE: 6,
}  # fmt: skip


class PhotoWill(StrEnum):
    """A tenant's reaction to a request for a photo."""

    REFUSES = "refuses"
    SENDS = "sends"
    LATER = "later"
    IGNORES = "ignores"


@dataclass(frozen=True, slots=True)
class BrokenThing:
    """A broken thing, and facts about it."""

    name: str
    does: str
    room: str
    facts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Goal:
    """The aim and the traits of a tenant.

    Attributes:
        wrong_room: the room first named by mistake, for a tenant who corrects it.
        opening: the first message of aims without a problem.
        foreign: a report in another language; None for English.
        typos: chance of an error in a word.
        is_known: the assistant already knows the sender; otherwise it recognises the number.
        is_repeating: a message is delivered twice.
        waits_long: some messages come hours later.
    """

    aim: Aim
    mood: str
    photo: PhotoWill
    problems: tuple[BrokenThing, ...] = ()
    wrong_room: str = ""
    opening: str = ""
    foreign: phrases.Foreign | None = None
    typos: float = 0.0
    is_known: bool = False
    is_repeating: bool = False
    waits_long: bool = False


def drawn(chance: random.Random) -> Goal:
    """Return a goal drawn from `chance`, reproducible by its state."""
    aim = chance.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
    n = {Aim.REPORT_TWO: 2, Aim.ASK: 0, Aim.PERSON: 0, Aim.EMERGENCY: 0, Aim.EMERGENCY_OTHERWISE: 0}.get(aim, 1)
    things = chance.sample(phrases.THINGS, 2)
    problems = tuple(_problem(chance, thing) for thing in things[: 0 if aim is Aim.OTHER_LANGUAGE else n])
    other_rooms = [r for r in ("kitchen", "bathroom", "bedroom") if not problems or r != problems[0].room]
    openings = {
        Aim.ASK: tuple(phrases.QUESTIONS), Aim.PERSON: phrases.PERSON, Aim.EMERGENCY: phrases.EMERGENCIES_PLAIN,
        Aim.EMERGENCY_OTHERWISE: phrases.EMERGENCIES_OTHERWISE,
    }.get(aim, ("",))  # fmt: skip
    return Goal(
        aim, chance.choice(list(phrases.MOODS)), chance.choice(list(PhotoWill)), problems,
        chance.choice(other_rooms) if aim is Aim.CORRECT else "", chance.choice(openings),
        chance.choice(phrases.FOREIGN) if aim is Aim.OTHER_LANGUAGE else None,
        chance.choice((0.0, 0.0, 0.04, 0.10)), chance.random() < 0.3, chance.random() < 0.1, chance.random() < 0.15,
    )  # fmt: skip


def _problem(chance: random.Random, thing: phrases.Thing) -> BrokenThing:
    facts = tuple(chance.sample(phrases.FACTS, chance.choice((0, 0, 1, 2))))
    return BrokenThing(thing.name, chance.choice(thing.does), chance.choice(thing.rooms), facts)
