"""A channel reaches nobody with settings by which it cannot send."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest

from in_process import in_process
from saidonce.app.repairs_service.wiring import TeamReach
from saidonce.foundation.model import ChannelKind
from saidonce.platform.notifications import add_channel
from world import world

NOBODY = "Nobody can be notified."


@pytest.mark.parametrize(
    ("kinds", "smtp_url", "is_reached"),
    [
        ((), "", False),
        ((ChannelKind.EMAIL,), "", False),
        ((ChannelKind.EMAIL,), "smtps://mail.example.com", True),
        ((ChannelKind.EMAIL, ChannelKind.WEBHOOK), "", True),
    ],
)
def test_the_team_is_reached_by_a_channel_that_can_send(
    kinds: tuple[ChannelKind, ...], smtp_url: str, is_reached: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    w = world()
    targets = {ChannelKind.EMAIL: "ann@example.com", ChannelKind.WEBHOOK: "https://example.com/x"}
    for kind in kinds:
        add_channel(w.base, kind, targets[kind], "", 0, secrets.token_bytes)
    site = in_process(w, tmp_path, monkeypatch, smtp_url=smtp_url)
    reach = TeamReach(site.base)
    assert (reach.has_channel(), reach.is_set_up()) == (is_reached, bool(kinds))


def test_the_board_names_the_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    w = world()
    site = in_process(w, tmp_path, monkeypatch)
    site.post("/repairs/homes/add", address="9 Elm Road", resident="Uma Elm")
    assert "Add a channel now" in site.client.get("/repairs").text
    add_channel(w.base, ChannelKind.EMAIL, "ann@example.com", "", 0, secrets.token_bytes)
    page = site.client.get("/repairs").text
    assert NOBODY in page
    assert "E-mail needs the setting <code>smtp_url</code>" in page
    add_channel(w.base, ChannelKind.WEBHOOK, "https://example.com/x", "", 0, secrets.token_bytes)
    assert NOBODY not in site.client.get("/repairs").text


@pytest.mark.parametrize(
    ("target", "allow_private", "is_reached"),
    [
        ("https://example.com/x", False, True),
        ("https://1.1.1.1/x", False, True),
        ("http://127.0.0.1:9/x", False, False),
        ("http://localhost/x", False, False),
        ("http://[::1]/x", False, False),
        ("http://10.0.0.7/x", True, True),
    ],
)
def test_a_webhook_to_a_private_address_reaches_nobody_unless_it_is_allowed(
    target: str, allow_private: bool, is_reached: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    w = world()
    add_channel(w.base, ChannelKind.WEBHOOK, target, "", 0, secrets.token_bytes)
    site = in_process(w, tmp_path, monkeypatch, webhook_allow_private=allow_private)
    assert TeamReach(site.base).has_channel() is is_reached
