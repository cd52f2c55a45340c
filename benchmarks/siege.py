"""Measure a reader's latency while other clients misbehave: a server over an embedded base, from outside.

    python -m benchmarks.siege [--loris 5000] [--rounds 200] [--json]

Two sieges. *Half-sent requests*: connections that send headers byte by byte. *A held turn*: another process
hangs inside a write of one organisation, while 60 of its clients try to write. In both, another organisation's
reader searches; the figures are its p95 before and during, how many of its requests met a connection that was closed
(retried at once, as clients do with safe requests, and timed as one), and the results of the other clients'
requests.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import psycopg

from benchmarks.free_ports import free_port
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.quality.figures import percentile

HEAD = b"GET /search?q=retention HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
N_WRITERS = 60


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of saidonce commands."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("SAIDONCE_")}
    return {**kept, "SAIDONCE_DATA_DIR": str(folder / "base"), "NO_COLOR": "1"}


def run(folder: Path, *words: str) -> str:
    """Run a saidonce command."""
    done = subprocess.run(
        [sys.executable, "-m", "saidonce", *words], env=environment(folder), capture_output=True, text=True, check=True
    )
    return done.stdout


def key_of(folder: Path, org: str) -> str:
    """Add an owner to an organisation, and return their key."""
    run(folder, "--org", org, "people", "add", "ana", "--role", "owner")
    return str(json.loads(run(folder, "--org", org, "keys", "make", "ana", "--json"))["key"])


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve the base, and return its address."""
    port = free_port()
    words = [sys.executable, "-m", "saidonce", "serve", "--port", str(port)]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(words, env=environment(folder), stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}"
    try:
        until = time.monotonic() + 120
        while time.monotonic() < until:
            try:
                httpx.get(f"{url}/healthz", timeout=5).raise_for_status()
                break
            except httpx.HTTPError:
                time.sleep(0.1)
        yield url
    finally:
        server.terminate()
        server.wait(60)


@dataclass
class Reader:
    """Searches repeatedly, each time on a new connection.

    Attributes:
        closed: requests whose connection was closed; each was retried once.
        failed: searches without an answer after that, or with an error.
    """

    url: str
    key: str
    rounds: int
    closed: int = 0
    failed: int = 0

    def p95_ms(self, rounds: int = 0) -> float:
        """Search a number of rounds, and return the 95th percentile of the times."""
        took = []
        for _ in range(rounds or self.rounds):
            begun = time.perf_counter()
            self.failed += not (self._is_answered() or self._is_answered())
            took.append(1_000 * (time.perf_counter() - begun))
        return percentile(took, 0.95)

    def _is_answered(self) -> bool:
        asking = {"params": {"q": "retention"}, "headers": {"Authorization": f"Bearer {self.key}"}}
        try:
            return httpx.get(f"{self.url}/api/v1/search", timeout=60, **asking).is_success  # type: ignore[arg-type]
        except httpx.TransportError:
            self.closed += 1
            return False


async def _loris(port: int, n: int, until: Callable[[], bool]) -> None:
    """Hold n connections that never send a whole head; one that is dropped begins again."""

    async def one() -> None:
        while not until():
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(HEAD)
                while not until():
                    writer.write(b"a")
                    await writer.drain()
                    await asyncio.sleep(5)
                writer.close()
            except OSError:
                await asyncio.sleep(1)

    await asyncio.gather(*(one() for _ in range(n)))


@contextmanager
def half_sent(url: str, n: int) -> Iterator[None]:
    """Send incomplete requests to a server from a separate process."""
    code = (
        "import asyncio, time; from benchmarks.siege import _loris; until = time.monotonic() + 300;"
        f"asyncio.run(_loris({url.rpartition(':')[2]}, {n}, lambda: time.monotonic() > until))"
    )
    besieger = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    try:
        time.sleep(5)
        yield
        if besieger.poll() is not None:
            raise RuntimeError(f"nothing is shown: the besieger ended with {besieger.returncode}")
    finally:
        besieger.kill()
        besieger.wait()


@contextmanager
def held_turn(folder: Path, org: str) -> Iterator[None]:
    """Hang inside a write of an organisation."""
    server = EmbeddedServer(folder / "base")
    try:
        with psycopg.connect(server.url) as other:
            other.execute("set role saidonce_app; set search_path = saidonce")
            other.execute("select set_config('saidonce.org', %s, false)", [org])
            other.execute("select 1 from org where org_id = %s for no key update", [org])
            yield
            other.rollback()
    finally:
        server.close()


def write(url: str, key: str, n: int) -> int:
    """Upload a document; return the status."""
    headers = {"Authorization": f"Bearer {key}"}
    files = {"file": (f"{n}.md", f"# Note {n}\n\nThe lift of house {n} is inspected every {n + 3} months.".encode())}
    return httpx.post(f"{url}/api/v1/documents", headers=headers, files=files, timeout=300).status_code


def measured(folder: Path, n_loris: int, rounds: int) -> dict[str, object]:
    """Run both sieges, and return the figures."""
    (folder / "a.md").write_text("# Backups\n\nThe retention of backups is 30 days.\n", encoding="utf-8")
    keys = {org: key_of(folder, org) for org in ("default", "other")}
    run(folder, "--org", "other", "ingest", str(folder / "a.md"), "-q")
    with served(folder) as url:
        reader = Reader(url, keys["other"], rounds)
        reader.p95_ms(20)
        calm = reader.p95_ms()
        with half_sent(url, n_loris):
            besieged = reader.p95_ms()
        size = (folder / "log").stat().st_size
        write(url, keys["default"], 0)
        with ThreadPoolExecutor(N_WRITERS) as crowd:
            with held_turn(folder, "default"):
                waiting = [crowd.submit(write, url, keys["default"], n) for n in range(1, N_WRITERS + 1)]
                time.sleep(1)
                held = reader.p95_ms()
                health = httpx.get(f"{url}/healthz", timeout=30).status_code
                n_waited = sum(not w.done() or w.result() != 201 for w in waiting)
            statuses = [w.result() for w in waiting]
    if not n_waited:
        raise RuntimeError("nothing is shown: no writer of the organisation whose turn was held had to wait")
    return {
        "p95_ms": round(calm, 1), "half_sent": n_loris, "p95_ms_half_sent": round(besieged, 1), "log_bytes": size,
        "p95_ms_held_turn": round(held, 1), "health_held_turn": health,
        "connections_closed": reader.closed, "searches_failed": reader.failed,
        "writers": {str(code): statuses.count(code) for code in sorted(set(statuses))},
    }  # fmt: skip


def main() -> int:
    """Print the figures; return 1 if a reader waited more than twice as long, or without an answer."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--loris", type=int, default=5_000, help="half-sent requests")
    options.add_argument("--rounds", type=int, default=200, help="searches of each measurement")
    options.add_argument("--json", action="store_true", help="print JSON")
    chosen = options.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(max(soft, chosen.loris + 500), hard), hard))
    folder = Path(tempfile.mkdtemp(prefix="so-", dir="/tmp"))
    folder.chmod(0o711)
    try:
        figures = measured(folder, chosen.loris, chosen.rounds)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if chosen.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:20} {value}")
    besieged = max(float(str(figures["p95_ms_half_sent"])), float(str(figures["p95_ms_held_turn"])))
    return int(besieged > 2 * float(str(figures["p95_ms"])) or bool(figures["searches_failed"]))


if __name__ == "__main__":
    sys.exit(main())
