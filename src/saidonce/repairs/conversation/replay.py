"""Flow: a turn is taken again from what was written and what the model said then, and compared with what was kept.

The whole conversation up to the turn is told anew in an empty store; no model is asked, and nothing of ours changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from saidonce.errors import ModelUnavailableError, NotFoundError, SaidonceError
from saidonce.foundation.model.conversation import Alarm, ModelCall, Path, Turn
from saidonce.foundation.ports.conversations import Conversations
from saidonce.repairs.conversation import alarm, people, turn
from saidonce.repairs.conversation.deps import ConversationDeps
from saidonce.repairs.conversation.rules import Orchestration

COMPARED = ("path", "tool", "reason", "refused", "effects", "identity", "gathering", "prompt_hash")
"""What has to come out the same; the time that it took may differ."""

_LED_BY = {Path.V1: Orchestration.OFF, Path.V2: Orchestration.ON, Path.V1_FALLBACK: Orchestration.ON}
"""Who led the conversation when a turn took a path; the setting may be another by now."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A field of a turn that came out differently."""

    field: str
    kept: str
    now: str


@dataclass(frozen=True, slots=True)
class Replayed:
    """A turn told anew.

    Attributes:
        before: turns before it that came out differently; then what follows proves little.
        differences: of the turn itself and of what it said; none if it came out the same.
    """

    turn: Turn
    before: tuple[str, ...]
    differences: tuple[Difference, ...]

    @property
    def is_same(self) -> bool:
        """Whether the turn came out the same, and all before it."""
        return not self.before and not self.differences


class _Clock:
    """Stands at the moment of the turn that is told."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at


class _Then:
    """The model as it spoke in one turn; see `saidonce.foundation.ports.conversations.DeadlineChat`."""

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
    """Tell a turn anew, and compare.

    Homes, open issues of others, documents and the emergency pack are those of today: where they changed since, a turn
    may come out differently, and the difference says where.

    Args:
        desk: where the turn was taken; only read.
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
    story = _Story(deps, fresh, conversation_id)
    # What an approval taught us about the writer was not known before it.
    approved = any(t.reason.startswith(f"{people.APPROVED}:") for t in turns)
    learnt = deps.store.conversation(conversation_id).sender.key if approved else ""
    for home in deps.store.homes():
        keys = tuple(k for k in home.resident.external_ids if k != learnt)
        fresh.put_home(home.property, replace(home.resident, external_ids=keys), home.tenancy)
    found = [story.tell(kept) for kept in turns[: upto + 1]]
    different = tuple(kept.id for kept, bad in zip(turns[:upto], found[:upto], strict=True) if bad)
    return Replayed(turns[upto], different, found[upto])


class _Story:
    """One conversation while it is told anew."""

    def __init__(self, deps: ConversationDeps, fresh: Conversations, conversation_id: str) -> None:
        self._real = deps
        self._clock = _Clock(deps.store.conversation(conversation_id).started_at)
        self._desk = replace(deps, store=fresh, clock=self._clock, chat=None)
        self._id = conversation_id
        self._inbounds = list(deps.store.inbounds(conversation_id))
        self._seq: dict[int, int] = {}

    def tell(self, kept: Turn) -> tuple[Difference, ...]:
        """Tell one turn; give where it comes out differently."""
        self._clock.at = kept.at
        self._receive(kept)
        self._settle_alarms(kept)
        try:
            made = self._person(kept) if kept.path is Path.HUMAN else self._machine(kept)
        except SaidonceError as failed:
            return (Difference("turn", kept.id, f"{type(failed).__name__}: {failed}"),)
        return self._compared(kept, made)

    def _receive(self, kept: Turn) -> None:
        """Let everything come that had come before the turn was written."""
        seen = max(kept.inbound, default=0)
        came = [i for i in self._inbounds if i.seq <= seen or i.received_at <= kept.at]
        self._inbounds = [i for i in self._inbounds if i not in came]
        for inbound in came:
            bare = replace(inbound, scanned=False, seq=0, conversation_id="")
            self._seq[inbound.seq] = turn.keep(self._desk, bare).seq
        alarm.scan(self._desk)

    def _settle_alarms(self, kept: Turn) -> None:
        """Call off what was called off before the turn; each such step moved the version."""
        missing = kept.n - 1 - self._desk.store.conversation(self._id).version
        dismissed = {e.id for e in self._real.store.events(self._id) if e.state is Alarm.DISMISSED}
        for event in self._desk.store.events(self._id):
            if missing > 0 and event.id in dismissed and event.state is not Alarm.DISMISSED:
                self._desk.store.settle_event(event, replace(event, state=Alarm.DISMISSED), None, (), ())
                missing -= 1
        alarm.tend(self._desk)

    def _machine(self, kept: Turn) -> Turn | None:
        chat = _Then(kept.model, kept.calls) if kept.model else None
        led_by = _LED_BY.get(kept.path, self._desk.rules.orchestration)
        rules = replace(self._desk.rules, orchestration=led_by)
        held = self._desk.store.conversation(self._id)
        return turn.take(replace(self._desk, chat=chat, rules=rules), held, "replay")

    def _person(self, kept: Turn) -> Turn | None:
        verb, _, by = kept.reason.partition(":")
        tenancy = next((e.removeprefix("tenancy:") for e in kept.effects if e.startswith("tenancy:")), "")
        said = "".join(m.text for m in self._real.store.outbox(self._id) if m.turn_id == kept.id)
        match verb:
            case "taken_over":
                return people.take_over(self._desk, self._id, by)
            case "handed_back":
                return people.hand_back(self._desk, self._id, by)
            case "wrote":
                return people.write(self._desk, self._id, said, by)
            case people.APPROVED:
                return people.approve(self._desk, self._id, tenancy, by)
            case "disowned":
                return people.disown(self._desk, self._id, by)
        return None

    def _compared(self, kept: Turn, made: Turn | None) -> tuple[Difference, ...]:
        if made is None:
            return (Difference("turn", kept.id, "none was taken"),)
        pairs = [(name, getattr(kept, name), getattr(made, name)) for name in COMPARED]
        pairs.append(("said", _said(self._real.store, kept), _said(self._desk.store, made)))
        pairs.append(("inbound", tuple(self._seq.get(seq, 0) for seq in kept.inbound), made.inbound))
        return tuple(Difference(name, str(was), str(now)) for name, was, now in pairs if was != now)


def _said(store: Conversations, of: Turn) -> tuple[str, ...]:
    return tuple(m.text for m in store.outbox(of.conversation_id) if m.turn_id == of.id)
