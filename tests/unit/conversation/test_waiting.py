"""Debounce, deadlines and recordings."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saidonce.adapters.llm.cassette import Cassette, CassetteChat, RecordingChat, read_cassette
from saidonce.adapters.llm.deadline import BoundedChat
from saidonce.errors import ModelUnavailableError, NotFoundError, StoreCorruptError
from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, Media, Via
from saidonce.foundation.ports import Reply
from saidonce.foundation.settings.policy import load_settings
from saidonce.repairs.conversation.debounce import debounce_rule
from saidonce.repairs.conversation.rules import Orchestration, Rules, rules_of, voice_of

T = datetime(2026, 1, 17, 12, tzinfo=UTC)
SENDER = ChannelIdentity(Via.WHATSAPP, "u")


def inbound(after_s: float, kind: str = "text") -> Inbound:
    at = T + timedelta(seconds=after_s)
    media = (Media("m", "image/jpeg"),) if kind == "media" else ()
    return Inbound(SENDER, "n", str(after_s), InboundKind(kind), at, at, media=media)


@pytest.mark.parametrize(
    ("arrivals", "due_s"),
    [
        ([(0, "text")], 1.5),
        ([(0, "media")], 4.0),
        ([(0, "button")], 0.0),
        ([(0, "text"), (1, "text")], 2.5),
        ([(0, "media"), (1, "text")], 4.0),
        ([(0, "text"), (1, "button")], 1.5),
        ([(n, "text") for n in range(10)], 10.0),
        ([(n, "media") for n in range(0, 10, 3)], 10.0),
    ],
)
def test_debounce(arrivals: list[tuple[float, str]], due_s: float) -> None:
    at = None
    for after_s, kind in arrivals:
        at = debounce_rule(Rules())(T if at is not None else None, at, inbound(after_s, kind))
    assert at == T + timedelta(seconds=due_s)


@given(st.lists(st.tuples(st.floats(0, 30), st.sampled_from(["text", "media", "button"])), min_size=1, max_size=8))
def test_a_turn_never_waits_longer_than_the_cap(arrivals: list[tuple[float, str]]) -> None:
    first = min(a for a, _ in arrivals)
    at = None
    for after_s, kind in sorted(arrivals):
        at = debounce_rule(Rules())(
            T + timedelta(seconds=first) if at is not None else None, at, inbound(after_s, kind)
        )
    assert at is not None
    assert at <= T + timedelta(seconds=first + 10.0)


class Model:
    name = "model"

    def __init__(self) -> None:
        self.n = 0
        self.says: str | None = "yes"
        self.go_on = threading.Event()

    def complete(self, instructions: str, prompt: str, schema: Mapping[str, object]) -> Reply:
        self.n += 1
        if self.says is None:
            raise ModelUnavailableError(self.name, "down")
        if self.says == "hang":
            self.go_on.wait(30)
        return Reply(self.says)


def test_a_model_that_hangs_is_given_up() -> None:
    model = Model()
    model.says = "hang"
    with pytest.raises(ModelUnavailableError, match=r"no reply within 0\.05 s"):
        BoundedChat(model).complete_within("i", "p", {}, 0.05)
    model.go_on.set()


def test_a_model_that_failed_often_is_left_alone_for_a_while() -> None:
    model, seconds = Model(), [0.0]
    chat = BoundedChat(model, rest_s=60, now=lambda: seconds[0])
    model.says = None
    for _ in range(3):
        with pytest.raises(ModelUnavailableError, match="down"):
            chat.complete_within("i", "p", {}, 5)
    model.says = "yes"
    with pytest.raises(ModelUnavailableError, match="circuit open"):
        chat.complete_within("i", "p", {}, 5)
    assert model.n == 3
    seconds[0] = 61.0
    assert chat.complete_within("i", "p", {}, 5) == "yes"
    assert chat.complete_within("i", "p", {}, 5) == "yes"


def test_recordings_answer_what_was_recorded_and_nothing_else(tmp_path: Path) -> None:
    model = Model()
    tape = RecordingChat(BoundedChat(model), Cassette("m", "0" * 64, "2026-01-17"))
    assert [tape.complete_within("i", "p", {"a": 1}, 5) for _ in range(2)] == ["yes", "yes"]
    assert model.n == 1
    path = tmp_path / "m.json"
    path.write_text(tape.cassette.as_json(), encoding="utf-8")
    chat = CassetteChat(read_cassette(path))
    assert chat.complete_within("i", "p", {"a": 1}, 5) == "yes"
    for asked in (("i", "p", {"a": 2}), ("i", "q", {"a": 1}), ("j", "p", {"a": 1})):
        with pytest.raises(NotFoundError):
            chat.complete_within(*asked, 5)


def test_recordings_that_are_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        read_cassette(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(StoreCorruptError):
        read_cassette(tmp_path / "bad.json")


def test_settings_become_rules_and_a_voice() -> None:
    settings = load_settings(
        use_llm_orchestration="on", conversation_call_s=3.0, conversation_turn_s=5.0, conversation_name="Acme",
        conversation_may_link=("https://acme.example/",),
    )  # fmt: skip
    rules = rules_of(settings)
    assert (rules.orchestration, rules.call_timeout_s, rules.turn_timeout_s) == (Orchestration.ON, 3.0, 5.0)
    assert rules_of(load_settings()) == Rules()
    assert voice_of(settings).may_link == ("https://acme.example/",)
    assert voice_of(settings).org_name == "Acme"
