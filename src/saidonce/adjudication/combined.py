"""Adjudicators made of adjudicators: in turn, remembered, within a budget, and watched."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import replace
from datetime import date
from threading import Lock
from typing import Protocol

from saidonce.errors import SettingsError, StoreError
from saidonce.foundation.model import Failure, Opinion, Question, Ruling
from saidonce.foundation.ports import Adjudicator, Clock
from saidonce.matching.presentation import question_digest

REASON_CHARS = 1_000

_log = logging.getLogger("saidonce")


class Chain:
    """Asks one adjudicator after the other; the first that says duplicate or distinct settles a question.

    What one leaves unsure, or fails at, goes on to the next. Tokens, cost and time of all who were asked add up, and
    the reason tells who said what.
    """

    def __init__(self, adjudicators: Sequence[Adjudicator]) -> None:
        if not adjudicators:
            raise SettingsError("adjudicators", (), "one or more")
        self._adjudicators = tuple(adjudicators)

    @property
    def name(self) -> str:
        """All names, in the order in which they are asked."""
        return " > ".join(adjudicator.name for adjudicator in self._adjudicators)

    def rule(self, questions: Sequence[Question]) -> tuple[Ruling, ...]:
        """Rule on each question, in input order; one that nobody settles ends as the last who was asked left it."""
        said: list[list[Ruling]] = [[] for _ in questions]
        for adjudicator in self._adjudicators:
            still = [n for n, rulings in enumerate(said) if not rulings or not _settles(rulings[-1])]
            if not still:
                break
            for n, ruling in zip(still, adjudicator.rule([questions[n] for n in still]), strict=True):
                said[n].append(ruling)
        return tuple(_together(rulings) for rulings in said)


def _settles(ruling: Ruling) -> bool:
    return ruling.failure is None and ruling.opinion is not Opinion.UNSURE


def _together(rulings: Sequence[Ruling]) -> Ruling:
    last = rulings[-1]
    told = [f"{r.adjudicator}: {r.failure or r.opinion}{f' ({r.reason})' if r.reason else ''}" for r in rulings]
    return replace(
        last,
        reason=" > ".join(told)[:REASON_CHARS] if len(rulings) > 1 else last.reason,
        duration_ms=sum(r.duration_ms for r in rulings),
        n_tokens=sum(r.n_tokens for r in rulings),
        cost=sum(r.cost for r in rulings),
        probability=_probability(rulings),
    )


def _probability(rulings: Sequence[Ruling]) -> float | None:
    """The one of whoever settled, or else of the first who knew one."""
    last = rulings[-1]
    return (
        last.probability
        if _settles(last)
        else next((r.probability for r in rulings if r.probability is not None), None)
    )


class RulingCache(Protocol):
    """Keeps rulings by a key of 32 hex digits and who ruled; may forget any of them."""

    def get(self, key: str, adjudicator: str) -> Ruling | None:
        """Give what was put under this key by this adjudicator, or None.

        Raises:
            StoreError: it cannot be told.
        """
        ...

    def put(self, key: str, adjudicator: str, ruling: Ruling) -> None:
        """Keep a ruling, in place of an earlier one.

        Raises:
            StoreError: it could not be kept.
        """
        ...


class MemoryCache:
    """A cache that lasts as long as its process, and forgets the oldest first."""

    def __init__(self, most: int = 100_000) -> None:
        self._most = most
        self._lock = Lock()
        self._kept: MutableMapping[tuple[str, str], Ruling] = {}

    def get(self, key: str, adjudicator: str) -> Ruling | None:
        """Give what was put under this key by this adjudicator, or None."""
        with self._lock:
            return self._kept.get((key, adjudicator))

    def put(self, key: str, adjudicator: str, ruling: Ruling) -> None:
        """Keep a ruling, in place of an earlier one."""
        with self._lock:
            self._kept.pop((key, adjudicator), None)
            self._kept[key, adjudicator] = ruling
            if len(self._kept) > self._most:
                del self._kept[next(iter(self._kept))]


class Remembering:
    """Asks an adjudicator once about the same texts.

    The key is a hash of candidate and matches as they are (texts, fields, ids, objections) and the adjudicator's
    name, which holds model, prompt version and options. Opinions are remembered, "unsure" too; failures never. A
    remembered ruling took no time and cost nothing. A cache that fails is logged, and the adjudicator asked.
    """

    def __init__(self, adjudicator: Adjudicator, cache: RulingCache) -> None:
        self._adjudicator = adjudicator
        self._cache = cache

    @property
    def name(self) -> str:
        """The adjudicator's name: remembering changes no rule."""
        return self._adjudicator.name

    def rule(self, questions: Sequence[Question]) -> tuple[Ruling, ...]:
        """Rule on each question, in input order; equal questions of a batch are asked once."""
        keys = [question_digest(question) for question in questions]
        known = {key: ruling for key in dict.fromkeys(keys) if (ruling := self._got(key)) is not None}
        new = {key: question for key, question in zip(keys, questions, strict=True) if key not in known}
        for key, ruling in zip(new, self._adjudicator.rule(list(new.values())) if new else (), strict=True):
            known[key] = ruling
            if ruling.failure is None and not ruling.cached:
                self._put(key, ruling)
        first: set[str] = set(new)
        rulings = []
        for key in keys:
            rulings.append(known[key] if key in first else _remembered(known[key]))
            first.discard(key)
        return tuple(rulings)

    def _got(self, key: str) -> Ruling | None:
        try:
            return self._cache.get(key, self.name)
        except StoreError as failed:
            _log.warning("adjudicator.cache_failed %s: %s", self.name, type(failed).__name__)
            return None

    def _put(self, key: str, ruling: Ruling) -> None:
        try:
            self._cache.put(key, self.name, ruling)
        except StoreError as failed:
            _log.warning("adjudicator.cache_failed %s: %s", self.name, type(failed).__name__)


def _remembered(ruling: Ruling) -> Ruling:
    return replace(ruling, cached=ruling.failure is None, duration_ms=0, n_tokens=0, cost=0.0)


class Budget(Protocol):
    """What one organisation may spend on rulings a day."""

    def spend(self, day: date, n: int, cost: float) -> bool:
        """Take n rulings and a cost in US dollars from a day's budget.

        With n = 0 the cost of what was already ruled is noted, whatever is left. Otherwise nothing is taken if n
        rulings are more than are left, or if the day's cost has reached its limit.

        Returns:
            Whether it was taken.

        Raises:
            StoreError: it cannot be told.
        """
        ...


class MemoryBudget:
    """A budget that lasts as long as its process; None is no limit."""

    def __init__(self, most_rulings: int | None = None, most_cost: float | None = None) -> None:
        self._most_rulings = most_rulings
        self._most_cost = most_cost
        self._lock = Lock()
        self._day: date | None = None
        self._n = 0
        self._cost = 0.0

    def spend(self, day: date, n: int, cost: float) -> bool:
        """Take n rulings and a cost from a day's budget; see `Budget`."""
        with self._lock:
            if day != self._day:
                self._day, self._n, self._cost = day, 0, 0.0
            over = self._most_rulings is not None and self._n + n > self._most_rulings
            over = over or (self._most_cost is not None and self._cost >= self._most_cost)
            if n and over:
                return False
            self._n += n
            self._cost += cost
            return True


class Budgeted:
    """Asks an adjudicator as long as the day's budget lasts; then every ruling fails without a call.

    The cost of a batch is known when it has been ruled on, so that the last one of a day may exceed the limit of
    cost; that of rulings is never exceeded. Days are those of UTC. A budget that cannot be read is spent.
    """

    def __init__(self, adjudicator: Adjudicator, budget: Budget, clock: Clock) -> None:
        self._adjudicator = adjudicator
        self._budget = budget
        self._clock = clock

    @property
    def name(self) -> str:
        """The adjudicator's name: a budget changes no rule."""
        return self._adjudicator.name

    def rule(self, questions: Sequence[Question]) -> tuple[Ruling, ...]:
        """Rule on each question, in input order; the first of a batch are those that the budget still pays."""
        day = self._clock.now().date()
        n = next((n for n in range(len(questions)) if not self._spent(day, 1, 0.0)), len(questions))
        rulings = self._adjudicator.rule(questions[:n]) if n else ()
        cost = sum(ruling.cost for ruling in rulings)
        if cost:
            self._spent(day, 0, cost)
        unpaid = Ruling(Opinion.UNSURE, adjudicator=self.name, failure=Failure.BUDGET)
        return (*rulings, *[unpaid] * (len(questions) - n))

    def _spent(self, day: date, n: int, cost: float) -> bool:
        try:
            return self._budget.spend(day, n, cost)
        except StoreError as failed:
            _log.warning("adjudicator.budget_failed %s: %s", self.name, type(failed).__name__)
            return False


class Watched:
    """Warns when an adjudicator overrides similarity too often.

    An override clears a candidate at or above `duplicate_from`. Their share of the last rulings up there is looked
    at once `least` of them are known; the alarm is given once, and again only after the share has fallen.

    Args:
        duplicate_from: of the policy.
        share_from: share of overrides from which it warns.
        alarm: called with the share, beside the warning in the log.
    """

    def __init__(
        self,
        adjudicator: Adjudicator,
        duplicate_from: float,
        share_from: float = 0.5,
        last: int = 100,
        alarm: Callable[[float], None] | None = None,
    ) -> None:
        self._adjudicator = adjudicator
        self._duplicate_from = duplicate_from
        self._share_from = share_from
        self._overrides: deque[bool] = deque(maxlen=last)
        self._least = max(1, last // 5)
        self._alarm = alarm
        self._is_alarmed = False
        self._lock = Lock()

    @property
    def name(self) -> str:
        """The adjudicator's name: watching changes no rule."""
        return self._adjudicator.name

    def rule(self, questions: Sequence[Question]) -> tuple[Ruling, ...]:
        """Rule on each question, in input order."""
        rulings = self._adjudicator.rule(questions)
        with self._lock:
            share = self._noted(questions, rulings)
        if share is not None:
            _log.warning("adjudicator.overrides %s: %.2f of rulings clear above the threshold", self.name, share)
            if self._alarm is not None:
                self._alarm(share)
        return tuple(rulings)

    def _noted(self, questions: Sequence[Question], rulings: Sequence[Ruling]) -> float | None:
        """Note a batch; gives the share if it has just become too large."""
        for question, ruling in zip(questions, rulings, strict=True):
            is_above = question.shown[0].match.similarity >= self._duplicate_from
            if is_above and ruling.failure is None and not ruling.cached:
                self._overrides.append(ruling.opinion is Opinion.DISTINCT)
        if len(self._overrides) < self._least:
            return None
        share = sum(self._overrides) / len(self._overrides)
        was_alarmed, self._is_alarmed = self._is_alarmed, share >= self._share_from
        return share if self._is_alarmed and not was_alarmed else None
