"""Where a new copy of a text goes that people have split: its equal texts stand in two blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from saidonce.foundation.context import Context
from saidonce.foundation.model import Copies, FactKind, Near, Objection, Outcome, Reason, Span, Step, Verb, Verdict

SPLIT = Objection(FactKind.DECISION, Span(0, 0, ""), Span(0, 0, "identical texts were split; where does this copy go?"))
"""Objection to a block that holds one half of a split text."""


@dataclass(frozen=True, slots=True)
class SplitText:
    """What a split of equal texts says about later copies.

    Attributes:
        copies: where they go.
        blocks: the blocks that a copy may join; for ASK those that it is asked about.
    """

    copies: Copies
    blocks: frozenset[str]


def split_texts(
    context: Context, apart: frozenset[tuple[str, str]], same_content: dict[str, tuple[str, ...]]
) -> dict[str, SplitText]:
    """Return the newest live split of each text, by content hash; without splits it costs nothing.

    Args:
        context: wired ports.
        apart: pairs of content hashes that decisions keep apart.
        same_content: blocks by content hash.
    """
    split = sorted({low for low, high in apart if low == high and same_content.get(low)})
    return {h: known for h in split if (known := _split_text(context, h, same_content[h])) is not None}


def _split_text(context: Context, content_hash: str, blocks: Sequence[str]) -> SplitText | None:
    ledger = context.store.ledger
    members = ledger.members(ledger.members_of(blocks=list(blocks)))
    own = {m.id: m for m in members.values() if m.segment.content_hash == content_hash}
    splits = [
        d
        for d in ledger.concerning(sorted(own))
        if d.verb is Verb.SPLIT and d.live and (content_hash, content_hash) in d.detail.pairs
    ]
    if not splits or splits[-1].detail.copies in (None, Copies.ALONE):
        return None
    copies, gone = splits[-1].detail.copies, set(splits[-1].members)
    assert copies is not None  # just told
    sides = {
        Copies.ASK: set(own),
        Copies.GO: {id_ for id_ in own if id_ in gone},
        Copies.STAY: {id_ for id_ in own if id_ not in gone},
    }
    return SplitText(copies, frozenset(own[id_].block_id for id_ in sides[copies]))


def asked_about(verdict: Verdict, near: tuple[Near, ...], split: SplitText) -> tuple[Verdict, tuple[Near, ...]]:
    """Return a verdict on a copy that a person is asked about, and its matches with the objection."""
    if verdict.outcome is not Outcome.DUPLICATE or verdict.of not in split.blocks:
        return verdict, near
    step = Step(
        "split", "identical texts were split, and a person decides where a copy goes", verdict.of, verdict.similarity
    )
    changed = replace(verdict, outcome=Outcome.REVIEW, reason=Reason.SPLIT_COPY, trail=(*verdict.trail, step))
    objected = (replace(n, objections=(SPLIT,)) if n.id in split.blocks else n for n in near)
    return changed, tuple(objected)
