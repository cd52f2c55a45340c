"""Flow: check a text against a collection ("have we this already?") without writing anything.

parse -> segment -> rate -> embed -> remove repeats -> judge: the steps of an ingest up to its verdicts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from saidonce.documents import salience
from saidonce.documents.segment import segment
from saidonce.errors import ModelMismatchError, NotFoundError, Refusal, SourceRefusedError, UsageError
from saidonce.foundation import text
from saidonce.foundation.context import Context, Source
from saidonce.foundation.model import (
    Block,
    Candidate,
    Collection,
    Decision,
    Document,
    Filters,
    Match,
    Member,
    Near,
    Outcome,
    Reason,
    Relation,
    Segment,
    Vector,
    Verdict,
)
from saidonce.foundation.ports import Store
from saidonce.foundation.settings.policy import SEGMENT_POLICIES, SegmentStyle
from saidonce.kb.canonical import (
    BlockIndex,
    MatchedMember,
    borne_out_by,
    candidate_of,
    embedding_key,
    guards_in_force,
    match_members,
    send_to_review,
    why_not_automatic,
)
from saidonce.kb.canonical.match import canonical_policy
from saidonce.kb.ingest.repeats import remove_repeats, says_nothing_else
from saidonce.matching.diff import as_added
from saidonce.matching.guards import candidate
from saidonce.matching.ladder import Case, decide, first_objection
from saidonce.matching.vectors import canonical_cosines

MAX_CHARS = 50_000
"""Longest text of a proposal, in characters; ingest longer ones as files."""

LOOKED_AT = 50
"""Nearest kept texts from which matches are chosen."""

SHOWN = 3
"""Nearest kept texts shown with a verdict without matches."""


class NameTakenError(UsageError):
    """A document of the proposal's name is stored already with other content; proposing never replaces one."""

    def __init__(self, name: str, collection: str) -> None:
        self.name = name
        self.collection = collection
        super().__init__(f"document {name!r} of collection {collection!r} already exists with another text")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A text proposed for a collection, read as Markdown.

    Attributes:
        title: becomes the heading above the text; may be empty.
        source: name of the resulting document; by default one made from its bytes.
    """

    text: str
    title: str = ""
    source: str = ""

    @property
    def content(self) -> bytes:
        """Bytes that an ingest of the proposal reads."""
        heading = " ".join(self.title.split())
        whole = f"# {heading}\n\n{self.text}" if heading else self.text
        return whole.encode("utf-8", "replace")

    @property
    def name(self) -> str:
        """Name of the resulting document; it ends in .md, so that it is always read as Markdown."""
        name = " ".join(self.source.split()) or f"mcp/{text.fingerprint(self.content)[:16]}"
        return name if name.casefold().endswith(".md") else f"{name}.md"

    @property
    def as_source(self) -> Source:
        """The proposal as something to ingest."""
        return Source(self.name, lambda: self.content)


@dataclass(frozen=True, slots=True)
class ProposalSegment:
    """The ladder's verdict on one segment of a proposal.

    Attributes:
        near: kept blocks compared with it, the verdict's first, each with the guards' objections; for a
            distinct piece, the nearest ones of any similarity.
    """

    segment: Segment
    verdict: Verdict
    near: tuple[Near, ...]


@dataclass(frozen=True, slots=True)
class Proposed:
    """Expected outcome of a proposal.

    Attributes:
        outcome: review if a piece needs a person, else duplicate if all are, else distinct; `reason` is that of
            the first piece with this outcome.
        pieces: its kept segments, in reading order, without repeats of each other.
        n_repeats: segments that repeat another of the same text.
        blocks: those named by `near`, by id.
        already: name of a stored document with the same bytes; empty without one.
    """

    name: str
    collection: Collection
    outcome: Outcome
    reason: Reason
    pieces: tuple[ProposalSegment, ...]
    n_repeats: int
    blocks: Mapping[str, Block]
    already: str = ""

    def __repr__(self) -> str:
        into = f"into {self.collection.name!r}, pieces={len(self.pieces)}"
        return f"Proposed({self.outcome.value}, {self.reason.value}, {into})"


def propose(context: Context, index: BlockIndex, proposal: Proposal, name: str) -> Proposed:
    """Match a text on the canonical ladder without writing anything.

    A collection of evidence merges nothing; its blocks are compared under the same policy.

    Args:
        context: wired ports.
        index: cache of kept texts; caught up here.
        proposal: the text.
        name: of an existing collection.

    Raises:
        UsageError: the text is empty or too long.
        NotFoundError: no such collection.
        NameTakenError: the document's name stands for other bytes.
        ModelMismatchError: the collection holds vectors of another model.
        SourceRefusedError: nothing in the text can be kept.
    """
    collection, already = check_proposal(context, proposal, name)
    document = _parse(context, proposal)
    document_id = text.digest("proposal", context.store.org, name, proposal.name, text.fingerprint(proposal.content))
    policy = SEGMENT_POLICIES[SegmentStyle(collection.segment_style)]
    cut = segment(document, document_id, policy, context.embedder.count_tokens, says_nothing_else)
    segments = salience.rated(cut)
    vectors = list(context.embedder.embed([s.text for s in segments])) if segments else []
    repeats = remove_repeats(segments, vectors, context.settings, context.judge)
    kept = {f.segment_id for f in repeats.fates if f.relation is Relation.KEPT}
    if not kept:
        raise SourceRefusedError(proposal.name, Refusal.NO_TEXT, "it contains no text that is worth keeping")
    rows = [(s, v) for s, v in zip(segments, vectors, strict=True) if s.id in kept]
    members = [_member(context, collection, proposal, document, s) for s, _ in rows]
    pieces = _match_members(context, index, collection, members, [v for _, v in rows])
    outcome, reason = _headline([p.verdict for p in pieces])
    named = sorted({n.id for p in pieces for n in p.near})
    n_repeats = sum(f.relation in (Relation.EXACT, Relation.NEAR) for f in repeats.fates)
    return Proposed(
        proposal.name, collection, outcome, reason, pieces, n_repeats, context.store.blocks(named), already
    )  # fmt: skip


def check_proposal(context: Context, proposal: Proposal, name: str) -> tuple[Collection, str]:
    """Return the collection of a proposal, and the name of a stored document with its bytes; empty without one.

    Raises:
        UsageError, NotFoundError, NameTakenError, ModelMismatchError: as for `propose`.
    """
    if not proposal.text.strip():
        raise UsageError("the text is empty; propose a text with content")
    if len(proposal.text) > MAX_CHARS:
        raise UsageError(f"the text has {len(proposal.text)} characters; at most {MAX_CHARS} can be proposed at once")
    known = {c.name: c for c in context.store.collections()}
    if name not in known:
        raise NotFoundError("collection", name, f"there are: {', '.join(known) or 'none yet'}")
    collection = known[name]
    if collection.model != context.embedder.model:
        raise ModelMismatchError(name, collection.model, context.embedder.model)
    fingerprint = text.fingerprint(proposal.content)
    present = context.store.document(name, proposal.name)
    if present is not None and present.fingerprint != fingerprint:
        raise NameTakenError(proposal.name, name)
    twin = next(iter(context.store.same_source(name, fingerprint)), None)
    return collection, twin.name if twin is not None else ""


def _parse(context: Context, proposal: Proposal) -> Document:
    ((_, result),) = context.parser.map([(proposal.name, proposal.content)])
    if isinstance(result, SourceRefusedError):
        raise result
    return result


def _member(context: Context, collection: Collection, proposal: Proposal, document: Document, part: Segment) -> Member:
    return Member(
        segment=part, collection=collection.name, document_id=text.digest("proposal", proposal.name),
        document=proposal.name, title=document.title, authored_at=document.authored_at,
        dated_at=document.authored_at or context.clock.now(), salience=part.salience, boost=0.0,
        owner=context.settings.owner, sender=document.sender,
    )  # fmt: skip


def _match_members(
    context: Context, index: BlockIndex, collection: Collection, members: Sequence[Member], vectors: Sequence[Vector]
) -> tuple[ProposalSegment, ...]:
    pieces = []
    if collection.is_canonical:
        index.catch_up(context.store)
        reason = why_not_automatic(context)
        for match, vector in zip(match_members(context, index, members, vectors).matched, vectors, strict=True):
            checked = _to_matched(match, reason)
            near = checked.near or _nearest(context, collection, checked.member, vector)
            pieces.append(ProposalSegment(checked.member.segment, checked.verdict, near))
        return tuple(pieces)
    return tuple(_against_evidence(context, collection, m, v) for m, v in zip(members, vectors, strict=True))


def _to_matched(match: MatchedMember, reason: str) -> MatchedMember:
    merges = match.verdict.outcome is Outcome.DUPLICATE
    return send_to_review(match, reason) if merges and reason else match


def _against_evidence(context: Context, collection: Collection, member: Member, vector: Vector) -> ProposalSegment:
    policy = canonical_policy(context)
    mine = candidate_of(member)
    similar = _similar(context, collection, vector)
    kept = _candidates(context, collection, sorted(similar))
    ranked = sorted(
        (id_ for id_, s in similar.items() if s >= policy.clear_below and id_ in kept),
        key=lambda id_: (kept[id_].content_hash != mine.content_hash, -similar[id_], id_),
    )[: policy.k]
    whole = {id_: replace(kept[id_], section_role=_section_role(context, id_)) for id_ in ranked}
    matches = tuple(Match(id_, similar[id_], whole[id_]) for id_ in ranked)
    verdict = decide(Case(mine, matches, policy, guards_in_force(context)))
    if verdict.outcome is Outcome.DISTINCT and not matches:
        return ProposalSegment(member.segment, verdict, _nearest(context, collection, member, vector))
    first = sorted(matches, key=lambda m: (m.id != verdict.of, -m.similarity, m.id))
    near = tuple(_compare(context, mine, m.id, m.similarity, m.kept) for m in first)
    return ProposalSegment(member.segment, verdict, near)


def _nearest(context: Context, collection: Collection, member: Member, vector: Vector) -> tuple[Near, ...]:
    """Return the nearest kept texts of any similarity, nearest first, ties by id, with the guards' objections."""
    similar = _similar(context, collection, vector)
    ranked = sorted(similar, key=lambda id_: (-similar[id_], id_))[:SHOWN]
    kept = _candidates(context, collection, ranked)
    mine = candidate_of(member)
    return tuple(_compare(context, mine, id_, similar[id_], kept[id_]) for id_ in ranked if id_ in kept)


def _compare(context: Context, mine: Candidate, id_: str, similarity: float, kept: Candidate) -> Near:
    """Return a kept text with the guards' objections and, where there are any, what the equivalence judge says."""
    objections = first_objection(guards_in_force(context), mine, kept)
    heard = borne_out_by(context, mine, kept) if objections else ""
    return Near(id_, similarity, as_added(objections, mine.text, kept.text), heard)


def _similar(context: Context, collection: Collection, vector: Vector) -> dict[str, float]:
    """Return the canonical similarity of a text to the nearest blocks of a collection, by id."""
    scanned = context.store.scan(collection.model, vector, LOOKED_AT, Filters(collections=(collection.name,)))
    blocks = context.store.blocks([id_ for id_, _ in scanned])
    keys = {id_: embedding_key(collection.model, block.text) for id_, block in blocks.items()}
    known = context.store.known_vectors(list(keys.values()))
    stored = [id_ for id_, key in keys.items() if key in known]
    if not stored:
        return {}
    rows = np.stack([known[keys[id_]] for id_ in stored])
    return dict(zip(stored, canonical_cosines(vector, rows).tolist(), strict=True))


def _candidates(context: Context, collection: Collection, ids: Sequence[str]) -> dict[str, Candidate]:
    """Return the ladder's candidates of kept blocks; those of evidence have no section roles."""
    if collection.is_canonical:
        return {id_: kept.candidate for id_, kept in context.store.ledger.kept(ids).items()}
    return {
        id_: replace(candidate(block), dated_at=block.authored_at) for id_, block in context.store.blocks(ids).items()
    }


def _section_role(context: Context, id: str) -> str:
    histories = context.store.history(id)
    return histories[-1].segment.section_role if histories else ""


def _headline(verdicts: Sequence[Verdict]) -> tuple[Outcome, Reason]:
    outcomes = {v.outcome for v in verdicts}
    if Outcome.REVIEW in outcomes:
        outcome = Outcome.REVIEW
    else:
        outcome = Outcome.DUPLICATE if outcomes == {Outcome.DUPLICATE} else Outcome.DISTINCT
    return outcome, next(v.reason for v in verdicts if v.outcome is outcome)


def open_flags(store: Store, members: Sequence[str]) -> tuple[Decision, ...]:
    """Return the open flags on some members, oldest first."""
    flags = store.ledger.flags_of(members) if members else ()
    return tuple(d for d in flags if (flag := store.ledger.flag(d.seq)) is not None and flag.open)
