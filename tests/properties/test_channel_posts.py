"""Whatever a channel posts, signed or not, is read or refused with an error of ours, and nothing is lost silently."""

from __future__ import annotations

import contextlib
import json
from typing import Any
from urllib.parse import urlencode

from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import examples
from saidonce.errors import AccessError, UsageError
from saidonce.foundation.model.residents import InboundKind
from saidonce.repairs.channels import ChannelPost, Received, channel_of, cloud, twilio
from saidonce.repairs.channels.sms import n_segments, plain
from whatsapp_posts import HOOK, NOW, SETTINGS, form, image, message, post, read, text, twilio_read, value

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=20,
)
KINDS = [
    "text",
    "image",
    "audio",
    "location",
    "contacts",
    "interactive",
    "button",
    "edit",
    "system",
    "poll",
    "reaction",
]
KEYS = st.sampled_from(
    ["id", "type", "timestamp", "from", "from_user_id", "body", "text", "image", "caption", "mime_type", "sha256",
     "system", "wa_id", "user_id", "button_reply", "payload", "latitude", "longitude", "name", "phones", *KINDS]
)  # fmt: skip
NEAR = st.recursive(
    st.none() | st.integers() | st.text(max_size=8) | st.sampled_from([*KINDS, "1768651200", "447700900123"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=30,
)


def is_sound(found: Received) -> None:
    for inbound in found.inbounds:
        assert inbound.message_id
        assert inbound.sender.external_user_id
        assert inbound.sent_at.tzinfo is not None
        assert (inbound.kind is InboundKind.MEDIA) <= bool(inbound.media)
        assert (inbound.kind is InboundKind.TEXT) <= bool(inbound.text.strip())
        assert (inbound.kind is InboundKind.BUTTON) <= bool(inbound.button)
        inbound.text.encode("utf-8")
    assert all(r.reason for r in found.refused)


@given(st.binary(max_size=2_000))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    with contextlib.suppress(UsageError):
        is_sound(read(body))


@given(JSON)
def test_any_json_is_read_or_refused(found: Any) -> None:
    with contextlib.suppress(UsageError):
        is_sound(read(json.dumps(found).encode()))


@given(st.lists(JSON, max_size=3), st.lists(JSON, max_size=3))
def test_any_entries_and_values_cost_a_sound_message_nothing(entries: list[Any], values: list[Any]) -> None:
    body = post(*values, value([text("first", "m1")]))
    body["entry"] += entries
    found = read(body)
    is_sound(found)
    assert "first" in [i.text for i in found.inbounds]


@settings(max_examples=examples(30, 300))
@given(st.lists(NEAR, max_size=6), st.lists(NEAR, max_size=3), st.lists(NEAR, max_size=3))
def test_every_message_and_status_is_kept_or_reported(
    messages: list[Any], statuses: list[Any], contacts: list[Any]
) -> None:
    kept = [m for m in messages if m is not None]
    found = read(post(value(messages, statuses=statuses, contacts=contacts)))
    is_sound(found)
    n = len(found.inbounds) + len(found.statuses) + len(found.refused)
    assert n == len(messages) + len(statuses)
    assert len(kept) <= len(messages)


@settings(max_examples=examples(30, 300))
@given(st.sampled_from(KINDS), NEAR, st.dictionaries(KEYS, NEAR, max_size=3))
def test_a_message_of_any_content_is_answered_or_reported(kind: str, content: Any, more: dict[str, Any]) -> None:
    found = read(post(value([text("before", "m0"), {**message(kind, content), **more}, image(id="m2")])))
    is_sound(found)
    assert [found.inbounds[0].text, found.inbounds[-1].kind] == ["before", InboundKind.MEDIA]
    assert len(found.inbounds) + len(found.refused) == 3


@given(st.binary(max_size=300), st.text(max_size=100))
def test_nothing_passes_without_the_signature(body: bytes, signed: str) -> None:
    try:
        cloud.read(body, signed, SETTINGS, NOW)
    except AccessError:
        return
    raise AssertionError("it was read")


@given(st.dictionaries(st.text(max_size=20), st.text(max_size=40), max_size=8), st.text(max_size=60))
def test_any_form_at_any_address_is_read_or_refused(fields: dict[str, str], url: str) -> None:
    for given_fields in (fields, form(**{k: v for k, v in fields.items() if k.isidentifier() and k != "body"})):
        try:
            is_sound(twilio_read(given_fields, url))
        except UsageError:
            continue


TWILIO_KEYS = st.sampled_from(
    ["MessageSid", "From", "To", "Body", "NumMedia", "MediaUrl0", "MediaContentType0", "MediaUrl1", "MessageStatus",
     "ButtonPayload", "ListId", "Latitude", "Longitude", "Label", "Address", "ErrorCode"]
)  # fmt: skip


@settings(max_examples=examples(30, 300))
@given(st.dictionaries(TWILIO_KEYS, st.text(max_size=30) | st.sampled_from(["1", "3", "whatsapp:+1", "read", HOOK])))
def test_any_change_of_a_form_is_read_or_refused(changes: dict[str, str]) -> None:
    with contextlib.suppress(UsageError):
        is_sound(twilio_read({**form(), **changes}))


@given(st.text(max_size=80), st.text(max_size=80))
def test_no_address_of_a_file_leads_out_of_our_account(url: str, account: str) -> None:
    found = twilio.media_id(url, account)
    assert found == "" or set(found) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef0123456789/")


@given(st.dictionaries(st.sampled_from([*form(), "MessageStatus", "MediaUrl0", "ErrorCode"]), st.text(max_size=40)))
def test_any_form_of_a_text_message_is_read_or_refused(fields: dict[str, str]) -> None:
    sms = SETTINGS.model_copy(update={"sms_webhook_url": HOOK})
    sent = {name: value.encode("utf-8", "replace").decode() for name, value in fields.items()}
    whole = {**form(From="+447700900123", To="+14155238886"), **sent}
    headers = {"x-twilio-signature": twilio.signature(HOOK, whole, sms.twilio_auth_token)}
    post = ChannelPost("demo", HOOK, "", headers, urlencode(whole).encode(), NOW)
    with contextlib.suppress(UsageError):
        is_sound(channel_of("sms").read(post, sms, lambda _number: False))


@given(st.text(st.sampled_from("x€…’ж😀"), max_size=700) | st.text(max_size=700))
def test_segments_hold_every_character_and_plain_text_never_costs_more(text: str) -> None:
    n = n_segments(text)
    assert 160 * n >= len(text)
    assert n == 1 or 66 * (n - 1) < 2 * len(text)
    assert n_segments(plain(text)) <= n
