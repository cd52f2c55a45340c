"""Room facts: opposite poles in languages other than English, whose tables are their own."""

from __future__ import annotations

from collections.abc import Iterator

from saidonce.foundation.model import FactKind, Objection
from saidonce.matching.facts.align import DifferingSpan
from saidonce.matching.facts.analyse import Token
from saidonce.matching.facts.guards import Scene, objection
from saidonce.matching.facts.synonymy import excludes, negates

MOST = 30
"""Tokens of a stretch that are looked at."""


def object_to_other_poles(scene: Scene) -> Iterator[Objection]:
    """Words at opposite poles in one stretch of a text that is not English, by the table of its language.

    Two words turned together undo each other.
    """
    if scene.language == "en":
        return
    for block in scene.diff.blocks:
        pairs = _pairs(block, scene.language)
        turned = len(pairs) == 2 and all(len({id(pair[n]) for pair in pairs}) == 2 for n in (0, 1))
        if pairs and not turned:
            x, y = pairs[0]
            yield objection(scene, FactKind.OPPOSITE, block, [x], [y])


def _pairs(block: DifferingSpan, language: str) -> list[tuple[Token, Token]]:
    a, b = _lone(block.a, block.b), _lone(block.b, block.a)
    return [
        (x, y) for x in a for y in b if excludes(x.word, y.word, language) and not negates(x.word, y.word, language)
    ]


def _lone(tokens: tuple[Token, ...], others: tuple[Token, ...]) -> list[Token]:
    keys = {t.key for t in others}
    return [t for t in tokens[:MOST] if t.key not in keys]
