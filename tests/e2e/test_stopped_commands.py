"""A command that is stopped in the middle leaves outputs whole or absent, a base that opens, and no process behind."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from command_line import environment
from conftest import prepared, reachable_folder
from interruptions import started
from saidonce.adapters.postgres.embedded import EmbeddedServer

HANDBOOK = Path(__file__).resolve().parents[2] / "examples" / "handbook"

SHARES = (0.3, 0.6, 0.95)
"""Of the time that a command takes when nobody stops it, after which it is stopped."""

EXIT_CODES = {signal.SIGINT: (130,), signal.SIGTERM: (143, -15), signal.SIGKILL: (-9,)}

ENDED = (0, 1, 3, 4)
"""Exit codes of a command that came to its end: nothing certified, some refused, some blocked."""

OUTPUTS: dict[str, Callable[[bytes], object]] = {
    "export.jsonl": lambda content: [json.loads(line) for line in content.splitlines()],
    "kept.jsonl": lambda content: [json.loads(line) for line in content.splitlines()],
    "verdicts.jsonl": lambda content: [json.loads(line) for line in content.splitlines()],
    "gate.jsonl": lambda content: [json.loads(line) for line in content.splitlines()],
    "certificate.json": json.loads,
    "chart.svg": lambda content: content.rstrip().endswith(b"</svg>") or pytest.fail("half a picture"),
    "key.txt": lambda content: b"AGE-SECRET-KEY-" in content or pytest.fail("half a key"),
}
"""Files that the commands below write, each with what reads it whole."""

COMMANDS = """
ingest handbook --collection more | search backups | ask backups | status | settings | doctor
db export export.jsonl --force | db new-key key.txt | backup backups | backup backups --verify
dedupe rows.jsonl --out kept.jsonl | evaluate pairs pairs.jsonl --verdicts verdicts.jsonl
calibrate pairs.jsonl --certificate certificate.json --picture chart.svg | gate check lines.jsonl
gate export gate.jsonl | pairs rebuild | rebuild | reembed main | sync handbook | worker | serve --port 28765
"""


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder with inputs, and a base whose server stays up between the commands."""
    place = reachable_folder()
    shutil.copytree(HANDBOOK, place / "handbook")
    rows = [{"id": str(n), "text": f"Item {n % 40} of the list is kept in room {n % 37}."} for n in range(400)]
    sides = [("Kept for {} days.", "It is kept for {} days.")] * 60
    pairs = [
        {"id": str(n), "a": a.format(n), "b": b.format(n + n % 2), "label": "distinct" if n % 2 else "duplicate"}
        for n, (a, b) in enumerate(sides)
    ]
    for name, lines in (("rows.jsonl", rows), ("pairs.jsonl", pairs), ("lines.jsonl", rows[:40])):
        (place / name).write_text("".join(json.dumps({"title": "t", **line}) + "\n" for line in lines))
    server = EmbeddedServer(prepared(place / "data"))
    stopped(place, "ingest handbook --use canonical".split())
    stopped(place, "backup backups".split())
    stopped(place, "gate check lines.jsonl".split())
    yield place
    server.close()
    shutil.rmtree(place, ignore_errors=True)


def stopped(
    folder: Path, words: list[str], number: signal.Signals | None = None, after_s: float = 60.0
) -> tuple[int, str, float]:
    """Run a command, stop it if it still runs after some time; return its exit code, its errors and how long it ran."""
    began = time.monotonic()
    env = environment(SAIDONCE_DATA_DIR=str(folder / "data"))
    process = started([sys.executable, "-m", "saidonce", *words], folder, env, subprocess.PIPE)
    try:
        _, errors = process.communicate(timeout=after_s)
    except subprocess.TimeoutExpired:
        process.send_signal(number or signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    return process.returncode, errors.decode(), time.monotonic() - began


def left_running(folder: Path) -> list[str]:
    """Command lines of programs on this folder's base, but for its server."""
    running = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            environ, words = (process / "environ").read_bytes(), (process / "cmdline").read_bytes()
        except OSError:
            continue
        if str(folder / "data").encode() in environ and int(process.name) != os.getpid() and b"postgres" not in words:
            running.append(words.replace(b"\0", b" ").decode())
    return running


def assert_whole_or_absent(folder: Path, names: set[str]) -> None:
    for name, read in OUTPUTS.items():
        if (folder / name).exists():
            read((folder / name).read_bytes())
            (folder / name).unlink()
    assert {file.name for file in folder.iterdir()} <= names, "something else is left"


@pytest.mark.slow
@pytest.mark.parametrize("words", [line.split() for line in COMMANDS.replace("\n", " | ").split(" | ") if line.strip()])
def test_a_stopped_command_leaves_nothing_half_done(folder: Path, words: list[str]) -> None:
    before = {file.name for file in folder.iterdir()} | {".kept.jsonl.vectors"}
    code, errors, took = stopped(folder, words, after_s=8.0)
    assert code in (*ENDED, 130), errors
    assert_whole_or_absent(folder, before | {"rows.dropped.jsonl", "rows.held_apart.jsonl"})
    n_stopped = 0
    for number, shares in ((signal.SIGINT, SHARES), (signal.SIGTERM, SHARES[1:2]), (signal.SIGKILL, SHARES[1:2])):
        for share in shares:
            code, errors, _ = stopped(folder, words, number, max(0.2, share * took))
            if "Traceback" in errors and "__main__.py" not in errors:
                continue  # the interpreter was still starting, and none of our code ran
            assert code in (*EXIT_CODES[number], *ENDED), (number, share, errors)
            assert "Traceback" not in errors, (number, share, errors)
            assert "discarding" not in errors, (number, share, errors)
            if number is signal.SIGINT and code == 130:
                n_stopped += 1
                assert errors.splitlines()[-1].startswith("saidonce: stopped"), errors
            parts = {f".{name}.part" for name in OUTPUTS} | {f"{name}.part" for name in OUTPUTS}
            hidden = parts if number is signal.SIGKILL else set()
            assert_whole_or_absent(folder, before | hidden | {"rows.dropped.jsonl", "rows.held_apart.jsonl"})
            deadline = time.monotonic() + 10
            while (running := left_running(folder)) and time.monotonic() < deadline:
                time.sleep(0.1)
            assert not running, (number, share)
    assert n_stopped or took < 3, "nothing was stopped"
    assert stopped(folder, ["rebuild"])[0] == 0
