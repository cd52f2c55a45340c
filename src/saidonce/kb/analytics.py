"""Flow: figures of repeats, merges and decisions, and the growth of the base, for the dashboard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from saidonce.foundation.context import Context
from saidonce.foundation.model import JOINING, POLICY, Decision, Verb
from saidonce.foundation.ports import QueueFilter
from saidonce.kb.canonical import audit_state, why_not_automatic
from saidonce.kb.status import BaseStatus, status

MOST_POINTS = 200
"""Points of a curve; longer histories are thinned evenly."""


@dataclass(frozen=True, slots=True)
class GrowthPoint:
    """Size of the base right after a document or decision.

    Attributes:
        n_segments: without any dedup.
        n_kept: after the removal of repeats inside documents.
        n_blocks: after merges across documents, too.
    """

    at: datetime
    n_segments: int
    n_kept: int
    n_blocks: int


@dataclass(frozen=True, slots=True)
class Analytics:
    """Figures of one moment.

    Attributes:
        n_members: texts in canonical collections; `n_merged` and `n_flagged` count those of them that were merged
            or else flagged as they came in.
        merged_or_flagged: share of them, 0..1. Source: seed 002, "about 14%".
        n_open: open flags; `ages_days` are theirs, at most 1,000 of the most valuable.
        rulings: decisions by verb and by whom, "policy" or "person".
        similarities: of the ladder's merges and flags, at most 5,000 newest of each.
        audit: judged automatic merges, how many were wrong, and the evidence against the certificate.
        why_not_automatic: reason for merging nothing automatically now; empty if merges are automatic.
        opinions: number of second opinions by outcome: the opinion, or the reason for having none.
        settled: pairs merged and dismissed by an opinion, and the number of both that a person reverted or split.
    """

    status: BaseStatus
    n_members: int
    n_merged: int
    n_flagged: int
    n_open: int
    ages_days: tuple[float, ...]
    rulings: Mapping[tuple[str, str], int]
    similarities: Mapping[str, tuple[float, ...]]
    growth: tuple[GrowthPoint, ...]
    audit: tuple[int, int, float]
    why_not_automatic: str
    opinions: Mapping[str, int]
    settled: tuple[int, int, int]

    @property
    def merged_or_flagged(self) -> float:
        """Share of the members merged or flagged as they came in."""
        return (self.n_merged + self.n_flagged) / self.n_members if self.n_members else 0.0


def analytics(context: Context) -> Analytics:
    """Sum up the base; costs grow with the number of documents and decisions."""
    ledger = context.store.ledger
    log = list(ledger.log())
    open_flags = ledger.queue(QueueFilter(), limit=1_000)
    by_seq = {d.seq: d for d in log}
    now = context.clock.now()
    automatic = [d for d in log if d.actor == POLICY]
    merged = [d for d in automatic if d.verb is Verb.MERGE]
    flagged = [d for d in automatic if d.verb is Verb.FLAG]
    live = _live(context)
    audit = audit_state(context)
    return Analytics(
        status=status(context.store, context.settings),
        n_members=len(live),
        n_merged=len({d.members[0] for d in merged} & live),
        n_flagged=len(({d.members[0] for d in flagged} - {d.members[0] for d in merged}) & live),
        n_open=ledger.n_flags(QueueFilter()),
        ages_days=tuple((now - by_seq[f.seq].at).total_seconds() / 86_400 for f in open_flags),
        rulings=dict(sorted(Counter((d.verb.value, "policy" if d.actor == POLICY else "person") for d in log).items())),
        similarities={"merged": _similarities(merged), "flagged": _similarities(flagged)},
        growth=_growth(context, log, live),
        audit=(audit.n, audit.n_wrong, audit.evidence),
        why_not_automatic=why_not_automatic(context, audit),
        opinions=context.store.opinions.outcomes(),
        settled=_settled_counts(log),
    )


def _settled_counts(log: list[Decision]) -> tuple[int, int, int]:
    by_opinion = [d for d in log if d.detail.ruling is not None]
    n_merged = sum(d.verb is Verb.MERGE for d in by_opinion)
    parted = [d for d in log if d.verb is Verb.SPLIT and d.live and d.actor != POLICY]
    undone = [d for d in by_opinion if not d.live or _is_parted(d, parted)]
    return n_merged, len(by_opinion) - n_merged, len(undone)


def _is_parted(merge: Decision, splits: list[Decision]) -> bool:
    """Return whether a later split took one of the two texts of a merge out of the block of the other."""
    later = [d for d in splits if d.seq > merge.seq]
    return merge.verb is Verb.MERGE and any(len({*d.members}.intersection(merge.members[:2])) == 1 for d in later)


def _similarities(decisions: list[Decision]) -> tuple[float, ...]:
    return tuple(d.detail.near[0].similarity for d in decisions[-5_000:] if d.detail.near)


def _live(context: Context) -> frozenset[str]:
    documents = [d.id for c in context.store.collections() if c.is_canonical for d in context.store.documents(c.name)]
    return frozenset(context.store.ledger.members_of(documents=documents))


def _growth(context: Context, log: list[Decision], live: frozenset[str]) -> tuple[GrowthPoint, ...]:
    """Return the curve of documents and live decisions by time; of texts, only those still stored count."""
    steps: list[tuple[datetime, int, int, int]] = []
    for collection in context.store.collections():
        for document in context.store.documents(collection.name):
            steps.append((document.ingested_at, document.n_segments, document.n_blocks, document.n_blocks))
    group_of: dict[str, frozenset[str]] = {}
    for d in log:
        if d.live and d.verb in JOINING:
            steps.append((d.at, 0, 0, _change(group_of, d, live)))
    points: list[GrowthPoint] = []
    n_segments = n_kept = n_blocks = 0
    for at, segments, kept, blocks in sorted(steps):
        n_segments, n_kept, n_blocks = n_segments + segments, n_kept + kept, n_blocks + blocks
        points.append(GrowthPoint(at, n_segments, n_kept, n_blocks))
    every = max(1, len(points) // MOST_POINTS)
    thinned = points[::every]
    return tuple(thinned if not points or thinned[-1] is points[-1] else [*thinned, points[-1]])


def _change(group_of: dict[str, frozenset[str]], d: Decision, live: frozenset[str]) -> int:
    """Return the number of blocks that a decision adds (negative: removes) among the stored texts."""
    named = live.intersection(d.members)
    groups = {group_of.get(m, frozenset((m,))) for m in named}
    if d.verb is Verb.SPLIT:
        parts = {part for g in groups for part in (g & named, g - named) if part}
    else:
        parts = {frozenset().union(*groups)} if groups else set()
    group_of.update((m, part) for part in parts for m in part)
    return len(parts) - len(groups)
