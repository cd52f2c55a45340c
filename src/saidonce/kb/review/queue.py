"""The review queue: open flags with both blocks, their differences, and a preview of each merge."""

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
from saidonce.kb.canonical import guards_in_force, load_open_pairs
from saidonce.kb.pairs import accord_between
from saidonce.kb.review.actions import preview
from saidonce.kb.review.commit import state_token
from saidonce.kb.review.differences import one_change
from saidonce.matching import facts
from saidonce.matching.agreement import Agreement
from saidonce.matching.facts import Comparison
from saidonce.matching.ladder import first_objection


@dataclass(frozen=True, slots=True)
class PairView:
    """A flag as shown to a reviewer.

    Attributes:
        decision: the one that raised it, with the shortlist and the guards' objections.
        candidate: the later block.
        kept: the block compared with it: the nearest, or another of the shortlist.
        shortlist: the other blocks of the comparison, nearest first.
        comparison: aligned changes from the kept text (`a`) to the candidate's (`b`).
        objections: of the guards in force to this pair as it stands, or else those recorded; the kept text is `a`.
        agreement: how the two texts agree, from the pair table where it is known; the kept text is `a`.
        borne_out_by: name of the equivalence judge that takes their wording for the same; empty where none does.
        previews: the merged block for each choice of text.
        seen: state token of the two blocks as shown, for the optimistic lock.
        opinion: the newest second opinion on the texts of the flag as they stand, a failure too; None without one.
        proposes: MERGE or KEEP_APART for this very pair, where the collection's mode lets opinions propose.
    """

    flag: Flag
    decision: Decision
    candidate: Block
    kept: Block
    shortlist: tuple[Block, ...]
    comparison: Comparison
    objections: tuple[Objection, ...]
    agreement: Agreement
    previews: Mapping[Keep, Golden]
    seen: str
    opinion: SecondOpinion | None = None
    proposes: Verb | None = None
    borne_out_by: str = ""

    @property
    def change(self) -> str:
        """The one change that makes the candidate of the kept text; empty if there are more."""
        return one_change(self.kept.text, self.candidate.text)

    def __repr__(self) -> str:
        return repr(Pair(self.flag, self.candidate, self.kept)).replace("Pair", "PairView", 1)


def open_pairs(
    context: Context, queue: QueueFilter, after: tuple[float, int] | None = None, limit: int = 50
) -> tuple[Pair, ...]:
    """Return the flags of a queue with their blocks, in its order, without those whose blocks are gone.

    Args:
        context: wired ports.
        queue: filter of the flags.
        after: see `cursor`.
        limit: at most so many.
    """
    flags = context.store.ledger.queue(queue, after, limit)
    blocks = context.store.blocks(sorted({id_ for f in flags for id_ in (f.candidate, f.of)}))
    opinions = opinions_on(context, flags)
    return tuple(
        Pair(f, blocks[f.candidate], blocks[f.of], opinions.get(f.seq))
        for f in flags
        if f.candidate in blocks and f.of in blocks
    )


def opinions_on(context: Context, flags: Sequence[Flag]) -> dict[int, SecondOpinion]:
    """Return the newest second opinion on each of some flags, by flag, if its texts are unchanged."""
    latest = context.store.opinions.latest([f.seq for f in flags])
    with_opinion = [f for f in flags if f.seq in latest]
    opinions: dict[int, SecondOpinion] = {}
    for collection in sorted({f.collection for f in with_opinion}):
        for pair in load_open_pairs(context, [f for f in with_opinion if f.collection == collection]):
            if latest[pair.flag.seq].texts == pair.texts:
                opinions[pair.flag.seq] = latest[pair.flag.seq]
    return opinions


def cursor(context: Context, queue: QueueFilter, flag: Flag) -> tuple[float, int]:
    """Return the place of a flag in a queue, after which the next page begins."""
    if not queue.by_likelihood:
        return flag.worth, flag.seq
    opinion = context.store.opinions.latest([flag.seq]).get(flag.seq)
    likelihood = opinion.likelihood if opinion is not None else None
    return (likelihood if likelihood is not None else UNKNOWN), flag.seq


def pair(context: Context, seq: int, against: str = "") -> PairView:
    """Return one flag with everything needed for a decision.

    Args:
        context: wired ports.
        seq: number of the flag.
        against: id of the block of the shortlist to compare with; the nearest by default.

    Raises:
        NotFoundError: there is no such flag, or one of its blocks is gone.
    """
    flag = context.store.ledger.flag(seq)
    decision = context.store.ledger.decision(seq)
    if flag is None or decision is None:
        raise NotFoundError("pair", str(seq))
    ids = list(dict.fromkeys([flag.candidate, flag.of, *(n.id for n in flag.near)]))
    blocks = context.store.blocks(ids)
    other = against if against in blocks and against != flag.candidate else flag.of
    if flag.candidate not in blocks or other not in blocks:
        raise NotFoundError("pair", str(seq), "one of its texts was removed with its document")
    candidate, kept = blocks[flag.candidate], blocks[other]
    rest = tuple(blocks[id_] for id_ in ids if id_ in blocks and id_ not in (candidate.id, kept.id))
    accord = accord_between(context, kept, candidate)
    comparison = facts.compare(kept.text, candidate.text, kept.language)
    objected = comparison.objections or _objections(context, flag, candidate, kept)
    opinion = opinions_on(context, [flag]).get(seq)
    return PairView(
        flag=flag,
        decision=decision,
        candidate=candidate,
        kept=kept,
        shortlist=rest,
        comparison=comparison,
        objections=objected,
        agreement=accord.agreement,
        previews={keep: preview(context, kept, candidate, keep) for keep in Keep},
        seen=state_token(candidate, kept),
        opinion=opinion,
        proposes=_proposal(context, flag, opinion, kept, objected),
        borne_out_by=accord.judge if accord.is_borne_out else "",
    )


def proposes(context: Context, collection: str) -> bool:
    """Return whether second opinions on a collection's pairs are shown as proposals."""
    return gray_modes(context.settings.gray_zone).of(collection) in (GrayMode.PROPOSE, GrayMode.SETTLE)


def _proposal(
    context: Context, flag: Flag, opinion: SecondOpinion | None, kept: Block, objected: Sequence[Objection]
) -> Verb | None:
    """Return the verb proposed by an opinion; never a merge against an objection."""
    if opinion is None or not opinion.is_stated or not proposes(context, flag.collection):
        return None
    if opinion.ruling.opinion is Opinion.DUPLICATE:
        return Verb.MERGE if opinion.ruling.of in {kept.id, *kept.members} and not objected else None
    return Verb.KEEP_APART if opinion.ruling.opinion is Opinion.DISTINCT else None


def _objections(context: Context, flag: Flag, candidate: Block, kept: Block) -> tuple[Objection, ...]:
    """Return the objections of guards beyond facts: of structure, additions and earlier decisions."""
    blocks = context.store.ledger.kept([candidate.id, kept.id])
    objected: tuple[Objection, ...] = ()
    if len(blocks) == 2:
        objected = first_objection(guards_in_force(context), blocks[candidate.id].candidate, blocks[kept.id].candidate)
    objected = objected or next((near.objections for near in flag.near if near.id == kept.id), ())
    return tuple(o.mirrored for o in objected)
