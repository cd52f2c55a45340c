"""Dependencies of the conversation flows: wired ports and the rules of an organisation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from saidonce.foundation.ports import Clock
from saidonce.foundation.ports.conversations import (
    Conversations,
    DeadlineChat,
    Neighbours,
    Outlets,
    Passages,
    Reach,
)
from saidonce.repairs.conversation.dangers import DangerReader
from saidonce.repairs.conversation.emergency import Pack, named_pack
from saidonce.repairs.conversation.rules import Rules, Voice


@dataclass(frozen=True, slots=True)
class ConversationDeps:
    """Wired ports and rules of one organisation.

    Attributes:
        store: the organisation's conversations.
        chat: the model; None works without one, by the cautious keyword flow.
        pack: emergency phrases and safety texts.
        passages: retrieval over the property's and the organisation's documents; None without.
        neighbours: the duplicate gate over open issues; None compares exact words only.
        dangers: reads dangers that are described in other words; None reads words and phrases only.
        reach: whether the landlord's team has a channel for notices; None if unknown.
        wake: called when a safety text lies in the outbox; None where nothing sends in this program.
        outlets: whether a resident's channel takes news now; None knows of no limits.
    """

    store: Conversations
    clock: Clock
    chat: DeadlineChat | None = None
    rules: Rules = field(default_factory=Rules)
    voice: Voice = field(default_factory=Voice)
    pack: Pack = field(default_factory=lambda: named_pack("uk"))
    passages: Passages | None = None
    neighbours: Neighbours | None = None
    reach: Reach | None = None
    dangers: DangerReader | None = None
    wake: Callable[[], None] | None = None
    outlets: Outlets | None = None
