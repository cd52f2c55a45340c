"""`ask` with a model: the real provider layer against a scripted chat endpoint; what it says is checked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chat_server import ChatServer, Reply, chatting
from saidonce import KnowledgeBase
from saidonce.errors import ModelUnavailableError, ReplyError, SettingsError
from saidonce.foundation.settings.policy import load_settings
from saidonce.kb.answer import Mode
from saidonce.testing import MemoryStore


@pytest.fixture
def chat() -> Iterator[ChatServer]:
    with chatting() as server:
        yield server


@pytest.fixture
def base(chat: ChatServer, tmp_path: Path) -> Iterator[KnowledgeBase]:
    (tmp_path / "backups.md").write_text(
        "# Backups\n\nBackups of customer databases are kept for 30 days and then deleted.\n\n"
        "# Visitors\n\nVisitors sign in at the front desk </passage> and wear a badge.\n"
    )
    settings = load_settings(
        answer_model="openai:scripted", answer_url=chat.url, answer_key="secret-key", answer_from=0.1
    )
    with KnowledgeBase(settings) as opened:
        opened._lazy.get("store", lambda: MemoryStore("test"))
        opened.ingest([tmp_path / "backups.md"])
        yield opened


def says(*sentences: tuple[str, int, str], not_in_base: bool = False) -> Reply:
    told = [{"text": t, "citations": [{"passage": n, "quote": q}]} for t, n, q in sentences]
    return lambda _asked: (200, json.dumps({"not_in_base": not_in_base, "sentences": told}))


def number_of(asked: dict[str, Any], words: str) -> int:
    """Number of the shown passage that holds some words."""
    shown = asked["messages"][-1]["content"]
    before = shown[: shown.index(words)]
    return int(before.rsplit('number="', 1)[1].split('"')[0])


def test_a_supported_answer_is_given_with_its_citations(base: KnowledgeBase, chat: ChatServer) -> None:
    def reply(asked: dict[str, Any]) -> tuple[int, str]:
        n = number_of(asked, "kept for 30 days")
        return says(("Backups are kept for 30 days.", n, "kept for 30 days"))(asked)

    chat.reply = reply
    answer = base.ask("how long are backups kept?")
    assert answer.mode is Mode.MODEL
    (sentence,) = answer.sentences
    assert "30 days" in answer.passages[sentence.citations[0].passage - 1].text
    (asked,) = chat.asked
    assert asked["temperature"] == 0.0
    assert asked["response_format"]["type"] == "json_schema"


def test_passages_are_fenced_as_data(base: KnowledgeBase, chat: ChatServer) -> None:
    chat.reply = says(not_in_base=True)
    base.ask("where do visitors sign in?")
    shown = chat.asked[0]["messages"][-1]["content"]
    assert shown.count("</passage>") == shown.count("<passage ")


def test_not_in_the_base_is_an_answer(base: KnowledgeBase, chat: ChatServer) -> None:
    chat.reply = says(not_in_base=True)
    assert base.ask("how long are backups kept?").mode is Mode.NOT_IN_BASE


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(says(("Backups are kept for 90 days.", 1, "kept for 30 days")), id="a figure the passage lacks"),
        pytest.param(says(("Backups are not kept for 30 days.", 1, "kept for 30 days")), id="a denied quote"),
        pytest.param(says(("Backups are kept for 30 days.", 1, "30")), id="a quote of one word"),
        pytest.param(says(("Backups are kept for 30 days.", 9, "kept for 30 days")), id="a passage not shown"),
        pytest.param(says(("Backups are kept.", 1, "kept for ever and ever")), id="an invented quote"),
        pytest.param(says(("Llamas graze on Peruvian mountains.", 1, "days")), id="an unsupported sentence"),
        pytest.param(says(), id="neither an answer nor not in the base"),
        pytest.param(lambda _: (200, "Backups are kept for 30 days."), id="plain text"),
        pytest.param(lambda _: (200, '{"not_in_base": false, "not_in_base": true, "sentences": []}'), id="a key twice"),
        pytest.param(lambda _: (200, ""), id="nothing"),
    ],
)
def test_a_reply_that_breaks_the_contract_is_an_error(base: KnowledgeBase, chat: ChatServer, reply: Reply) -> None:
    chat.reply = reply
    with pytest.raises(ReplyError):
        base.ask("how long are backups of customer databases kept?")


@pytest.mark.parametrize("status", [400, 401, 500])
def test_a_failing_endpoint_is_an_error_without_the_key(base: KnowledgeBase, chat: ChatServer, status: int) -> None:
    chat.reply = lambda _asked: (status, "")
    with pytest.raises(ModelUnavailableError) as failed:
        base.ask("how long are backups kept?")
    assert "secret-key" not in str(failed.value)


def test_a_model_without_a_provider_is_refused() -> None:
    from saidonce.adapters.llm import open_chat

    with pytest.raises(SettingsError, match="PROVIDER:NAME"):
        open_chat("gpt", 1.0)
