"""Ports of the conversation: the durable inbox and outbox, a model with a deadline, and who sends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from saidonce.foundation.model.board import IssueMove
from saidonce.foundation.model.call_outs import CallOutList
from saidonce.foundation.model.conversation import (
    Conversation,
    EmergencyEvent,
    Issue,
    IssueAdvance,
    IssueState,
    LandlordNotice,
    OutboxMessage,
    OutboxState,
    Passage,
    Turn,
    TurnWrite,
)
from saidonce.foundation.model.residents import Home, Inbound, Property, Resident, Tenancy, WaitingMedia
from saidonce.foundation.ports.personal_data import PersonalData

Due = Callable[[datetime | None, datetime | None, Inbound], datetime]
"""(waiting_since, due_at so far, inbound) -> when a turn may be taken."""

Failed = Callable[[OutboxMessage], LandlordNotice]
"""message that has just failed for good -> what the landlord is told."""


class Conversations(PersonalData, Protocol):
    """Keeps the conversations of one organisation; every method is one transaction."""

    @property
    def org(self) -> str:
        """The organisation."""
        ...

    def receive(self, inbound: Inbound, due: Due) -> tuple[Inbound, bool]:
        """Keep a message once for its key, with its conversation; say whether it is new.

        The conversation is the one of (via, external_user_id, number_id), made if there is none; its
        `waiting_since`, `due_at` (by `due`) and `last_inbound_at` move. A repetition changes nothing and
        gives what was kept. Its files that are not stored wait for `take_media` from then on.
        """
        ...

    def unscanned(self, conversation_id: str = "", after: int = 0, limit: int = 100) -> tuple[Inbound, ...]:
        """Return messages that were not scanned for emergencies, of one conversation or all, after a seq, by seq."""
        ...

    def record_scan(
        self,
        inbound: Inbound,
        n_events: int,
        events: Sequence[EmergencyEvent],
        outbox: Sequence[OutboxMessage],
        notices: Sequence[LandlordNotice],
    ) -> None:
        """Mark a message as scanned and keep what came of it; nothing if it is marked already.

        Raises:
            StaleWriteError: the conversation has not `n_events` events any more.
            NotFoundError: no such message was received.
        """
        ...

    def claim(self, worker: str, now: datetime, until: datetime) -> Conversation | None:
        """Lease the conversation that is due longest, by `due_at` or `wake_at`, ties by id; None if none is.

        A conversation is free without a lease, or when its lease has ended. Nobody waits for another.
        """
        ...

    def leased(self, now: datetime) -> tuple[Conversation, ...]:
        """Return the conversations that a worker has at a moment, by id."""
        ...

    def queue(self, message: OutboxMessage) -> None:
        """Keep a message to a resident beside any turn, once for its id.

        Raises:
            NotFoundError: there is no such conversation.
        """
        ...

    def turns_since(self, at: datetime) -> tuple[Turn, ...]:
        """Return the turns of all conversations that were taken at a moment or later, oldest first, ties by id."""
        ...

    def release(self, id: str, worker: str) -> None:
        """Release a lease; do nothing if another holder has it by now."""
        ...

    def commit(self, write: TurnWrite) -> None:
        """Write a turn with everything it did, and end the lease.

        `due_at` and `waiting_since` become None. An issue is kept once for its `turn_id`, a notice once for its
        key, an outbox message once for its id. An extended issue keeps the state and the reason for a look that it
        has by now. Of the other conversation of a report that moves, its messages, its turn that is due and its lease
        stay.

        Raises:
            StaleWriteError: a version is not the expected one, an unseen inbound has come, or an issue to be
                advanced is not as it was read.
            NotFoundError: there is no such conversation, or an issue to be extended, flagged or advanced is not there.
        """
        ...

    def conversation(self, id: str) -> Conversation:
        """Return a conversation.

        Raises:
            NotFoundError: there is none.
        """
        ...

    def conversations(self, limit: int = 100) -> tuple[Conversation, ...]:
        """Return conversations, the last heard of first, ties by id."""
        ...

    def inbounds(self, conversation_id: str, from_seq: int = 0) -> tuple[Inbound, ...]:
        """Return the messages of a conversation from one seq on, by seq."""
        ...

    def turns(self, conversation_id: str) -> tuple[Turn, ...]:
        """Return the turns of a conversation, oldest first."""
        ...

    def take_outbox(self, now: datetime, until: datetime, limit: int = 20) -> tuple[OutboxMessage, ...]:
        """Lease queued messages for sending, safety first, then oldest first; each becomes `sending`, one more try.

        Messages of a conversation come in the order in which they were written, whatever their clocks said, and wait
        while another of it is `sending` or is not to be sent before a moment; a safety text waits for none. One whose
        lease ended while `sending` becomes `unknown`.
        """
        ...

    def mark_outbox(
        self,
        id: str,
        state: OutboxState,
        external_id: str = "",
        not_before: datetime | None = None,
        if_failed: Failed | None = None,
    ) -> None:
        """Move a message forward (queued < sending < unknown < sent < delivered < read; failed ends); else nothing.

        From `sending` and `unknown` it may go back to `queued`, to be sent again, not before a moment. If this makes
        it `failed`, the notice that `if_failed` gives is kept with it, once for its key.

        Raises:
            NotFoundError: there is none.
        """
        ...

    def outbox(self, conversation_id: str = "", state: OutboxState | None = None) -> tuple[OutboxMessage, ...]:
        """Return messages to residents, of one conversation or all, in one state or any, oldest first.

        Those of a conversation come in the order in which they were written.
        """
        ...

    def take_media(
        self, now: datetime, until: datetime, limit: int = 10, but_not_of: Sequence[str] = ()
    ) -> tuple[WaitingMedia, ...]:
        """Lease files to be fetched, one more try each, the longest due first, ties in the order of the inbox.

        Files of conversations with the ids `but_not_of` are left to wait.
        A file waits from `receive` on: each that is not `stored`, of each new message of kind `media`.
        """
        ...

    def put_off_media(self, waiting: WaitingMedia, until: datetime) -> None:
        """Take a file up again, not before a moment; nothing if it does not wait any more."""
        ...

    def end_media(self, waiting: WaitingMedia) -> None:
        """Let a file wait no more."""
        ...

    def move_issue(self, id: str, to: IssueState, by: str, at: datetime, is_looked_at: bool = False) -> Issue:
        """Move an issue on the board, and keep the move with it; give the issue as it is then.

        `is_looked_at` also takes its reason for a look (`review`) away. If nothing changes, nothing is kept.

        Raises:
            NotFoundError: there is none of that id.
        """
        ...

    def issue_moves(self, issue_id: str = "") -> tuple[IssueMove, ...]:
        """Return the moves of one issue or all, by issue, oldest first."""
        ...

    def issues(self, property_id: str = "") -> tuple[Issue, ...]:
        """Return issues, of one property or all, oldest first, ties by id."""
        ...

    def issue(self, id: str) -> Issue:
        """Return an issue.

        Raises:
            NotFoundError: there is none.
        """
        ...

    def issues_due(self, now: datetime, limit: int = 100) -> tuple[Issue, ...]:
        """Return issues whose timer (`progress.wake_at`) has gone off, the longest due first, ties by id."""
        ...

    def advance_issue(
        self,
        advance: IssueAdvance,
        outbox: Sequence[OutboxMessage] = (),
        notices: Sequence[LandlordNotice] = (),
    ) -> Issue:
        """Write a step of an issue with what is sent about it; give the issue as it is then.

        What residents added to it meanwhile stays. The step is kept with the moves, if it changes state or review, or
        is one of a name.

        Raises:
            StaleWriteError: state, review or progress are not as they were read.
            NotFoundError: there is no such issue, or no conversation of a message.
        """
        ...

    def conversations_of(self, tenancy_id: str) -> tuple[Conversation, ...]:
        """Return the conversations of a tenancy, the last heard of first, ties by id."""
        ...

    def settle_event(
        self,
        before: EmergencyEvent,
        after: EmergencyEvent,
        issue: Issue | None,
        notices: Sequence[LandlordNotice],
        outbox: Sequence[OutboxMessage],
    ) -> None:
        """Change an emergency event with what that leads to.

        If it becomes `dismissed` before an issue was made of it, its message is parked again. Then, and if what was
        `possible` becomes an alarm, its conversation is due at once, at a new version.

        Raises:
            StaleWriteError: the event is not as it was before.
        """
        ...

    def events(self, conversation_id: str = "", is_open: bool = False) -> tuple[EmergencyEvent, ...]:
        """Return emergency events, of one conversation or all, oldest first, ties by message and id.

        Open ones were answered (`replied`), are not dismissed, and have no alert, no issue or no acknowledgement yet.
        """
        ...

    def call_outs(self) -> tuple[CallOutList, ...]:
        """Return the call-out lists, by scope and subject."""
        ...

    def set_call_outs(self, lists: Sequence[CallOutList]) -> None:
        """Replace all call-out lists; of several for one subject the last holds."""
        ...

    def notices(self) -> tuple[LandlordNotice, ...]:
        """Return landlord notices, in the order in which they were written."""
        ...

    def put_home(self, property: Property, resident: Resident, tenancy: Tenancy) -> None:
        """Add or change a property, a resident and the tenancy that joins them; `ends_at` ends one."""
        ...

    def homes(self) -> tuple[Home, ...]:
        """Return all tenancies with their properties and residents, ended or not, by tenancy id."""
        ...

    def home(self, tenancy_id: str) -> Home | None:
        """Return a tenancy with its property and resident, ended or not."""
        ...

    def homes_of(self, keys: Sequence[str], phone: str | None, at: datetime) -> tuple[Home, ...]:
        """Return the homes of residents with one of these channel identities or this phone, active at a time, by id."""
        ...

    def homes_named(self, words: Sequence[str], at: datetime, limit: int = 10) -> tuple[Home, ...]:
        """Return active homes whose postcode (no spaces, lower case) or whose resident's last name is a word, by id."""
        ...


class DeadlineChat(Protocol):
    """A language model that is asked one thing at a time, at temperature 0, and given up after a while."""

    @property
    def name(self) -> str:
        """Name of the model, as it stands in settings."""
        ...

    def complete_within(self, instructions: str, prompt: str, schema: Mapping[str, object], timeout_s: float) -> str:
        """Return the model's reply; the caller trusts nothing of it.

        Raises:
            ModelUnavailableError: the model failed, took longer, or is not asked because it failed often.
        """
        ...


class Messenger(Protocol):
    """Sends messages to residents on one channel."""

    def send(self, message: OutboxMessage, to: Conversation) -> str:
        """Send a message, its id as callback data; give the channel's id of it.

        Raises:
            DeliveryError: the channel refused it, and nothing was sent; it says when to try again, and whether to.
            TimeoutError: nobody knows whether it was sent.
        """
        ...


class Passages(Protocol):
    """Finds what documents of an organisation say about a question on one property."""

    def __call__(self, property_id: str, query: str, earlier: Sequence[str]) -> Sequence[Passage]:
        """Return passages, best first, of this property and of the organisation as a whole; never of another property.

        A passage that answers the query has a `quote`, its sentences that answer, and comes before those that do not.

        Args:
            property_id: of the resident's home.
            query: the resident's new messages.
            earlier: texts that the assistant has sent in this conversation; a passage that only repeats it is left out.
        """
        ...


class Outlets(Protocol):
    """Says whether a message may go out on the channel of a conversation."""

    def obstacle(self, to: Conversation, at: datetime) -> str:
        """Return why no unsolicited message can be sent to a resident at a given time; empty if one can.

        One of "opted_out", "no_channel" (not set up) and "window_closed" (too long after the resident's last message,
        and no template is approved).
        """
        ...


class Reach(Protocol):
    """Says whether the landlord's team can be told."""

    def has_channel(self) -> bool:
        """Return whether a channel is set up by which notices of residents go out."""
        ...


class Neighbours(Protocol):
    """Says which open issues a new one repeats."""

    def __call__(self, issue: Issue, open_issues: Sequence[Issue]) -> tuple[str, str]:
        """Return (outcome, id): outcome "duplicate", "review" or "distinct"; id of the open issue, or empty."""
        ...
