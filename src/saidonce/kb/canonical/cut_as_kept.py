"""Cut a new document as a kept one is cut, where both state the same there and only the places of the cuts differ.

One document has a list and the sentence below it, another both in one paragraph: neither piece of the first one is the
paragraph, and all of it is in the two. Cut at the same place, each part is compared with its own counterpart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from saidonce.documents import recut, salience
from saidonce.foundation import text
from saidonce.foundation.context import Context
from saidonce.foundation.model import Candidate, Document, Kept, Kind, Member, Segment, Vector
from saidonce.kb.canonical.auto_merge_policy import why_not_automatic
from saidonce.kb.canonical.block_index import BlockIndex
from saidonce.kb.canonical.match import candidate_of, canonical_policy
from saidonce.kb.canonical.rebuild_blocks import embedding_key
from saidonce.matching.guards import CANONICAL_GUARDS
from saidonce.matching.ladder import first_objection

MOST_PLACES = 3
"""Places of one equal passage whose neighbours are compared; what stands in more is boilerplate."""

_RUNNING = frozenset((Kind.PARAGRAPH, Kind.LIST))
"""Kinds of text that a passage is cut into, or joined of."""


@dataclass(frozen=True, slots=True)
class _Base:
    """What new segments are compared with; the index is caught up when it is asked."""

    context: Context
    index: BlockIndex
    collection: str
    sender: str
    documents: dict[str, dict[int, Member]] = field(default_factory=dict)

    def places(self, content: str, blocks: Sequence[str]) -> list[Member]:
        """Return the members of some blocks that have a text, by document and place; none if there are too many."""
        ledger = self.context.store.ledger
        members = ledger.members(ledger.members_of(blocks=blocks)).values() if blocks else ()
        equal = [m for m in members if m.segment.content_hash == content]
        return sorted(equal, key=_place) if len(equal) <= MOST_PLACES else []

    def neighbour(self, member: Member, step: int) -> Member | None:
        """Return what stands right before or behind a text in its document, under the same headings."""
        ledger = self.context.store.ledger
        if member.document_id not in self.documents:
            ids = ledger.members_of(documents=[member.document_id])
            self.documents[member.document_id] = {m.segment.ordinal: m for m in ledger.members(ids).values()}
        other = self.documents[member.document_id].get(member.segment.ordinal + step)
        return other if other and other.segment.heading_path == member.segment.heading_path else None

    def is_same(self, mine: Segment, member: Member) -> bool:
        """Return whether a part and a kept passage each state all that the other does."""
        return self.is_one(mine, candidate_of(member), member.block_id)

    def is_one(self, mine: Segment, kept: Candidate, block: str) -> bool:
        """Return whether a part and a kept text each state all that the other does, and are as near as that asks."""
        candidate = _candidate(mine, self.sender)
        if candidate.content_hash == kept.content_hash:
            return True
        if first_objection(CANONICAL_GUARDS, candidate, kept):
            return False
        policy = canonical_policy(self.context)
        (vector,) = self.context.embedder.embed([mine.text])
        self.index.catch_up(self.context.store)
        near = self.index.similarities(self.collection, vector, [block]).get(block, 0.0)
        return near >= min(policy.same_from, policy.duplicate_from)


def cut_as_kept(
    context: Context,
    index: BlockIndex,
    collection: str,
    document: tuple[str, Document],
    segments: Sequence[Segment],
    vectors: Mapping[str, Vector],
) -> tuple[Segment, ...]:
    """Return the segments of a new document, some of them cut or joined as a kept document has them.

    A segment is cut if its parts are passages that follow each other in a kept document, under the same headings: all
    of them word for word but one, which says the same in another layout. A list and the paragraph beside it are joined
    if a near text of a document says the same and has the paragraph word for word. Nothing is cut or joined where
    merges wait for a person, nor where a part by itself would be set aside. All other segments come back as they are,
    rated anew. An earlier version of the document counts as kept, so that it stays cut as it was.

    Args:
        context: wired ports.
        index: of kept texts.
        collection: a canonical one.
        document: its id, and what was read of it.
        segments: of the document, in order.
        vectors: of their texts, by embedding key.
    """
    if why_not_automatic(context):
        return tuple(segments)
    base = _Base(context, index, collection, document[1].sender)
    done: list[Segment] = []
    pieces = _pieces(base, segments)
    joins = _joins(base, segments, vectors)
    if not (pieces or joins):
        return tuple(segments)
    for place, whole in enumerate(segments):
        if place in joins:
            done.append(recut.joined(whole, segments[place + 1]))
        elif place - 1 not in joins:
            done += pieces.get(place, (whole,))
    counts = iter(context.embedder.count_tokens([s.text for s in done if not s.id]))
    parts = recut.renumbered(done, document[0], [s.n_tokens if s.id else next(counts) for s in done])
    new = {s.id for s in parts} - {s.id for s in segments}
    parts = salience.rated(recut.on_their_pages(parts, new, document[1].elements))
    is_lost = any(s.salience < context.settings.salience_floor for s in parts if s.id in new)
    return tuple(segments) if is_lost else parts


def _pieces(base: _Base, segments: Sequence[Segment]) -> dict[int, tuple[Segment, ...]]:
    """Return the parts of each segment that a kept document has in several passages, by its place."""
    cuts = {place: list(recut.cuts(s.text)) for place, s in enumerate(segments) if _is_running(s)}
    hashes = {text.content_hash(part) for of in cuts.values() for cut in of for part in cut}
    hashes |= {segments[place].content_hash for place, of in cuts.items() if of}
    kept = base.context.store.ledger.same_content(base.collection, sorted(hashes))
    pieces = {}
    for place, of in cuts.items():
        whole = segments[place]
        if kept and whole.content_hash not in kept:
            parts = ((recut.part_of(whole, a), recut.part_of(whole, b)) for a, b in of)
            runs = (run for first, second in parts for run in _runs(base, first, second, kept))
            if run := next(runs, None):
                pieces[place] = run
    return pieces


def _runs(
    base: _Base, first: Segment, second: Segment, kept: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[Segment, ...]]:
    """Yield the passages of a kept document, as parts of a segment, of which its first or second part is one."""
    for equal, rest, step in ((second, first, -1), (first, second, 1)):
        for member in base.places(equal.content_hash, kept.get(equal.content_hash, ())):
            if parts := _beside(base, rest, member, step):
                yield (*parts, equal) if step < 0 else (equal, *parts)


def _beside(base: _Base, rest: Segment, member: Member, step: int) -> tuple[Segment, ...]:
    """Return a text as the passages right before or behind a kept one that say it all; none if they do not.

    One of them may say the same in another layout; all others are equal, word for word.
    """
    beside = base.neighbour(member, step)
    if beside is None:
        return ()
    beyond = base.neighbour(beside, step)
    for cut in recut.cuts(rest.text):
        parts = [recut.part_of(rest, part) for part in cut]
        near, far = parts[:: -1 if step < 0 else 1]
        more: tuple[Segment, ...] = ()
        if near.content_hash == beside.segment.content_hash:
            more = _beside(base, far, beside, step)
        elif beyond is not None and far.content_hash == beyond.segment.content_hash and base.is_same(near, beside):
            more = (far,)
        if more:
            return (*more, near) if step < 0 else (near, *more)
    return (rest,) if base.is_same(rest, beside) else ()


def _joins(base: _Base, segments: Sequence[Segment], vectors: Mapping[str, Vector]) -> frozenset[int]:
    """Return the places of segments that a kept text has together with the next segment; a kept list stays as it is."""
    joins: set[int] = set()
    places = [place for place, pair in enumerate(pairwise(segments)) if _may_be_one(*pair)]
    lists = {s.content_hash for place in places for s in segments[place : place + 2] if s.kind is Kind.LIST}
    kept = base.context.store.ledger.same_content(base.collection, sorted(lists)) if lists else {}
    for place in places:
        pair = segments[place], segments[place + 1]
        if place - 1 in joins or any(s.content_hash in kept for s in pair if s.kind is Kind.LIST):
            continue
        if any(_have_both(base, pair, near) for near in _near(base, pair, vectors)):
            joins.add(place)
    return frozenset(joins)


def _may_be_one(first: Segment, second: Segment) -> bool:
    """Return whether two segments are a list and the paragraph beside it, under the same headings."""
    are_two_kinds = {first.kind, second.kind} == _RUNNING
    return are_two_kinds and _is_running(first) and _is_running(second) and first.heading_path == second.heading_path


def _near(base: _Base, pair: tuple[Segment, Segment], vectors: Mapping[str, Vector]) -> Iterator[tuple[str, Kept]]:
    """Yield the kept texts near to the list of a pair, nearest first, with their ids."""
    base.index.catch_up(base.context.store)
    policy = canonical_policy(base.context)
    points = next(s for s in pair if s.kind is Kind.LIST)
    vector = vectors[embedding_key(base.context.embedder.model, points.text)]
    (pool,) = base.index.near(base.collection, vector[None, :], policy.clear_below)
    ids = [id_ for id_, _ in pool[: policy.k]]
    kept = base.context.store.ledger.kept(ids)
    yield from ((id_, kept[id_]) for id_ in ids if id_ in kept)


def _have_both(base: _Base, pair: tuple[Segment, Segment], near: tuple[str, Kept]) -> bool:
    """Return whether a kept text is cut into what says the same as a list and the paragraph beside it, in order."""
    block, kept = near
    if kept.candidate.kind not in _RUNNING or kept.candidate.place is not None:
        return False
    for parts in recut.cuts(kept.candidate.text):
        for mine, other, part, equal in ((*pair, *parts), (*pair[::-1], *parts[::-1])):
            if other.kind is Kind.PARAGRAPH and text.content_hash(equal) == other.content_hash:
                theirs = replace(kept.candidate, text=part, content_hash=text.content_hash(part))
                if not first_objection(CANONICAL_GUARDS, _candidate(mine, base.sender), theirs):
                    return base.is_one(recut.joined(*pair), kept.candidate, block)
    return False


def _place(member: Member) -> tuple[str, int]:
    return member.document_id, member.segment.ordinal


def _is_running(segment: Segment) -> bool:
    return segment.kind in _RUNNING and segment.place is None and not segment.rows


def _candidate(s: Segment, sender: str) -> Candidate:
    of = (s.text, s.content_hash, s.kind, s.language, s.section_role, s.rows)
    return Candidate(*of, section=s.section, sender=sender)
