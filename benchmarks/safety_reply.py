"""Time from a message's arrival to its safety text, while the model hangs.

    python -m benchmarks.safety_reply [n] [--json]

Three figures: until the text is in the outbox of the store in memory (scan and flow alone), until it is committed in
the outbox of an embedded PostgreSQL, and until the worker's threads there have handed it to the channel.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import threading
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from saidonce.adapters.clock import SystemClock
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.app.repairs_service import Repairs
from saidonce.errors import ModelUnavailableError
from saidonce.foundation.model.conversation import Conversation, OutboxKind, OutboxMessage
from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, Via
from saidonce.foundation.settings.reading import settings_from
from saidonce.interfaces.worker import Answering
from saidonce.quality.figures import percentile
from saidonce.quality.playing import ScenarioClock
from saidonce.quality.scenario import NOON
from saidonce.repairs import conversation
from saidonce.repairs.conversation import ConversationDeps, named_pack
from saidonce.testing.memory_conversations import MemoryConversations

LIMIT_MS = 100.0
APART_S = 0.37
"""Between two arrivals, so that they fall anywhere in the worker's pauses."""


class HangingChat:
    """A model that always times out."""

    name = "hanging"

    def complete_within(self, *asked: object) -> str:
        """Sleep until the timeout, then fail."""
        time.sleep(float(str(asked[-1])))
        raise ModelUnavailableError(self.name, "hangs")


class RecordingChannel:
    """A channel that records the time of the first safety text of each conversation."""

    def __init__(self) -> None:
        self.at: dict[str, float] = {}
        self.came = threading.Condition()

    def send(self, message: OutboxMessage, to: Conversation) -> str:
        """Accept a message."""
        with self.came:
            if message.kind is OutboxKind.SAFETY:
                self.at.setdefault(to.sender.external_user_id, time.perf_counter())
                self.came.notify_all()
        return message.id

    def handed(self, who: str) -> float:
        """Wait for a resident's safety text, and return its time."""
        with self.came:
            assert self.came.wait_for(lambda: who in self.at, 30.0)
            return self.at[who]


def in_memory(n: int) -> list[float]:
    """Receive n messages of n strangers, each of which hits; give milliseconds."""
    deps = ConversationDeps(MemoryConversations(), ScenarioClock(NOON), None)
    messages = [text for c in named_pack("uk").classes for text in c.recall]
    took = []
    for k in range(n):
        at = NOON + timedelta(seconds=k)
        sender = ChannelIdentity(Via.WHATSAPP, f"u{k}")
        inbound = Inbound(sender, "n", f"m{k}", InboundKind.TEXT, at, at, messages[k % len(messages)])
        began = time.perf_counter()
        conversation.receive(deps, inbound)
        took.append((time.perf_counter() - began) * 1_000)
    assert sum(m.kind == "safety" for m in deps.store.outbox()) >= n
    return took


def in_postgres(n: int) -> tuple[list[float], list[float]]:
    """Return the same over an embedded server with a worker: until committed, and until handed over."""
    folder = Path(tempfile.mkdtemp(prefix="so-", dir="/tmp"))
    folder.chmod(0o711)
    base = KnowledgeBase(settings_from(None, data_dir=str(folder / "base"), org="bench", use_llm_orchestration="on"))
    channel, clock = RecordingChannel(), SystemClock()
    repairs = Repairs(base, base.for_org)
    repairs._messengers[""] = channel  # the outermost wire
    deps = repairs.deps()
    repairs._deps["bench"] = replace(deps, chat=HangingChat())
    messages = [text for c in named_pack("uk").classes for text in c.recall]
    committed, handed = [], []
    try:
        with Answering(repairs, repairs.orgs):
            for k in range(n):
                now, who = clock.now(), f"u{k}"
                inbound = Inbound(ChannelIdentity(Via.WHATSAPP, who), "n", f"m{k}", InboundKind.TEXT, now, now,
                                  messages[k % len(messages)])  # fmt: skip
                began = time.perf_counter()
                conversation.receive(repairs.deps(), inbound)
                committed.append((time.perf_counter() - began) * 1_000)
                handed.append((channel.handed(who) - began) * 1_000)
                time.sleep(APART_S)
    finally:
        base.close()
        shutil.rmtree(folder, ignore_errors=True)
    return committed, handed


def main() -> int:
    """Print the figures; return 1 if the 95th percentile of the last is above the limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", type=int, nargs="?", default=200, help="messages")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    committed, handed = in_postgres(options.n)
    paths = (("in memory", in_memory(options.n)), ("committed", committed), ("handed to the channel", handed))
    by_path = {
        name: {"n": options.n, "p50_ms": percentile(took, 0.50), "p95_ms": percentile(took, 0.95), "max_ms": max(took)}
        for name, took in paths
    }
    if options.json:
        print(json.dumps(by_path))
    else:
        for name, figures in by_path.items():
            print(f"{name}:", ", ".join(f"{k} {v:.1f}" for k, v in figures.items()))
        print(f"limit {LIMIT_MS:g} ms")
    return int(by_path["handed to the channel"]["p95_ms"] > LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main())
