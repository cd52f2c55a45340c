"""The commands about people, keys and channels, over a real database."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from saidonce.adapters.clock import SystemClock
from saidonce.adapters.postgres import open_store
from saidonce.errors import AccessError
from saidonce.foundation.model import Scope
from saidonce.interfaces.cli.people import channels_app, keys_app, people_app, worker
from saidonce.platform import access


@dataclass
class Line:
    """The command line over one data folder."""

    app: typer.Typer
    data_dir: Path

    def __call__(self, *words: str, code: int = 0) -> str:
        done = CliRunner().invoke(self.app, list(words))
        assert done.exit_code == code, done.output
        return done.stdout if code == 0 else done.stderr

    def json(self, *words: str) -> Any:
        return json.loads(self(*words, "--json"))


@pytest.fixture
def line(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Line:
    monkeypatch.setenv("SAIDONCE_DATA_DIR", str(data_dir))
    app = typer.Typer()
    app.add_typer(people_app, name="people")
    app.add_typer(keys_app, name="keys")
    app.add_typer(channels_app, name="channels")
    app.command(name="worker")(worker)
    return Line(app, data_dir)


def test_people_come_change_and_leave(line: Line) -> None:
    assert "no people yet" in line("people", "list")
    assert "olga is now owner" in line("people", "add", "olga", "olga@example.com", "--role", "owner")
    added = line.json("people", "add", "rita", "--role", "reviewer")
    assert (added["name"], added["role"], added["scopes"]) == ("rita", "reviewer", ["read", "residents", "review"])
    assert "already" in line("people", "add", "rita", code=2)
    assert "last owner" in line("people", "leave", "olga", code=2)
    line("people", "role", "rita", "owner")
    line("people", "leave", "olga")
    assert [(p["name"], p["role"], p["left_at"] is None) for p in line.json("people", "list")] == [
        ("olga", "owner", False),
        ("rita", "owner", True),
    ]
    assert "left 2" in line("people", "list")
    assert "no person 'eve'" in line("people", "leave", "eve", code=2)


def test_keys_are_shown_once_and_work(line: Line) -> None:
    line("people", "add", "rita", "--role", "reviewer")
    presented = line("keys", "make", "rita", "--label", "laptop", "--scope", "read", "--scope", "review").strip()
    made = line.json("keys", "make", "rita")
    assert made["scopes"] == ["read", "residents", "review"]
    assert "hash" not in made
    assert "scope admin" in line("keys", "make", "rita", "--scope", "admin", code=1)
    listed = line("keys", "list")
    assert presented not in listed
    assert presented.rsplit("_", 1)[1] not in json.dumps(line.json("keys", "list"))
    store = open_store("", line.data_dir, "default")
    try:
        now = SystemClock().now()
        assert access.authenticate(store, presented, now).scopes == {Scope.READ, Scope.REVIEW}
        line("keys", "revoke", made["id"])
        with pytest.raises(AccessError):
            access.authenticate(store, made["key"], now)
    finally:
        store.close()
    assert "revoked" in line("keys", "list")
    assert "active 2" in line("people", "list")


@pytest.fixture
def receiver() -> Iterator[tuple[str, list[bytes]]]:
    bodies: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/a-secret-path", bodies
    server.shutdown()
    server.server_close()


def test_channels_are_added_tried_and_removed(
    line: Line, receiver: tuple[str, list[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, bodies = receiver
    assert "no channels" in line("channels", "list")
    added = line.json("channels", "add", "webhook", url, "--digest", "now", "--owner", "ann")
    assert len(added["secret"]) == 64
    line("channels", "add", "email", "ann@example.com", "--digest", "daily")
    listed = line("channels", "list")
    assert "a-secret-path" not in listed
    assert added["secret"] not in listed + json.dumps(line.json("channels", "list"))
    assert "ann@example.com" in listed
    assert "every 86400 s" in listed
    assert "private" in line("channels", "test", added["id"], code=1)
    monkeypatch.setenv("SAIDONCE_WEBHOOK_ALLOW_PRIVATE", "true")
    line("channels", "test", added["id"])
    assert json.loads(bodies[0])["test"] is True
    line("worker", "--once")
    assert len(bodies) == 1
    line("channels", "remove", added["id"])
    assert "no channel" in line("channels", "remove", added["id"], code=2)
    assert "not an e-mail address" in line("channels", "add", "email", "nobody", code=2)
    assert "https://" in line("channels", "add", "webhook", "ftp://x", code=2)


def test_help_has_examples(line: Line) -> None:
    for words in (("people", "add"), ("keys", "make"), ("channels", "add"), ("channels", "test"), ("worker",)):
        assert "Example" in line(*words, "--help")
