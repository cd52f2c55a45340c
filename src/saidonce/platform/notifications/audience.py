"""The decisions for a channel: the ladder's own merges and flags between two numbers of the log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from saidonce.foundation.context import Context
from saidonce.foundation.model import POLICY, Channel, Decision, Verb

PAGE = 500


def decisions_for(context: Context, channel: Channel, after: int, up_to: int) -> tuple[Decision, ...]:
    """Return the live automatic merges and flags for a channel, oldest first.

    A decision concerns the owners of its texts and blocks, then and now.
    """
    decisions = [d for d in _between(context, after, up_to) if d.actor == POLICY and d.live]
    if channel.owner:
        owners = owners_of(context, decisions)
        decisions = [d for d in decisions if channel.owner in owners[d.seq]]
    return tuple(reversed(decisions))


def _between(context: Context, after: int, up_to: int) -> Iterator[Decision]:
    before = up_to + 1
    while page := context.store.ledger.decisions([Verb.MERGE, Verb.FLAG], before, PAGE):
        for decision in page:
            if decision.seq <= after:
                return
            yield decision
        before = page[-1].seq


def owners_of(context: Context, decisions: Sequence[Decision]) -> dict[int, set[str]]:
    """Return the owners concerned by each decision, by its number."""
    members = context.store.ledger.members(sorted({id_ for d in decisions for id_ in d.members}))
    blocks = context.store.ledger.kept(sorted({m.block_id for m in members.values()} - {""}))
    owners = {}
    for d in decisions:
        named = [members[id_] for id_ in d.members if id_ in members]
        now = {m.owner for m in named} | {blocks[m.block_id].owner for m in named if m.block_id in blocks}
        owners[d.seq] = now | {a.owner for a in d.detail.activity}
    return owners
