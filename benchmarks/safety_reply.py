"""Time from a message's arrival to its safety text in the outbox, with the model down; and false alarms of the packs.

    python -m benchmarks.safety_reply [n] [--json]

The store is the one in memory: what is measured is the scan and the flow, not a database.
"""

from __future__ import annotations

import json
import sys
import time
from datetime import timedelta

from saidonce import converse
from saidonce.converse import Desk, named_pack
from saidonce.evaluate.figures import percentile
from saidonce.evaluate.playing import Clock
from saidonce.evaluate.scenario import NOON
from saidonce.model.residents import ChannelIdentity, Inbound, InboundKind, Via
from saidonce.store.memory_conversations import MemoryConversations

LIMIT_MS = 300.0


def measure(n: int) -> dict[str, float]:
    """Receive n messages of n strangers, each of which hits; give milliseconds."""
    clock = Clock(NOON)
    desk = Desk(MemoryConversations(), clock, None)
    said = [text for c in named_pack("uk").classes for text in c.recall]
    took = []
    for k in range(n):
        at = NOON + timedelta(seconds=k)
        sender = ChannelIdentity(Via.WHATSAPP, f"u{k}")
        inbound = Inbound(sender, "n", f"m{k}", InboundKind.TEXT, at, at, said[k % len(said)])
        began = time.perf_counter()
        converse.receive(desk, inbound)
        took.append((time.perf_counter() - began) * 1_000)
    assert sum(m.kind == "safety" for m in desk.store.outbox()) >= n
    return {"n": n, "p50_ms": percentile(took, 0.50), "p95_ms": percentile(took, 0.95), "max_ms": max(took)}


def main() -> int:
    """Print the figures; 1 if the slowest is above the limit."""
    words = [a for a in sys.argv[1:] if a != "--json"]
    found = measure(int(words[0]) if words else 500)
    if "--json" in sys.argv:
        print(json.dumps(found))
    else:
        print(", ".join(f"{k} {v:.2f}" for k, v in found.items()), f"(limit {LIMIT_MS:g} ms)")
    return int(found["max_ms"] > LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main())
