"""Acts of the landlord's team and events of the outside world in a scenario, by name; a new one is one more row.

`person = { does = "move", issue = "i1", to = "done" }` calls `ACTS["move"]` with the row;
`happens = { event = "delivery_fails", times = 2 }` calls `EVENTS["delivery_fails"]`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from saidonce.errors import DeliveryError, ModelUnavailableError, UsageError
from saidonce.foundation.model.conversation import Conversation, Issue, IssueState, OutboxMessage
from saidonce.foundation.ports.conversations import DeadlineChat
from saidonce.repairs import conversation
from saidonce.repairs.conversation import ConversationDeps

STAFF = "landlord"
"""Name under which acts are recorded."""

Row = Mapping[str, Any]
StaffAct = Callable[[ConversationDeps, str, Row], object]
"""(wired ports, id of the conversation, the act's row)."""


@dataclass
class Outside:
    """The environment of a conversation: the channel to the resident, the model, and notices to the landlord's team.

    Attributes:
        n_refusals: number of further deliveries that the channel rejects permanently; -1 for all.
        is_hanging: whether the model times out.
        reach: "taken" if a receiver accepts each notice, "unreachable" if none does, "" if notices are not delivered.
        delivered: keys of notices that were delivered or abandoned.
    """

    n_refusals: int = 0
    is_hanging: bool = False
    reach: str = ""
    delivered: set[str] = field(default_factory=set)

    def has_channel(self) -> bool:
        """Return whether a channel for notices is set up; see `saidonce.foundation.ports.conversations.Reach`."""
        return self.reach == "taken"

    def send(self, message: OutboxMessage, to: Conversation) -> str:
        """Send a message to a resident; see `saidonce.foundation.ports.conversations.Messenger`."""
        del to
        if self.n_refusals:
            self.n_refusals -= self.n_refusals > 0
            raise DeliveryError("played", "the number is not reachable", is_final=True)
        return message.id


@dataclass(frozen=True)
class OutsideChat:
    """A model that fails while `Outside.is_hanging` is set."""

    chat: DeadlineChat
    outside: Outside

    @property
    def name(self) -> str:
        """Return the model's name."""
        return self.chat.name

    def complete_within(self, instructions: str, prompt: str, schema: Mapping[str, object], timeout_s: float) -> str:
        """Return the model's reply.

        Raises:
            ModelUnavailableError: it timed out, or failed.
        """
        if self.outside.is_hanging:
            raise ModelUnavailableError(self.name, f"no answer within {timeout_s:g} s")
        return self.chat.complete_within(instructions, prompt, schema, timeout_s)


def issue_of(deps: ConversationDeps, row: Row) -> Issue:
    """Return the issue that an act names, or the newest one if it names none.

    Raises:
        UsageError: there is no such issue.
    """
    name = row.get("issue", "")
    issues = [i for i in deps.store.issues() if name in ("", i.id)]
    if not issues:
        raise UsageError(f"the act {row['does']!r} names issue {name!r}, which does not exist")
    return issues[-1]


def _move(deps: ConversationDeps, id: str, row: Row) -> object:
    del id
    return conversation.move_issue(deps, issue_of(deps, row).id, IssueState(row["to"]), STAFF)


ACTS: dict[str, StaffAct] = {
    "approve": lambda deps, id, row: conversation.approve_identity(deps, id, row["tenancy"], STAFF),
    "disown": lambda deps, id, _: conversation.undo_identity(deps, id, STAFF),
    "write": lambda deps, id, row: conversation.write_as_staff(deps, id, row["text"], STAFF),
    "take_over": lambda deps, id, _: conversation.take_over(deps, id, STAFF),
    "hand_back": lambda deps, id, _: conversation.hand_back(deps, id, STAFF),
    "move": _move,
}
"""Acts of the landlord's team, by name."""


def _fail(outside: Outside, row: Row) -> None:
    outside.n_refusals = int(row.get("times", -1))


def _hang(outside: Outside, row: Row) -> None:
    outside.is_hanging = bool(row.get("on", True))


def _reach(outside: Outside, row: Row) -> None:
    outside.reach = "taken" if row.get("on", True) else "unreachable"


EVENTS: dict[str, Callable[[Outside, Row], None]] = {
    "delivery_fails": _fail,
    "model_hangs": _hang,
    "team_reached": _reach,
}
"""Events of the outside world, by name."""


def act(deps: ConversationDeps, id: str, row: Row) -> None:
    """Carry out an act of the landlord's team in a conversation.

    Raises:
        UsageError: there is no act of that name.
    """
    if row["does"] not in ACTS:
        raise UsageError(f"no act is named {row['does']!r}; there are {', '.join(sorted(ACTS))}")
    ACTS[row["does"]](deps, id, row)


def happen(outside: Outside, row: Row) -> None:
    """Let an event of the outside world happen.

    Raises:
        UsageError: there is no event of that name.
    """
    if row["event"] not in EVENTS:
        raise UsageError(f"no event is named {row['event']!r}; there are {', '.join(sorted(EVENTS))}")
    EVENTS[row["event"]](outside, row)
