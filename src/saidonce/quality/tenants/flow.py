"""Run conversations of scripted tenants with the assistant, without a model, and check invariants.

seed -> goal -> (tenant's step -> stage -> moment) -> invariants over the moments
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from typing import Any

from saidonce.errors import where
from saidonce.foundation.model.conversation import WITHDRAWN, Alarm
from saidonce.foundation.model.residents import Property, Resident, Tenancy
from saidonce.foundation.ports.conversations import Conversations
from saidonce.quality.acts import Outside
from saidonce.quality.conversation import Equip
from saidonce.quality.endings import CLOSED
from saidonce.quality.flaws import ConversationFlaw, flaws, opened
from saidonce.quality.playing import PHONE, ScenarioClock
from saidonce.quality.scenario import NOON, MessageMeaning, Scenario, ScenarioStep
from saidonce.quality.stage import PlayedStep, Stage, got_a_person
from saidonce.quality.tenants import phrases
from saidonce.quality.tenants.goal import Aim, Goal, drawn
from saidonce.quality.tenants.tenant import Tenant
from saidonce.repairs.conversation import ConversationDeps

EMERGENCIES = (Aim.EMERGENCY, Aim.EMERGENCY_OTHERWISE)
MOST_SHOWN = 5
"""Seeds shown of each kind of violation."""


class Broken(StrEnum):
    """Invariants beyond the flaws of any conversation."""

    DEAD_END = "dead_end"
    NOT_FILED = "not_filed"
    NOT_ANSWERED = "not_answered"
    NOT_WITHDRAWN = "not_withdrawn"
    ALARM_LOWERED = "alarm_lowered"
    NOBODY_TOLD = "nobody_told"
    UNCALLED_ALARM = "uncalled_alarm"
    PHOTO_LOST = "photo_lost"
    IDENTITY_LOST = "identity_lost"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Violation:
    """An invariant that a conversation broke, the step (from 1; 0 for the whole), and what shows it."""

    kind: str
    step: int
    text: str


@dataclass(frozen=True, slots=True)
class Held:
    """A conversation of a scripted tenant.

    Attributes:
        lines: both sides, oldest first, as (from the tenant, text).
    """

    seed: int
    goal: Goal
    lines: tuple[tuple[bool, str], ...]
    violations: tuple[Violation, ...]
    n_steps: int
    n_issues: int


@dataclass(frozen=True, slots=True)
class TenantsReport:
    """Conversations of scripted tenants.

    Attributes:
        n, n_clean: conversations, and those without a violation.
        aims: conversations, and clean ones, by aim.
        violated: conversations with a violation, by its kind.
        seeds: the first seeds of each kind, with what shows the first of them.
        n_messages, n_issues, n_alarms: what was played, so that an empty run does not pass.
    """

    n: int
    n_clean: int
    aims: Mapping[str, tuple[int, int]]
    violated: Mapping[str, int]
    seeds: Mapping[str, tuple[tuple[int, str], ...]]
    n_messages: int
    n_issues: int
    n_alarms: int


def hold(seed: int, open_store: Callable[[], Conversations], equip: Equip | None = None) -> Held:
    """Run the conversation of a seed, reproducibly.

    Args:
        seed: of the goal and of the tenant's words.
        open_store: opens an empty store.
        equip: adds services, such as retrieval over `phrases.DOCUMENTS`; None adds none.
    """
    chance = random.Random(seed)  # noqa: S311  a scripted user, no secret
    goal = drawn(chance)
    tenant = Tenant(goal, chance)
    outside = Outside(reach="taken")
    clock = ScenarioClock(NOON)
    deps = ConversationDeps(open_store(), clock, reach=outside)
    deps = equip(deps, phrases.DOCUMENTS) if equip is not None else deps
    home = Property("p1", "12 Elm Road", "Flat 2", "Elm House", "EX1 2AB")
    since = NOON - timedelta(days=400)
    deps.store.put_home(home, Resident("r1", "Ana Bell", (PHONE,)), Tenancy("t1", "p1", "r1", since))
    stage = Stage(deps, clock, outside)
    failed = ""
    try:
        for step in _delivered(tenant, stage.moments):
            stage.do(step)
    except Exception as bad:  # noqa: BLE001  whatever fails is a violation, with the seed that replays it
        failed = f"{type(bad).__name__} at {where(bad)}"
    broken = [Violation(Broken.ERROR, len(stage.moments), failed)] if failed else []
    if stage.moments:
        broken += [Violation(f.kind, f.step, f.text) for f in _flaws(tenant, stage.moments)]
        broken += [
            Violation(kind, 0, text) for kind, check in _CHECKS.items() if (text := check(tenant, stage.moments))
        ]
    lines = tuple(line for m in stage.moments for line in _lines(m))
    return Held(seed, goal, lines, tuple(broken), len(stage.moments), len(deps.store.issues()))


def hold_many(
    n: int,
    seed: int,
    open_store: Callable[[], Conversations],
    advance: Callable[[], None] = lambda: None,
    equip: Equip | None = None,
) -> TenantsReport:
    """Run n conversations, of the seeds from `seed` on, and count the violations."""
    violated: Counter[str] = Counter()
    shown: dict[str, list[tuple[int, str]]] = {}
    by_aim: dict[str, list[bool]] = {}
    messages = issues = alarms = 0
    for k in range(seed, seed + n):
        conversation = hold(k, open_store, equip)
        for kind in sorted({v.kind for v in conversation.violations}):
            violated[kind] += 1
            first = next(v for v in conversation.violations if v.kind == kind)
            if len(shown.setdefault(kind, [])) < MOST_SHOWN:
                shown[kind].append((k, f"{conversation.goal.aim}, {conversation.goal.mood}: {first.text}"))
        by_aim.setdefault(conversation.goal.aim, []).append(not conversation.violations)
        messages += sum(theirs for theirs, _ in conversation.lines)
        issues += conversation.n_issues
        alarms += conversation.goal.aim in EMERGENCIES
        advance()
    aims = {aim: (len(clean), sum(clean)) for aim, clean in sorted(by_aim.items())}
    n_clean = sum(c for _, c in aims.values())
    seeds = {kind: tuple(rows) for kind, rows in sorted(shown.items())}
    return TenantsReport(n, n_clean, aims, dict(violated.most_common()), seeds, messages, issues, alarms)


def _delivered(tenant: Tenant, moments: list[PlayedStep]) -> Iterator[ScenarioStep]:
    """Yield the tenant's steps; some messages are delivered twice, as channels do."""
    for n, step in enumerate(tenant.steps(moments)):
        if not tenant.goal.is_repeating or not step.text:
            yield step
            continue
        yield replace(step, row={**step.row, "id": f"message-{n}"})
        again = {**{k: v for k, v in step.row.items() if k != "waits"}, "dup_of": f"message-{n}"}
        yield ScenarioStep(again, 2.0, (), {}, means=step.means)


def _lines(moment: PlayedStep) -> list[tuple[bool, str]]:
    row = moment.step.row
    theirs = str(row.get("text") or ", ".join(row.get("media", ())))
    return [(True, theirs)] * bool(theirs) + [(False, s.text) for s in moment.says]


def _flaws(tenant: Tenant, moments: Sequence[PlayedStep]) -> tuple[ConversationFlaw, ...]:
    return flaws(Scenario(
        id="tenant", source="", tags=(), pack="uk", flag="", flows=(), fails=(), clock=NOON, homes=(), issues=(),
        state={}, steps=(), ends=_ends(tenant), language="" if tenant.goal.foreign else "en",
    ), moments)  # fmt: skip


def _ends(tenant: Tenant) -> tuple[Mapping[str, Any], ...]:
    """Return the accepted ends for the tenant's goal: how many issues, with which words."""
    aim = tenant.goal.aim
    if aim in EMERGENCIES:
        return ()
    if aim in (Aim.ASK, Aim.PERSON):
        return ({"issues": []},)
    if aim is Aim.WITHDRAW:
        return ({"issues": [{}]},)
    return ({"issues": [{"contains": list(dict.fromkeys(words))} for words in tenant.written]},)


def _live(moments: Sequence[PlayedStep]) -> int:
    return sum(i.state not in CLOSED and i.review != WITHDRAWN for i in moments[-1].issues)


def _dead_end(tenant: Tenant, moments: Sequence[PlayedStep]) -> str:
    """Return a violation unless the conversation ends in an issue, an answer, a hand-over, a notice or a withdrawal."""
    aim = tenant.goal.aim
    if aim in (Aim.WITHDRAW, Aim.PERSON, Aim.ASK) or moments[-1].alarms:
        return ""
    ended = bool(moments[-1].issues) or got_a_person(moments) or any(m.notices for m in moments)
    return "" if ended else f"no issue, no notice, no person; last reply {_last_reply(moments)!r}"


def _not_filed(tenant: Tenant, moments: Sequence[PlayedStep]) -> str:
    n_due = len(tenant.written) if tenant.goal.problems or tenant.goal.foreign else 0
    if tenant.goal.aim is Aim.WITHDRAW or got_a_person(moments) or moments[-1].alarms:
        return ""
    n = len(opened(moments))
    return f"{n} issues of {n_due} problems; last reply {_last_reply(moments)!r}" if n < n_due else ""


def _not_answered(tenant: Tenant, moments: Sequence[PlayedStep]) -> str:
    """Return a violation unless a question is answered by its problem's state or a document, or by a person.

    If no document answers, a person has to be told. A document about something else is not an answer.
    """
    for n, moment in enumerate(moments):
        if "dup_of" in moment.step.row:
            continue
        if moment.step.means is MessageMeaning.QUESTION:
            says = " ".join(s.text for s in moment.says).lower()
            answers = [a for a in phrases.QUESTIONS.values() if a and a in says]
            due = phrases.QUESTIONS[tenant.goal.opening]
            is_passed_on = bool(moment.notices) or got_a_person(moments[: n + 1])
            if any(a != due for a in answers) or not (due in answers or is_passed_on):
                return f"{moment.step.text!r} was answered with {says!r}"
        if moment.step.means is MessageMeaning.ASK_AFTER:
            name = tenant.written[0][0]
            says = " ".join(s.text for s in moment.says).lower()
            if name.lower() not in says and not moment.notices and not got_a_person(moments[: n + 1]):
                return f"{moment.step.text!r} was answered with {says!r}"
    return ""


def _not_withdrawn(tenant: Tenant, moments: Sequence[PlayedStep]) -> str:
    if tenant.goal.aim is not Aim.WITHDRAW or not _live(moments) or got_a_person(moments):
        return ""
    return f"{_live(moments)} live issues after it was taken back"


def _alarm_lowered(tenant: Tenant, moments: Sequence[PlayedStep]) -> str:
    del tenant
    high = {e.id for m in moments for e in m.events if e.state in (Alarm.SUSPECTED, Alarm.VALIDATED)}
    lowered = [e.kind for e in moments[-1].events if e.id in high and e.state is Alarm.DISMISSED]
    return f"lowered without a person: {lowered}" if lowered else ""


def _missing_notice(tenant: Tenant, moments: Sequence[PlayedStep]) -> str:
    del tenant
    alarms = moments[-1].alarms
    return "an alarm without a notice" if alarms and not any(m.notices for m in moments) else ""


def _uncalled_alarm(tenant: Tenant, moments: Sequence[PlayedStep]) -> str:
    sure = [e for m in moments for e in m.events if e.state is not Alarm.POSSIBLE and e.state is not Alarm.DISMISSED]
    called = tenant.goal.foreign.alarm if tenant.goal.foreign is not None else ""
    sure = [e for e in sure if e.kind != called]
    if tenant.goal.aim in EMERGENCIES or not sure:
        return ""
    return f"{sure[0].kind} by {sure[0].phrase!r}, although nothing was said of danger"


def _photo_lost(tenant: Tenant, moments: Sequence[PlayedStep]) -> str:
    stored = {m for i in moments[-1].issues for m in i.media}
    lost = [p for p in tenant.photos if p not in stored]
    return f"{lost} of {tenant.photos} are in no issue" if lost and moments[-1].issues else ""


def _identity_lost(tenant: Tenant, moments: Sequence[PlayedStep]) -> str:
    del tenant
    states = [m.held.identity for m in moments if m.held is not None]
    if not any(s.is_known for s in states) or states[-1].is_known:
        return ""
    n = next(k for k, m in enumerate(moments) if m.held is not None and k and not m.held.identity.is_known)
    return f"no longer recognised after {moments[n].step.text!r}"


def _last_reply(moments: Sequence[PlayedStep]) -> str:
    return next((s.text for m in reversed(moments) for s in reversed(m.says)), "")


_CHECKS: Mapping[Broken, Callable[[Tenant, Sequence[PlayedStep]], str]] = {
    Broken.DEAD_END: _dead_end,
    Broken.NOT_FILED: _not_filed,
    Broken.NOT_ANSWERED: _not_answered,
    Broken.NOT_WITHDRAWN: _not_withdrawn,
    Broken.ALARM_LOWERED: _alarm_lowered,
    Broken.NOBODY_TOLD: _missing_notice,
    Broken.UNCALLED_ALARM: _uncalled_alarm,
    Broken.PHOTO_LOST: _photo_lost,
    Broken.IDENTITY_LOST: _identity_lost,
}
