"""Malformed settings of a channel are refused when a program starts: nobody is left without an answer later."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

GOOD = {
    "SAIDONCE_WHATSAPP_APP_SECRET": "meta-s3cret", "SAIDONCE_WHATSAPP_TOKEN": "meta-t0ken",
    "SAIDONCE_TWILIO_ACCOUNT_SID": f"AC{'0' * 32}", "SAIDONCE_TWILIO_AUTH_TOKEN": "twilio-s3cret",
}  # fmt: skip


@pytest.mark.parametrize("command", [("serve",), ("worker", "--once"), ("demo", "repairs")])
@pytest.mark.parametrize(
    ("key", "value", "allowed"),
    [("twilio_account_sid", "ACxx", "AC and 32 hex digits"), ("whatsapp_api_version", "26", "such as v26.0"),
     ("conversation_model", "no-provider", "PROVIDER:NAME")],
)  # fmt: skip
def test_a_malformed_setting_of_a_channel_is_refused_at_start(
    command: tuple[str, ...], key: str, value: str, allowed: str, tmp_path: Path
) -> None:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("SAIDONCE_")}
    env = {**kept, **GOOD, "SAIDONCE_DATA_DIR": str(tmp_path), f"SAIDONCE_{key.upper()}": value, "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "saidonce", *command], check=False, env=env, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2, done.stderr
    assert key in done.stderr
    assert allowed in done.stderr
    assert "s3cret" not in done.stderr
    assert "residents.failed" not in done.stderr
