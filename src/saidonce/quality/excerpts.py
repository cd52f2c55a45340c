"""Building blocks of the contrast benchmark's alterations: texts, seeded choices, and word lists."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import TypeAlias


class Meaning(StrEnum):
    """The effect of an alteration on the meaning."""

    CHANGED = "changed"
    REWRITTEN = "rewritten"


@dataclass(frozen=True, slots=True)
class Dice:
    """Choices determined by a seed and their subject alone."""

    seed: int

    def pick(self, n: int, *about: str) -> int:
        """Return a number below `n`."""
        key = "\x1f".join((str(self.seed), *about)).encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "big") % n


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A sentence, the seeded choices, and the names of the corpus."""

    text: str
    dice: Dice
    names: tuple[str, ...]

    def one_of(self, hits: list[re.Match[str]], kind: str) -> re.Match[str] | None:
        """Return one of several matches; None if there are none."""
        return hits[self.dice.pick(len(hits), kind, self.text)] if hits else None

    def word_of(self, words: tuple[str, ...], kind: str) -> str:
        """Return one of several words, avoiding the first that is already in the text if there is a choice."""
        fresh = [w for w in words if w not in self.text] or list(words)
        return fresh[self.dice.pick(len(fresh), kind, "word", self.text)]


Maker: TypeAlias = Callable[[Excerpt], str | None]
"""Returns the altered sentence, or None where the sentence has nothing to alter."""

END = r"(?=[\s,;:)]|[.?!](?:\s|$)|$)"
"""What stands behind a word."""


@cache
def _lists() -> dict[str, str]:
    table: dict[str, str] = tomllib.loads((resources.files(__package__) / "contrast.toml").read_text("utf-8"))
    return table


@cache
def listed(name: str) -> tuple[str, ...]:
    """Return the rows of one list of the benchmark's own table."""
    return tuple(_lists()[name].strip().splitlines())


@cache
def pairs_of(name: str) -> tuple[tuple[str, str], ...]:
    """Return the rows `one | other` of one list."""
    rows = (row.split(" | ") for row in listed(name))
    return tuple((old, new) for old, new in rows)


@cache
def _replacements(name: str, both_ways: bool) -> tuple[re.Pattern[str], dict[str, tuple[str, ...]]]:
    table: dict[str, tuple[str, ...]] = {}
    for one, two in pairs_of(name):
        for old, new in ((one, two), (two, one)) if both_ways else ((one, two),):
            table[old] = (*table.get(old, ()), new)
    words = "|".join(re.escape(w) for w in sorted(table, key=lambda w: (-len(w), w)))
    return re.compile(rf"(?<![^\s(])(?:{words}){END}"), table


def replaced(excerpt: Excerpt, name: str, both_ways: bool = False) -> str | None:
    """Replace one word of a list by its partner; word and partner are seeded choices.

    A word at the start of a sentence is matched in lower case, and its partner is capitalised.
    """
    pattern, table = _replacements(name, both_ways)
    small = excerpt.text[:1].lower() + excerpt.text[1:]
    hits = [*pattern.finditer(excerpt.text), *(m for m in pattern.finditer(small) if m.start() == 0)]
    hit = excerpt.one_of(list({m.start(): m for m in hits}.values()), name)
    if hit is None:
        return None
    news = table[hit.group()]
    new = news[excerpt.dice.pick(len(news), name, "partner", excerpt.text)] if len(news) > 1 else news[0]
    if hit.start() == 0 and excerpt.text[0].isupper():
        new = new[0].upper() + new[1:]
    return articled(spliced(excerpt.text, hit, new), hit.start())


def spliced(text: str, hit: re.Match[str], new: str) -> str:
    """Return the text with a match replaced by another string."""
    return text[: hit.start()] + new + text[hit.end() :]


def without(text: str, hit: re.Match[str]) -> str:
    """Return the text without a match; a capital at the start of the match is kept."""
    after = text[hit.end() :]
    return after[:1].upper() + after[1:] if hit.start() == 0 else text[: hit.start()] + after


def articled(text: str, start: int) -> str:
    """Correct the article before a changed word: `a valid` / `an invalid`."""
    hit = re.search(r"\b([Aa])n? $", text[:start])
    if hit is None or not text[start : start + 1].isalpha():
        return text
    return text[: hit.start()] + hit.group(1) + ("n " if text[start].lower() in "aeiou" else " ") + text[start:]


def imperatives(text: str) -> Iterator[re.Match[str]]:
    """Yield the first word of a text if it is a listed imperative verb."""
    if (hit := re.match(r"[A-Z][a-z]+(?= )", text)) and hit.group().lower() in listed("imperatives"):
        yield hit
