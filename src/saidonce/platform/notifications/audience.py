"""What a channel is told: the ladder's own merges and flags after one number of the log up to another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from saidonce.foundation.context import Context
from saidonce.foundation.model import POLICY, Channel, Decision, Verb

PAGE = 500


def told_of(context: Context, channel: Channel, after: int, up_to: int) -> tuple[Decision, ...]:
    """Give the automatic merges and flags that hold and concern a channel, oldest first.

    A decision concerns an owner whose text or block it names, as it stood then or as it stands now.
    """
    found = [d for d in _between(context, after, up_to) if d.actor == POLICY and d.live]
    if channel.owner:
        owners = owners_of(context, found)
        found = [d for d in found if channel.owner in owners[d.seq]]
    return tuple(reversed(found))


def _between(context: Context, after: int, up_to: int) -> Iterator[Decision]:
    before = up_to + 1
    while page := context.store.ledger.decisions([Verb.MERGE, Verb.FLAG], before, PAGE):
        for decision in page:
            if decision.seq <= after:
                return
            yield decision
        before = page[-1].seq


def owners_of(context: Context, decisions: Sequence[Decision]) -> dict[int, set[str]]:
    """Give the owners that each decision concerns, by its number."""
    members = context.store.ledger.members(sorted({id_ for d in decisions for id_ in d.members}))
    blocks = context.store.ledger.kept(sorted({m.block_id for m in members.values()} - {""}))
    found = {}
    for d in decisions:
        named = [members[id_] for id_ in d.members if id_ in members]
        now = {m.owner for m in named} | {blocks[m.block_id].owner for m in named if m.block_id in blocks}
        found[d.seq] = now | {a.owner for a in d.detail.activity}
    return found
