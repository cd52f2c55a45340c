"""The equivalence judge: a weighted sum of a network's logit and the score of trees over similarity features."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Protocol

from saidonce.errors import ArtefactError
from saidonce.foundation.model import Candidate, Equivalence, Rewording
from saidonce.foundation.text import content_hash
from saidonce.matching.likeness import NAMES, VERSION, Compared, Forest, features, forest

NOT_JUDGED: Final = Equivalence(is_same=False, score=0.0)
"""The answer about what the judge cannot read."""

DIGITS: Final = 4
"""Decimals of a score; what lies behind them may differ between kinds of processors."""


class SentencePairs(Protocol):
    """A network that reads two sentences."""

    @property
    def name(self) -> str:
        """Fingerprint of everything that the answers depend on."""
        ...

    def logits(self, rewordings: Sequence[Rewording]) -> list[float | None]:
        """Return a logit for each pair, in input order, higher for more similar; None if it cannot be read.

        Raises:
            ModelUnavailableError: the network failed.
        """
        ...


@dataclass(frozen=True, slots=True)
class EquivalenceRule:
    """How a score follows from logit and trees: score = 1 / (1 + exp(-(network x + likeness y + offset))).

    Attributes:
        same_from: score from which one sentence counts as a repeat of the other, 0..1.
        certain_from: score from which one text may replace both, 0..1.
        margin: added to both thresholds.
        languages: two-letter tags that it was trained and measured on.
    """

    network: float
    likeness: float
    offset: float
    same_from: float
    certain_from: float
    margin: float
    languages: frozenset[str]

    def score(self, logit: float, likeness: float) -> float:
        """Return the combined score of both answers, 0..1, rounded."""
        z = self.network * logit + self.likeness * likeness + self.offset
        return round(1.0 / (1.0 + math.exp(-z)) if z >= 0 else math.exp(z) / (1.0 + math.exp(z)), DIGITS)


class StackedJudge:
    """An equivalence judge; its answer on a pair does not depend on the batch or on the order of the two texts."""

    def __init__(self, network: SentencePairs, trees: Forest, rule: EquivalenceRule) -> None:
        self.rule = rule
        self.network = network
        self.trees = trees

    @property
    def name(self) -> str:
        """Fingerprint of weights, trees, thresholds and margin."""
        return self.network.name

    def judge(self, rewordings: Sequence[Rewording]) -> list[Equivalence]:
        """Judge each rewording, in input order.

        Pairs outside the rule's languages, or that the network cannot read, are "not the same", score 0. Sentences that
        differ only in white space are the same, score 1.

        Raises:
            ModelUnavailableError: the network failed.
            ArtefactError: its files were altered since the judge was opened.
        """
        supported = [r for r in dict.fromkeys(rewordings) if r.language in self.rule.languages and not _is_layout(r)]
        logits = dict(zip(supported, self.network.logits(supported), strict=True))
        return [self._answer(r, logits.get(r)) for r in rewordings]

    def score(self, rewording: Rewording) -> float:
        """Return the score of two sentences in any language; 0 if the network cannot read them."""
        (logit,) = self.network.logits([rewording])
        return 0.0 if logit is None else self.rule.score(logit, likeness(self.trees, rewording))

    def _answer(self, r: Rewording, logit: float | None) -> Equivalence:
        rule = self.rule
        if r.language in rule.languages and _is_layout(r):
            return Equivalence(is_same=True, score=1.0, is_certain=True)
        if logit is None:
            return NOT_JUDGED
        score = rule.score(logit, likeness(self.trees, r))
        return Equivalence(score >= rule.same_from + rule.margin, score, score >= rule.certain_from + rule.margin)


def likeness(trees: Forest, rewording: Rewording) -> float:
    """Return the trees' score of two sentences, higher for more similar; it needs no vectors."""
    return trees.score(likeness_features(rewording.a, rewording.b, rewording.language))


@lru_cache(maxsize=1_024)
def likeness_features(a: str, b: str, language: str) -> tuple[float, ...]:
    """Return the similarity features of two sentences: words, order, and guards; see `likeness.NAMES`."""
    first, second = (Candidate(t, content_hash(t), language=language) for t in sorted((a, b)))
    return features(Compared(first, second, 0.0))


def trees_of(name: str, document: Any) -> Forest:
    """Read the trees of an equivalence judge.

    Args:
        name: of the judge's folder.
        document: with `features` (version and names) and `trees`.

    Raises:
        ArtefactError: they are malformed, or read other features than this version's.
    """
    if not isinstance(document, dict) or document.get("features") != {"version": VERSION, "names": list(NAMES)}:
        raise ArtefactError(name, f"its trees read other features than this version's ({VERSION})")
    try:
        return forest(document["trees"], len(NAMES))
    except (ValueError, TypeError, KeyError) as bad:
        raise ArtefactError(name, f"its trees are malformed: {bad!r}") from bad


def _is_layout(rewording: Rewording) -> bool:
    return rewording.a.split() == rewording.b.split() and bool(rewording.a.strip())
