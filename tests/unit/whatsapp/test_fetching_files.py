"""Files are fetched over real HTTP from servers that behave and that do not."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import pytest

from channel_server import Reply, cut_off, drips, floods, gives, gives_address, hangs, is_hidden, refuses, scripted
from pictures_made import jpeg
from saidonce.errors import FileRefusal, MediaError, SettingsError
from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, Media, Via, WaitingMedia
from saidonce.foundation.settings.policy import Settings
from saidonce.repairs.channels import CloudMedia, TwilioMedia
from saidonce.repairs.channels.media import is_ours
from whatsapp_posts import ACCOUNT, NOW, NUMBER, SETTINGS, SID

PHOTO = jpeg()
SHA256 = hashlib.sha256(PHOTO).hexdigest()
MOST = 100_000
BYTES = gives(PHOTO, kind="image/jpeg")


def settings(url: str, **changes: Any) -> Settings:
    return SETTINGS.model_copy(
        update={"whatsapp_api_url": url, "twilio_api_url": url, "media_timeout_s": 30.0, **changes}
    )


def waiting(id: str, via: Via) -> WaitingMedia:
    media = Media(id, "image/jpeg", SHA256)
    who = ChannelIdentity(via, "ana")
    return WaitingMedia(Inbound(who, NUMBER, "m1", InboundKind.MEDIA, NOW, NOW, "", (media,)), media, 1)


CLOUD = waiting("2754859441498128", Via.WHATSAPP)
TWILIO = waiting(f"{SID}/ME{'0' * 32}", Via.TWILIO)


def test_the_cloud_api_tells_where_a_file_lies_and_then_gives_it() -> None:
    address = gives_address("/v26.0/file?ext=1", mime_type="image/jpeg", sha256=SHA256, file_size=str(len(PHOTO)))
    with scripted(address, BYTES) as server:
        assert CloudMedia(settings(server.url)).fetch(CLOUD, MOST) == PHOTO
        assert [(a.method, a.path) for a in server.asked] == [
            ("GET", "/v26.0/2754859441498128"), ("GET", "/v26.0/file?ext=1"),
        ]  # fmt: skip
        assert all(a.headers["authorization"] == "Bearer EAAG-t0ken" for a in server.asked)


def test_the_hash_may_be_base64() -> None:
    said = base64.b64encode(hashlib.sha256(PHOTO).digest()).decode()
    with scripted(gives_address(sha256=said), BYTES) as server:
        assert CloudMedia(settings(server.url)).fetch(CLOUD, MOST) == PHOTO


def failed(*replies: Reply, most: int = MOST, **changes: Any) -> MediaError:
    with scripted(*replies) as server, pytest.raises(MediaError) as bad:
        CloudMedia(settings(server.url, **changes)).fetch(CLOUD, most)
    shown = f"{bad.value} {bad.value.__cause__}"
    assert is_hidden(shown, "EAAG-t0ken", "127.0.0.1", "http")
    return bad.value


@pytest.mark.parametrize(
    ("replies", "reason", "is_final"),
    [
        ([refuses(400, 100)], FileRefusal.GONE, True),
        ([refuses(404, 100)], FileRefusal.GONE, True),
        ([refuses(401, 190)], FileRefusal.UNREACHABLE, False),
        ([refuses(429, 4)], FileRefusal.UNREACHABLE, False),
        ([refuses(500, 1)], FileRefusal.UNREACHABLE, False),
        ([gives(b"<html>")], FileRefusal.UNREACHABLE, False),
        ([gives({"url": 7})], FileRefusal.UNREACHABLE, False),
        ([gives_address(), gives(b"gone", "404 No")], FileRefusal.GONE, False),
        ([gives_address(), gives(b"", "401 No")], FileRefusal.UNREACHABLE, False),
        ([gives_address(), gives(b"", "302 Found", Location="http://[::1]/")], FileRefusal.UNREACHABLE, False),
        ([gives_address(), cut_off], FileRefusal.UNREACHABLE, False),
        ([gives_address(), gives(PHOTO, Content_Encoding="gzip")], FileRefusal.UNREACHABLE, False),
        ([gives_address(), floods], FileRefusal.TOO_LARGE, True),
        ([gives_address(), gives(b"\0" * (MOST + 1))], FileRefusal.TOO_LARGE, True),
        ([gives_address(file_size=MOST + 1), BYTES], FileRefusal.TOO_LARGE, True),
        ([gives_address(file_size=str(MOST + 1)), BYTES], FileRefusal.TOO_LARGE, True),
        ([gives_address(sha256="00" * 32), BYTES], FileRefusal.WRONG_HASH, False),
    ],
)  # fmt: skip
def test_a_failure_says_whether_another_try_may_help(replies: list[Reply], reason: str, is_final: bool) -> None:
    bad = failed(*replies)
    assert (bad.reason, bad.is_final) == (reason, is_final)


@pytest.mark.parametrize(
    "replies",
    [[hangs], [gives_address(), hangs], [gives_address(), drips(PHOTO)], [drips(b'{"url": "http://x"}' * 9)]],
)
def test_another_try_may_help_where_a_server_takes_too_long(replies: list[Reply]) -> None:
    bad = failed(*replies, media_timeout_s=1.0)
    assert (bad.reason, bad.is_final) == (FileRefusal.UNREACHABLE, False)


@pytest.mark.parametrize(
    "url",
    ["http://169.254.169.254/latest", "https://evil.example.com/file", "http://lookaside.fbsbx.com/x", "file:///etc/passwd",
     "https://lookaside.fbsbx.com@evil.example.com/", "https://lookaside.fbsbx.com:8443/x", "https://evilfbsbx.com/",
     "https://lookaside.fbsbx.com\\@evil.example.com/", "https://[", "//evil.example.com", ""],
)  # fmt: skip
def test_the_token_never_goes_elsewhere(url: str) -> None:
    with scripted(gives({"url": url}), BYTES) as server:
        with pytest.raises(MediaError):
            CloudMedia(settings(server.url)).fetch(CLOUD, MOST)
        assert len(server.asked) == 1
    assert is_ours("https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=1", "https://g", (".fbsbx.com",))


@pytest.mark.parametrize("id_", ["../me", "a/b", "", "1?x=y", "é"])
def test_an_id_that_is_none_is_asked_of_nobody(id_: str) -> None:
    with scripted(BYTES) as server:
        for fetcher in (CloudMedia(settings(server.url)), TwilioMedia(settings(server.url))):
            with pytest.raises(MediaError) as bad:
                fetcher.fetch(waiting(id_, Via.WHATSAPP), MOST)
            assert bad.value.is_final
        assert server.asked == []


def test_twilio_gives_a_file_itself_or_says_where_it_lies() -> None:
    path = f"/2010-04-01/Accounts/{ACCOUNT}/Messages/{SID}/Media/ME{'0' * 32}"
    with scripted(BYTES) as server:
        assert TwilioMedia(settings(server.url)).fetch(TWILIO, MOST) == PHOTO
        (asked,) = server.asked
        signed_in = base64.b64decode(asked.headers["authorization"].removeprefix("Basic ")).decode()
        assert (asked.path, signed_in) == (path, f"{ACCOUNT}:twilio-s3cret")
    with scripted(gives(b"", "307 Temporary Redirect", Location="/files/1?sig=abc"), BYTES) as server:
        assert TwilioMedia(settings(server.url)).fetch(TWILIO, MOST) == PHOTO
        assert server.asked[1].path == "/files/1?sig=abc"
        assert "authorization" not in server.asked[1].headers


@pytest.mark.parametrize(
    ("replies", "n_asked"),
    [
        ([gives(b"", "307 Elsewhere", Location="http://169.254.169.254/"), BYTES], 1),
        ([gives(b"", "307 Elsewhere", Location="https://evil.example.com/"), BYTES], 1),
        ([gives(b"", "307 Elsewhere"), gives(b"", "307 Elsewhere"), BYTES], 2),
        ([gives(b"", "302 Found", Location="/a"), gives(b"", "302 Found", Location="/b"), BYTES], 2),
        ([gives({"code": 20404}, "404 No")], 1),
        ([gives({"code": 20003}, "401 No")], 1),
    ],
)
def test_twilio_fails(replies: list[Reply], n_asked: int) -> None:
    with scripted(*replies) as server:
        with pytest.raises(MediaError) as bad:
            TwilioMedia(settings(server.url)).fetch(TWILIO, MOST)
        assert len(server.asked) == n_asked
    assert not bad.value.is_final
    assert is_hidden(str(bad.value), "twilio-s3cret", "127.0.0.1")


def test_twilio_takes_too_long() -> None:
    with scripted(drips(PHOTO)) as server, pytest.raises(MediaError, match="too long") as bad:
        TwilioMedia(settings(server.url, media_timeout_s=1.0)).fetch(TWILIO, MOST)
    assert not bad.value.is_final


def test_a_file_of_exactly_the_limit_is_taken() -> None:
    with scripted(gives_address(), gives(PHOTO)) as server:
        assert CloudMedia(settings(server.url)).fetch(CLOUD, len(PHOTO)) == PHOTO
    assert failed(gives_address(), gives(PHOTO), most=len(PHOTO) - 1).reason is FileRefusal.TOO_LARGE


def test_malformed_settings_are_refused() -> None:
    for change in ({"whatsapp_api_version": "latest"}, {"whatsapp_token": "a b"}):
        with pytest.raises(SettingsError):
            CloudMedia(settings("http://127.0.0.1", **change))
    with pytest.raises(SettingsError):
        TwilioMedia(settings("http://127.0.0.1", twilio_account_sid=""))
