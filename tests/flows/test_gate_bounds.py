"""What one request may ask of a gate over HTTP, and one key of a minute."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI, HTTPException
from starlette.testclient import TestClient

from judges import Judge, distinct
from saidonce import KnowledgeBase
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.foundation.model import Submission
from saidonce.interfaces.http import create_app
from saidonce.interfaces.http.gate_bounds import WorkAllowance, check_words
from saidonce.testing import MemoryStore


class Passing:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def test_words_of_all_parts_of_all_submissions_count() -> None:
    parts = [Submission("one two", "three"), Submission("four", "", (("place", "five six"),))]
    check_words(parts, 6)
    check_words(parts, 0)
    with pytest.raises(HTTPException) as refused:
        check_words(parts, 5)
    assert refused.value.status_code == 413
    assert str(refused.value.detail).startswith("submissions[1]: the request has 6 words up to here; at most 5")
    assert "gate_max_words" in str(refused.value.detail)


def test_a_key_waits_for_what_it_worked_beyond_its_share() -> None:
    clock = Passing()
    allowance = WorkAllowance(clock)
    allowance.charge("a", 29.0, 30.0)
    assert allowance.wait_s("a", 30.0) == 0
    allowance.charge("a", 6.0, 30.0)
    assert allowance.wait_s("a", 30.0) == pytest.approx(10.0)
    assert allowance.wait_s("b", 30.0) == 0
    clock.now += 10.0
    assert allowance.wait_s("a", 30.0) == 0
    clock.now += 3_600.0
    allowance.charge("a", 30.0, 30.0)
    assert allowance.wait_s("a", 30.0) == 0


def test_the_keys_that_are_remembered_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("saidonce.interfaces.http.gate_bounds.MOST_KEYS", 2)
    allowance = WorkAllowance(Passing())
    for key in "abc":
        allowance.charge(key, 99.0, 30.0)
    assert [allowance.wait_s(key, 30.0) > 0 for key in "abc"] == [False, True, True]


class Server:
    """A gate behind its API, its base in memory."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.base = KnowledgeBase(data_dir=folder, **settings)
        self.base._lazy.opened |= {
            "store": MemoryStore("default"), "embedder": HashedEmbedder(), "adjudicator": Judge(distinct),
        }  # fmt: skip
        self.app: FastAPI = create_app(self.base, local=True)
        self.client = TestClient(self.app, "http://127.0.0.1", raise_server_exceptions=False)
        found = re.search(r'name="csrf" value="([^"]+)"', self.client.get("/sign-in").text)
        assert found is not None
        self.headers = {"X-CSRF-Token": found[1]}

    def post(self, path: str, body: object) -> Any:
        return self.client.post(path, json=body, headers=self.headers)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    made = Server(tmp_path, gate_max_words=10, gate_seconds_per_minute=30.0)
    yield made
    made.client.close()


def test_a_request_of_too_many_words_is_413_and_names_the_setting(server: Server) -> None:
    for path, body in (
        ("/api/v1/gate/submissions", {"text": "word " * 11}),
        ("/api/v1/gate/batches", {"submissions": [{"text": "word " * 6}, {"text": "other " * 5}]}),
    ):
        answer = server.post(path, body)
        assert answer.status_code == 413
        assert "at most 10" in answer.json()["message"]
        assert "gate_max_words" in answer.json()["message"]
    assert server.post("/api/v1/gate/submissions", {"text": "word " * 10}).status_code == 200


def test_a_key_that_worked_too_long_is_429_with_the_time_to_wait(server: Server) -> None:
    clock = Passing()
    server.app.state.gate_work.monotonic = clock
    assert server.post("/api/v1/gate/submissions", {"text": "Paint the fence."}).status_code == 200
    (key,) = server.app.state.gate_work._used
    server.app.state.gate_work.charge(key, 40.0, 30.0)
    answer = server.post("/api/v1/gate/submissions", {"text": "Mow the lawn."})
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "20")
    assert "30 s" in answer.json()["message"]
    assert "gate_seconds_per_minute" in answer.json()["message"]
    clock.now += 20.0
    assert server.post("/api/v1/gate/submissions", {"text": "Mow the lawn."}).status_code == 200


def test_a_full_disk_under_a_request_is_said_as_such(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("saidonce.interfaces.http.gate.within_bounds", full)
    answer = server.post("/api/v1/gate/submissions", {"text": "Mow the lawn."})
    assert (answer.status_code, answer.json()["error"]) == (503, "DiskFull")
    assert "the disk is full: the upload cannot be written (volume " in answer.json()["message"]


def test_other_failures_of_the_system_stay_unforeseen(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(errno.EACCES, "not for you")

    monkeypatch.setattr("saidonce.interfaces.http.gate.within_bounds", refused)
    answer = server.post("/api/v1/gate/submissions", {"text": "Mow the lawn."})
    assert (answer.status_code, answer.json()["message"]) == (500, "the server failed")
