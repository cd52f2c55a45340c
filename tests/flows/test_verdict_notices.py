"""What the gate does is told to channels: once each, signed, retried, without the submitted text."""

from __future__ import annotations

import json
import secrets
from typing import Any

import pytest

from saidonce import KnowledgeBase, Submission
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.adapters.senders.webhook import NOTICE_HEADER, SIGNATURE_HEADER, WebhookSender, signature
from saidonce.errors import DeliveryError, SettingsError
from saidonce.foundation.model import Channel, ChannelKind
from saidonce.foundation.ports.sending import Message
from saidonce.foundation.settings.gates import GATE_NOTICES
from saidonce.foundation.settings.policy import load_settings
from saidonce.platform import notifications
from saidonce.platform.notifications.verdicts import SUBJECTS
from saidonce.testing import MemoryStore

COUNT = "Count the winter coats in the stock room and explain every difference from the ledger."
OTHER = "Write a letter to the tenants about the new opening hours of the laundry."
ACTS = "cleared, held,overridden,released"


class Receiver:
    """Takes messages, after it has refused some."""

    def __init__(self, refuses: int = 0) -> None:
        self.got: list[Message] = []
        self._refuses = refuses

    def send(self, channel: Channel, message: Message) -> None:
        if self._refuses:
            self._refuses -= 1
            raise DeliveryError(channel.id, "busy")
        self.got.append(message)


def opened(**settings: Any) -> KnowledgeBase:
    base = KnowledgeBase(load_settings(**settings))
    base._lazy.get("store", lambda: MemoryStore("test"))
    base._lazy.get("embedder", lambda: HashedEmbedder(256))
    return base


def delivered(base: KnowledgeBase, receiver: Receiver) -> list[dict[str, Any]]:
    for notice in notifications.pending(base.base):
        notifications.deliver(base.base, dict.fromkeys(ChannelKind, receiver), notice.id)
    return [json.loads(json.dumps(message.fields)) for message in receiver.got]


def channel(base: KnowledgeBase, owner: str = "") -> Channel:
    kind = ChannelKind.WEBHOOK
    return notifications.add_channel(base.base, kind, "https://example.com/x", owner, 3600, secrets.token_bytes)


def test_each_event_is_told_once_per_channel_and_holds_no_text() -> None:
    with opened(gate_notices=ACTS) as base:
        channel(base)
        channel(base, owner="ann")
        gate = base.gate("tasks")
        new, repeat = gate.check_many([Submission(COUNT, key="t-1"), Submission(COUNT, key="t-2")])
        created = notifications.create_verdict_notices(base.base)
        assert (len(created), notifications.create_verdict_notices(base.base)) == (2, [])
        told = delivered(base, receiver := Receiver())
        assert [(t["event"], t["key"], t["is_through"]) for t in told] == [
            ("verdict_cleared", "t-1", True),
            ("verdict_held", "t-2", False),
        ]
        assert (told[1]["reason"], told[1]["verdict"], told[1]["gate"]) == ("same_content", repeat.id, "tasks")
        assert all("coats" not in f"{message.fields} {message.text}" for message in receiver.got)
        gate.release(new.id, "ann", "not wanted")
        notifications.create_verdict_notices(base.base)
        assert [t["event"] for t in delivered(base, Receiver())] == ["verdict_released"]


def test_a_receiver_that_is_busy_is_tried_again() -> None:
    with opened(gate_notices="cleared") as base:
        channel(base)
        base.gate("tasks").check(Submission(OTHER))
        (notice,) = notifications.create_verdict_notices(base.base)
        receiver = Receiver(refuses=1)
        with pytest.raises(DeliveryError, match="busy"):
            delivered(base, receiver)
        assert base.store.people.notice(notice.id).n_tries == 1  # type: ignore[union-attr]
        assert len(delivered(base, receiver)) == 1
        assert delivered(base, receiver)[1:] == [], "what was accepted is not sent again"


def test_nothing_is_told_unless_it_is_asked_for() -> None:
    with opened() as base:
        channel(base)
        base.gate("tasks").check(Submission(OTHER))
        assert notifications.create_verdict_notices(base.base) == []
    with pytest.raises(SettingsError, match="gate_notices"):
        load_settings(gate_notices="cleared,approved")
    assert {str(act) for act in SUBJECTS} == GATE_NOTICES


def test_the_post_is_signed(monkeypatch: pytest.MonkeyPatch) -> None:
    posts: list[tuple[bytes, dict[str, str]]] = []

    def posted(_self: WebhookSender, _target: str, body: bytes, headers: dict[str, str]) -> int:
        posts.append((body, headers))
        return 204

    monkeypatch.setattr(WebhookSender, "_post_to_first", posted)
    with opened(gate_notices="cleared") as base:
        receiver = channel(base)
        base.gate("tasks").check(Submission(OTHER))
        (notice,) = notifications.create_verdict_notices(base.base)
        notifications.deliver(base.base, {ChannelKind.WEBHOOK: WebhookSender(False, 5.0)}, notice.id)
    ((body, headers),) = posts
    at = int(headers[SIGNATURE_HEADER].split(",")[0].removeprefix("t="))
    assert headers[SIGNATURE_HEADER] == signature(receiver.secret, at, body)
    assert headers[NOTICE_HEADER] == notice.id
