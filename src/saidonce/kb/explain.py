"""Flow: explain a block or segment: its sources, what it absorbed, what was dropped and why."""

from __future__ import annotations

from dataclasses import dataclass, replace

from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.model import Block, Decision, Relation, SecondOpinion, StoredDocument, Verb
from saidonce.foundation.ports import EquivalenceJudge, SegmentHistory, Store
from saidonce.foundation.text import content_hash
from saidonce.kb.pairs import Neighbour, compare_texts, neighbours_of
from saidonce.kb.review import current_block
from saidonce.kb.search.report import shorten
from saidonce.matching.agreement import Agreement
from saidonce.matching.guards import candidate

MOST_COMPARED = 50
"""Absorbed texts of one block that are compared with it to say how they agree; it may have absorbed thousands."""


@dataclass(frozen=True, slots=True)
class AbsorbedText:
    """How a text that a block absorbed agrees with the block's own, as guards and judge read both now.

    Attributes:
        agreement: of the absorbed text, which is `a`, with the block's.
        reasons: by which rules texts that are no equal ones say the same, or one says all of the other.
        judge: name of the judge that was heard, None without one.
    """

    segment_id: str
    agreement: Agreement
    reasons: tuple[str, ...]
    judge: str | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything stored about an id.

    Attributes:
        block: the live block of that id, or the present block of its text; None if no block holds it.
        histories: accounts of the segment by version, oldest first; empty if its document was removed.
        kept_by: id of the block that keeps the segment now; empty without one.
        neighbours: texts of the segments named by near misses and decisions, by id, as far as stored.
        decisions: about the block's members or this id, oldest first.
        opinions: second opinions on the flags among them, oldest first.
        near: blocks whose texts are near the block's, most similar first, as the pair table has them.
        absorbed: how the first MOST_COMPARED of the block's attributions in other words agree with it, in their order.
    """

    id: str
    block: Block | None
    histories: tuple[SegmentHistory, ...]
    kept_by: str
    neighbours: dict[str, str]
    decisions: tuple[Decision, ...] = ()
    opinions: tuple[SecondOpinion, ...] = ()
    near: tuple[Neighbour, ...] = ()
    absorbed: tuple[AbsorbedText, ...] = ()

    def __repr__(self) -> str:
        text = repr(shorten(self.block.text)) if self.block else "no block"
        counts = {"decisions": len(self.decisions), "near": len(self.near), "histories": len(self.histories)}
        more = "".join(f", {name}={n}" for name, n in counts.items() if n)
        return f"Explanation({self.id[:8]}: {text}{more})"


@dataclass(frozen=True, slots=True)
class DocumentAccount:
    """A document with the blocks that it supports now, in their collection.

    Attributes:
        blocks: by the place of their texts in the document that they are taken from, then by id.
        n_shared: of them, blocks that other documents support, too.
    """

    document: StoredDocument
    blocks: tuple[Block, ...]
    n_shared: int


def account_of_document(store: Store, document: StoredDocument) -> DocumentAccount:
    """Return a document with the blocks that it supports."""
    names = {document.name, *document.names}
    blocks: list[tuple[int, Block]] = []
    for batch in store.segments(document.collection):
        ordinals = {segment.id: segment.ordinal for segment, _, _ in batch}
        live = store.blocks(list(ordinals))
        blocks += [(ordinals[id_], block) for id_, block in live.items() if names.intersection(_supporters(block))]
    blocks.sort(key=lambda row: (row[0], row[1].id))
    held = tuple(block for _, block in blocks)
    return DocumentAccount(document, held, sum(bool(set(_supporters(block)) - names) for block in held))


def _supporters(block: Block) -> tuple[str, ...]:
    return (block.document, *block.documents)


def resolve_id(store: Store, prefix: str) -> str:
    """Return the one id that begins with some digits.

    Raises:
        NotFoundError: nothing has this id any more.
        UsageError: several ids begin so, or the prefix is no id.
    """
    digits = prefix.strip().lower().replace("-", "")
    if len(digits) < 4 or any(c not in "0123456789abcdef" for c in digits):
        raise UsageError(
            f"{prefix!r} is not an id; give at least the first four hexadecimal digits, as shown by 'search'"
        )
    ids = store.find_ids(digits)
    if not ids:
        raise NotFoundError("block or segment", prefix, "'saidonce search' shows ids")
    if len(ids) > 1:
        raise UsageError(f"{len(ids)} ids begin with {prefix!r}: {', '.join(ids[:5])}; give more digits")
    return ids[0]


def why(store: Store, prefix: str, judge: EquivalenceJudge | None = None) -> Explanation:
    """Explain a block or segment, found by its id or the beginning of it.

    Args:
        store: where it is kept.
        prefix: its id or the beginning of it.
        judge: is asked where guards leave open how the block agrees with what it absorbed; None without one.

    Raises:
        ModelUnavailableError: the judge's files failed.
        NotFoundError: nothing has this id any more.
        UsageError: several ids begin so, or the prefix is no id.
    """
    id_ = resolve_id(store, prefix)
    histories = store.history(id_)
    block = _block(store, id_)
    live = [h for h in histories if h.live]
    kept_by = block.id if block is not None else live[-1].fate.of if live else ""
    members = block.members if block is not None else (id_,)
    decisions = _decisions(store, {id_, *members})
    if not histories and not decisions:
        raise NotFoundError("block or segment", prefix, "its document was removed")
    near = {h.fate.near_miss for h in histories if h.fate.near_miss}
    near |= {m for d in decisions for m in d.members} | {kept_by}
    neighbours = {other: past[-1].segment.text for other in sorted(near - {id_, ""}) if (past := store.history(other))}
    opinions = store.opinions.on([d.seq for d in decisions if d.verb is Verb.FLAG])
    beside = neighbours_of(store, block.id) if block is not None else ()
    absorbed = _absorbed(block, judge) if block is not None else ()
    return Explanation(id_, block, histories, kept_by, neighbours, decisions, opinions, beside, absorbed)


def _absorbed(block: Block, judge: EquivalenceJudge | None) -> tuple[AbsorbedText, ...]:
    own = candidate(block)
    others = [a for a in block.attributions if a.relation is not Relation.KEPT and a.text != block.text]
    absorbed = []
    for a in others[:MOST_COMPARED]:
        text = replace(own, text=a.text, content_hash=content_hash(a.text), sender=a.sender, rows=())
        accord = compare_texts(text, own, judge)
        absorbed.append(AbsorbedText(a.segment_id, accord.agreement, accord.reasons, accord.judge))
    return tuple(absorbed)


def _decisions(store: Store, ids: set[str]) -> tuple[Decision, ...]:
    """Return the decisions about some members, and splits of others from them, which name only the leaving side."""
    ledger = store.ledger
    own = ledger.concerning(sorted(ids))
    mates = {m for d in own if d.verb is Verb.MERGE for m in d.members} - ids
    if not mates:
        return own
    hashes = {m.segment.content_hash for m in ledger.members(sorted(ids)).values()}
    away = ledger.concerning(sorted(mates))
    splits = {d.seq for d in away if d.verb is Verb.SPLIT and hashes & {h for pair in d.detail.pairs for h in pair}}
    parted = [d for d in away if d.seq in splits or (d.verb is Verb.REVERT and d.reverts in splits)]
    return tuple(sorted({d.seq: d for d in (*own, *parted)}.values(), key=lambda d: d.seq))


def _block(store: Store, id_: str) -> Block | None:
    try:
        return current_block(store, id_)
    except NotFoundError:
        return None
