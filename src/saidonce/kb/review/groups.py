"""The queue by pair of documents and by kind of difference, in the judge's order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from saidonce.foundation.context import Context
from saidonce.foundation.model import UNKNOWN_LANGUAGE, Block, Differs, Flag, Pair
from saidonce.foundation.ports import QueueFilter
from saidonce.kb.canonical import step_between
from saidonce.kb.pairs import accords_in_place
from saidonce.kb.review.differences import LABELS, differs_by, is_of_one_thing, likeness, one_change, versions_behind
from saidonce.kb.review.queue import cursor, open_pairs
from saidonce.matching.agreement import Accord
from saidonce.matching.facts import read_language

MOST_GROUPED = 2_000
"""Open pairs that are grouped, the most valuable ones first."""

PAGE = 500


@dataclass(frozen=True, slots=True)
class QueuePart:
    """A part of the queue that a person works through.

    Attributes:
        queue: filter of the flags.
        differs: only pairs that differ in this way; None for all.
        documents: only pairs of these two documents, by name, sorted; empty for all.
        change: only pairs of which the candidate is the kept text with this one change, as `one_change` writes it.
        by_judge: likeliest repeats first, as the equivalence judge and the guards have it, instead of the order of
            `queue`.
    """

    queue: QueueFilter = field(default_factory=QueueFilter)
    differs: Differs | None = None
    documents: tuple[str, ...] = ()
    change: str = ""
    by_judge: bool = False

    @property
    def is_narrowed(self) -> bool:
        """Return whether pairs must be compared to tell which belong to it, or in which order."""
        return self.differs is not None or bool(self.documents or self.change) or self.by_judge

    def has(self, shown: GroupedPair) -> bool:
        """Return whether a pair of the queue has the kind of difference, the documents and the change."""
        return (
            self.differs in (None, shown.differs)
            and self.documents in ((), shown.documents)
            and self.change in ("", shown.change)
        )


@dataclass(frozen=True, slots=True)
class GroupedPair:
    """An open pair with how its texts differ.

    Attributes:
        accord: of the two texts; the kept one is `a`.
        place: its place in the part's order, highest first, ties by the flag's number.
        change: the one change that makes the candidate of the kept text; empty if there are more.
    """

    pair: Pair
    accord: Accord
    differs: Differs
    place: float
    change: str

    @property
    def documents(self) -> tuple[str, str]:
        """Both documents, by name, sorted; one document twice if both texts are of it."""
        return documents_of(self.pair.kept, self.pair.candidate)

    @property
    def similarity(self) -> float:
        """Of the two texts when the pair was flagged; 0 where it was not noted."""
        return similarity_of(self.pair.flag)


@dataclass(frozen=True, slots=True)
class QueueListing:
    """The pairs of a part in its order; `is_all` unless the queue is longer than MOST_GROUPED."""

    pairs: tuple[GroupedPair, ...]
    is_all: bool = True


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """A pair of the queue, with the other pairs that differ in the very same change and in nothing else.

    A person is asked about them once. Each is a pair of its own, which can be decided alone.

    Attributes:
        first: the one that comes first in the order.
        more: the others, in the order.
    """

    first: GroupedPair
    more: tuple[GroupedPair, ...] = ()

    @property
    def change(self) -> str:
        """The change that all have in common; empty for a single pair."""
        return self.first.change if self.more else ""

    @property
    def seqs(self) -> tuple[int, ...]:
        """Numbers of the flags, in the order."""
        return tuple(g.pair.flag.seq for g in (self.first, *self.more))


@dataclass(frozen=True, slots=True)
class PairGroup:
    """Open pairs of two documents, with one kind of difference, or with one change.

    Attributes:
        label: what people read.
        differs: the kind; None for other groups.
        documents: both names; empty for other groups.
        change: what was replaced by what; empty for other groups.
    """

    label: str
    n: int
    differs: Differs | None = None
    documents: tuple[str, ...] = ()
    change: str = ""


def documents_of(kept: Block, candidate: Block) -> tuple[str, str]:
    """Return the documents of two blocks, by name, sorted."""
    low, high = sorted((kept.document, candidate.document))
    return low, high


def similarity_of(flag: Flag) -> float:
    """Return the similarity of a flag's pair when it was raised; 0 where it was not noted."""
    return flag.comparison.similarity if flag.comparison else 0.0


def list_pairs(context: Context, part: QueuePart) -> QueueListing:
    """Return the pairs of a part of the queue, compared with each other, in its order."""
    pairs: list[Pair] = []
    after: tuple[float, int] | None = None
    is_all = True
    while flags := context.store.ledger.queue(part.queue, after, PAGE):
        pairs += open_pairs(context, part.queue, after, PAGE)
        after = cursor(context, part.queue, flags[-1])
        if len(pairs) >= MOST_GROUPED:
            is_all = context.store.ledger.n_flags(part.queue) <= len(pairs)
            break
    grouped = grouped_pairs(context, pairs[:MOST_GROUPED], by_judge=part.by_judge)
    chosen = [g for g in grouped if part.has(g)]
    if part.by_judge:
        chosen.sort(key=lambda g: (-g.place, g.pair.flag.seq))
    return QueueListing(tuple(chosen), is_all)


def grouped_pairs(context: Context, pairs: Sequence[Pair], by_judge: bool = False) -> list[GroupedPair]:
    """Return open pairs with how their texts differ, in their order."""
    accords = accords_in_place(context, [(p.kept, p.candidate) for p in pairs])
    return [
        GroupedPair(
            p,
            accord,
            differs_by(accord),
            likeness(accord, similarity_of(p.flag)) if by_judge else p.flag.worth,
            one_change(p.kept.text, p.candidate.text),
        )
        for p, accord in zip(pairs, accords, strict=True)
    ]


def groups(listing: QueueListing) -> tuple[tuple[PairGroup, ...], tuple[PairGroup, ...]]:
    """Return the groups by kind of difference and those by pair of documents, largest first, ties by label."""
    kinds = Counter(g.differs for g in listing.pairs)
    documents = Counter(g.documents for g in listing.pairs)
    by_kind = [PairGroup(LABELS[kind], n, differs=kind) for kind, n in kinds.items()]
    by_documents = [PairGroup(" and ".join(dict.fromkeys(names)), n, documents=names) for names, n in documents.items()]
    return tuple(sorted(by_kind, key=_largest_first)), tuple(sorted(by_documents, key=_largest_first))


def changes(listing: QueueListing) -> tuple[PairGroup, ...]:
    """Return the groups of pairs with one and the same change, from two pairs on, largest first, ties by label."""
    counted = Counter(change for g in listing.pairs if (change := g.change))
    return tuple(sorted((PairGroup(c, n, change=c) for c, n in counted.items() if n > 1), key=_largest_first))


def entries(pairs: Sequence[GroupedPair], part: QueuePart | None = None) -> tuple[QueueEntry, ...]:
    """Return pairs as entries of the queue, in their order: those with one change are one, at the place of the first.

    They are of one collection, assigned to one person or to nobody, and of documents whose names differ in the same
    way: what was renamed from one edition to the next is another question than what two pages call otherwise. The
    change is one of what a thing is called; of versions the words in front are the same, too. Whoever asks for the
    part of the queue with one change has all its places before him, one by one.
    """
    if part is not None and part.change:
        return tuple(map(QueueEntry, pairs))
    places: dict[object, list[GroupedPair]] = {}
    for g in pairs:
        places.setdefault(_question(g), []).append(g)
    return tuple(QueueEntry(first, tuple(more)) for first, *more in places.values())


def _question(g: GroupedPair) -> object:
    """Return what a person is asked about a pair, in a form that is equal for those asked about once."""
    flag, kept, candidate = g.pair.flag, g.pair.kept, g.pair.candidate
    languages = {read_language(block.text, block.language) for block in (kept, candidate)}
    language = languages.pop() if len(languages) == 1 else UNKNOWN_LANGUAGE
    if not g.change or not is_of_one_thing(g.differs, kept.text, candidate.text, language):
        return flag.seq
    step = step_between(kept.document, candidate.document)
    behind = versions_behind(g.differs, kept.text, candidate.text)
    return flag.collection, flag.assignee, g.differs, g.change, step, behind


def after_place(
    context: Context, part: QueuePart, after: tuple[float, int] | None, limit: int
) -> tuple[tuple[int, float], ...]:
    """Return the flags that follow a place in a part of the queue, each with its own place.

    Args:
        context: wired ports.
        part: which pairs, and their order.
        after: (place, number) of a flag; None begins.
        limit: at most so many.
    """
    if not part.is_narrowed:
        flags = context.store.ledger.queue(part.queue, after, limit)
        return tuple((f.seq, cursor(context, part.queue, f)[0]) for f in flags)
    rows = [(g.pair.flag.seq, g.place) for g in list_pairs(context, part).pairs]
    if after is not None and part.queue.by_likelihood and not part.by_judge:
        seqs = [seq for seq, _ in rows]
        rows = rows[seqs.index(after[1]) + 1 :] if after[1] in seqs else rows
    elif after is not None:
        rows = [(seq, place) for seq, place in rows if (-place, seq) > (-after[0], after[1])]
    return tuple(rows[:limit])


def place_of(context: Context, part: QueuePart, pair: Pair) -> float:
    """Return the place of an open pair in a part's order, after which the next begins."""
    if part.by_judge:
        return grouped_pairs(context, [pair], by_judge=True)[0].place
    return cursor(context, part.queue, pair.flag)[0]


def _largest_first(group: PairGroup) -> tuple[int, str]:
    return -group.n, group.label
