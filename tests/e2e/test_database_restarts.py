"""The database goes away and comes back under `serve` and the worker, started as the container file starts them."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
import yaml
from benchmarks.free_ports import free_port
from supply_chain.image import FILE, read

from command_line import environment
from conftest import prepared, reachable_folder
from saidonce.adapters.postgres.embedded import EmbeddedServer

READ_S, WRITE_S, BACK_S = 12.0, 45.0, 40.0
"""Longest waits that are shown here: of a read and of a write while the database is away, and until all works again."""

QUESTION = "how long are backups kept?"


@dataclass
class Stack:
    """A database at a URL, and the programs on it, as containers would have them."""

    folder: Path
    database: EmbeddedServer
    port: int
    programs: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def env(self) -> dict[str, str]:
        return environment(
            SAIDONCE_DATABASE_URL=self.database.url, SAIDONCE_DATA_DIR=str(self.folder / "files"),
            PYTHONPATH="", SAIDONCE_SYNC_ROOTS=f'["{self.folder}"]',
        )  # fmt: skip

    def run(self, *words: str) -> str:
        command = [sys.executable, "-m", "saidonce", *words]
        done = subprocess.run(command, env=self.env, capture_output=True, text=True, check=True, timeout=120)
        return done.stdout.strip()

    def start(self, name: str, words: list[str]) -> None:
        with (self.folder / f"{name}.log").open("wb") as log:
            command = [sys.executable, "-m", "saidonce", *words]
            self.programs[name] = subprocess.Popen(command, env=self.env, stdout=log, stderr=log)

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(encoding="utf-8")

    def end(self) -> None:
        for program in self.programs.values():
            program.terminate()
        for program in self.programs.values():
            program.wait(60)


@pytest.fixture
def stack() -> Iterator[Stack]:
    folder = reachable_folder()
    (folder / "files").mkdir()
    (folder / "texts").mkdir()
    (folder / "texts" / "backups.md").write_text("All backups are kept for 35 days.", encoding="utf-8")
    stack = Stack(folder, EmbeddedServer(prepared(folder / "database")), free_port())
    try:
        yield stack
    finally:
        stack.end()
        stack.database.close()
        shutil.rmtree(folder, ignore_errors=True)


def commands(port: int) -> dict[str, list[str]]:
    """What the two containers run: the worker's words of the compose file, the server's of the image."""
    services = yaml.safe_load((FILE.parent / "compose.yaml").read_text(encoding="utf-8"))["services"]
    _, *serve = read(FILE.read_text(encoding="utf-8")).command
    assert "command" not in services["serve"]
    words = [word.replace("8765", str(port)).replace("0.0.0.0", "127.0.0.1") for word in serve]
    return {"serve": words, "worker": services["worker"]["command"]}


def until(client: httpx.Client, path: str, status: int, seconds: float) -> None:
    """Ask until an answer has a status."""
    end, answer = time.monotonic() + seconds, "none"
    while time.monotonic() < end:
        try:
            answer = str(client.get(path).status_code)
        except httpx.HTTPError as failed:
            answer = type(failed).__name__
        if answer == str(status):
            return
        time.sleep(0.2)
    raise AssertionError(f"{path} did not answer {status} within {seconds} s, but {answer}")


def upload(client: httpx.Client, name: str) -> httpx.Response:
    return client.post("/api/v1/documents", files={"file": (name, f"The {name} is kept in the shed.".encode())})


def found(client: httpx.Client, words: str) -> list[str]:
    return [hit["text"] for hit in client.get("/api/v1/search", params={"q": words}).json()["hits"]]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_what_is_asked_while_the_database_is_away_fails_clearly_and_works_afterwards(stack: Stack) -> None:
    stack.run("people", "add", "ann", "--role", "owner")
    key = stack.run("keys", "make", "ann")
    stack.run("sync", str(stack.folder / "texts"), "--every", "10s")
    for name, words in commands(stack.port).items():
        stack.start(name, words)
    headers = {"Authorization": f"Bearer {key}"}
    with httpx.Client(base_url=f"http://127.0.0.1:{stack.port}", headers=headers, timeout=120) as client:
        until(client, "/healthz", 200, 120)
        assert found(client, QUESTION) == ["All backups are kept for 35 days."]
        assert upload(client, "ladder").status_code == 201

        stack.database.close()
        for path, is_page in ((f"/api/v1/search?q={QUESTION}", False), ("/search?q=backups", True)):
            began = time.monotonic()
            answer = client.get(path)
            assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5"), path
            assert time.monotonic() - began < READ_S, path
            assert "the database is not available" in answer.text
            assert ("<html" in answer.text) == is_page
        began = time.monotonic()
        refused = upload(client, "wheelbarrow")
        assert (refused.status_code, refused.json()["error"]) == (503, "StoreUnavailable")
        assert time.monotonic() - began < WRITE_S
        assert client.get("/healthz").status_code == 503
        time.sleep(12)  # Long enough for every program's waits to have grown.

        stack.database = EmbeddedServer(stack.folder / "database")
        until(client, f"/api/v1/search?q={QUESTION}", 200, BACK_S)
        assert [upload(client, name).status_code for name in ("wheelbarrow", "ladder")] == [201, 201]
        assert len(found(client, "Where is the wheelbarrow kept?")) >= 1
        stack.programs["serve"].terminate()
        assert stack.programs["serve"].wait(60) in (0, 143, -15)

    (stack.folder / "texts" / "gates.md").write_text("The north gate is locked at eight.", encoding="utf-8")
    end = time.monotonic() + BACK_S
    while "gates.md" not in stack.run("documents") and time.monotonic() < end:
        time.sleep(1)
    listed = stack.run("documents")
    assert listed.count("gates.md") == 1, f"the worker does not work: {stack.log('worker')[-2_000:]}"
    assert listed.count("wheelbarrow") >= 1
    assert stack.programs["worker"].poll() is None
    for name in stack.programs:
        assert "Traceback" not in stack.log(name), stack.log(name)[-6_000:]
