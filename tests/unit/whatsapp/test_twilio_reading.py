"""What Twilio posts: signatures, messages, statuses, and what is broken or hostile."""

from __future__ import annotations

import hashlib

import pytest

from saidonce.errors import AccessError, UsageError
from saidonce.foundation.model.conversation import OutboxState
from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, Media, Via
from saidonce.foundation.settings.policy import Settings
from saidonce.repairs.channels import DeliveryStatus, twilio
from whatsapp_posts import ACCOUNT, HOOK, NOW, SETTINGS, SID, WA_ID, form, media_url, twilio_read

EXAMPLE = "https://mycompany.com/myapp.php?foo=1&bar=2"
EXAMPLE_FORM = {"CallSid": "CA1234567890ABCDE", "Caller": "+14158675309", "Digits": "1234", "From": "+14158675309",
                "To": "+18005551212"}  # fmt: skip
EXAMPLE_SIGNED = "RSOYDt4T1cUTdK1PDd93/VVr8B8="


def test_the_signature_of_twilios_own_example() -> None:
    assert twilio.signature(EXAMPLE, EXAMPLE_FORM, "12345") == EXAMPLE_SIGNED
    assert twilio.is_signed(EXAMPLE, EXAMPLE_FORM, EXAMPLE_SIGNED, "12345")
    assert twilio.is_signed(EXAMPLE, reversed(EXAMPLE_FORM.items()), EXAMPLE_SIGNED, "12345"), "in any order"


def test_a_port_in_the_address_may_be_left_out_of_the_signature() -> None:
    for url in (EXAMPLE.replace(".com/", ".com:443/"), EXAMPLE):
        for signed in (EXAMPLE, EXAMPLE.replace(".com/", ".com:443/")):
            assert twilio.is_signed(url, {"a": "b"}, twilio.signature(signed, {"a": "b"}, "t"), "t")
    for other in ("https://mycompany.com:444/myapp.php", "http://mycompany.com/myapp.php", "https://m@mycompany.com/x"):
        assert not twilio.is_signed(other, {"a": "b"}, twilio.signature(EXAMPLE, {"a": "b"}, "t"), "t")


def test_a_body_that_is_no_form_is_signed_by_its_hash() -> None:
    body = b'{"property": "value", "boolean": true}'
    url = f"{HOOK}?bodySHA256={hashlib.sha256(body).hexdigest()}"
    signed = twilio.signature(url, {}, "t")
    assert twilio.is_signed(url, {}, signed, "t", body)
    assert not twilio.is_signed(url, {}, signed, "t", body + b" ")
    assert not twilio.is_signed(HOOK, {}, twilio.signature(HOOK, {}, "t"), "t", body), (
        "without a hash nothing is signed"
    )
    assert not twilio.is_signed(url, {}, signed, "another", body)


def test_names_that_come_twice_are_signed_once_a_value() -> None:
    twice = [("a", "2"), ("a", "1"), ("a", "2")]
    assert twilio.signature("u", twice, "t") == twilio.signature("u", [("a", "1"), ("a", "2")], "t")


@pytest.mark.parametrize("signed", ["", "x", EXAMPLE_SIGNED, "é", "\ud800"])
def test_a_wrong_signature_is_refused(signed: str) -> None:
    with pytest.raises(AccessError):
        twilio.read(HOOK, form(), signed, SETTINGS, NOW)


def test_an_altered_form_address_or_missing_token_is_refused() -> None:
    signed = twilio.signature(HOOK, form(), SETTINGS.twilio_auth_token)
    for url, fields, settings in [
        (HOOK, form("another"), SETTINGS), (HOOK, form(Extra="1"), SETTINGS), (HOOK + "?a=b", form(), SETTINGS),
        (HOOK, form(), Settings()),
    ]:  # fmt: skip
        with pytest.raises(AccessError):
            twilio.read(url, fields, signed, settings, NOW)
    with pytest.raises(AccessError):
        twilio.read(HOOK, form(), twilio.signature(HOOK, form(), ""), Settings(), NOW)


def test_a_text() -> None:
    assert twilio_read(form()).inbounds == (
        Inbound(
            ChannelIdentity(Via.TWILIO, f"+{WA_ID}", f"+{WA_ID}"), "+14155238886", SID, InboundKind.TEXT, NOW, NOW,
            "my tap drips",
        ),
    )  # fmt: skip


def test_a_sender_without_a_phone() -> None:
    hidden = twilio_read(form(From="whatsapp:GB.134912086553")).inbounds[0]
    assert hidden.sender == ChannelIdentity(Via.TWILIO, "GB.134912086553", None)


def test_an_album_is_one_message_with_several_files() -> None:
    files = {f"MediaUrl{n}": media_url(n) for n in range(3)} | {f"MediaContentType{n}": "image/jpeg" for n in range(3)}
    said = twilio_read(form("", NumMedia="3", **files)).inbounds[0]
    assert said.kind is InboundKind.MEDIA
    assert said.media == tuple(Media(f"{SID}/ME{n:032x}", "image/jpeg") for n in range(3))


@pytest.mark.parametrize(
    "url",
    ["", "http://169.254.169.254/latest/meta-data", f"https://api.twilio.com/2010-04-01/Accounts/AC{'b' * 32}/Messages/"
     f"{SID}/Media/ME{'0' * 32}", media_url() + "/../../../secret", media_url().replace("/ME", "/..%2f"), "http://["],
)  # fmt: skip
def test_a_file_that_lies_elsewhere_is_refused_with_the_reason_and_never_called(url: str) -> None:
    found = twilio_read(form("", NumMedia="1", MediaUrl0=url, MediaContentType0="image/jpeg"))
    assert found.inbounds[0].kind is InboundKind.UNSUPPORTED, "its sender is told"
    assert [r.reason for r in found.refused] == ["file 0: its address is not one of our account"]


def test_only_the_path_of_an_address_is_used() -> None:
    assert twilio.media_id(media_url().replace("api.twilio.com", "evil.example.com"), ACCOUNT) == f"{SID}/ME{'0' * 32}"


def test_more_files_than_a_message_has_are_refused_with_the_reason() -> None:
    files = {f"MediaUrl{n}": media_url(n) for n in range(12)}
    found = twilio_read(form("", NumMedia="12", **files))
    assert len(found.inbounds[0].media) == 10
    assert [r.reason for r in found.refused] == ["2 files beyond 10"]
    for said in ("-1", "ten", "99999999999", "٣", ""):
        assert twilio_read(form(NumMedia=said)).inbounds[0].kind is InboundKind.TEXT


def test_buttons_lists_and_places() -> None:
    pressed = twilio_read(form("No photo", ButtonPayload="photo:none", ButtonText="No photo")).inbounds[0]
    assert (pressed.kind, pressed.button, pressed.text) == (InboundKind.BUTTON, "photo:none", "")
    row = twilio_read(form("Flat 2", ListId="identity:pick:1", ListTitle="Flat 2")).inbounds[0]
    assert (row.kind, row.button) == (InboundKind.BUTTON, "identity:pick:1")
    place = {"Latitude": "51.5", "Longitude": "-0.12", "Label": "Home", "Address": "12 Elm Road"}
    assert twilio_read(form("", **place)).inbounds[0].text == "Location: Home, 12 Elm Road (51.5, -0.12)"
    assert twilio_read(form("  ")).inbounds[0].kind is InboundKind.UNSUPPORTED


@pytest.mark.parametrize(
    ("said", "state"),
    [("sent", OutboxState.SENT), ("delivered", OutboxState.DELIVERED), ("read", OutboxState.READ),
     ("failed", OutboxState.FAILED), ("undelivered", OutboxState.FAILED), ("canceled", OutboxState.FAILED)],
)  # fmt: skip
def test_statuses_come_back_by_our_own_address(said: str, state: OutboxState) -> None:
    url = twilio.callback_url(SETTINGS, "o1")
    code = "63016" if state is OutboxState.FAILED else ""
    fields = form(MessageStatus=said, From="whatsapp:+14155238886", To=f"whatsapp:+{WA_ID}", ErrorCode=code)
    assert twilio_read(fields, url).statuses == (DeliveryStatus("o1", state, SID, code),)
    assert twilio_read(fields).refused[0].reason == f"status {state} of a message that is not ours"


def test_a_status_that_says_nothing_new_is_reported() -> None:
    found = twilio_read(form(MessageStatus="queued"), twilio.callback_url(SETTINGS, "o1"))
    assert found.statuses == ()
    assert [r.reason for r in found.refused] == ["status 'queued' says nothing new"]


def test_the_callback_keeps_what_stands_in_the_setting() -> None:
    settings = SETTINGS.model_copy(update={"twilio_webhook_url": f"{HOOK}?org=north&a="})
    assert twilio.callback_url(settings, "a b&c") == f"{HOOK}?org=north&a=&outbox=a+b%26c"
    assert twilio.webhook_url(settings, "org=north&a=") == f"{HOOK}?org=north&a="
    assert twilio.webhook_url(settings, "") == HOOK
    assert twilio.callback_url(Settings(), "o1") == ""


@pytest.mark.parametrize(
    "change",
    [{"AccountSid": "AC" + "b" * 32}, {"MessageSid": "", "SmsMessageSid": ""}, {"MessageSid": "../x"},
     {"From": "+447700900123"}, {"To": "+14155238886"}, {"From": ""}],
)  # fmt: skip
def test_a_form_that_is_not_about_our_whatsapp_is_refused(change: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        twilio_read(form(**change))


def test_a_sender_that_could_not_be_answered_is_reported() -> None:
    assert [r.reason for r in twilio_read(form(From="whatsapp:a b")).refused] == ["no sender"]


def test_a_form_without_end_is_refused() -> None:
    with pytest.raises(UsageError):
        twilio_read(form(**{f"x{n}": "" for n in range(500)}))
