"""Made-up phrases of scripted tenants: problems, moods, refusals, emergencies, other languages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Thing:
    """Something that breaks: its name, what it does, and the rooms where it may be."""

    name: str
    does: tuple[str, ...]
    rooms: tuple[str, ...]


THINGS = (
    Thing("tap", ("won't stop dripping", "keeps dripping", "drips all night"), ("kitchen", "bathroom", "utility room")),
    Thing("radiator", ("is stone cold", "stays cold at the top"), ("bedroom", "living room", "hallway")),
    Thing("toilet", ("won't flush", "keeps running", "is blocked"), ("bathroom", "downstairs loo", "en suite")),
    Thing("shower", ("only runs cold", "has hardly any pressure"), ("bathroom", "en suite")),
    Thing("sink", ("is blocked", "drains really slowly"), ("kitchen", "bathroom")),
    Thing("ceiling light", ("flickers", "doesn't come on"), ("hallway", "kitchen", "bedroom")),
    Thing("window", ("won't close", "has a cracked pane", "lost its handle"), ("bedroom", "living room", "bathroom")),
    Thing("door", ("sticks", "won't shut", "squeaks terribly"), ("bedroom", "bathroom", "kitchen")),
    Thing("oven", ("doesn't heat up", "is dead"), ("kitchen",)),
    Thing("washing machine", ("won't drain", "doesn't spin"), ("kitchen", "utility room")),
    Thing("fridge", ("isn't cooling", "hums all night"), ("kitchen",)),
    Thing("boiler", ("keeps losing pressure", "shows an error"), ("kitchen", "airing cupboard", "utility room")),
    Thing("extractor fan", ("rattles", "has stopped turning"), ("bathroom", "kitchen")),
    Thing("blind", ("fell down", "won't go up"), ("living room", "bedroom")),
    Thing("carpet", ("is coming loose", "smells of damp"), ("hallway", "bedroom")),
    Thing("wall", ("has black mould on it", "is damp"), ("bedroom", "bathroom", "living room")),
    Thing("curtain rail", ("came off the wall",), ("living room", "bedroom")),
    Thing("cupboard door", ("fell off", "hangs on one hinge"), ("kitchen",)),
    Thing("shower screen", ("is cracked",), ("bathroom", "en suite")),
    Thing("smoke alarm", ("chirps every minute",), ("hallway", "landing")),
    Thing("intercom", ("is dead", "only crackles"), ("hallway",)),
    Thing("wardrobe", ("lost a leg", "fell apart"), ("bedroom",)),
)  # fmt: skip

FACTS = (
    "since sunday", "for three weeks now", "only home after 6pm", "i'm 79 and live alone", "we have a baby",
    "the dog bites so ring first", "it says F28", "pressure is 0.6 bar", "E119 on the display", "next to the stairs",
)  # fmt: skip
"""What tenants add; each has to stand in the issue."""

MOODS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "plain": (("",), ("",)),
    "chatty": (
        ("Hiya, hope you had a nice weekend! ", "Morning! It's me again, sorry. ", "Hi there, lovely weather today. "),
        (" Thanks so much x", " Hope that's ok!", ""),
    ),
    "angry": (
        ("THIS IS RIDICULOUS. ", "For the last time, ", "I pay rent for this?! "),
        (" Sort it out!!!", " Unbelievable.", ""),
    ),
    "curt": (("",), ("",)),
    "confused": (("erm hello, not sure this is the right place. ", "sorry if this is wrong, "), ("", " i think", " ?")),
}
"""Mood -> (beginnings, endings) of a message."""

REPORTS = ("the {name} in the {room} {does}", "{room}: {name} {does}", "my {name} {does}, it's in the {room}")
REPORTS_WITHOUT_ROOM = ("the {name} {does}", "{name} {does}", "my {name} {does}")
ROOMS = ("in the {room}", "{room}", "it's the one in the {room}", "the {room}")
TWO = ("two things: {one}, and {other}", "{one}. also {other}", "1) {one} 2) {other}")
REFUSALS = (
    "no", "no photo", "can't, my camera is broken", "i'd rather not", "i don't do pictures", "sorry no pic",
    "not possible, it's too dark", "nah", "i have no camera", "No.", "photos don't work on this phone",
)  # fmt: skip
PUT_OFF = ("i'll send one later", "gimme a min", "tonight when i'm home", "not now, later")
WITHDRAWALS = (
    "forget it, it works again", "never mind, my dad has sorted it", "all fixed now, no need to come",
    "cancel that please, it stopped by itself", "ignore that, it's fine now",
)  # fmt: skip
CORRECTIONS = (
    "sorry, i meant the {room}", "actually it's the {room}", "not the {wrong}, the {room}",
    "oh wait it's in the {room} not the {wrong}",
)  # fmt: skip
ASK_AFTER = (
    "what's happening with my {name}?", "any news about the {name}?", "nobody came about the {name} yet",
    "when will someone look at the {name}?",
)  # fmt: skip
PERSON = (
    "i want to speak to a real person", "can someone ring me please", "let me talk to a human",
    "i want to make a complaint about how this is handled", "my solicitor will hear about this",
    "stop with the bot, get me a person", "can i talk to someone in the office",
)  # fmt: skip
QUESTIONS = {
    "when are the bins collected?": "thursday", "where can visitors park?": "behind the house",
    "what's the notice period?": "two months", "am i allowed a dog here?": "", "who do i pay the rent to?": "",
    "can i paint the bedroom?": "",
}  # fmt: skip
"""What tenants ask, and words of the documents that answer it; empty where no document does."""

DOCUMENTS = (
    {"title": "Bins", "text": "Bins are collected every Thursday. Put them at the gate before 7 am."},
    {"title": "Parking", "text": "Visitors can park behind the house, for two hours at most."},
    {"title": "Moving out", "text": "The notice period is two months, in writing, to the end of a month."},
)
"""Documents of the tenants' landlord."""

EMERGENCIES_PLAIN = (
    "there's a fire in the kitchen", "i can smell gas", "water is pouring through the ceiling", "smoke everywhere",
    "a pipe has burst and the hall is flooding", "someone is breaking in", "the carbon monoxide alarm is going off",
    "sparks are coming out of the socket",
)  # fmt: skip
EMERGENCIES_OTHERWISE = (
    "everyone here feels sick and has a headache since the boiler came on", "it reeks of rotten eggs by the cooker",
    "the plug is melting", "the ceiling is bulging and creaking", "dad has collapsed and won't wake up",
    "there's a hissing from the meter and i feel dizzy", "somebody is kicking my door in, i'm hiding",
    "the fuse box is humming and too hot to touch", "there's an orange glow behind the cooker and my eyes sting",
)  # fmt: skip
AFTER_ALARM = ("we are outside now", "please hurry", "what do i do", "the neighbour is here too")
SMALL_TALK = ("thanks", "cheers", "ok", "great thank you", "👍", "lol ok")
NUDGES = ("???", "hello?", "anyone there")


@dataclass(frozen=True, slots=True)
class Foreign:
    """A report in another language: its text, the words to keep, and a refusal of a photo.

    Attributes:
        alarm: class of alarm that the text triggers by the language packs without a danger; empty for none.
    """

    language: str
    text: str
    facts: tuple[str, ...]
    refusal: str
    alarm: str = ""


_NO_PHOTO = {
    "es": "no puedo mandar una foto", "fr": "je ne peux pas faire de photo", "de": "ich kann kein Foto machen",
    "pl": "nie mogę zrobić zdjęcia", "pt": "não posso enviar foto", "ro": "nu pot trimite poză",
}  # fmt: skip

_ABROAD = (
    ("es", "Hola, el grifo de la cocina gotea desde el lunes", ("grifo", "cocina")),
    ("es", "La calefacción del salón no funciona, hace mucho frío", ("calefacción", "salón")),
    ("fr", "Bonjour, le robinet de la cuisine fuit depuis hier", ("robinet", "cuisine")),
    ("fr", "Le volet de la chambre est coincé, impossible de l'ouvrir", ("volet", "chambre")),
    ("de", "Guten Tag, der Wasserhahn in der Küche tropft ständig", ("wasserhahn", "küche")),
    ("de", "Die Heizung im Schlafzimmer bleibt leider kalt", ("heizung", "schlafzimmer")),
    ("pl", "Dzień dobry, kran w kuchni cały czas cieknie", ("kran", "kuchni")),
    ("pt", "Olá, a torneira da cozinha está a pingar desde ontem", ("torneira", "cozinha")),
    ("ro", "Bună ziua, robinetul din bucătărie picură de ieri", ("robinetul", "bucătărie")),
)
_NO_HEATING_AND_COLD = "hace mucho frío"
FOREIGN = tuple(
    Foreign(tag, text, facts, _NO_PHOTO[tag], "heating" if _NO_HEATING_AND_COLD in text else "")
    for tag, text, facts in _ABROAD
)
