"""What an issue says, without the person who said it."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import fields, is_dataclass, replace
from typing import Any

from saidonce.foundation.model.conversation import Issue

NO_WORDS = "{category} problem (the resident's words were erased)"
_KEPT = frozenset(
    {
        "id", "turn_id", "conversation_id", "tenancy_id", "property_id", "category", "urgency", "photo", "created_at",
        "media", "state", "review", "also_affected", "needs_call",
    }
)  # fmt: skip
"""Fields of an issue that hold no words of a resident."""

_SENTENCE = re.compile(r"(?<=[.!?;\n])\s++|(?<!\s)\s++[|/]\s++")
_NAMING = re.compile(
    r"https?://|\+?\d[\d\s()/-]{6,}\d"
    r"|\b(?:my name is|i am called|i'm called|me llamo|je m'appelle|ich hei(?:ss|ß)e|mein name|nazywam si[eę]"
    r"|me chamo|numele meu|m[aă] numesc)\b",
    re.IGNORECASE,
)
"""What tells of a sentence that it may say who wrote: a link, a number, an introduction; or an address."""


def _is_address(word: str) -> bool:
    """Return whether a word holds an address of e-mail, whatever stands around it."""
    at = word.find("@", 1)
    return at > 0 and "." in word[at + 2 : -1]


def without_person(issue: Issue, names: Collection[str], keeps_words: bool) -> Issue:
    """Return an issue without sentences that name a person; without any words unless they are to be kept.

    Every field of text is treated so, whatever it is called.

    Args:
        names: words, numbers and ids that tell who the person is.
    """

    def scrub(text: str) -> str:
        return redacted(text, names) if keeps_words else ""

    changed = {f.name: _scrubbed(getattr(issue, f.name), scrub) for f in fields(issue) if f.name not in _KEPT}
    description = str(changed["description"]) or NO_WORDS.format(category=issue.category).strip().capitalize()
    return replace(issue, **{**changed, "description": description})


def redacted(text: str, names: Collection[str]) -> str:
    """Return a text without the sentences that name a person."""
    words = {name.casefold() for name in names if not _digits(name)}
    numbers = {_digits(name)[-9:] for name in names if len(_digits(name)) >= 7}
    keep = [s for s in _SENTENCE.split(text) if not _tells(s, words, numbers)]
    return " ".join(part.strip() for part in keep if part.strip())


def _tells(sentence: str, words: Collection[str], numbers: Collection[str]) -> bool:
    if (
        _NAMING.search(sentence)
        or any(map(_is_address, sentence.split()))
        or any(number in _digits(sentence) for number in numbers)
    ):
        return True
    there = sentence.casefold()
    return any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", there) for word in words if word)


def _digits(text: str) -> str:
    return re.sub(r"[^0-9]", "", text)


def _scrubbed(value: Any, scrub: Any) -> Any:
    if isinstance(value, str):
        return scrub(value) if type(value) in (str,) or not hasattr(value, "value") else value
    if isinstance(value, tuple):
        return tuple(filter(lambda part: part != "", (_scrubbed(part, scrub) for part in value)))
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: _scrubbed(getattr(value, f.name), scrub) for f in fields(value)})
    return value
