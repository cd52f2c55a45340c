"""Scripted pairs: sentences of permissive manuals, rewritten without a change of meaning or with one change."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from random import Random
from typing import Any

import saidonce
from saidonce.quality.contrast import Contrast, contrasts
from saidonce.quality.excerpts import Meaning

BORROWED_CHANGES = ("number", "unit", "date", "version", "negation", "name", "role")
BORROWED_REWRITES = ("notation", "date notation", "clause order")
"""Alterations of the contrast benchmark that need none of its word lists, which training must not see."""


ONE_WAY = frozenset(("to", "about", "let", "like"))
"""Words that may replace a phrase, but that have too many other uses to be replaced by it."""


PREPOSITIONS = (
    ("in", "on", "at"),
    ("by", "through", "with"),
    ("of", "for"),
    ("from",),
    ("to",),
    ("under",),
    ("against",),
)
"""Groups within which a preposition often says the same."""

_PREPOSITION = re.compile(
    r"(?<=[a-z] )(?:in|on|at|by|through|with|of|for|from|to|under|against)"
    r"(?= (?:the|an?|its|their|your|our|this|[A-Z]))"
)


@dataclass(frozen=True, slots=True)
class Altered:
    """A sentence and its altered copy."""

    original: str
    altered: str
    same: bool


@dataclass(slots=True)
class Alterer:
    """Alters sentences, reproducibly by seed.

    Attributes:
        borrowed: alterations by sentence from the contrast benchmark.
    """

    chance: Random
    borrowed: dict[str, list[Contrast]] = field(default_factory=dict)

    def learn(self, paragraphs: Sequence[str], seed: int) -> None:
        """Compute the borrowed alterations of all sentences of the paragraphs."""
        for made in contrasts(paragraphs, seed):
            if made.level == "sentence" and made.kind in (*BORROWED_CHANGES, *BORROWED_REWRITES):
                self.borrowed.setdefault(made.original, []).append(made)

    def altered(self, sentence: str, n_each: int) -> Iterator[Altered]:
        """Yield up to `n_each` rewrites of a sentence and as many copies with one change among rewrites."""
        for _ in range(n_each):
            rewritten = self._rewritten(sentence, 1 + self.chance.randrange(4))
            if rewritten and rewritten != sentence:
                yield Altered(sentence, rewritten, True)
            changed = self._changed(sentence)
            if changed and changed != sentence:
                yield Altered(sentence, self._rewritten(changed, self.chance.randrange(4)) or changed, False)

    def _rewritten(self, sentence: str, n_steps: int) -> str | None:
        now = sentence
        alterations = self._borrowed(sentence, Meaning.REWRITTEN)
        if alterations and self.chance.random() < 0.3:
            now = self.chance.choice(alterations)
        for _ in range(n_steps):
            now = self._substituted(now, self.chance.choice((_own("same"), _own("same"), _synonyms()))) or now
        return now if now != sentence else None

    def _changed(self, sentence: str) -> str | None:
        makers: list[Callable[[], str | None]] = [
            lambda: self._substituted(sentence, _own("changed")),
            lambda: self._substituted(sentence, _own("changed")),
            lambda: self._substituted(sentence, _opposites()),
            lambda: self._inserted(sentence),
            lambda: self._shortened(sentence),
            lambda: self._related(sentence),
        ]
        if alterations := self._borrowed(sentence, Meaning.CHANGED):
            makers += [lambda: self.chance.choice(alterations)] * 3
        self.chance.shuffle(makers)
        return next((changed for maker in makers if (changed := maker())), None)

    def _borrowed(self, sentence: str, relation: Meaning) -> list[str]:
        return [c.altered for c in self.borrowed.get(sentence, ()) if c.relation is relation]

    def _substituted(self, sentence: str, table: dict[str, tuple[str, ...]]) -> str | None:
        """Replace one phrase of a table by one of its partners."""
        hits = [hit for hit in _phrases(tuple(table)).finditer(sentence) if hit.group().lower() in table]
        if not hits:
            return None
        hit = self.chance.choice(hits)
        new = self.chance.choice(table[hit.group().lower()])
        new = new[0].upper() + new[1:] if hit.group()[0].isupper() else new
        return sentence[: hit.start()] + new + sentence[hit.end() :]

    def _inserted(self, sentence: str) -> str | None:
        """Add a modifier before a noun phrase, or a hedge at the end."""
        if self.chance.random() < 0.5:
            return f"{sentence[:-1]} {self.chance.choice(_lines('hedges'))}{sentence[-1]}"
        hits = list(re.finditer(r"\b(?:the|all|any|each) (?=[a-z]{4,})", sentence))
        if not hits:
            return None
        at = self.chance.choice(hits).end()
        return f"{sentence[:at]}{self.chance.choice(_lines('modifiers'))} {sentence[at:]}"

    def _related(self, sentence: str) -> str | None:
        """Replace a preposition before a noun phrase by one of another group."""
        hits = list(_PREPOSITION.finditer(sentence))
        if not hits:
            return None
        hit = self.chance.choice(hits)
        others = [word for group in PREPOSITIONS if hit.group() not in group for word in group]
        return sentence[: hit.start()] + self.chance.choice(others) + sentence[hit.end() :]

    def _shortened(self, sentence: str) -> str | None:
        """Drop a member of a list, or a clause after a comma."""
        if hit := re.search(r", [a-z]+(?: [a-z]+)?(?=, (?:[a-z]+ ){1,2}(?:and|or) |, (?:and|or) )", sentence):
            return sentence[: hit.start()] + sentence[hit.end() :]
        clause = r", (?:which|who|including|such as|if|unless|when|because|except)\b[^,.;:]{8,80}(?=[,.])"
        if hit := re.search(clause, sentence):
            return sentence[: hit.start()] + sentence[hit.end() :]
        return None


@cache
def _phrases(table: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern of the phrases of a table, longest first."""
    words = "|".join(re.escape(w) for w in sorted(table, key=lambda w: (-len(w), w)))
    return re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE)


@cache
def _lists() -> dict[str, str]:
    lists: dict[str, str] = tomllib.loads((resources.files(__package__) / "rewrites.toml").read_text("utf-8"))
    return lists


def _lines(name: str) -> tuple[str, ...]:
    return tuple(_lists()[name].strip().splitlines())


@cache
def _own(name: str) -> dict[str, tuple[str, ...]]:
    table: dict[str, list[str]] = {}
    for line in _lines(name):
        one, two = line.split(" | ")
        table.setdefault(one, []).append(two)
        table.setdefault(two, []).append(one)
    return {word: tuple(others) for word, others in table.items() if word not in ONE_WAY}


def _guards_table(name: str, *keys: str) -> list[str]:
    folder = Path(saidonce.__file__).parent / "matching" / "facts" / "data"
    rows: Any = tomllib.loads((folder / name).read_text("utf-8"))
    for key in keys:
        rows = rows[key]
    return str(rows).strip().splitlines()


@cache
def _synonyms() -> dict[str, tuple[str, ...]]:
    """Return the words of the guards' groups of synonyms; only uninflected nouns and verbs."""
    table: dict[str, list[str]] = {}
    for line in _guards_table("synonyms.toml", "groups"):
        words = [w.replace("_", " ") for w in line.split()]
        for word in words:
            table.setdefault(word, []).extend(w for w in words if w != word)
    return {word: tuple(others) for word, others in table.items() if len(word) > 3}


@cache
def _opposites() -> dict[str, tuple[str, ...]]:
    """Return the words of the guards' poles, each with the first words of the opposite pole."""
    table: dict[str, list[str]] = {}
    for line in _guards_table("languages/en.toml", "opposites", "poles"):
        one, two = (side.split() for side in line.split(" | ")[:2])
        for side, other in ((one, two), (two, one)):
            for word in side:
                table.setdefault(word.replace("_", " "), []).extend(w.replace("_", " ") for w in other[:3])
    return {word: tuple(others) for word, others in table.items()}
