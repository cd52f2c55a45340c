"""Gate and gray zone ask models of their own; those of `ask` only where nothing else is set, with a warning."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from chat_server import ChatServer, chatting
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.app.adjudicators import open_adjudicator, open_second
from saidonce.errors import SettingsError
from saidonce.foundation.model import Candidate, Failure, Match, Question, Ruling, Shown
from saidonce.foundation.settings.policy import load_settings
from saidonce.foundation.text import content_hash
from saidonce.testing.memory import MemoryStore
from world import FixedClock

ROOMS = {"gate": open_adjudicator, "gray_zone": open_second}


@pytest.fixture
def chat() -> Iterator[ChatServer]:
    with chatting() as server:
        yield server


def ruling(room: str, **settings: Any) -> Ruling:
    """Have a room's adjudicator rule on two texts."""
    store, clock = MemoryStore("north", clock=FixedClock()), FixedClock()
    judge = ROOMS[room](load_settings(gate_llm_timeout_ms=5_000, **settings), store, HashedEmbedder, clock)
    assert judge is not None
    one, other = (Candidate(text, content_hash(text)) for text in ("Open at nine.", "Open from nine."))
    return judge.rule([Question(one, (Shown(Match("m", 0.78, other)),))])[0]


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("name", ["model", "openai:own"])
def test_a_room_asks_its_own_model_and_never_the_one_of_ask(
    chat: ChatServer, caplog: pytest.LogCaptureFixture, room: str, name: str
) -> None:
    own = {f"{room}_model": "openai:own", f"{room}_model_url": chat.url, f"{room}_model_key": "own-key"}
    answers = {"answer_model": "openai:answers", "answer_url": "http://127.0.0.1:9/v1", "answer_key": "answer-key"}
    with caplog.at_level(logging.WARNING, "saidonce"):
        ruling(room, **{f"{room}_adjudicator": name}, **own, **answers)
    assert [asked["model"] for asked in chat.asked][:1] == ["own"]
    assert "deprecated" not in caplog.text


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize(("name", "model"), [("model", "answers"), ("openai:named", "named")])
def test_the_settings_of_ask_still_serve_where_a_room_has_none_with_a_warning(
    chat: ChatServer, caplog: pytest.LogCaptureFixture, room: str, name: str, model: str
) -> None:
    answers = {"answer_model": "openai:answers", "answer_url": chat.url, "answer_key": "answer-key"}
    with caplog.at_level(logging.WARNING, "saidonce"):
        ruling(room, **{f"{room}_adjudicator": name}, **answers)
    assert [asked["model"] for asked in chat.asked][:1] == [model]
    (warning,) = [r.getMessage() for r in caplog.records if "deprecated" in r.getMessage()]
    assert f"{room}_adjudicator" in warning
    assert f"{room}_model_url" in warning
    assert (f"{room}_model," in warning) == (name == "model")
    assert "answer-key" not in warning


@pytest.mark.parametrize("room", ROOMS)
def test_a_model_that_is_named_and_not_set_is_refused_by_its_own_setting(room: str) -> None:
    for settings in ({}, {f"{room}_model_url": "http://127.0.0.1:9/v1", "answer_model": "openai:answers"}):
        with pytest.raises(SettingsError) as refused:
            ruling(room, **{f"{room}_adjudicator": "model"}, **settings)
        assert refused.value.key == f"{room}_model"
    with pytest.raises(SettingsError, match=f"{room}_model is 'nonsense'"):
        ruling(room, **{f"{room}_adjudicator": "model", f"{room}_model": "nonsense"})


def test_the_gray_zone_may_take_another_time_than_the_gate(chat: ChatServer) -> None:
    chat.reply = lambda _asked: (200, json.dumps({"opinion": "unsure"}))
    own = {"gray_zone_model": "openai:own", "gray_zone_model_url": chat.url, "gray_zone_adjudicator": "model"}
    slow = ruling("gray_zone", gray_zone_timeout_ms=1, **own)
    assert slow.failure is Failure.TIMEOUT
    assert ruling("gray_zone", **own).failure is not Failure.TIMEOUT


@pytest.mark.parametrize("name", ["model:x", "auto-rater:x", "local:", "nobody"])
def test_names_that_are_none_are_refused(name: str) -> None:
    with pytest.raises(SettingsError, match="gate_adjudicator"):
        ruling("gate", gate_adjudicator=name)
