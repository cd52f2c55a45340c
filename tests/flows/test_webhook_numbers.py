"""What was signed for one organisation is refused at another's address; the number says whose it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from repairs_site import Office, office
from saidonce.errors import SettingsError
from saidonce.foundation.settings.policy import load_settings
from saidonce.repairs.channels import cloud, twilio
from saidonce.repairs.demo import whatsapp_post
from whatsapp_posts import ACCOUNT, form

APP_SECRET, TOKEN = "app-s3cret", "twilio-s3cret"
OWN, OTHERS, NOBODYS = "100000000000001", "100000000000009", "100000000000005"
OWN_PHONE, OTHERS_PHONE = "+14155238886", "+14155230009"
HOOK = "https://desk.example.com/webhooks/twilio/demo"
SETTINGS = {
    "whatsapp_app_secret": APP_SECRET, "whatsapp_verify_token": "verify", "twilio_account_sid": ACCOUNT,
    "twilio_auth_token": TOKEN, "twilio_webhook_url": HOOK, "sms_webhook_url": HOOK.replace("twilio", "sms"),
    "channel_numbers": f"south={OTHERS}, south={OTHERS_PHONE}",
}  # fmt: skip


@pytest.fixture(scope="module")
def site() -> Iterator[Office]:
    with office(settings=SETTINGS) as running:
        kept = running.repairs.has
        running.repairs.has = lambda org: org in {"south", "west"} or kept(org)  # type: ignore[method-assign]
        yield running


def posted(site: Office, org: str, *numbers: str, id: str = "wamid.1") -> int:
    """Post a message to each of the numbers, signed as Meta does; gives the answer's status."""
    body: dict[str, Any] = {"object": "whatsapp_business_account", "entry": []}
    for place, number in enumerate(numbers):
        one = json.loads(whatsapp_post(f"{id}.{org}.{place}", "The tap drips", datetime.now(UTC)))
        one["entry"][0]["changes"][0]["value"]["metadata"]["phone_number_id"] = number
        body["entry"] += one["entry"]
    raw = json.dumps(body).encode()
    with site.client() as client:
        signed = {"X-Hub-Signature-256": cloud.signature(APP_SECRET, raw)}
        return client.post(f"/webhooks/whatsapp/{org}", content=raw, headers=signed).status_code


@pytest.mark.parametrize(
    ("org", "numbers", "status"),
    [
        ("demo", [OWN], 200),
        ("demo", [NOBODYS], 200),
        ("demo", [OTHERS], 403),
        ("demo", [OWN, OTHERS], 200),
        ("south", [OTHERS], 200),
        ("south", [OWN], 403),
        ("south", [NOBODYS], 403),
        ("south", [OWN, NOBODYS], 403),
        ("west", [OWN], 403),
        ("west", [OTHERS], 403),
    ],
)
def test_a_post_of_meta_is_taken_where_its_number_belongs(
    site: Office, org: str, numbers: list[str], status: int
) -> None:
    name = f"wamid.{org}.{'-'.join(numbers)}:"  # the end marks it: no name begins another
    assert posted(site, org, *numbers, id=name) == status
    store = site.repairs.deps(org).store
    kept = [i.number_id for c in store.conversations() for i in store.inbounds(c.id) if i.message_id.startswith(name)]
    theirs = {"demo": {OWN, NOBODYS}, "south": {OTHERS}, "west": set()}[org]
    assert kept == [number for number in numbers if number in theirs]


@pytest.mark.parametrize(
    ("org", "signed_for", "to", "status"),
    [
        ("demo", "demo", OWN_PHONE, 200),
        ("south", "south", OTHERS_PHONE, 200),
        ("south", "demo", OWN_PHONE, 401),
        ("south", "demo", OTHERS_PHONE, 401),
        ("demo", "south", OTHERS_PHONE, 401),
        ("south", "south", OWN_PHONE, 403),
        ("demo", "demo", OTHERS_PHONE, 403),
        ("west", "west", OWN_PHONE, 403),
    ],
)
@pytest.mark.parametrize("channel", ["twilio", "twilio status", "sms", "sms status"])
def test_a_post_of_twilio_is_taken_where_address_and_number_belong(
    site: Office, org: str, signed_for: str, to: str, status: int, channel: str
) -> None:
    prefix = "whatsapp:" if channel.startswith("twilio") else ""
    fields = form("The tap drips", To=f"{prefix}{to}", From=f"{prefix}+447700900123")
    channel, _, is_status = channel.partition(" ")
    if is_status:
        fields = {**fields, "From": fields["To"], "To": fields["From"], "MessageStatus": "delivered"}
    signed = twilio.signature(HOOK.replace("demo", signed_for).replace("twilio", channel), fields, TOKEN)
    with site.client() as client:
        answer = client.post(f"/webhooks/{channel}/{org}", data=fields, headers={"X-Twilio-Signature": signed})
    assert answer.status_code == status


def test_an_address_of_no_channel_takes_nothing(site: Office) -> None:
    with site.client() as client:
        assert client.post("/webhooks/pigeon/demo", data={"Body": "hi"}).status_code == 404
        assert client.get("/webhooks/pigeon/demo").status_code == 404
        assert client.get("/webhooks/sms/demo").status_code == 422, "Twilio asks for no handshake"


@pytest.mark.parametrize(
    "written", ["south", "south=", "=123456", "south=abc", "south=123456,west=123456", "south=+0123", "a=1,,"]
)
def test_numbers_that_make_no_sense_are_refused_at_start(written: str) -> None:
    with pytest.raises(SettingsError, match="channel_numbers"):
        load_settings(channel_numbers=written)
