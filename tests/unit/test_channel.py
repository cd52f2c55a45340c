"""Webhooks and e-mail at their edges: where they do not go, what they do not wait for, what they do not tell."""

from __future__ import annotations

import datetime as dates
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
from benchmarks.free_ports import free_port
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from saidonce.adapters.senders import EmailSender, WebhookSender, open_senders
from saidonce.adapters.senders.webhook import is_public, signature
from saidonce.errors import DeliveryError, SettingsError
from saidonce.foundation.model import Channel, ChannelKind
from saidonce.foundation.ports.sending import Message

NOW = datetime(2026, 1, 17, 14, tzinfo=UTC)
MESSAGE = Message(
    "0123abcd", "north", NOW, "saidonce: 1 merged (north)", "One line.\nÄnother.\n", {"notice": "0123abcd"}
)
PASSWORD = "a password/with@signs"


def channel(target: str, kind: ChannelKind = ChannelKind.WEBHOOK) -> Channel:
    return Channel("c1", kind, target, "", 0, "s3cret", 0, NOW)


@contextmanager
def answering(answer: Callable[[socket.socket], None]) -> Iterator[int]:
    """A server that does with every connection what it is told to do."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    try:
                        answer(connection)
                    except OSError:
                        continue

        threading.Thread(target=serve, daemon=True).start()
        yield int(server.getsockname()[1])
        server.shutdown(socket.SHUT_RDWR)


def replying(content: bytes) -> Callable[[socket.socket], None]:
    def answer(connection: socket.socket) -> None:
        while not connection.recv(65_536).endswith(b"}"):
            pass
        connection.sendall(content)

    return answer


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fe80::1%eth0",
        "fc00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
        "2002:7f00:1::", "2001:db8::1",
    ],
)  # fmt: skip
def test_private_addresses_in_every_disguise(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["fec0::1", "feff::1", "192.88.99.1", "2002:c058:6301::1"])
def test_addresses_of_former_purposes_are_not_public(address: str) -> None:
    assert not is_public(address)


def test_a_name_that_nobody_tells_is_waited_for_until_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    told = threading.Event()

    def hangs(*_: Any, **__: Any) -> list[Any]:
        told.wait(30)
        raise socket.gaierror("never")

    monkeypatch.setattr(socket, "getaddrinfo", hangs)
    with pytest.raises(DeliveryError, match="too long"):
        WebhookSender(False, 0.3).send(channel("https://slow.example.com/x"), MESSAGE)
    told.set()


@pytest.mark.parametrize(
    "address", ["1.1.1.1", "93.184.215.14", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_public_addresses(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.1:{port}/x", "http://localhost:{port}/x", "http://[::ffff:127.0.0.1]:{port}/x",
        "http://2130706433:{port}/x", "http://0x7f.1:{port}/x", "http://0:{port}/x",
    ],
)  # fmt: skip
def test_private_receivers_are_refused_before_anything_is_sent(target: str) -> None:
    reached = []
    with answering(lambda c: reached.append(c.recv(1))) as port, pytest.raises(DeliveryError, match=r"private|known"):
        WebhookSender(False, 2.0).send(channel(target.format(port=port)), MESSAGE)
    assert reached == []


def test_a_name_that_also_leads_to_a_private_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def both(host: str, port: int, **_: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in ("1.1.1.1", "10.0.0.1")]

    monkeypatch.setattr(socket, "getaddrinfo", both)
    with pytest.raises(DeliveryError, match="private"):
        WebhookSender(False, 2.0).send(channel("https://rebinding.example.com/x"), MESSAGE)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:9/\r\n\r\n", "a redirect, which is not followed"),
        (b"HTTP/1.1 500 No\r\n\r\n", "answered 500"),
        (b"HTTP/1.1 410 Gone\r\n\r\n", "answered 410"),
        (b"", "the connection failed"),
        (b"rubbish\r\n\r\n", "the connection failed"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: " + b"x" * 100_000, "the connection failed"),
    ],
)
def test_answers_that_are_no_acceptance(answer: bytes, reason: str) -> None:
    with answering(replying(answer)) as port, pytest.raises(DeliveryError, match=reason) as failed:
        WebhookSender(True, 30.0).send(channel(f"http://127.0.0.1:{port}/a-secret-path"), MESSAGE)
    assert "a-secret-path" not in str(failed.value)
    assert "s3cret" not in str(failed.value)


def test_an_acceptance_does_not_wait_for_a_body() -> None:
    with answering(replying(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")) as port:
        WebhookSender(True, 30.0).send(channel(f"http://127.0.0.1:{port}/?a=b"), MESSAGE)


def trickle(connection: socket.socket) -> None:
    connection.recv(65_536)
    for _ in range(100):
        connection.sendall(b"H")
        time.sleep(0.1)


@pytest.mark.parametrize("behaviour", [trickle, lambda c: time.sleep(5)], ids=["letter by letter", "silent"])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_slow_receiver_is_given_up_in_time(scheme: str, behaviour: Callable[[socket.socket], None]) -> None:
    says = "too long" if scheme == "http" else "too long|TLS failed"
    with answering(behaviour) as port, pytest.raises(DeliveryError, match=says):
        WebhookSender(True, 0.5).send(channel(f"{scheme}://127.0.0.1:{port}/"), MESSAGE)


@pytest.mark.parametrize("target", ["http://127.0.0.1:9/", "https://no-such-host.invalid/", "http://a..b/"])
def test_receivers_that_are_not_there(target: str) -> None:
    with pytest.raises(DeliveryError):
        WebhookSender(True, 30.0).send(channel(target), MESSAGE)


def test_the_signature_covers_time_and_body() -> None:
    assert signature("k", 1, b"{}") == signature("k", 1, b"{}")
    assert len({signature(*each) for each in (("k", 1, b"{}"), ("k", 2, b"{}"), ("k", 1, b"[]"), ("j", 1, b"{}"))}) == 4


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate of 127.0.0.1 and localhost that signs itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(dates.UTC)
    names = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(1).not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("tls")
    (folder / "cert.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )  # fmt: skip
    return folder / "cert.pem", folder / "key.pem"


def served(certificate: tuple[Path, Path]) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    return context


def test_tls_is_checked(certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    context = served(certificate)

    def answer(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as over:
            replying(b"HTTP/1.1 204 None\r\n\r\n")(over)

    with answering(answer) as port:
        to = channel(f"https://127.0.0.1:{port}/")
        with pytest.raises(DeliveryError, match="TLS failed"):
            WebhookSender(True, 30.0).send(to, MESSAGE)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
        WebhookSender(True, 30.0).send(to, MESSAGE)


class Mailbox:
    def __init__(self, code: str = "250 taken") -> None:
        self.code = code
        self.letters: list[bytes] = []
        self.logins: list[tuple[bytes, bytes]] = []

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802  aiosmtpd's name
        self.letters.append(envelope.content)
        return self.code

    def authenticate(self, server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
        self.logins.append((data.login, data.password))
        return AuthResult(success=data.password == PASSWORD.encode(), handled=False)


@contextmanager
def mail_server(mailbox: Mailbox, **options: Any) -> Iterator[int]:
    port = free_port()
    server = Controller(mailbox, hostname="127.0.0.1", port=port, authenticator=mailbox.authenticate, **options)
    server.start()
    try:
        yield port
    finally:
        server.stop()


QUOTED = "kb:a%20password%2Fwith%40signs"
ANN = channel("ann@example.com", ChannelKind.EMAIL)


def test_mail_logs_in_only_after_starttls(certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    mailbox = Mailbox()
    with mail_server(mailbox, tls_context=served(certificate), auth_require_tls=True) as port:
        sender = EmailSender(f"smtp://{QUOTED}@127.0.0.1:{port}", "kb@example.com", 5.0)
        with pytest.raises(DeliveryError) as failed:  # Nobody vouches for its certificate.
            sender.send(ANN, MESSAGE)
        assert mailbox.logins == []
        assert "ssword" not in str(failed.value)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
        sender.send(ANN, MESSAGE)
        assert mailbox.logins == [(b"kb", PASSWORD.encode())]
        assert b"Message-ID: <0123abcd@example.com>" in mailbox.letters[0]
        wrong = EmailSender(f"smtp://kb:wrong@127.0.0.1:{port}", "kb@example.com", 5.0)
        with pytest.raises(DeliveryError, match="answered 535"):
            wrong.send(ANN, MESSAGE)


def test_a_password_never_goes_in_the_clear() -> None:
    mailbox = Mailbox()
    with mail_server(mailbox, auth_require_tls=False) as port, pytest.raises(DeliveryError, match="does not offer TLS"):
        EmailSender(f"smtp://{QUOTED}@127.0.0.1:{port}", "kb@example.com", 5.0).send(ANN, MESSAGE)
    assert (mailbox.logins, mailbox.letters) == ([], [])


def test_mail_without_a_password_goes_in_the_clear_on_this_machine_only() -> None:
    mailbox = Mailbox()
    with mail_server(mailbox) as port:
        EmailSender(f"smtp://127.0.0.1:{port}", "kb@example.com", 5.0).send(ANN, MESSAGE)
    assert len(mailbox.letters) == 1


@pytest.mark.parametrize("code", ["451 later", "550 never"])
def test_mail_that_is_refused_is_not_delivered(code: str) -> None:
    with mail_server(Mailbox(code)) as port, pytest.raises(DeliveryError, match=f"answered {code[:3]}"):
        EmailSender(f"smtp://127.0.0.1:{port}", "kb@example.com", 5.0).send(ANN, MESSAGE)


def test_mail_needs_settings_when_it_is_sent() -> None:
    senders = open_senders("", "", allow_private=False, timeout_s=1.0)
    with pytest.raises(DeliveryError, match="smtp_url"):
        senders[ChannelKind.EMAIL].send(ANN, MESSAGE)


@pytest.mark.parametrize(
    "url",
    ["http://x", "smtp://", "smtp://kb:pw@host:port", "smtp://kb:pw@host/?x", "host:25", "smtp://kb:pw%C3%A4@host"],
)
def test_mail_servers_that_are_none_are_refused_without_being_shown(url: str) -> None:
    with pytest.raises(SettingsError, match="smtp_url") as refused:
        EmailSender(url, "kb@example.com", 1.0)
    assert "pw" not in str(refused.value)


@pytest.mark.parametrize("sender", ["kb", "kb@", "@example.com", "Said Once"])
def test_senders_that_are_none_are_refused(sender: str) -> None:
    with pytest.raises(SettingsError, match="smtp_from"):
        EmailSender("smtp://host", sender, 1.0)
