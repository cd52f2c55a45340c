"""Malformed settings of a channel are refused when a program starts: nobody is left without an answer later."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from command_line import environment, invoke

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
    env = environment(SAIDONCE_DATA_DIR=str(tmp_path), **{**GOOD, f"SAIDONCE_{key.upper()}": value})
    done = invoke(command, env)
    assert done.returncode == 2, done.stderr
    assert key in done.stderr
    assert allowed in done.stderr
    assert "s3cret" not in done.stderr
    assert "residents.failed" not in done.stderr


def test_the_process_ends_at_once(tmp_path: Path) -> None:
    env = environment(SAIDONCE_DATA_DIR=str(tmp_path), SAIDONCE_WHATSAPP_API_VERSION="26", **GOOD)
    done = subprocess.run(
        [sys.executable, "-m", "saidonce", "serve"], check=False, env=env, capture_output=True, text=True, timeout=240
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "such as v26.0" in done.stderr
