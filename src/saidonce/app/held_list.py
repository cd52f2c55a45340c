"""The held list of one base: what people are asked about by its gates, wired for every door."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from saidonce.app import metrics
from saidonce.app.adjudicators import open_look_again
from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.context import Context
from saidonce.foundation.model import GateVerdict, HeldState, Reason, reasons_named
from saidonce.foundation.ports import HeldCount, HeldFilter
from saidonce.gate import (
    Gate,
    HeldItem,
    HeldOrder,
    HeldPair,
    HeldResult,
    HeldUndo,
    Rechecked,
    account,
    clears_since,
    held,
    recheck,
)

_log = logging.getLogger("saidonce")


class HeldList:
    """What the gates of a base hold for people.

    Args:
        context: wired ports.
        gate_of: returns a gate by its name.
        counts: whether decisions are counted in the process's series.
    """

    def __init__(self, context: Context, gate_of: Callable[[str], Gate], counts: bool) -> None:
        self._context = context
        self._gate_of = gate_of
        self._counts = counts

    def page(
        self, part: HeldFilter | None = None, after: tuple[datetime, str] | None = None, limit: int = 50
    ) -> tuple[GateVerdict, ...]:  # fmt: skip
        """Return held submissions, oldest first.

        Raises:
            NotFoundError: there is no gate of the filter's name.
        """
        chosen = part or HeldFilter()
        self._check(chosen.gate)
        return self._context.store.gates.held(chosen, after, limit)

    def n(self, part: HeldFilter) -> int:
        """Return how many are held."""
        return self._context.store.gates.n_held(part)

    def counts(self, gate: str = "") -> tuple[HeldCount, ...]:
        """Count held and decided submissions by state and reason.

        Raises:
            NotFoundError: there is no gate of that name.
        """
        self._check(gate)
        return self._context.store.gates.held_counts(gate)

    def pair(self, id: str) -> HeldPair:
        """Return a verdict, by its id or the beginning of it, beside what is near to it now.

        Raises:
            NotFoundError: there is none.
            UsageError: several ids begin so.
        """
        verdict = account(self._context.store, id).verdict
        return held.compare(self._context, self._gate_of(verdict.gate), verdict)

    def decide(self, items: Sequence[HeldItem], order: HeldOrder) -> HeldResult:
        """Decide many submissions at once; those that cannot be decided so are skipped, with the reason.

        Raises:
            UsageError: nobody decides, or too many at once are to be decided.
        """
        return self._count_result(held.decide(self._context, self._gate_of, items, order), order)

    def decide_one(self, item: HeldItem, order: HeldOrder) -> HeldResult:
        """Decide about one.

        Raises:
            NotFoundError: there is none of that id.
            StaleWriteError: it stands otherwise by now; the message says how, by whom and when.
            UsageError: it cannot be decided so.
        """
        return self._count_result(held.decide_one(self._context, self._gate_of, item, order), order)

    def undo(self, decision: str, by: str, why: str = "") -> HeldUndo:
        """Take a decision back, with all that it concerned.

        Raises:
            NotFoundError: there is none, or nothing of it stands any more.
        """
        undone = held.undo(self._context, decision, by, why)
        if self._counts:
            metrics.record_held_decision("undone", len(undone.undone))
        return undone

    def assign(self, ids: Sequence[str], to: str, by: str) -> tuple[GateVerdict, ...]:
        """Assign held submissions to a person; an empty name unassigns them.

        Raises:
            NotFoundError: a verdict or a registered person is not there.
        """
        return held.assign(self._context, ids, to, by)

    def note(self, id: str, text: str, by: str) -> GateVerdict:
        """Append a note to the log of a verdict.

        Raises:
            NotFoundError: there is no such verdict.
            UsageError: the note is empty.
        """
        return held.note(self._context, account(self._context.store, id).verdict.id, text, by)

    def audit(self, id: str, right: bool, by: str, why: str = "") -> GateVerdict:
        """Record whether another person's decision, or an adjudicator's clear that was drawn for an audit, was right.

        Raises:
            NotFoundError: there is no such verdict.
            StaleWriteError: somebody audited it before.
            UsageError: it is one's own decision, or a clear that was not drawn.
        """
        verdict = held.audit(self._context, account(self._context.store, id).verdict.id, right, by, why)
        if self._counts and verdict.decision is None:
            metrics.record_audit(right)
        return verdict

    def can_recheck(self) -> bool:
        """Return whether an auto-rater rules at the gates, which can be asked later about its clears."""
        context = self._context
        return open_look_again(context.settings, lambda: context.embedder, context.clock) is not None

    def recheck(self, gate: str = "", since: datetime | None = None) -> Rechecked:
        """Ask the auto-rater whether it stands by its clears of the last `gate_recheck_hours`, or since a moment.

        Raises:
            NotFoundError: there is no gate of that name.
            UsageError: no judge of the gate can be asked.
        """
        self._check(gate)
        settings = self._context.settings
        start = since or self._context.clock.now() - timedelta(hours=settings.gate_recheck_hours)
        return self.recheck_all(tuple(clears_since(self._context, gate, start)))

    def recheck_all(self, clears: Sequence[GateVerdict]) -> Rechecked:
        """Ask the auto-rater whether clears still stand; retractions are logged as warnings.

        Raises:
            UsageError: no judge of the gate can be asked.
        """
        context = self._context
        judge = open_look_again(context.settings, lambda: context.embedder, context.clock)
        if judge is None:
            raise UsageError("the gate has no auto-rater; only clears by an auto-rater can be rechecked")
        done = recheck(context, judge, clears)
        for verdict in done.retracted:
            by = verdict.retraction.by if verdict.retraction is not None else ""
            _log.warning("gate.retracted verdict=%s gate=%s judge=%s", verdict.id, verdict.gate, by)
        if self._counts:
            metrics.record_held_decision("retracted", len(done.retracted))
        return done

    def part(
        self, gate: str = "", reasons: Sequence[str] = (), judge: str = "", assignee: str | None = None,
        older_than: timedelta | None = None, states: Sequence[HeldState] = (),
    ) -> HeldFilter:  # fmt: skip
        """Return a filter as the doors take it; with reasons, what a ruling settled is listed too."""
        named = reasons_named(reasons)
        usual = (HeldState.OPEN, HeldState.RULED) if named else (HeldState.OPEN,)
        if Reason.RETRACTED in named:
            usual = (*usual, HeldState.AUDIT)
        before = self._context.clock.now() - older_than if older_than is not None else None
        return HeldFilter(gate, tuple(states) or usual, named, judge, assignee, before)

    def _check(self, gate: str) -> None:
        if gate and gate not in {g.name for g in self._context.store.gates.gates()}:
            raise NotFoundError("gate", gate, "'saidonce gate list' shows the gates")

    def _count_result(self, result: HeldResult, order: HeldOrder) -> HeldResult:
        if self._counts and result.done:
            metrics.record_held_decision(order.choice, len(result.done))
        return result
