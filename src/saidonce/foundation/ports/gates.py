"""Port: what gates keep, what they said, and what was spent on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Protocol

from saidonce.foundation.model import (
    Admission,
    GateDefinition,
    GateEvent,
    GateFigure,
    GateState,
    GateVerdict,
    HeldState,
    ReviewNote,
    Ruling,
    Vector,
)


@dataclass(frozen=True, slots=True)
class KeptRow:
    """A change of what a gate keeps: an admission with its vector, or one that was released.

    Attributes:
        vector: of the compared text; None if it was released.
    """

    id: str
    rev: int
    live: bool
    partition: str
    content_hash: str
    vector: Vector | None


@dataclass(frozen=True, slots=True)
class KeptQuery:
    """What is looked for among what a gate keeps: the k nearest to a vector, and what has the same content.

    Attributes:
        vector: shape (dim,) float32, a unit vector.
        slack: how far a product of two vectors in the store may be off, for both that are compared.
    """

    vector: Vector
    partition: str
    content_hash: str
    k: int
    slack: float


@dataclass(frozen=True, slots=True, eq=False)
class NearKept:
    """What may be among the nearest, with all of the same content; more may be given.

    Attributes:
        ids, vectors: of those that are kept, in the same order.
        equal: ids of those of the same content.
        rev: newest revision of what the gate keeps, at that moment.
    """

    ids: tuple[str, ...]
    vectors: tuple[Vector, ...]
    equal: frozenset[str]
    rev: int


@dataclass(frozen=True, slots=True)
class GateWrite:
    """What a gate writes at once.

    Attributes:
        verdicts: new ones, and new states of known ones, by id.
        due_at: by id of a pending verdict, when a worker may take it up; at once if it is not named.
        admissions: new ones, each with the vector of its compared text, shape (dim,) float32.
        released: ids of admissions that are kept no more, with the moment.
    """

    verdicts: tuple[GateVerdict, ...] = ()
    due_at: Mapping[str, datetime] = field(default_factory=dict)
    admissions: tuple[tuple[Admission, Vector], ...] = ()
    released: tuple[tuple[str, datetime], ...] = ()
    events: tuple[GateEvent, ...] = ()

    @property
    def gates(self) -> tuple[str, ...]:
        """Names of the gates that are written to, sorted."""
        of_verdicts, of_events = {v.gate for v in self.verdicts}, {e.gate for e in self.events}
        return tuple(sorted(of_verdicts | of_events | {admission.gate for admission, _ in self.admissions}))


@dataclass(frozen=True, slots=True)
class GateStanding:
    """How a gate stands.

    Attributes:
        rev: revision of the organisation.
        model: embedding model of the gate.
        kept_rev: newest revision of what the gate keeps.
        by_key: verdicts of the idempotency keys that were asked for.
    """

    rev: int
    model: str
    kept_rev: int
    by_key: Mapping[str, GateVerdict]


class GateTurn(Protocol):
    """The organisation's turn to write, taken for one gate."""

    @property
    def standing(self) -> GateStanding:
        """How the gate stood when the turn began; nobody else changes it before the turn ends."""
        ...

    def settle(self, write: GateWrite) -> tuple[GateVerdict, ...]:
        """Write everything, or nothing; the last act of the turn. Give the verdicts with the revision they have now.

        What admits nothing and leaves nothing pending may be lost if the server's machine stops within a second: then
        it was not said, and a repeated check says it again.

        Raises:
            NotFoundError: no such gate.
            StoreCorruptError: a key stands for another verdict, or a vector has the wrong length.
        """
        ...


@dataclass(frozen=True, slots=True)
class HeldFilter:
    """Which verdicts people are asked about.

    Attributes:
        gate: whose; of all gates if empty.
        states: how far people are with them; at least one.
        reasons: only these; all if empty.
        judge: only those that this adjudicator was asked about, or one whose name begins so; all if empty.
        assignee: only this person's; "" those of nobody, None all.
        before: only those submitted before this moment.
    """

    gate: str = ""
    states: tuple[HeldState, ...] = (HeldState.OPEN,)
    reasons: tuple[str, ...] = ()
    judge: str = ""
    assignee: str | None = None
    before: datetime | None = None


@dataclass(frozen=True, slots=True)
class HeldCount:
    """How many verdicts of a gate agree in everything that a filter tells apart, and when the oldest was submitted."""

    gate: str
    state: HeldState
    reason: str
    judge: str
    assignee: str
    n: int
    oldest_at: datetime


@dataclass(frozen=True, slots=True)
class HeldAge:
    """How many submissions an organisation's gates hold for a reason, and since when the oldest waits."""

    org: str
    reason: str
    n: int
    oldest_at: datetime


class Gates(Protocol):
    """Keeps the gates of one organisation.

    Writes are transactions under the organisation's row lock; inside `Ledger.exclusive` they are one.
    """

    def ensure(self, gate: GateDefinition) -> GateDefinition:
        """Create a gate if its name is free; return the gate with this name."""
        ...

    def gates(self) -> tuple[GateDefinition, ...]:
        """Return all gates, by name."""
        ...

    def turn(self, gate: str, keys: Sequence[str] = ()) -> AbstractContextManager[GateTurn]:
        """Take the organisation's turn to write, as `Ledger.exclusive` does, with how a gate stands.

        Args:
            keys: idempotency keys whose verdicts are given too.

        Raises:
            NotFoundError: no such gate.
            StoreBusyError: the turn did not come in time.
        """
        ...

    def write(self, write: GateWrite) -> tuple[GateVerdict, ...]:
        """Write everything, or nothing; give the verdicts with the revision they have now.

        Raises:
            NotFoundError: no such gate, or a released admission is not there.
            StoreCorruptError: a key stands for another verdict, or a vector has the wrong length.
        """
        ...

    def verdict(self, id: str) -> GateVerdict | None:
        """Return one verdict, or None."""
        ...

    def find(self, prefix: str) -> tuple[str, ...]:
        """Return the ids of verdicts that start with a prefix; 20 at most, sorted."""
        ...

    def verdicts(
        self, gate: str, state: GateState | None = None, reasons: Sequence[str] = (), before: int | None = None,
        limit: int = 100,
    ) -> tuple[GateVerdict, ...]:  # fmt: skip
        """Return verdicts, newest first by revision, those of one revision by id.

        Args:
            gate: whose; of all if empty.
            state: only these.
            reasons: only these; all by default.
            before: only those of smaller revisions.
            limit: at most so many.
        """
        ...

    def held(
        self, part: HeldFilter, after: tuple[datetime, str] | None = None, limit: int = 100
    ) -> tuple[GateVerdict, ...]:  # fmt: skip
        """Return the verdicts that people are asked about, oldest submission first, ties by id.

        Args:
            part: which.
            after: moment and id of the last one seen.
            limit: at most so many.
        """
        ...

    def n_held(self, part: HeldFilter) -> int:
        """Count the verdicts that people are asked about."""
        ...

    def held_counts(self, gate: str = "") -> tuple[HeldCount, ...]:
        """Count the verdicts of a gate that people are or were asked about; of all gates if it is empty.

        By gate, state, reason, judge and assignee.
        """
        ...

    def decided(self, decision: str) -> tuple[GateVerdict, ...]:
        """Return the verdicts on which a person's decision stands, by id."""
        ...

    def retries(self, ids: Sequence[str]) -> dict[str, tuple[GateVerdict, ...]]:
        """Return the verdicts on later wordings by the id of the verdict that they name, oldest first."""
        ...

    def wordings(self, admission_id: str) -> tuple[str, ...]:
        """Return the ids of the live admissions that are other wordings of one, sorted."""
        ...

    def log(self, gate: str) -> Iterator[GateVerdict]:
        """Yield all verdicts of a gate, by id."""
        ...

    def claim(self, now: datetime, until: datetime, limit: int) -> tuple[GateVerdict, ...]:
        """Take up pending verdicts that are due, longest due first; they are due again at `until`."""
        ...

    def renew(self, ids: Sequence[str], until: datetime) -> None:
        """Have those of some verdicts that are pending still due at `until`: whoever took them up works on them."""
        ...

    def n_pending(self, gate: str) -> int:
        """Count pending verdicts of a gate; of all gates if it is empty."""
        ...

    def standing(self, gate: str, keys: Sequence[str] = ()) -> GateStanding:
        """Return how a gate stands, and the verdicts of idempotency keys, all as of one moment.

        Raises:
            NotFoundError: no such gate.
        """
        ...

    def changes(self, gate: str, since: int) -> Iterator[Sequence[KeptRow]]:
        """Yield batches of admissions changed after revision `since`, by (rev, id)."""
        ...

    def n_changes(self, gate: str, most: int) -> int:
        """Count a gate's kept and released submissions, up to a number."""
        ...

    def near(self, gate: str, query: KeptQuery) -> NearKept:
        """Search what a gate keeps where it is stored, as of one moment: slow, and nothing has to be loaded."""
        ...

    def admissions(self, ids: Sequence[str]) -> dict[str, Admission]:
        """Return admissions, released ones too."""
        ...

    def admitted(self, gate: str) -> Iterator[Sequence[Admission]]:
        """Yield batches of a gate's live admissions, by id."""
        ...

    def n_admitted(self, gate: str) -> int:
        """Count a gate's live admissions."""
        ...

    def reembed(self, gate: GateDefinition, vectors: Mapping[str, Vector]) -> None:
        """Put a gate under another embedding model.

        Args:
            gate: with the new model and dimension.
            vectors: of all live admissions, by id.

        Raises:
            StoreCorruptError: the vector of a live admission is missing.
        """
        ...

    def events(self, gate: str, verdict_id: str = "", limit: int = 100) -> tuple[GateEvent, ...]:
        """Return entries of the log, of one verdict if it is named, newest first."""
        ...

    def figures(self, gate: str, limit: int) -> tuple[GateFigure, ...]:
        """Return what statistics need of the newest verdicts, newest first."""
        ...

    def rulings(self, keys: Sequence[str]) -> dict[str, Ruling]:
        """Return remembered rulings, by key."""
        ...

    def remember(self, rulings: Mapping[str, Ruling], anew: bool = False) -> None:
        """Remember rulings; a key that is known keeps its first one, unless they are reached anew.

        The notes of reviews under these keys are dropped with it: their reviews are over.
        """
        ...

    def review(self, key: str) -> ReviewNote | None:
        """Return the note of a review that an auto-rater was sent, or None."""
        ...

    def note_review(self, note: ReviewNote) -> None:
        """Note a review, in place of an earlier note of its key."""
        ...

    def drop_review(self, key: str) -> None:
        """Drop the note of a review; it is over."""
        ...

    def spent(self, day: date) -> tuple[int, float]:
        """Return the calls of a day and what they cost, in US dollars."""
        ...

    def spend(self, day: date, n_calls: int, cost: float, most_calls: int = 0, most_cost: float = 0.0) -> bool:
        """Add to what was spent on a day, if the budget allows it; say whether it was added.

        Calls are refused if they would be more than the most, or once the day's cost has reached the most. Without
        calls the cost of what was done already is noted, whatever is left.

        Args:
            day: in UTC.
            n_calls: calls to be made; 0 notes a cost.
            cost: in US dollars.
            most_calls, most_cost: the budget; 0 does not restrict.
        """
        ...
