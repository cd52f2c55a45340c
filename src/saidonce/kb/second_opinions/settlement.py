"""Settle a pair by an opinion: under the lock, as the pair stands then, by a decision that can be reverted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from saidonce.foundation.context import Context
from saidonce.foundation.model import (
    POLICY,
    Decision,
    DecisionDraft,
    Detail,
    Near,
    Opinion,
    Reason,
    SecondOpinion,
    Shown,
    Verb,
    gray_modes,
)
from saidonce.kb.canonical import (
    OpenPair,
    activity_of_owners,
    is_audit_sample,
    load_open_pairs,
    policy_name,
    questions,
    rebuild_blocks,
    why_not_automatic_for,
)
from saidonce.kb.second_opinions.resolution import Ground, outcome

PAGE = 500
MOST_LOOKED_AT = 10_000
"""Newest decisions searched for those made by opinions."""


def settled_by_opinions(context: Context, limit: int = 50, before: int | None = None) -> tuple[Decision, ...]:
    """Return the decisions made by opinions, newest first, reverted ones too.

    Args:
        context: wired ports.
        limit: at most so many, from among the newest decisions.
        before: only decisions with smaller numbers.
    """
    decisions: list[Decision] = []
    n_looked_at = 0
    while page := context.store.ledger.decisions([Verb.MERGE, Verb.DISMISS], before, PAGE):
        decisions += [d for d in page if d.detail.ruling is not None]
        before = page[-1].seq
        n_looked_at += len(page)
        if len(decisions) >= limit or n_looked_at >= MOST_LOOKED_AT:
            break
    return tuple(decisions[:limit])


def may_settle(context: Context, collection: str, opinion: SecondOpinion) -> bool:
    """Return whether an opinion could settle a pair of a collection at all, without a lock or comparison."""
    return outcome(opinion.ruling, _ground(context, collection, objected=False, withheld=False)) is not None


def settle_flag(context: Context, opinion: SecondOpinion) -> Decision | None:
    """Settle the flag of an opinion, or leave it to a person.

    Nothing happens if the flag was settled meanwhile, a text has changed since the question, a person reverted an
    earlier settlement by an opinion, or the opinion is not enough for either decision.
    """
    ledger = context.store.ledger
    with ledger.exclusive():
        flag = ledger.flag(opinion.flag)
        if flag is None or not flag.open:
            return None
        pairs = load_open_pairs(context, [flag])
        if not pairs or pairs[0].texts != opinion.texts or _was_settled(context, pairs[0]):
            return None
        draft = _draft(context, pairs[0], opinion)
        if draft is None:
            return None
        (decision,) = ledger.append([draft])
        rebuild_blocks(context, draft.collection, draft.members)
    return decision


def _was_settled(context: Context, pair: OpenPair) -> bool:
    """Return whether an opinion settled this flag before and was reverted, or closed it for these very texts."""
    flag = context.store.ledger.decision(pair.flag.seq)
    decisions = context.store.ledger.concerning(flag.members) if flag is not None else ()
    mine = [d for d in decisions if d.flag == pair.flag.seq and d.detail.ruling is not None]
    return any(not d.live or d.detail.texts == pair.hashes for d in mine)


def _ground(context: Context, collection: str, objected: bool, withheld: bool) -> Ground:
    s = context.settings
    return Ground(gray_modes(s.gray_zone).of(collection), s.gray_zone_settle_from, objected, withheld, not s.auto_merge)


def _draft(context: Context, pair: OpenPair, opinion: SecondOpinion) -> DecisionDraft | None:
    """Return the decision that follows from an opinion; None leaves the pair to a person."""
    ruling, flag = opinion.ruling, pair.flag
    (question,) = questions(context, [pair])
    named = _named_match(context, question.shown, opinion)
    objected = named is None or bool(named.objections) or _was_objected(pair, named)
    withheld = bool(named and why_not_automatic_for(context, ruling.adjudicator, named.match.similarity))
    verb = outcome(ruling, _ground(context, flag.collection, objected, withheld))
    if verb is Verb.DISMISS:
        raised = context.store.ledger.decision(flag.seq)
        members = raised.members if raised is not None else ()
        detail = Detail(near=_near(question.shown), because=Reason.LLM_CLEARED, ruling=ruling, texts=pair.hashes)
    elif verb is Verb.MERGE and named is not None:
        members = (pair.candidate.id, named.match.id)
        detail = _merge_detail(context, pair, named, question.shown, opinion)
    else:
        return None
    return DecisionDraft(
        verb=verb, collection=flag.collection, members=members, actor=POLICY, flag=flag.seq, detail=detail,
        policy=policy_name(context), certificate=context.certificate.digest if context.certificate is not None else "",
    )  # fmt: skip


def _named_match(context: Context, shown: Sequence[Shown], opinion: SecondOpinion) -> Shown | None:
    """Return the match named by a "duplicate"; a block's id changes when an equal text takes its place."""
    ruling = opinion.ruling
    if ruling.opinion is not Opinion.DUPLICATE:
        return None
    at = context.store.ledger.members([ruling.of]).get(ruling.of)
    return next((s for s in shown if at is not None and s.match.id == at.block_id), None)


def _was_objected(pair: OpenPair, named: Shown) -> bool:
    """Return whether a guard objected when the pair was flagged: a person then reviews it, edited or not."""
    return any(near.objections for near in pair.flag.near if near.id == named.match.id)


def _merge_detail(
    context: Context, pair: OpenPair, named: Shown, shown: Sequence[Shown], opinion: SecondOpinion
) -> Detail:
    of = named.match.id
    owner = next(k.owner for k in pair.others if k.id == of)
    owners = sorted({pair.candidate.owner, owner} - {""})
    return Detail(
        near=_near(sorted(shown, key=lambda s: s.match.id != of)),
        because=Reason.RULED_DUPLICATE,
        activity=activity_of_owners(
            context,
            owners,
            [(pair.candidate.owner, pair.candidate.candidate.dated_at), (owner, named.match.kept.dated_at)],
        ),
        sampled=is_audit_sample(context, pair.candidate.id, of),
        ruling=replace(opinion.ruling, of=of),
    )


def _near(shown: Sequence[Shown]) -> tuple[Near, ...]:
    return tuple(Near(s.match.id, s.match.similarity, s.objections, s.borne_out_by) for s in shown)
