"""Of each setting it can be said where its value comes from, and what to do to change it."""

from __future__ import annotations

import pytest

from saidonce.foundation.settings.origins import OriginKind, how_to_change, origin_of
from saidonce.foundation.settings.policy import load_settings


def test_a_value_comes_from_the_environment_the_file_or_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAIDONCE_REPEAT_FROM", "0.95")
    settings = load_settings({"repeat_from": 0.93, "collection": "wiki"})
    assert settings.repeat_from == 0.95
    origin = origin_of(settings, "repeat_from")
    assert (origin.kind, origin.variable) == (OriginKind.ENVIRONMENT, "SAIDONCE_REPEAT_FROM")
    assert origin_of(settings, "collection").kind is OriginKind.FILE
    assert origin_of(settings, "salience_cap").kind is OriginKind.DEFAULT


def test_how_to_change_it_names_the_very_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("saidonce_repeat_from", "0.95")
    settings = load_settings({"collection": "wiki", "org": "acme"})
    assert "the environment variable saidonce_repeat_from" in how_to_change(settings, "repeat_from")
    assert "change collection in the settings file" in how_to_change(settings, "collection")
    assert "'salience_cap = ...' to the settings file" in how_to_change(settings, "salience_cap")
    assert "--org" in how_to_change(settings, "org")
