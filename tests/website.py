"""A served base for tests of the pages: real processes, a real database, pairs that wait for a person."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import httpx
from benchmarks.free_ports import free_port

from command_line import environment, invoke
from conftest import prepared, reachable_folder


@dataclass
class Website:
    """A running `saidonce serve` over its own data folder."""

    url: str
    data_dir: Path
    env: dict[str, str]

    def try_(self, *given: str) -> subprocess.CompletedProcess[str]:
        """Run another command on the same base, however it ends."""
        return invoke(given, self.env)

    def run(self, *given: str) -> str:
        """Run another command on the same base, which has to succeed."""
        done = self.try_(*given)
        assert done.returncode == 0, f"{given}: {done.stdout}\n{done.stderr}"
        return done.stdout

    def client(self) -> httpx.Client:
        """A browser without a screen: keeps cookies, follows redirects."""
        # Nothing is encrypted here, and reading the system's certificates takes longer than a request.
        return httpx.Client(base_url=self.url, follow_redirects=True, timeout=60, cookies=CookieJar(), verify=False)

    def get(self, path: str, **values: Any) -> Any:
        """Give an API answer as JSON."""
        with self.client() as client:
            answer = client.get(f"/api/v1{path}", params=values)
            assert answer.status_code == 200, answer.text
            return answer.json()


def token_of(page: str) -> str:
    """The token of the forms of a page."""
    found = re.search(r'name="csrf" value="([^"]+)"', page)
    assert found is not None
    return found[1]


@contextmanager
def served(
    documents: dict[str, str], *before: tuple[str, ...], host: str = "127.0.0.1", **settings: str
) -> Iterator[Website]:
    """Ingest documents into a canonical collection, run more commands, and serve the base."""
    folder = reachable_folder()
    prepared(folder / "data")
    defaults = {"SAIDONCE_DATA_DIR": str(folder / "data"), "SAIDONCE_COLLECTION_USE": "canonical"}
    env = environment(**{**defaults, **settings})
    texts = folder / "texts"
    texts.mkdir()
    for name, content in documents.items():
        (texts / name).write_text(content, encoding="utf-8")
    port = free_port()
    site = Website(f"http://127.0.0.1:{port}", folder / "data", env)
    if documents:
        site.run("ingest", str(texts), "-q")
    for command in before:
        site.run(*command)
    server = subprocess.Popen(
        [sys.executable, "-m", "saidonce", "serve", "--host", host, "--port", str(port)],
        env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        wait_for(site, server)
        yield site
    finally:
        server.terminate()
        server.communicate(timeout=120)
        shutil.rmtree(folder, ignore_errors=True)


def wait_for(site: Website, server: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        assert server.poll() is None, server.stdout.read() if server.stdout else ""
        try:
            if httpx.get(f"{site.url}/healthz", timeout=5, verify=False).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    raise AssertionError("the server did not start within a minute")


def doubtful(n: int) -> dict[str, str]:
    """Two documents of n sections each, every one in doubt about its twin: the same sentence with another number."""
    themes = (
        "The archive in {town} keeps signed contracts for {years} years after they end",
        "Visitors of the {town} office wear a badge with the number {years} at all times",
        "The generator in {town} runs for {years} hours on one tank of fuel",
        "Parking in {town} costs {years} euros for a whole working day",
        "The library in {town} lends each reader up to {years} books at a time",
    )  # fmt: skip
    towns = [f"{a}{b}" for a in ("North", "South", "East", "West", "Mill", "Oak", "Stone", "Green") for b in
             ("ham", "ford", "bury", "wick", "ton", "ley", "dale", "field", "stead", "combe")]  # fmt: skip

    def document(extra: int) -> str:
        sections = []
        for number in range(n):
            said = themes[number % len(themes)].format(
                town=towns[number // len(themes) % len(towns)], years=3 + number % 7 + extra
            )
            sections.append(f"## Rule {number}\n\n{said}.")
        return "# Rules\n\n" + "\n\n".join(sections)

    return {"first.md": document(0), "second.md": document(11)}


def as_json(text: str) -> Any:
    return json.loads(text)
