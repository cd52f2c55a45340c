"""Sending by the Cloud API and by Twilio, over real HTTP to servers that behave and that do not."""

from __future__ import annotations

import base64
import json
import socket
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs

import pytest

from channel_server import Reply, accepts, cut_off, drips, floods, gives, hangs, is_hidden, refuses, resets, scripted
from saidonce.errors import DeliveryError, SettingsError
from saidonce.foundation.model.conversation import Button, Conversation, OutboxKind, OutboxMessage
from saidonce.foundation.model.residents import ChannelIdentity, Via
from saidonce.foundation.ports.conversations import Messenger
from saidonce.foundation.settings.policy import Settings
from saidonce.repairs.channels import ByChannel, CloudMessenger, TwilioMessenger, open_fetchers, open_messengers
from whatsapp_posts import ACCOUNT, HOOK, NOW, NUMBER, SETTINGS, SID, USER_ID, WA_ID

WAMID = "wamid.HBgMNDQ3NzAwOTAwMTIzFQIAERgS"
TWILIO_NUMBER = "+14155238886"


class Clock:
    at = NOW

    def now(self) -> Any:
        return self.at


def to(via: Via = Via.WHATSAPP, **changes: Any) -> Conversation:
    who = ChannelIdentity(via, USER_ID if via is Via.WHATSAPP else f"+{WA_ID}", f"+{WA_ID}")
    given = {"number_id": NUMBER if via is Via.WHATSAPP else TWILIO_NUMBER, "last_inbound_at": NOW, **changes}
    return Conversation(id="c1", sender=given.pop("sender", who), started_at=NOW, **given)


def said(text: str = "Thanks!", *buttons: Button) -> OutboxMessage:
    return OutboxMessage("0123abcd", "c1", "t1", OutboxKind.REPLY, text, NOW, buttons)


def settings(url: str, **changes: Any) -> Settings:
    return SETTINGS.model_copy(
        update={"whatsapp_api_url": url, "twilio_api_url": url, "whatsapp_timeout_s": 1.0, **changes}
    )


def cloud(url: str, **changes: Any) -> CloudMessenger:
    return CloudMessenger(settings(url, **changes), Clock())


def by_twilio(url: str, **changes: Any) -> TwilioMessenger:
    return TwilioMessenger(settings(url, **changes), Clock())


def sent(message: OutboxMessage, conversation: Conversation | None = None, **changes: Any) -> dict[str, Any]:
    """What goes out over the wire to the Cloud API."""
    with scripted(accepts(WAMID)) as server:
        assert cloud(server.url, **changes).send(message, conversation or to()) == WAMID
        (asked,) = server.asked
    assert (asked.method, asked.path) == ("POST", f"/v26.0/{NUMBER}/messages")
    assert asked.headers["authorization"] == "Bearer EAAG-t0ken"
    return asked.fields


def test_a_text() -> None:
    assert sent(said("Thanks!")) == {
        "messaging_product": "whatsapp", "recipient_type": "individual", "to": WA_ID, "type": "text",
        "text": {"preview_url": False, "body": "Thanks!"}, "biz_opaque_callback_data": "0123abcd",
    }  # fmt: skip


def test_who_hides_the_phone_is_written_to_by_the_user_id() -> None:
    hidden = sent(said(), to(sender=ChannelIdentity(Via.WHATSAPP, USER_ID)))
    assert (hidden["recipient"], "to" in hidden) == (USER_ID, False)
    assert sent(said(), to(sender=ChannelIdentity(Via.WHATSAPP, WA_ID)))["to"] == WA_ID


def test_up_to_three_buttons_are_buttons() -> None:
    shown = sent(said("A photo?", Button("I'll send it later", "photo:later"), Button("No photo", "photo:none")))
    assert shown["interactive"] == {
        "type": "button",
        "body": {"text": "A photo?"},
        "action": {"buttons": [
            {"type": "reply", "reply": {"id": "photo:later", "title": "I'll send it later"}},
            {"type": "reply", "reply": {"id": "photo:none", "title": "No photo"}},
        ]},
    }  # fmt: skip


def test_more_than_three_are_a_list_and_titles_differ() -> None:
    buttons = [Button("Flat 12, 100 Elm Road", f"identity:pick:{n}") for n in range(10)]
    shown = sent(said("Which home?", *buttons))["interactive"]
    rows = shown["action"]["sections"][0]["rows"]
    assert shown["type"] == "list"
    assert [r["id"] for r in rows] == [b.payload for b in buttons]
    assert len({r["title"] for r in rows}) == 10
    assert all(len(r["title"]) <= 24 for r in rows)


def test_titles_are_cut_and_stay_different() -> None:
    shown = sent(said("Which?", *(Button("The very long house name", f"p{n}") for n in range(3))))
    titles = [b["reply"]["title"] for b in shown["interactive"]["action"]["buttons"]]
    assert titles == ["The very long house ", "The very long hous 2", "The very long hous 3"]


def test_a_long_text_with_two_buttons_is_a_list() -> None:
    shown = sent(said("x" * 1_025, Button("a", "1"), Button("b", "2")))
    assert shown["interactive"]["type"] == "list"


@pytest.mark.parametrize(
    "message",
    [said(""), said("  "), said("x" * 4_097), said("x", *(Button(str(n), f"p{n}") for n in range(11))),
     said("x", Button("a", "")), said("x", Button("a", "p" * 201))],
)  # fmt: skip
def test_what_whatsapp_would_not_take_is_not_sent_and_not_tried_again(message: OutboxMessage) -> None:
    with scripted(accepts()) as server:
        with pytest.raises(DeliveryError) as refused:
            cloud(server.url).send(message, to())
        assert (refused.value.is_final, server.asked) == (True, [])


def test_4096_characters_are_sent() -> None:
    assert len(sent(said("x" * 4_096))["text"]["body"]) == 4_096


def test_after_24_hours_only_a_template_goes_out() -> None:
    late = to(last_inbound_at=NOW - timedelta(hours=24))
    with scripted(accepts()) as server:
        for old in (late, to(last_inbound_at=None)):
            with pytest.raises(DeliveryError, match="24 hours") as refused:
                cloud(server.url).send(said(), old)
            assert refused.value.is_final
        assert server.asked == []
    message = said("Still waiting\nfor your photo.", Button("No photo", "photo:none"))
    shown = sent(message, late, whatsapp_template="a_word_from_us", whatsapp_template_language="en_GB")
    assert shown["type"] == "template"
    assert shown["template"] == {
        "name": "a_word_from_us", "language": {"code": "en_GB"},
        "components": [{"type": "body", "parameters": [
            {"type": "text", "text": "Still waiting for your photo. No photo"}]}],
    }  # fmt: skip
    inside = to(last_inbound_at=NOW - timedelta(hours=23, minutes=59))
    assert sent(said(), inside, whatsapp_template="a_word_from_us")["type"] == "text"


REFUSALS: list[tuple[Reply, float, bool]] = [
    (refuses(429, 4), 60.0, False),
    (refuses(429, 80007, Retry_After="17"), 17.0, False),
    (refuses(400, 130429), 60.0, False),
    (refuses(400, 131056), 60.0, False),
    (gives(b"slow down", "429 Too Many", "text/plain", Retry_After="-3"), 60.0, False),
    (gives(b"slow down", "429 Too Many", "text/plain", Retry_After="nan"), 60.0, False),
    (refuses(401, 190), 300.0, False),
    (refuses(403, 10), 300.0, False),
    (refuses(400, 131047), 0.0, True),
    (refuses(400, 131026), 0.0, True),
    (refuses(404, 100), 0.0, True),
    (gives({"error": "odd"}, "400 No"), 0.0, True),
    (gives(b"[" * 50_000, "400 No"), 0.0, True),
    (gives({}, "302 Found", Location="http://169.254.169.254/"), 0.0, False),
]


@pytest.mark.parametrize(("reply", "wait_s", "is_final"), REFUSALS)
def test_a_refusal_says_when_to_try_again(reply: Reply, wait_s: float, is_final: bool) -> None:
    with scripted(reply) as server:
        with pytest.raises(DeliveryError) as refused:
            cloud(server.url).send(said(), to())
        assert (refused.value.wait_s, refused.value.is_final) == (wait_s, is_final)
        assert len(server.asked) == 1, "no redirect is followed, nothing is tried twice by itself"


UNKNOWN: list[Reply] = [
    hangs, resets, cut_off, drips(json.dumps({"messages": [{"id": WAMID}]}).encode()), floods,
    refuses(500, 1), refuses(503, 131016), refuses(408, 1), gives({}), gives(b"<html>"), gives({"messages": []}),
    gives({"messages": [{"id": ""}]}), gives({"messages": [{"id": 7}]}), gives(b"", "204 No Content"),
    gives(b"\x1f\x8b", Content_Encoding="gzip"),
]  # fmt: skip


@pytest.mark.parametrize("reply", UNKNOWN)
@pytest.mark.parametrize("client", [cloud, by_twilio])
def test_whoever_may_have_taken_a_message_leaves_it_unknown(reply: Reply, client: Callable[[str], Messenger]) -> None:
    with scripted(reply) as server:
        with pytest.raises(TimeoutError) as unsure:
            client(server.url).send(said(), to(Via.WHATSAPP if client is cloud else Via.TWILIO))
        assert len(server.asked) == 1
    assert is_hidden(str(unsure.value), "EAAG-t0ken", "twilio-s3cret", WA_ID)


@pytest.mark.parametrize("client", [cloud, by_twilio])
def test_whoever_was_never_reached_has_taken_nothing(client: Callable[[str], Messenger]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    for url in (f"http://127.0.0.1:{port}", "https://nowhere.invalid"):
        with pytest.raises(DeliveryError) as refused:
            client(url).send(said(), to(Via.WHATSAPP if client is cloud else Via.TWILIO))
        assert not refused.value.is_final


def test_a_refusal_never_repeats_the_token() -> None:
    """Graph itself does: "Malformed access token EAAG..."."""
    reply = refuses(401, 190, "Malformed access token EAAG-t0ken")
    with scripted(reply) as server, pytest.raises(DeliveryError) as refused:
        cloud(server.url).send(said(), to())
    shown = f"{refused.value} {refused.value.reason} {refused.value!r} {refused.value.__cause__}"
    assert is_hidden(shown, "EAAG-t0ken", WA_ID, "Malformed")
    assert "code 190" in shown


def test_our_own_number_must_be_one() -> None:
    with scripted(accepts()) as server:
        with pytest.raises(DeliveryError):
            cloud(server.url).send(said(), to(number_id="../../me"))
        assert server.asked == []


TAKEN = gives({"sid": SID, "status": "queued", "error_code": None}, "201 Created")


def sent_by_twilio(message: OutboxMessage, conversation: Conversation, **changes: Any) -> dict[str, str]:
    with scripted(TAKEN) as server:
        assert by_twilio(server.url, **changes).send(message, conversation) == SID
        (asked,) = server.asked
    assert (asked.method, asked.path) == ("POST", f"/2010-04-01/Accounts/{ACCOUNT}/Messages.json")
    assert (
        base64.b64decode(asked.headers["authorization"].removeprefix("Basic ")).decode() == f"{ACCOUNT}:twilio-s3cret"
    )
    return {name: values[0] for name, values in parse_qs(asked.body.decode(), strict_parsing=True).items()}


def test_twilio_takes_a_text_and_where_to_tell_of_it() -> None:
    assert sent_by_twilio(said("Thanks & bye"), to(Via.TWILIO)) == {
        "From": f"whatsapp:{TWILIO_NUMBER}", "To": f"whatsapp:+{WA_ID}", "Body": "Thanks & bye",
        "StatusCallback": f"{HOOK}?outbox=0123abcd",
    }  # fmt: skip
    assert "StatusCallback" not in sent_by_twilio(said(), to(Via.TWILIO), twilio_webhook_url="")


def test_buttons_are_written_out_for_twilio() -> None:
    photo = said("A photo?", Button("I'll send it later", "photo:later"), Button("No photo", "photo:none"))
    assert sent_by_twilio(photo, to(Via.TWILIO))["Body"] == "A photo?\n- I'll send it later\n- No photo"
    homes = said("Which?", Button("Flat 1", "identity:pick:0"), Button("None of these", "identity:none"))
    assert sent_by_twilio(homes, to(Via.TWILIO))["Body"] == "Which?\n1. Flat 1\n- None of these"


LONG = [Button(f"Flat {n}, {'Station Street ' * 8}", f"identity:pick:{n - 1}") for n in range(1, 10)]
"""Nine whole addresses, longer than any channel's buttons."""


def test_whole_addresses_are_cut_to_what_each_channel_takes() -> None:
    assert all(len(b.title) > 100 for b in LONG)
    lines = sent_by_twilio(said("Which home is this about?", *LONG), to(Via.TWILIO))["Body"].splitlines()[1:]
    assert [line[:10] for line in lines] == [f"{n}. Flat {n}," for n in range(1, 10)]
    assert {len(line) for line in lines} == {103}
    late = to(last_inbound_at=NOW - timedelta(days=2))
    shown = sent(said("Which home is this about?", *LONG), late, whatsapp_template="a_word")["template"]
    text = shown["components"][0]["parameters"][0]["text"]
    assert text.startswith("Which home is this about? Flat 1, Station Street S / Flat 2, ")
    assert len(text) <= 1_024


def test_twilio_after_24_hours() -> None:
    late = to(Via.TWILIO, last_inbound_at=NOW - timedelta(days=2))
    with scripted(TAKEN) as server:
        with pytest.raises(DeliveryError) as refused:
            by_twilio(server.url).send(said(), late)
        assert (refused.value.is_final, server.asked) == (True, [])
    template = "HX" + "c" * 32
    shown = sent_by_twilio(said('say "hi"\nnow'), late, twilio_template=template)
    assert (shown["ContentSid"], json.loads(shown["ContentVariables"])) == (template, {"1": 'say "hi" now'})
    assert "Body" not in shown


@pytest.mark.parametrize(
    ("reply", "wait_s", "is_final"),
    [
        (gives({"code": 20429, "message": "Too Many Requests", "status": 429}, "429 No", Retry_After="9"), 9.0, False),
        (gives({"code": 63018, "status": 400}, "400 No"), 60.0, False),
        (gives({"code": 20003, "message": "Authenticate", "status": 401}, "401 No"), 300.0, False),
        (gives({"code": 63016, "status": 400}, "400 No"), 0.0, True),
        (gives({"code": 21211, "message": "Invalid 'To' number", "status": 400}, "400 No"), 0.0, True),
        (gives({}, "307 Elsewhere", Location="https://example.com"), 0.0, False),
    ],
)
def test_twilio_refuses(reply: Reply, wait_s: float, is_final: bool) -> None:
    with scripted(reply) as server:
        with pytest.raises(DeliveryError) as refused:
            by_twilio(server.url).send(said(), to(Via.TWILIO))
        assert (refused.value.wait_s, refused.value.is_final, len(server.asked)) == (wait_s, is_final, 1)
    assert is_hidden(str(refused.value), "twilio-s3cret", WA_ID)


def test_a_text_that_is_too_long_for_twilio() -> None:
    with scripted(TAKEN) as server, pytest.raises(DeliveryError) as refused:
        by_twilio(server.url).send(said("x" * 1_601), to(Via.TWILIO))
    assert refused.value.is_final


@pytest.mark.parametrize(
    "change",
    [{"whatsapp_api_url": "ftp://x"}, {"whatsapp_api_url": "https://u:p@h"}, {"whatsapp_api_url": "https://h/?t=1"},
     {"whatsapp_api_url": "http://h:99999"}, {"whatsapp_api_version": "../x"}, {"whatsapp_token": "two words"},
     {"whatsapp_token": "line\nbreak"}, {"whatsapp_template": "A b"}, {"twilio_account_sid": "AC1"},
     {"twilio_auth_token": "é"}, {"twilio_template": "x"}, {"twilio_api_url": "nowhere"}],
)  # fmt: skip
def test_malformed_settings_are_refused_at_start_and_not_shown_if_secret(change: dict[str, str]) -> None:
    with pytest.raises(SettingsError) as refused:
        open_messengers(SETTINGS.model_copy(update=change), Clock())
    assert refused.value.key in change
    assert is_hidden(str(refused.value), "two words", "u:p", "line\nbreak")


def test_a_malformed_account_is_refused_without_a_token_too() -> None:
    with pytest.raises(SettingsError, match="twilio_account_sid"):
        open_messengers(Settings(twilio_account_sid="ACxx"), Clock())


def test_messages_go_by_the_channel_that_their_resident_writes_by() -> None:
    with scripted(accepts(WAMID), TAKEN) as server:
        messenger = ByChannel(open_messengers(settings(server.url), Clock()))
        assert messenger.send(said(), to(Via.WHATSAPP)) == WAMID
        assert messenger.send(said(), to(Via.TWILIO)) == SID
    with pytest.raises(DeliveryError, match="not set up"):
        messenger.send(said(), to(sender=ChannelIdentity(Via.WEB, "ana")))
    assert open_messengers(Settings(), Clock()) == {}
    assert open_fetchers(Settings()) == {}
    assert sorted(open_fetchers(SETTINGS)) == [Via.TWILIO, Via.WHATSAPP]
