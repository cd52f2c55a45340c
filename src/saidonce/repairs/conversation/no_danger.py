"""Words of danger that mean none: figures of speech, toys, what is denied, long past, or happened elsewhere.

Each list is a reason that can be shown. It takes out its own words and nothing beside them; whatever else a message
says is read as ever, by the lists of danger and by the trained head.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from saidonce.foundation.remembering import remembered
from saidonce.foundation.text import folded
from saidonce.repairs.conversation.phrase_syntax import MASK, Phrases

LISTS = ("idioms", "over_when", "over_what", "elsewhere", "relief", "now", "slip", "settled", "effect")
"""Lists of a language in `packs/no_danger.toml`, which documents them."""

_ANSWERS = re.compile(r"(?:no|non|nein|nie|nao|nee)\s*+[^\w\s']")
"""A "no" that answers something: what stands behind its comma is not denied by it."""

_STOP = re.compile(r"[,.;:!?\n](?!\d)")
MAX_WORDS_ACROSS = 4
"""Most words of a phrase that must stand in one clause: "it burns, the light is out" is no light that is on."""

_CLAUSE = re.compile(r"[^,.;:!?\n]+")
_JOINTS = {
    tag: re.compile(rf"(?<!\w)(?:{words})(?!\w)")
    for tag, words in {"en": "and|but|so", "es": "y|e|pero", "fr": "et|mais", "de": "und|aber",
                       "it": r"e(?!\W+\w+t[aeio](?!\w))|ma", "pl": "i|oraz|ale|a", "nl": "en|maar",
                       "pt": "e|mas"}.items()
}  # fmt: skip
"""What joins a clause to one that may say something else; Italian "e" is "is" before a participle."""


_OVER_NOW = re.compile(rf"(?<={MASK})\W{{1,3}}(?:now|maintenant|jetzt|ahora|ora|adesso)(?!\w)")
"""The "now" of "all fine now"."""

_AGAINST = re.compile(r"(?<!\w)(?:but|except|though|pero|salvo|aunque|mais|sauf|aber|ausser|ma|pero|tranne)(?!\w)")
"""What stands against the end of a slip: "all fine, but the wall is hot"."""


_NO_HEAT = re.compile(
    r"(?<!\w)(?:no|any) heat(?= (?:in|from|out of|coming out of) (?:it|there|the (?:dryer|drier|oven|grill|hob))\b)"
)
_WARMS = re.compile(r"(?<!\w)(?:dryer|drier|oven|grill|hob|hotplate|toaster|iron|hairdryer|towel rail)(?!\w)")
_HOME = re.compile(r"(?<!\w)(?:flat|house|home|radiators?|boiler|heating|heaters?|freezing)(?!\w)")
"""No heat in what dries or cooks, and words of a home that is cold."""


@dataclass(frozen=True, slots=True)
class NoDanger:
    """The lists of one language, and what joins its clauses."""

    joint: re.Pattern[str]
    idioms: Phrases
    over_when: Phrases
    over_what: Phrases
    elsewhere: Phrases
    relief: Phrases
    now: Phrases
    slip: Phrases
    settled: Phrases
    effect: Phrases

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where a text says something that is no danger, as half-open spans of characters."""
        hits = (m for m in self.idioms.finditer(text) if not _ANSWERS.match(m.group()))
        yield from (m.span() for m in hits if not _is_across(m.group()))
        yield from self._settled_slip(text)
        if self.now.search(text):
            return
        is_relieved = self.relief.search(text) is not None
        for start, end in _clauses(text, self.joint):
            whens = [m.span() for m in self.over_when.finditer(text, start, end)]
            if whens or (is_relieved and self.elsewhere.search(text, start, end)):
                whats = [m.span() for m in self.over_what.finditer(text, start, end)]
                yield from (*whens, *whats) if whats else ()

    def _settled_slip(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the words of danger of a slip in the kitchen or bath that the writer names and says to be over.

        None if anything else is said to go on, or stands against it.
        """
        if not self.settled.search(text):
            return
        rest = _OVER_NOW.sub(lambda m: MASK * len(m.group()), self.settled.masked(text))
        slips = [m.span() for m in self.slip.finditer(rest)]
        if not slips or self.now.search(rest) or _AGAINST.search(rest):
            return
        yield from slips
        yield from (m.span() for m in self.effect.finditer(rest))


@remembered(4_096)
def masked(text: str) -> str:
    """Return a text, in lower case, of the same length with what means no danger masked, in all languages."""
    for language in lists():
        for start, end in tuple(language.spans(text)):
            text = text[:start] + MASK * (end - start) + text[end:]
    if _WARMS.search(text) and not _HOME.search(text):
        text = _NO_HEAT.sub(lambda m: MASK * len(m.group()), text)
    return text


def without(message: str) -> str:
    """Return a message without what means no danger; as it is written if there is nothing of that kind."""
    text = folded(message)
    rest = masked(text)
    return message if rest == text else " ".join(rest.replace(MASK, " ").split())


@lru_cache(maxsize=1)
def lists() -> tuple[NoDanger, ...]:
    """Return the lists of all languages."""
    file = resources.files("saidonce.repairs.conversation") / "packs" / "no_danger.toml"
    rows = tomllib.loads(file.read_text(encoding="utf-8"))
    return tuple(
        NoDanger(_JOINTS[tag], *(Phrases.of([folded(p) for p in row[name]]) for name in LISTS))
        for tag, row in rows.items()
    )


def _is_across(phrase: str) -> bool:
    """Return whether a short phrase was found in the words of two clauses."""
    return len(phrase.split()) <= MAX_WORDS_ACROSS and _STOP.search(phrase) is not None


def _clauses(text: str, joint: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Yield the clauses of a text: between punctuation and words that join, as half-open spans."""
    for sentence in _CLAUSE.finditer(text):
        start = sentence.start()
        for word in joint.finditer(text, start, sentence.end()):
            yield start, word.start()
            start = word.end()
        yield start, sentence.end()
