"""What both channels find in a message, words in any language and the trained head. Either may only raise.

words sure -> sure; words possible -> possible, sure if the head is sure beside it; no words -> what the head says
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Protocol

from saidonce.errors import ModelUnavailableError
from saidonce.foundation.text import folded
from saidonce.repairs.conversation import emergency, foreign_dangers
from saidonce.repairs.conversation.danger_head import HARMLESS, DangerReading, HeadCard
from saidonce.repairs.conversation.emergency import Pack, PhraseMatch, find_dangers
from saidonce.repairs.conversation.foreign_dangers import find_foreign, without_harmless
from saidonce.repairs.conversation.gloss import foreign_words
from saidonce.repairs.conversation.scenes import find_scenes

_NUMBERED = re.compile(r"(?:^|(?<=\s))\(?[1-9][.)]\s")
_ANNOUNCED = re.compile(
    r"(?i)\b(?:two|2|three|3|couple of|dos|tres|deux|trois|zwei|drei|dwie|trzy)"
    r" (?:things|problems|issues|repairs|jobs|faults|cosas|problemas|aver[i\u00ed]as|choses|probl[e\u00e8]mes|pannes"
    r"|soucis|sachen|probleme|m[a\u00e4]ngel|dinge|sprawy|rzeczy|usterki|problemy)\b[^\w]*"
)
_JOINTS = re.compile(r"(?i)[.;,\n]\s*|(?<!\s)\s++(?:and|plus|also|y|et|und|i|oraz)\s++")

GENERAL = "danger"
"""Class of a danger that words name without saying which."""


class DangerReader(Protocol):
    """The second channel: reads a danger described without its usual word."""

    @property
    def card(self) -> HeadCard:
        """From which certainty a question is due, and from which the safety text."""
        ...

    def read(self, message: str) -> DangerReading:
        """Return the likeliest class of danger and how certain it is that there is any.

        Raises:
            ModelUnavailableError: its model failed.
        """
        ...


def read_dangers(
    pack: Pack, message: str, reader: DangerReader | None = None, unread: str | None = None
) -> tuple[PhraseMatch, ...]:
    """Return the dangers in a message with the evidence of both channels, as `find_dangers` orders them.

    What words find never falls away and never turns from sure into possible by what the head reads. A reader that
    fails leaves the words alone; the evidence says so.

    Args:
        unread: what the words of the message have not shown to be everyday, for the head; None for all of it. Beside
            words of danger the head reads all of it.
    """
    words = by_words(pack, message)
    rest = message if words or unread is None else unread
    if reader is None or not rest.strip():
        return tuple(replace(m, evidence=(f"words: {m.phrase}",)) for m in words)
    try:
        reading = reader.read(rest)
    except ModelUnavailableError:
        return tuple(replace(m, evidence=(f"words: {m.phrase}", "head: not available")) for m in words)
    return _together(words, reading, reader.card, _is_calm(message))


def listed_problems(message: str) -> tuple[str, ...]:
    """Return the problems of a message that says how many they are, or numbers them; the whole of any other."""
    if len(_NUMBERED.findall(message)) > 1:
        parts = _NUMBERED.split(message)
    elif announced := _ANNOUNCED.search(message):
        parts = [message[: announced.start()], *_JOINTS.split(message[announced.end() :])]
    else:
        return (message,)
    return tuple(part.strip() for part in parts if part.strip())


def by_words(pack: Pack, message: str) -> tuple[PhraseMatch, ...]:
    """Return what phrases, words and scenes find in any language; all sure classes, or the first possible one.

    A general cry for help adds nothing to a class that is known. Problems that the writer lists are read one by one: a
    tap that drips and a light that flickers, said to be two things, are no water in a light.
    """
    listed = listed_problems(message)
    if len(listed) > 1:
        each = tuple(match for part in listed for match in by_words(pack, part))
        sure = tuple({m.kind: m for m in each if m.is_sure}.values())
        return sure or each[:1]
    others = foreign_words()
    english = find_dangers(pack, message, others)
    foreign = (*find_foreign(message), *find_scenes(without_harmless(message)))
    if english and not english[0].is_sure and (masked := without_harmless(message)) != folded(message):
        english = find_dangers(pack, masked, others)
    kinds = {m.kind for m in english if m.is_sure}
    sure = (*(m for m in english if m.is_sure), *(m for m in foreign if m.is_sure and m.kind not in kinds))
    particular = tuple(m for m in sure if m.kind != GENERAL)
    return particular or sure or (*english, *foreign)[:1]


def _together(
    words: tuple[PhraseMatch, ...], reading: DangerReading, card: HeadCard, is_calm: bool
) -> tuple[PhraseMatch, ...]:
    head = f"head: {reading.kind} {reading.certainty:.2f}"
    is_sure = reading.certainty >= card.sure_from and not is_calm
    if not words:
        if reading.kind == HARMLESS or reading.certainty < card.asks_from:
            return ()
        return (PhraseMatch(reading.kind, head, is_sure, (head,), reading.certainty),)
    matches = []
    for each in words:
        is_general = each.kind == GENERAL and reading.certainty >= card.asks_from
        kind = reading.kind if is_general and not each.is_sure else each.kind
        evidence = (f"words: {each.phrase}", head)
        matches.append(replace(
            each, kind=kind, is_sure=each.is_sure or is_sure, evidence=evidence, certainty=reading.certainty
        ))  # fmt: skip
    return tuple(matches)


def _is_calm(message: str) -> bool:
    return "?" in message or emergency.calms(message) or foreign_dangers.calms(message)
