"""A landlord's office for tests: real HTTP over the store in memory, with the threads that answer residents."""

from __future__ import annotations

import io
import re
import shutil
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from unittest import mock

import httpx
import uvicorn
from benchmarks.free_ports import free_port
from PIL import Image

from conftest import reachable_folder
from saidonce.adapters.llm.switch import SwitchedChat
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.app.repairs_service import Repairs
from saidonce.foundation.ports.conversations import DeadlineChat
from saidonce.foundation.settings.reading import settings_from
from saidonce.interfaces.http import create_app
from saidonce.interfaces.worker import Answering
from saidonce.repairs import demo
from saidonce.repairs.conversation import ConversationDeps
from saidonce.repairs.demo import personas
from saidonce.testing import MemoryStore


def _png() -> bytes:
    """A picture of nothing in particular."""
    held = io.BytesIO()
    Image.new("RGB", (64, 48), (200, 90, 40)).save(held, "PNG")
    return held.getvalue()


PNG = _png()


@dataclass
class Office:
    """A running office of the demo's landlord."""

    url: str
    repairs: Repairs
    deps: ConversationDeps
    secret: str

    def path(self, name: str) -> str:
        """The path of somebody's chat page."""
        return next(s.path for s in personas(self.deps, self.secret) if s.name == name)

    def client(self) -> httpx.Client:
        """A browser without a screen."""
        return httpx.Client(base_url=self.url, follow_redirects=True, timeout=30, verify=False)

    def say(self, name: str, text: str, key: str = "", **given: Any) -> httpx.Response:
        """Write as somebody, and wait for the answer as a page without JavaScript does."""
        with self.client() as client:
            answer = client.post(self.path(name), data={"text": text, "key": key}, **given)
            assert answer.status_code == 200, answer.text
            return answer

    def form(self, path: str, **given: str) -> httpx.Response:
        """Send a form as the landlord."""
        with self.client() as client:
            found = re.search(r'name="csrf" value="([^"]+)"', client.get("/repairs/homes").text)
            assert found is not None
            return client.post(path, data={"csrf": found[1], **given})

    def settled(self, seconds: float = 15.0) -> None:
        """Wait until no message waits for its turn."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if all(c.due_at is None for c in self.deps.store.conversations()):
                return
            time.sleep(0.05)
        raise AssertionError("a conversation still waits for its turn")


@contextmanager
def office(chat: DeadlineChat | None = None, settings: Mapping[str, Any] | None = None) -> Iterator[Office]:
    """Run an office with the demo's homes; nobody has to sign in."""
    folder = reachable_folder()
    store = MemoryStore("demo")
    wanted = {"org": "demo", "data_dir": str(folder), "use_llm_orchestration": "on", "conversation_name": "Northside"}
    with mock.patch("saidonce.app.knowledge_base.open_store", return_value=store):
        base = KnowledgeBase(settings_from(None, **{**wanted, **(settings or {})}))
        repairs = Repairs(base, base.for_org)
        if chat is not None:
            repairs._switch = SwitchedChat(chat)
        deps = repairs.deps()
        quick = replace(deps, rules=replace(deps.rules, text_wait_s=0.2, media_wait_s=0.4))
        repairs._deps["demo"] = quick
        demo.import_demo_homes(quick)
        app = create_app(base, True, repairs, True)
        yield from _served(app, repairs, quick)
    shutil.rmtree(folder, ignore_errors=True)


def _served(app: Any, repairs: Repairs, deps: ConversationDeps) -> Iterator[Office]:
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning"))
    thread = threading.Thread(target=server.run)
    with Answering(repairs, repairs.orgs, poll_s=0.05):
        thread.start()
        until = time.monotonic() + 60
        while not server.started and time.monotonic() < until:
            time.sleep(0.02)
        assert server.started
        try:
            yield Office(f"http://127.0.0.1:{port}", repairs, deps, app.state.site.secret)
        finally:
            server.should_exit = True
            thread.join(20)
    repairs.close()
