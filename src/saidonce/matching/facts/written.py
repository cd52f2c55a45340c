"""A text written otherwise, that knows where each of its characters comes from."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from saidonce.foundation.model import Span
from saidonce.matching.facts.fences import fenced


@dataclass(frozen=True, slots=True)
class Written:
    """A text with the stretch of the source that each of its characters stands for.

    Attributes:
        source: the text as it was.
        starts, ends: offsets into it, one for each character.
    """

    text: str
    source: str
    starts: Sequence[int]
    ends: Sequence[int]

    @classmethod
    def of(cls, text: str) -> Written:
        """Return a text as it is."""
        return cls(text, text, range(len(text)), range(1, len(text) + 1))

    def replaced(self, by: re.Pattern[str], instead: Callable[[re.Match[str]], str]) -> Written:
        """Return the text with what an expression finds replaced; what replaces it stands for all of it."""
        edits = [(hit.start(), hit.end(), instead(hit)) for hit in by.finditer(self.text)]
        return self.edited([edit for edit in edits if edit[2] != self.text[edit[0] : edit[1]]])

    def edited(self, edits: Sequence[tuple[int, int, str]]) -> Written:
        """Return the text with stretches, in their order, replaced by others; code between fences stays."""
        code = fenced(self.text)
        edits = [edit for edit in edits if not any(edit[0] < c.end and c.start < edit[1] for c in code)]
        if not edits:
            return self
        parts: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        at = 0
        for start, end, instead in edits:
            parts += [self.text[at:start], instead]
            whole = self.at(start, end)
            starts += [*self.starts[at:start], *([whole.start] * len(instead))]
            ends += [*self.ends[at:start], *([whole.end] * len(instead))]
            at = end
        return Written(
            "".join((*parts, self.text[at:])), self.source, (*starts, *self.starts[at:]), (*ends, *self.ends[at:])
        )

    def at(self, start: int, end: int) -> Span:
        """Return the stretch of the source that a stretch of the text stands for."""
        if start < end:
            first, last = self.starts[start], self.ends[end - 1]
        else:
            first = last = self.starts[start] if start < len(self.starts) else len(self.source)
        return Span(first, last, self.source[first:last])
