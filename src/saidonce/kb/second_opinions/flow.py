"""The flow of second opinions: open pairs are examined, asked about, and settled if allowed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from saidonce.foundation.context import Context
from saidonce.foundation.model import (
    AWAY,
    Decision,
    Failure,
    GrayMode,
    Opinion,
    Question,
    Ruling,
    SecondOpinion,
    Verb,
    gray_modes,
)
from saidonce.foundation.ports import Adjudicator, QueueFilter
from saidonce.kb.canonical import OpenPair, load_open_pairs, questions
from saidonce.kb.second_opinions.settlement import may_settle, settle_flag
from saidonce.matching.fail_closed import rulings_on

PAGE = 200
BATCH = 16
"""Questions asked at once, and stored together: a crash may lose as many."""

WAITS = tuple(timedelta(minutes=m) for m in (1, 2, 4, 8, 16, 32, 64, 128, 256, 360))
"""Wait after each further failure in a row on the same texts; the last one repeats."""


@dataclass(frozen=True, slots=True)
class OpinionOptions:
    """Options of a run.

    Attributes:
        collections: only these; by default all whose mode asks.
        again: retry pairs whose last opinion failed at once, without waiting.
        most: most pairs to ask about; 0 does not limit.
        on_opinion, on_settled: called with each opinion, and each decision that follows from one.
    """

    collections: tuple[str, ...] = ()
    again: bool = False
    most: int = 0
    on_opinion: Callable[[SecondOpinion], None] = field(default=lambda _opinion: None)
    on_settled: Callable[[Decision], None] = field(default=lambda _decision: None)


@dataclass(frozen=True, slots=True)
class OpineReport:
    """Outcome of a run.

    Attributes:
        n_open: open pairs examined.
        outcomes: stored opinions by outcome: the opinion, or the reason for having none.
        n_merged, n_dismissed: pairs settled by an opinion.
        stopped: reason for stopping early; None if all due pairs were asked about.
        again_at: next time that a failed pair is due; None without failures.
    """

    n_open: int
    outcomes: Mapping[str, int]
    n_merged: int
    n_dismissed: int
    stopped: Failure | None
    again_at: datetime | None

    @property
    def n_asked(self) -> int:
        """Pairs with an opinion or a failure stored by this run."""
        return sum(self.outcomes.values())

    @property
    def wrote(self) -> bool:
        """Return whether anything was written."""
        return bool(self.n_asked or self.n_merged or self.n_dismissed)


@dataclass(slots=True)
class _Run:
    """State of a run."""

    context: Context
    adjudicator: Adjudicator
    options: OpinionOptions
    n_open: int = 0
    n_asked: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    verbs: Counter[Verb] = field(default_factory=Counter)
    stopped: Failure | None = None
    again_at: datetime | None = None


def ask_second_opinions(
    context: Context, adjudicator: Adjudicator, options: OpinionOptions | None = None
) -> OpineReport:
    """Ask for opinions on open pairs without one, and settle pairs where that is allowed.

    No lock is held during a question. An opinion belongs to the texts of its question: a pair is asked about again
    after a change of a text or of the adjudicator. Each batch is stored at once, so that the next run continues an
    interrupted one; of two concurrent runs, the slower one's opinion is discarded. A pair whose opinion fails waits
    longer each time; when a whole batch fails because the adjudicator is unavailable, the run stops asking.

    Args:
        context: wired ports.
        adjudicator: trusted with nothing; see `outcome`.
        options: limits and callbacks of this run.
    """
    run = _Run(context, adjudicator, options or OpinionOptions())
    modes = gray_modes(context.settings.gray_zone)
    for collection in context.store.collections():
        is_selected = not run.options.collections or collection.name in run.options.collections
        if collection.is_canonical and is_selected and modes.of(collection.name) is not GrayMode.PEOPLE:
            _walk(run, collection.name)
    outcomes = dict(sorted(run.outcomes.items()))
    return OpineReport(run.n_open, outcomes, run.verbs[Verb.MERGE], run.verbs[Verb.DISMISS], run.stopped, run.again_at)


def _walk(run: _Run, collection: str) -> None:
    for page in _pages(run.context, collection):
        run.n_open += len(page)
        latest = run.context.store.opinions.latest([d.flag.seq for d in page])
        due = [d for d in page if _is_due(run, d, latest.get(d.flag.seq))]
        for start in range(0, len(due), BATCH):
            left = run.options.most - run.n_asked if run.options.most else BATCH
            if run.stopped is None and left > 0:
                latest |= _ask(run, due[start : start + min(left, BATCH)], latest)
        for pair in page:
            opinion = latest.get(pair.flag.seq)
            if opinion is not None and _is_on(run, pair, opinion) and may_settle(run.context, collection, opinion):
                _settle(run, opinion)


def _pages(context: Context, collection: str) -> Iterator[tuple[OpenPair, ...]]:
    after: tuple[float, int] | None = None
    while flags := context.store.ledger.queue(QueueFilter((collection,)), after, PAGE):
        after = (flags[-1].worth, flags[-1].seq)
        yield load_open_pairs(context, flags)


def _settle(run: _Run, opinion: SecondOpinion) -> None:
    decision = settle_flag(run.context, opinion)
    if decision is not None:
        run.verbs[decision.verb] += 1
        run.options.on_settled(decision)


def _is_due(run: _Run, pair: OpenPair, last: SecondOpinion | None) -> bool:
    if last is None or not _is_on(run, pair, last):
        return True
    if last.is_stated:
        return False
    if run.options.again or run.context.clock.now() >= _due_at(last):
        return True
    _wait_for(run, last)
    return False


def _is_on(run: _Run, pair: OpenPair, opinion: SecondOpinion) -> bool:
    """Return whether an opinion is by the adjudicator of this run and about the present texts."""
    return (opinion.texts, opinion.adjudicator) == (pair.texts, run.adjudicator.name)


def _due_at(failed: SecondOpinion) -> datetime:
    return failed.at + WAITS[min(failed.n_failed, len(WAITS)) - 1]


def _wait_for(run: _Run, failed: SecondOpinion) -> None:
    run.again_at = min(_due_at(failed), run.again_at or _due_at(failed))


def _ask(run: _Run, pairs: Sequence[OpenPair], latest: Mapping[int, SecondOpinion]) -> dict[int, SecondOpinion]:
    """Ask about some pairs and store the opinions; return those by flag, or the ones that another run stored first."""
    context, name = run.context, run.adjudicator.name
    batch = questions(context, pairs)
    run.n_asked += len(batch)
    rulings = [_check_ruling(r, q) for r, q in zip(rulings_on(run.adjudicator, batch), batch, strict=True)]
    with context.store.ledger.exclusive():
        now = context.store.opinions.latest([d.flag.seq for d in pairs])
        fresh = [
            _opinion(pair, name, ruling, now.get(pair.flag.seq), context.clock.now())
            for pair, ruling in zip(pairs, rulings, strict=True)
            if _seq(now.get(pair.flag.seq)) == _seq(latest.get(pair.flag.seq))
        ]
        added = context.store.opinions.add(fresh)
    for opinion in added:
        run.outcomes[opinion.outcome] += 1
        run.options.on_opinion(opinion)
        if not opinion.is_stated:
            _wait_for(run, opinion)
    if all(r.failure in AWAY for r in rulings):
        run.stopped = rulings[-1].failure
    return {**now, **{o.flag: o for o in added}}


def _seq(opinion: SecondOpinion | None) -> int:
    return opinion.seq if opinion is not None else 0


def _check_ruling(ruling: Ruling, question: Question) -> Ruling:
    """Return the ruling, or a failure if it names a match that was not shown."""
    if ruling.opinion is not Opinion.DUPLICATE or ruling.of in {s.match.id for s in question.shown}:
        return ruling
    reason = "the ruling names a match that was not shown"
    return replace(
        ruling,
        opinion=Opinion.UNSURE,
        of="",
        reason=reason,
        failure=Failure.MALFORMED,
        probability=None,
        confidence=0.0,
    )


def _opinion(
    pair: OpenPair, adjudicator: str, ruling: Ruling, before: SecondOpinion | None, now: datetime
) -> SecondOpinion:
    is_same = before is not None and (before.texts, before.adjudicator) == (pair.texts, adjudicator)
    n_before = before.n_failed if before is not None and is_same else 0
    n_failed = n_before + 1 if ruling.failure is not None else 0
    return SecondOpinion(pair.flag.seq, pair.texts, adjudicator, ruling, now, n_failed)
