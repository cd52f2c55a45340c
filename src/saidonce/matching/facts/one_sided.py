"""Words of grammar that stand in one sentence only and thereby change what it claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from saidonce.foundation.model import FactKind, Objection
from saidonce.matching.facts.analyse import Token
from saidonce.matching.facts.guards import Guard, Scene, objection, span
from saidonce.matching.facts.synonymy import excludes, negates

_MODALS = frozenset(("modality:must", "modality:should", "modality:may"))
_RARE = "quantifier:rare"
_EXCLUDES = frozenset(
    "without except excepting excluding exclude excludes excluded exception exceptions besides".split()
)
_JOINS = frozenset(("and", "or", "nor"))
REACH = 8
"""Tokens that an excluding word is looked back for."""

FEW = 4
"""Content words without counterpart up to which two opposites among them are about the same thing."""


def object_to_lone_modals(scene: Scene) -> Iterator[Objection]:
    """Yield objections to a modal verb on one side only where nothing else differs: "is set" against "can be set".

    Not in questions.
    """
    if any(s.span.text.rstrip().endswith("?") for s in (scene.diff.a, scene.diff.b)):
        return
    for block in scene.diff.open_blocks:
        sides = [[t for t in side if t.key in _MODALS] for side in (block.a_rest, block.b_rest)]
        others = any(t.content or t.kind is FactKind.NEGATION for t in (*block.a, *block.b))
        if bool(sides[0]) == bool(sides[1]) or others:
            continue
        sentence, other = (scene.diff.a, scene.diff.b) if sides[0] else (scene.diff.b, scene.diff.a)
        lone = (sides[0] or sides[1])[0]
        if lone.key not in other.keys and not _is_negated(sentence.tokens, lone):
            yield objection(scene, FactKind.MODALITY, block, *sides)


def _is_negated(tokens: Sequence[Token], modal: Token) -> bool:
    """Return whether a negation stands beside a modal verb, which "cannot" and "can't" split in different ways."""
    at = next(n for n, t in enumerate(tokens) if t is modal)
    return any(t.kind is FactKind.NEGATION for t in tokens[max(0, at - 1) : at + 2])


def object_to_lone_rarity(scene: Scene) -> Iterator[Objection]:
    """Yield objections to a word such as "rarely" on one side only, which turns a sentence like a negation."""
    for block in scene.diff.open_blocks:
        sides = [[t for t in side if t.key == _RARE] for side in (block.a_rest, block.b_rest)]
        negations = [t for t in (*block.a_rest, *block.b_rest) if t.kind is FactKind.NEGATION]
        if bool(sides[0]) != bool(sides[1]) and not negations:
            yield objection(scene, FactKind.QUANTIFIER, block, *sides)


def object_to_lone_exclusions(scene: Scene) -> Iterator[Objection]:
    """Yield objections to one thing more, or less, in a list of what is excluded."""
    for block in scene.diff.blocks:
        sentence, at = (scene.diff.a, block.a_at) if block.a else (scene.diff.b, block.b_at)
        is_lone = bool(block.a) != bool(block.b)
        if is_lone and _is_member(block.a or block.b) and _is_excluded(sentence.tokens, at):
            yield objection(scene, FactKind.TERM, block, block.a, block.b)


def _is_member(tokens: Sequence[Token]) -> bool:
    """Return whether a stretch is a joining word and what it joins."""
    return 2 <= len(tokens) <= 5 and (tokens[0].word in _JOINS or tokens[-1].word in _JOINS) and tokens[0] != tokens[-1]


def _is_excluded(tokens: Sequence[Token], at: int) -> bool:
    return any(t.word in _EXCLUDES for t in tokens[max(0, at - REACH) : at])


def object_to_parted_opposites(scene: Scene) -> Iterator[Objection]:
    """Object to opposite poles that stand in different places: "opens easily" against "is difficult to open"."""
    a, b = ([t for t in side if t.content] for side in (scene.diff.a_free, scene.diff.b_free))
    if len(scene.diff.blocks) < 2 or len(a) + len(b) > FEW:
        return
    for x, y in product(a, b):
        if excludes(x.word, y.word, scene.language) and not negates(x.word, y.word, scene.language):
            yield Objection(FactKind.OPPOSITE, span(scene.text_a, [x], 0), span(scene.text_b, [y], 0))


LONE: tuple[Guard, ...] = (
    object_to_lone_modals,
    object_to_lone_rarity,
    object_to_lone_exclusions,
    object_to_parted_opposites,
)
"""The guards of this module."""
