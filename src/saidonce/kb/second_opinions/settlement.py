"""An opinion settles a pair: under the lock, as the pair stands then, by a decision that can be taken back."""

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
from saidonce.kb.canonical import OpenPair, doubts, drawn, policy_name, questions, settle, why_not_automatic_for
from saidonce.kb.second_opinions.outcome import Ground, outcome

PAGE = 500
MOST_LOOKED_AT = 10_000
"""Decisions that are looked through for a list of what opinions settled."""


def settled(context: Context, limit: int = 50, before: int | None = None) -> tuple[Decision, ...]:
    """Give what opinions settled, newest first, taken back ones too.

    Args:
        base: wired ports.
        limit: at most so many, found among the newest decisions.
        before: only decisions with smaller numbers.
    """
    found: list[Decision] = []
    n_looked_at = 0
    while page := context.store.ledger.decisions([Verb.MERGE, Verb.DISMISS], before, PAGE):
        found += [d for d in page if d.detail.ruling is not None]
        before = page[-1].seq
        n_looked_at += len(page)
        if len(found) >= limit or n_looked_at >= MOST_LOOKED_AT:
            break
    return tuple(found[:limit])


def may_settle(context: Context, collection: str, opinion: SecondOpinion) -> bool:
    """Whether an opinion could settle a pair of a collection at all, before anything is locked and compared."""
    return outcome(opinion.ruling, _ground(context, collection, objected=False, withheld=False)) is not None


def settle_by(context: Context, opinion: SecondOpinion) -> Decision | None:
    """Settle the flag of an opinion, or leave it to a person.

    Nothing happens if the flag was settled meanwhile, a text changed since the opinion was asked, a person took
    back what an opinion settled here before, or the opinion is not enough for either decision.
    """
    ledger = context.store.ledger
    with ledger.exclusive():
        flag = ledger.flag(opinion.flag)
        if flag is None or not flag.open:
            return None
        found = doubts(context, [flag])
        if not found or found[0].texts != opinion.texts or _was_settled(context, found[0]):
            return None
        draft = _draft(context, found[0], opinion)
        if draft is None:
            return None
        (decision,) = ledger.append([draft])
        settle(context, draft.collection, draft.members)
    return decision


def _was_settled(context: Context, doubt: OpenPair) -> bool:
    """Whether an opinion settled this flag before, and a person took it back, or it closed it for these very texts."""
    flag = context.store.ledger.decision(doubt.flag.seq)
    told = context.store.ledger.concerning(flag.members) if flag is not None else ()
    mine = [d for d in told if d.flag == doubt.flag.seq and d.detail.ruling is not None]
    return any(not d.live or d.detail.texts == doubt.hashes for d in mine)


def _ground(context: Context, collection: str, objected: bool, withheld: bool) -> Ground:
    s = context.settings
    return Ground(gray_modes(s.gray_zone).of(collection), s.gray_zone_settle_from, objected, withheld, not s.auto_merge)


def _draft(context: Context, doubt: OpenPair, opinion: SecondOpinion) -> DecisionDraft | None:
    """The decision that an opinion brings about; None leaves the pair to a person."""
    ruling, flag = opinion.ruling, doubt.flag
    (question,) = questions(context, [doubt])
    named = _named(context, question.shown, opinion)
    objected = named is None or bool(named.objections) or _was_objected(doubt, named)
    withheld = bool(named and why_not_automatic_for(context, ruling.adjudicator, named.match.similarity))
    verb = outcome(ruling, _ground(context, flag.collection, objected, withheld))
    if verb is Verb.DISMISS:
        raised = context.store.ledger.decision(flag.seq)
        members = raised.members if raised is not None else ()
        detail = Detail(near=_near(question.shown), because=Reason.LLM_CLEARED, ruling=ruling, texts=doubt.hashes)
    elif verb is Verb.MERGE and named is not None:
        members = (doubt.candidate.id, named.match.id)
        detail = _of_merge(context, doubt, named, question.shown, opinion)
    else:
        return None
    return DecisionDraft(
        verb=verb, collection=flag.collection, members=members, actor=POLICY, flag=flag.seq, detail=detail,
        policy=policy_name(context), certificate=context.certificate.digest if context.certificate is not None else "",
    )  # fmt: skip


def _named(context: Context, shown: Sequence[Shown], opinion: SecondOpinion) -> Shown | None:
    """The match that a "duplicate" names; a block's id moves on when an equal text takes its place."""
    ruling = opinion.ruling
    if ruling.opinion is not Opinion.DUPLICATE:
        return None
    at = context.store.ledger.members([ruling.of]).get(ruling.of)
    return next((s for s in shown if at is not None and s.match.id == at.block_id), None)


def _was_objected(doubt: OpenPair, named: Shown) -> bool:
    """Whether a guard objected when the pair was flagged: then a person looks at it, whatever was written since."""
    return any(near.objections for near in doubt.flag.near if near.id == named.match.id)


def _of_merge(
    context: Context, doubt: OpenPair, named: Shown, shown: Sequence[Shown], opinion: SecondOpinion
) -> Detail:
    of = named.match.id
    owner = next(k.owner for k in doubt.others if k.id == of)
    owners = sorted({doubt.candidate.owner, owner} - {""})
    return Detail(
        near=_near(sorted(shown, key=lambda s: s.match.id != of)),
        because=Reason.RULED_DUPLICATE,
        activity=tuple(context.store.people.activity(owners)) if owners else (),
        sampled=drawn(context, doubt.candidate.id, of),
        ruling=replace(opinion.ruling, of=of),
    )


def _near(shown: Sequence[Shown]) -> tuple[Near, ...]:
    return tuple(Near(s.match.id, s.match.similarity, s.objections) for s in shown)
