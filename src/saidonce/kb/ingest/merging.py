"""A document enters a canonical collection: its members go up the ladder, and the blocks they join are settled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from saidonce.foundation.context import Context
from saidonce.foundation.model import (
    POLICY,
    DecisionDraft,
    Detail,
    Document,
    DocumentWrite,
    Member,
    Outcome,
    Receipt,
    Segment,
    Vector,
    Verb,
    WriteState,
)
from saidonce.kb.canonical import (
    BlockIndex,
    Judgement,
    MatchedMember,
    drawn,
    judge,
    sent_to_review,
    settle,
    why_not_automatic,
)
from saidonce.kb.ingest.report import merge_counters


@dataclass(frozen=True, slots=True)
class Merging:
    """What became of a document's members: merged into a kept block, sent to a person, or blocks of their own."""

    n_merged: int = 0
    n_flagged: int = 0


def put_canonical(
    context: Context, index: BlockIndex, write: DocumentWrite, vectors: Mapping[str, Vector]
) -> tuple[Receipt, Merging]:
    """Write a document's version, merge or flag what is new in it, and settle the blocks, as one transaction.

    A segment that was here before and that a live decision places comes back to where it was.

    Args:
        base: wired ports.
        texts: cache of kept texts; caught up before the lock is taken and once more inside it.
        write: as for an evidence collection.
        vectors: of all texts of the write, by embedding key.

    Raises:
        StaleWriteError: another writer was faster; nothing was written.
    """
    index.catch_up(context.store)
    seen = index.seen
    try:
        with context.store.ledger.exclusive():
            return _put(context, index, write, vectors)
    except BaseException:
        # What was read inside the lock may have been rolled back, and its revisions go to other writers.
        if index.seen != seen:
            index.forget()
        raise


def _put(
    context: Context, index: BlockIndex, write: DocumentWrite, vectors: Mapping[str, Vector]
) -> tuple[Receipt, Merging]:
    receipt = context.store.put_document(write)
    if receipt.state is WriteState.UNCHANGED:
        return receipt, Merging()
    members = _members(context, write)
    before = context.store.ledger.members([m.id for m in members])
    gone = context.store.ledger.put_members(write.document_id, members)
    settle(context, write.collection, gone)
    index.catch_up(context.store)
    fresh = _unplaced(context, [m for m in members if m.id not in before])
    keys = {draft.segment_id: draft.text_key for draft in write.blocks}
    judgement = judge(context, index, fresh, [vectors[keys[m.id]] for m in fresh])
    drafts = decided(context, judgement)
    context.store.ledger.append(drafts)
    joined = [member for draft in drafts if draft.verb is Verb.MERGE for member in draft.members]
    settle(context, write.collection, [*(m.id for m in members), *joined])
    n_merged = sum(draft.verb is Verb.MERGE for draft in drafts)
    merging = Merging(n_merged, len(drafts) - n_merged)
    if context.settings.metrics_enabled:
        context.store.add_counters(merge_counters(write.document.format, merging.n_merged, merging.n_flagged))
    return receipt, merging


def decided(context: Context, judgement: Judgement) -> list[DecisionDraft]:
    """Turn verdicts into decisions: merges and flags; what is distinct needs none."""
    would_merge = any(judged.verdict.outcome is Outcome.DUPLICATE for judged in judgement.judged)
    reason = why_not_automatic(context) if would_merge else ""
    drafts = []
    for judged in judgement.judged:
        if judged.verdict.outcome is Outcome.DUPLICATE and reason:
            drafts.append(_draft(context, sent_to_review(judged, reason), judgement.policy))
        elif judged.verdict.outcome is not Outcome.DISTINCT:
            drafts.append(_draft(context, judged, judgement.policy))
    return drafts


def _draft(context: Context, judged: MatchedMember, policy: str) -> DecisionDraft:
    merges = judged.verdict.outcome is Outcome.DUPLICATE
    others = tuple(n.id for n in judged.near)
    owners = {judged.member.owner, *(judged.owners.get(n, "") for n in others[:1])} - {""}
    return DecisionDraft(
        verb=Verb.MERGE if merges else Verb.FLAG,
        collection=judged.member.collection,
        members=(judged.member.id, *(others[:1] if merges else others)),
        actor=POLICY,
        detail=Detail(
            near=judged.near,
            because=judged.verdict.reason,
            activity=context.store.people.activity(sorted(owners)) if merges and owners else (),
            sampled=merges and drawn(context, judged.member.id, *others[:1]),
        ),
        policy=policy,
        certificate=context.certificate.digest if context.certificate is not None else "",
    )


def _members(context: Context, write: DocumentWrite) -> list[Member]:
    by_id: dict[str, Segment] = {s.id: s for s in write.segments}
    document: Document = write.document
    return [
        Member(
            segment=by_id[draft.segment_id], collection=write.collection, document_id=write.document_id,
            document=write.name, title=document.title, authored_at=document.authored_at,
            dated_at=document.authored_at or context.clock.now(), salience=draft.salience, boost=draft.boost,
            owner=context.settings.owner,
        )
        for draft in write.blocks
    ]  # fmt: skip


def _unplaced(context: Context, members: Sequence[Member]) -> list[Member]:
    """Leave out members that a live decision binds to, or asks about with, another text that is there."""
    ids = {m.id for m in members}
    told = [
        d
        for d in context.store.ledger.concerning(sorted(ids))
        if d.live and d.verb in (Verb.MERGE, Verb.EDIT, Verb.FLAG)
    ]
    there = context.store.ledger.members(sorted({m for d in told for m in d.members}))
    placed: set[str] = set()
    for d in told:
        named = d.members[:1] if d.verb is Verb.FLAG else d.members
        placed.update(m for m in ids.intersection(named) if any(o in there and o != m for o in d.members))
    return [m for m in members if m.id not in placed]
