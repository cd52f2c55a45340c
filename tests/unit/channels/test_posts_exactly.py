"""Posts of channels to the letter: what a refusal says, which number and which moment decide, edges of every limit."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from saidonce.errors import AccessError, UsageError
from saidonce.foundation.model.conversation import OutboxState
from saidonce.foundation.model.residents import InboundKind, Media
from saidonce.foundation.settings.policy import Settings
from saidonce.repairs.channels import DeliveryStatus, Received, cloud, twilio
from saidonce.repairs.channels.received import MAX_BODY, MAX_TEXT, NOT_YET, NUMBER_OF_ANOTHER, TOO_OLD, NotTaken
from whatsapp_posts import (
    ACCOUNT,
    HOOK,
    NOW,
    NUMBER,
    SETTINGS,
    SID,
    STAMP,
    form,
    media_url,
    message,
    post,
    read,
    text,
    twilio_read,
    value,
)

HANDSHAKE = {"hub.mode": "subscribe", "hub.verify_token": "verify-me", "hub.challenge": "1158201444"}
NO_SIGNATURE = "not allowed: the signature is missing or wrong; needed: "
NO_HANDSHAKE = "a handshake has hub.mode=subscribe and a hub.challenge of letters and digits"
NO_POST = "the body is no post of the Cloud API: no JSON object with object and entry"


def refusal(act: Callable[[], Any], kind: type[Exception]) -> str:
    """The words of the refusal, which is of just this kind."""
    with pytest.raises(kind) as refused:
        act()
    assert type(refused.value) is kind
    assert refused.value.__cause__ is None or isinstance(refused.value.__cause__, ValueError)
    if isinstance(refused.value, AccessError):
        assert refused.value.is_known is False
    return str(refused.value)


def signed_read(body: bytes, **more: Any) -> Received:
    """Read signed bytes of Meta's."""
    return cloud.read(body, cloud.signature(SETTINGS.whatsapp_app_secret, body), SETTINGS, NOW, **more)


# Meta.


@pytest.mark.parametrize("without", HANDSHAKE)
def test_a_handshake_without_a_part_says_what_is_missing(without: str) -> None:
    asked = {name: value for name, value in HANDSHAKE.items() if name != without}
    is_token = without == "hub.verify_token"
    said = refusal(lambda: cloud.challenge(asked, SETTINGS), AccessError if is_token else UsageError)
    no_token = "not allowed: the verify token is missing or another; needed: the verify token"
    assert said == (no_token if is_token else NO_HANDSHAKE)


@pytest.mark.parametrize("challenge", ["x" * 200, "a-b_C9"])
def test_a_challenge_of_its_letters_and_length_is_sent_back(challenge: str) -> None:
    assert cloud.challenge({**HANDSHAKE, "hub.challenge": challenge}, SETTINGS) == challenge
    longer = {**HANDSHAKE, "hub.challenge": challenge.ljust(201, "y")}
    assert refusal(lambda: cloud.challenge(longer, SETTINGS), UsageError) == NO_HANDSHAKE


def test_a_post_of_meta_without_its_signature_says_what_is_needed() -> None:
    body = json.dumps(post(value([text("x")]))).encode()
    for signed in ("", "sha256=", cloud.signature("another", body), cloud.signature("app-s3cret", body)[7:]):
        said = refusal(lambda signed=signed: cloud.read(body, signed, SETTINGS, NOW), AccessError)  # type: ignore[misc]
        assert said == NO_SIGNATURE + "a signature by the app secret"


@pytest.mark.parametrize("signed", ["\ud800", "sha256=\udfff", "ä"])
def test_a_signature_of_no_characters_is_a_wrong_one(signed: str) -> None:
    body = json.dumps(post(value([text("x")]))).encode()
    said = refusal(lambda: cloud.read(body, signed, SETTINGS, NOW), AccessError)
    assert said == NO_SIGNATURE + "a signature by the app secret"


def test_a_token_that_did_not_come_is_no_token_whatever_ours_is() -> None:
    without = {name: value for name, value in HANDSHAKE.items() if name != "hub.verify_token"}
    for ours in ("XXXX", "None", "verify-me"):
        settings = SETTINGS.model_copy(update={"whatsapp_verify_token": ours})
        refusal(lambda settings=settings: cloud.challenge(without, settings), AccessError)  # type: ignore[misc]


def test_the_largest_post_is_read_and_one_byte_more_is_not() -> None:
    body = json.dumps(post(value([text("x")]))).encode()
    assert len(signed_read(body.ljust(MAX_BODY)).inbounds) == 1
    said = refusal(lambda: signed_read(body.ljust(MAX_BODY + 1)), UsageError)
    assert said == "a post of 4000001 bytes; at most 4000000 are read"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"{", NO_POST), (b"[]", NO_POST), (b"[" * 100_000, NO_POST),
        (b'{"object": "page", "entry": []}', "a post about 'page'; this webhook is for whatsapp_business_account"),
        (json.dumps({"object": "p" * 41, "entry": []}).encode(),
         f"a post about '{'p' * 40}'; this webhook is for whatsapp_business_account"),
    ],
)  # fmt: skip
def test_what_is_no_post_of_meta_says_why(body: bytes, words: str) -> None:
    assert refusal(lambda: signed_read(body), UsageError) == words


def test_a_number_of_ours_is_taken_and_every_other_is_named() -> None:
    body = post(value([text("x")]))
    taken = ("", NUMBER)
    for only in ("", NUMBER, "1", "2"):
        for named in ("", f"south={NUMBER}"):
            settings = SETTINGS.model_copy(update={"whatsapp_phone_number_id": only, "channel_numbers": named})
            found = read(body, settings)
            is_ours = only in taken or bool(named)
            assert len(found.inbounds) == is_ours, (only, named)
            assert found.refused == (() if is_ours else (NotTaken("", f"other number '{NUMBER}'"),))
    long = post({**value([text("x")]), "metadata": {"phone_number_id": "7" * 41}})
    settings = SETTINGS.model_copy(update={"whatsapp_phone_number_id": "1"})
    assert read(long, settings).refused == (NotTaken("", f"other number '{'7' * 40}'"),)


def test_a_number_of_another_organisation_takes_nothing_of_meta() -> None:
    body = json.dumps(post(value([text("x")]), value([text("y", "wamid.2")]))).encode()
    asked: list[str] = []
    found = signed_read(body, is_foreign=lambda number: asked.append(number) or True)  # type: ignore[func-returns-value]
    assert (found.inbounds, found.refused) == ((), 2 * (NotTaken("", NUMBER_OF_ANOTHER),))
    assert asked == [NUMBER, NUMBER]


def test_what_is_too_old_or_of_the_future_is_not_taken_and_the_rest_is() -> None:
    old, ahead = NOW - timedelta(hours=SETTINGS.webhook_oldest_h, seconds=60), NOW + timedelta(hours=1)
    stamps = {"m1": old, "m2": ahead}
    sent = [{**text("x", id_), "timestamp": str(int(at.timestamp()))} for id_, at in stamps.items()]
    found = read(post(value([*sent, text("y", "m3")])))
    assert found.refused == (NotTaken("m1", TOO_OLD), NotTaken("m2", NOT_YET))
    assert [i.message_id for i in found.inbounds] == ["m3"]


def test_the_order_of_a_post_is_kept_and_nothing_ends_it_early() -> None:
    body = post(value([text("a", "m1")]))
    good = body["entry"][0]
    changes = [
        None, 7, {}, {"field": 3}, {"field": "messages"}, {"field": "messages", "value": None},
        {"field": "flows", "value": 1}, {"field": "f" * 41, "value": {}},
        {"field": "flows", "value": value([text("b", "m2")])}, good["changes"][0],
    ]  # fmt: skip
    entries = [None, {"changes": 1}, {"changes": changes}, {"changes": []}, good]
    found = read({**body, "entry": entries})
    assert [r.reason for r in found.refused] == [
        "malformed entry", "malformed entry", *6 * ["malformed change"], "other field 'flows'",
        f"other field '{'f' * 40}'", "other field 'flows'",
    ]  # fmt: skip
    assert {r.id for r in found.refused} == {""}
    assert [i.message_id for i in found.inbounds] == ["m1", "m1"]


def test_a_message_that_cannot_be_read_is_named_by_an_id_that_is_one() -> None:
    broken = [{**text("x", "m1"), "timestamp": "soon"}, {**text("x"), "id": "a\nb"}, {**text("x"), "id": 7}, None]
    refused = read(post(value(broken))).refused
    assert [r.id for r in refused] == ["m1", "", "", ""]
    assert all(r.reason for r in refused)


def test_errors_of_the_account_are_reported_each() -> None:
    found = read(post(value([text("x")], errors=[{"code": 1}, "?"])))
    assert found.refused == 2 * (NotTaken("", "error of the account"),)
    assert len(found.inbounds) == 1


def test_states_of_our_messages_to_the_letter() -> None:
    def status(word: str, **more: Any) -> dict[str, Any]:
        return {"id": "wamid.9", "status": word, "timestamp": STAMP, "biz_opaque_callback_data": "o1", **more}

    errors = [{"code": 131026}, {"code": 470}]
    rows = [status("played"), status("failed", errors=errors), status("s" * 41), {"id": "y"}, {"id": "a b"}, None,
            status("read", biz_opaque_callback_data=""), status("read", biz_opaque_callback_data="ä")]  # fmt: skip
    found = read(post(value(statuses=rows)))
    assert found.statuses == (
        DeliveryStatus("o1", OutboxState.READ, "wamid.9", ""),
        DeliveryStatus("o1", OutboxState.FAILED, "wamid.9", "131026,470"),
    )
    not_ours = NotTaken("wamid.9", "status read of a message that is not ours")
    assert found.refused == (
        NotTaken("wamid.9", f"unknown status '{'s' * 40}'"), NotTaken("y", "malformed status"),
        NotTaken("", "malformed status"), NotTaken("", "malformed status"), not_ours, not_ours,
    )  # fmt: skip


def test_halves_of_characters_are_replaced_wherever_they_stand_and_nulls_left_out() -> None:
    raw = json.dumps(post(value([{**text("a\ud83d\udcade \ud83d"), "\ud83d": ["\udca7"], "caption": None}]))).encode()
    assert signed_read(raw).inbounds[0].text == "a\U0001f4ade \ufffd"
    assert cloud._scrubbed({"a\ud800": ["b\udfff", None, {"c": None, "d": 1}], "e": None}) == {
        "a\ufffd": ["b\ufffd", None, {"d": 1}]
    }
    assert cloud._scrubbed("é") == "é"


def test_contacts_that_are_none_do_no_harm() -> None:
    mine = value()["contacts"][0]
    lost = {"id": "m", "timestamp": STAMP, "type": "text", "text": {"body": "hello"}}
    assert read(post(value([message("text", {"body": "x"})], contacts=[None, 7, mine]))).inbounds
    assert read(post(value([lost], contacts=[None, 7]))).refused == (NotTaken("m", "no sender"),)


# Twilio.


def test_the_parts_of_a_signature_are_joined_in_order_with_nothing_between() -> None:
    in_any_order = [("b", "2"), ("a", "ä"), ("b", "1"), ("a", "\ud800")]
    assert twilio.signature("https://u", in_any_order, "t") == twilio.signature("https://uaäa\ud800b1b2", {}, "t")


def test_a_body_that_is_no_form_needs_the_right_hash_and_no_fields() -> None:
    body = b'{"a": 1}'
    hashed = hashlib.sha256(body).hexdigest()
    other = hashlib.sha256(b"x").hexdigest()
    for query, is_right in {
        f"bodySHA256={hashed}": True, f"bodySHA256={hashed.upper()}": True, f"a=1&bodySHA256={hashed}": True,
        f"bodySHA256={other}": False, "bodySHA256=": False, f"bodysha256={hashed}": False,
        f"bodySHA256={other}&bodySHA256={hashed}": False, f"bodySHA256={hashed}&bodySHA256={other}": True,
    }.items():  # fmt: skip
        url = f"{HOOK}?{query}"
        assert twilio.is_signed(url, {"a": "b"}, twilio.signature(url, {}, "t"), "t", body) is is_right, query
        assert not twilio.is_signed(url, {"a": "b"}, twilio.signature(url, {"a": "b"}, "t"), "t", body)


@pytest.mark.parametrize(
    ("url", "signed", "is_right"),
    [
        ("https://h/x", "https://h:443/x", True), ("https://h:443/x", "https://h/x", True),
        ("http://h/x", "http://h:80/x", True), ("http://h/x", "http://h:443/x", False),
        ("https://h/x", "https://h:80/x", False), ("https://h:8443/x", "https://h/x", True),
        ("https://h:8443/x", "https://h:8443/x", True), ("https://h:8443/x", "https://h:443/x", False),
        ("https://[::1]:8443/x", "https://[::1]/x", True), ("https://[::1]/x", "https://[::1]:443/x", True),
        ("https://u@h/x", "https://u@h/x", True), ("https://u@h/x", "https://u@h:443/x", False),
        ("https://h:bad/x", "https://h:bad/x", True), ("https://h:bad/x", "https://h/x", False),
        ("/x", "/x", True), ("//h/x//h/y", "//h:80/x//h/y", True), ("//h/x//h/y", "//h:80/x//h:80/y", False),
    ],
)  # fmt: skip
def test_the_address_is_signed_with_or_without_its_port(url: str, signed: str, is_right: bool) -> None:
    assert twilio.is_signed(url, {"a": "b"}, twilio.signature(signed, {"a": "b"}, "t"), "t") is is_right


@pytest.mark.parametrize(
    ("setting", "channel", "org", "address"),
    [
        ("https://d/webhooks/twilio/north", "twilio", "south", "https://d/webhooks/twilio/south"),
        (" https://d/webhooks/twilio/north?a=b ", "twilio", "s/ü", "https://d/webhooks/twilio/s/%C3%BC?a=b"),
        ("https://d/webhooks/sms/north", "twilio", "south", "https://d/webhooks/sms/north"),
        ("https://d/webhooks/twilio/north", "twilio", "", "https://d/webhooks/twilio/north"),
        ("https://d/webhooks/twilio/", "twilio", "south", "https://d/webhooks/twilio/"),
        ("https://d/channels/twilio", "twilio", "south", "https://d/channels/twilio"),
        ("", "twilio", "south", ""), ("?a", "twilio", "south", "?a"),
    ],
)  # fmt: skip
def test_an_organisation_has_its_own_address(setting: str, channel: str, org: str, address: str) -> None:
    assert twilio.own_address(setting, channel, org) == address


def test_addresses_by_organisation_and_number() -> None:
    hook = "https://d/webhooks/twilio/north"
    settings = SETTINGS.model_copy(
        update={"twilio_webhook_url": hook, "channel_numbers": "south=+14155230009, north=+14155238886"}
    )
    assert twilio.webhook_url(settings, "a=b") == f"{hook}?a=b"
    assert twilio.webhook_url(settings, "", "south") == "https://d/webhooks/twilio/south"
    assert twilio.callback_url(settings, "o1", "+14155230009") == "https://d/webhooks/twilio/south?outbox=o1"
    assert twilio.callback_url(settings, "o1", "+1") == f"{hook}?outbox=o1"
    assert twilio.callback_url(settings, "o1") == f"{hook}?outbox=o1"
    assert (twilio.org_of(settings, "+14155230009"), twilio.org_of(settings, "+1")) == ("south", "")


def test_the_fields_of_a_form() -> None:
    assert twilio.form_of(b"a=&b=%C3%A4&b=2") == [("a", ""), ("b", "ä"), ("b", "2")]
    most = "&".join(f"x{n}=" for n in range(1_000)).encode()
    assert len(twilio.form_of(most)) == 1_000
    for body in (most + b"&y=", b"\xff"):
        assert refusal(lambda body=body: twilio.form_of(body), UsageError) == "the body is no form"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"AccountSid": "AC" + "b" * 32}, "the post is about another account"),
        ({"MessageSid": "", "SmsMessageSid": ""}, "the post names no MessageSid"),
        ({"MessageSid": "SM" + "g" * 32}, "the post names no MessageSid"),
        ({"From": "+447700900123"}, "the post is not about WhatsApp"),
        ({"To": "+14155238886"}, "the post is not about WhatsApp"),
    ],
)
def test_what_is_no_post_of_twilio_says_why(change: dict[str, str], words: str) -> None:
    assert refusal(lambda: twilio_read(form(**change)), UsageError) == words


@pytest.mark.parametrize("without", ["From", "To", "AccountSid", "MessageSid"])
def test_a_form_without_a_field(without: str) -> None:
    fields = {name: value for name, value in form().items() if name != without}
    if without == "MessageSid":
        assert [i.message_id for i in twilio_read(fields).inbounds] == [SID], "an older name of it is there"
        return
    what = "about another account" if without == "AccountSid" else "not about WhatsApp"
    assert refusal(lambda: twilio_read(fields), UsageError) == f"the post is {what}"


def test_an_account_is_asked_for_only_where_one_is_set() -> None:
    anybody = SETTINGS.model_copy(update={"twilio_account_sid": ""})
    assert twilio_read(form(AccountSid="AC" + "b" * 32), settings=anybody).inbounds
    bare = {name: value for name, value in form().items() if name not in ("MessageSid", "SmsMessageSid")}
    assert refusal(lambda: twilio_read(bare), UsageError) == "the post names no MessageSid"


def test_a_form_without_its_signature_says_what_is_needed() -> None:
    said = refusal(lambda: twilio.read(HOOK, form(), "x", SETTINGS, NOW), AccessError)
    assert said == NO_SIGNATURE + "a signature by the auth token"


def test_the_largest_form_is_read_and_one_field_more_is_not() -> None:
    n = 500 - len(form())
    assert twilio_read(form(**{f"x{i}": "" for i in range(n)})).inbounds
    said = refusal(lambda: twilio_read(form(**{f"x{i}": "" for i in range(n + 1)})), UsageError)
    assert said == "a form of 501 fields; at most 500 are read"


@pytest.mark.parametrize("fields", [form(), form(MessageStatus="read", From="whatsapp:+14155238886", To="whatsapp:+1")])
def test_a_number_of_another_organisation_takes_nothing_of_twilio(fields: dict[str, str]) -> None:
    signed = twilio.signature(HOOK, fields, SETTINGS.twilio_auth_token)
    asked: list[str] = []
    found = twilio.read(HOOK, fields, signed, SETTINGS, NOW, lambda number: asked.append(number) or True)  # type: ignore[func-returns-value]
    assert found == Received(refused=(NotTaken(SID, NUMBER_OF_ANOTHER),))
    assert asked == ["+14155238886"], "our own number, not the resident's"


def test_a_state_of_twilio_to_the_letter() -> None:
    def status(word: str, url: str, **more: str) -> Received:
        return twilio.status_of(url, {"MessageStatus": word, **more}, SID)

    ours, theirs = f"{HOOK}?a=1&outbox=o1&outbox=o2", f"{HOOK}?outbox=a%20b"
    assert status("failed", ours, ErrorCode="63016") == Received(
        statuses=(DeliveryStatus("o1", OutboxState.FAILED, SID, "63016"),)
    )
    for code in ({}, {"ErrorCode": "12a"}, {"ErrorCode": ""}):
        assert status("read", ours, **code).statuses == (DeliveryStatus("o1", OutboxState.READ, SID, ""),)
    for url in (theirs, HOOK):
        found = status("sent", url)
        assert found == Received(refused=(NotTaken(SID, "status sent of a message that is not ours"),))
    assert status("q" * 41, ours) == Received(refused=(NotTaken(SID, f"status '{'q' * 40}' says nothing new"),))


@pytest.mark.parametrize("change", [{"From": "whatsapp:a b"}, {"To": "whatsapp:"}, {"From": "whatsapp:" + "9" * 513}])
def test_who_cannot_be_answered_by_twilio_is_named(change: dict[str, str]) -> None:
    assert twilio_read(form(**change)) == Received(refused=(NotTaken(SID, "no sender"),))


def test_a_number_with_its_plus_alone_is_a_phone() -> None:
    for sender, phone in {"+447700900123": "+447700900123", "447700900123": None, "US.1349": None}.items():
        (inbound,) = twilio_read(form("hello", From=f"whatsapp:{sender}")).inbounds
        assert (inbound.sender.external_user_id, inbound.sender.phone) == (sender, phone)


def test_a_file_that_is_not_taken_is_named_by_its_message() -> None:
    strange = form("look", NumMedia="1", MediaUrl0="https://elsewhere/x.jpg")
    missing = NotTaken(SID, "file 0: its address is not one of our account")
    assert twilio_read(strange).refused == (missing,)
    of_nobody = media_url(0).replace(ACCOUNT, "XXXX")
    assert twilio.media_of({"NumMedia": "1", "MediaUrl0": of_nobody}, SID) == ((), (missing,))


def test_a_message_of_twilio_is_kept_up_to_its_limits() -> None:
    (long,) = twilio_read(form("x" * (MAX_TEXT + 1))).inbounds
    assert len(long.text) == MAX_TEXT
    (pressed,) = twilio_read(form("Body", ButtonPayload="p" * 201)).inbounds
    assert (pressed.button, pressed.text, pressed.kind) == ("p" * 200, "", InboundKind.BUTTON)
    bare = {name: value for name, value in form().items() if name not in ("Body", "NumMedia")}
    (empty,) = twilio_read(bare).inbounds
    assert (empty.text, empty.kind, empty.media) == ("", InboundKind.UNSUPPORTED, ())


@pytest.mark.parametrize(
    ("body", "place", "words"),
    [
        ("", {"Latitude": "1", "Longitude": "2"}, "Location: (1, 2)"),
        ("  ", {"Latitude": "1", "Longitude": "2", "Label": " Home "}, "Location: Home (1, 2)"),
        ("here", {"Latitude": "1", "Longitude": "2", "Address": " 4 Elm "}, "here\nLocation: 4 Elm (1, 2)"),
        ("here", {"Latitude": "1"}, "here"), ("here", {"Longitude": "2"}, "here"),
    ],
)  # fmt: skip
def test_a_place_becomes_words(body: str, place: dict[str, str], words: str) -> None:
    assert twilio_read(form(body, **place)).inbounds[0].text == words


def test_the_files_of_a_message_to_the_letter() -> None:
    files = {f"MediaUrl{n}": media_url(n) for n in range(11)}
    mimes = {"MediaContentType0": " Image/JPEG ; q=1", "MediaContentType2": "x" * 101}
    media, refused = twilio.media_of({"AccountSid": ACCOUNT, "NumMedia": "3", **files, **mimes}, SID)
    assert media == tuple(Media(f"{SID}/ME{n:032x}", mime) for n, mime in enumerate(("image/jpeg", "", "x" * 100)))
    assert refused == ()
    for n, beyond in ((10, None), (11, 1), (999, 989)):
        media, refused = twilio.media_of({"AccountSid": ACCOUNT, "NumMedia": str(n), **files}, SID)
        assert len(media) == 10
        assert refused == (() if beyond is None else (NotTaken(SID, f"{beyond} files beyond 10"),))
    for said in ("1000", "٣", "-1", "+1", "1.0", " 1"):
        assert twilio.media_of({"AccountSid": ACCOUNT, "NumMedia": said, **files}, SID) == ((), ()), said
    assert twilio.media_of({"AccountSid": ACCOUNT, **files}, SID) == ((), ())
    missing = NotTaken(SID, "file 0: its address is not one of our account")
    assert twilio.media_of({"NumMedia": "1", **files}, SID) == ((), (missing,))
    assert twilio.media_of({"AccountSid": ACCOUNT, "NumMedia": "1"}, SID) == ((), (missing,))


@pytest.mark.parametrize(
    "change",
    [
        ("/2010-04-01/", "/2010-04-02/"),
        (ACCOUNT, ACCOUNT[:-1]),
        (SID, "SM1"),
        ("ME" + "0" * 32, "ME"),
        ("/Media/", "/M/"),
    ],
)
def test_the_path_of_a_file_has_all_its_parts(change: tuple[str, str]) -> None:
    assert twilio.media_id(media_url(), ACCOUNT) == f"{SID}/ME{'0' * 32}"
    assert twilio.media_id(media_url().replace(*change), ACCOUNT) == ""


def test_nothing_is_signed_without_a_token() -> None:
    for token in ("", "t"):
        signed = twilio.signature(HOOK, form(), token)
        assert twilio.is_signed(HOOK, form(), signed, token) is bool(token)
    assert refusal(lambda: twilio.read(HOOK, form(), "", Settings(), NOW), AccessError).startswith(NO_SIGNATURE)
