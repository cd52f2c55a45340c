"""Port: the log of decisions and what follows from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from saidonce.foundation.model import Decision, DecisionDraft, Flag, Golden, Kept, Member, Vector, Verb


@dataclass(frozen=True, slots=True)
class Search:
    """The words and embeddings under which a block is found.

    Attributes:
        terms: analysed words of context and text with their counts.
        text_key, context_key: ids of the two embeddings; `context_key` is empty without a context.
    """

    terms: Mapping[str, int]
    text_key: str
    context_key: str


@dataclass(frozen=True, slots=True)
class Settlement:
    """What blocks and flags of some members follow from the log.

    Attributes:
        touched: ids of all members, live or gone, whose blocks are told here.
        blocks: the blocks of those that live, each with what finds it.
        embeddings: vectors of keys that are not stored yet.
    """

    collection: str
    touched: tuple[str, ...]
    blocks: tuple[tuple[Golden, Search], ...]
    embeddings: Mapping[str, Vector]


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """Which flags a queue shows; empty fields do not restrict.

    Attributes:
        is_open: only open ones, or only closed ones; None shows both.
        because: the verdict's reason.
        by_likelihood: likeliest duplicates first, as the newest second opinion has it, and those without one last;
            else by worth.
    """

    collections: tuple[str, ...] = ()
    assignee: str = ""
    because: str = ""
    is_open: bool | None = True
    by_likelihood: bool = False


class Ledger(Protocol):
    """Keeps the decisions of one organisation, and the members, blocks and flags that follow from them."""

    def exclusive(self, wait_s: float | None = None) -> AbstractContextManager[None]:
        """Hold the organisation's row lock; writes inside commit together, or not at all.

        Args:
            wait_s: longest wait for it; 0 takes a free one only, None waits for a minute.

        Raises:
            StoreBusyError: it did not come in time, on entering.
        """
        ...

    def append(self, drafts: Sequence[DecisionDraft]) -> tuple[Decision, ...]:
        """Append decisions in order; a draft whose key is known gives the decision that has it.

        After a revert, the decision that it names does not hold; what that one took back holds again, unless
        another revert that holds names it.

        Raises:
            NotFoundError: a draft reverts or settles a decision that is not there.
        """
        ...

    def stand(self, live: Mapping[int, bool]) -> None:
        """Write down whether some decisions hold, as the reverts in the log say; for repairs only."""
        ...

    def decision(self, seq: int) -> Decision | None:
        """Return one decision, or None."""
        ...

    def chosen(self, seqs: Sequence[int]) -> tuple[Decision, ...]:
        """Return those of some decisions that are there, oldest first."""
        ...

    def by_key(self, key: str) -> Decision | None:
        """Return the decision of an idempotency key, or None."""
        ...

    def decisions(
        self, verbs: Sequence[Verb] = (), before: int | None = None, limit: int = 100
    ) -> tuple[Decision, ...]:
        """Return decisions, newest first.

        Args:
            verbs: only these; all by default.
            before: only those with smaller numbers.
            limit: at most so many.
        """
        ...

    def log(self) -> Iterator[Decision]:
        """Yield all decisions, oldest first."""
        ...

    def family(self, ids: Sequence[str]) -> tuple[Decision, ...]:
        """Return the live decisions about the blocks of some members and their properties, oldest first.

        Decisions that name one of the ids, those that name a member named by a joining one of those, and
        so on; edits that were taken back too, since their texts are then nobody's.
        """
        ...

    def concerning(self, ids: Sequence[str]) -> tuple[Decision, ...]:
        """Return all decisions that name one of some members, live or not, oldest first."""
        ...

    def put_members(self, document_id: str, members: Sequence[Member]) -> tuple[str, ...]:
        """Make these the members of a document's present version; give the ids of those that were and are not.

        A member that is there already keeps the moment it first came in; its block is told by `settle`.
        """
        ...

    def members(self, ids: Sequence[str]) -> dict[str, Member]:
        """Return those of the members that are live."""
        ...

    def members_of(self, *, documents: Sequence[str] = (), blocks: Sequence[str] = ()) -> tuple[str, ...]:
        """Return the ids of the live members of documents, or of blocks, by id."""
        ...

    def settle(self, settlement: Settlement) -> None:
        """Put the blocks of some members in place of those that they had.

        Raises:
            StoreCorruptError: an embedding that a block needs is neither given nor stored.
        """
        ...

    def kept(self, ids: Sequence[str]) -> dict[str, Kept]:
        """Return live blocks of canonical collections as the ladder sees them."""
        ...

    def same_content(self, collection: str, hashes: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return the blocks that a member of a content hash supports, by hash, ids sorted."""
        ...

    def apart(self, collection: str, hashes: Sequence[str]) -> frozenset[tuple[str, str]]:
        """Return the sorted pairs of content hashes that a live decision keeps apart and that name one of these."""
        ...

    def flags_of(self, ids: Sequence[str]) -> tuple[Decision, ...]:
        """Return the live flags that name one of some members, oldest first."""
        ...

    def rulings_on(self, flags: Sequence[int]) -> tuple[Decision, ...]:
        """Return the live decisions that settle or assign some flags, oldest first."""
        ...

    def within(self, seqs: Sequence[int]) -> tuple[Decision, ...]:
        """Return all decisions that are parts of some bulk decisions, rules or reverts, live or not, oldest first."""
        ...

    def open_on(self, blocks: Sequence[str]) -> tuple[Flag, ...]:
        """Return the open flags whose candidate, or nearest match, some blocks hold now, by number."""
        ...

    def put_flags(self, states: Sequence[Flag]) -> None:
        """Store the state of flags; here candidate, `of` and the shortlist are named by members."""
        ...

    def queue(self, criteria: QueueFilter, after: tuple[float, int] | None = None, limit: int = 50) -> tuple[Flag, ...]:
        """Return flags by worth or by likelihood, highest first, ties by number.

        Args:
            after: (worth, number) of the last flag of the page before, or its (likelihood, number); UNKNOWN stands for
                the likelihood of a flag without one.
            limit: at most so many.
        """
        ...

    def flag(self, seq: int) -> Flag | None:
        """Return one flag, or None."""
        ...

    def n_flags(self, criteria: QueueFilter) -> int:
        """Count flags."""
        ...
