"""`saidonce serve` as a process: when it says it is there, who may come in, and what it leaves behind."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from benchmarks.free_ports import free_port

from website import doubtful, served

pytestmark = pytest.mark.xdist_group("api")


def servers_of(data_dir: Path) -> list[int]:
    """Running database servers whose folder is the base's."""
    found = []
    home = Path((data_dir / "home").read_text(encoding="utf-8").strip()) if (data_dir / "home").is_file() else data_dir
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[0].endswith(b"postgres") and any(bytes(home) in word for word in words):
                found.append(int(process.name))
    return found


def test_a_laptop_needs_no_key_until_somebody_is_added_and_a_polite_kill_leaves_nothing_running() -> None:
    with served(doubtful(2)) as site:
        assert site.get("/queue")["pairs"]
        assert servers_of(site.data_dir)
        site.run("people", "add", "ann", "ann@example.com", "--role", "owner")
        assert httpx.get(f"{site.url}/api/v1/queue").status_code == 401
        assert httpx.get(f"{site.url}/queue").headers["location"] == "/sign-in"
        assert httpx.get(f"{site.url}/oidc/begin").status_code == 404
        data_dir = site.data_dir
        taken = subprocess.run(
            [sys.executable, "-m", "saidonce", "serve", "--port", site.url.rpartition(":")[2]],
            check=False, env=site.env, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert taken.returncode == 2
        assert "Address already in use; choose another with --port" in taken.stderr
        assert "http://" not in taken.stderr
    assert servers_of(data_dir) == []


def test_it_names_its_address_once_it_listens(tmp_path: Path) -> None:
    port = free_port()
    env = {**os.environ, "SAIDONCE_DATA_DIR": str(tmp_path / "data"), "NO_COLOR": "1"}
    server = subprocess.Popen(
        [sys.executable, "-m", "saidonce", "serve", "--port", str(port)], env=env, stderr=subprocess.PIPE, text=True
    )
    assert server.stderr is not None
    said = server.stderr.readline()
    answer = httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=30)
    server.send_signal(signal.SIGTERM)
    _, told = server.communicate(timeout=30)
    assert f"http://127.0.0.1:{port}" in said
    assert answer.status_code == 200
    assert server.returncode == 128 + signal.SIGTERM, told


@pytest.mark.parametrize("before", [signal.default_int_handler, signal.SIG_IGN], ids=["alone", "in-the-background"])
def test_it_says_what_it_waits_for_and_a_second_interruption_drops_it_without_a_traceback(
    before: Callable[..., object] | signal.Handlers, tmp_path: Path
) -> None:
    port = free_port()
    env = {**os.environ, "SAIDONCE_DATA_DIR": str(tmp_path / "data"), "NO_COLOR": "1"}
    handler = signal.signal(signal.SIGINT, before)  # a shell ignores interruptions for what it starts with `&`
    server = subprocess.Popen(
        [sys.executable, "-m", "saidonce", "serve", "--port", str(port)], env=env, stderr=subprocess.PIPE, text=True
    )
    signal.signal(signal.SIGINT, handler)
    assert server.stderr is not None
    server.stderr.readline()
    with socket.create_connection(("127.0.0.1", port)) as half:
        half.sendall(b"POST /api/v1/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n{")
        httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=30)  # what was sent before is read by now
        server.send_signal(signal.SIGINT)
        # The answer to `healthz` may be read a moment before its request is over.
        waits = r"http\.stopping open_requests=[12], which a second interruption drops\n"
        assert re.fullmatch(waits, server.stderr.readline())
        server.send_signal(signal.SIGINT)
        _, told = server.communicate(timeout=30)
    assert (server.returncode, [line[:17] for line in told.splitlines()]) == (130, ["saidonce: stopped"])
