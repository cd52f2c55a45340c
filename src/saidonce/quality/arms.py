"""Compare cosine, the guards, and guards with a judge on labelled pairs, by source, language and kind.

No figure is diluted: pairs of equal texts that may be joined are not counted, and a group without any pair that must
stay apart and is near enough is left out of the share of wrongly joined pairs above a threshold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from saidonce.foundation.settings.policy import CANONICAL
from saidonce.matching.agreement import Accord, Agreement
from saidonce.quality.figures import Rate, rate

Ways: TypeAlias = tuple[bool, bool]
"""Whether b may be dropped for a, and whether a may be dropped for b."""

BOTH, NEITHER = (True, True), (False, False)

LABELLED: Mapping[str, Ways] = {
    "same": BOTH,
    "changed": NEITHER,
    "repeats_a": (True, False),
    "repeats_b": (False, True),
}
"""Labels that say which of two texts may be dropped for the other."""


def ways(agreed: Agreement, use: str) -> Ways:
    """Return which texts a use of the ladder may drop under an agreement; a canonical block represents both."""
    if agreed is Agreement.SAME:
        return BOTH
    if use == CANONICAL.use:
        return NEITHER
    return (agreed is Agreement.REPEATS_A, agreed is Agreement.REPEATS_B)


def ways_judged(accord: Accord, use: str) -> Ways:
    """Return which texts a use drops after a judge's answer; replacing both requires the stricter threshold."""
    return NEITHER if use == CANONICAL.use and not accord.is_certain else ways(accord.agreement, use)


class Arm(StrEnum):
    """A rule that decides whether two texts are joined."""

    COSINE = "cosine"
    GUARDS = "guards"
    JUDGE = "guards + judge"
    GUARDS_ANYWHERE = "guards, any similarity"
    JUDGE_ANYWHERE = "guards + judge, any similarity"

    @property
    def has_threshold(self) -> bool:
        """Whether a pair has to be near enough, too."""
        return self not in (Arm.GUARDS_ANYWHERE, Arm.JUDGE_ANYWHERE)


@dataclass(frozen=True, slots=True)
class ArmPair:
    """A labelled pair, and which texts each arm would drop.

    Attributes:
        source, language, kind: the group that it is counted in.
        may: the texts that may be dropped by its label.
        is_near: at or above the threshold.
        guards: the texts that the guards allow to drop, regardless of similarity.
        judged: the same after a judge decided what they leave open; None without a judge.
        is_compared: whether a pair that is not near is joined, too, if each of its texts states all of the other.
        judge_may_join: whether that holds after the judge decided.
    """

    source: str
    language: str
    kind: str
    may: Ways
    is_near: bool
    guards: Ways
    judged: Ways | None = None
    is_compared: bool = False
    judge_may_join: bool = True

    def dropped(self, arm: Arm) -> Ways:
        """Return the texts that an arm drops; none if the arm needs a judge and there is none."""
        if arm is Arm.COSINE:
            return BOTH if self.is_near else NEITHER
        by_judge = arm in (Arm.JUDGE, Arm.JUDGE_ANYWHERE)
        dropped = self.judged or NEITHER if by_judge else self.guards
        if not arm.has_threshold or self.is_near:
            return dropped
        allowed = dropped if self.judge_may_join or not by_judge else self.guards
        return BOTH if self.is_compared and dropped == allowed == BOTH else NEITHER

    @property
    def group(self) -> tuple[str, str, str]:
        """The smallest group to which it belongs."""
        return (self.source, self.language, self.kind)


@dataclass(frozen=True, slots=True)
class ArmLine:
    """The pairs that one arm joins in one group of labelled pairs.

    Attributes:
        by: "all", "source", "language" or "kind".
        group: its name.
        apart: pairs that must stay apart, at least one way round, and are joined that way.
        may: pairs that may be joined, at least one way round, and are.
        n_far: pairs that must stay apart but count in no share, since none of their group is near enough.
    """

    by: str
    group: str
    arm: Arm
    apart: Rate
    may: Rate
    n_far: int


_GROUPED: tuple[tuple[str, Callable[[ArmPair], str]], ...] = (
    ("all", lambda _pair: "all"),
    ("source", lambda pair: pair.source),
    ("language", lambda pair: pair.language),
    ("kind", lambda pair: pair.kind),
)


def arm_lines(pairs: Iterable[ArmPair]) -> tuple[ArmLine, ...]:
    """Count the pairs that each arm joins, in total and by source, language and kind; with judge arms only if used.

    Args:
        pairs: with a label that says what may be dropped; those of equal texts that may be joined left out.
    """
    counted = list(pairs)
    has_judge = any(p.judged is not None for p in counted)
    arms = [arm for arm in Arm if has_judge or arm not in (Arm.JUDGE, Arm.JUDGE_ANYWHERE)]
    near = {p.group for p in counted if (p.is_near or p.is_compared) and p.may != BOTH}
    lines = []
    for by, name_of in _GROUPED:
        groups: dict[str, list[ArmPair]] = {}
        for pair in counted:
            groups.setdefault(name_of(pair), []).append(pair)
        if by == "all" or set(groups) - {""}:
            lines += [_line(by, name, arm, groups[name], near) for name in sorted(groups) for arm in arms]
    return tuple(lines)


def _line(by: str, name: str, arm: Arm, of: Sequence[ArmPair], near: set[tuple[str, str, str]]) -> ArmLine:
    must = [p for p in of if p.may != BOTH]
    apart = [p for p in must if p.group in near] if arm.has_threshold else must
    may = [p for p in of if p.may != NEITHER]
    wrong = sum(_any(p.dropped(arm), (not p.may[0], not p.may[1])) for p in apart)
    right = sum(_any(p.dropped(arm), p.may) for p in may)
    return ArmLine(by, name, arm, rate(wrong, len(apart)), rate(right, len(may)), len(must) - len(apart))


def _any(dropped: Ways, where: Ways) -> bool:
    return (dropped[0] and where[0]) or (dropped[1] and where[1])
