"""Measure which turns of a dialogue count as repeats of an earlier turn, and how many wrongly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from saidonce.errors import UsageError
from saidonce.foundation import text
from saidonce.foundation.model import Vector
from saidonce.foundation.ports import Embedder
from saidonce.quality.rows import read
from saidonce.repairs.conversation.novelty import are_new


@dataclass(frozen=True, slots=True)
class Repeat:
    """A turn that counts as a repeat, with its dialogue; `is_verbatim` if an earlier turn has the same words."""

    dialogue: str
    said: str
    is_verbatim: bool


@dataclass(frozen=True, slots=True)
class RepeatFigures:
    """Counts of repeated turns.

    Attributes:
        n_turns: turns of the assistant after the first of each dialogue.
        n_verbatim: those with the same words as an earlier one.
        found: turns that count as repeats; those in other words are presumed false until a reader checks them.
    """

    n_dialogues: int
    n_turns: int
    n_verbatim: int
    found: tuple[Repeat, ...]

    @property
    def n_found_verbatim(self) -> int:
        """Number of verbatim repeats that were recognised."""
        return sum(each.is_verbatim for each in self.found)

    @property
    def n_other(self) -> int:
        """Number of repeats in other words: an upper bound of the false ones."""
        return len(self.found) - self.n_found_verbatim


def dialogues(file: Path, speaker: str) -> Iterator[tuple[str, list[str]]]:
    """Yield (id, one side's turns, in order) of each dialogue.

    Args:
        file: JSON lines: id, turns[speaker, text]; may be gzipped.
        speaker: whose turns.

    Raises:
        UsageError: a line has other fields.
    """
    for row in read(file, ("id", "turns")):
        try:
            yield str(row["id"]), [str(t["text"]) for t in row["turns"] if t["speaker"] == speaker]
        except (KeyError, TypeError) as bad:
            raise UsageError(f"{file}, dialogue {row['id']!r}: a turn needs speaker and text") from bad


def measure(embedder: Embedder, file: Path, speaker: str, advance: Callable[[], None]) -> RepeatFigures:
    """Compare each turn of each dialogue with all turns before it."""
    n_dialogues = n_turns = n_verbatim = 0
    repeats: list[Repeat] = []
    for id_, turns in dialogues(file, speaker):
        n_dialogues += 1
        n_turns += max(0, len(turns) - 1)
        for turn, is_verbatim, is_new in _judged(CachedEmbedder(embedder), turns):
            n_verbatim += is_verbatim
            if not is_new:
                repeats.append(Repeat(id_, turn, is_verbatim))
        advance()
    return RepeatFigures(n_dialogues, n_turns, n_verbatim, tuple(repeats))


class CachedEmbedder:
    """An embedder with a cache: each text is embedded once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Vector] = {}
        self.model = embedder.model
        self.dim = embedder.dim

    def embed(self, texts: Sequence[str]) -> Vector:
        """Embed texts, or take their vectors from the cache."""
        new = [t for t in dict.fromkeys(texts) if t not in self._known]
        self._known.update(zip(new, self._embedder.embed(new), strict=True) if new else ())
        return np.stack([self._known[t] for t in texts])

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text."""
        return self._embedder.count_tokens(texts)


def _judged(embedder: Embedder, turns: Sequence[str]) -> Iterator[tuple[str, bool, bool]]:
    before: set[str] = set()
    for at, one in enumerate(turns):
        if at:
            yield one, text.normalise(one) in before, are_new(embedder, turns[:at], [one])[0]
        before.add(text.normalise(one))
