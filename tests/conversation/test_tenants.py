"""Scripted tenants: the same seed gives the same conversation, a broken invariant is named, and few are broken."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from saidonce.foundation.model.conversation import Alarm, EmergencyEvent, IdentityStatus
from saidonce.quality.scenario import NOON
from saidonce.quality.stage import PlayedStep
from saidonce.quality.tenants import flow
from saidonce.quality.tenants.flow import Broken, Held, hold, hold_many
from saidonce.quality.tenants.goal import WEIGHTS, Aim, PhotoWill, drawn
from saidonce.quality.tenants.phrases import MOODS
from saidonce.quality.tenants.tenant import Tenant
from saidonce.testing.memory_conversations import MemoryConversations

N = 100

MOST: dict[str, int] = {
    "not_filed": 8, "emergency_missed": 4, "uncalled_alarm": 4, "alarm_question": 3, "false_alarm": 2, "dead_end": 1,
}  # fmt: skip
"""Conversations of 100 that may break an invariant: what is known today. A kind that does not stand here: none."""


def test_few_conversations_break_an_invariant() -> None:
    report = hold_many(N, 1, MemoryConversations)
    print(report.n_clean, "of", report.n, dict(report.violated))
    assert (report.n, sum(n for n, _ in report.aims.values())) == (N, N)
    assert len(report.aims) == len(Aim)
    assert report.n_messages > 2 * N
    assert report.n_issues > N // 3
    assert report.n_alarms >= 5
    assert {kind: n for kind, n in report.violated.items() if n > MOST.get(kind, 0)} == {}
    assert report.seeds.keys() == report.violated.keys()


def test_goals_are_of_every_kind() -> None:
    goals = [drawn(random.Random(seed)) for seed in range(400)]
    assert {g.aim for g in goals} == set(WEIGHTS) == set(Aim)
    assert {g.mood for g in goals} == set(MOODS)
    assert {g.photo for g in goals} == set(PhotoWill)
    assert (
        {g.typos > 0 for g in goals} == {g.is_known for g in goals} == {g.is_repeating for g in goals} == {True, False}
    )
    assert {g.foreign.language for g in goals if g.foreign} >= {"es", "fr", "de", "pl"}


@pytest.mark.parametrize("seed", [3, 24, 71])
def test_a_seed_replays_its_conversation(seed: int) -> None:
    first, again = hold(seed, MemoryConversations), hold(seed, MemoryConversations)
    assert first == again
    assert first.lines
    assert any(theirs for theirs, _ in first.lines)


def test_a_fault_is_a_violation_of_its_seed() -> None:
    class Broke(MemoryConversations):
        def commit(self, write: Any) -> None:
            raise RuntimeError("disk full")

    held = hold(3, Broke)
    assert {v.kind for v in held.violations} >= {Broken.ERROR}
    assert "RuntimeError" in held.violations[0].text
    report = hold_many(2, 3, Broke)
    assert (report.n_clean, report.violated[Broken.ERROR]) == (0, 2)
    assert [seed for seed, _ in report.seeds[Broken.ERROR]] == [3, 4]


def of_aim(aim: Aim) -> tuple[Tenant, list[PlayedStep]]:
    """A tenant of an aim whose conversation broke nothing, with its steps."""
    seeds = (s for s in range(1, 400) if drawn(random.Random(s)).aim is aim)
    return caught(next(s for s in seeds if not hold(s, MemoryConversations).violations))


def caught(seed: int) -> tuple[Tenant, list[PlayedStep]]:
    """What the checks of a conversation see."""
    seen: list[tuple[Tenant, list[PlayedStep]]] = []

    def look(tenant: Any, moments: Any) -> str:
        seen.append((tenant, moments))
        return ""

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flow, "_CHECKS", {Broken.ERROR: look})
        hold(seed, MemoryConversations)
    return seen[0]


def kinds(tenant: Tenant, moments: list[PlayedStep]) -> set[str]:
    return {kind for kind, check in flow._CHECKS.items() if check(tenant, moments)}


def event(state: Alarm) -> EmergencyEvent:
    return EmergencyEvent("e1", "c", 1, "gas", "gas", True, NOON, NOON, True, state)


def test_broken_invariants_are_named() -> None:
    tenant, moments = of_aim(Aim.REPORT)
    last = moments[-1]
    assert kinds(tenant, moments) == set()
    bare = [replace(m, issues=(), notices=(), turns=()) for m in moments]
    assert kinds(tenant, bare) == {Broken.DEAD_END, Broken.NOT_FILED}
    high, low = replace(last, events=(event(Alarm.SUSPECTED),)), replace(last, events=(event(Alarm.DISMISSED),))
    assert kinds(tenant, [*moments, high, low]) == {Broken.ALARM_LOWERED, Broken.UNCALLED_ALARM}
    assert kinds(tenant, [replace(high, notices=())]) >= {Broken.NOBODY_TOLD}
    tenant.photos.append("photo-9")
    assert kinds(tenant, moments) == {Broken.PHOTO_LOST}
    tenant.photos.clear()
    assert last.held is not None
    unknown = replace(last, held=replace(last.held, identity=IdentityStatus.UNIDENTIFIED))
    assert kinds(tenant, [*moments, unknown]) == {Broken.IDENTITY_LOST}


def test_what_was_taken_back_may_not_be_filed() -> None:
    tenant, moments = of_aim(Aim.WITHDRAW)
    assert kinds(tenant, moments) == set()
    _, other = of_aim(Aim.REPORT)
    assert kinds(tenant, [*moments, replace(moments[-1], issues=other[-1].issues)]) == {Broken.NOT_WITHDRAWN}


def test_whoever_asks_after_a_problem_hears_of_it() -> None:
    tenant, moments = of_aim(Aim.ASK_AFTER)
    deaf = [
        replace(m, says=tuple(replace(s, text="Hello!") for s in m.says), notices=()) if m.step.means else m
        for m in moments
    ]
    assert Broken.NOT_ANSWERED in kinds(tenant, deaf)


def test_a_conversation_is_not_counted_as_clean_with_a_violation(monkeypatch: pytest.MonkeyPatch) -> None:
    def held(seed: int, *_: object) -> Held:
        one = hold(seed, MemoryConversations)
        return replace(one, violations=(flow.Violation("dead_end", 0, "stuck"),) if seed % 2 else ())

    monkeypatch.setattr(flow, "hold", held)
    report = hold_many(4, 1, MemoryConversations)
    assert (report.n_clean, report.violated, [s for s, _ in report.seeds["dead_end"]]) == (2, {"dead_end": 2}, [1, 3])
