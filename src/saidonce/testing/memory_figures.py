"""What an organisation in memory holds, in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from saidonce.foundation.model import GateState
from saidonce.foundation.model.base_figures import BaseFigure
from saidonce.foundation.model.syncs import SyncSource
from saidonce.testing.memory_conversations import MemoryConversations
from saidonce.testing.memory_state import OrgState
from saidonce.testing.memory_syncs import MemorySyncs

MOST = 1_000_000


def org_figures(
    org: str, at: datetime, state: OrgState, syncs: MemorySyncs | None, talk: MemoryConversations | None
) -> tuple[BaseFigure, ...]:
    """Return the figures of one organisation, by name and part."""
    counted: dict[tuple[str, str], float] = dict(_of_base(state, at))
    counted |= _by("verdicts", (row.reason if row.state == GateState.RULED else row.state
                                for row in state.gate_verdicts.values()))  # fmt: skip
    sources = syncs.sources() if syncs is not None else ()
    counted |= _by("syncs", map(_run_state, sources))
    late = [(at - s.next_at).total_seconds() for s in sources if s.next_at is not None and s.next_at < at]
    if late:
        counted["syncs_late_s", ""] = max(late)
    if talk is not None:
        counted |= _by("conversations", ("quiet" if c.due_at is None else "waiting" for c in talk.conversations(MOST)))
        counted |= _by("issues", (i.state for i in talk.issues()))
    return tuple(BaseFigure(org, name, part, n) for (name, part), n in sorted(counted.items()))


def _of_base(state: OrgState, at: datetime) -> dict[tuple[str, str], float]:
    versions = [state.versions[row.document_id, row.version] for row in state.documents.values()]
    counted = _by("documents", (v.format for v in versions))
    if versions:
        counted["segments", ""] = float(sum(v.n_segments for v in versions))
    if state.blocks:
        counted["blocks", ""] = float(len(state.blocks))
        counted["max_boost", ""] = max(b.boost for b in state.blocks.values())
    counted |= {("counter", name): n for name, n in state.counters.items()}
    waiting = [row for row in state.flags.values() if row.is_open]
    counted |= _by("queue", (row.because for row in waiting))
    if waiting:
        oldest = min(state.decisions[row.seq].at for row in waiting)
        counted["queue_oldest_s", ""] = max((at - oldest).total_seconds(), 0.0)
    return counted


def _by(name: str, parts: Iterable[object]) -> dict[tuple[str, str], float]:
    return {(name, part): float(n) for part, n in Counter(map(str, parts)).items()}


def _run_state(source: SyncSource) -> str:
    if source.last is None:
        return "new"
    if source.last.error:
        return "failed"
    return "refused" if source.last.n_refused else "ok"
