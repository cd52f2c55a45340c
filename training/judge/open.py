"""The questions that a judge is asked about a pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from saidonce.foundation.model import Candidate, Equivalence, Rewording
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Agreement, agreement, borne_out


@dataclass(frozen=True, slots=True)
class Asked:
    """The guards' decision on a pair, and what they leave to a judge.

    Attributes:
        is_open: whether the guards leave it open.
        is_joined: whether the guards take both texts for the same.
        rewordings: the questions to a judge, all of which it has to confirm.
    """

    is_open: bool
    is_joined: bool
    rewordings: tuple[Rewording, ...] = ()


class _Listening:
    """A judge that confirms nothing, to collect its questions."""

    name = "listening"

    def judge(self, rewordings: Sequence[Rewording]) -> list[Equivalence]:
        return [Equivalence(is_same=False, score=0.0) for _ in rewordings]


def asked(a: str, b: str) -> Asked:
    """Return the questions to a judge about a pair of English texts."""
    first, second = (Candidate(text, content_hash(text), language="en") for text in (a, b))
    accord = agreement(first, second)
    decisions = borne_out(first, second, accord, _Listening())
    rewordings = tuple(r for r, _ in decisions.judged)
    return Asked(accord.agreement is Agreement.OPEN, accord.agreement is Agreement.SAME, rewordings)


def is_open(a: str, b: str) -> bool:
    """Return whether the guards leave a pair of English texts open; judges are asked about no other pairs."""
    return asked(a, b).is_open
