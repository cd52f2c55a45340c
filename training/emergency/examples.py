"""`make danger`: train the head of dangers from the sentences beside this file, and write weights and card.

`python -m training.emergency.train [--out FOLDER]`: about two minutes on one core. The same sentences give the same
bytes on the same kind of processor; the embedder's whole-number kernels differ between kinds.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np

from saidonce.adapters.embed.minilm import MiniLM
from saidonce.repairs.conversation.danger_head import HARMLESS, Weights, features, softmax

SENTENCES = Path(__file__).parent / "sentences"
OUT = Path(__file__).resolve().parents[2] / "src/saidonce/repairs/conversation/packs"

N_STEPS, RATE, KEEP = 150, 0.05, 2e-5
"""Steps of Adam over all rows at once, their rate, and the pull of weights to zero."""

ASKS_FROM, SURE_FROM = 0.37, 0.995
"""Chosen on the part `tune` of tests/cases/emergencies; see docs/decisions/0019-two-channels-that-raise.md."""

OWN = {"it": ("es", "fr", "it")}
"""Languages with weights of their own, and the languages whose sentences they are trained with. Their sentences are not
among those of the shared weights; see docs/decisions/0094-italian-by-weights-of-its-own.md."""

OWN_ASKS_FROM = 0.5
"""Mean certainty of the shared and a language's own weights from which one question is due."""

SEED = 20_261_122

N_FAULTS = 5
"""Small faults that each thing is said to have."""


@dataclass(frozen=True, slots=True)
class Example:
    """One sentence to learn from, in one language."""

    language: str
    kind: str
    text: str


def read(folder: Path = SENTENCES) -> tuple[Example, ...]:
    """Return the sentences of all languages, in the order of the files."""
    return tuple(each for file in sorted(folder.glob("*.toml")) for each in _of(file))


def _of(file: Path) -> Iterator[Example]:
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


def altered(examples: Sequence[Example]) -> Iterator[Example]:
    """Yield augmented examples: two harmless sentences in one message, danger beside harmless, and typing errors.

    Without the pairs, the head would learn that a long message in a rare language is a danger.
    """
    draw = random.Random(SEED)
    languages = sorted({e.language for e in examples})
    for language in languages:
        harmless = [e.text for e in examples if (e.language, e.kind) == (language, HARMLESS)]
        dangers = [e for e in examples if e.language == language and e.kind != HARMLESS]
        for first in harmless:
            joint = draw.choice((", ", ". ", " "))
            yield Example(language, HARMLESS, first + joint + draw.choice(harmless))
        for each in draw.sample(dangers, len(dangers) // 3):
            yield Example(language, each.kind, f"{draw.choice(harmless)}. {each.text}")
        for each in draw.sample(dangers, len(dangers) // 3):
            yield Example(language, each.kind, mistyped(each.text, draw))
        for text in draw.sample(harmless, len(harmless) // 3):
            yield Example(language, HARMLESS, mistyped(text, draw))


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


def trained(rows: Weights, kinds: Sequence[int], n_kinds: int) -> Weights:
    """Return softmax weights, shape (features, kinds), by Adam over all rows; kinds are balanced within limits.

    Args:
        rows: features, shape (n, features).
        kinds: the true column of each row.
        n_kinds: number of columns.
    """
    right = np.eye(n_kinds)[list(kinds)]
    weights = np.zeros((rows.shape[1], n_kinds))
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, N_STEPS + 1):
        error = (softmax(rows @ weights) - right) / len(rows)
        slope = rows.T @ error + KEEP * weights
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope * slope
        weights -= RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return weights


def write(folder: Path, language: str, weights: Weights, kinds: Sequence[str], embedder: str) -> None:
    """Write weights as half-precision numbers, and the card with their SHA-256; of all languages without a language."""
    name = f"head_{language}" if language else "head"
    held = BytesIO()
    np.save(held, weights.astype(np.float16), allow_pickle=False)
    content = held.getvalue()
    (folder / f"{name}.npy").write_bytes(content)
    names = ", ".join(f'"{kind}"' for kind in kinds)
    (folder / f"{name}.toml").write_text(
        f"# Written by `make danger`: what belongs to {name}.npy.\n"
        f'embedder = "{embedder}"\nclasses = [{names}]\nsha256 = "{hashlib.sha256(content).hexdigest()}"\n\n'
        "# Certainty of danger from which one question is due, and from which the safety text is.\n"
        f"asks_from = {OWN_ASKS_FROM if language else ASKS_FROM}\nsure_from = {SURE_FROM}\n",
        encoding="utf-8",
    )


def main() -> None:
    """Train, write, and say what was written."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT)
    out = parser.parse_args().out
    examples, embedder = read(), MiniLM()
    shared = [e for e in examples if e.language not in OWN]
    _train(out, "", [*shared, *altered(shared)], embedder)
    every = [*examples, *altered(examples)]
    for language, languages in OWN.items():
        _train(out, language, [e for e in every if e.language in languages], embedder)


def _train(out: Path, language: str, examples: Sequence[Example], embedder: MiniLM) -> None:
    kinds = (HARMLESS, *sorted({e.kind for e in examples} - {HARMLESS}))
    texts = [e.text for e in examples]
    rows = features(texts, embedder.embed(texts))
    weights = trained(rows, [kinds.index(e.kind) for e in examples], len(kinds))
    write(out, language, weights, kinds, embedder.model)
    print(f"{language or 'all'}: {len(examples)} examples of {len(kinds)} kinds; weights and card written to {out}")


if __name__ == "__main__":
    main()
