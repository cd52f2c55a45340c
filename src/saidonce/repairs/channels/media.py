"""Files of residents, fetched from WhatsApp and from Twilio; see `saidonce.foundation.ports.intake.MediaFetcher`.

Our credentials go to the API's own host, and to the few that the provider keeps files on; no address is ever taken
from a message.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from urllib.parse import urljoin, urlsplit

from saidonce.errors import FileRefusal, MediaError, SettingsError
from saidonce.foundation.http import REPLY_BYTES, HttpClient, HttpReply, NoReplyError, ReplyTooLargeError, base_url
from saidonce.foundation.model.residents import WaitingMedia
from saidonce.foundation.settings.channels import ChannelSettings
from saidonce.repairs.channels.twilio_sending import account_of
from saidonce.repairs.channels.wire import secret

_CLOUD_ID = re.compile(r"[A-Za-z0-9_-]{1,200}")
_TWILIO_ID = re.compile(r"[A-Z]{2}[0-9a-fA-F]{32}/[A-Z]{2}[0-9a-fA-F]{32}")
_VERSION = re.compile(r"v[0-9]{1,3}\.[0-9]{1,2}")
_META = (".fbsbx.com", ".fbcdn.net", ".facebook.com", ".whatsapp.net")
_TWILIO = (".twilio.com", ".twiliocdn.com", ".amazonaws.com")
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class CloudMedia:
    """Fetches files of the Cloud API: the id gives an address, good for five minutes, and that the bytes.

    Raises:
        SettingsError: token, URL or version is malformed.
    """

    def __init__(self, settings: ChannelSettings) -> None:
        if not _VERSION.fullmatch(settings.whatsapp_api_version):
            raise SettingsError("whatsapp_api_version", settings.whatsapp_api_version, "such as v26.0")
        self._base = base_url("whatsapp_api_url", settings.whatsapp_api_url)
        self._version = settings.whatsapp_api_version
        self._headers = {"Authorization": f"Bearer {secret('whatsapp_token', settings.whatsapp_token)}"}
        self._http = HttpClient(settings.media_timeout_s)

    def fetch(self, waiting: WaitingMedia, most: int) -> bytes:
        """Return a file's bytes."""
        id_ = waiting.media.id
        if not _CLOUD_ID.fullmatch(id_):
            raise MediaError(FileRefusal.GONE, "its id is malformed", is_final=True)
        until = self._http.deadline()
        reply = _asked(self._http, f"{self._base}/{self._version}/{id_}", REPLY_BYTES, until, headers=self._headers)
        if reply.status in (400, 404):
            raise MediaError(FileRefusal.GONE, f"WhatsApp does not have it (status {reply.status})", is_final=True)
        fields = _answered(reply).fields
        size, url, sha256 = fields.get("file_size"), fields.get("url"), fields.get("sha256")
        if isinstance(size, str) and size.isascii() and size.isdigit() and len(size) < 16:
            size = int(size)
        if isinstance(size, int) and size > most:
            raise _too_large(most)
        if not isinstance(url, str) or not is_ours(url, self._base, _META):
            raise MediaError(FileRefusal.UNREACHABLE, "its address is none of WhatsApp's", is_final=False)
        content = _answered(_asked(self._http, url, most, until, headers=self._headers)).body
        if isinstance(sha256, str) and not _is_hash(sha256, content):
            raise MediaError(FileRefusal.WRONG_HASH, "its bytes are not those that were announced", is_final=False)
        return content


class TwilioMedia:
    """Fetches files from Twilio, which hands over to where it keeps them: one step, without our credentials.

    Raises:
        SettingsError: account, token or URL is malformed.
    """

    def __init__(self, settings: ChannelSettings) -> None:
        account = account_of(settings)
        self._base = base_url("twilio_api_url", settings.twilio_api_url)
        self._folder = f"{self._base}/2010-04-01/Accounts/{account}/Messages"
        self._auth = (account, secret("twilio_auth_token", settings.twilio_auth_token))
        self._http = HttpClient(settings.media_timeout_s)

    def fetch(self, waiting: WaitingMedia, most: int) -> bytes:
        """Return a file's bytes."""
        id_ = waiting.media.id
        if not _TWILIO_ID.fullmatch(id_):
            raise MediaError(FileRefusal.GONE, "its id is malformed", is_final=True)
        message, media = id_.split("/")
        url, until = f"{self._folder}/{message}/Media/{media}", self._http.deadline()
        answer = _asked(self._http, url, most, until, auth=self._auth)
        if answer.status in _REDIRECTS:
            url = urljoin(url, answer.headers.get("Location", ""))
            if not is_ours(url, self._base, _TWILIO):
                raise MediaError(FileRefusal.UNREACHABLE, "its address is none of Twilio's", is_final=False)
            answer = _asked(self._http, url, most, until)
        return _answered(answer).body


def is_ours(url: str, base: str, hosts: tuple[str, ...]) -> bool:
    """Return whether an address is on the API's own host and port, or by https on one of a provider's."""
    try:
        there, here = urlsplit(url), urlsplit(base)
        host, port = (there.hostname or "").lower(), there.port
    except ValueError:
        return False
    if "@" in there.netloc or "\\" in url or not url.isascii():
        return False
    if (there.scheme, there.netloc.lower()) == (here.scheme, here.netloc.lower()):
        return True
    return there.scheme == "https" and port in (None, 443) and host.endswith(hosts)


def _asked(http: HttpClient, url: str, most: int, until: float, **request: object) -> HttpReply:
    try:
        return http.ask("GET", url, most, until, **request)
    except NoReplyError as failed:
        raise MediaError(FileRefusal.UNREACHABLE, failed.reason, is_final=False) from None
    except ReplyTooLargeError:
        raise _too_large(most) from None


def _answered(answer: HttpReply) -> HttpReply:
    """Return an answer that holds what was asked for.

    Any other may be another one later: an address that ran out, a token that is renewed, a file that is not there yet.
    """
    if answer.status != 200:
        reason = FileRefusal.GONE if answer.status in (404, 410) else FileRefusal.UNREACHABLE
        raise MediaError(reason, f"status {answer.status}", is_final=False)
    if answer.is_packed:
        raise MediaError(FileRefusal.UNREACHABLE, "it came packed, which was not asked for", is_final=False)
    return answer


def _too_large(most: int) -> MediaError:
    return MediaError(FileRefusal.TOO_LARGE, f"it has more than {most} bytes", is_final=True)


def _is_hash(expected: str, content: bytes) -> bool:
    """Return whether a hash, in hex or base64, is that of some bytes."""
    real = hashlib.sha256(content)
    forms = (real.hexdigest(), base64.b64encode(real.digest()).decode("ascii"))
    values = (expected.lower(), expected)
    return any(hmac.compare_digest(f.encode(), g.encode()) for f, g in zip(forms, values, strict=True))
