"""Notices from end to end: PostgreSQL, the job queue, a real worker process, a real receiver and a real mail server."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import psycopg
import pytest
from aiosmtpd.controller import Controller
from benchmarks.free_ports import free_port

from saidonce.adapters.clock import SystemClock
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.adapters.postgres import open_store
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.app.repairs_service import Repairs
from saidonce.documents.parse import parse
from saidonce.errors import SourceRefusedError, StoreUnavailableError
from saidonce.foundation.context import Context, Source
from saidonce.foundation.model import POLICY, Channel, ChannelKind, Document
from saidonce.foundation.model.residents import (
    ChannelIdentity,
    Inbound,
    InboundKind,
    Property,
    Resident,
    Tenancy,
    Via,
)
from saidonce.foundation.settings.policy import load_settings
from saidonce.foundation.settings.reading import settings_from
from saidonce.interfaces.cli.serve import warn_of_unreached
from saidonce.interfaces.worker import prepare, work
from saidonce.interfaces.worker.jobs import orgs_to_tell
from saidonce.kb.ingest import ingest
from saidonce.platform import notifications
from saidonce.repairs import conversation
from saidonce.repairs.conversation import ConversationDeps, wording
from waiting_for import eventually

WORK = (
    "from saidonce.foundation.settings.reading import settings_from; from saidonce.interfaces.worker import work; "
    "work(settings_from(), once={once})"
)
TEXT = "Backups of all customer files are kept for thirty days in two regions."


class PlainParser:
    """Takes every source as one paragraph."""

    def map(self, sources: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, Document | SourceRefusedError]]:
        for name, content in sources:
            yield name, parse(name, content)


@dataclass
class Post:
    """What the receiver got."""

    headers: dict[str, str]
    body: bytes
    status: int

    @property
    def data(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found

    @property
    def decisions(self) -> list[int]:
        return [d["decision"] for d in self.data["decisions"]]


@dataclass
class Receiver:
    """Takes webhooks; fails as often as told, and may do something before it answers."""

    url: str = ""
    failures: int = 0
    before_answer: Callable[[], None] = lambda: None
    posts: list[Post] = field(default_factory=list)

    def told(self) -> dict[str, list[int]]:
        """Decisions by notice; every repetition of a notice tells the same."""
        found: dict[str, list[int]] = {}
        for post in self.posts:
            notice = post.headers["x-saidonce-notice"]
            assert found.setdefault(notice, post.decisions) == post.decisions
        return found


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    found = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status = 500 if found.failures > 0 else 204
            found.failures -= 1
            found.posts.append(Post({k.lower(): v for k, v in self.headers.items()}, body, status))
            found.before_answer()
            self.send_response(status)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

        def handle(self) -> None:
            with suppress(ConnectionError):  # The worker was killed.
                super().handle()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    found.url = f"http://127.0.0.1:{server.server_address[1]}/hooks/a-secret-path"
    yield found
    server.shutdown()
    server.server_close()


@dataclass
class Site:
    """An organisation on a server, and workers as processes of their own."""

    base: Context
    env: dict[str, str]
    n: int = 0

    def merges(self, n: int) -> None:
        """Have the ladder merge n times."""
        for _ in range(n):
            self.n += 1
            content = (TEXT + "\n" * self.n).encode()
            ingest(self.base, [Source(f"{self.n}.md", lambda: content)], "main")  # noqa: B023  read at once

    @property
    def automatic(self) -> list[int]:
        return [d.seq for d in self.base.store.ledger.log() if d.actor == POLICY]

    def add(self, kind: ChannelKind, target: str) -> Channel:
        return notifications.add_channel(self.base, kind, target, "", 0, os.urandom)

    def worker(self, once: bool = False, **env: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", WORK.format(once=once)], env={**self.env, **env}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/",
        )  # fmt: skip

    def worker_done(self, **env: str) -> str:
        """Have a worker do what there is to do, and end; return what it writes."""
        worker = self.worker(once=True, **env)
        _, told = worker.communicate(timeout=120)
        assert worker.returncode == 0, told
        return told

    def once(self, **env: str) -> None:
        """Do in this process what there is to do: a worker takes two seconds of the processor to start."""
        with pytest.MonkeyPatch.context() as patch:
            for name, value in {**self.env, **env}.items():
                patch.setenv(name, value)
            patch.chdir("/")  # no settings file of whoever runs the tests
            work(settings_from(), once=True)


@contextmanager
def opened(url: str, folder: Path, org: str) -> Iterator[Site]:
    store = open_store(url, folder, org, SystemClock())
    where = {"SAIDONCE_DATABASE_URL": url} if url else {"SAIDONCE_DATA_DIR": str(folder)}
    settings = load_settings(collection_use="canonical", segment_style="whole")
    env = {
        **os.environ, **where, "SAIDONCE_ORG": org, "SAIDONCE_WEBHOOK_ALLOW_PRIVATE": "true",
        "SAIDONCE_NOTIFY_WAIT_S": "0.2", "SAIDONCE_WORKER_STALLED_S": "1", "SAIDONCE_SEND_TIMEOUT_S": "5",
        "SAIDONCE_PUBLIC_URL": "https://kb.example.com", "SAIDONCE_EMBED_THREADS": "1",
    }  # fmt: skip
    site = Site(Context(store, HashedEmbedder(256), PlainParser(), SystemClock(), settings), env)
    site.merges(1)  # The first one has nothing to be merged with.
    try:
        yield site
    finally:
        store.close()


@pytest.fixture
def site(data_dir: Path, org: str) -> Iterator[Site]:
    """On an embedded server of its own, since a worker serves all organisations of a database."""
    with opened("", data_dir, org) as found:
        yield found


def stop(worker: subprocess.Popen[str]) -> str:
    worker.send_signal(signal.SIGTERM)
    _, told = worker.communicate(timeout=60)
    assert worker.returncode == 0, told
    return told


def test_a_receiver_that_fails_twice_gets_the_notice_from_the_queue(site: Site, receiver: Receiver) -> None:
    channel = site.add(ChannelKind.WEBHOOK, receiver.url)
    receiver.failures = 2
    site.merges(3)
    worker = site.worker()
    try:
        eventually(lambda: [p.status for p in receiver.posts] == [500, 500, 204])
        (notice,) = site.base.store.people.notices(channel.id)
        eventually(lambda: site.base.store.people.notices(channel.id)[0].delivered_at is not None)
    finally:
        told = stop(worker)
    assert "a-secret-path" not in told
    assert channel.secret not in told
    (noted,) = site.base.store.people.notices(channel.id)
    assert (noted.n_tries, noted.error) == (2, "")
    assert receiver.told() == {notice.id: site.automatic}
    for post in receiver.posts:
        assert post.headers["idempotency-key"] == notice.id
        parts = dict(part.split("=") for part in post.headers["x-saidonce-signature"].split(","))
        signed = hmac.new(channel.secret.encode(), f"{parts['t']}.".encode() + post.body, hashlib.sha256)
        assert hmac.compare_digest(parts["v1"], signed.hexdigest())
        assert abs(time.time() - int(parts["t"])) < 300
    assert receiver.posts[-1].data["n_merges"] == 3
    assert receiver.posts[-1].data["decisions"][0]["url"].startswith("https://kb.example.com/blocks/")
    site.once()
    assert len(receiver.posts) == 3


def test_a_worker_killed_between_send_and_note_repeats_the_same_notice(site: Site, receiver: Receiver) -> None:
    channel = site.add(ChannelKind.WEBHOOK, receiver.url)
    for killed_at in (1, 3):
        site.merges(2)
        worker = site.worker(once=True)
        receiver.before_answer = worker.kill
        worker.communicate(timeout=60)
        assert worker.returncode == -signal.SIGKILL
        receiver.before_answer = lambda: None
        assert len(receiver.posts) == killed_at
        (notice, *_) = site.base.store.people.notices(channel.id)
        assert notice.delivered_at is None
        time.sleep(1.1)  # The dead worker's signs of life have to grow old.
        site.once()
        assert [p.headers["x-saidonce-notice"] for p in receiver.posts[-2:]] == [notice.id, notice.id]
    assert len(receiver.posts) == 4
    told = receiver.told()
    assert len(told) == 2
    assert [seq for notice in told.values() for seq in notice] == site.automatic


@pytest.mark.slow  # in the check, one is killed where it would hurt most
@pytest.mark.parametrize("moments", [(0.4, 0.5, 0.6, 0.7, 0.8, 0.9)])
def test_workers_killed_at_any_moment_lose_nothing_and_double_nothing(
    site: Site, receiver: Receiver, moments: tuple[float, ...]
) -> None:
    site.add(ChannelKind.WEBHOOK, receiver.url)
    receiver.failures = 1
    site.merges(1)
    begun = time.monotonic()
    site.worker_done()
    usual_s = time.monotonic() - begun
    for part in moments:
        site.merges(1)
        worker = site.worker(once=True)
        time.sleep(usual_s * part)
        worker.kill()
        worker.communicate()
    for _ in range(3):
        time.sleep(1.1)
        site.once()
    told = receiver.told()
    assert sorted(seq for notice in told.values() for seq in notice) == site.automatic
    assert notifications.pending(site.base) == []


@pytest.mark.slow
def test_many_workers_share_the_work(site: Site, receiver: Receiver) -> None:
    for _ in range(4):
        site.add(ChannelKind.WEBHOOK, receiver.url)
    site.merges(2)
    workers = [site.worker(once=True) for _ in range(3)]
    for worker in workers:
        _, told = worker.communicate(timeout=120)
        assert worker.returncode == 0, told
    site.once()
    assert len(receiver.posts) == 4
    assert len(receiver.told()) == 4
    assert all(told == site.automatic for told in receiver.told().values())


@pytest.mark.slow
def test_a_notice_that_keeps_failing_is_given_up(site: Site, receiver: Receiver) -> None:
    channel = site.add(ChannelKind.WEBHOOK, receiver.url)
    receiver.failures = 99
    site.merges(1)
    for _ in range(4):
        told = site.worker_done(SAIDONCE_NOTIFY_TRIES="2")
        assert "a-secret-path" not in told
        time.sleep(0.3)
    assert len(receiver.posts) == 2
    (notice,) = site.base.store.people.notices(channel.id)
    assert (notice.n_tries, notice.delivered_at) == (2, None)
    assert notice.error.startswith("the receiver answered 500")


class Mailbox:
    """A mail server's handler that keeps what it takes."""

    def __init__(self) -> None:
        self.letters: list[tuple[list[str], EmailMessage]] = []

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802  aiosmtpd's name
        parsed = BytesParser(EmailMessage, policy=default).parsebytes(envelope.content)
        assert isinstance(parsed, EmailMessage)
        self.letters.append((envelope.rcpt_tos, parsed))
        return "250 taken"


def test_a_digest_arrives_by_mail(site: Site) -> None:
    mailbox = Mailbox()
    port = free_port()
    server = Controller(mailbox, hostname="127.0.0.1", port=port)
    server.start()
    try:
        channel = site.add(ChannelKind.EMAIL, "ann@example.com")
        site.merges(2)
        site.once(SAIDONCE_SMTP_URL=f"smtp://127.0.0.1:{port}", SAIDONCE_SMTP_FROM="Said Once <kb@example.com>")
        site.once(SAIDONCE_SMTP_URL=f"smtp://127.0.0.1:{port}", SAIDONCE_SMTP_FROM="Said Once <kb@example.com>")
    finally:
        server.stop()
    ((to, letter),) = mailbox.letters
    (notice,) = site.base.store.people.notices(channel.id)
    assert to == ["ann@example.com"]
    assert letter["Message-ID"] == f"<{notice.id}@example.com>"
    assert letter["X-Saidonce-Notice"] == notice.id
    assert letter["From"] == "Said Once <kb@example.com>"
    assert letter["Subject"].startswith("saidonce: 2 merged (org-")
    content = letter.get_content()
    assert TEXT in content
    assert content.count("https://kb.example.com/blocks/") == 2


def test_one_worker_serves_all_organisations_and_sees_no_more_of_them(
    site: Site, receiver: Receiver, data_dir: Path
) -> None:
    with opened("", data_dir, "another one") as other, opened("", data_dir, "a quiet one"):
        one, two = site.add(ChannelKind.WEBHOOK, receiver.url), other.add(ChannelKind.WEBHOOK, receiver.url)
        site.merges(1)
        other.merges(2)
        assert orgs_to_tell(_url(data_dir)) == sorted(["another one", site.base.store.org])
        site.once()
        told = {p.data["org"]: p.data["n_merges"] for p in receiver.posts}
        assert told == {site.base.store.org: 1, "another one": 2}
        assert [n.channel for n in site.base.store.people.notices(one.id)] == [one.id]
        assert [n.channel for n in other.base.store.people.notices(two.id)] == [two.id]


def _url(data_dir: Path) -> str:
    server = EmbeddedServer(data_dir)
    url = server.url
    server.close()
    return url


def test_an_ordinary_login_suffices(external_server: str, receiver: Receiver, org: str, tmp_path: Path) -> None:
    with opened(external_server, tmp_path, org) as site:
        channel = site.add(ChannelKind.WEBHOOK, receiver.url)
        site.merges(1)
        site.once()
        assert len(receiver.posts) == 1
        site.base.store.people.drop_channel(channel.id)
    with psycopg.connect(external_server) as connection:
        connection.execute("set local role saidonce_app")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("select * from procrastinate.procrastinate_jobs")
    prepare(external_server)  # A second time it changes nothing.


def test_a_login_without_rights_is_told_what_an_administrator_must_run(data_dir: Path) -> None:
    server = EmbeddedServer(data_dir)
    url = psycopg.conninfo.make_conninfo(server.url, user="weak")
    try:
        with psycopg.connect(server.url, autocommit=True) as admin:
            admin.execute("create role weak login")
            with pytest.raises(StoreUnavailableError, match="create schema procrastinate authorization"):
                prepare(url)
            admin.execute("create schema procrastinate authorization weak")
        prepare(url)
        with psycopg.connect(url) as weak:
            assert weak.execute("select count(*) from procrastinate.procrastinate_jobs").fetchone() == (0,)
    finally:
        server.close()


def test_a_database_that_is_not_there_is_told() -> None:
    with pytest.raises(StoreUnavailableError, match="not available"):
        prepare("host=127.0.0.1 port=9 user=nobody dbname=nothing")


def test_an_upgraded_queue_library_upgrades_its_tables(data_dir: Path) -> None:
    server = EmbeddedServer(data_dir)
    try:
        prepare(server.url)
        with psycopg.connect(server.url, autocommit=True) as connection:
            last = "03.04.00_50_post_add_retry_failed_job_procedure.sql"
            connection.execute("delete from procrastinate.saidonce_applied where name = %s", (last,))
            prepare(server.url)
            assert connection.execute(
                "select count(*) from procrastinate.saidonce_applied where name = %s", (last,)
            ).fetchone() == (1,)
            connection.execute("insert into procrastinate.saidonce_applied values ('99.00.00_01_pre_x.sql')")
        with pytest.raises(Exception, match="upgrade saidonce"):
            prepare(server.url)
    finally:
        server.close()


def merged(site: Site, n: int) -> bool:
    """Merge once more unless that was done n times; what the server's end cut off is done again."""
    with suppress(StoreUnavailableError):
        if len(site.automatic) < n:
            site.merges(1)
        return len(site.automatic) >= n
    return False


def test_a_worker_outlives_its_database(site: Site, receiver: Receiver, data_dir: Path) -> None:
    site.add(ChannelKind.WEBHOOK, receiver.url)
    site.merges(1)
    worker = site.worker()
    try:
        eventually(lambda: len(receiver.posts) == 1)
        server = EmbeddedServer(data_dir)
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        server.close()
        eventually(lambda: merged(site, 2))
        eventually(lambda: sorted(n for t in receiver.told().values() for n in t) == site.automatic)
    finally:
        stop(worker)
    assert sorted(seq for told in receiver.told().values() for seq in told) == site.automatic


def test_times_are_aware(site: Site, receiver: Receiver) -> None:
    site.add(ChannelKind.WEBHOOK, receiver.url)
    site.merges(1)
    site.once()
    (post,) = receiver.posts
    made_at = datetime.fromisoformat(post.data["made_at"])
    assert made_at.utcoffset() is not None
    assert abs((datetime.now(UTC) - made_at).total_seconds()) < 120


SERVE = "from saidonce.interfaces.cli import app; app(['serve', '--port', '{port}'])"


@contextmanager
def serving(site: Site, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A server as a process of its own; it ends before this does."""
    with (folder / "serve.err").open("w") as err:
        server = subprocess.Popen(
            [sys.executable, "-c", SERVE.format(port=free_port())], env=site.env, text=True,
            stdout=subprocess.DEVNULL, stderr=err, cwd="/",
        )  # fmt: skip
        try:
            eventually(lambda: "http://127.0.0.1" in (folder / "serve.err").read_text())
            yield server
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(60)


def smoke(site: Site, n: int) -> None:
    """Somebody who lives here writes of smoke."""
    store, now = site.base.store.conversations, datetime.now(UTC)
    store.put_home(
        Property(f"p{n}", f"{n} Elm Road"), Resident(f"r{n}", "Ana Bell", (f"+4477009000{n:02}",)),
        Tenancy(f"t{n}", f"p{n}", f"r{n}", now),
    )  # fmt: skip
    sender = ChannelIdentity(Via.WEB, f"w{n}", f"+4477009000{n:02}")
    conversation.keep(
        ConversationDeps(store, SystemClock()), Inbound(sender, "web", f"m{n}", InboundKind.TEXT, now, now, "smoke!")
    )


def warned_of_unreached(site: Site, capsys: pytest.CaptureFixture[str]) -> str:
    """What a server that started now would print of landlords whom nothing reaches; one takes five seconds to start."""
    capsys.readouterr()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in site.env.items():
            patch.setenv(name, value)
        patch.chdir("/")
        with KnowledgeBase(settings_from()) as base:
            warn_of_unreached(Repairs(base, base.for_org))
    return " ".join(capsys.readouterr().err.split())


def test_serve_delivers_by_itself_and_beside_a_worker_each_notice_once(
    site: Site, receiver: Receiver, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    smoke(site, 1)
    with serving(site, tmp_path):
        eventually(lambda: any("could not reach" in m.text for m in site.base.store.conversations.outbox()))
        assert "no channel takes notifications" in (tmp_path / "serve.err").read_text()
        assert "no channel takes notifications" in warned_of_unreached(site, capsys)
        mail = site.add(ChannelKind.EMAIL, "ann@example.com")
        assert "its channels cannot send: e-mail needs smtp_url" in warned_of_unreached(site, capsys)
        notifications.remove_channel(site.base, mail.id)
        site.add(ChannelKind.WEBHOOK, receiver.url)
        receiver.failures = 1
        assert "no channel takes notifications" not in warned_of_unreached(site, capsys)
        smoke(site, 2)
        eventually(lambda: any(m.text == wording.LANDLORD_NOTIFIED for m in site.base.store.conversations.outbox()))
        workers = [site.worker(once=True) for _ in range(2)]
        for n in range(3, 9):
            smoke(site, n)
        for worker in workers:
            _, told = worker.communicate(timeout=120)
            assert worker.returncode == 0, told
        eventually(
            lambda: sum(m.text == wording.LANDLORD_NOTIFIED for m in site.base.store.conversations.outbox()) == 7
        )
        eventually(lambda: not notifications.pending(site.base))
    taken = [p.headers["x-saidonce-notice"] for p in receiver.posts if p.status == 204]
    assert len(taken) == len(set(taken))
    events = [json.loads(p.body)["event"] for p in receiver.posts if p.status == 204]
    assert events.count("emergency_unverified") == 7
