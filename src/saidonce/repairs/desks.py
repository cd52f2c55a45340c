"""Desks of organisations: settings, store, model and emergency pack become what the flows of conversations take."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from saidonce import converse
from saidonce.app import KnowledgeBase, SystemClock
from saidonce.channel.web import WebMessenger
from saidonce.chat.deadline import DeadlineChat
from saidonce.chat.switch import SwitchedChat
from saidonce.converse import Desk
from saidonce.errors import DeliveryError, NotFoundError
from saidonce.model import Filters
from saidonce.model.conversation import Conversation, OutboxMessage
from saidonce.model.residents import ChannelIdentity, Via
from saidonce.ports.conversations import Messenger
from saidonce.ports.media import MediaFiles
from saidonce.store.memory_conversations import conversation_id

WEB_NUMBER = "web"
"""Our number on the web channel."""

COMMON_DOCUMENTS = "organisation"
"""Collection of what an organisation tells all residents; `property-ID` holds what it tells those of one property."""

N_PASSAGES = 3
BaseOf = Callable[[str], KnowledgeBase]


@dataclass(frozen=True, slots=True)
class ByChannel:
    """Sends each message on the channel of its conversation."""

    messengers: Mapping[Via, Messenger]

    def send(self, message: OutboxMessage, to: Conversation) -> str:
        """Send a message; give the channel's id of it.

        Raises:
            DeliveryError: the channel refused it, or none of that kind is set up.
            TimeoutError: nobody knows whether it was sent.
        """
        messenger = self.messengers.get(to.sender.via)
        if messenger is None:
            raise DeliveryError(to.sender.via, "this channel is not set up")
        return messenger.send(message, to)


@dataclass
class Repairs:
    """The desks of all organisations over one opened base; they share the model.

    Attributes:
        base: of the settings' organisation.
        base_of: opens another organisation's base.
    """

    base: KnowledgeBase
    base_of: BaseOf
    _desks: dict[str, Desk] = field(default_factory=dict)
    _bases: dict[str, KnowledgeBase] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _deadline: DeadlineChat | None = None
    _switch: SwitchedChat | None = None

    def desk(self, org: str = "") -> Desk:
        """Give an organisation's desk; the settings' own by default.

        Raises:
            SettingsError: the model's name is malformed, or the extra `models` is not installed.
        """
        org = org or self.base.settings.org
        with self._lock:
            if org not in self._desks:
                self._desks[org] = self._open(org)
            return self._desks[org]

    def orgs(self) -> tuple[str, ...]:
        """Give the organisations whose residents are to be answered, by name."""
        return (self.base.settings.org,)

    def media(self, org: str = "") -> MediaFiles:
        """Give the files that residents of an organisation sent."""
        return self._base(org).store.media

    def messenger(self, org: str = "") -> Messenger:
        """Give who sends an organisation's messages."""
        del org
        return ByChannel({Via.WEB: WebMessenger()})

    @property
    def model(self) -> SwitchedChat | None:
        """The model that leads conversations; None without one."""
        if self._switch is None and self.base.settings.conversation_model:
            from saidonce.chat import open_chat  # noqa: PLC0415  imported only when a model is configured

            s = self.base.settings
            self._deadline = DeadlineChat(
                open_chat(s.conversation_model, s.conversation_call_s, s.conversation_url, s.conversation_key)
            )
            self._switch = SwitchedChat(self._deadline)
        return self._switch

    def close(self) -> None:
        """End the model's threads."""
        if self._deadline is not None:
            self._deadline.close()

    def _open(self, org: str) -> Desk:
        s, base = self.base.settings, self._base(org)
        return Desk(
            base.store.conversations, SystemClock(), self.model, converse.rules_of(s), converse.voice_of(s),
            converse.named_pack(s.emergency_pack), passages=Passages(base),
        )  # fmt: skip

    def _base(self, org: str) -> KnowledgeBase:
        if org in ("", self.base.settings.org):
            return self.base
        with self._lock:
            if org not in self._bases:
                self._bases[org] = self.base_of(org)
            return self._bases[org]


@dataclass(frozen=True, slots=True)
class Passages:
    """Searches documents of one property and of the organisation; see `saidonce.ports.conversations.Passages`."""

    base: KnowledgeBase

    def __call__(self, property_id: str, query: str) -> Sequence[str]:
        """Give passages, best first, of this property and of the organisation as a whole."""
        there = {c.name for c in self.base.store.collections()}
        wanted = tuple(c for c in (f"property-{property_id}", COMMON_DOCUMENTS) if c in there)
        if not wanted or not query.strip():
            return ()
        return tuple(hit.block.text for hit in self.base.search(query, Filters(wanted), N_PASSAGES).hits)


def conversation_of(desk: Desk, sender: ChannelIdentity, number_id: str = WEB_NUMBER) -> Conversation | None:
    """Give the conversation of a sender with one of our numbers; None before their first message."""
    try:
        return desk.store.conversation(conversation_id(desk.store.org, sender, number_id))
    except NotFoundError:
        return None
