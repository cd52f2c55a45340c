"""What waits for a person: open flags with both blocks, their difference, and what merging would make of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from saidonce import facts
from saidonce.base import Base
from saidonce.canon import guards_in_force
from saidonce.canon.judge import objections
from saidonce.errors import NotFoundError
from saidonce.facts import Comparison
from saidonce.model import Block, Decision, Flag, Golden, Keep, Objection, Pair
from saidonce.ports import QueueFilter
from saidonce.review.command import seen
from saidonce.review.verbs import preview


@dataclass(frozen=True, slots=True)
class PairView:
    """A flag as a reviewer sees it.

    Attributes:
        decision: the one that raised it, with the shortlist and the guards' objections.
        candidate: the block that came later.
        kept: the block it is compared with: the nearest, or another of the shortlist.
        shortlist: the other blocks it was compared with, nearest first.
        comparison: aligned changes from the kept text (`a`) to the candidate's (`b`).
        objections: of the guards in force to this pair as it stands, or else those recorded; the kept text is `a`.
        previews: the block that merging would make, for each choice of text.
        seen: state of the two blocks as shown, for the optimistic lock.
    """

    flag: Flag
    decision: Decision
    candidate: Block
    kept: Block
    shortlist: tuple[Block, ...]
    comparison: Comparison
    objections: tuple[Objection, ...]
    previews: Mapping[Keep, Golden]
    seen: str


def open_pairs(
    base: Base, wanted: QueueFilter, after: tuple[float, int] | None = None, limit: int = 50
) -> tuple[Pair, ...]:
    """Give the flags of a queue with their blocks, by worth; flags whose blocks are gone are left out.

    Args:
        base: wired ports.
        wanted: which flags.
        after: (worth, number) of the last flag of the page before.
        limit: at most so many.
    """
    flags = base.store.ledger.queue(wanted, after, limit)
    blocks = base.store.blocks(sorted({id_ for f in flags for id_ in (f.candidate, f.of)}))
    return tuple(Pair(f, blocks[f.candidate], blocks[f.of]) for f in flags if f.candidate in blocks and f.of in blocks)


def pair(base: Base, seq: int, against: str = "") -> PairView:
    """Give one flag with everything that a decision needs.

    Args:
        base: wired ports.
        seq: number of the flag.
        against: id of the block of the shortlist to compare with; the nearest by default.

    Raises:
        NotFoundError: there is no such flag, or one of its blocks is gone.
    """
    flag = base.store.ledger.flag(seq)
    decision = base.store.ledger.decision(seq)
    if flag is None or decision is None:
        raise NotFoundError("flag", str(seq))
    wanted = list(dict.fromkeys([flag.candidate, flag.of, *(n.id for n in flag.near)]))
    blocks = base.store.blocks(wanted)
    other = against if against in blocks and against != flag.candidate else flag.of
    if flag.candidate not in blocks or other not in blocks:
        raise NotFoundError("flag", str(seq), "one of its texts is gone with its document")
    candidate, kept = blocks[flag.candidate], blocks[other]
    rest = tuple(blocks[id_] for id_ in wanted if id_ in blocks and id_ not in (candidate.id, kept.id))
    comparison = facts.compare(kept.text, candidate.text, kept.language)
    return PairView(
        flag=flag,
        decision=decision,
        candidate=candidate,
        kept=kept,
        shortlist=rest,
        comparison=comparison,
        objections=comparison.objections or _objections(base, flag, candidate, kept),
        previews={keep: preview(base, kept, candidate, keep) for keep in Keep},
        seen=seen(candidate, kept),
    )


def _objections(base: Base, flag: Flag, candidate: Block, kept: Block) -> tuple[Objection, ...]:
    """What guards say that look at more than facts: at structure, at what one text adds, at what a person said."""
    blocks = base.store.ledger.kept([candidate.id, kept.id])
    said: tuple[Objection, ...] = ()
    if len(blocks) == 2:
        said = objections(blocks[candidate.id].candidate, blocks[kept.id].candidate, guards_in_force(base))
    said = said or next((near.objections for near in flag.near if near.id == kept.id), ())
    return tuple(Objection(o.kind, o.b, o.a) for o in said)
