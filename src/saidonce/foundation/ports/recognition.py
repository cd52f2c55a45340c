"""Port: what turns sound and pictures into words with their place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Recognised:
    """Some words in a file.

    Attributes:
        start_s, end_s: where they are said, in seconds from the beginning; 0 in a picture.
        confidence: how sure the recogniser is, 0 to 1.
        box: left, top, right and bottom edge as shares 0..1 of the picture; empty for sound.
        page: of a file with several pictures, from 1.
        languages: that the words are perhaps spoken in, that in which they were heard first; empty if it is sure.
        slope: by how much of the picture's height a line sinks over the picture's width; 0 for a level one.
    """

    text: str
    start_s: float = 0.0
    end_s: float = 0.0
    confidence: float = 1.0
    box: tuple[float, ...] = ()
    page: int = 1
    slope: float = 0.0
    languages: tuple[str, ...] = ()


def mean_confidence(words: Sequence[Recognised]) -> float:
    """Return how sure some words are on the whole, 0..1, each stretch by the length of its text; 0 without any."""
    n_chars = sum(len(w.text) for w in words)
    return sum(w.confidence * len(w.text) for w in words) / n_chars if n_chars else 0.0


class Recogniser(Protocol):
    """Recognises words in files whose makers nobody trusts, away from this process and under limits of its own."""

    @property
    def name(self) -> str:
        """Name of the model, as it stands in settings."""
        ...

    def recognise(self, content: bytes, mime: str, language: str = "") -> Sequence[Recognised]:
        """Return the words of a file in order; nothing for silence and for a picture without words.

        Args:
            content: the file.
            mime: its type.
            language: tag of the language that the speaker probably speaks; empty if nobody knows.

        Raises:
            ModelUnavailableError: it failed, took too long, or cannot read such files.
        """
        ...
