"""Rebuild the blocks and flags of some members from the log: the only way in which a canonical block is written."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from saidonce.foundation import text
from saidonce.foundation.context import Context
from saidonce.foundation.model import JOINING, Decision, Flag, Golden, Member, Reason, Vector, Verb
from saidonce.foundation.ports import Search, Settlement
from saidonce.kb import survivorship
from saidonce.matching.vectors import canonical_cosine

_SETTLING = frozenset({Verb.MERGE, Verb.KEEP_APART, Verb.CONFLICT, Verb.SPLIT, Verb.DISMISS, Verb.REVERT})
"""Verbs that close the flag they name; a revert closes the flag that it reverts."""


def embedding_key(model: str, content: str) -> str:
    """Name the embedding of a text by a model."""
    return text.digest(model, content)


def search_of(member: Member, model: str, others: Iterable[Member] = ()) -> Search:
    """Return the terms and embedding keys by which search finds a member's text, under the headings of others, too."""
    s = member.segment
    contexts = "\n".join(dict.fromkeys((s.context, *(other.segment.context for other in others))))
    return Search(
        dict(sorted(text.terms(f"{contexts}\n{s.text}", s.language).items())),
        embedding_key(model, s.text),
        embedding_key(model, s.context) if s.context else "",
    )


def rebuild_blocks(context: Context, collection: str, touched: Iterable[str]) -> tuple[Golden, ...]:
    """Rebuild the blocks and flags of members, and of all members joined to them by live decisions; return the blocks.

    The caller holds the organisation's lock. Costs three queries and a write, whatever the number of members, and
    grows with the number of decisions about the blocks concerned.
    """
    ids = set(touched)
    if not ids:
        return ()
    ledger = context.store.ledger
    decisions = ledger.family(sorted(ids))
    # Only joining decisions lead to further members.
    ids.update(member for d in decisions if d.live and d.verb in JOINING for member in d.members)
    members = ledger.members(sorted(ids))
    standing = survivorship.fold(decisions)
    goldens = [survivorship.join(group, standing) for group in survivorship.groups(standing, members.values())]
    searches = {g.id: search_of(g.text_of, context.embedder.model, g.members) for g in goldens}
    vectors, fresh = _vectors(context, goldens, searches)
    placed = [(_with_similarities(golden, vectors, context.embedder.model), searches[golden.id]) for golden in goldens]
    ledger.settle(Settlement(collection, tuple(sorted(ids)), tuple(placed), fresh))
    refresh_flags(context, sorted(ids))
    return tuple(golden for golden, _ in placed)


def refresh_flags(context: Context, ids: Sequence[str]) -> None:
    """Recompute the state of all flags that name some members."""
    ledger = context.store.ledger
    decisions = ledger.concerning(ids)
    flags = [d for d in decisions if d.verb is Verb.FLAG]
    if not flags:
        return
    rulings: dict[int, list[Decision]] = {}
    for ruling in (*ledger.rulings_on([f.seq for f in flags]), *(d for d in decisions if d.reverts and d.live)):
        rulings.setdefault(ruling.flag or ruling.reverts or 0, []).append(ruling)
    here = [d for d in ledger.concerning(sorted({m for f in flags for m in f.members})) if _is_of_places(d)]
    members = ledger.members(sorted({m for d in (*flags, *here) for m in d.members}))
    kept_apart = ledger.apart(flags[0].collection, sorted({m.segment.content_hash for m in members.values()}))
    standing: dict[str, str] = {}
    if any(r.detail.texts for about in rulings.values() for r in about):
        blocks = ledger.members(sorted({m.block_id for m in members.values()} - {""}))
        standing = {id_: block.segment.content_hash for id_, block in blocks.items()}
    apart_here = frozenset(
        (members[d.members[0]].block_id, members[other].block_id)
        for d in here
        for other in d.members[1:]
        if d.members[0] in members and other in members
    )
    states = [(f, _rulings_in_force(f, rulings, members, standing)) for f in flags]
    ledger.put_flags([flag_state(f, in_force, members, kept_apart, apart_here) for f, in_force in states])


def _is_of_places(d: Decision) -> bool:
    """Return whether a decision keeps texts apart where they stand alone, and not by their words."""
    return d.live and d.verb is Verb.KEEP_APART and d.detail.because == Reason.SIDE_BY_SIDE and not d.detail.pairs


def _rulings_in_force(
    flag: Decision,
    rulings: Mapping[int, Sequence[Decision]],
    members: Mapping[str, Member],
    standing: Mapping[str, str],
) -> list[Decision]:
    """Return the rulings on a flag, without automatic dismissals whose texts have changed since.

    Args:
        flag: the decision that raised it.
        rulings: live decisions by flag.
        members: its live members.
        standing: content hashes of the texts of their blocks, by block.
    """
    candidate, *others = (standing.get(members[m].block_id, "") if m in members else "" for m in flag.members)
    return [
        r
        for r in rulings.get(flag.seq, ())
        if not r.detail.texts or (candidate in ("", r.detail.texts[0]) and {*others} - {""} <= {*r.detail.texts})
    ]


def flag_state(
    flag: Decision,
    rulings: Sequence[Decision],
    members: Mapping[str, Member],
    kept_apart: frozenset[tuple[str, str]] = frozenset(),
    apart_here: AbstractSet[tuple[str, str]] = frozenset(),
) -> Flag:
    """Return the present state of a flag.

    A flag is open while the candidate and some text compared with it are stored in different blocks, no decision
    keeps their texts apart, and no ruling has settled it. Its worth is similarity x the higher salience x
    log2(1 + sources): how often search would return one for the other, were they one.

    Args:
        flag: the decision that raised it.
        rulings: live decisions about it, oldest first; its revert comes last.
        members: its live members.
        kept_apart: pairs of content hashes that decisions keep apart.
        apart_here: blocks of candidates and others that decisions keep apart by where they stand.
    """
    candidate, *others = flag.members
    mine = members.get(candidate)
    if flag.detail.because == Reason.SPLIT_COPY:
        # The split keeps equal texts apart; this flag asks on which side a further copy stands.
        kept_apart = frozenset((low, high) for low, high in kept_apart if low != high)
    apart = [
        m
        for m in others
        if m in members and mine and members[m].block_id != mine.block_id
        if (mine.block_id, members[m].block_id) not in apart_here and _pair(mine, members[m]) not in kept_apart
    ]  # fmt: skip
    settled = [r.seq for r in rulings if r.verb in _SETTLING]
    assigned = [r.detail.owner for r in rulings if r.verb is Verb.ASSIGN]
    similarity = max((n.similarity for n in flag.detail.near), default=0.0)
    salience = max((m.salience for m in members.values() if m.id in flag.members), default=0.0)
    return Flag(
        seq=flag.seq,
        collection=flag.collection,
        candidate=candidate,
        of=(others if settled else apart or others)[0],
        near=flag.detail.near,
        because=flag.detail.because,
        worth=round(similarity * salience * math.log2(1 + len(flag.members)), 9),
        open=bool(apart) and not settled,
        assignee=assigned[-1] if assigned else "",
        resolved_by=settled[-1] if settled else None,
    )


def _pair(a: Member, b: Member) -> tuple[str, str]:
    low, high = sorted((a.segment.content_hash, b.segment.content_hash))
    return low, high


def _vectors(
    base: Context, goldens: Sequence[Golden], searches: Mapping[str, Search]
) -> tuple[dict[str, Vector], dict[str, Vector]]:
    """Return the vectors of texts and contexts of blocks with several members, and those of them not stored yet.

    A block of one member is its own text, which its document brought along.
    """
    model = base.embedder.model
    texts: dict[str, str] = {}
    for golden in goldens:
        if len(golden.members) > 1:
            texts.update((embedding_key(model, m.segment.text), m.segment.text) for m in golden.members)
        context = golden.text_of.segment.context
        texts[searches[golden.id].text_key] = golden.text_of.segment.text
        if context:
            texts[searches[golden.id].context_key] = context
    known = base.store.known_vectors(sorted(texts))
    missing = sorted(texts.keys() - known.keys())
    fresh = dict(zip(missing, base.embedder.embed([texts[key] for key in missing]), strict=True)) if missing else {}
    return {**known, **fresh}, fresh


def _with_similarities(golden: Golden, vectors: Mapping[str, Vector], model: str) -> Golden:
    """Return the block with each member's similarity to the winning text."""
    if len(golden.members) == 1:
        return replace(golden, members=(replace(golden.members[0], similarity=1.0),))
    winner = vectors[embedding_key(model, golden.text_of.segment.text)]
    return replace(
        golden,
        members=tuple(
            replace(m, similarity=canonical_cosine(winner, vectors[embedding_key(model, m.segment.text)]))
            for m in golden.members
        ),
    )
