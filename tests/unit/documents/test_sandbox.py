"""The sandbox contains whatever a source does to its parser, and its batch goes on."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

import samples
from saidonce.documents.parse import Limits, Sandbox, parse
from saidonce.documents.parse.worker import _deny
from saidonce.errors import Refusal, SourceRefusedError, UsageError
from saidonce.foundation.model import Document

SLOW = b"*a _b* [c](d) `e`\n\n" * 200_000
HUNGRY = json.dumps([{"k": number} for number in range(400_000)]).encode()


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(n_workers=2) as opened:
        yield opened


def pids(sandbox: Sandbox) -> list[int]:
    with sandbox._lock:
        return [worker._process.pid for worker in [*sandbox._idle, *sandbox._busy]]


def wait_for_busy(sandbox: Sandbox, pause_s: float = 0.5) -> int:
    """Process id of the worker that has been at work for a moment."""
    for _ in range(600):
        with sandbox._lock:
            busy = [worker for worker in sandbox._busy if worker._n_asked]
        if busy:
            time.sleep(pause_s)
            return busy[0]._process.pid
        time.sleep(0.02)
    raise AssertionError("no worker became busy")


def ended(pid: int, within_s: float = 10.0) -> bool:
    """Whether a process that is not our child is gone, or only waits to be reaped."""
    until = time.monotonic() + within_s
    while time.monotonic() < until:
        try:
            if Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("a.docx", samples.word()),
        ("a.pptx", samples.slides()),
        ("a.xlsx", samples.workbook()),
        ("a.pdf", samples.pdf(("Heating", samples.PROSE))),
        ("a.eml", samples.mail(("plan.md", b"# Plan"))),
        ("ü \udc80.md", b"# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |"),
    ],
)
def test_same_result_as_in_process(sandbox: Sandbox, name: str, source: bytes) -> None:
    assert sandbox.parse(name.encode("utf-8", "replace").decode(), source).elements == parse(name, source).elements


def test_refusals_come_through(sandbox: Sandbox) -> None:
    with pytest.raises(SourceRefusedError) as refused:
        sandbox.parse("a.pdf", samples.pdf(("x",), password="secret"))
    assert (refused.value.source, refused.value.reason) == ("a.pdf", Refusal.LOCKED)
    with pytest.raises(SourceRefusedError) as refused:
        sandbox.parse("a.txt", b"")
    assert refused.value.reason is Refusal.EMPTY


def test_a_source_over_the_limit_is_not_even_sent() -> None:
    with Sandbox(Limits(max_source_mb=1)) as small, pytest.raises(SourceRefusedError) as refused:
        small.parse("a.txt", b"x" * (1024 * 1024 + 1))
    assert refused.value.reason is Refusal.TOO_LARGE
    assert not pids(small)


def test_time_is_limited_and_the_batch_goes_on() -> None:
    with Sandbox(Limits(parse_timeout_s=0.5), n_workers=1) as hasty:
        results = dict(hasty.map([("a.md", b"# one"), ("slow.md", SLOW), ("b.md", b"# two")]))
    slow = results["slow.md"]
    assert isinstance(slow, SourceRefusedError)
    assert slow.reason is Refusal.TIMEOUT
    assert isinstance(results["b.md"], Document)


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS does not honour the limit of address space")
def test_memory_is_limited_and_the_batch_goes_on() -> None:
    with Sandbox(Limits(parse_memory_mb=64), n_workers=1) as narrow:
        results = dict(narrow.map([("a.md", b"# one"), ("hungry.json", HUNGRY), ("b.md", b"# two")]))
    hungry = results["hungry.json"]
    assert isinstance(hungry, SourceRefusedError)
    assert hungry.reason is Refusal.TOO_LARGE
    assert isinstance(results["b.md"], Document)


def test_text_is_limited() -> None:
    with Sandbox(Limits(max_text_mb=1)) as small, pytest.raises(SourceRefusedError) as refused:
        small.parse("a.txt", (b"some words " * 99 + b"\n\n") * 1_000)
    assert refused.value.reason is Refusal.TOO_LARGE


@pytest.mark.parametrize(
    ("signal_number", "expected"), [(signal.SIGKILL, Refusal.TOO_LARGE), (signal.SIGSEGV, Refusal.CORRUPT)]
)
def test_a_crash_refuses_the_source_and_the_worker_is_replaced(signal_number: int, expected: Refusal) -> None:
    caught: list[SourceRefusedError] = []

    def work() -> None:
        with pytest.raises(SourceRefusedError) as refused:
            fragile.parse("slow.md", SLOW)
        caught.append(refused.value)

    with Sandbox(n_workers=1) as fragile:
        thread = threading.Thread(target=work)
        thread.start()
        os.kill(wait_for_busy(fragile), signal_number)
        thread.join(30)
        assert caught[0].reason is expected
        assert fragile.parse("a.md", b"# one").title == "one"


def test_a_worker_that_died_between_sources_is_no_ones_fault() -> None:
    with Sandbox(n_workers=1) as fragile:
        fragile.parse("a.md", b"# one")
        (pid,) = pids(fragile)
        os.kill(pid, signal.SIGKILL)
        assert fragile.parse("b.md", b"# two").title == "two"
        assert pids(fragile) != [pid]


def test_workers_are_used_again(sandbox: Sandbox) -> None:
    sandbox.parse("a.md", b"# one")
    before = set(pids(sandbox))
    for _ in range(5):
        sandbox.parse("a.md", b"# one")
    assert set(pids(sandbox)) == before


def test_a_worker_that_grew_is_replaced() -> None:
    with Sandbox(n_workers=1) as opened:
        opened.parse("a.md", b"# one")
        before = pids(opened)
        with pytest.raises(SourceRefusedError):
            opened.parse("big.json", b'{"k": "' + b"x" * 90_000_000 + b'"}')
        opened.parse("a.md", b"# one")
        assert pids(opened) != before


def test_map_keeps_order_and_reads_only_a_little_ahead(sandbox: Sandbox) -> None:
    taken = 0

    def items() -> Iterator[tuple[str, bytes]]:
        nonlocal taken
        for number in range(60):
            taken += 1
            yield f"{number}.md", f"# Title {number}".encode()

    results = sandbox.map(items())
    first = next(results)
    assert first[0] == "0.md"
    assert taken <= 6
    names = [name for name, _ in results]
    assert names == [f"{number}.md" for number in range(1, 60)]


def test_map_can_be_left_early(sandbox: Sandbox) -> None:
    results = sandbox.map((f"{number}.md", b"# x") for number in range(1000))
    next(results)
    results.close()  # type: ignore[attr-defined]


def test_map_reads_late_and_reports_what_cannot_be_read(sandbox: Sandbox, tmp_path: Path) -> None:
    there = tmp_path / "a.txt"
    there.write_text("some words")
    results = dict(sandbox.map([("a.txt", there.read_bytes), ("gone.txt", (tmp_path / "gone.txt").read_bytes)]))
    assert isinstance(results["a.txt"], Document)
    gone = results["gone.txt"]
    assert isinstance(gone, SourceRefusedError)
    assert gone.reason is Refusal.UNREADABLE


def test_map_refuses_a_source_at_which_anything_fails(sandbox: Sandbox) -> None:
    def fails() -> bytes:
        raise ValueError("of Olga's secret")

    (_, first), (_, second) = sandbox.map([("a.txt", fails), ("b.txt", b"Some words.")])
    assert isinstance(first, SourceRefusedError)
    assert (first.reason, "secret" in first.detail) == (Refusal.FAILED, False)
    assert isinstance(second, Document)


def test_a_full_disk_is_no_sources_fault(sandbox: Sandbox) -> None:
    def full() -> bytes:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        list(sandbox.map([("a.txt", full)]))


def test_many_threads_share_one_sandbox(sandbox: Sandbox) -> None:
    titles: list[str] = []
    threads = [
        threading.Thread(target=lambda n=n: titles.append(sandbox.parse("a.md", f"# t{n}".encode()).title))
        for n in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(titles) == sorted(f"t{n}" for n in range(12))
    assert len(pids(sandbox)) <= 2


def test_closing_ends_the_workers_and_refuses_more() -> None:
    opened = Sandbox()
    opened.parse("a.md", b"# one")
    (pid,) = pids(opened)
    opened.close()
    opened.close()
    assert ended(pid)
    with pytest.raises(UsageError):
        opened.parse("a.md", b"# one")
    with pytest.raises(UsageError):
        Sandbox(n_workers=0)


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc")
def test_workers_inherit_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAIDONCE_EMBEDDER_KEY", "a-secret")
    with Sandbox() as opened:
        opened.parse("a.md", b"# one")
        (pid,) = pids(opened)
        assert b"a-secret" not in Path(f"/proc/{pid}/environ").read_bytes()


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc")
def test_workers_end_with_a_killed_parent() -> None:
    program = (
        "import sys, time\nfrom saidonce.documents.parse import Sandbox\n"
        "opened = Sandbox()\nopened.parse('a.md', b'# one')\n"
        "print(opened._idle[0]._process.pid, flush=True)\ntime.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
    assert ended(pid)


def test_a_worker_without_a_parent_ends_by_itself() -> None:
    command = [sys.executable, "-m", "saidonce.documents.parse.worker", json.dumps(asdict(Limits()))]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0
    assert done.stdout[8:].startswith(b"ready ")


@pytest.mark.parametrize("event", ["socket.connect", "subprocess.Popen", "os.system", "os.remove", "shutil.rmtree"])
def test_parsers_may_not_reach_out(event: str) -> None:
    with pytest.raises(PermissionError):
        _deny(event, ())


def test_parsers_may_read_but_not_write() -> None:
    _deny("open", ("font.ttf", "r", os.O_RDONLY))
    _deny("import", ("json",))
    with pytest.raises(PermissionError):
        _deny("open", ("x", "w", os.O_WRONLY | os.O_CREAT))
