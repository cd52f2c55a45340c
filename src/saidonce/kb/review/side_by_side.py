"""Look-alikes that a person is not asked about: two editions, one document or two speakers show them to be two."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import product

from saidonce.documents.terms import term_of
from saidonce.foundation.context import Context
from saidonce.foundation.model import (
    POLICY,
    Block,
    DecisionDraft,
    Detail,
    FactKind,
    Flag,
    Kind,
    Near,
    Reason,
    Verb,
)
from saidonce.foundation.ports import QueueFilter
from saidonce.kb.canonical import (
    CUT_KINDS,
    CoexistenceLevel,
    Editions,
    Side,
    are_two_pictures,
    canonical_policy,
    differ_in_stamps,
    is_contents,
    is_cut_elsewhere,
    is_renumbered,
    is_split_elsewhere,
    may_be_contents,
    policy_name,
    reason_apart,
    rebuild_blocks,
)
from saidonce.kb.pairs import accords_between, accords_of_texts
from saidonce.kb.review.commit import pairs_of, state_token
from saidonce.kb.review.differences import differs_by
from saidonce.kb.review.passages_beside import PassagesBeside, folded
from saidonce.kb.review.places import Where, names_of
from saidonce.kb.review.references import one_target
from saidonce.matching.agreement import Agreement
from saidonce.matching.guards import apart_by_place, candidate_in_place, two_speakers, without_speaker
from saidonce.matching.ladder import without_number

PAGE = 500

BATCH = 100
"""Flags decided in one transaction, and documents whose texts are read at once."""

Names = Mapping[str, tuple[str, ...]]

_ALIKE = (Agreement.SAME, Agreement.REPEATS_A, Agreement.REPEATS_B)
"""How two texts agree of which one stands for the other, but for who says them."""


@dataclass(frozen=True, slots=True)
class _LookAlike:
    """A flag's candidate beside one of its near blocks, with the reason for which they are two things.

    Attributes:
        is_of_two: whether they are two because two people say them or they have two places, whatever their words. The
            heading of a table says what its values are of, so that other tables with these words are other things.
    """

    flag: Flag
    near: Near
    candidate: Block
    other: Block
    differs: str
    reason: str
    is_of_two: bool = False


def tell_apart(context: Context, collection: str, documents: Sequence[str]) -> int:
    """Keep apart open pairs of some documents that stand side by side as two things; return the number of decisions.

    Each decision is one of the policy about a candidate and the near blocks that are told apart from it; its reason
    names the documents that show it, or the two people who say it: then no later text is kept apart by it. The
    flag stays open with the next near block, if there is one. Whoever reverts such a decision is not overruled.
    Nothing is done where a person decides all (setting auto_merge).

    No lock is held while texts are compared; what has changed meanwhile is left.

    Args:
        context: wired ports.
        collection: of the documents.
        documents: ids; open pairs with a text of one of these documents are looked at.
    """
    if not context.settings.auto_merge or not context.store.ledger.n_flags(QueueFilter((collection,))):
        return 0
    flags = _open_flags(context, documents)
    if not flags:
        return 0
    names: dict[str, tuple[str, ...]] = {}
    ids: dict[str, str] = {}
    for d in context.store.documents(collection):
        names |= dict.fromkeys(d.names, d.names)
        ids |= dict.fromkeys(d.names, d.id)
    blocks = _blocks(context, flags)
    shared = [names_of(block, names) for block in blocks.values()]
    editions = Editions(names, [*shared, *map(frozenset, names.values())])
    lists = PassagesBeside(context, ids)
    where = Where(names, editions, lists)
    pages = [flags[start : start + PAGE] for start in range(0, len(flags), PAGE)]
    look_alikes: list[_LookAlike] = []
    cut: list[_LookAlike] = []
    for page in pages:
        of_two, others = _undecided(context, page, blocks)
        look_alikes += [*_of_two(context, of_two), *_look_alikes(context, others, where)]
        cut += [*_cut_elsewhere(context, others, lists), *_contents(context, others, lists)]
        cut += [*_renumbered(context, others), *_two_pictures(context, others, lists)]
        cut += [*_stamped(context, others, where), *_equal_in_two_places(others, where)]
        cut += _of_one_target(context, others, where)
    seen = {(each.flag.seq, each.other.id) for each in look_alikes}
    for each in cut:
        if (each.flag.seq, each.other.id) not in seen:
            seen.add((each.flag.seq, each.other.id))
            look_alikes.append(each)
    return _keep_apart(context, collection, look_alikes) if look_alikes else 0


def _open_flags(context: Context, documents: Sequence[str]) -> list[Flag]:
    """Return the open flags about blocks that some documents support, by number."""
    ledger = context.store.ledger
    flags: dict[int, Flag] = {}
    for start in range(0, len(documents), BATCH):
        members = ledger.members(ledger.members_of(documents=documents[start : start + BATCH]))
        flags |= {f.seq: f for f in ledger.open_on(sorted({m.block_id for m in members.values()} - {""}))}
    return [flags[seq] for seq in sorted(flags)]


def _blocks(context: Context, flags: Sequence[Flag]) -> dict[str, Block]:
    ids = sorted({id_ for f in flags for id_ in (f.candidate, *(n.id for n in f.near))})
    return {
        id_: block
        for start in range(0, len(ids), PAGE)
        for id_, block in context.store.blocks(ids[start : start + PAGE]).items()
    }


_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
"""A year in a heading; that of an edition says of no passage what it is about."""

_SPLIT_KINDS = frozenset((Kind.PARAGRAPH, Kind.LIST))


_OF_PLACES = frozenset((FactKind.HEADING, FactKind.SECTION_ROLE))
"""Kinds of objections to where equal words stand."""

_Pair = tuple[Flag, Near, Block, Block]
"""A flag, one of its near blocks as it was seen, its candidate, and that block."""


def _cut_elsewhere(context: Context, pairs: Sequence[_Pair], lists: PassagesBeside) -> list[_LookAlike]:
    """Return pieces of one list in two editions of which either has beside it what the other has more.

    The other pieces of that document go with them: all that the candidate states stands there, letter for letter.
    """
    with_all = {(flag.seq, other.id): _cut_in(other, cand, lists) for flag, _, cand, other in pairs}
    mere_cuts = {pair for pair, documents in with_all.items() if documents}
    whole = {(seq, document) for (seq, _), documents in with_all.items() for document in documents}
    cut = [pair for pair in pairs if any((pair[0].seq, d) in whole for d in lists.documents(pair[3]))]
    accords = accords_between(context, [(other, candidate) for _, _, candidate, other in cut])
    return [
        _LookAlike(
            flag, near, candidate, other, str(differs_by(accord)),
            f"{other.document} and {candidate.document} have all of both; only the cut between two pieces differs"
            if (flag.seq, other.id) in mere_cuts
            else f"{other.document} has all of it in another piece",
        )
        for (flag, near, candidate, other), accord in zip(cut, accords, strict=True)
        if accord.agreement is not Agreement.SAME
    ]  # fmt: skip


def _cut_in(other: Block, candidate: Block, lists: PassagesBeside) -> list[str]:
    """Return the ids of the other's documents that have all of the candidate, in pieces that were cut elsewhere."""
    if other.kind is not candidate.kind or folded(other.heading_path) != folded(candidate.heading_path):
        return []
    pieces = other.text, candidate.text
    documents = [
        theirs
        for theirs, wholes in (lists.wholes_of(other) if candidate.kind in CUT_KINDS else {}).items()
        for mine, own in lists.wholes_of(candidate).items()
        if mine != theirs and any(is_cut_elsewhere(candidate.kind, pieces, whole) for whole in product(wholes, own))
    ]
    is_split = not documents and candidate.kind in _SPLIT_KINDS and _is_split_elsewhere(other, candidate, lists)
    return lists.documents(other) if is_split else sorted(set(documents))


def _is_split_elsewhere(one: Block, two: Block, lists: PassagesBeside) -> bool:
    shorter, longer = sorted((one, two), key=lambda block: len(block.text))
    if _share_a_document(one, two) or " ".join(shorter.text.split()) not in " ".join(longer.text.split()):
        return False
    return any(is_split_elsewhere(longer.text, shorter.text, *around) for around in lists.around(shorter))


def _share_a_document(one: Block, two: Block) -> bool:
    return not {one.document, *one.documents}.isdisjoint((two.document, *two.documents))


def _contents(context: Context, pairs: Sequence[_Pair], lists: PassagesBeside) -> list[_LookAlike]:
    """Return lists of contents: what they list are headings, and each edition says itself which sections it has."""
    listed = [pair for pair in pairs if all(may_be_contents(b.text, _right_over(b)) for b in pair[2:])]
    listed = [pair for pair in listed if all(is_contents(b.text, lists.headings, _right_over(b)) for b in pair[2:])]
    return _look_alikes_that(context, listed, "list their contents; each entry is a title")


def _right_over(block: Block) -> str:
    return block.heading_path[-1] if block.heading_path else ""


def _renumbered(context: Context, pairs: Sequence[_Pair]) -> list[_LookAlike]:
    """Return passages of two documents that differ only in the number of a figure or section beside its same title."""
    alike = [pair for pair in pairs if _is_renumbered(pair[3], pair[2])]
    return _look_alikes_that(context, alike, "have the same title; only its running number differs")


def _look_alikes_that(context: Context, pairs: Sequence[_Pair], what_both_do: str) -> list[_LookAlike]:
    """Return pairs as look-alikes of whose two documents the same is said."""
    accords = accords_between(context, [(other, candidate) for _, _, candidate, other in pairs])
    return [
        _LookAlike(*pair, str(differs_by(accord)), f"{pair[3].document} and {pair[2].document} {what_both_do}")
        for pair, accord in zip(pairs, accords, strict=True)
    ]


def _is_renumbered(one: Block, two: Block) -> bool:
    """Return whether only running numbers differ; a picture may stand in another section of the other edition."""
    if one.kind is not two.kind or _share_a_document(one, two):
        return False
    is_one_place = one.kind is Kind.CAPTION or _below_title(one) == _below_title(two)
    return is_one_place and is_renumbered(one.kind, one.language, one.text, two.text)


def _two_pictures(context: Context, pairs: Sequence[_Pair], lists: PassagesBeside) -> list[_LookAlike]:
    """Return captions of two pictures, of which one document has both."""
    captions = [pair for pair in pairs if pair[2].kind is pair[3].kind is Kind.CAPTION]
    two = [
        (flag, near, candidate, other)
        for flag, near, candidate, other in captions
        if are_two_pictures(
            candidate.language,
            (other.text, candidate.text),
            (lists.captions_beside(other), lists.captions_beside(candidate)),
        )
    ]
    return _look_alikes_that(context, two, "name two pictures; one of the documents has both")


def _of_one_target(context: Context, pairs: Sequence[_Pair], where: Where) -> list[_LookAlike]:
    """Return passages of two editions that refer to the same sections by the numbers that these have in each.

    No later text is kept apart by it: in the next edition the numbers may lead elsewhere.
    """
    leading = {
        (flag.seq, near.id): target
        for flag, near, candidate, other in pairs
        if not _share_a_document(other, candidate) and (target := one_target(other, candidate, where))
    }
    alike = [pair for pair in pairs if (pair[0].seq, pair[1].id) in leading]
    return [
        replace(each, reason=f"{each.reason}: {leading[each.flag.seq, each.near.id]}", is_of_two=True)
        for each in _look_alikes_that(context, alike, "have the same words and lead to the same place")
    ]


def _stamped(context: Context, pairs: Sequence[_Pair], where: Where) -> list[_LookAlike]:
    """Return passages of two documents that differ only in when these were changed, or whose they are since when."""
    stamped = [
        pair for pair in pairs if not _share_a_document(*pair[2:]) and _differ_in_stamps(pair[3], pair[2], where)
    ]
    return _look_alikes_that(context, stamped, "each say when they were changed, or whose they are")


def _differ_in_stamps(one: Block, two: Block, where: Where) -> bool:
    if one.kind is not two.kind or one.content_hash == two.content_hash:
        return False
    are_at_ends = all(where.passages.is_at_an_end(block) for block in (one, two))
    return differ_in_stamps(one.text, two.text, is_one_page=where.of(one, two) is None, are_at_ends=are_at_ends)


def _equal_in_two_places(pairs: Sequence[_Pair], where: Where) -> list[_LookAlike]:
    """Return passages in the same words that one edition has twice, under headings that do not contradict each other.

    What a table is of, and what introduces a section, is no question of its words. No later text is kept apart by it.
    """
    equal = [pair for pair in pairs if pair[2].content_hash == pair[3].content_hash and _are_apart_by_place(pair)]
    shown = [(pair, where.editions.coexistence(*(names_of(b, where.names) for b in pair[3:1:-1]))) for pair in equal]
    return [
        _LookAlike(
            *pair, FactKind.HEADING.value, f"{c.in_words}; the words are the same, in two places", is_of_two=True
        )
        for pair, c in shown
        if c is not None and c.level > CoexistenceLevel.TWO_PAGES
    ]


def _are_apart_by_place(pair: _Pair) -> bool:
    _, near, candidate, other = pair
    one, two = (replace(candidate_in_place(block), rows=()) for block in (other, candidate))
    is_by_place = bool(near.objections) and all(o.kind in _OF_PLACES for o in near.objections)
    return is_by_place and candidate.kind is other.kind and not apart_by_place(one, two)


def _below_title(block: Block) -> tuple[str, ...]:
    """Return the headings over a block below the title of its document, which may name the edition."""
    path = folded(block.heading_path)
    return path[1:] if path and path[0] == without_number(block.title).casefold() else path


def _undecided(context: Context, flags: Sequence[Flag], blocks: Mapping[str, Block]) -> tuple[list[_Pair], list[_Pair]]:
    """Return the pairs that nobody has kept apart and no judge bore out: those that two people say, and all others."""
    decided = _taken_back(context, flags) | _apart(context, flags, blocks)
    settled = _settled_before(context, flags)
    of_two: list[_Pair] = []
    others: list[_Pair] = []
    for flag in flags:
        candidate = blocks.get(flag.candidate)
        if candidate is None or flag.because == Reason.SPLIT_COPY:
            continue
        for near in flag.near:
            other = blocks.get(near.id)
            if other is None or other.id == candidate.id or near.borne_out_by:
                continue
            if _hash_pair(candidate, other) in decided or frozenset((candidate.id, other.id)) in settled:
                continue
            is_of_two = two_speakers(candidate_in_place(other), candidate_in_place(candidate))
            (of_two if is_of_two else others).append((flag, near, candidate, other))
    return of_two, others


def _look_alikes(context: Context, pairs: Sequence[_Pair], where: Where) -> list[_LookAlike]:
    """Return the near blocks of some flags that their documents show to be another thing, with the reasons."""
    placed = [(*pair, shown) for pair in pairs if (shown := where.of(pair[3], pair[2])) is not None]
    accords = accords_between(context, [(other, candidate) for _, _, candidate, other, _ in placed])
    merge_from = canonical_policy(context).duplicate_from
    look_alikes = []
    for (flag, near, candidate, other, coexistence), accord in zip(placed, accords, strict=True):
        sides = _side(other, where), _side(candidate, where)
        reason = reason_apart(accord, coexistence, sides, is_below=near.similarity < merge_from)
        if reason:
            are_tables = candidate.kind is other.kind is Kind.TABLE
            row = flag, near, candidate, other, str(differs_by(accord)), reason
            look_alikes.append(_LookAlike(*row, is_of_two=are_tables))
    return look_alikes


def _of_two(context: Context, to_hear: Sequence[_Pair]) -> list[_LookAlike]:
    """Return the pairs of which only who says them speaks against taking one for the other."""
    pairs = [(candidate_in_place(other), candidate_in_place(candidate)) for _, _, candidate, other in to_hear]
    unspoken = [(without_speaker(a), without_speaker(b)) for a, b in pairs]
    accords = accords_of_texts(context, unspoken)
    return [
        _LookAlike(*row, FactKind.SPEAKER.value, two_speakers(a, b), is_of_two=True)
        for row, (a, b), bare, accord in zip(to_hear, pairs, unspoken, accords, strict=True)
        if accord.agreement in _ALIKE and not apart_by_place(*bare)
    ]


def _settled_before(context: Context, flags: Sequence[Flag]) -> set[frozenset[str]]:
    """Return the blocks that were told apart because of who says them, or where, two by two; reverted or not."""
    decisions = context.store.ledger.concerning(sorted({f.candidate for f in flags}))
    ours = [d for d in decisions if d.actor == POLICY and d.detail.because == Reason.SIDE_BY_SIDE]
    return {frozenset((d.members[0], other)) for d in ours for other in d.members[1:] if not d.detail.pairs}


def _side(block: Block, where: Where) -> Side:
    names = sorted(map(where.editions.without_edition, names_of(block, where.names)))
    headings = "\n".join((block.title, *block.heading_path))
    named = _YEAR.sub(lambda year: "" if where.editions.is_edition(year[0]) else year[0], headings)
    around = "\n".join((*names, named))
    is_of_many = block.kind is Kind.TABLE and where.passages.is_of_many(block)
    return Side(block.kind, block.language, around, term_of(block.text), block.text, block.heading_path, is_of_many)


def _taken_back(context: Context, flags: Sequence[Flag]) -> set[tuple[str, str]]:
    """Return the pairs of content hashes that were told apart before, and that somebody brought back."""
    decisions = context.store.ledger.concerning(sorted({f.candidate for f in flags}))
    ours = (d for d in decisions if d.actor == POLICY and d.detail.because == Reason.SIDE_BY_SIDE and not d.live)
    return {pair for d in ours for pair in d.detail.pairs}


def _apart(context: Context, flags: Sequence[Flag], blocks: Mapping[str, Block]) -> set[tuple[str, str]]:
    hashes = {blocks[f.candidate].content_hash for f in flags if f.candidate in blocks}
    return set(context.store.ledger.apart(flags[0].collection, sorted(hashes)))


def _hash_pair(a: Block, b: Block) -> tuple[str, str]:
    low, high = sorted((a.content_hash, b.content_hash))
    return low, high


def _keep_apart(context: Context, collection: str, look_alikes: Sequence[_LookAlike]) -> int:
    """Write the decisions, so many flags at a time, so that nobody waits long for the lock; return their number."""
    by_flag: dict[int, list[_LookAlike]] = {}
    for each in look_alikes:
        by_flag.setdefault(each.flag.seq, []).append(each)
    flags = [by_flag[seq] for seq in sorted(by_flag)]
    return sum(
        _keep_batch_apart(context, collection, flags[start : start + BATCH]) for start in range(0, len(flags), BATCH)
    )


def _keep_batch_apart(context: Context, collection: str, flags: Sequence[Sequence[_LookAlike]]) -> int:
    ledger = context.store.ledger
    with ledger.exclusive():
        read = {b.id for group in flags for each in group for b in (each.candidate, each.other)}
        now = context.store.blocks(sorted(read | {near.id for group in flags for near in group[0].flag.near}))
        apart = set(ledger.apart(collection, sorted({group[0].candidate.content_hash for group in flags})))
        drafts = [
            draft
            for group in flags
            if (flag := ledger.flag(group[0].flag.seq)) is not None and flag.open and _is_as_read(group, now)
            for draft in _drafts(context, collection, group, _left(group, now, apart))
        ]
        ledger.append(drafts)
        rebuild_blocks(context, collection, {m for draft in drafts for m in draft.members})
    return len(drafts)


def _left(group: Sequence[_LookAlike], now: Mapping[str, Block], apart: AbstractSet[tuple[str, str]]) -> set[str]:
    """Return the near blocks of a flag that are still to be asked about when some are told apart from its candidate."""
    candidate = group[0].candidate
    apart_now = {candidate.id, *(each.other.id for each in group)}
    near = {n.id for n in group[0].flag.near if n.id in now} - apart_now
    return {id_ for id_ in near if _hash_pair(now[id_], candidate) not in apart}


def _drafts(
    context: Context, collection: str, group: Sequence[_LookAlike], left: AbstractSet[str]
) -> list[DecisionDraft]:
    """Return the decisions about one flag: one keeps texts apart, another settles what has or is said in two places.

    The last one settles the flag if no near block is left to ask about. What has two places is kept apart in this flag
    alone: the same words may be one thing elsewhere.
    """
    parts = [[each for each in group if each.is_of_two is is_of_two] for is_of_two in (False, True)]
    drafts = [_draft(context, collection, part) for part in parts if part]
    return drafts if left else [*drafts[:-1], replace(drafts[-1], flag=group[0].flag.seq)]


def _is_as_read(group: Sequence[_LookAlike], now: Mapping[str, Block]) -> bool:
    read = {b.id: b for each in group for b in (each.candidate, each.other)}
    return all(id_ in now and state_token(now[id_]) == state_token(block) for id_, block in read.items())


def _draft(context: Context, collection: str, group: Sequence[_LookAlike]) -> DecisionDraft:
    """Return the decision about one candidate, which settles no flag yet."""
    first = group[0]
    others = {each.other.id: each.other for each in group}
    members = context.store.ledger.members(
        sorted({m for b in (first.candidate, *others.values()) for m in (b.id, *b.members)})
    )
    mine = [members[m] for m in first.candidate.members if m in members]
    theirs = [members[m] for b in others.values() for m in b.members if m in members]
    detail = Detail(
        near=tuple(each.near for each in group),
        because=Reason.SIDE_BY_SIDE,
        pairs=() if first.is_of_two else pairs_of(mine, theirs),
        differs=first.differs,
    )
    return DecisionDraft(
        verb=Verb.KEEP_APART, collection=collection, members=(first.candidate.id, *others), actor=POLICY,
        reason=". ".join(dict.fromkeys(each.reason for each in group)), flag=None,
        detail=detail, policy=policy_name(context),
    )  # fmt: skip
