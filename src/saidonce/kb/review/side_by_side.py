"""Look-alikes that a person is not asked about: two editions, one document or two speakers show them to be two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

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
    Segment,
    Verb,
)
from saidonce.foundation.ports import QueueFilter
from saidonce.kb.canonical import (
    CUT_KINDS,
    Editions,
    Side,
    are_two_pictures,
    canonical_policy,
    heading_of,
    is_contents,
    is_cut_elsewhere,
    is_renumbered,
    is_split_elsewhere,
    may_be_contents,
    policy_name,
    reason_apart,
    rebuild_blocks,
    without_name,
)
from saidonce.kb.pairs import accords_between, accords_of_texts
from saidonce.kb.review.commit import pairs_of, state_token
from saidonce.kb.review.differences import differs_by
from saidonce.matching.agreement import Agreement
from saidonce.matching.guards import apart_by_place, candidate_in_place, two_speakers, without_number, without_speaker

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
        is_of_two: whether they are two because two people say them, whatever their words.
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
    shared = [_names_of(block, names) for block in blocks.values()]
    editions = Editions(names, [*shared, *map(frozenset, names.values())])
    lists = _Lists(context, ids)
    pages = [flags[start : start + PAGE] for start in range(0, len(flags), PAGE)]
    look_alikes: list[_LookAlike] = []
    cut: list[_LookAlike] = []
    for page in pages:
        of_two, others = _undecided(context, page, blocks)
        look_alikes += [*_of_two(context, of_two), *_look_alikes(context, others, names, editions)]
        cut += [*_cut_elsewhere(context, others, lists), *_contents(context, others, lists)]
        cut += [*_renumbered(context, others), *_two_pictures(context, others, lists)]
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


def _names_of(block: Block, names: Names) -> frozenset[str]:
    """Return all names of the documents that support a block; a page that two editions share is one document."""
    return frozenset(name for d in {block.document, *block.documents} for name in names.get(d, (d,)))


_SPLIT_KINDS = frozenset((Kind.PARAGRAPH, Kind.LIST))


class _Lists:
    """The passages of documents, read when they are asked for."""

    def __init__(self, context: Context, ids: Mapping[str, str]) -> None:
        """Begin with nothing read; `ids` are the documents by each of their names."""
        self._context = context
        self._ids = ids
        self._read: dict[str, list[Segment]] = {}
        self._headings: frozenset[str] | None = None

    @property
    def headings(self) -> frozenset[str]:
        """The headings and captions of all documents; each document is read, once."""
        if self._headings is None:
            segments = [segment for document in sorted(set(self._ids.values())) for segment in self._of(document)]
            titles = {heading for path in {segment.heading_path for segment in segments} for heading in path}
            titles |= {without_name(segment.text) for segment in segments if segment.kind is Kind.CAPTION}
            self._headings = frozenset(map(heading_of, titles))
        return self._headings

    def around(self, block: Block) -> Iterator[tuple[list[str], list[str]]]:
        """Yield the texts before and behind one, under its headings, in each document that supports it."""
        for document in self._documents(block):
            section = [segment for segment in self._of(document) if segment.heading_path == block.heading_path]
            texts = [segment.text for segment in section]
            for at, content in enumerate(texts):
                if content == block.text:
                    yield texts[:at], texts[at + 1 :]

    def whole_of(self, block: Block) -> list[str]:
        """Return the pieces under the headings of one, in all documents that support it, in their order."""
        path = _folded(block.heading_path)
        return [
            segment.text
            for document in self._documents(block)
            for segment in self._of(document)
            if segment.kind is block.kind and _folded(segment.heading_path) == path
        ]

    def captions_beside(self, block: Block) -> list[str]:
        """Return the captions of all documents that support one."""
        segments = (segment for document in self._documents(block) for segment in self._of(document))
        return [segment.text for segment in segments if segment.kind is Kind.CAPTION]

    def _documents(self, block: Block) -> list[str]:
        return sorted({self._ids[name] for name in {block.document, *block.documents} if name in self._ids})

    def _of(self, document: str) -> list[Segment]:
        if document not in self._read:
            ledger = self._context.store.ledger
            members = ledger.members(ledger.members_of(documents=[document])).values()
            mine = (m.segment for m in members if m.document_id == document)
            self._read[document] = sorted(mine, key=lambda segment: segment.ordinal)
        return self._read[document]


_Pair = tuple[Flag, Near, Block, Block]
"""A flag, one of its near blocks as it was seen, its candidate, and that block."""


def _cut_elsewhere(context: Context, pairs: Sequence[_Pair], lists: _Lists) -> list[_LookAlike]:
    """Return pieces of one list in two editions of which either has beside it what the other has more.

    The other pieces of that document go with them: all that the candidate states stands there, letter for letter.
    """
    mere_cuts = {(flag.seq, other.id) for flag, _, cand, other in pairs if _is_cut_elsewhere(other, cand, lists)}
    whole = {
        (flag.seq, document)
        for flag, _, _, other in pairs
        if (flag.seq, other.id) in mere_cuts
        for document in (other.document, *other.documents)
    }
    cut = [pair for pair in pairs if any((pair[0].seq, d) in whole for d in (pair[3].document, *pair[3].documents))]
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


def _is_cut_elsewhere(other: Block, candidate: Block, lists: _Lists) -> bool:
    if other.kind is not candidate.kind or _folded(other.heading_path) != _folded(candidate.heading_path):
        return False
    if candidate.kind in CUT_KINDS:
        wholes = lists.whole_of(other), lists.whole_of(candidate)
        if is_cut_elsewhere(candidate.kind, (other.text, candidate.text), wholes):
            return True
    return candidate.kind in _SPLIT_KINDS and _is_split_elsewhere(other, candidate, lists)


def _is_split_elsewhere(one: Block, two: Block, lists: _Lists) -> bool:
    shorter, longer = sorted((one, two), key=lambda block: len(block.text))
    if _share_a_document(one, two) or " ".join(shorter.text.split()) not in " ".join(longer.text.split()):
        return False
    return any(is_split_elsewhere(longer.text, shorter.text, *around) for around in lists.around(shorter))


def _share_a_document(one: Block, two: Block) -> bool:
    return not {one.document, *one.documents}.isdisjoint((two.document, *two.documents))


def _folded(path: Sequence[str]) -> tuple[str, ...]:
    """Return headings in the form in which those of two editions are compared: their numbers change with each."""
    return tuple(without_number(heading).casefold() for heading in path)


def _contents(context: Context, pairs: Sequence[_Pair], lists: _Lists) -> list[_LookAlike]:
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


def _two_pictures(context: Context, pairs: Sequence[_Pair], lists: _Lists) -> list[_LookAlike]:
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


def _below_title(block: Block) -> tuple[str, ...]:
    """Return the headings over a block below the title of its document, which may name the edition."""
    path = _folded(block.heading_path)
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


def _look_alikes(context: Context, pairs: Sequence[_Pair], names: Names, editions: Editions) -> list[_LookAlike]:
    """Return the near blocks of some flags that their documents show to be another thing, with the reasons."""
    placed = [
        (*pair, coexistence)
        for pair in pairs
        if (coexistence := editions.coexistence(_names_of(pair[3], names), _names_of(pair[2], names))) is not None
    ]
    accords = accords_between(context, [(other, candidate) for _, _, candidate, other, _ in placed])
    merge_from = canonical_policy(context).duplicate_from
    look_alikes = []
    for (flag, near, candidate, other, coexistence), accord in zip(placed, accords, strict=True):
        sides = _side(other, names), _side(candidate, names)
        reason = reason_apart(accord, coexistence, sides, is_below=near.similarity < merge_from)
        if reason:
            look_alikes.append(_LookAlike(flag, near, candidate, other, str(differs_by(accord)), reason))
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
    """Return the blocks that were told apart because two people say them, two by two; reverted or not."""
    decisions = context.store.ledger.concerning(sorted({f.candidate for f in flags}))
    ours = [d for d in decisions if d.actor == POLICY and d.detail.because == Reason.SIDE_BY_SIDE]
    return {frozenset((d.members[0], other)) for d in ours for other in d.members[1:] if not d.detail.pairs}


def _side(block: Block, names: Names) -> Side:
    around = (*sorted(_names_of(block, names)), block.title, *block.heading_path)
    return Side(block.kind, block.language, "\n".join(around), term_of(block.text), block.text, block.heading_path)


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
    for each in sorted(look_alikes, key=lambda each: each.is_of_two):
        group = by_flag.setdefault(each.flag.seq, [])
        if not group or group[0].is_of_two == each.is_of_two:  # one decision keeps texts apart, or what people say
            group.append(each)
    groups = [by_flag[seq] for seq in sorted(by_flag)]
    return sum(
        _keep_batch_apart(context, collection, groups[start : start + BATCH]) for start in range(0, len(groups), BATCH)
    )


def _keep_batch_apart(context: Context, collection: str, groups: Sequence[Sequence[_LookAlike]]) -> int:
    ledger = context.store.ledger
    with ledger.exclusive():
        now = context.store.blocks(sorted({b.id for g in groups for each in g for b in (each.candidate, each.other)}))
        drafts = [
            _draft(context, collection, group)
            for group in groups
            if (flag := ledger.flag(group[0].flag.seq)) is not None and flag.open and _is_as_read(group, now)
        ]
        ledger.append(drafts)
        rebuild_blocks(context, collection, {m for draft in drafts for m in draft.members})
    return len(drafts)


def _is_as_read(group: Sequence[_LookAlike], now: Mapping[str, Block]) -> bool:
    read = {b.id: b for each in group for b in (each.candidate, each.other)}
    return all(id_ in now and state_token(now[id_]) == state_token(block) for id_, block in read.items())


def _draft(context: Context, collection: str, group: Sequence[_LookAlike]) -> DecisionDraft:
    """Return the decision about one candidate; it settles the flag if no near block is left to ask about."""
    first = group[0]
    others = {each.other.id: each.other for each in group}
    members = context.store.ledger.members(
        sorted({m for b in (first.candidate, *others.values()) for m in (b.id, *b.members)})
    )
    mine = [members[m] for m in first.candidate.members if m in members]
    theirs = [members[m] for b in others.values() for m in b.members if m in members]
    left = {n.id for n in first.flag.near} - others.keys() - {first.candidate.id}
    detail = Detail(
        near=tuple(each.near for each in group),
        because=Reason.SIDE_BY_SIDE,
        pairs=() if first.is_of_two else pairs_of(mine, theirs),
        differs=first.differs,
    )
    return DecisionDraft(
        verb=Verb.KEEP_APART, collection=collection, members=(first.candidate.id, *others), actor=POLICY,
        reason=". ".join(dict.fromkeys(each.reason for each in group)), flag=None if left else first.flag.seq,
        detail=detail, policy=policy_name(context),
    )  # fmt: skip
