"""A local model is probed once at start; its time-outs fit it, within bounds, unless the settings give them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from chat_server import chatting
from saidonce.adapters.llm import open_chat
from saidonce.adapters.llm.deadline import BoundedChat
from saidonce.app.repairs_service.model_speed import is_measured, measure_model
from saidonce.foundation.settings.policy import load_settings
from saidonce.interfaces.cli.demo import named_model

MODEL = "openai:scripted"


def ticking(*moments: float) -> Iterator[float]:
    yield from moments


@pytest.mark.parametrize(
    ("took", "given", "call_s", "turn_s"),
    [
        (0.5, {}, 8.0, 12.0),
        (6.0, {}, 18.0, 27.0),
        (50.0, {}, 45.0, 67.5),
        (6.0, {"conversation_call_s": 10.0}, 10.0, 15.0),
        (6.0, {"conversation_call_s": 10.0, "conversation_turn_s": 11.0}, 10.0, 11.0),
    ],
)
def test_time_outs_fit_the_model(took: float, given: dict[str, Any], call_s: float, turn_s: float) -> None:
    with chatting() as server:
        server.reply = lambda _: (200, '{"tool": "respond", "message": "Hello!"}')
        settings = load_settings(conversation_model=MODEL, conversation_url=server.url, **given)
        chat = BoundedChat(open_chat(MODEL, 60.0, server.url, "", "conversation_model"))
        moments = ticking(0.0, took)
        speed = measure_model(chat, settings, lambda: next(moments))
        chat.close()
        assert len(server.asked) == 1
    assert (speed.call_s, speed.turn_s) == (call_s, turn_s)
    assert f"in {took:.1f} s" in speed.in_words


def test_a_failing_probe_says_what_to_do_and_changes_no_time_out() -> None:
    with chatting() as server:
        settings = load_settings(conversation_model=MODEL, conversation_url=server.url)
        chat = BoundedChat(open_chat(MODEL, 60.0, server.url, "", "conversation_model"))
        speed = measure_model(chat, settings)
        chat.close()
    assert speed.seconds is None
    assert (speed.call_s, speed.turn_s) == (8.0, 12.0)
    assert "does the URL end in /v1" in speed.in_words


def test_only_a_model_at_an_address_of_ones_own_is_probed() -> None:
    assert not is_measured(load_settings(conversation_model="openai:gpt-5-mini"))
    assert not is_measured(load_settings())


@pytest.mark.parametrize(
    ("model", "url", "name"),
    [
        ("", "", ""), ("anthropic:claude", "", "anthropic:claude"), ("", "http://x/v1", "openai:default"),
        ("qwen2.5", "http://x/v1", "openai:qwen2.5"), ("openai:qwen2.5", "http://x/v1", "openai:qwen2.5"),
        ("qwen2.5:1.5b", "http://x/v1", "openai:qwen2.5:1.5b"),
    ],
)  # fmt: skip
def test_a_bare_name_is_enough_at_such_an_address(model: str, url: str, name: str) -> None:
    assert named_model(model, url) == name
