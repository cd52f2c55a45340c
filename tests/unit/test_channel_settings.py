"""Secrets of channels are shown to nobody."""

from __future__ import annotations

from saidonce.foundation.settings.channels import CHANNEL_SECRETS
from saidonce.foundation.settings.policy import SECRETS, Settings
from saidonce.interfaces.cli.render import settings_text
from saidonce.interfaces.views.kb import settings_view
from saidonce.repairs.channels import CHANNELS


def test_every_setting_that_is_never_logged_is_masked() -> None:
    never_logged = {name for name, info in Settings.model_fields.items() if "never logged" in (info.description or "")}
    assert never_logged <= SECRETS
    assert never_logged >= CHANNEL_SECRETS


def test_each_channel_names_its_settings_and_its_secrets() -> None:
    for channel in CHANNELS.values():
        assert channel.secrets <= channel.settings <= set(Settings.model_fields)
    assert (
        frozenset.union(*(c.secrets for c in CHANNELS.values())) | {"channel_options", "org_channels"}
        == CHANNEL_SECRETS
    )
    named = {name for name in Settings.model_fields if name.startswith(("whatsapp_", "twilio_", "sms_"))}
    assert named <= frozenset.union(*(c.settings for c in CHANNELS.values()))


def test_settings_show_only_that_a_secret_is_given() -> None:
    secrets = {**dict.fromkeys(sorted(SECRETS), "s3cret"), "channel_options": {"pigeon": {"token": "s3cret"}}}
    secrets["org_channels"] = {"south": {"twilio_auth_token": "s3cret"}}
    given = Settings().model_copy(update=secrets)
    shown = {row.name: row.value for row in settings_view(given)}
    assert all(shown[name] == "(given)" for name in SECRETS)
    assert "s3cret" not in settings_text(given)
