"""Desks of organisations: settings, store, model and emergency pack become what the flows of conversations take."""

from __future__ import annotations

import shlex
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice

from saidonce.adapters.clock import SystemClock
from saidonce.adapters.llm.deadline import BoundedChat
from saidonce.adapters.llm.switch import SwitchedChat
from saidonce.adapters.postgres.conversation_steps import conversation_id
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.errors import MediaError, NotFoundError, UsageError
from saidonce.foundation.model import Block, Filters
from saidonce.foundation.model.conversation import Conversation, Passage
from saidonce.foundation.model.residents import ChannelIdentity, Media, Via
from saidonce.foundation.ports.conversations import Messenger
from saidonce.foundation.ports.intake import MediaFetcher
from saidonce.foundation.ports.media import MediaFiles
from saidonce.foundation.ports.recognition import Recogniser
from saidonce.foundation.settings.channels import numbers_of, settings_for
from saidonce.repairs import conversation
from saidonce.repairs.channels import ByChannel, open_fetchers, open_messengers
from saidonce.repairs.channels.web import WebMessenger
from saidonce.repairs.conversation import ConversationDeps, Intake, intake_of
from saidonce.repairs.conversation.duplicates import IssueDuplicates
from saidonce.repairs.conversation.filetype import family, sniff
from saidonce.repairs.conversation.intake import MEGABYTE, store_file
from saidonce.repairs.conversation.novelty import are_new
from saidonce.repairs.media import ThumbnailSandbox

WEB_NUMBER = "web"
"""Our number on the web channel."""

COMMON_DOCUMENTS = "organisation"
"""Collection with an organisation's documents for all residents; `property-ID` has those for one property."""

N_PASSAGES = 3
ORGS_S = 0.1
"""How long it is remembered where something waits: all threads share one question to the database."""

BaseOf = Callable[[str], KnowledgeBase]


@dataclass
class Repairs:
    """Dependencies of the conversations of all organisations over one opened base; they share the model.

    Attributes:
        base: of the settings' organisation.
        base_of: opens another organisation's base.
        recogniser: hears voice messages; None leaves them to people.
        is_demo: what would go out by WhatsApp stays here, as if it had been sent.
    """

    base: KnowledgeBase
    base_of: BaseOf
    is_demo: bool = False
    recogniser: Recogniser | None = None
    _deps: dict[str, ConversationDeps] = field(default_factory=dict)
    _bases: dict[str, KnowledgeBase] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _deadline: BoundedChat | None = None
    _switch: SwitchedChat | None = None
    _messengers: dict[str, Messenger] = field(default_factory=dict)
    _orgs: tuple[str, ...] = ()
    _orgs_until: float = 0.0
    _fetchers: dict[str, Mapping[Via, MediaFetcher]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._pictures = ThumbnailSandbox(self.base.settings)

    def deps(self, org: str = "") -> ConversationDeps:
        """Return what an organisation's conversations work with; the settings' own by default.

        Raises:
            SettingsError: the model's name is malformed, or the extra `models` is not installed.
        """
        org = org or self.base.settings.org
        with self._lock:
            if org not in self._deps:
                self._deps[org] = self._open(org)
            return self._deps[org]

    def orgs(self) -> tuple[str, ...]:
        """Return the organisations in which something waits to be scanned, answered, sent or fetched, by name."""
        with self._lock:
            if time.monotonic() >= self._orgs_until:
                self._orgs = self.base.store.orgs_to_answer(SystemClock().now())
                self._orgs_until = time.monotonic() + ORGS_S
            return self._orgs

    def known_orgs(self) -> tuple[str, ...]:
        """Return the organisations that settings name or that were served by this program, by name."""
        s = self.base.settings
        named = {s.org, *numbers_of(s.channel_numbers).values(), *s.org_channels, *s.org_keep_days}
        with self._lock:
            return tuple(sorted(named | self._bases.keys()))

    def unreached(self) -> tuple[str, ...]:
        """Return the organisations, of all, with homes and no channel to notify their team, by name."""
        return self.base.store.orgs_unreached()

    def add_channel(self, org: str) -> str:
        """Return the command that adds a channel for an organisation's notices, with where its base lies."""
        s = self.base.settings
        where = "" if s.database_url else f"--data-dir {shlex.quote(str(s.data_dir.expanduser()))} "
        return f"saidonce {where}--org {shlex.quote(org)} channels add email YOU@EXAMPLE.COM --digest now"

    def has(self, org: str) -> bool:
        """Return whether an organisation exists: it has people, homes or conversations, or is the settings' own."""
        if org == self.base.settings.org:
            return True
        store = self._base(org).store
        return bool(store.conversations.conversations(1) or store.people.people() or store.conversations.homes())

    def media(self, org: str = "") -> MediaFiles:
        """Return the files that residents of an organisation sent."""
        return self._base(org).store.media

    def keep_photo(self, content: bytes, org: str = "") -> Media:
        """Keep a photo that was sent with a message on a page of ours, with a small picture of it.

        Raises:
            UsageError: it is none, cannot be decoded, or is too large.
        """
        most, mime = self.base.settings.media_image_mb, sniff(content)
        if len(content) > most * MEGABYTE:
            raise UsageError(f"the photo is larger than {most} MB")
        if family(mime) != "image":
            raise UsageError("this is no photo: JPEG, PNG, WebP, GIF and HEIC are taken")
        try:
            kept = store_file(
                self.media(org), self._pictures, Media("", mime), content, self.base.settings.media_keep_original
            )
        except MediaError as bad:
            raise UsageError(f"the photo cannot be used: {bad.detail}") from None
        return replace(kept, id=kept.sha256)

    def check(self) -> None:
        """Open the channels and the model that are set, once at start: later nobody would hear a refusal.

        Raises:
            SettingsError: what is set for one of them is malformed, or the extra `models` is not installed.
        """
        for org in (self.base.settings.org, *self.base.settings.org_channels):
            _ = self.messenger_of(org), self.fetchers_of(org)
        _ = self.model

    @property
    def messenger(self) -> Messenger:
        """Who sends messages of the settings' organisation; see `messenger_of`."""
        return self.messenger_of(self.base.settings.org)

    def messenger_of(self, org: str) -> Messenger:
        """Return who sends an organisation's messages, on all channels that are set up for it.

        Raises:
            SettingsError: what is set for a channel is malformed.
        """
        key = org if org in self.base.settings.org_channels else ""
        with self._lock:
            if key not in self._messengers:
                others = open_messengers(settings_for(self.base.settings, key), SystemClock())
                pretended = {Via.WHATSAPP: WebMessenger()} if self.is_demo else {}
                self._messengers[key] = ByChannel({Via.WEB: WebMessenger(), **others, **pretended})
            return self._messengers[key]

    def fetchers_of(self, org: str) -> Mapping[Via, MediaFetcher]:
        """Return who fetches files of an organisation's residents, from all channels that are set up for it.

        Raises:
            SettingsError: what is set for a channel is malformed.
        """
        key = org if org in self.base.settings.org_channels else ""
        with self._lock:
            if key not in self._fetchers:
                self._fetchers[key] = open_fetchers(settings_for(self.base.settings, key))
            return self._fetchers[key]

    def intake(self, org: str = "") -> Intake | None:
        """Return the intake of an organisation's files; None if no channel with files is set up.

        Raises:
            SettingsError: what is set for a channel is malformed.
        """
        fetchers = self.fetchers_of(org or self.base.settings.org)
        if not fetchers:
            return None
        opened = intake_of(self.deps(org), self.media(org), fetchers, self._pictures, self.base.settings)
        return replace(opened, recogniser=self.recogniser)

    @property
    def model(self) -> SwitchedChat | None:
        """The model that leads conversations; None without one."""
        if self._switch is None and self.base.settings.conversation_model:
            from saidonce.adapters.llm import open_chat  # noqa: PLC0415  imported only when a model is configured

            s = self.base.settings
            chat = open_chat(
                s.conversation_model,
                s.conversation_call_s,
                s.conversation_url,
                s.conversation_key,
                "conversation_model",
            )
            self._deadline = BoundedChat(chat)
            self._switch = SwitchedChat(self._deadline)
        return self._switch

    @property
    def model_unreachable_since(self) -> datetime | None:
        """When the model ceased to answer this program; None if it does, or was never asked."""
        return self._deadline.failing_since if self._deadline is not None else None

    def close(self) -> None:
        """End the model's threads."""
        if self._deadline is not None:
            self._deadline.close()

    def _open(self, org: str) -> ConversationDeps:
        s, base = self.base.settings, self._base(org)
        conversations, rules = base.store.conversations, conversation.rules_of(s)
        return ConversationDeps(
            conversations, SystemClock(), self.model, rules, conversation.voice_of(s),
            conversation.named_pack(s.emergency_pack), KnowledgeBasePassages(base),
            IssueDuplicates(conversations, base.embedder, rules), TeamReach(base),
        )  # fmt: skip

    def _base(self, org: str) -> KnowledgeBase:
        if org in ("", self.base.settings.org):
            return self.base
        with self._lock:
            if org not in self._bases:
                self._bases[org] = self.base_of(org)
            return self._bases[org]


@dataclass(frozen=True, slots=True)
class TeamReach:
    """Whether the landlord's team can be told; see `saidonce.foundation.ports.conversations.Reach`."""

    base: KnowledgeBase

    def has_channel(self) -> bool:
        """Return whether a channel for notices of residents is set up: one that is not limited to an owner's blocks."""
        return any(not c.owner for c in self.base.store.people.channels())


@dataclass(frozen=True, slots=True)
class KnowledgeBasePassages:
    """Searches documents of one property and of the organisation; see `foundation.ports.conversations.Passages`."""

    base: KnowledgeBase

    def __call__(self, property_id: str, query: str, earlier: Sequence[str]) -> Sequence[Passage]:
        """Return passages, best first, of this property and of the organisation as a whole."""
        there = {c.name for c in self.base.store.collections()}
        collections = tuple(c for c in (f"property-{property_id}", COMMON_DOCUMENTS) if c in there)
        if not collections or not query.strip():
            return ()
        hits = self.base.search(query, Filters(collections), 2 * N_PASSAGES).hits
        is_new = are_new(self.base.embedder, earlier, [hit.block.text for hit in hits])
        passages = (Passage(h.block.text, _source(h.block)) for h, new in zip(hits, is_new, strict=True) if new)
        return tuple(islice(passages, N_PASSAGES))


def _source(block: Block) -> str:
    """Return the place of a passage, as a resident may read it."""
    return ", ".join(dict.fromkeys(part.strip() for part in (block.title, *block.heading_path) if part.strip()))


def conversation_of(
    deps: ConversationDeps, sender: ChannelIdentity, number_id: str = WEB_NUMBER
) -> Conversation | None:
    """Return the conversation of a sender with one of our numbers; None before their first message."""
    try:
        return deps.store.conversation(conversation_id(deps.store.org, sender, number_id))
    except NotFoundError:
        return None
