"""What waits for a person: open flags with both blocks, their difference, and what merging would make of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from saidonce.errors import NotFoundError
from saidonce.foundation.context import Context
from saidonce.foundation.model import (
    UNKNOWN,
    Block,
    Decision,
    Flag,
    Golden,
    GrayMode,
    Keep,
    Objection,
    Opinion,
    Pair,
    SecondOpinion,
    Verb,
    gray_modes,
)
from saidonce.foundation.ports import QueueFilter
from saidonce.kb.canonical import doubts, guards_in_force
from saidonce.kb.review.command import seen
from saidonce.kb.review.verbs import preview
from saidonce.matching import facts
from saidonce.matching.facts import Comparison
from saidonce.matching.ladder import first_objection


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
        opinion: the newest second opinion on the texts of the flag as they stand, a failure too; None without one.
        proposes: what it proposes for this very pair where the collection's mode lets it propose: MERGE or KEEP_APART.
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
    opinion: SecondOpinion | None = None
    proposes: Verb | None = None


def open_pairs(
    context: Context, wanted: QueueFilter, after: tuple[float, int] | None = None, limit: int = 50
) -> tuple[Pair, ...]:
    """Give the flags of a queue with their blocks, in its order; flags whose blocks are gone are left out.

    Args:
        base: wired ports.
        wanted: which flags.
        after: see `cursor`.
        limit: at most so many.
    """
    flags = context.store.ledger.queue(wanted, after, limit)
    blocks = context.store.blocks(sorted({id_ for f in flags for id_ in (f.candidate, f.of)}))
    said = opinions_on(context, flags)
    return tuple(
        Pair(f, blocks[f.candidate], blocks[f.of], said.get(f.seq))
        for f in flags
        if f.candidate in blocks and f.of in blocks
    )


def opinions_on(context: Context, flags: Sequence[Flag]) -> dict[int, SecondOpinion]:
    """Give the newest second opinion on each of some flags, by flag, as far as its texts stand as they were."""
    latest = context.store.opinions.latest([f.seq for f in flags])
    told = [f for f in flags if f.seq in latest]
    found: dict[int, SecondOpinion] = {}
    for collection in sorted({f.collection for f in told}):
        for doubt in doubts(context, [f for f in told if f.collection == collection]):
            if latest[doubt.flag.seq].texts == doubt.texts:
                found[doubt.flag.seq] = latest[doubt.flag.seq]
    return found


def cursor(context: Context, wanted: QueueFilter, flag: Flag) -> tuple[float, int]:
    """Give the place of a flag in a queue, after which the next page begins."""
    if not wanted.by_likelihood:
        return flag.worth, flag.seq
    opinion = context.store.opinions.latest([flag.seq]).get(flag.seq)
    likelihood = opinion.likelihood if opinion is not None else None
    return (likelihood if likelihood is not None else UNKNOWN), flag.seq


def pair(context: Context, seq: int, against: str = "") -> PairView:
    """Give one flag with everything that a decision needs.

    Args:
        base: wired ports.
        seq: number of the flag.
        against: id of the block of the shortlist to compare with; the nearest by default.

    Raises:
        NotFoundError: there is no such flag, or one of its blocks is gone.
    """
    flag = context.store.ledger.flag(seq)
    decision = context.store.ledger.decision(seq)
    if flag is None or decision is None:
        raise NotFoundError("flag", str(seq))
    wanted = list(dict.fromkeys([flag.candidate, flag.of, *(n.id for n in flag.near)]))
    blocks = context.store.blocks(wanted)
    other = against if against in blocks and against != flag.candidate else flag.of
    if flag.candidate not in blocks or other not in blocks:
        raise NotFoundError("flag", str(seq), "one of its texts is gone with its document")
    candidate, kept = blocks[flag.candidate], blocks[other]
    rest = tuple(blocks[id_] for id_ in wanted if id_ in blocks and id_ not in (candidate.id, kept.id))
    comparison = facts.compare(kept.text, candidate.text, kept.language)
    told = comparison.objections or _objections(context, flag, candidate, kept)
    opinion = opinions_on(context, [flag]).get(seq)
    return PairView(
        flag=flag,
        decision=decision,
        candidate=candidate,
        kept=kept,
        shortlist=rest,
        comparison=comparison,
        objections=told,
        previews={keep: preview(context, kept, candidate, keep) for keep in Keep},
        seen=seen(candidate, kept),
        opinion=opinion,
        proposes=_proposed(context, flag, opinion, kept, told),
    )


def proposes(context: Context, collection: str) -> bool:
    """Whether second opinions on a collection's pairs are put forward as proposals."""
    return gray_modes(context.settings.gray_zone).of(collection) in (GrayMode.PROPOSE, GrayMode.SETTLE)


def _proposed(
    context: Context, flag: Flag, opinion: SecondOpinion | None, kept: Block, told: Sequence[Objection]
) -> Verb | None:
    """What an opinion proposes; never a merge past an objection."""
    if opinion is None or not opinion.is_given or not proposes(context, flag.collection):
        return None
    if opinion.ruling.opinion is Opinion.DUPLICATE:
        return Verb.MERGE if opinion.ruling.of in {kept.id, *kept.members} and not told else None
    return Verb.KEEP_APART if opinion.ruling.opinion is Opinion.DISTINCT else None


def _objections(context: Context, flag: Flag, candidate: Block, kept: Block) -> tuple[Objection, ...]:
    """What guards say that look at more than facts: at structure, at what one text adds, at what a person said."""
    blocks = context.store.ledger.kept([candidate.id, kept.id])
    said: tuple[Objection, ...] = ()
    if len(blocks) == 2:
        said = first_objection(guards_in_force(context), blocks[candidate.id].candidate, blocks[kept.id].candidate)
    said = said or next((near.objections for near in flag.near if near.id == kept.id), ())
    return tuple(Objection(o.kind, o.b, o.a) for o in said)
