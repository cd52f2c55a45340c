"""Rebuild of all canonical blocks from the log, compared with the stored ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from saidonce.foundation import audit_log
from saidonce.foundation.context import Context
from saidonce.foundation.model import Block, Decision, Golden
from saidonce.kb import survivorship
from saidonce.kb.canonical import rebuild_blocks


@dataclass(frozen=True, slots=True)
class Rebuild:
    """Outcome of a rebuild.

    Attributes:
        n_decisions: in the log.
        n_blocks: canonical blocks that follow from the log.
        broken_at: number of the first decision that was altered, or whose predecessor is missing.
        wrongly_live: numbers of decisions whose state does not follow from the reverts in the log.
        different: ids of blocks that differ from the log, are missing, or should not exist.
        repaired: whether the differing blocks were rewritten and now follow from the log.
    """

    n_decisions: int
    n_blocks: int
    broken_at: int | None
    wrongly_live: tuple[int, ...]
    different: tuple[str, ...]
    repaired: bool

    @property
    def is_sound(self) -> bool:
        """Return whether everything stored follows from the log."""
        return self.broken_at is None and not self.wrongly_live and not self.different


def rebuild(context: Context, repair: bool = False) -> Rebuild:
    """Recompute every canonical block from members and decisions, and compare; memory grows with their number.

    Args:
        context: wired ports.
        repair: write the blocks that differ anew.
    """
    ledger = context.store.ledger
    with ledger.exclusive():
        decisions = list(ledger.log())
        live = audit_log.live_of(decisions)
        wrongly_live = tuple(d.seq for d in decisions if d.live is not live[d.seq])
        corrected = [replace(d, live=live[d.seq]) for d in decisions]
        n_blocks, different = _differences(context, corrected)
        repaired = False
        if repair and (different or wrongly_live):
            ledger.stand({seq: live[seq] for seq in wrongly_live})
            for collection, wrong in different.items():
                rebuild_blocks(context, collection, [*_everyone(context, collection), *wrong])
            repaired = not any(_differences(context, corrected)[1].values())
    differing = tuple(sorted(id_ for wrong in different.values() for id_ in wrong))
    return Rebuild(len(decisions), n_blocks, audit_log.first_broken(decisions), wrongly_live, differing, repaired)


def _differences(context: Context, decisions: Sequence[Decision]) -> tuple[int, dict[str, list[str]]]:
    """Return the number of blocks that follow from the decisions, and by collection the ids of differing ones."""
    n_blocks, different = 0, {}
    for collection in context.store.collections():
        if collection.is_canonical:
            mine = [d for d in decisions if d.collection == collection.name]
            n, different[collection.name] = _compared(context, collection.name, mine)
            n_blocks += n
    return n_blocks, different


def _compared(context: Context, collection: str, decisions: list[Decision]) -> tuple[int, list[str]]:
    members = context.store.ledger.members(_everyone(context, collection))
    standing = survivorship.fold(decisions)
    goldens = {
        g.id: g
        for g in (survivorship.join(group, standing) for group in survivorship.groups(standing, members.values()))
    }
    stored = {m.block_id for m in members.values()} - {""} | _kept(context, collection)
    blocks = context.store.blocks(sorted(stored | goldens.keys()))
    wrong = [id_ for id_, g in goldens.items() if id_ not in blocks or not _equal(g, blocks[id_])]
    return len(goldens), wrong + sorted(stored - goldens.keys())


def _equal(golden: Golden, block: Block) -> bool:
    return (
        tuple(m.id for m in golden.members) == block.members
        and all(m.block_id == golden.id for m in golden.members)
        and (golden.approval.value, golden.owner) == (block.approval, block.owner)
        and (golden.salience, golden.boost, golden.authored_at) == (block.salience, block.boost, block.authored_at)
    )


def _kept(context: Context, collection: str) -> set[str]:
    return {segment.id for batch in context.store.segments(collection) for segment, _, _ in batch}


def _everyone(context: Context, collection: str) -> list[str]:
    documents = [d.id for d in context.store.documents(collection)]
    return list(context.store.ledger.members_of(documents=documents))
