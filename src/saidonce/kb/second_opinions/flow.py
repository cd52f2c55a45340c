"""The corridor of second opinions: what waits is looked at, asked about, and perhaps settled."""

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
from saidonce.kb.canonical import OpenPair, doubts, questions
from saidonce.kb.second_opinions.settlement import may_settle, settle_by
from saidonce.matching.fail_closed import rulings_on

PAGE = 200
BATCH = 16
"""Questions that are asked at once, and whose answers are written down together: as many may be lost by a crash."""

WAITS = tuple(timedelta(minutes=m) for m in (1, 2, 4, 8, 16, 32, 64, 128, 256, 360))
"""Wait after so many failures in a row on the same texts; after more of them as long as after the last."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants of a run.

    Attributes:
        collections: only these; all whose mode asks by default.
        again: ask at once about pairs whose last opinion failed, without waiting.
        most: ask about so many pairs at most; 0 does not limit.
        on_opinion, on_settled: told of each opinion, and of each decision that one brought about.
    """

    collections: tuple[str, ...] = ()
    again: bool = False
    most: int = 0
    on_opinion: Callable[[SecondOpinion], None] = field(default=lambda _opinion: None)
    on_settled: Callable[[Decision], None] = field(default=lambda _decision: None)


@dataclass(frozen=True, slots=True)
class OpineReport:
    """What a run did.

    Attributes:
        n_open: open pairs that were looked at.
        outcomes: opinions that were written down, by outcome: what they say, or why there is none.
        n_merged, n_dismissed: pairs that an opinion settled.
        stopped: why nobody was asked any more; None if all were asked that were due.
        again_at: when a pair whose opinion failed is due again; None if none failed.
    """

    n_open: int
    outcomes: Mapping[str, int]
    n_merged: int
    n_dismissed: int
    stopped: Failure | None
    again_at: datetime | None

    @property
    def n_asked(self) -> int:
        """Pairs about which an opinion was written down, or a failure."""
        return sum(self.outcomes.values())

    @property
    def wrote(self) -> bool:
        """Whether anything was written."""
        return bool(self.n_asked or self.n_merged or self.n_dismissed)


@dataclass(slots=True)
class _Run:
    """A run as it goes on."""

    base: Context
    adjudicator: Adjudicator
    wish: Wish
    n_open: int = 0
    n_asked: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    verbs: Counter[Verb] = field(default_factory=Counter)
    stopped: Failure | None = None
    again_at: datetime | None = None


def opine(context: Context, adjudicator: Adjudicator, wish: Wish | None = None) -> OpineReport:
    """Ask for opinions on open pairs that lack one, and let those settle that may.

    No lock is held while somebody is asked. An opinion belongs to the texts it was asked about: it is asked again when
    one changes, or when another adjudicator is set. Each batch is written down at once, so that a run that is broken
    off goes on where it was; of two at the same time the slower one's opinion is not written down. A pair whose
    opinion fails waits longer each time; when a whole batch fails because the adjudicator is away, the run asks no
    more.

    Args:
        base: wired ports.
        adjudicator: trusted with nothing; see `outcome`.
        wish: what is wanted of this run.
    """
    run = _Run(context, adjudicator, wish or Wish())
    modes = gray_modes(context.settings.gray_zone)
    for collection in context.store.collections():
        is_wanted = not run.wish.collections or collection.name in run.wish.collections
        if collection.is_canonical and is_wanted and modes.of(collection.name) is not GrayMode.PEOPLE:
            _walk(run, collection.name)
    outcomes = dict(sorted(run.outcomes.items()))
    return OpineReport(run.n_open, outcomes, run.verbs[Verb.MERGE], run.verbs[Verb.DISMISS], run.stopped, run.again_at)


def _walk(run: _Run, collection: str) -> None:
    for page in _pages(run.base, collection):
        run.n_open += len(page)
        latest = run.base.store.opinions.latest([d.flag.seq for d in page])
        due = [d for d in page if _is_due(run, d, latest.get(d.flag.seq))]
        for start in range(0, len(due), BATCH):
            left = run.wish.most - run.n_asked if run.wish.most else BATCH
            if run.stopped is None and left > 0:
                latest |= _asked(run, due[start : start + min(left, BATCH)], latest)
        for doubt in page:
            opinion = latest.get(doubt.flag.seq)
            if opinion is not None and _is_on(run, doubt, opinion) and may_settle(run.base, collection, opinion):
                _settle(run, opinion)


def _pages(context: Context, collection: str) -> Iterator[tuple[OpenPair, ...]]:
    after: tuple[float, int] | None = None
    while flags := context.store.ledger.queue(QueueFilter((collection,)), after, PAGE):
        after = (flags[-1].worth, flags[-1].seq)
        yield doubts(context, flags)


def _settle(run: _Run, opinion: SecondOpinion) -> None:
    decision = settle_by(run.base, opinion)
    if decision is not None:
        run.verbs[decision.verb] += 1
        run.wish.on_settled(decision)


def _is_due(run: _Run, doubt: OpenPair, last: SecondOpinion | None) -> bool:
    if last is None or not _is_on(run, doubt, last):
        return True
    if last.is_given:
        return False
    if run.wish.again or run.base.clock.now() >= _due_at(last):
        return True
    _wait_for(run, last)
    return False


def _is_on(run: _Run, doubt: OpenPair, opinion: SecondOpinion) -> bool:
    """Whether an opinion is of the adjudicator of this run, on the texts as they stand."""
    return (opinion.texts, opinion.adjudicator) == (doubt.texts, run.adjudicator.name)


def _due_at(failed: SecondOpinion) -> datetime:
    return failed.at + WAITS[min(failed.n_failed, len(WAITS)) - 1]


def _wait_for(run: _Run, failed: SecondOpinion) -> None:
    run.again_at = min(_due_at(failed), run.again_at or _due_at(failed))


def _asked(run: _Run, asked: Sequence[OpenPair], latest: Mapping[int, SecondOpinion]) -> dict[int, SecondOpinion]:
    """Ask about some pairs, and write down what was said; give it by flag, or what another was faster to write."""
    base, name = run.base, run.adjudicator.name
    put = questions(base, asked)
    run.n_asked += len(put)
    rulings = [_naming(r, q) for r, q in zip(rulings_on(run.adjudicator, put), put, strict=True)]
    with base.store.ledger.exclusive():
        now = base.store.opinions.latest([d.flag.seq for d in asked])
        fresh = [
            _opinion(doubt, name, ruling, now.get(doubt.flag.seq), base.clock.now())
            for doubt, ruling in zip(asked, rulings, strict=True)
            if _seq(now.get(doubt.flag.seq)) == _seq(latest.get(doubt.flag.seq))
        ]
        added = base.store.opinions.add(fresh)
    for opinion in added:
        run.outcomes[opinion.outcome] += 1
        run.wish.on_opinion(opinion)
        if not opinion.is_given:
            _wait_for(run, opinion)
    if all(r.failure in AWAY for r in rulings):
        run.stopped = rulings[-1].failure
    return {**now, **{o.flag: o for o in added}}


def _seq(opinion: SecondOpinion | None) -> int:
    return opinion.seq if opinion is not None else 0


def _naming(ruling: Ruling, question: Question) -> Ruling:
    """The ruling, if it names a match that was shown where it must; else it is none."""
    if ruling.opinion is not Opinion.DUPLICATE or ruling.of in {s.match.id for s in question.shown}:
        return ruling
    said = "the ruling names a match that was not shown"
    return replace(
        ruling, opinion=Opinion.UNSURE, of="", reason=said, failure=Failure.MALFORMED, probability=None, confidence=0.0
    )


def _opinion(
    doubt: OpenPair, adjudicator: str, ruling: Ruling, before: SecondOpinion | None, now: datetime
) -> SecondOpinion:
    is_same = before is not None and (before.texts, before.adjudicator) == (doubt.texts, adjudicator)
    n_before = before.n_failed if before is not None and is_same else 0
    n_failed = n_before + 1 if ruling.failure is not None else 0
    return SecondOpinion(doubt.flag.seq, doubt.texts, adjudicator, ruling, now, n_failed)
