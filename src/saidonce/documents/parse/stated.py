"""What a text holds already: so that its other form adds only what it lacks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from saidonce.documents.parse.ordinals import is_spaceless

_WORD = re.compile(r"\w+")
_DIGITS = re.compile(r"\d+")
_MOST = 0.5
"""Share of the words of a text that another one has, from which that is its other form."""


class Stated:
    """The words of some texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._words = {word for text in texts for word in _words(text)}

    def holds(self, text: str) -> bool:
        """Return whether most words of a text, and all of its numbers, are among those of these texts."""
        words = set(_words(text))
        if not words:
            return True
        numbers = {word for word in words if _DIGITS.fullmatch(word)}
        return numbers <= self._words and len(words & self._words) >= _MOST * len(words)


def _words(text: str) -> Iterator[str]:
    """Yield the words of a text and the numbers in them; where no spaces part words, its pairs of letters."""
    for word in _WORD.findall(text.casefold()):
        if is_spaceless(word):
            yield from (word[at : at + 2] for at in range(max(len(word) - 1, 1)))
        else:
            yield word
        yield from _DIGITS.findall(word)
