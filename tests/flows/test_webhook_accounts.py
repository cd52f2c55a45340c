"""An organisation with accounts of its own is signed for by them alone; and what is old is taken nowhere."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from channel_server import gives, scripted
from repairs_site import Office, office
from saidonce.adapters.clock import SystemClock
from saidonce.errors import SettingsError
from saidonce.foundation.model.conversation import Conversation, OutboxKind, OutboxMessage
from saidonce.foundation.model.residents import ChannelIdentity, Via
from saidonce.foundation.settings.channels import settings_for
from saidonce.foundation.settings.policy import Settings, load_settings
from saidonce.repairs.channels import cloud, open_messengers, twilio
from saidonce.repairs.demo import whatsapp_post
from whatsapp_posts import ACCOUNT, form

NOW = datetime.now(UTC)
HOME_TOKEN, SOUTH_TOKEN = "home-s3cret", "south-s3cret"
HOME_APP, SOUTH_APP = "home-app", "south-app"
SOUTH_ACCOUNT = "AC" + "9" * 32
HOME_PHONE, SOUTH_PHONE, EAST_PHONE = "+14155238886", "+14155230009", "+14155230007"
HOME_NUMBER, SOUTH_NUMBER = "100000000000001", "100000000000009"
HOME_HOOK = "https://desk.example.com/webhooks/twilio/demo"
SOUTH_HOOK = "https://south.example.org/from-twilio"
SETTINGS: dict[str, Any] = {
    "whatsapp_app_secret": HOME_APP,
    "twilio_account_sid": ACCOUNT,
    "twilio_auth_token": HOME_TOKEN,
    "twilio_webhook_url": HOME_HOOK,
    "channel_numbers": f"south={SOUTH_NUMBER}, south={SOUTH_PHONE}, east={EAST_PHONE}",
    "org_channels": {
        "south": {
            "twilio_account_sid": SOUTH_ACCOUNT,
            "twilio_auth_token": SOUTH_TOKEN,
            "twilio_webhook_url": SOUTH_HOOK,
            "whatsapp_app_secret": SOUTH_APP,
        }
    },
}


@pytest.fixture(scope="module")
def site() -> Iterator[Office]:
    with office(settings=SETTINGS) as running:
        known = running.repairs.has
        running.repairs.has = lambda org: org in {"south", "east"} or known(org)  # type: ignore[method-assign]
        yield running


@pytest.mark.parametrize(
    ("org", "to", "signed_by", "status"),
    [
        ("south", SOUTH_PHONE, (SOUTH_HOOK, SOUTH_TOKEN, SOUTH_ACCOUNT), 200),
        ("demo", HOME_PHONE, (HOME_HOOK, HOME_TOKEN, ACCOUNT), 200),
        ("east", EAST_PHONE, (HOME_HOOK.replace("demo", "east"), HOME_TOKEN, ACCOUNT), 200),
        # Somebody else's token signs nothing here, whatever address and number it names.
        ("south", SOUTH_PHONE, (SOUTH_HOOK, HOME_TOKEN, SOUTH_ACCOUNT), 401),
        ("south", SOUTH_PHONE, (HOME_HOOK.replace("demo", "south"), HOME_TOKEN, ACCOUNT), 401),
        ("demo", HOME_PHONE, (HOME_HOOK, SOUTH_TOKEN, ACCOUNT), 401),
        ("demo", SOUTH_PHONE, (SOUTH_HOOK, SOUTH_TOKEN, SOUTH_ACCOUNT), 401),
        # The right signature, and another's account or number.
        ("south", SOUTH_PHONE, (SOUTH_HOOK, SOUTH_TOKEN, ACCOUNT), 422),
        ("south", HOME_PHONE, (SOUTH_HOOK, SOUTH_TOKEN, SOUTH_ACCOUNT), 403),
    ],
)
def test_a_post_of_twilio_is_signed_by_the_organisations_own_account(
    site: Office, org: str, to: str, signed_by: tuple[str, str, str], status: int
) -> None:
    hook, token, account = signed_by
    fields = form("The tap drips", To=f"whatsapp:{to}", From="whatsapp:+447700900123", AccountSid=account)
    signed = twilio.signature(hook, fields, token)
    with site.client() as client:
        answer = client.post(f"/webhooks/twilio/{org}", data=fields, headers={"X-Twilio-Signature": signed})
    assert answer.status_code == status, answer.text


def posted_by_meta(site: Office, org: str, number: str, secret: str, at: datetime, *more: datetime) -> int:
    body: dict[str, Any] = {"object": "whatsapp_business_account", "entry": []}
    for sent in (at, *more):
        one = json.loads(whatsapp_post(f"wamid.{org}.{sent.timestamp()}", "The tap drips", sent))
        one["entry"][0]["changes"][0]["value"]["metadata"]["phone_number_id"] = number
        body["entry"] += one["entry"]
    raw = json.dumps(body).encode()
    with site.client() as client:
        headers = {"X-Hub-Signature-256": cloud.signature(secret, raw)}
        return client.post(f"/webhooks/whatsapp/{org}", content=raw, headers=headers).status_code


@pytest.mark.parametrize(
    ("org", "number", "secret", "status"),
    [
        ("south", SOUTH_NUMBER, SOUTH_APP, 200),
        ("south", SOUTH_NUMBER, HOME_APP, 401),
        ("demo", HOME_NUMBER, HOME_APP, 200),
        ("demo", HOME_NUMBER, SOUTH_APP, 401),
        ("demo", SOUTH_NUMBER, HOME_APP, 403),
        ("south", HOME_NUMBER, SOUTH_APP, 403),
    ],
)
def test_a_post_of_meta_is_signed_by_the_organisations_own_app(
    site: Office, org: str, number: str, secret: str, status: int
) -> None:
    assert posted_by_meta(site, org, number, secret, datetime.now(UTC)) == status


def test_a_message_older_than_a_day_is_taken_for_a_replay(site: Office) -> None:
    now = datetime.now(UTC)
    store = site.deps.store
    before = sum(len(store.inbounds(c.id)) for c in store.conversations())
    assert posted_by_meta(site, "demo", HOME_NUMBER, HOME_APP, now - timedelta(hours=25)) == 403
    assert posted_by_meta(site, "demo", HOME_NUMBER, HOME_APP, now + timedelta(hours=25)) == 403, "not from the future"
    assert sum(len(store.inbounds(c.id)) for c in store.conversations()) == before
    late = now - timedelta(hours=23)
    assert posted_by_meta(site, "demo", HOME_NUMBER, HOME_APP, late) == 200, "a late one is no replay"
    assert posted_by_meta(site, "demo", HOME_NUMBER, HOME_APP, late) == 200, "and is kept once"
    mixed = posted_by_meta(site, "demo", HOME_NUMBER, HOME_APP, now - timedelta(days=2), now)
    assert mixed == 200, "an old one costs its neighbours nothing"
    assert sum(len(store.inbounds(c.id)) for c in store.conversations()) == before + 2


@pytest.mark.parametrize(("hours", "age_h", "is_taken"), [(24, 23.9, True), (24, 24.1, False), (168, 160, True)])
def test_how_old_a_message_may_be_is_set(hours: int, age_h: float, is_taken: bool) -> None:
    now = datetime(2026, 3, 2, 12, tzinfo=UTC)
    raw = whatsapp_post("wamid.1", "The tap drips", now - timedelta(hours=age_h))
    settings = Settings(whatsapp_app_secret=HOME_APP, webhook_oldest_h=hours)
    received = cloud.read(raw, cloud.signature(HOME_APP, raw), settings, now)
    assert bool(received.inbounds) == is_taken
    assert [r.reason for r in received.refused] == ([] if is_taken else ["older than webhook_oldest_h"])


@pytest.mark.parametrize(
    "table",
    [
        {"south": {"twilio_auth_token": "x"}},
        {"south": {"twilio_account_sid": SOUTH_ACCOUNT}},
        {"south": {"database_url": "postgres://elsewhere"}},
        {"": {"whatsapp_app_secret": "x"}},
    ],
)
def test_accounts_that_make_no_sense_are_refused_at_start(table: dict[str, dict[str, str]]) -> None:
    with pytest.raises(SettingsError, match="org_channels") as refusal:
        load_settings(org_channels=table)
    assert "elsewhere" not in str(refusal.value)


def test_an_account_of_its_own_takes_nothing_of_the_common_one() -> None:
    south = settings_for(Settings(**SETTINGS), "south")
    assert (south.twilio_auth_token, south.twilio_template, south.whatsapp_token) == (SOUTH_TOKEN, "", "")
    assert settings_for(Settings(**SETTINGS), "demo").twilio_auth_token == HOME_TOKEN


def test_messages_go_by_the_organisations_own_account(site: Office) -> None:
    accepted = gives(b'{"sid": "SM' + b"0" * 32 + b'"}', "201 Created", kind="application/json")
    with scripted(accepted) as server:
        whole = Settings(**SETTINGS, twilio_api_url=server.url)
        for org, account, token in (("south", SOUTH_ACCOUNT, SOUTH_TOKEN), ("demo", ACCOUNT, HOME_TOKEN)):
            to = Conversation("c", ChannelIdentity(Via.TWILIO, "+447700900123"), SOUTH_PHONE, NOW, last_inbound_at=NOW)
            messenger = open_messengers(settings_for(whole, org), SystemClock())[Via.TWILIO]
            messenger.send(OutboxMessage("o1", "c", "t", OutboxKind.REPLY, "Hello.", NOW), to)
            signed = base64.b64encode(f"{account}:{token}".encode()).decode()
            asked = server.asked[-1]
            assert asked.headers["authorization"] == f"Basic {signed}"
            assert f"/Accounts/{account}/" in asked.path
    assert site.repairs.messenger_of("south") is not site.repairs.messenger_of("demo")
    assert site.repairs.messenger_of("east") is site.repairs.messenger_of("demo"), "it has none of its own"
    assert site.repairs.fetchers_of("south") is not site.repairs.fetchers_of("demo")
