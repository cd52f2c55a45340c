"""Bulk decisions: many pairs, shown beforehand, decided in one transaction, and taken back by one revert."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from saidonce.errors import NotFoundError, StaleWriteError, UsageError
from saidonce.foundation.context import Context
from saidonce.foundation.model import (
    Block,
    Decision,
    DecisionDraft,
    Detail,
    Differs,
    Flag,
    Objection,
    Pair,
    Verb,
    check_assignable,
)
from saidonce.kb import survivorship
from saidonce.kb.canonical import guards_in_force, rebuild_blocks
from saidonce.kb.review.actions import assign, dismiss, merge
from saidonce.kb.review.commit import By, RequestContent, mark_active, pairs_of, previous_decision, state_token
from saidonce.kb.review.differences import CONTRADICTING, LABELS, SHOWN
from saidonce.kb.review.groups import GroupedPair, grouped_pairs
from saidonce.matching.ladder import first_objection

MOST_IN_BULK = 500
"""Pairs decided at once: one transaction, which others wait for."""

BULK_VERBS = (Verb.KEEP_APART, Verb.MERGE, Verb.DISMISS, Verb.ASSIGN)
"""What may be decided about many pairs at once."""


@dataclass(frozen=True, slots=True)
class BulkItem:
    """A pair as a preview shows it.

    Attributes:
        seen: state token of its two blocks, for the optimistic lock.
        n_unsettled: other near blocks to which no guard objects: keeping this pair apart asks about them next.
        is_newer: whether a merge would show the candidate's text, and not that of the kept one.
    """

    shown: GroupedPair
    seen: str
    n_unsettled: int
    is_newer: bool

    @property
    def flag(self) -> Flag:
        """The flag of the pair."""
        return self.shown.pair.flag

    @property
    def is_doubtful(self) -> bool:
        """Return whether nothing shows that one text states all of the other: merging such a pair is asked for."""
        return self.shown.differs not in SHOWN

    @property
    def headings(self) -> tuple[str, str]:
        """The headings over the kept text and the candidate where they differ; empty where they are one, or none."""
        kept, candidate = self.shown.pair.kept.section, self.shown.pair.candidate.section
        return ("", "") if kept.casefold() == candidate.casefold() else (kept, candidate)

    @property
    def against(self) -> tuple[Objection, ...]:
        """What speaks against merging: what the texts state otherwise, else what nothing bears out; `a` is the kept."""
        accord = self.shown.accord
        return accord.objections or (accord.unaccounted if self.is_doubtful else ())


@dataclass(frozen=True, slots=True)
class BulkRequest:
    """What is to be decided about the pairs shown.

    Attributes:
        to, due: of an assign, the person and the day (ISO date); empty for nobody and none.
        differs: kind of difference of all pairs, where the queue was filtered by one.
        with_objections: merge pairs, too, whose texts state different things, or are not shown to say the same; else
            these are left.
    """

    verb: Verb
    to: str = ""
    due: str = ""
    differs: Differs | None = None
    with_objections: bool = False


@dataclass(frozen=True, slots=True)
class BulkOutcome:
    """Outcome of a bulk decision.

    Attributes:
        decision: the one that `revert` takes back with all its parts; None if every pair was left.
        n_decided: pairs decided.
        left: flags left open, each with the reason.
    """

    decision: Decision | None
    n_decided: int
    left: tuple[tuple[int, str], ...]


def bulk_preview(context: Context, seqs: Sequence[int]) -> tuple[BulkItem, ...]:
    """Return the pairs of some flags as a bulk decision would find them, contradicted ones first; nothing is written.

    Flags that were settled, or whose texts are gone, are left out.
    """
    pairs = _open(context, seqs)
    newer = _newer(context, pairs)
    items = [
        BulkItem(
            shown,
            state_token(shown.pair.candidate, shown.pair.kept),
            len(_unsettled_blocks(shown.pair.flag)),
            shown.pair.flag.seq in newer,
        )
        for shown in grouped_pairs(context, pairs, by_judge=True)
    ]
    return tuple(sorted(items, key=lambda item: (not item.is_doubtful, -item.shown.place, item.flag.seq)))


def decide_in_bulk(context: Context, by: By, request: BulkRequest, shown: Sequence[tuple[int, str]]) -> BulkOutcome:
    """Decide about many pairs in one transaction: all that are as they were shown, or none if the process dies.

    Pairs that were settled or have changed since they were shown are left open, each with its reason. Of merges that
    meet in one block, each is checked anew against the block that the others made.

    Args:
        context: wired ports.
        by: author, reason and idempotency key of the whole.
        request: what is decided.
        shown: flags, each with the state token of its blocks as they were shown.

    Raises:
        NotFoundError: the pairs are assigned to a person who is not there, where people are registered.
        UsageError: the verb is none for many pairs, there are too many pairs or none, or the key was used before for
            something else.
    """
    if request.verb not in BULK_VERBS:
        raise UsageError(f"{request.verb} cannot be decided in bulk; choose from {', '.join(BULK_VERBS)}")
    if not 0 < len(shown) <= MOST_IN_BULK:
        raise UsageError(f"a bulk decision can have 1 to {MOST_IN_BULK} pairs, not {len(shown)}; narrow the filter")
    if request.verb is Verb.ASSIGN:
        check_assignable(request.to.strip(), context.store.people.people())
    ledger = context.store.ledger
    with ledger.exclusive():
        if (known := previous_decision(context, by, RequestContent(Verb.BULK))) is not None:
            return _as_before(context, known, shown)
        pairs, left = _partition_unchanged(context, shown)
        if request.verb is Verb.MERGE and not request.with_objections:
            pairs, refused = _without_doubt(context, pairs)
            left = (*left, *refused)
        if not pairs:
            return BulkOutcome(None, 0, left)
        (head,) = ledger.append([_head(by, request, pairs)])
        part = replace(by, key="", within=head.seq, seen="")
        more: tuple[tuple[int, str], ...] = ()
        if request.verb is Verb.KEEP_APART:
            keep_pairs_apart(context, part, pairs, str(request.differs or ""))
        else:
            more = _one_by_one(context, part, request, pairs)
        mark_active(context, by.actor)
    return BulkOutcome(head, len(pairs) - len(more), (*left, *more))


def keep_pairs_apart(context: Context, by: By, pairs: Sequence[Pair], differs: str) -> tuple[Decision, ...]:
    """Keep the two texts of each pair apart, under the organisation's lock, and rebuild once.

    The candidate is kept apart from the other blocks of its shortlist too, if a guard objects to each of them; else
    its flag stays open, and shows the next of them.

    Args:
        context: wired ports.
        by: author; `within` names the whole that the decisions are parts of.
        pairs: as they stand.
        differs: the kind of difference, where all pairs have one.
    """
    ledger = context.store.ledger
    ids = {m for p in pairs for b in (p.candidate, p.kept) for m in b.members}
    near = {n.id for p in pairs for n in p.flag.near}
    others = context.store.blocks(sorted(near))
    members = ledger.members(sorted(ids | {m for b in others.values() for m in b.members}))
    drafts = []
    for p in pairs:
        unsettled = _unsettled_blocks(p.flag)
        rest = [] if unsettled else [others[n.id] for n in p.flag.near if n.id in others]
        apart = {b.id: b for b in (p.kept, *rest) if b.id != p.candidate.id}
        mine = [members[m] for m in p.candidate.members if m in members]
        theirs = [members[m] for b in apart.values() for m in b.members if m in members]
        detail = Detail(because=Verb.KEEP_APART, pairs=pairs_of(mine, theirs), within=by.within, differs=differs)
        drafts.append(
            DecisionDraft(
                verb=Verb.KEEP_APART, collection=p.flag.collection, members=(p.candidate.id, *apart), actor=by.actor,
                reason=by.reason, flag=None if unsettled else p.flag.seq, detail=detail,
            )
        )  # fmt: skip
    decisions = ledger.append(drafts)
    rebuild_all(context, drafts)
    return decisions


def rebuild_all(context: Context, drafts: Iterable[DecisionDraft]) -> None:
    """Rebuild the blocks and flags that some decisions concern, each collection's at once."""
    named = sorted((d.collection, m) for d in drafts for m in d.members)
    for collection, rows in groupby(named, key=lambda row: row[0]):
        rebuild_blocks(context, collection, {m for _, m in rows})


def _head(by: By, request: BulkRequest, pairs: Sequence[Pair]) -> DecisionDraft:
    detail = Detail(because=request.verb, owner=request.to.strip(), due=request.due, differs=str(request.differs or ""))
    return DecisionDraft(
        verb=Verb.BULK, collection=min(p.flag.collection for p in pairs), members=(), actor=by.actor,
        reason=by.reason, detail=detail, key=by.key,
    )  # fmt: skip


def _open(context: Context, seqs: Sequence[int]) -> list[Pair]:
    flags = [f for seq in dict.fromkeys(seqs) if (f := context.store.ledger.flag(seq)) is not None and f.open]
    blocks = context.store.blocks(sorted({id_ for f in flags for id_ in (f.candidate, f.of)}))
    return [
        Pair(f, blocks[f.candidate], blocks[f.of])
        for f in flags
        if f.candidate in blocks and f.of in blocks and f.candidate != f.of
    ]


def _newer(context: Context, pairs: Sequence[Pair]) -> set[int]:
    """Return the flags of the pairs of which a merge would show the candidate's text."""
    ledger = context.store.ledger
    members = ledger.members(sorted({m for p in pairs for b in (p.candidate, p.kept) for m in b.members}))
    standing = survivorship.fold(ledger.family(sorted(members)))
    newer = set()
    for p in pairs:
        both = [members[m] for b in (p.candidate, p.kept) for m in b.members if m in members]
        if both and survivorship.join(both, standing).id in p.candidate.members:
            newer.add(p.flag.seq)
    return newer


def _partition_unchanged(
    context: Context, shown: Sequence[tuple[int, str]]
) -> tuple[list[Pair], tuple[tuple[int, str], ...]]:
    """Return the pairs that are open and as they were shown, and the others with the reason."""
    tokens = dict(shown)
    stored = {p.flag.seq: p for p in _open(context, list(tokens))}
    pairs, left = [], []
    for seq, token in tokens.items():
        pair = stored.get(seq)
        if pair is None:
            left.append((seq, f"flag {seq} was settled in the meantime, or one of its texts was removed"))
        elif token != state_token(pair.candidate, pair.kept):
            left.append((seq, "one of the two blocks has changed in the meantime"))
        else:
            pairs.append(pair)
    return pairs, tuple(left)


def _one_by_one(context: Context, by: By, request: BulkRequest, pairs: Sequence[Pair]) -> tuple[tuple[int, str], ...]:
    """Carry out one decision for each pair; return the flags left open, with the reason."""
    left = []
    for p in pairs:
        try:
            if request.verb is Verb.MERGE:
                _merge(context, by, p)
            elif request.verb is Verb.DISMISS:
                dismiss(context, by, p.flag.seq)
            else:
                assign(context, by, p.flag.seq, request.to, request.due)
        except (NotFoundError, StaleWriteError, UsageError) as refused:
            left.append((p.flag.seq, str(refused)))
    return tuple(left)


def _merge(context: Context, by: By, pair: Pair) -> None:
    """Merge a pair as it was shown, or with what an earlier merge of the same bulk decision made of its blocks.

    Raises:
        StaleWriteError: a guard objects to the texts that stand for the two blocks now.
    """
    flag = context.store.ledger.flag(pair.flag.seq)
    assert flag is not None  # It was read under the same lock.
    if flag.candidate == flag.of or not flag.open:
        return
    blocks = context.store.blocks([flag.candidate, flag.of])
    now = [_text_and_members(blocks.get(id_)) for id_ in (flag.candidate, flag.of)]
    if now != [_text_and_members(pair.candidate), _text_and_members(pair.kept)]:
        kept = context.store.ledger.kept([flag.candidate, flag.of])
        sides = [kept[id_].candidate for id_ in (flag.candidate, flag.of) if id_ in kept]
        if len(sides) != 2 or first_objection(guards_in_force(context), *sides):
            raise StaleWriteError("another merge in this list changed one of its blocks, and a guard now objects")
    merge(context, replace(by, flag=flag.seq), flag.of, flag.candidate)


def _text_and_members(block: Block | None) -> tuple[str, tuple[str, ...]]:
    return (block.text, block.members) if block is not None else ("", ())


def _unsettled_blocks(flag: Flag) -> list[str]:
    """Return the other blocks of a shortlist to which no guard objected."""
    return [n.id for n in flag.near if n.id not in (flag.of, flag.candidate) and not n.objections]


def _as_before(context: Context, head: Decision, shown: Sequence[tuple[int, str]]) -> BulkOutcome:
    """Return the outcome of a bulk decision made before under the same key."""
    flags = {d.flag for d in context.store.ledger.within([head.seq])}
    left = tuple((seq, "it was skipped when this was first decided") for seq in dict(shown) if seq not in flags)
    return BulkOutcome(head, len(dict(shown)) - len(left), left)


def _without_doubt(context: Context, pairs: Sequence[Pair]) -> tuple[list[Pair], tuple[tuple[int, str], ...]]:
    """Return the pairs of which one text is shown to state all of the other, and the others with the reason."""
    grouped = grouped_pairs(context, pairs)
    refused = [
        (g.pair.flag.seq, f"a guard objects: {LABELS[g.differs]}" if g.differs in CONTRADICTING else LABELS[g.differs])
        for g in grouped
        if g.differs not in SHOWN
    ]
    return [g.pair for g in grouped if g.differs in SHOWN], tuple(refused)
