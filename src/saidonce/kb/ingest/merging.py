"""Write a document into a canonical collection: match its members on the ladder and rebuild the blocks they join."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from saidonce.foundation import tracing
from saidonce.foundation.context import Context
from saidonce.foundation.model import (
    POLICY,
    Activity,
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
    MatchedMember,
    MatchResult,
    activity_of_owners,
    is_audit_sample,
    match_members,
    rebuild_blocks,
    send_to_review,
    why_not_automatic,
)
from saidonce.kb.ingest.report import merge_counters


@dataclass(frozen=True, slots=True)
class Merging:
    """Numbers of a document's members merged into kept blocks, and flagged for a person."""

    n_merged: int = 0
    n_flagged: int = 0


def put_canonical(
    context: Context, index: BlockIndex, write: DocumentWrite, vectors: Mapping[str, Vector]
) -> tuple[Receipt, Merging]:
    """Write a document's version, merge or flag its new members, and rebuild the blocks, as one transaction.

    A segment that was here before and that a live decision places comes back to where it was.

    Args:
        context: wired ports.
        index: cache of kept texts; caught up before the lock is taken and once more inside it.
        write: as for an evidence collection.
        vectors: of all texts of the write, by embedding key.

    Raises:
        StaleWriteError: another writer was faster; nothing was written.
    """
    index.catch_up(context.store)
    seen = index.seen
    try:
        with tracing.span("merge") as span, context.store.ledger.exclusive():
            receipt, merging = _put(context, index, write, vectors)
            span.set(merged=merging.n_merged, flagged=merging.n_flagged)
            return receipt, merging
    except BaseException:  # an interruption rolls back, too
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
    rebuild_blocks(context, write.collection, gone)
    index.catch_up(context.store)
    fresh = _without_placed(context, [m for m in members if m.id not in before])
    keys = {draft.segment_id: draft.text_key for draft in write.blocks}
    judgement = match_members(context, index, fresh, [vectors[keys[m.id]] for m in fresh], _other_headings(write))
    drafts = to_decisions(context, judgement)
    context.store.ledger.append(drafts)
    joined = [member for draft in drafts if draft.verb is Verb.MERGE for member in draft.members]
    rebuild_blocks(context, write.collection, [*(m.id for m in members), *joined])
    n_merged = sum(draft.verb is Verb.MERGE for draft in drafts)
    merging = Merging(n_merged, len(drafts) - n_merged)
    if context.settings.metrics_enabled:
        context.store.add_counters(merge_counters(write.document.format, merging.n_merged, merging.n_flagged))
    return receipt, merging


def _other_headings(write: DocumentWrite) -> dict[str, tuple[str, ...]]:
    """Return the headings of what a document repeats of each of its segments, by the segment's id."""
    sections = {s.id: s.section for s in write.segments}
    others: dict[str, tuple[str, ...]] = {}
    for fate in write.fates:
        if fate.of and fate.of != fate.segment_id and sections[fate.segment_id]:
            others[fate.of] = (*others.get(fate.of, ()), sections[fate.segment_id])
    return others


def to_decisions(context: Context, result: MatchResult) -> list[DecisionDraft]:
    """Return the decisions that follow from verdicts: merges and flags; distinct members need none."""
    would_merge = any(match.verdict.outcome is Outcome.DUPLICATE for match in result.matched)
    reason = why_not_automatic(context) if would_merge else ""
    drafts = []
    for match in result.matched:
        if match.verdict.outcome is Outcome.DUPLICATE and reason:
            drafts.append(_draft(context, send_to_review(match, reason), result.policy))
        elif match.verdict.outcome is not Outcome.DISTINCT:
            drafts.append(_draft(context, match, result.policy))
    return drafts


def _draft(context: Context, match: MatchedMember, policy: str) -> DecisionDraft:
    merges = match.verdict.outcome is Outcome.DUPLICATE
    others = tuple(n.id for n in match.near)
    return DecisionDraft(
        verb=Verb.MERGE if merges else Verb.FLAG,
        collection=match.member.collection,
        members=(match.member.id, *(others[:1] if merges else others)),
        actor=POLICY,
        detail=Detail(
            near=match.near,
            because=match.verdict.reason,
            activity=_activity(context, match, others[0]) if merges else (),
            sampled=merges and is_audit_sample(context, match.member.id, *others[:1]),
        ),
        policy=policy,
        certificate=context.certificate.digest if context.certificate is not None else "",
    )


def _activity(context: Context, match: MatchedMember, kept: str) -> tuple[Activity, ...]:
    """Return how active the owners of a member and of the block that it joins are."""
    owner, own = match.owners.get(kept, ""), match.member.owner
    if not owner and not own:
        return ()
    block = context.store.ledger.kept([kept]).get(kept)
    dated = block.candidate.dated_at if block is not None else None
    return activity_of_owners(context, (own, owner), ((own, match.member.dated_at), (owner, dated)))


def _members(context: Context, write: DocumentWrite) -> list[Member]:
    by_id: dict[str, Segment] = {s.id: s for s in write.segments}
    document: Document = write.document
    return [
        Member(
            segment=by_id[draft.segment_id], collection=write.collection, document_id=write.document_id,
            document=write.name, title=document.title, authored_at=document.authored_at,
            dated_at=document.authored_at or context.clock.now(), salience=draft.salience, boost=draft.boost,
            owner=context.settings.owner or (document.author if context.settings.owner_from_author else ""),
            sender=document.sender,
        )
        for draft in write.blocks
    ]  # fmt: skip


def _without_placed(context: Context, members: Sequence[Member]) -> list[Member]:
    """Return the members without those that a live decision already joins to, or flags with, another stored text."""
    ids = {m.id for m in members}
    decisions = [
        d
        for d in context.store.ledger.concerning(sorted(ids))
        if d.live and d.verb in (Verb.MERGE, Verb.EDIT, Verb.FLAG)
    ]
    stored = context.store.ledger.members(sorted({m for d in decisions for m in d.members}))
    placed: set[str] = set()
    for d in decisions:
        named = d.members[:1] if d.verb is Verb.FLAG else d.members
        placed.update(m for m in ids.intersection(named) if any(o in stored and o != m for o in d.members))
    return [m for m in members if m.id not in placed]
