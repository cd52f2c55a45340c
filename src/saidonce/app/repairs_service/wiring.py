"""Desks of organisations: settings, store, model and emergency pack become what the flows of conversations take."""

from __future__ import annotations

import shlex
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

from saidonce.adapters.clock import SystemClock
from saidonce.adapters.danger.encoder import DangerEncoder
from saidonce.adapters.llm.deadline import BoundedChat
from saidonce.adapters.llm.switch import SwitchedChat
from saidonce.adapters.postgres.conversation_steps import conversation_id
from saidonce.adapters.senders.webhook import names_private
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.app.repairs_service.hearing import VoiceSandbox, why_unheard
from saidonce.app.repairs_service.letters import LetterPost, open_post
from saidonce.app.repairs_service.model_speed import LONGEST_PROBE_S, ModelSpeed, is_measured, measure_model
from saidonce.app.repairs_service.passages import PropertyPassages, names_of_others
from saidonce.app.repairs_service.session_secret import session_secret
from saidonce.errors import MediaError, NotFoundError, UsageError
from saidonce.foundation import extras
from saidonce.foundation.model import Channel, ChannelKind
from saidonce.foundation.model.call_outs import OrgTroubles
from saidonce.foundation.model.conversation import Conversation, LandlordNotice
from saidonce.foundation.model.residents import ChannelIdentity, Media, Via
from saidonce.foundation.ports.conversations import Messenger
from saidonce.foundation.ports.intake import MediaFetcher
from saidonce.foundation.ports.media import MediaFiles
from saidonce.foundation.ports.recognition import Recogniser
from saidonce.foundation.settings.channels import numbers_of, settings_for
from saidonce.repairs import conversation
from saidonce.repairs.alarm_links import GOOD_FOR, AlarmPass, alarm_path
from saidonce.repairs.channels import ByChannel, ChannelOutlets, open_fetchers, open_messengers
from saidonce.repairs.channels.web import WebFiles, WebMessenger
from saidonce.repairs.conversation import ConversationDeps, Intake, intake_of
from saidonce.repairs.conversation.danger_head import DangerHead
from saidonce.repairs.conversation.duplicates import IssueDuplicates
from saidonce.repairs.conversation.filetype import accepted_type, family, sniff
from saidonce.repairs.conversation.intake import MEGABYTE, store_file
from saidonce.repairs.media import ThumbnailSandbox

NO_SENDER = "its channels cannot send: e-mail needs smtp_url, a webhook to a private address webhook_allow_private"
WEB_NUMBER = "web"
"""Our number on the web channel."""

ORGS_S = 0.1
"""How long it is remembered where something waits: all threads share one question to the database."""

BaseOf = Callable[[str], KnowledgeBase]


@dataclass
class Repairs:
    """Dependencies of the conversations of all organisations over one opened base; they share the model.

    Attributes:
        base: of the settings' organisation.
        base_of: opens another organisation's base.
        recogniser: hears voice messages; by default that of the extra `audio`, where it is installed.
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
    _head: DangerHead | None = None
    _post: LetterPost | None = None
    _woken: set[str] = field(default_factory=set)
    _is_woken: threading.Event = field(default_factory=threading.Event)
    _speed: ModelSpeed | None = None
    _hearing: VoiceSandbox | None = None
    _is_voice_open: bool = False
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

    @property
    def is_on(self) -> bool:
        """Return whether residents are answered here: the extra is installed and not switched off by the setting."""
        return self.base.settings.repairs_enabled and extras.is_installed(extras.REPAIRS)

    def orgs(self) -> tuple[str, ...]:
        """Return the organisations in which something waits to be scanned, answered, sent or fetched, by name."""
        with self._lock:
            if time.monotonic() >= self._orgs_until:
                self._orgs = self.base.store.orgs_to_answer(SystemClock().now())
                self._orgs_until = time.monotonic() + ORGS_S
            return self._orgs

    def acknowledge_link(self, org: str, notice: LandlordNotice, channel: Channel) -> str:
        """Return the link by which a notice's receiver acknowledges its alarm; empty without a public address."""
        root = self.base.settings.public_url.rstrip("/")
        if not root or not notice.alarm_id:
            return ""
        secret = session_secret(self.base.settings.data_dir.expanduser())
        return root + alarm_path(secret, AlarmPass(org, notice.alarm_id, channel.id, notice.at + GOOD_FOR))

    def troubles(self) -> tuple[OrgTroubles, ...]:
        """Return the organisations, of all, in which alarms wait for a person or notices were given up, by name."""
        return self.base.store.org_troubles(self.base.settings.notify_tries)

    def troubles_of(self, org: str) -> OrgTroubles:
        """Return the alarms and notices of one organisation for which nobody was reached."""
        return next((each for each in self.troubles() if each.org == org), OrgTroubles(org))

    def warnings(self, org: str) -> tuple[str, ...]:
        """Return what is wrong with how an organisation's team is reached, a sentence each; empty if nothing is."""
        of, now = self.troubles_of(org), SystemClock().now()
        lines = []
        if of.oldest_at is not None:
            hours = (now - of.oldest_at).total_seconds() / 3_600
            waiting = _counted(of.n_alarms, "emergency is", "emergencies are")
            lines.append(f"{waiting} unacknowledged, the oldest for {hours:.1f} h: 'saidonce alarms list'")
        if of.n_exhausted:
            lines.append(f"no call about {of.n_exhausted} of these emergencies was answered")
        if of.n_given_up:
            failed = _counted(of.n_given_up, "notification was", "notifications were")
            lines.append(f"{failed} given up after all attempts: 'saidonce channels list' shows why")
        if org in self.unreached():
            lines.append(f"there are homes, but no channel takes notifications: {self.channel_cure(org)}")
        return tuple(lines)

    def woken(self, pause_s: float) -> tuple[str, ...]:
        """Wait for a safety text, at most so long; return the organisations of those of this program."""
        self._is_woken.wait(pause_s)
        with self._lock:
            orgs, self._woken = tuple(sorted(self._woken)), set()
            self._is_woken.clear()
        return orgs

    def wake(self, org: str) -> None:
        """Wake the thread that waits in `woken` to send an organisation's outbox at once."""
        with self._lock:
            self._woken.add(org)
            self._is_woken.set()

    def known_orgs(self) -> tuple[str, ...]:
        """Return the organisations that settings name or that were served by this program, by name."""
        s = self.base.settings
        named = {s.org, *numbers_of(s.channel_numbers).values(), *s.org_channels, *s.org_keep_days}
        with self._lock:
            return tuple(sorted(named | self._bases.keys()))

    def unreached(self) -> tuple[str, ...]:
        """Return the organisations with homes and no channel to notify their team, by name.

        These are all that have no channel, and of the known ones those whose channels cannot send with these settings.
        """
        unsent = (
            org for org in self.known_orgs() if self.is_silent(org) and self._base(org).store.conversations.homes()
        )
        return tuple(sorted({*self.base.store.orgs_unreached(), *unsent}))

    def is_silent(self, org: str) -> bool:
        """Return whether there are channels for an organisation's notices, and none can send with these settings."""
        reach = TeamReach(self._base(org))
        return reach.is_set_up() and not reach.has_channel()

    def add_channel(self, org: str) -> str:
        """Return the command that adds a channel for an organisation's notices, with where its base lies."""
        s = self.base.settings
        where = "" if s.database_url else f"--data-dir {shlex.quote(str(s.data_dir.expanduser()))} "
        return f"saidonce {where}--org {shlex.quote(org)} channels add email YOU@EXAMPLE.COM --digest now"

    def channel_cure(self, org: str) -> str:
        """Return what to do so that an organisation's notices go out."""
        return NO_SENDER if self.is_silent(org) else self.add_channel(org)

    def has(self, org: str) -> bool:
        """Return whether an organisation exists: it has people, homes or conversations, or is the settings' own."""
        if org == self.base.settings.org:
            return True
        store = self._base(org).store
        return bool(store.conversations.conversations(1) or store.people.people() or store.conversations.homes())

    def channels(self, org: str = "") -> tuple[Channel, ...]:
        """Return the channels for notices of an organisation, by id."""
        return self._base(org).store.people.channels()

    def media(self, org: str = "") -> MediaFiles:
        """Return the files that residents of an organisation sent."""
        return self._base(org).store.media

    def keep_photo(self, content: bytes, org: str = "", kind: str = "photo") -> Media:
        """Keep a photo that was sent with a message on a page of ours, with a small picture of it.

        Raises:
            UsageError: it is none, cannot be decoded, or is too large.
        """
        most, mime = self.base.settings.media_image_mb, sniff(content)
        if len(content) > most * MEGABYTE:
            raise UsageError(f"the photo is larger than {most} MB")
        if family(mime) != "image":
            sounds = ", and OGG, MP3, M4A, AAC, AMR and WAV for voice messages" if kind != "photo" else ""
            raise UsageError(f"this is not a {kind}: send JPEG, PNG, WebP, GIF or HEIC{sounds}")
        try:
            kept = store_file(
                self.media(org), self._pictures, Media("", mime), content, self.base.settings.media_keep_original
            )
        except MediaError as bad:
            raise UsageError(f"the photo cannot be used: {bad.detail}") from None
        return replace(kept, id=kept.sha256)

    def keep_file(self, content: bytes, declared: str, org: str = "") -> Media:
        """Keep a photo or a voice message that was sent on a page of ours; a voice message is still to be heard.

        Args:
            content: its bytes.
            declared: its type, as the sender's program names it.
            org: whose resident sent it.

        Raises:
            UsageError: it is neither, cannot be decoded, or is too large.
        """
        mime = accepted_type(declared, content) or ""
        if family(mime) != "audio":
            return self.keep_photo(content, org, "photo or voice message")
        most = self.base.settings.media_audio_mb
        if len(content) > most * MEGABYTE:
            raise UsageError(f"the voice message is larger than {most} MB")
        sha256 = self.media(org).put(content, mime)
        return Media(sha256, mime, sha256)

    def check(self) -> None:
        """Open the channels and the model that are set, once at start: later nobody would hear a refusal.

        Raises:
            SettingsError: what is set for one of them is malformed, or the extra `models` is not installed.
        """
        for org in (self.base.settings.org, *self.base.settings.org_channels):
            _ = self.messenger_of(org), self.fetchers_of(org)
        _ = self.model, self.post, self.dangers.read("")

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

    @property
    def post(self) -> LetterPost:
        """Who sends letters to contractors.

        Raises:
            SettingsError: the mail server or the sender's address is malformed.
        """
        with self._lock:
            if self._post is None:
                self._post = open_post(self.base.settings)
            return self._post

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

    def intake(self, org: str = "") -> Intake:
        """Return the intake of an organisation's files, from its channels and from its residents' pages.

        Raises:
            SettingsError: what is set for a channel is malformed.
        """
        files = self.media(org)
        fetchers = {Via.WEB: WebFiles(files), **self.fetchers_of(org or self.base.settings.org)}
        opened = intake_of(self.deps(org), files, fetchers, self._pictures, self.base.settings)
        return replace(opened, recogniser=self.voice)

    @property
    def voice(self) -> Recogniser | None:
        """Who hears voice messages; None leaves them to people. No process is started before the first message."""
        with self._lock:
            if not self._is_voice_open:
                self._is_voice_open = True
                if self.recogniser is None and not why_unheard(self.base.settings):
                    self.recogniser = self._hearing = VoiceSandbox(self.base.settings)
            return self.recogniser

    @property
    def model(self) -> SwitchedChat | None:
        """The model that leads conversations; None without one."""
        if self._switch is None and self.base.settings.conversation_model:
            from saidonce.adapters.llm import open_chat  # noqa: PLC0415  imported only when a model is configured

            s = self.base.settings
            chat = open_chat(
                s.conversation_model,
                max(s.conversation_call_s, LONGEST_PROBE_S) if is_measured(s) else s.conversation_call_s,
                s.conversation_url,
                s.conversation_key,
                "conversation_model",
            )
            self._deadline = BoundedChat(chat)
            self._switch = SwitchedChat(self._deadline)
        return self._switch

    @property
    def dangers(self) -> DangerHead:
        """The trained head that reads dangers; all organisations share it."""
        with self._lock:
            if self._head is None:
                self._head = DangerHead(DangerEncoder())
            return self._head

    def measure(self) -> ModelSpeed | None:
        """Probe a model at an endpoint of one's own once, and give calls the time that fits it; None without one."""
        with self._lock:
            if self._speed is None and is_measured(self.base.settings) and self.model is not None:
                self._speed = measure_model(self.model, self.base.settings)
                self._deps.clear()
            return self._speed

    @property
    def model_unreachable_since(self) -> datetime | None:
        """When the model ceased to answer this program; None if it does, or was never asked."""
        return self._deadline.failing_since if self._deadline is not None else None

    def close(self) -> None:
        """End the model's threads, and the process that hears voice messages."""
        if self._hearing is not None:
            self._hearing.close()
        if self._deadline is not None:
            self._deadline.close()

    def _vias(self, org: str) -> frozenset[Via]:
        """Return the channels that are set up for an organisation; a messenger of another kind takes all."""
        messenger = self.messenger_of(org)
        return messenger.vias if isinstance(messenger, ByChannel) else frozenset(Via)

    def _open(self, org: str) -> ConversationDeps:
        s, base = self.base.settings, self._base(org)
        conversations, rules = base.store.conversations, conversation.rules_of(s)
        if (speed := self._speed) is not None:
            rules = replace(rules, call_timeout_s=speed.call_s, turn_timeout_s=speed.turn_s)
        return ConversationDeps(
            conversations, SystemClock(), self.model, rules, conversation.voice_of(s),
            conversation.named_pack(s.emergency_pack), PropertyPassages(base, names_of_others(conversations)),
            IssueDuplicates(conversations, base.embedder, rules), TeamReach(base), self.dangers,
            partial(self.wake, org),
            ChannelOutlets(s, partial(self._vias, org), (Via.WHATSAPP,) if self.is_demo else ()),
        )  # fmt: skip

    def _base(self, org: str) -> KnowledgeBase:
        if org in ("", self.base.settings.org):
            return self.base
        with self._lock:
            if org not in self._bases:
                self._bases[org] = self.base_of(org)
            return self._bases[org]


def _counted(n: int, one: str, several: str) -> str:
    return f"{n} {one if n == 1 else several}"


@dataclass(frozen=True, slots=True)
class TeamReach:
    """Whether the landlord's team can be told; see `saidonce.foundation.ports.conversations.Reach`."""

    base: KnowledgeBase

    def has_channel(self) -> bool:
        """Return whether a channel for notices of residents is set up and can send.

        It is one that is not limited to an owner's blocks, or one that a call-out list names. E-mail needs the setting
        `smtp_url`, a webhook to a private address the setting `webhook_allow_private`.
        """
        return any(map(self._can_send, self._channels()))

    def _can_send(self, channel: Channel) -> bool:
        settings = self.base.settings
        if channel.kind is ChannelKind.EMAIL:
            return bool(settings.smtp_url)
        return settings.webhook_allow_private or not names_private(channel.target)

    def is_set_up(self) -> bool:
        """Return whether there is such a channel, even if it cannot send."""
        return bool(self._channels())

    def _channels(self) -> list[Channel]:
        channels = self.base.store.people.channels()
        if all(not c.owner for c in channels):
            return [*channels]
        called = {id_ for each in self.base.store.conversations.call_outs() for s in each.steps for id_ in s.channels}
        return [c for c in channels if not c.owner or c.id in called]


def conversation_of(
    deps: ConversationDeps, sender: ChannelIdentity, number_id: str = WEB_NUMBER
) -> Conversation | None:
    """Return the conversation of a sender with one of our numbers; None before their first message."""
    try:
        return deps.store.conversation(conversation_id(deps.store.org, sender, number_id))
    except NotFoundError:
        return None
