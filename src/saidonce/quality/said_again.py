"""Flow: how often a turn of a dialogue would be taken for a repeat of an earlier one, and wrongly so."""

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
    """A turn that was taken for a repeat, with its dialogue; `is_verbatim` if it was said before in the same words."""

    dialogue: str
    said: str
    is_verbatim: bool


@dataclass(frozen=True, slots=True)
class SaidAgain:
    """What was taken for a repeat.

    Attributes:
        n_turns: turns of the assistant that have an earlier one.
        n_verbatim: those that say an earlier one again in the same words.
        found: what was taken for a repeat; those in other words are false repeats unless a reader finds otherwise.
    """

    n_dialogues: int
    n_turns: int
    n_verbatim: int
    found: tuple[Repeat, ...]

    @property
    def n_found_verbatim(self) -> int:
        """Verbatim repeats that were found."""
        return sum(each.is_verbatim for each in self.found)

    @property
    def n_other(self) -> int:
        """Turns in words of their own that were taken for repeats: an upper bound of the false ones."""
        return len(self.found) - self.n_found_verbatim


def dialogues(file: Path, speaker: str) -> Iterator[tuple[str, list[str]]]:
    """Give (id, what one side said, in order) of each dialogue.

    Args:
        file: JSON lines: id, turns[speaker, text]; may be packed by gzip.
        speaker: whose turns.

    Raises:
        UsageError: a line has other fields.
    """
    for row in read(file, ("id", "turns")):
        try:
            yield str(row["id"]), [str(t["text"]) for t in row["turns"] if t["speaker"] == speaker]
        except (KeyError, TypeError) as bad:
            raise UsageError(f"{file}, dialogue {row['id']!r}: a turn needs speaker and text") from bad


def measure(embedder: Embedder, file: Path, speaker: str, advance: Callable[[], None]) -> SaidAgain:
    """Go through dialogues, each turn against all before it."""
    n_dialogues = n_turns = n_verbatim = 0
    found: list[Repeat] = []
    for id_, said in dialogues(file, speaker):
        n_dialogues += 1
        n_turns += max(0, len(said) - 1)
        for one, is_verbatim, is_new in _judged(Once(embedder), said):
            n_verbatim += is_verbatim
            if not is_new:
                found.append(Repeat(id_, one, is_verbatim))
        advance()
    return SaidAgain(n_dialogues, n_turns, n_verbatim, tuple(found))


class Once:
    """Embeds each text once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Vector] = {}
        self.model = embedder.model
        self.dim = embedder.dim

    def embed(self, texts: Sequence[str]) -> Vector:
        """Give vectors, of known texts from memory."""
        new = [t for t in dict.fromkeys(texts) if t not in self._known]
        self._known.update(zip(new, self._embedder.embed(new), strict=True) if new else ())
        return np.stack([self._known[t] for t in texts])

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text."""
        return self._embedder.count_tokens(texts)


def _judged(embedder: Embedder, said: Sequence[str]) -> Iterator[tuple[str, bool, bool]]:
    before: set[str] = set()
    for at, one in enumerate(said):
        if at:
            yield one, text.normalise(one) in before, are_new(embedder, said[:at], [one])[0]
        before.add(text.normalise(one))
