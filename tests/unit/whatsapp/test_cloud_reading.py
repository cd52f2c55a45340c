"""What the Cloud API posts: signatures, every kind of message, statuses, and what is broken or hostile."""

from __future__ import annotations

import base64
import hashlib
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from saidonce.errors import AccessError, UsageError
from saidonce.foundation.model.conversation import OutboxState
from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, Media, Via
from saidonce.foundation.settings.policy import Settings
from saidonce.repairs.channels import DeliveryStatus, cloud
from whatsapp_posts import NOW, NUMBER, SETTINGS, STAMP, USER_ID, WA_ID, image, message, post, read, text, value

ANA = ChannelIdentity(Via.WHATSAPP, USER_ID, f"+{WA_ID}")


def one(raw: Any) -> Inbound:
    found = read(post(value([raw])))
    assert not found.refused
    return found.inbounds[0]


def reasons(*messages: Any, **more: Any) -> list[str]:
    return [r.reason for r in read(post(value(list(messages), **more))).refused]


def test_the_handshake_sends_the_challenge_back() -> None:
    asked = {"hub.mode": "subscribe", "hub.verify_token": "verify-me", "hub.challenge": "1158201444"}
    assert cloud.challenge(asked, SETTINGS) == "1158201444"


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"hub.verify_token": "another"}, AccessError),
        ({"hub.verify_token": ""}, AccessError),
        ({"hub.verify_token": "Ünïcode\ud800"}, AccessError),
        ({"hub.mode": "unsubscribe"}, UsageError),
        ({"hub.challenge": "<script>alert(1)</script>"}, UsageError),
        ({"hub.challenge": ""}, UsageError),
    ],
)
def test_a_handshake_that_is_none_is_refused(change: dict[str, str], error: type[Exception]) -> None:
    asked = {"hub.mode": "subscribe", "hub.verify_token": "verify-me", "hub.challenge": "1158201444"}
    with pytest.raises(error):
        cloud.challenge({**asked, **change}, SETTINGS)


def test_nobody_passes_where_no_secret_is_set() -> None:
    bare = Settings()
    with pytest.raises(AccessError):
        cloud.challenge({"hub.mode": "subscribe", "hub.verify_token": "", "hub.challenge": "1"}, bare)
    with pytest.raises(AccessError):
        cloud.read(b"{}", cloud.signature("", b"{}"), bare, NOW)


def test_the_signature_is_over_the_raw_bytes() -> None:
    raw = json.dumps(post(value([text("caf\u00e9")])), ensure_ascii=True).encode()
    signed = cloud.signature("app-s3cret", raw)
    assert cloud.read(raw, signed, SETTINGS, NOW).inbounds[0].text == "café"
    same_meaning = json.dumps(json.loads(raw), ensure_ascii=False).encode()
    for body, given in [(same_meaning, signed), (raw + b" ", signed), (raw, signed[:-1]), (raw, ""), (raw, "sha256=é")]:
        with pytest.raises(AccessError):
            cloud.read(body, given, SETTINGS, NOW)


def test_a_known_signature() -> None:
    """Worked out with `openssl dgst -sha256 -hmac`."""
    expected = "sha256=88aab3ede8d3adf94d26ab90d3bafd4a2083070c3bcce9c014ee04a443847c0b"
    assert cloud.signature("secret", b"hello") == expected


def test_a_text() -> None:
    assert one(text("my tap drips")) == Inbound(
        ANA, NUMBER, "wamid.1", InboundKind.TEXT, datetime(2026, 1, 17, 12, tzinfo=UTC), NOW, "my tap drips"
    )


def test_several_entries_changes_and_messages_keep_their_order() -> None:
    body = post(value([text("a", "m1"), text("b", "m2")]), value([text("c", "m3")]))
    body["entry"][0]["changes"].append({"field": "messages", "value": value([text("d", "m4")])})
    assert [i.text for i in read(body).inbounds] == ["a", "b", "d", "c"]


@pytest.mark.parametrize("kind", ["image", "video", "audio", "document"])
def test_files(kind: str) -> None:
    plain = hashlib.sha256(b"x").digest()
    content = {"id": "123", "mime_type": "Image/JPEG; codecs=x", "sha256": base64.b64encode(plain).decode()}
    said = one(message(kind, {**content, "caption": "the tap", "filename": "../../etc/passwd", "voice": True}))
    assert (said.kind, said.text) == (InboundKind.MEDIA, "the tap")
    assert said.media == (Media("123", "image/jpeg", plain.hex()),)


@pytest.mark.parametrize("said", ["00ff", "!!!", "QUJD", "ab" * 31, "é"])
def test_a_hash_that_is_none_is_no_hash(said: str) -> None:
    assert one(image(sha256=said)).media[0].sha256 == ""
    assert one(image(sha256="AB" * 32)).media[0].sha256 == "ab" * 32


def test_places_and_contacts_become_words() -> None:
    place = {"latitude": 51.5, "longitude": -0.12, "name": "Elm Road", "address": "12 Elm Road, London"}
    assert one(message("location", place)).text == "Location: Elm Road, 12 Elm Road, London (51.5, -0.12)"
    assert one(message("location", {"latitude": 51, "longitude": 0})).text == "Location: (51, 0)"
    cards = [{"name": {"formatted_name": "Bo Plum", "first_name": "Bo"}, "phones": [{"phone": "+44 20 7946 0018"}]}]
    assert one(message("contacts", cards)).text == "Contact: Bo Plum +44 20 7946 0018"


def test_buttons_lists_and_template_buttons() -> None:
    reply = {"type": "button_reply", "button_reply": {"id": "identity:yes", "title": "Yes"}}
    row = {"type": "list_reply", "list_reply": {"id": "identity:pick:1", "title": "Flat 2", "description": ""}}
    template = {"payload": "photo:none", "text": "No photo"}
    for kind, content, pressed in [
        ("interactive", reply, "identity:yes"), ("interactive", row, "identity:pick:1"),
        ("button", template, "photo:none"),
    ]:  # fmt: skip
        said = one(message(kind, content, context={"from": "15550783881", "id": "wamid.0"}))
        assert (said.kind, said.button, said.text) == (InboundKind.BUTTON, pressed, "")


@pytest.mark.parametrize(
    "raw",
    [
        message("unsupported", errors=[{"code": 131051, "title": "Message type unknown"}]),
        message("order", {"catalog_id": "1"}),
        message("something_of_2031", {"a": 1}),
        message("text", {"body": 7}),
        message("text", {"body": "  "}),
        message("text"),
        message("text", "just words"),
        message("image", {"id": "../../token", "mime_type": "image/jpeg"}),
        message("image", {"mime_type": "image/jpeg"}),
        message("interactive", {"type": "nfm_reply", "nfm_reply": {"response_json": "{}"}}),
        message("interactive", {"type": "button_reply"}),
        message("location", {"latitude": "51", "longitude": 0}),
        message("contacts", []),
        message("edit", {"message": {"type": "poll"}}),
    ],
)
def test_what_we_cannot_show_is_kept_and_its_sender_is_told(raw: Any) -> None:
    assert one(raw).kind is InboundKind.UNSUPPORTED


def test_an_edited_text_is_a_new_one() -> None:
    inner = {"type": "text", "text": {"body": "in the bathroom, sorry"}}
    said = one(message("edit", {"original_message_id": "wamid.0", "message": inner}, "wamid.2"))
    assert (said.kind, said.text) == (InboundKind.EDITED, "in the bathroom, sorry")
    caption = {"type": "image", "image": {"id": "1", "mime_type": "image/jpeg", "caption": "the sink"}}
    assert one(message("edit", {"message": caption}, "wamid.3")).text == "the sink"


def test_what_asks_for_no_answer_is_reported_and_not_kept() -> None:
    said = reasons(
        message("reaction", {"message_id": "wamid.0", "emoji": "👍"}), message("sticker", {"id": "1"}),
        message("revoke", {"original_message_id": "wamid.0"}),
    )  # fmt: skip
    assert said == ["reaction", "sticker", "revoke"]


def test_a_changed_number_is_about_the_old_identity_and_its_new_phone() -> None:
    system = {"body": "Ana changed", "type": "user_changed_number", "wa_id": "447700900999"}
    changed = message("system", {**system, "user_id": "GB.2", "previous_user_id": USER_ID})
    del changed["from_user_id"]
    said = one(changed)
    assert said.kind is InboundKind.PHONE_CHANGED
    assert said.sender == ChannelIdentity(Via.WHATSAPP, USER_ID, "+447700900999")
    old = message("system", system)
    del old["from_user_id"]
    assert one(old).sender.external_user_id == WA_ID
    hidden = {"id": "m", "timestamp": STAMP, "type": "system", "system": {
        "type": "user_changed_user_id", "user_id": "MX.2", "previous_user_id": USER_ID}}  # fmt: skip
    assert one(hidden).sender == ChannelIdentity(Via.WHATSAPP, USER_ID, None)
    assert reasons(message("system", {"type": "customer_identity_changed"})) == ["system 'customer_identity_changed'"]


def test_a_sender_without_a_phone_is_known_by_the_user_id() -> None:
    hidden = text("hello")
    del hidden["from"]
    contacts = [{"profile": {"name": "Ana", "username": "@ana"}, "user_id": USER_ID}]
    said = read(post(value([hidden], contacts=contacts))).inbounds[0]
    assert said.sender == ChannelIdentity(Via.WHATSAPP, USER_ID, None)


def test_a_sender_is_taken_from_the_contact_where_the_message_has_only_the_phone() -> None:
    old = text("hello")
    del old["from_user_id"]
    assert one(old).sender == ANA
    phone_only = read(post(value([old], contacts=[{"wa_id": WA_ID}]))).inbounds[0]
    assert phone_only.sender == ChannelIdentity(Via.WHATSAPP, WA_ID, f"+{WA_ID}")


def test_several_senders_of_one_post_are_not_mixed_up() -> None:
    other = {"wa_id": "447700900777", "user_id": "GB.777"}
    mine = {"wa_id": WA_ID, "user_id": USER_ID}
    messages = [text("a", "m1"), {**text("b", "m2"), "from": "447700900777", "from_user_id": "GB.777"}]
    by_phone = [{k: v for k, v in m.items() if k != "from_user_id"} for m in messages]
    for sent in (messages, by_phone):
        found = read(post(value(sent, contacts=[other, mine]))).inbounds
        assert [i.sender.external_user_id for i in found] == [USER_ID, "GB.777"]


def test_one_broken_message_costs_its_neighbours_nothing() -> None:
    broken: list[Any] = [
        None, 7, "text", [], {}, {**text("x"), "id": ""}, {**text("x"), "id": "a\nb"},
        {**text("x"), "timestamp": "soon"},
        {**text("x"), "timestamp": "9" * 5_000}, {**text("x"), "timestamp": True}, {**text("x"), "type": 3},
        {**text("x"), "timestamp": "-5"}, {**text("x"), "timestamp": "٣"},
    ]  # fmt: skip
    body = post(value([text("first", "m1"), *broken, text("last", "m2")]))
    body["entry"][1:1] = [None, {"id": "x"}, {"changes": "none"}, {"changes": [None, {"field": "messages"}]}]
    found = read(body)
    assert [i.text for i in found.inbounds] == ["first", "last"]
    assert len(found.refused) == len(broken) + 5


def test_nobody_to_answer_is_refused_with_the_reason() -> None:
    lost = {"id": "m", "timestamp": STAMP, "type": "text", "text": {"body": "hello"}}
    assert reasons(lost, contacts=[]) == ["no sender"]


def test_another_field_or_number_is_refused_with_the_reason() -> None:
    body = post(value([text("x")]))
    body["entry"][0]["changes"][0]["field"] = "account_update"
    body["entry"].append({"changes": [{"field": "message_template_status_update", "value": {"event": "APPROVED"}}]})
    said = [r.reason for r in read(body).refused]
    assert said == ["other field 'account_update'", "other field 'message_template_status_update'"]
    only = SETTINGS.model_copy(update={"whatsapp_phone_number_id": "1"})
    assert [r.reason for r in read(post(value([text("x")])), only).refused] == [f"other number '{NUMBER}'"]


def test_statuses() -> None:
    def status(said: str, **more: Any) -> dict[str, Any]:
        return {"id": "wamid.9", "status": said, "timestamp": STAMP, "recipient_id": WA_ID, **more}

    ours = {"biz_opaque_callback_data": "o1", "pricing": {"billable": True, "category": "service"}}
    errors = [{"code": 131026, "title": "Undeliverable", "error_data": {"details": "..."}}]
    found = read(post(value(statuses=[
        status("sent", **ours), status("delivered", **ours), status("read", **ours),
        status("failed", errors=errors, **ours), status("read"), status("warning", **ours), None, {"id": "y"},
        status("sent", biz_opaque_callback_data="a b"),
    ])))  # fmt: skip
    states = (OutboxState.SENT, OutboxState.DELIVERED, OutboxState.READ)
    assert found.statuses == (*(DeliveryStatus("o1", s, "wamid.9") for s in states),
                              DeliveryStatus("o1", OutboxState.FAILED, "wamid.9", "131026"))  # fmt: skip
    assert [r.reason for r in found.refused] == [
        "status read of a message that is not ours", "unknown status 'warning'", "malformed status",
        "malformed status", "status sent of a message that is not ours",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "raw",
    [b"", b"{}", b"[]", b"null", b"\xff\xfe", b'{"object": "whatsapp_business_account"}', b'{"object": 1, "entry": []}',
     b'{"object": "page", "entry": []}', b"[" * 100_000, b'{"a":' * 50_000, b"1" * 10_000, b" " * 4_000_001],
)  # fmt: skip
def test_a_body_that_is_no_post_is_refused(raw: bytes) -> None:
    with pytest.raises(UsageError):
        read(raw)


def test_unknown_fields_and_nulls_everywhere_change_nothing() -> None:
    def grown(found: Any) -> Any:
        if isinstance(found, list):
            return [grown(f) for f in found]
        if isinstance(found, dict):
            return {**{k: grown(v) for k, v in found.items()}, "of_2031": {"x": [1, None]}, "caption": None}
        return found

    body = post(value([text("hello"), image(id="m2")]))
    assert read(grown(body)) == read(body)


def test_a_text_cut_within_an_emoji_is_kept() -> None:
    raw = json.dumps(post(value([text("leak \ud83d")]))).encode()
    assert read(raw).inbounds[0].text == "leak \ufffd"
