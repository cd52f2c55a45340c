"""Room: packs of emergency phrases, and whether a message holds one. Recall first; word boundaries always."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from importlib import resources
from typing import Any

from saidonce.errors import SettingsError
from saidonce.model.conversation import EmergencyEvent
from saidonce.text import normalise

PACKS = ("uk", "us", "eu-en")
"""Packs that come along; an organisation may bring its own file."""

_GAP = r"(?:\W+\w+(?:'\w+)?){0,4}?\W+"


@dataclass(frozen=True, slots=True)
class Class:
    """One class of emergencies.

    Attributes:
        kind: its name, such as "gas".
        is_critical: the landlord is alerted at once, and no model may call it off.
        phrases: words in order; `word*` also longer words, `a/b` one of several, `~` up to four words between,
            `-word` not followed by it.
        safety: what the resident is told at once; every number to call is in it.
        recall: messages that have to hit, for the pack's own test.
    """

    kind: str
    is_critical: bool
    phrases: tuple[str, ...]
    safety: str
    recall: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pack:
    """The classes of a country or an organisation, most urgent first, and the numbers that replies may contain."""

    name: str
    numbers: tuple[str, ...]
    classes: tuple[Class, ...]

    def of(self, kind: str) -> Class:
        """Give a class by its name."""
        return next(c for c in self.classes if c.kind == kind)


@dataclass(frozen=True, slots=True)
class Hit:
    """A phrase of a class that a message holds."""

    kind: str
    phrase: str


def read_pack(content: str) -> Pack:
    """Read a pack.

    Raises:
        SettingsError: it is no TOML of this shape.
    """
    try:
        rows = tomllib.loads(content)
        classes = tuple(_class(kind, row) for kind, row in rows["class"].items())
        return Pack(str(rows["name"]), tuple(map(str, rows["numbers"])), classes)
    except (tomllib.TOMLDecodeError, KeyError, TypeError, AttributeError) as bad:
        raise SettingsError(
            "emergency_pack", content[:40], f"a pack as docs/how-to/conversations.md has it ({bad})"
        ) from bad


@lru_cache(maxsize=8)
def named_pack(name: str) -> Pack:
    """Give a pack that comes along.

    Raises:
        SettingsError: there is none of that name.
    """
    if name not in PACKS:
        raise SettingsError("emergency_pack", name, "one of " + ", ".join(PACKS))
    return read_pack((resources.files("saidonce.converse") / "packs" / f"{name}.toml").read_text(encoding="utf-8"))


def hits(pack: Pack, message: str) -> tuple[Hit, ...]:
    """Give the classes that a message hits, in the pack's order, each with its first phrase."""
    said = normalise(message)
    found = []
    for each in pack.classes:
        phrase = next((p for p in each.phrases if _pattern(p).search(said)), "")
        if phrase:
            found.append(Hit(each.kind, phrase.partition(" -")[0]))
    return tuple(found)


def quiet(events: Sequence[EmergencyEvent], kind: str, at: datetime, again_s: float) -> bool:
    """Tell whether a class was answered so lately that it is not answered again."""
    return any(e.kind == kind and e.replied and abs(at - e.at) < timedelta(seconds=again_s) for e in events)


def _class(kind: str, row: dict[str, Any]) -> Class:
    phrases, recall = tuple(map(normalise, row["phrases"])), tuple(map(str, row["recall"]))
    return Class(kind, bool(row["critical"]), phrases, " ".join(str(row["safety"]).split()), recall)


@lru_cache(maxsize=4_096)
def _pattern(phrase: str) -> re.Pattern[str]:
    made, gap = "", ""
    for word in phrase.split():
        if word == "~":
            gap = _GAP
            continue
        one = "|".join(
            re.escape(w.rstrip("*")) + (r"[\w']*" if w.endswith("*") else "") for w in word.lstrip("-").split("/")
        )
        if word.startswith("-"):
            made += rf"(?!\W+(?:{one})(?!\w))"
            continue
        made += (gap or r"\W+") * bool(made) + f"(?:{one})"
        gap = ""
    return re.compile(rf"(?<![\w-]){made}(?!\w)")
