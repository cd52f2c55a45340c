"""What a reading of an objection sees: the objection, and the two sentences that it stands in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from saidonce.foundation.model import Objection, Span
from saidonce.matching.facts.analyse import Token, tokens_of
from saidonce.matching.facts.compare import compare

LONGEST = 600
"""Characters of a sentence up to which it is read."""


@dataclass(frozen=True)
class Sight:
    """An objection and the two aligned sentences around it.

    Attributes:
        a, b: the whole texts.
        one, two: the sentences, with their places in the texts.
    """

    objection: Objection
    a: str
    b: str
    one: Span
    two: Span
    language: str

    @property
    def mirrored(self) -> Sight:
        """The same with the two texts swapped."""
        return Sight(self.objection.mirrored, self.b, self.a, self.two, self.one, self.language)

    @property
    def at(self) -> tuple[Span, Span]:
        """Where the objection stands in each sentence."""
        return self.objection.a.moved(-self.one.start), self.objection.b.moved(-self.two.start)

    @cached_property
    def tokens(self) -> tuple[list[Token], list[Token]]:
        """The tokens of both sentences."""
        return tokens_of(self.one.text, self.language), tokens_of(self.two.text, self.language)

    @property
    def quoted(self) -> list[Token]:
        """The tokens that the objection quotes, of both sentences."""
        sides = zip(self.tokens, self.at, strict=True)
        return [t for tokens, at in sides for t in tokens if at.start <= t.start and t.end <= at.end]

    @property
    def is_lone(self) -> bool:
        """Whether only one of the two sentences has what is objected to."""
        return bool(self.objection.a.text) != bool(self.objection.b.text)


def sights(objection: Objection, a: str, b: str, language: str) -> Iterator[Sight]:
    """Yield the sight of an objection; nothing where no two aligned sentences hold it, or they are long."""
    for change in compare(a, b, language).changes:
        if not (change.a.text and change.b.text and change.a.holds(objection.a) and change.b.holds(objection.b)):
            continue
        if max(len(change.a.text), len(change.b.text)) <= LONGEST:
            yield Sight(objection, a, b, change.a, change.b, language)
            return
