"""Adjudicators that wrap others: chained, cached, budgeted, priced and monitored."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import replace
from datetime import date
from threading import Lock
from typing import Protocol

from saidonce.errors import SettingsError, StoreError
from saidonce.foundation.certificate import upper_bound
from saidonce.foundation.model import Failure, Opinion, Question, Ruling
from saidonce.foundation.ports import Adjudicator, Clock
from saidonce.matching.presentation import question_digest

REASON_CHARS = 1_000

_log = logging.getLogger("saidonce")


class Chain:
    """Asks one adjudicator after the other; the first opinion of duplicate or distinct settles a question.

    Unsure opinions and failures go on to the next. Tokens, cost and time of all calls add up, and the reason lists
    each adjudicator's opinion.
    """

    def __init__(self, adjudicators: Sequence[Adjudicator]) -> None:
        if not adjudicators:
            raise SettingsError("adjudicators", (), "one or more")
        self._adjudicators = tuple(adjudicators)

    @property
    def name(self) -> str:
        """All names, in the order of the calls."""
        return " > ".join(adjudicator.name for adjudicator in self._adjudicators)

    def rule(self, questions: Sequence[Question]) -> tuple[Ruling, ...]:
        """Rule on each question, in input order; an unsettled one ends with the last ruling."""
        so_far: list[list[Ruling]] = [[] for _ in questions]
        for adjudicator in self._adjudicators:
            still = [n for n, rulings in enumerate(so_far) if not rulings or not _settles(rulings[-1])]
            if not still:
                break
            for n, ruling in zip(still, adjudicator.rule([questions[n] for n in still]), strict=True):
                so_far[n].append(ruling)
        return tuple(_summed(rulings) for rulings in so_far)


def _settles(ruling: Ruling) -> bool:
    return ruling.failure is None and ruling.opinion is not Opinion.UNSURE


def _summed(rulings: Sequence[Ruling]) -> Ruling:
    last = rulings[-1]
    opinions = [f"{r.adjudicator}: {r.failure or r.opinion}{f' ({r.reason})' if r.reason else ''}" for r in rulings]
    return replace(
        last,
        reason=" > ".join(opinions)[:REASON_CHARS] if len(rulings) > 1 else last.reason,
        duration_ms=sum(r.duration_ms for r in rulings),
        n_tokens=sum(r.n_tokens for r in rulings),
        cost=sum(r.cost for r in rulings),
        probability=_probability(rulings),
    )


def _probability(rulings: Sequence[Ruling]) -> float | None:
    """Return the probability of the settling ruling, or else the first known one."""
    last = rulings[-1]
    return (
        last.probability
        if _settles(last)
        else next((r.probability for r in rulings if r.probability is not None), None)
    )


class RulingCache(Protocol):
    """Rulings by a key of 32 hex digits and the adjudicator's name; it may evict any of them."""

    def get(self, key: str, adjudicator: str) -> Ruling | None:
        """Return the ruling stored under a key for an adjudicator, or None.

        Raises:
            StoreError: the cache cannot be read.
        """
        ...

    def put(self, key: str, adjudicator: str, ruling: Ruling) -> None:
        """Store a ruling, in place of an earlier one.

        Raises:
            StoreError: the cache cannot be written.
        """
        ...


class MemoryCache:
    """A cache for the life of its process; the oldest rulings are evicted first."""

    def __init__(self, most: int = 100_000) -> None:
        self._most = most
        self._lock = Lock()
        self._rulings: MutableMapping[tuple[str, str], Ruling] = {}

    def get(self, key: str, adjudicator: str) -> Ruling | None:
        """Return the ruling stored under a key for an adjudicator, or None."""
        with self._lock:
            return self._rulings.get((key, adjudicator))

    def put(self, key: str, adjudicator: str, ruling: Ruling) -> None:
        """Store a ruling, in place of an earlier one."""
        with self._lock:
            self._rulings.pop((key, adjudicator), None)
            self._rulings[key, adjudicator] = ruling
            if len(self._rulings) > self._most:
                del self._rulings[next(iter(self._rulings))]


class Remembering:
    """A caching adjudicator: equal questions are ruled on once.

    The key is a hash of candidate and matches (texts, fields, ids, objections) and the adjudicator's
    name, with model, prompt version and options in it. Opinions are cached, "unsure" too; failures never. A cached
    ruling took no time and cost nothing. A failing cache is logged, and the adjudicator called.
    """

    def __init__(self, adjudicator: Adjudicator, cache: RulingCache) -> None:
        self._adjudicator = adjudicator
        self._cache = cache

    @property
    def name(self) -> str:
        """The adjudicator's name; caching does not change rulings."""
        return self._adjudicator.name

    def rule(self, questions: Sequence[Question]) -> tuple[Ruling, ...]:
        """Rule on each question, in input order; equal questions of a batch are asked once."""
        keys = [question_digest(question) for question in questions]
        cached = {key: ruling for key in dict.fromkeys(keys) if (ruling := self._cached(key)) is not None}
        new = {key: question for key, question in zip(keys, questions, strict=True) if key not in cached}
        for key, ruling in zip(new, self._adjudicator.rule(list(new.values())) if new else (), strict=True):
            cached[key] = ruling
            if ruling.failure is None and not ruling.cached:
                self._store(key, ruling)
        first: set[str] = set(new)
        rulings = []
        for key in keys:
            rulings.append(cached[key] if key in first else _remembered(cached[key]))
            first.discard(key)
        return tuple(rulings)

    def _cached(self, key: str) -> Ruling | None:
        try:
            return self._cache.get(key, self.name)
        except StoreError as failed:
            _log.warning("adjudicator.cache_failed %s: %s", self.name, type(failed).__name__)
            return None

    def _store(self, key: str, ruling: Ruling) -> None:
        try:
            self._cache.put(key, self.name, ruling)
        except StoreError as failed:
            _log.warning("adjudicator.cache_failed %s: %s", self.name, type(failed).__name__)


def _remembered(ruling: Ruling) -> Ruling:
    return replace(ruling, cached=ruling.failure is None, duration_ms=0, n_tokens=0, cost=0.0)


class Budget(Protocol):
    """An organisation's daily budget of rulings."""

    def spend(self, day: date, n: int, cost: float) -> bool:
        """Spend n rulings and a cost in US dollars of a day's budget.

        With n = 0 the cost of finished rulings is recorded in any case. Otherwise nothing is spent if fewer than n
        rulings are left, or if the day's cost has reached its limit.

        Returns:
            whether it was spent.

        Raises:
            StoreError: the budget cannot be read.
        """
        ...


class MemoryBudget:
    """A budget for the life of its process; None is no limit."""

    def __init__(self, most_rulings: int | None = None, most_cost: float | None = None) -> None:
        self._most_rulings = most_rulings
        self._most_cost = most_cost
        self._lock = Lock()
        self._day: date | None = None
        self._n = 0
        self._cost = 0.0

    def spend(self, day: date, n: int, cost: float) -> bool:
        """Spend n rulings and a cost of a day's budget; see `Budget`."""
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
    """Calls an adjudicator while the day's budget lasts; then every ruling fails without a call.

    The cost of a batch is known after its rulings, so that the last batch of a day may exceed the limit of cost; the
    limit of rulings is never exceeded. Days are those of UTC. An unreadable budget counts as spent.
    """

    def __init__(self, adjudicator: Adjudicator, budget: Budget, clock: Clock) -> None:
        self._adjudicator = adjudicator
        self._budget = budget
        self._clock = clock

    @property
    def name(self) -> str:
        """The adjudicator's name; a budget does not change rulings."""
        return self._adjudicator.name

    def rule(self, questions: Sequence[Question]) -> tuple[Ruling, ...]:
        """Rule on each question, in input order; when the budget runs out, the last of a batch fail."""
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


class Priced:
    """Charges a fixed price for each ruling of an adjudicator, in place of the cost that it reports.

    Cached rulings, and those never sent (an open circuit), cost nothing.
    """

    def __init__(self, adjudicator: Adjudicator, per_ruling: float) -> None:
        self._adjudicator = adjudicator
        self._per_ruling = per_ruling

    @property
    def name(self) -> str:
        """The adjudicator's name; a price does not change rulings."""
        return self._adjudicator.name

    def rule(self, questions: Sequence[Question]) -> tuple[Ruling, ...]:
        """Rule on each question, in input order."""
        rulings = self._adjudicator.rule(questions)
        return tuple(r if self._is_free(r) else replace(r, cost=self._per_ruling) for r in rulings)

    @staticmethod
    def _is_free(ruling: Ruling) -> bool:
        return ruling.cached or ruling.failure is Failure.CIRCUIT_OPEN


WRONG_AT_MOST = 0.2
"""Share of wrong clears up to which an adjudicator that overrides similarity often is right to do so."""


class Watched:
    """Warns if an adjudicator overrides similarity too often.

    An override clears a candidate at or above `duplicate_from`. Their share of the last rulings in that range is
    checked from a fifth of `last` rulings on; the alarm is raised once, and again only after the share has fallen.
    It is not raised for an adjudicator that is proven right: people's audits of a random share of its clears show with
    95 % confidence that at most `WRONG_AT_MOST` of them are wrong. Too few audits prove nothing and silence nothing.

    Args:
        duplicate_from: of the policy.
        share_from: share of overrides for a warning.
        last: rulings to look back at.
        alarm: called with the share, in addition to the warning in the log.
        audits: returns how many audited clears of the named adjudicators were right, and how many wrong.
    """

    def __init__(
        self,
        adjudicator: Adjudicator,
        duplicate_from: float,
        share_from: float = 0.5,
        last: int = 100,
        alarm: Callable[[float], None] | None = None,
        audits: Callable[[frozenset[str]], tuple[int, int]] = lambda _names: (0, 0),
    ) -> None:  # fmt: skip
        self._audits = audits
        self._judges: set[str] = set()
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
        """The adjudicator's name; monitoring does not change rulings."""
        return self._adjudicator.name

    def rule(self, questions: Sequence[Question]) -> tuple[Ruling, ...]:
        """Rule on each question, in input order."""
        rulings = self._adjudicator.rule(questions)
        with self._lock:
            share = self._new_alarm(questions, rulings)
        if share is not None and not self._is_right():
            self._is_alarmed = True
            _log.warning("adjudicator.overrides %s: %.2f of rulings clear above the threshold", self.name, share)
            if self._alarm is not None:
                self._alarm(share)
        return tuple(rulings)

    def _new_alarm(self, questions: Sequence[Question], rulings: Sequence[Ruling]) -> float | None:
        """Record a batch; return the share of overrides if it has just become too large."""
        for question, ruling in zip(questions, rulings, strict=True):
            is_above = question.shown[0].match.similarity >= self._duplicate_from
            if is_above and ruling.failure is None and not ruling.cached:
                self._overrides.append(ruling.opinion is Opinion.DISTINCT)
                self._judges.add(ruling.adjudicator)
        if len(self._overrides) < self._least:
            return None
        share = sum(self._overrides) / len(self._overrides)
        is_large = share >= self._share_from
        self._is_alarmed = self._is_alarmed and is_large
        return share if is_large and not self._is_alarmed else None

    def _is_right(self) -> bool:
        """Return whether people's audits confirm the clears."""
        try:
            n_right, n_wrong = self._audits(frozenset(self._judges))
        except StoreError as failed:
            _log.warning("adjudicator.audits_failed %s: %s", self.name, type(failed).__name__)
            return False
        n = n_right + n_wrong
        return n > 0 and upper_bound(n_wrong, n, 0.05) <= WRONG_AT_MOST
