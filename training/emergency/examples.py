"""What the encoder of dangers learns from: sentences and messages beside this file, and what is made of them."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

HERE = Path(__file__).parent

HARMLESS = "harmless"
KINDS = (
    HARMLESS, "carbon_monoxide", "electric_shock", "fire", "gas", "intruder", "medical", "self_harm", "structure",
    "trapped", "water",
)  # fmt: skip
"""Classes in the order of the encoder's columns."""

SEED = 20_261_122

N_FAULTS = 5
"""Small faults that each thing is said to have."""

JOINED, MISTYPED, UNPOINTED = 0.22, 0.12, 0.15
"""Shares of examples that stand beside a harmless one, have a typing mistake, and lack commas and full stops."""

LONGER, MOST_WORDS = 0.5, 65
"""Share of examples of the last epoch that stand among up to four harmless ones, and words from which none is added."""

_JOINTS = (", ", ". ", " ", "\n")


@dataclass(frozen=True, slots=True)
class Example:
    """One sentence or message to learn from, in one language."""

    language: str
    kind: str
    text: str


def read(folder: Path = HERE) -> tuple[Example, ...]:
    """Return all examples: of `sentences/*.toml`, then of `messages/*.tsv` (class, tab, message), in order of files."""
    sentences = (each for file in sorted(folder.glob("sentences/*.toml")) for each in _of_toml(file))
    messages = (each for file in sorted(folder.glob("messages/*.tsv")) for each in _of_tsv(file))
    return (*sentences, *messages)


def epoch(examples: Sequence[Example], draw: random.Random) -> tuple[Example, ...]:
    """Return the examples of one epoch in another order: some of them beside a harmless one, mistyped or unpointed.

    Without the pairs, the encoder would learn that a long message in a rare language is a danger.
    """
    harmless = _harmless(examples)
    made = [replace(each, text=_altered(each.text, harmless[each.language], draw)) for each in examples]
    draw.shuffle(made)
    return tuple(made)


def long_epoch(examples: Sequence[Example], draw: random.Random) -> tuple[Example, ...]:
    """Return the examples of the last epoch in another order: half of them somewhere in a long message.

    Long messages of residents are harmless as a rule, and nearly all that are among the examples hold a danger.
    """
    harmless = _harmless(examples)
    made = [replace(each, text=_among(each.text, harmless[each.language], draw)) for each in examples]
    draw.shuffle(made)
    return tuple(made)


def _among(text: str, harmless: Sequence[str], draw: random.Random) -> str:
    if draw.random() >= LONGER:
        return text
    several = [text]
    for _ in range(draw.randint(1, 4)):
        if sum(len(each.split()) for each in several) < MOST_WORDS:
            several.append(draw.choice(harmless))
    draw.shuffle(several)
    return draw.choice(_JOINTS).join(several)


def _harmless(examples: Sequence[Example]) -> dict[str, list[str]]:
    texts: dict[str, list[str]] = {}
    for each in examples:
        if each.kind == HARMLESS:
            texts.setdefault(each.language, []).append(each.text)
    return texts


def mistyped(text: str, draw: random.Random) -> str:
    """Return a text with one letter dropped or two swapped in a long word; unchanged without a long word."""
    words = text.split()
    long_ = [at for at, word in enumerate(words) if len(word) > 4]
    if not long_:
        return text
    at = draw.choice(long_)
    word, place = words[at], draw.randrange(1, len(words[at]) - 2)
    swapped = word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    words[at] = draw.choice((word[:place] + word[place + 1 :], swapped))
    return " ".join(words)


def _altered(text: str, harmless: Sequence[str], draw: random.Random) -> str:
    if draw.random() < JOINED:
        both = [text, draw.choice(harmless)]
        draw.shuffle(both)
        text = draw.choice(_JOINTS).join(both)
    if draw.random() < MISTYPED:
        text = mistyped(text, draw)
    if draw.random() < UNPOINTED:
        text = text.translate({ord(mark): None for mark in ",.'"})
    return text


def _of_toml(file: Path) -> Iterator[Example]:
    rows = tomllib.loads(file.read_text(encoding="utf-8"))
    language = rows.pop("language")
    things, faults, places = (rows.pop(name).strip().split("\n") for name in ("things", "faults", "places"))
    draw, places_of = random.Random(SEED), random.Random(SEED)
    for thing in things:
        for fault in draw.sample(faults, N_FAULTS):
            yield Example(language, HARMLESS, f"{thing} {fault}")
        yield Example(language, HARMLESS, f"{thing} {places_of.choice(places)} {places_of.choice(faults)}")
    yield from (Example(language, HARMLESS, place) for place in places)
    for kind, lines in rows.items():
        yield from (Example(language, kind, line.strip()) for line in lines.strip().splitlines())


def _of_tsv(file: Path) -> Iterator[Example]:
    for n, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        kind, tab, text = line.partition("\t")
        if kind not in KINDS or not tab or not text.strip():
            raise ValueError(f"{file}:{n} is not a class, a tab and a message: {line[:60]!r}")
        yield Example(file.stem, kind, text.strip())
