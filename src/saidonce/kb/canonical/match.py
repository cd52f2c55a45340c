"""Members of a document go up the ladder, each against the blocks of its collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np

from saidonce.foundation import text
from saidonce.foundation.context import Context
from saidonce.foundation.model import (
    Candidate,
    FactKind,
    Kept,
    Match,
    Member,
    Near,
    Objection,
    Outcome,
    Reason,
    Span,
    Step,
    Vector,
    Verdict,
)
from saidonce.foundation.settings.policy import CANONICAL, Policy
from saidonce.kb.canonical.block_index import BlockIndex
from saidonce.matching.guards import CANONICAL_GUARDS, COVERING_GUARDS
from saidonce.matching.ladder import Case, Guard, decide, first_objection


@dataclass(frozen=True, slots=True)
class MatchedMember:
    """A member with its verdict and all that it was compared with, best first; `owners` are of those blocks, by id."""

    member: Member
    verdict: Verdict
    near: tuple[Near, ...]
    owners: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the ladder says of a document's members, in their order; `policy` names its settings."""

    judged: tuple[MatchedMember, ...]
    policy: str


def canonical_policy(context: Context) -> Policy:
    """The ladder's policy under the base's settings; where a certificate is required, no laxer than it says."""
    s = context.settings
    certified = context.certificate.duplicate_from if s.require_certificate and context.certificate is not None else 0.0
    merge_from = max(s.merge_from, certified)
    return replace(
        CANONICAL,
        clear_below=min(s.merge_investigate_from, merge_from),
        duplicate_from=merge_from,
        k=s.merge_neighbours,
    )


def policy_name(context: Context) -> str:
    """Name the ladder's settings and guards in force by 32 hex digits."""
    policy, guards = canonical_policy(context), guards_in_force(context)
    return text.digest(
        policy.use, policy.clear_below.hex(), policy.duplicate_from.hex(), str(policy.k), *(g.__name__ for g in guards)
    )


def judge(context: Context, index: BlockIndex, members: Sequence[Member], vectors: Sequence[Vector]) -> Judgement:
    """Take members of one document up the ladder against the kept blocks of other documents.

    What only this document supports is no match: repeats inside a document are another use's business.
    Nominated by equal content, by nearness and by shared words, in turn: a twin that many look-alikes
    surround must not be crowded out. Pairs that a decision keeps apart are not asked about again.

    Args:
        base: wired ports.
        texts: caught up.
        members: of one document and collection.
        vectors: of their texts, in the same order.
    """
    policy = canonical_policy(context)
    guards, named = guards_in_force(context), policy_name(context)
    if not members:
        return Judgement((), named)
    collection = members[0].collection
    hashes = sorted({m.segment.content_hash for m in members})
    apart = context.store.ledger.apart(collection, hashes)
    n_own = len(context.store.ledger.members_of(documents=[members[0].document_id]))
    pools = index.near(collection, np.stack(list(vectors)), policy.clear_below, n_own + len(apart))
    same = context.store.ledger.same_content(collection, hashes)
    wanted = {id_ for pool in pools for id_, _ in pool} | {id_ for ids in same.values() for id_ in ids}
    kept = {
        id_: k
        for id_, k in context.store.ledger.kept(sorted(wanted)).items()
        if k.document_ids - {members[0].document_id}
    }
    judged = []
    for member, vector, pool in zip(members, vectors, pools, strict=True):
        similar = dict(pool)
        equal = [id_ for id_ in same.get(member.segment.content_hash, ()) if id_ in kept]
        similar |= index.similarities(collection, vector, [id_ for id_ in equal if id_ not in similar])
        mine = candidate_of(member)
        free = {id_: k for id_, k in kept.items() if id_ in similar and not _is_apart(mine, k, apart)}
        asked = _guards(mine, free.values(), apart, guards)
        matches = [
            Match(id_, similar[id_], free[id_].candidate, free[id_].hashes)
            for id_ in _nominated(mine, similar, equal, free, policy.k)
        ]
        verdict = decide(Case(mine, tuple(matches), policy, asked))
        owners = {m.id: free[m.id].owner for m in matches}
        judged.append(MatchedMember(member, verdict, _near(mine, verdict, matches, policy, asked), owners))
    return Judgement(tuple(judged), named)


def guards_in_force(context: Context) -> tuple[Guard, ...]:
    """The guards of canonical use under the base's settings."""
    return COVERING_GUARDS if context.settings.merge_additions else CANONICAL_GUARDS


def candidate_of(member: Member) -> Candidate:
    """What the ladder sees of a member."""
    s = member.segment
    return Candidate(s.text, s.content_hash, s.kind, s.language, s.section_role, s.rows, member.dated_at)


def _is_apart(mine: Candidate, kept: Kept, apart: frozenset[tuple[str, str]]) -> bool:
    """Whether a person parted this text from the one that stands for a block, or from equal words in it."""
    own = mine.content_hash
    return _pair(own, kept.candidate.content_hash) in apart or (own in kept.hashes and (own, own) in apart)


def _pair(a: str, b: str) -> tuple[str, str]:
    return min(a, b), max(a, b)


def _guards(
    mine: Candidate, kept: Iterable[Kept], apart: frozenset[tuple[str, str]], guards: tuple[Guard, ...]
) -> tuple[Guard, ...]:
    """The guards, and before them one that objects to a block of which a person kept a text apart from this one.

    Another text stands for that block now, so it is asked about again, but nothing merges past the person's word.
    """
    parted = {
        k.candidate.content_hash
        for k in kept
        if mine.content_hash not in k.hashes and any(_pair(mine.content_hash, h) in apart for h in k.hashes)
    }
    if not parted:
        return guards

    def kept_apart(_a: Candidate, b: Candidate) -> Sequence[Objection]:
        said = Span(0, 0, "kept apart from a text of this block")
        return (Objection(FactKind.DECISION, Span(0, 0, ""), said),) if b.content_hash in parted else ()

    return (kept_apart, *guards)


def _nominated(
    mine: Candidate, similar: Mapping[str, float], equal: Sequence[str], free: Mapping[str, Kept], k: int
) -> list[str]:
    """Choose k matches: first those of equal content, then the nearest and the most alike in words, in turn."""
    dense = [id_ for id_, _ in sorted(similar.items(), key=lambda item: (-item[1], item[0])) if id_ in free]
    if len(dense) <= k:
        return dense
    words = set(text.terms(mine.text, mine.language))

    def shared(id_: str) -> float:
        other = set(text.terms(free[id_].candidate.text, mine.language))
        return len(words & other) / max(1, len(words | other))

    lexical = sorted(dense, key=lambda id_: (-shared(id_), id_))
    in_turn = [id_ for pair in zip_longest(dense, lexical) for id_ in pair if id_ is not None]
    return list(dict.fromkeys([*(id_ for id_ in equal if id_ in free), *in_turn]))[:k]


def _near(
    mine: Candidate, verdict: Verdict, matches: Sequence[Match], policy: Policy, guards: Sequence[Guard]
) -> tuple[Near, ...]:
    """All matches above the investigating threshold with each one's own objections; the verdict's match first."""
    if verdict.outcome is Outcome.DISTINCT:
        return ()
    ranked = sorted(matches, key=lambda m: (m.id != verdict.of, -m.similarity, m.id))
    return tuple(
        Near(
            m.id,
            m.similarity,
            ()
            if m.id == verdict.of and verdict.outcome is Outcome.DUPLICATE
            else first_objection(guards, mine, m.kept),
        )
        for m in ranked
        if m.similarity >= policy.clear_below or m.id == verdict.of
    )


def sent_to_review(judged: MatchedMember, because: str) -> MatchedMember:
    """The same with a person asked instead, and the reason in the trail."""
    verdict = judged.verdict
    step = Step("certificate", because, verdict.of, verdict.similarity)
    changed = replace(verdict, outcome=Outcome.REVIEW, reason=Reason.UNCERTIFIED, trail=(*verdict.trail, step))
    return replace(judged, verdict=changed)
