"""Secrets of channels are shown to nobody."""

from __future__ import annotations

from saidonce.foundation.settings.channels import CHANNEL_SECRETS
from saidonce.foundation.settings.policy import SECRETS, Settings
from saidonce.interfaces.cli.render import settings_text
from saidonce.interfaces.views.kb import settings_view


def test_every_setting_that_is_never_logged_is_masked() -> None:
    never_logged = {name for name, info in Settings.model_fields.items() if "never logged" in (info.description or "")}
    assert never_logged <= SECRETS
    assert never_logged >= CHANNEL_SECRETS


def test_settings_show_only_that_a_secret_is_given() -> None:
    given = Settings().model_copy(update=dict.fromkeys(sorted(SECRETS), "s3cret"))
    shown = {row.name: row.value for row in settings_view(given)}
    assert all(shown[name] == "(given)" for name in SECRETS)
    assert "s3cret" not in settings_text(given)
