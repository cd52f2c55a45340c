"""SMS and MMS through Twilio: what comes in, what it costs to send, and what Twilio says of it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlencode

import pytest

from channel_server import Reply, drips, gives, is_hidden, resets, scripted
from pictures_made import jpeg
from saidonce.errors import AccessError, DeliveryError, SettingsError, UsageError
from saidonce.foundation.model.conversation import Button, Conversation, OutboxKind, OutboxMessage, OutboxState
from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, Media, Via, WaitingMedia
from saidonce.foundation.settings.policy import Settings
from saidonce.repairs.channels import (
    ChannelPost,
    DeliveryStatus,
    Received,
    channel_of,
    open_fetchers,
    open_messengers,
    twilio,
)
from saidonce.repairs.channels.sms import SmsMessenger, n_segments, plain
from whatsapp_posts import ACCOUNT, NOW, SETTINGS, SID, WA_ID, media_url

PHONE, OURS = f"+{WA_ID}", "+14155238886"
HOOK = "https://desk.example.com/webhooks/sms/demo"
SMS = SETTINGS.model_copy(update={"sms_webhook_url": HOOK})
CHANNEL = channel_of("sms")


class Clock:
    def now(self) -> Any:
        return NOW


def form(body: str = "my tap drips", **more: str) -> dict[str, str]:
    """What Twilio posts of a text message."""
    return {
        "ToCountry": "US", "MessageSid": SID, "SmsMessageSid": SID, "SmsSid": SID, "AccountSid": ACCOUNT,
        "From": PHONE, "To": OURS, "FromCountry": "GB", "Body": body, "NumMedia": "0", "NumSegments": "1",
        "SmsStatus": "received", "ApiVersion": "2010-04-01", **more,
    }  # fmt: skip


def read(fields: dict[str, str], query: str = "", settings: Settings = SMS, signed: str | None = None) -> Received:
    """Sign a form as Twilio does, and read it."""
    url = f"{HOOK}?{query}" if query else HOOK
    headers = {"x-twilio-signature": twilio.signature(url, fields, SMS.twilio_auth_token) if signed is None else signed}
    post = ChannelPost("demo", "http://10.0.0.7/x", query, headers, urlencode(fields).encode(), NOW)
    return CHANNEL.read(post, settings, lambda number: number == "+15550000000")


def status(state: str, **more: str) -> dict[str, str]:
    return form(MessageStatus=state, SmsStatus=state, From=OURS, To=PHONE, **more)


def to(**changes: Any) -> Conversation:
    given = {"number_id": OURS, "last_inbound_at": NOW, **changes}
    return Conversation(id="c1", sender=ChannelIdentity(Via.SMS, PHONE, PHONE), started_at=NOW, **given)


def message(text: str = "Thanks!", *buttons: Button, kind: OutboxKind = OutboxKind.REPLY) -> OutboxMessage:
    return OutboxMessage("0123abcd", "c1", "t1", kind, text, NOW, buttons)


def messenger(url: str, **changes: Any) -> SmsMessenger:
    return SmsMessenger(SMS.model_copy(update={"twilio_api_url": url, "sms_timeout_s": 1.0, **changes}))


TAKEN = gives({"sid": SID, "status": "queued", "num_segments": "1", "error_code": None}, "201 Created")


def sent(outgoing: OutboxMessage, conversation: Conversation | None = None, **changes: Any) -> dict[str, str]:
    """What goes out over the wire."""
    with scripted(TAKEN) as server:
        assert messenger(server.url, **changes).send(outgoing, conversation or to()) == SID
        (asked,) = server.asked
    assert (asked.method, asked.path) == ("POST", f"/2010-04-01/Accounts/{ACCOUNT}/Messages.json")
    return {name: values[0] for name, values in parse_qs(asked.body.decode(), strict_parsing=True).items()}


def test_a_text_comes_from_a_phone_number() -> None:
    who = ChannelIdentity(Via.SMS, PHONE, PHONE)
    assert read(form()).inbounds == (Inbound(who, OURS, SID, InboundKind.TEXT, NOW, NOW, "my tap drips"),)


def test_a_number_proves_its_owner_unless_the_settings_say_otherwise() -> None:
    assert read(form()).inbounds[0].sender.verified
    wary = SMS.model_copy(update={"sms_sender_proves": False})
    assert not read(form(), settings=wary).inbounds[0].sender.verified


def test_a_picture_message_has_files_that_are_fetched_by_id() -> None:
    files = {f"MediaUrl{n}": media_url(n) for n in range(2)} | {f"MediaContentType{n}": "image/jpeg" for n in range(2)}
    inbound = read(form("", NumMedia="2", **files)).inbounds[0]
    assert inbound.kind is InboundKind.MEDIA
    assert inbound.media == tuple(Media(f"{SID}/ME{n:032x}", "image/jpeg") for n in range(2))
    elsewhere = read(form("", NumMedia="1", MediaUrl0="https://evil.example.com/x"))
    assert elsewhere.inbounds[0].kind is InboundKind.UNSUPPORTED
    assert [r.reason for r in elsewhere.refused] == ["file 0: its address is not one of our account"]


def test_files_of_a_picture_message_are_fetched_from_twilio() -> None:
    photo = jpeg()
    waiting = read(form("", NumMedia="1", MediaUrl0=media_url(), MediaContentType0="image/jpeg")).inbounds[0]
    with scripted(gives(photo, kind="image/jpeg")) as server:
        fetcher = open_fetchers(SMS.model_copy(update={"twilio_api_url": server.url}))[Via.SMS]
        assert fetcher.fetch(WaitingMedia(waiting, waiting.media[0], 1), 100_000) == photo
    assert server.asked[0].path == f"/2010-04-01/Accounts/{ACCOUNT}/Messages/{SID}/Media/ME{'0' * 32}"


@pytest.mark.parametrize("word", ["STOP", "START", "HELP"])
def test_words_that_twilio_answers_itself_are_kept_as_any_message(word: str) -> None:
    assert [i.text for i in read(form(word, OptOutType=word)).inbounds] == [word]


@pytest.mark.parametrize("sender", ["12345", "MYBANK", "+12"])
def test_who_could_not_be_answered_is_reported_and_not_kept(sender: str) -> None:
    received = read(form(From=sender))
    assert (received.inbounds, [r.reason for r in received.refused]) == ((), ["its sender has no phone number"])


@pytest.mark.parametrize(
    ("state", "after"),
    [("sent", OutboxState.SENT), ("delivered", OutboxState.DELIVERED), ("failed", OutboxState.FAILED),
     ("undelivered", OutboxState.FAILED)],
)  # fmt: skip
def test_statuses_come_back_by_the_address_of_their_message(state: str, after: OutboxState) -> None:
    assert read(status(state), "outbox=o1").statuses == (DeliveryStatus("o1", after, SID),)
    assert read(status(state)).refused[0].reason == f"status {after} of a message that is not ours"


def test_a_status_says_what_its_code_means() -> None:
    reasons = {code: read(status("failed", ErrorCode=code), "outbox=o1").statuses[0].reason for code in ("21610", "7")}
    assert reasons["21610"] == "21610: the resident has opted out with STOP; by START they let messages through again"
    assert reasons["7"] == "7", "a code that we know nothing about"


@pytest.mark.parametrize("signed", ["", "x", "é", twilio.signature(HOOK, form("other"), "twilio-s3cret")])
def test_a_wrong_signature_is_refused(signed: str) -> None:
    with pytest.raises(AccessError):
        read(form(), signed=signed)


def test_without_an_address_of_its_own_nothing_is_taken_and_nothing_sent() -> None:
    with pytest.raises(AccessError, match="not set up"):
        read(form(), settings=SETTINGS)
    assert Via.SMS not in open_messengers(SETTINGS, Clock())
    assert Via.SMS not in open_fetchers(SETTINGS)
    assert {Via.SMS, Via.TWILIO, Via.WHATSAPP} == set(open_messengers(SMS, Clock()))


@pytest.mark.parametrize(
    "change",
    [{"From": f"whatsapp:{PHONE}"}, {"To": "whatsapp:+14155238886"}, {"From": ""}, {"To": ""},
     {"AccountSid": "AC" + "b" * 32}, {"MessageSid": "../x"}],
)  # fmt: skip
def test_what_is_no_text_message_of_our_account_is_refused(change: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        read(form(**change))


def test_a_number_of_another_organisation_takes_nothing() -> None:
    assert read(form(To="+15550000000")).refused[0].reason == "number of another organisation"
    assert read({**status("sent"), "From": "+15550000000"}, "outbox=o1").statuses == ()


def test_a_body_that_is_no_form_is_refused() -> None:
    post = ChannelPost("demo", HOOK, "", {"x-twilio-signature": "x"}, b"\xff\xfe", NOW)
    with pytest.raises(UsageError):
        CHANNEL.read(post, SMS, lambda _number: False)
    with pytest.raises(UsageError, match="no handshake"):
        CHANNEL.handshake({"hub.mode": "subscribe"}, SMS)


def test_a_message_goes_from_our_number_with_an_address_for_its_statuses() -> None:
    assert sent(message("Thanks & bye")) == {
        "From": OURS, "To": PHONE, "Body": "Thanks & bye", "StatusCallback": f"{HOOK}?outbox=0123abcd",
    }  # fmt: skip


def test_statuses_of_another_organisations_number_come_to_its_own_address() -> None:
    theirs = sent(message(), channel_numbers=f"south={OURS}")
    assert theirs["StatusCallback"] == "https://desk.example.com/webhooks/sms/south?outbox=0123abcd"


def test_there_is_no_window_of_24_hours() -> None:
    assert sent(message(), to(last_inbound_at=NOW - timedelta(days=9)))["Body"] == "Thanks!"


def test_buttons_are_lines() -> None:
    photo = message("A photo?", Button("I'll send it later", "photo:later"), Button("No photo", "photo:none"))
    assert sent(photo)["Body"] == "A photo?\n- I'll send it later\n- No photo"


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("", 1), ("x" * 160, 1), ("x" * 161, 2), ("x" * 306, 2), ("x" * 307, 3),
        ("€" * 80, 1), ("€" * 81, 2), ("x" * 152 + "€" * 5, 2), ("x" * 152 + "€" + "x" * 152, 3),
        ("ж" * 70, 1), ("ж" * 71, 2), ("ж" * 134, 2), ("ж" * 135, 3), ("😀" * 35, 1), ("😀" * 36, 2),
        ("ж" * 66 + "😀" + "ж" * 66, 3),
    ],
)  # fmt: skip
def test_segments_are_counted_as_the_network_cuts_them(text: str, n: int) -> None:
    assert n_segments(text) == n


def test_typographic_characters_are_made_plain_where_that_saves_segments() -> None:
    assert plain("Don’t — “wait”…") == 'Don\'t - "wait"...'
    assert plain("Здравствуйте — “да”") == "Здравствуйте — “да”", "it takes the wide alphabet anyway"
    assert plain("…" * 70) == "…" * 70, "three dots each would take a segment more"
    long = "x" * 1_500 + "…" * 100
    assert plain(long) == long, "with three dots each it would be longer than Twilio takes"
    assert sent(message("It’s on its way"))["Body"] == "It's on its way"


def test_too_many_segments_are_refused_for_good_but_a_safety_text_goes() -> None:
    long = "x" * 400
    with scripted(TAKEN) as server:
        with pytest.raises(DeliveryError, match="3 segments; 2 can be sent") as refused:
            messenger(server.url, sms_max_segments=2).send(message(long), to())
        assert (refused.value.is_final, server.asked) == (True, [])
    assert sent(message(long, kind=OutboxKind.SAFETY), sms_max_segments=2)["Body"] == long
    with scripted(TAKEN) as server, pytest.raises(DeliveryError, match="1 to 1600"):
        messenger(server.url).send(message("x" * 1_601, kind=OutboxKind.SAFETY), to())


@pytest.mark.parametrize(
    ("reply", "wait_s", "is_final", "words"),
    [
        (gives({"code": 21610, "status": 400}, "400 No"), 0.0, True, "the resident has opted out with STOP"),
        (gives({"code": 21614, "status": 400}, "400 No"), 0.0, True, "none of a mobile phone"),
        (gives({"code": 30034, "status": 400}, "400 No"), 0.0, True, "refused"),
        (gives({"code": 21611, "status": 400}, "400 No"), 60.0, False, "too many"),
        (gives({"code": 20429, "status": 429}, "429 No", Retry_After="9"), 9.0, False, "too many"),
        (gives({"code": 20003, "status": 401}, "401 No"), 300.0, False, "token"),
    ],
)
def test_a_refusal_says_what_it_means_and_whether_to_try_again(
    reply: Reply, wait_s: float, is_final: bool, words: str
) -> None:
    with scripted(reply) as server, pytest.raises(DeliveryError, match=words) as refused:
        messenger(server.url).send(message(), to())
    assert (refused.value.channel, refused.value.wait_s, refused.value.is_final) == ("sms", wait_s, is_final)
    assert is_hidden(str(refused.value), "twilio-s3cret", WA_ID)


@pytest.mark.parametrize("reply", [resets, drips(b"{}" * 50), gives({}, "503 No"), gives({"sid": "x"}, "201 Created")])
def test_nobody_knows_whether_it_was_sent(reply: Reply) -> None:
    with scripted(reply) as server, pytest.raises(TimeoutError, match=r"^sms: ") as unsure:
        messenger(server.url).send(message(), to())
    assert is_hidden(str(unsure.value), "twilio-s3cret", WA_ID)


@pytest.mark.parametrize(
    "change",
    [{"twilio_account_sid": "AC1"}, {"twilio_auth_token": ""}, {"sms_webhook_url": "nowhere"},
     {"twilio_api_url": "ftp://x"}],
)  # fmt: skip
def test_malformed_settings_are_refused_at_start(change: dict[str, str]) -> None:
    with pytest.raises(SettingsError) as refused:
        open_messengers(SMS.model_copy(update=change), Clock())
    assert refused.value.key in change
