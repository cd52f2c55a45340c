"""Replay a turn from the stored messages and model replies, and compare it with the stored one.

The whole conversation up to the turn is replayed in an empty store, with those of the same resident on other channels,
since an open report goes from one to another; no model is called, and no stored data changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from saidonce.errors import ModelUnavailableError, NotFoundError, SaidonceError
from saidonce.foundation.model.conversation import Alarm, Conversation, ModelCall, Path, Turn
from saidonce.foundation.ports.conversations import Conversations
from saidonce.repairs.conversation import alarm, staff_actions, turn
from saidonce.repairs.conversation.deps import ConversationDeps
from saidonce.repairs.conversation.one_report import MOVED
from saidonce.repairs.conversation.rules import Orchestration

COMPARED = ("path", "tool", "reason", "refused", "effects", "identity", "gathering", "prompt_hash")
"""Fields that must be equal; the duration may differ."""

_LED_BY = {Path.V1: Orchestration.OFF, Path.V2: Orchestration.ON, Path.V1_FALLBACK: Orchestration.ON}
"""Orchestration by path of a turn; the setting may have changed since."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A field that differs after a replay."""

    field: str
    kept: str
    now: str


@dataclass(frozen=True, slots=True)
class Replayed:
    """A replayed turn.

    Attributes:
        before: earlier turns with differences; after one, later differences prove little.
        differences: of the turn itself and its replies; empty if equal.
    """

    turn: Turn
    before: tuple[str, ...]
    differences: tuple[Difference, ...]

    @property
    def is_same(self) -> bool:
        """Whether the turn and all earlier ones are equal."""
        return not self.before and not self.differences


class _Clock:
    """A clock that stands at the moment of the replayed turn."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at


class _RecordedModel:
    """The model as it replied in one turn; see `saidonce.foundation.ports.conversations.DeadlineChat`."""

    def __init__(self, name: str, calls: Sequence[ModelCall]) -> None:
        self._name = name
        self._left = list(calls)

    @property
    def name(self) -> str:
        return self._name

    def complete_within(self, instructions: str, prompt: str, schema: Mapping[str, object], timeout_s: float) -> str:
        del instructions, prompt, schema, timeout_s
        call = self._left.pop(0) if self._left else ModelCall("", "unavailable: it was not asked then")
        if not call.reply and call.refused.startswith("unavailable: "):
            raise ModelUnavailableError(self._name, call.refused.removeprefix("unavailable: "))
        return call.reply


def replay(deps: ConversationDeps, turn_id: str, conversation_id: str, fresh: Conversations) -> Replayed:
    """Replay a turn, and compare.

    Homes, open issues of others, documents and the emergency pack are those of today: where they have changed, a turn
    may differ, and the difference shows it.

    Args:
        deps: of the organisation of the turn; only read.
        turn_id: of the turn.
        conversation_id: of its conversation.
        fresh: an empty store of the same organisation.

    Raises:
        NotFoundError: there is no such turn.
    """
    turns = deps.store.turns(conversation_id)
    upto = next((n for n, t in enumerate(turns) if t.id == turn_id), None)
    if upto is None:
        raise NotFoundError("turn", turn_id)
    of = deps.store.conversation(conversation_id)
    run = _Replay(deps, fresh, ids := _of_resident(deps.store, of))
    # A channel identity learnt by an approval was unknown before it.
    approved = any(t.reason.startswith(f"{staff_actions.APPROVED}:") for t in turns)
    learnt = of.sender.key if approved else ""
    for home in deps.store.homes():
        keys = tuple(k for k in home.resident.external_ids if k != learnt)
        fresh.put_home(home.property, replace(home.resident, external_ids=keys), home.tenancy)
    differences = {t.id: run.run(t) for t in _up_to(deps.store, turns[upto], ids)}
    different = tuple(t.id for t in turns[:upto] if differences[t.id])
    return Replayed(turns[upto], different, differences[turn_id])


def _of_resident(store: Conversations, of: Conversation) -> tuple[str, ...]:
    """Return the ids of a conversation, of those of its tenancy, and of those that a report came from or went to."""
    together = {of.id, *(c.id for c in (store.conversations_of(of.tenancy_id) if of.tenancy_id else ()))}
    effects = [e for id_ in together for t in store.turns(id_) for e in t.effects if e.startswith("report_")]
    together |= {e.partition(":")[2] for e in effects} - {""}
    return (of.id, *sorted(together - {of.id}))


def _up_to(store: Conversations, last: Turn, ids: Sequence[str]) -> tuple[Turn, ...]:
    """Return the turns of one resident up to one of them, in the order of their moments.

    What a turn does in the record of another conversation is compared after it, and done by it.
    """
    mine = [t for id_ in ids for t in store.turns(id_) if t.at <= last.at]
    kept = [t for t in mine if t.conversation_id != last.conversation_id or t.n <= last.n]
    kept.sort(key=lambda t: (t.at, t.reason == MOVED, t.n, ids.index(t.conversation_id)))
    return tuple(kept)


class _Replay:
    """The conversations of one resident during their replay."""

    def __init__(self, deps: ConversationDeps, fresh: Conversations, ids: Sequence[str]) -> None:
        self._real = deps
        self._clock = _Clock(deps.store.conversation(ids[0]).started_at)
        self._deps = replace(deps, store=fresh, clock=self._clock, chat=None)
        self._inbounds = sorted((i for id_ in ids for i in deps.store.inbounds(id_)), key=lambda i: i.seq)
        self._seq: dict[int, int] = {}

    def run(self, stored: Turn) -> tuple[Difference, ...]:
        """Replay one turn; return its differences."""
        self._clock.at = stored.at
        if stored.reason == MOVED:
            done = (t for t in self._deps.store.turns(stored.conversation_id) if t.id == stored.id)
            return self._compared(stored, next(done, None))
        self._receive(stored)
        self._settle_alarms(stored)
        try:
            replayed = self._person(stored) if stored.path is Path.HUMAN else self._machine(stored)
        except SaidonceError as failed:
            return (Difference("turn", stored.id, f"{type(failed).__name__}: {failed}"),)
        return self._compared(stored, replayed)

    def _receive(self, stored: Turn) -> None:
        """Receive every message that had arrived before the turn was written."""
        seen = max(stored.inbound, default=0)
        of = stored.conversation_id
        came = [i for i in self._inbounds if (i.seq <= seen and i.conversation_id == of) or i.received_at <= stored.at]
        self._inbounds = [i for i in self._inbounds if i not in came]
        for inbound in came:
            bare = replace(inbound, scanned=False, seq=0, conversation_id="")
            self._seq[inbound.seq] = turn.keep(self._deps, bare).seq
        alarm.scan(self._deps)

    def _settle_alarms(self, stored: Turn) -> None:
        """Dismiss alarms dismissed before the turn; each such step moved the version."""
        missing = stored.n - 1 - self._deps.store.conversation(stored.conversation_id).version
        dismissed = {e.id for e in self._real.store.events(stored.conversation_id) if e.state is Alarm.DISMISSED}
        for event in self._deps.store.events(stored.conversation_id):
            if missing > 0 and event.id in dismissed and event.state is not Alarm.DISMISSED:
                self._deps.store.settle_event(event, replace(event, state=Alarm.DISMISSED), None, (), ())
                missing -= 1
        alarm.tend(self._deps)

    def _machine(self, stored: Turn) -> Turn | None:
        chat = _RecordedModel(stored.model, stored.calls) if stored.model else None
        led_by = _LED_BY.get(stored.path, self._deps.rules.orchestration)
        rules = replace(self._deps.rules, orchestration=led_by)
        conversation = self._deps.store.conversation(stored.conversation_id)
        return turn.take(replace(self._deps, chat=chat, rules=rules), conversation, "replay")

    def _person(self, stored: Turn) -> Turn | None:
        verb, _, by = stored.reason.partition(":")
        tenancy = next((e.removeprefix("tenancy:") for e in stored.effects if e.startswith("tenancy:")), "")
        text = "".join(m.text for m in self._real.store.outbox(stored.conversation_id) if m.turn_id == stored.id)
        match verb:
            case "taken_over":
                return staff_actions.take_over(self._deps, stored.conversation_id, by)
            case "handed_back":
                return staff_actions.hand_back(self._deps, stored.conversation_id, by)
            case "wrote":
                return staff_actions.write_as_staff(self._deps, stored.conversation_id, text, by)
            case staff_actions.APPROVED:
                return staff_actions.approve_identity(self._deps, stored.conversation_id, tenancy, by)
            case "disowned":
                return staff_actions.undo_identity(self._deps, stored.conversation_id, by)
        return None

    def _compared(self, stored: Turn, replayed: Turn | None) -> tuple[Difference, ...]:
        if replayed is None:
            return (Difference("turn", stored.id, "none was taken"),)
        pairs = [(name, getattr(stored, name), getattr(replayed, name)) for name in COMPARED]
        pairs.append(("said", _replies(self._real.store, stored), _replies(self._deps.store, replayed)))
        pairs.append(("inbound", tuple(self._seq.get(seq, 0) for seq in stored.inbound), replayed.inbound))
        return tuple(Difference(name, str(was), str(now)) for name, was, now in pairs if was != now)


def _replies(store: Conversations, of: Turn) -> tuple[str, ...]:
    return tuple(m.text for m in store.outbox(of.conversation_id) if m.turn_id == of.id)
