"""No secret is printed: not by settings, not by errors about them or about names that are none, not by tracebacks."""

from __future__ import annotations

import os
import traceback
from typing import Any

import pytest

from saidonce.adapters.postgres import open_store
from saidonce.errors import SaidonceError, SettingsError
from saidonce.foundation.settings.policy import SECRETS, Settings, load_settings
from saidonce.interfaces.views.kb import settings_view

SECRET = "sk-proj-4f9a81c2d7e6b350verysecret"
URL = f"postgresql://ann:{SECRET}@db.example.com/base"


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("SAIDONCE_", "AUTO_SEED_", "USE_LLM")):
            monkeypatch.delenv(name)


def told(error: BaseException) -> str:
    """All that anybody could print of an error."""
    return "".join(traceback.format_exception(error)) + repr(error) + str(error) + repr(vars(error))


def test_every_setting_that_sounds_like_a_secret_is_one() -> None:
    sounds = {n for n in Settings.model_fields if n.endswith(("_key", "_secret", "_token"))}
    never_logged = {n for n, info in Settings.model_fields.items() if "never logged" in (info.description or "")}
    assert sounds | never_logged | {"database_url", "replica_url", "smtp_url"} == SECRETS


@pytest.mark.parametrize("name", sorted(SECRETS))
def test_settings_print_no_secret(name: str) -> None:
    tables: dict[str, Any] = {
        "channel_options": {"pigeon": {"token": SECRET}},
        "org_channels": {"south": {"whatsapp_token": SECRET}},
    }
    value: Any = tables.get(name, SECRET)
    settings = load_settings({name: value})
    assert getattr(settings, name) == value
    for printed in (repr(settings), str(settings), f"{settings}", repr(settings_view(settings)), repr([settings])):
        assert SECRET not in printed
    assert f"{name}='(given)'" in repr(settings)


def test_settings_print_no_password_in_any_url() -> None:
    settings = load_settings(answer_url=f"https://ann:{SECRET}@models.example.com/v1", k=7)
    for printed in (repr(settings), str(settings), repr(settings_view(settings))):
        assert SECRET not in printed
    assert "k=7" in repr(settings)


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("SAIDONCE_ANSWER_KEYS", "SAIDONCE_ANSWER_KEY"),
        ("SAIDONCE_ANSWERKEY", "SAIDONCE_ANSWER_KEY"),
        ("SAIDONCE_OPENAI_API_KEY", ""),
        ("SAIDONCE_DATABSE_URL", "SAIDONCE_DATABASE_URL"),
        ("saidonce_smtp_ulr", "SAIDONCE_SMTP_URL"),
        ("AUTO_SEED_DEDUP_CROS_THRESHOLD", "AUTO_SEED_DEDUP_CROSS_THRESHOLD"),
        ("AUTO_SEED_DEDUPE_CROSS_THRESHOLD", "AUTO_SEED_DEDUP_CROSS_THRESHOLD"),
        ("AUTO_SEED_DEDUP_LLM_TRESHOLD", "AUTO_SEED_DEDUP_LLM_CLEAR_THRESHOLD"),
        ("AUTO_SEED_DEDUP_ENABLED", "AUTO_SEED_DEDUP_LLM_ENABLED"),
        ("USE_LLM_ORCHESTRATON", "USE_LLM_ORCHESTRATION"),
    ],
)
def test_an_unknown_variable_is_refused_by_name_with_the_nearest_ones(
    monkeypatch: pytest.MonkeyPatch, name: str, nearest: str
) -> None:
    monkeypatch.setenv(name, SECRET)
    with pytest.raises(SettingsError) as refused:
        load_settings()
    assert name in str(refused.value)
    assert nearest in str(refused.value)
    assert SECRET not in told(refused.value)
    assert str(refused.value).count("SAIDONCE_") + str(refused.value).count("AUTO_SEED") <= 5, "not all that there are"


@pytest.mark.parametrize("where", ["file", "argument"])
def test_an_unknown_key_of_file_or_call_is_refused_without_its_value(where: str) -> None:
    given: dict[str, Any] = {"answer_keys": SECRET}
    with pytest.raises(SettingsError, match="answer_key") as refused:
        load_settings(given) if where == "file" else load_settings(**given)
    assert SECRET not in told(refused.value)


@pytest.mark.parametrize("name", sorted(SECRETS))
def test_a_secret_of_the_wrong_type_is_refused_without_its_value(name: str) -> None:
    with pytest.raises(SettingsError, match=name) as refused:
        load_settings({name: [SECRET]})
    assert SECRET not in told(refused.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SAIDONCE_K", SECRET),
        ("SAIDONCE_FUSION", URL),
        ("SAIDONCE_ANSWER_TIMEOUT_S", f"https://ann:{SECRET}@example.com"),
        ("SAIDONCE_CONVERSATION_MAY_LINK", SECRET),
        ("SAIDONCE_GRAY_ZONE", SECRET),
        ("USE_LLM_ORCHESTRATION", SECRET),
        ("AUTO_SEED_DEDUP_CROSS_THRESHOLD", SECRET),
    ],
)
def test_a_secret_pasted_into_another_setting_is_not_printed(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as refused:
        load_settings()
    assert SECRET not in told(refused.value)


def test_an_ordinary_value_is_still_shown() -> None:
    with pytest.raises(SettingsError, match="setting repeat_from is '90'"):
        load_settings(repeat_from="90")


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://ann:{SECRET}@127.0.0.1:1/base",
        f"postgresql://ann:p@{SECRET}@no-such-host.invalid/base",
        f"postgresql://ann:p/{SECRET}@no-such-host.invalid/base",
        f"postgress://ann:{SECRET}@127.0.0.1/base",
        f"postgresql://ann@127.0.0.1:1/base?passwrd={SECRET}",
        f"host=127.0.0.1 port=1 pasword={SECRET}",
        f"postgresql://ann:%{SECRET}@127.0.0.1:1/base",
    ],
)
def test_a_database_that_cannot_be_reached_is_told_without_its_password(url: str, data_dir: Any) -> None:
    with pytest.raises(SaidonceError) as refused:
        open_store(url, data_dir, "acme")
    assert SECRET not in told(refused.value)
