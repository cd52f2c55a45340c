"""The environment in which a conversation is played: store, stepping clock, channel, and a record of each step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta

from saidonce.foundation.model.conversation import (
    Alarm,
    Conversation,
    EmergencyEvent,
    Issue,
    LandlordEvent,
    LandlordNotice,
    OutboxMessage,
    Turn,
)
from saidonce.foundation.model.residents import Inbound
from saidonce.quality.acts import Outside, act, happen
from saidonce.quality.playing import ScenarioClock, not_caught, sent
from saidonce.quality.scenario import ScenarioStep
from saidonce.repairs import conversation
from saidonce.repairs.conversation import ConversationDeps
from saidonce.repairs.conversation.queued_reports import MOST_DRAFTS

MAX_TURNS = 12
"""Turns of one step, at most; more is a loop."""

HOP_S = 3_600.0
"""Longest time that a jump lets pass before due work is done."""

ALARM_HOPS_S = (60.0, 240.0, 600.0, 900.0, 1_800.0)
"""The first hops of a jump, shorter, because alarms count in minutes."""


@dataclass(frozen=True, slots=True)
class PlayedStep:
    """The results of a step.

    Attributes:
        turns, says, notices: of this step only.
        issues, events: all in the store after it.
        held: the conversation after it; None before the first message.
        n_delivered: notices delivered so far.
        heard: every text of the resident so far, oldest first.
    """

    step: ScenarioStep
    turns: tuple[Turn, ...]
    says: tuple[OutboxMessage, ...]
    notices: tuple[LandlordNotice, ...]
    issues: tuple[Issue, ...]
    events: tuple[EmergencyEvent, ...]
    held: Conversation | None
    n_delivered: int = 0
    heard: tuple[str, ...] = ()

    @property
    def alarms(self) -> tuple[EmergencyEvent, ...]:
        """Emergencies that were not called off, including those only asked about."""
        return tuple(e for e in self.events if e.state is not Alarm.DISMISSED)

    @property
    def is_with_a_person(self) -> bool:
        """Whether a person was asked to take over, in this step or before."""
        return self.held is not None and self.held.handed_off_at is not None


@dataclass
class Stage:
    """A conversation being played.

    Attributes:
        moments: the steps so far with their results.
    """

    deps: ConversationDeps
    clock: ScenarioClock
    outside: Outside = field(default_factory=Outside)
    moments: list[PlayedStep] = field(default_factory=list)
    is_looping: bool = False

    @property
    def turns(self) -> list[Turn]:
        """All turns so far."""
        return [t for m in self.moments for t in m.turns]

    def do(self, step: ScenarioStep) -> PlayedStep:
        """Advance the clock, carry out a step, and do the work that falls due.

        A step that waits leaves its work to the next one.
        """
        before, n_notices = {o.id for o in self.deps.store.outbox()}, len(self.deps.store.notices())
        turns = self._pass(step)
        if "happens" in step.row:
            happen(self.outside, step.row["happens"])
        if "person" in step.row:
            act(self.deps, self.deps.store.conversations(1)[0].id, step.row["person"])
        sent(self.deps, step)
        if not step.row.get("waits"):
            self.clock.forward(self.deps.rules.longest_wait_s + 1)
            turns += self._work()
            turns += self._filed()
        held = self.deps.store.conversations(1)
        moment = PlayedStep(
            step, tuple(turns), tuple(o for o in self.deps.store.outbox() if o.id not in before),
            self.deps.store.notices()[n_notices:],
            self.deps.store.issues(), self.deps.store.events(), held[0] if held else None,
            len(self.outside.delivered) if self.outside.reach == "taken" else 0,
            tuple(i.text for i in sorted(self._inbounds(), key=lambda i: i.seq)),
        )  # fmt: skip
        self.moments.append(moment)
        return moment

    def _inbounds(self) -> list[Inbound]:
        """Return all messages so far, on every channel."""
        return [i for c in self.deps.store.conversations() for i in self.deps.store.inbounds(c.id)]

    def _filed(self) -> list[Turn]:
        """Advance the clock until a complete further report is filed."""
        turns: list[Turn] = []
        for _ in range(MOST_DRAFTS):
            soon = self.clock.now() + timedelta(seconds=2)
            due = [c for c in self.deps.store.conversations(1) if c.draft_expires_at and c.draft_expires_at <= soon]
            if not due:
                break
            self.clock.forward(2)
            turns += self._work()
        return turns

    def _pass(self, step: ScenarioStep) -> list[Turn]:
        until = self._until(step)
        if not step.is_jump:
            self.clock.forward((until - self.clock.now()).total_seconds())
            return []
        turns: list[Turn] = []
        for hop in (*ALARM_HOPS_S, *([HOP_S] * int((until - self.clock.now()).total_seconds() // HOP_S + 1))):
            left = (until - self.clock.now()).total_seconds()
            if left <= hop:
                break
            self.clock.forward(hop)
            turns += self._work()
        self.clock.forward(max(0.0, (until - self.clock.now()).total_seconds()))
        return turns

    def _until(self, step: ScenarioStep) -> datetime:
        now = self.clock.now()
        if "clock" in step.row:
            moment: datetime = step.row["clock"]
            return max(now, moment.astimezone(now.tzinfo))
        if "wait_until" in step.row:
            of_day: time = step.row["wait_until"]
            today = now.replace(hour=of_day.hour, minute=of_day.minute, second=of_day.second, microsecond=0)
            return today if today > now else today + timedelta(days=1)
        return now + timedelta(seconds=step.at)

    def _work(self) -> list[Turn]:
        """Do all due work and deliver the notices, as the service does, until nothing is left to do."""
        turns = list(conversation.once(self.deps, self.outside, "worker", not_caught, MAX_TURNS))
        self.is_looping = self.is_looping or len(turns) == MAX_TURNS
        if self.outside.reach:
            for notice in self.deps.store.notices():
                if notice.dedupe_key not in self.outside.delivered:
                    self.outside.delivered.add(notice.dedupe_key)
                    conversation.tell_resident(self.deps, notice, self.outside.reach == "taken")
        return turns


def got_a_person(moments: Sequence[PlayedStep]) -> bool:
    """Return whether a person was asked to take over, or did, in any of these steps."""
    return any(m.is_with_a_person or any(n.event is LandlordEvent.ESCALATED for n in m.notices) for m in moments)


def words_of(issue: Issue) -> str:
    """Return all text of an issue that the landlord can read, in lower case, without ids."""
    ids = {"id", "turn_id", "conversation_id", "tenancy_id", "property_id"}
    values = (getattr(issue, name) for name in issue.__dataclass_fields__ if name not in ids)
    parts = [p for v in values for p in (v if isinstance(v, tuple) else (v,)) if isinstance(p, str)]
    return " ".join(parts).lower()
