"""Compare arms (no model, a model, the keyword flow) on scenarios, with the flaws of each.

scenarios -> (arm -> play -> passed? flaws, calls, tokens) -> one line an arm, and one a tag
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from saidonce.errors import UsageError
from saidonce.foundation.ports.conversations import DeadlineChat
from saidonce.quality.conversation import Equip, Open, Played, every_wording, play
from saidonce.quality.figures import Rate, percentile, rate
from saidonce.quality.flaws import FlawKind, wants_a_person
from saidonce.quality.scenario import EndGrade, MessageMeaning, Scenario, ScenarioStep

GRAVE = (FlawKind.FALSE_ISSUE, FlawKind.TOO_EARLY)
"""Flaws of which none may be."""

OWED: Mapping[FlawKind, Callable[[ScenarioStep], bool]] = {
    FlawKind.NO_PERSON: wants_a_person,
    FlawKind.EMERGENCY_MISSED: lambda step: step.means is MessageMeaning.EMERGENCY,
    FlawKind.FALSE_ALARM: lambda step: step.means is MessageMeaning.HARMLESS,
}
"""Flaws whose number says little without the number of messages that could have had them."""


@dataclass(frozen=True, slots=True)
class ScenarioArm:
    """An arm: its name in the table, its flow, and a recording or a live model."""

    name: str
    flow: str
    chat: DeadlineChat | None = None


@dataclass(frozen=True, slots=True)
class ArmReport:
    """The results of an arm.

    Attributes:
        passed: scenarios with every expectation met; `flawless`: those of them without a flaw.
        best: scenarios that reached an end graded best.
        tools: steps that used the expected tool, of those that expect one.
        seeds: situations of the seed (tag `seed`) that used every expected tool.
        every_wording: scenarios in several wordings that used every expected tool in each.
        flaws: number of each kind, all kinds, zeros too.
        owed: messages that could have had the flaw, for kinds in `OWED`.
        by_tag: flawless scenarios, and scenarios, of each tag.
        calls_p95, max_tokens: model calls of a turn, and estimated tokens of the longest prompt.
        n_messages, n_turns: what was played, so that an empty run does not pass.
    """

    name: str
    passed: Rate
    flawless: Rate
    best: Rate
    tools: Rate
    seeds: Rate
    every_wording: Rate
    flaws: Mapping[str, int]
    owed: Mapping[str, int]
    by_tag: Mapping[str, tuple[int, int]]
    calls_p95: int
    max_tokens: int
    n_messages: int
    n_turns: int
    played: tuple[Played, ...]

    @property
    def n_grave(self) -> int:
        """Number of flaws of kinds that must not occur."""
        return sum(self.flaws[kind] for kind in GRAVE)


def side_by_side(
    scenarios: Sequence[Scenario],
    arms: Sequence[ScenarioArm],
    open_store: Open,
    equip: Equip | None = None,
    advance: Callable[[], None] = lambda: None,
) -> tuple[ArmReport, ...]:
    """Play every scenario with every arm, except those in which a scripted model errs on purpose.

    Raises:
        UsageError: no scenario is left, or a step names an unknown act or event.
    """
    live = [s for s in scenarios if s.is_live]
    if not live:
        raise UsageError("no scenario is left to play: in all of them a scripted model errs on purpose")
    reports = []
    for arm in arms:
        played = []
        for scenario in live:
            played.append(play(scenario, arm.flow, open_store, arm.chat, equip))
            advance()
        reports.append(_report(arm.name, live, tuple(played)))
    return tuple(reports)


def only(scenarios: Sequence[Scenario], names: Sequence[str]) -> list[Scenario]:
    """Return the scenarios with one of these ids or tags; all without names.

    Raises:
        UsageError: none has.
    """
    if not names:
        return list(scenarios)
    chosen = [s for s in scenarios if s.id in names or set(names).intersection(s.tags)]
    if not chosen:
        raise UsageError(f"no scenario has one of these ids or tags: {', '.join(names)}")
    return chosen


def _report(name: str, scenarios: Sequence[Scenario], played: tuple[Played, ...]) -> ArmReport:
    pairs = list(zip(scenarios, played, strict=True))
    by_tag: dict[str, tuple[int, int]] = {}
    for scenario, one in pairs:
        for tag in scenario.tags:
            good, n = by_tag.get(tag, (0, 0))
            by_tag[tag] = (good + _is_flawless(one), n + 1)
    counted = Counter(f.kind for p in played for f in p.flaws)
    seeds = [p for s, p in pairs if "seed" in s.tags]
    steps = [step for s in scenarios for step in s.steps]
    calls = [n for p in played for n in p.calls]
    return ArmReport(
        name, rate(sum(not p.failures for p in played), len(played)),
        rate(sum(map(_is_flawless, played)), len(played)),
        rate(sum(not p.failures and p.grade == EndGrade.BEST for p in played), len(played)),
        rate(sum(p.n_right for p in played), sum(p.n_expected for p in played)),
        rate(sum(p.n_right == p.n_expected for p in seeds), len(seeds)), every_wording(played),
        {kind: counted[kind] for kind in FlawKind}, {kind: sum(map(owes, steps)) for kind, owes in OWED.items()},
        dict(sorted(by_tag.items())), int(percentile(calls, 0.95)),
        max((t.prompt_tokens for p in played for t in p.turns), default=0),
        sum(p.n_messages for p in played), sum(len(p.turns) for p in played), played,
    )  # fmt: skip


def _is_flawless(one: Played) -> bool:
    return not one.failures and not one.flaws
