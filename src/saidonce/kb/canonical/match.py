"""Match a document's members on the ladder, each against the blocks of its collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from types import MappingProxyType

import numpy as np

from saidonce.foundation import text
from saidonce.foundation.context import Context
from saidonce.foundation.model import (
    Candidate,
    Copies,
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
from saidonce.kb.canonical.borne_out import borne_out_by, guards_in_force
from saidonce.kb.canonical.copies import asked_about, split_texts
from saidonce.kb.canonical.side_by_side import decide_together
from saidonce.matching.diff import as_added
from saidonce.matching.ladder import Case, Guard, first_objection

KEPT_APART = Objection(FactKind.DECISION, Span(0, 0, ""), Span(0, 0, "kept apart from a text of this block"))
"""Objection to a block with a text that a person kept apart from the candidate."""


_NOTHING: Mapping[str, tuple[str, ...]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class MatchedMember:
    """A member with its verdict and its matches, best first; `owners` are those of the matched blocks, by id."""

    member: Member
    verdict: Verdict
    near: tuple[Near, ...]
    owners: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The ladder's verdicts on a document's members, in their order; `policy` names the settings in force."""

    matched: tuple[MatchedMember, ...]
    policy: str


def canonical_policy(context: Context) -> Policy:
    """Return the ladder's policy under the base's settings; a required certificate makes it no laxer than certified.

    What is shown to say the same merges below that threshold only where neither a certificate nor `merge_additions`
    is in force: both say from which similarity two texts may share a block, and not which texts are the same.
    """
    s = context.settings
    certified = context.certificate.duplicate_from if s.require_certificate and context.certificate is not None else 0.0
    merge_from = max(s.merge_from, certified)
    is_by_similarity = s.merge_additions or s.require_certificate or context.certificate is not None
    return replace(
        CANONICAL,
        clear_below=min(s.merge_investigate_from, merge_from),
        duplicate_from=merge_from,
        same_from=1.0 if is_by_similarity else s.same_from,
        k=s.merge_neighbours,
    )


def policy_name(context: Context) -> str:
    """Name the ladder's settings and guards in force by 32 hex digits."""
    policy, guards = canonical_policy(context), guards_in_force(context)
    return text.digest(
        policy.use, policy.clear_below.hex(), policy.duplicate_from.hex(), policy.same_from.hex(), str(policy.k),
        *(g.__name__ for g in guards),
    )  # fmt: skip


def match_members(
    context: Context,
    index: BlockIndex,
    members: Sequence[Member],
    vectors: Sequence[Vector],
    also_under: Mapping[str, tuple[str, ...]] = _NOTHING,
) -> MatchResult:
    """Match members of one document against the kept blocks of other documents.

    Blocks supported by this document alone are no matches: repeats inside a document are removed elsewhere.
    Matches are nominated by equal content, by nearness and by shared words, in turn, so that many look-alikes
    cannot crowd out a duplicate. Pairs kept apart by a decision are not compared again.

    Args:
        context: wired ports.
        index: caught up.
        members: of one document and collection.
        vectors: of their texts, in the same order.
        also_under: headings of what their document repeats of them, by id.
    """
    policy = canonical_policy(context)
    guards, policy_id = guards_in_force(context), policy_name(context)
    if not members:
        return MatchResult((), policy_id)
    collection = members[0].collection
    hashes = sorted({m.segment.content_hash for m in members})
    apart = context.store.ledger.apart(collection, hashes)
    n_own = len(context.store.ledger.members_of(documents=[members[0].document_id]))
    pools = index.near(collection, np.stack(list(vectors)), policy.clear_below, n_own + len(apart))
    same_content = context.store.ledger.same_content(collection, hashes)
    split = split_texts(context, apart, same_content)
    nominated_ids = {id_ for pool in pools for id_, _ in pool} | {id_ for ids in same_content.values() for id_ in ids}
    kept = _of_others(context, nominated_ids, members[0].document_id)
    cases, copies = [], []
    for member, vector, pool in zip(members, vectors, pools, strict=True):
        similar = dict(pool)
        equal = [id_ for id_ in same_content.get(member.segment.content_hash, ()) if id_ in kept]
        similar |= index.similarities(collection, vector, [id_ for id_ in equal if id_ not in similar])
        mine = replace(candidate_of(member), also_under=also_under.get(member.id, ()))
        copied = split.get(mine.content_hash)
        joinable = copied.blocks if copied is not None else frozenset()
        near_ids = [id_ for id_ in kept if id_ in similar]
        free = {id_: kept[id_] for id_ in near_ids if id_ in joinable or not _is_apart(mine, kept[id_], apart)}
        member_guards = _guards(mine, free.values(), apart, guards)
        matches = [
            Match(id_, similar[id_], free[id_].candidate, free[id_].hashes)
            for id_ in _nominate(mine, similar, equal, free, policy.k)
        ]
        cases.append(Case(mine, tuple(matches), policy, member_guards))
        copies.append(copied)
    matched = []
    for member, copied, (case, decided) in zip(members, copies, decide_together(cases), strict=True):
        judged = (decided, _near(context, case, decided))
        verdict, near = asked_about(*judged, copied) if copied and copied.copies is Copies.ASK else judged
        matched.append(MatchedMember(member, verdict, near, {m.id: kept[m.id].owner for m in case.matches}))
    return MatchResult(tuple(matched), policy_id)


def _of_others(context: Context, ids: Iterable[str], document_id: str) -> dict[str, Kept]:
    """Return those of the blocks that another document supports, too."""
    return {id_: k for id_, k in context.store.ledger.kept(sorted(ids)).items() if k.document_ids - {document_id}}


def candidate_of(member: Member) -> Candidate:
    """Return a member's candidate for the ladder."""
    s = member.segment
    of = (s.text, s.content_hash, s.kind, s.language, s.section_role, s.rows, member.dated_at)
    return Candidate(*of, place=s.place, section=s.section, sender=member.sender)


def _is_apart(mine: Candidate, kept: Kept, apart: frozenset[tuple[str, str]]) -> bool:
    """Return whether a person parted this text from a block's own text, or from an equal text in the block."""
    own = mine.content_hash
    return hash_pair(own, kept.candidate.content_hash) in apart or (own in kept.hashes and (own, own) in apart)


def hash_pair(a: str, b: str) -> tuple[str, str]:
    """Return two content hashes in the order of the ledger's pairs."""
    return min(a, b), max(a, b)


def _guards(
    mine: Candidate, kept: Iterable[Kept], apart: frozenset[tuple[str, str]], guards: tuple[Guard, ...]
) -> tuple[Guard, ...]:
    """Return the guards, preceded by one that objects to blocks with a text that a person kept apart from this one.

    Another text represents that block now, so the pair is compared again, but never merges against the decision.
    """
    parted = {
        k.candidate.content_hash
        for k in kept
        if mine.content_hash not in k.hashes and any(hash_pair(mine.content_hash, h) in apart for h in k.hashes)
    }
    if not parted:
        return guards

    def kept_apart(_a: Candidate, b: Candidate) -> Sequence[Objection]:
        return (KEPT_APART,) if b.content_hash in parted else ()

    return (kept_apart, *guards)


def _nominate(
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


def _near(context: Context, case: Case, verdict: Verdict) -> tuple[Near, ...]:
    """Return the matches above the investigating threshold with their objections, the verdict's match first.

    Of that one, where guards object, the equivalence judge is heard.
    """
    if verdict.outcome is Outcome.DISTINCT:
        return ()
    ranked = sorted(case.matches, key=lambda m: (m.id != verdict.of, -m.similarity, m.id))
    return tuple(
        _compare(context, case, verdict, m)
        for m in ranked
        if m.similarity >= case.policy.clear_below or m.id == verdict.of
    )


def _compare(context: Context, case: Case, verdict: Verdict, match: Match) -> Near:
    if match.id == verdict.of and verdict.outcome is Outcome.DUPLICATE:
        return Near(match.id, match.similarity)
    objections = first_objection(case.guards, case.candidate, match.kept)
    is_heard = match.id == verdict.of and objections and KEPT_APART not in objections
    by = borne_out_by(context, case.candidate, match.kept) if is_heard else ""
    shown = as_added(objections, case.candidate.text, match.kept.text)
    return Near(match.id, match.similarity, shown, by)


def send_to_review(match: MatchedMember, because: str) -> MatchedMember:
    """Return the match with its outcome changed to review, and the reason in the trail."""
    verdict = match.verdict
    step = Step("certificate", because, verdict.of, verdict.similarity)
    changed = replace(verdict, outcome=Outcome.REVIEW, reason=Reason.UNCERTIFIED, trail=(*verdict.trail, step))
    return replace(match, verdict=changed)
