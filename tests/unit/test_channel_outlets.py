"""Whether a channel takes news now: STOP, channels that are not set up, and WhatsApp's window of 24 hours."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from saidonce.errors import SettingsError
from saidonce.foundation.model.conversation import Conversation
from saidonce.foundation.model.residents import ChannelIdentity, Via
from saidonce.foundation.settings.policy import load_settings
from saidonce.quality.scenario import NOON
from saidonce.repairs.channels import ChannelOutlets

HOUR = timedelta(hours=1)


def talk(via: Via) -> Conversation:
    return Conversation("c", ChannelIdentity(via, "x", "+447700900001"), "n", NOON, last_inbound_at=NOON)


def outlets(*windowless: Via, **settings: Any) -> ChannelOutlets:
    return ChannelOutlets(load_settings(None, **settings), lambda: frozenset(Via) - {Via.SMS}, windowless)


@pytest.mark.parametrize("via", [Via.WHATSAPP, Via.TWILIO])
def test_whatsapp_closes_a_day_after_the_last_message_unless_a_template_is_approved(via: Via) -> None:
    of = talk(via)
    assert outlets().obstacle(of, NOON + 23 * HOUR) == ""
    assert outlets().obstacle(of, NOON + 24 * HOUR) == "window_closed"
    assert outlets().obstacle(replace(of, last_inbound_at=None), NOON) == "window_closed"
    template = "whatsapp_template" if via is Via.WHATSAPP else "twilio_template"
    assert outlets(**{template: "update"}).obstacle(of, NOON + 99 * HOUR) == ""
    assert outlets(via).obstacle(of, NOON + 99 * HOUR) == "", "in a demo it stays here"


def test_the_web_page_has_no_window_and_what_is_not_set_up_takes_nothing() -> None:
    assert outlets().obstacle(talk(Via.WEB), NOON + 999 * HOUR) == ""
    assert outlets().obstacle(talk(Via.SMS), NOON) == "no_channel"


def test_stop_holds_everywhere() -> None:
    assert outlets().obstacle(replace(talk(Via.WEB), opted_out_at=NOON), NOON) == "opted_out"


@pytest.mark.parametrize(
    "settings",
    [{"time_zone": "Mars/Olympus"}, {"time_zone": "../../etc/passwd"}, {"business_hours": "always"},
     {"business_hours": "mon-fri 17:00-09:00"}, {"business_hours": "mon 09:99-17:00"}, {"response_urgent_h": "0"}],
)  # fmt: skip
def test_malformed_zones_and_hours_are_refused_at_start(settings: dict[str, Any]) -> None:
    with pytest.raises(SettingsError):
        load_settings(None, **settings)


def test_hours_and_zone_reach_the_rules() -> None:
    from saidonce.repairs.conversation import rules_of

    hours = "mon-tue 08:00-12:00, sat 10:00-11:00"
    rules = rules_of(load_settings(None, time_zone="Europe/London", business_hours=hours))
    assert str(rules.office.zone) == "Europe/London"
    assert [o.weekday for o in rules.office.openings] == [0, 1, 5]
