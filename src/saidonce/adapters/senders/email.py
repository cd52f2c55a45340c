"""E-mail: one plain message over an encrypted connection."""

from __future__ import annotations

import contextlib
import smtplib
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

from saidonce.errors import DeliveryError, SettingsError
from saidonce.foundation.deadline import ConnectionDeadline
from saidonce.foundation.model import Channel
from saidonce.foundation.ports.sending import Message

NOTICE_HEADER = "X-Saidonce-Notice"
STEPS = 10
"""A conversation may take as long as so many of its steps."""

MOST_LINES = 1_000
"""Lines of a mail server in one conversation."""

_READY = 220
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class _MailServer:
    host: str
    port: int
    is_tls: bool
    user: str
    password: str


class EmailSender:
    """Sends messages as plain e-mail; see `saidonce.foundation.ports.sending.Sender`.

    Args:
        smtp_url: `smtp://` turns to TLS by STARTTLS, `smtps://` begins with it. Only a server on this machine
            that wants no password may do without TLS.
        smtp_from: sender's address, with or without a name.
        timeout_s: for one step of the exchange; all of them together have ten times as long.

    Raises:
        SettingsError: one of the two is malformed; an empty URL is refused only when something is sent.
    """

    def __init__(self, smtp_url: str, smtp_from: str, timeout_s: float) -> None:
        self._server = _parse_url(smtp_url) if smtp_url else None
        self._from = _sender(smtp_from) if smtp_from else None
        self._timeout_s = timeout_s

    def send(self, channel: Channel, message: Message) -> None:
        """Send a message; the mail server's yes accepts it."""
        if self._server is None or self._from is None:
            raise DeliveryError(channel.id, "e-mail needs the settings smtp_url and smtp_from")
        try:
            letter = _letter(self._from, channel.target, message)
            self._send_letter(self._server, letter)
        except _NoTlsError:
            raise DeliveryError(channel.id, "the mail server does not offer TLS") from None
        except smtplib.SMTPResponseException as refused:
            raise DeliveryError(channel.id, f"the mail server answered {refused.smtp_code}") from None
        except smtplib.SMTPRecipientsRefused as refused:
            codes = sorted({code for code, _ in refused.recipients.values()})
            raise DeliveryError(channel.id, f"the mail server refused the address ({codes})") from None
        except TimeoutError:
            raise DeliveryError(channel.id, "the mail server took too long") from None
        except (smtplib.SMTPException, OSError, MessageError, ValueError) as failed:
            raise DeliveryError(channel.id, f"the mail server could not be reached ({type(failed).__name__})") from None

    def _send_letter(self, server: _MailServer, letter: EmailMessage) -> None:
        context = ssl.create_default_context()
        name = letter["From"].addresses[0].domain  # Asking the system for its own name may take long.
        connection = _BoundedTls(name, context) if server.is_tls else _Bounded(name)
        connection.timeout = self._timeout_s
        with connection.ended_after(STEPS * self._timeout_s), contextlib.closing(connection):
            connection.greeted(server.host, server.port)
            connection.ehlo_or_helo_if_needed()
            if not server.is_tls:
                _start_tls(connection, server, context)
            if server.user:
                connection.login(server.user, server.password)
            connection.send_message(letter)
            # From here on the letter is accepted, whatever becomes of the connection.
            with contextlib.suppress(smtplib.SMTPException, OSError):
                connection.quit()


class _Bounded(smtplib.SMTP):
    """A conversation that ends at a deadline, and in which the server may send so many lines."""

    def __init__(self, name: str) -> None:
        super().__init__(local_hostname=name)
        self._deadline = ConnectionDeadline()

    def greeted(self, host: str, port: int) -> None:
        """Connect, and read the greeting.

        Raises:
            SMTPConnectError: the server refuses.
        """
        self._host = host
        code, message = self.connect(host, port)
        if code != _READY:
            raise smtplib.SMTPConnectError(code, message)

    @contextlib.contextmanager
    def ended_after(self, seconds: float) -> Iterator[None]:
        """End the conversation at a deadline, whatever it is at.

        Raises:
            TimeoutError: it was ended.
        """
        try:
            with self._deadline.after(seconds):
                yield
        except (smtplib.SMTPException, OSError):
            if self._deadline.is_over:
                raise TimeoutError from None
            raise

    def getreply(self) -> tuple[int, bytes]:
        """Read a reply of few lines."""
        if self.file is None and self.sock is not None:
            self.file = _FewLines(self.sock.makefile("rb"))
        return super().getreply()

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        return self._deadline.watched(super()._get_socket(host, port, timeout))  # type: ignore[misc]


class _BoundedTls(_Bounded):
    """The same, which begins with TLS."""

    def __init__(self, name: str, context: ssl.SSLContext) -> None:
        super().__init__(name)
        self._context = context

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        connected = super()._get_socket(host, port, timeout)
        return self._context.wrap_socket(connected, server_hostname=host)


class _FewLines:
    """What a server sends, by lines."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._n_left = MOST_LINES

    def readline(self, most: int) -> bytes:
        """Read a line.

        Raises:
            OSError: they were too many.
        """
        self._n_left -= 1
        if self._n_left < 0:
            raise OSError("the mail server sends lines without end")
        return self._file.readline(most)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class _NoTlsError(Exception):
    """A password or a letter would have gone in the clear."""


def _start_tls(connection: smtplib.SMTP, server: _MailServer, context: ssl.SSLContext) -> None:
    if connection.has_extn("starttls"):
        connection.starttls(context=context)
        connection.ehlo()
    elif server.user or server.host not in LOOPBACK:
        raise _NoTlsError


def _letter(sender: Address, target: str, message: Message) -> EmailMessage:
    letter = EmailMessage(policy=SMTP)
    letter["From"] = sender
    letter["To"] = Address(addr_spec=target)
    letter["Subject"] = message.subject
    letter["Date"] = format_datetime(message.made_at)
    letter["Message-ID"] = f"<{message.notice}@{sender.domain}>"
    letter["Auto-Submitted"] = "auto-generated"
    letter[NOTICE_HEADER] = message.notice
    letter.set_content(message.text)
    return letter


def _parse_url(smtp_url: str) -> _MailServer:
    # The value is not shown: it holds a password.
    refusal = SettingsError("smtp_url", "(given)", "smtp://USER:PASSWORD@HOST:587 or smtps://USER:PASSWORD@HOST:465")
    try:
        url = urlsplit(smtp_url)
        port = url.port
    except ValueError:
        raise refusal from None
    if url.scheme not in ("smtp", "smtps") or not url.hostname or url.path not in ("", "/") or url.query:
        raise refusal
    is_tls = url.scheme == "smtps"
    user, password = unquote(url.username or ""), unquote(url.password or "")
    if not (user + password).isascii():
        raise SettingsError("smtp_url", "(given)", "a user and a password in ASCII")
    return _MailServer(url.hostname, port or (465 if is_tls else 587), is_tls, user, password)


def _sender(smtp_from: str) -> Address:
    name, address = parseaddr(smtp_from)
    try:
        sender = Address(display_name=name, addr_spec=address)
    except (ValueError, MessageError, IndexError):
        sender = Address()
    if not sender.username or not sender.domain:
        raise SettingsError("smtp_from", smtp_from, "an address such as saidonce@example.com")
    return sender
