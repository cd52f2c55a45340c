"""Concurrent posts of a channel: the time of each, and whether anything is lost or duplicated.

    python -m benchmarks.posts [--residents 20] [--posts 5] [--json]

A real HTTP server, an embedded PostgreSQL, a worker that answers concurrently, and no model. Each resident reports
one problem with three facts and without a photo, in as many messages; the posts of all residents are shuffled, sent at
once, and every fifth of them twice. Exits with 1 if the 95th percentile of a post is above the limit, if a message was
lost or kept twice, or if a resident has not exactly one issue with the three facts.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import uvicorn

from benchmarks.free_ports import free_port
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.app.repairs_service import Repairs
from saidonce.foundation.model.conversation import Issue
from saidonce.foundation.model.residents import Property, Resident, Tenancy
from saidonce.foundation.settings.reading import settings_from
from saidonce.interfaces.http import create_app
from saidonce.interfaces.worker import Answering
from saidonce.quality.figures import percentile
from saidonce.repairs.channels import cloud
from saidonce.repairs.channels.web import WebMessenger
from saidonce.repairs.conversation import ConversationDeps

LIMIT_S = 1.0
SETTLE_S = 120.0
"""Longest wait until every conversation was answered."""

SECRET = "not-a-secret"
TEXTS = (
    "the radiator in the bedroom is stone cold",
    "it says F{n:02d} on the display",
    "only home after {hour}pm",
    "the reading is 0.{n} bar",
    "sorry, no photo",
)
"""What a resident writes; three of them hold a fact."""


def phone(resident: int) -> str:
    """Return a resident's number; Ofcom's numbers for drama."""
    return f"4477009{resident:05d}"


def facts(resident: int) -> tuple[str, ...]:
    """Return the facts that a resident's issue must contain."""
    return (f"F{resident:02d}", f"after {resident % 4 + 5}pm", f"0.{resident} bar")


def post(resident: int, k: int, sent_at: datetime) -> bytes:
    """Return a post of WhatsApp with a resident's k-th message."""
    text = TEXTS[k % len(TEXTS)].format(n=resident, hour=resident % 4 + 5)
    message = {
        "from": phone(resident), "id": f"wamid.{resident}.{k}", "timestamp": str(int(sent_at.timestamp()) + k),
        "type": "text", "text": {"body": text},
    }  # fmt: skip
    value = {
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": "447700900000", "phone_number_id": "100000000000001"},
        "contacts": [{"profile": {"name": "R"}, "wa_id": phone(resident)}],
        "messages": [message],
    }
    entry = [{"id": "100000000000002", "changes": [{"value": value, "field": "messages"}]}]
    return json.dumps({"object": "whatsapp_business_account", "entry": entry}).encode()


def sent_at_once(port: int, bodies: Sequence[bytes]) -> list[float]:
    """Send posts concurrently from a separate process; return the seconds of each."""
    lines = "\n".join(body.decode() for body in bodies)
    command = [sys.executable, "-m", "benchmarks.posts", "--send", str(port)]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    took: list[float] = json.loads(done.stdout)
    return took


def send(port: int, bodies: Sequence[str]) -> list[float]:
    """Send posts concurrently to this machine; return the seconds of each.

    Raises:
        RuntimeError: one was refused.
    """
    ready = threading.Barrier(len(bodies))

    def one(body: str) -> float:
        content = body.encode()
        headers = {"X-Hub-Signature-256": cloud.signature(SECRET, content), "Content-Type": "application/json"}
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        ready.wait()
        began = time.perf_counter()
        connection.request("POST", "/webhooks/whatsapp/bench", content, headers)
        answer = connection.getresponse()
        answer.read()
        took = time.perf_counter() - began
        connection.close()
        if answer.status != http.HTTPStatus.OK:
            raise RuntimeError(f"a post was answered with {answer.status}")
        return took

    with ThreadPoolExecutor(len(bodies)) as threads:
        return list(threads.map(one, bodies))


def add_homes(deps: ConversationDeps, n: int) -> None:
    """Add a home for each resident."""
    since = datetime.now(UTC) - timedelta(days=300)
    for r in range(n):
        who = Resident(f"r{r}", f"Resident {r}", (f"+{phone(r)}",))
        deps.store.put_home(Property(f"p{r}", f"{r + 1} Elm Road"), who, Tenancy(f"t{r}", f"p{r}", f"r{r}", since))


def settle(deps: ConversationDeps) -> bool:
    """Wait until no message is waiting for a turn."""
    until = time.monotonic() + SETTLE_S
    while time.monotonic() < until:
        if all(c.due_at is None for c in deps.store.conversations(1_000)):
            return True
        time.sleep(0.1)
    return False


def is_right(issues: Sequence[Issue], resident: int) -> bool:
    """Return whether a resident has exactly one issue, with the three facts."""
    mine = [i for i in issues if i.property_id == f"p{resident}"]
    words = " ".join(f"{i.description} {i.location}" for i in mine).lower()
    return len(mine) == 1 and all(fact.lower() in words for fact in facts(resident))


def measured(n_residents: int, n_posts: int) -> dict[str, Any]:
    """Run the server, send the posts, and return the figures."""
    folder = Path(tempfile.mkdtemp(prefix="so-", dir="/tmp"))
    folder.chmod(0o711)
    settings = settings_from(
        None, data_dir=str(folder / "base"), org="bench", use_llm_orchestration="on", whatsapp_app_secret=SECRET,
        whatsapp_verify_token="verify",
    )  # fmt: skip
    base = KnowledgeBase(settings)
    repairs = Repairs(base, base.for_org)
    repairs._messengers[""] = WebMessenger()  # the outermost wire
    deps = repairs.deps()
    add_homes(deps, n_residents)
    port = free_port()
    server = uvicorn.Server(
        uvicorn.Config(create_app(base, True, repairs), host="127.0.0.1", port=port, log_level="warning")
    )
    thread = threading.Thread(target=server.run)
    at = datetime.now(UTC)
    bodies = [post(r, k, at) for r in range(n_residents) for k in range(n_posts)]
    random.Random(1).shuffle(bodies)
    try:
        with Answering(repairs, repairs.orgs):
            thread.start()
            while not server.started:
                time.sleep(0.02)
            sent_at_once(port, [post(0, 0, at)])
            took = sent_at_once(port, bodies)
            again = sent_at_once(port, bodies[::5])
            settled = settle(deps)
        store = deps.store
        issues = store.issues()
        kept = [i.message_id for c in store.conversations(1_000) for i in store.inbounds(c.id)]
    finally:
        server.should_exit = True
        thread.join(20)
        repairs.close()
        base.close()
        shutil.rmtree(folder, ignore_errors=True)
    return {
        "posts": len(bodies), "repeated": len(again), "p50_s": percentile(took, 0.5), "p95_s": percentile(took, 0.95),
        "max_s": max(took), "lost": len(bodies) - len(set(kept)), "kept_twice": len(kept) - len(set(kept)),
        "settled": settled, "issues": len(issues), "residents": n_residents,
        "right": sum(is_right(issues, r) for r in range(n_residents)),
    }  # fmt: skip


def main() -> int:
    """Print the figures; return 1 if a post takes too long, or anything was lost, duplicated or misunderstood."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--residents", type=int, default=20)
    parser.add_argument("--posts", type=int, default=len(TEXTS))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--send", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.send:
        print(json.dumps(send(options.send, sys.stdin.read().splitlines())))
        return 0
    figures = measured(options.residents, options.posts)
    if options.json:
        print(json.dumps(figures))
    else:
        print(", ".join(f"{k} {v:.3f}" if isinstance(v, float) else f"{k} {v}" for k, v in figures.items()))
        print(f"limit {LIMIT_S:g} s at the 95th percentile")
    is_whole = not figures["lost"] and not figures["kept_twice"] and figures["settled"]
    is_understood = options.posts < len(TEXTS) or figures["right"] == figures["residents"]
    return int(figures["p95_s"] > LIMIT_S or not is_whole or not is_understood)


if __name__ == "__main__":
    sys.exit(main())
