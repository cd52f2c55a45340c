"""Names of models that cannot be asked: said by the setting they stand in, before the first conversation."""

from __future__ import annotations

import pytest

from saidonce.adapters.llm import obstacle, open_chat
from saidonce.errors import SettingsError
from saidonce.foundation.settings.policy import Settings
from saidonce.interfaces.cli.serve import warn_of_model

KEYS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY")


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)


def test_a_name_without_a_provider_is_told_of_its_setting() -> None:
    with pytest.raises(SettingsError, match="setting conversation_model is 'nonsense'"):
        open_chat("nonsense", 1.0, setting="conversation_model")
    with pytest.raises(SettingsError, match="setting answer_model is 'nonsense'"):
        open_chat("nonsense", 1.0)


@pytest.mark.parametrize(
    ("name", "url", "why"),
    [
        ("foo:bar", "", "Unknown model: foo:bar"),
        ("openai:x", "", "OPENAI_API_KEY"),
        ("anthropic:x", "", "nthropic"),
    ],
)
def test_a_model_that_cannot_be_asked_is_warned_of(
    capsys: pytest.CaptureFixture[str], name: str, url: str, why: str
) -> None:
    assert why in obstacle(name, url)  # of a provider whose package is not installed that is told first
    warn_of_model(Settings(conversation_model=name, conversation_url=url))
    told = capsys.readouterr().err
    assert f"conversation_model {name!r} is unavailable: " in told
    assert why in told
    assert "keyword flow answers" in told


def test_nothing_is_said_of_one_that_may_be_asked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    warn_of_model(Settings(conversation_model=""))
    warn_of_model(Settings(conversation_model="openai:x", conversation_url="http://127.0.0.1:1/v1"))
    monkeypatch.setenv("OPENAI_API_KEY", "secret-key")
    warn_of_model(Settings(conversation_model="openai:x"))
    assert capsys.readouterr().err == ""
