"""Flow: bring the pair table up to date: list the near texts of new ones, then compare the pairs that wait."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from saidonce.errors import ArtefactError
from saidonce.foundation.context import Context, Workers
from saidonce.foundation.model import PairRule, TextPair
from saidonce.foundation.ports import EquivalenceJudge
from saidonce.kb.pairs.comparison import candidate_of, compare_texts, with_accord
from saidonce.kb.pairs.near_texts import AT_ONCE, NearTexts
from saidonce.matching.agreement import Accord
from saidonce.matching.guards import tables_name

COMPARED_AT_ONCE = 64
"""Pairs whose answers are written together; so much work is lost with a killed process."""

FEWEST_FOR_WORKERS = 1_000
"""Waiting pairs from which it is worth starting other processes, which takes as long as comparing 300."""

_WRITES_AHEAD = 4
"""Parts of COMPARED_AT_ONCE pairs that are read for each worker, so that none waits for the database."""

OnStep = Callable[[str, int, int], None]
"""(what is done, how many are done, of how many)."""


@dataclass(frozen=True, slots=True)
class CaughtUp:
    """What a catching up did: texts that got their lists of near texts, and pairs that were compared."""

    n_listed: int
    n_compared: int


def rule_in_force(context: Context) -> PairRule:
    """Return who compares texts at present, and down to which similarity they are listed."""
    return rule_of(context, any(c.is_canonical for c in context.store.collections()))


def rule_of(context: Context, merges: bool) -> PairRule:
    """Return the rule of a base; texts are listed from the lowest similarity from which anything compares them.

    Args:
        context: wired ports.
        merges: whether the base has a canonical collection, whose texts are compared for merges too.
    """
    s = context.settings
    lowest = min(
        s.repeat_from, s.dedup_from, s.same_from, *([s.merge_investigate_from, s.merge_from] if merges else [])
    )
    # Beside a similarity of zero everything would be near everything.
    return PairRule(max(lowest, 0.05), tables_name(), context.judge.name if context.judge is not None else None)


def catch_up(
    context: Context, near_texts: NearTexts, most: int | None = None, on_step: OnStep | None = None
) -> CaughtUp:
    """List the near texts of all that wait, and compare pairs that wait; can be stopped and begun again at any time.

    Several processes may do so at once: what another has written meanwhile is read, and what was in doubt is done
    again.

    Args:
        context: wired ports.
        near_texts: cache of the texts' vectors.
        most: texts that are listed, and pairs that are compared, at most each; all by default.
        on_step: called after each part of the work.
    """
    step = on_step or (lambda _what, _done, _all: None)
    rule = rule_in_force(context)
    with near_texts.lock:
        n_listed = _list(context, near_texts, rule.similarity_from, most, step)
    return CaughtUp(n_listed, _compare(context, rule, most, step))


def _list(context: Context, near_texts: NearTexts, similarity_from: float, most: int | None, on_step: OnStep) -> int:
    pairs = context.store.pairs
    n_done = 0
    before: tuple[str, ...] | None = None
    while True:
        step, waiting = pairs.unlisted(near_texts.model, similarity_from)
        if not waiting or waiting == before or n_done == most:
            return n_done
        before = waiting
        near_texts.catch_up(context.store)
        near_texts.stand(step, waiting, similarity_from, pairs.full)
        there = [name for name in waiting if name in near_texts][: None if most is None else most - n_done]
        for at in range(0, len(there), AT_ONCE):
            owners = there[at : at + AT_ONCE]
            near = near_texts.near(owners, similarity_from)
            listed = pairs.put_lists(owners, near, similarity_from, step)
            if listed is None:  # Somebody else lists too.
                before = None
                break
            step = listed.step
            near_texts.written(owners, listed, similarity_from)
            n_done += len(owners)
            on_step("listing near texts", n_done, n_done + len(there) - at - len(owners))


def _compare(context: Context, rule: PairRule, most: int | None, on_step: OnStep) -> int:
    pairs = context.store.pairs
    if most == 0 or not (waiting := pairs.unjudged(rule, _next(most, 0, 1))):
        return 0
    n_done, n_all = 0, pairs.counts(rule).n_unjudged
    n_all = n_all if most is None else min(n_all, most)
    workers = context.workers
    if workers is not None and n_all < FEWEST_FOR_WORKERS and not workers.engine.is_running:
        workers = None
    size = 1 if workers is None else workers.engine.n_workers * _WRITES_AHEAD
    while waiting:
        words = pairs.texts([name for pair in waiting for name in (pair.a, pair.b)])
        there = [pair for pair in waiting if pair.a in words and pair.b in words]
        for answered in _answers(context, workers, there, words):
            pairs.put_answers([with_accord(p, accord, rule) for p, accord in answered])
            n_done += len(answered)
            on_step("comparing pairs", n_done, max(n_all, n_done))
        waiting = pairs.unjudged(rule, limit) if (limit := _next(most, n_done, size)) and there else ()
    return n_done


def _answers(
    context: Context, workers: Workers | None, waiting: Sequence[TextPair], words: Mapping[str, str]
) -> Iterator[list[tuple[TextPair, Accord]]]:
    """Yield pairs that are compared, in their order, as many together as are written together."""
    judge = context.judge
    open_judge = workers.open_judge if workers is not None else lambda: judge
    name = judge.name if judge is not None else None
    parts = [waiting[at : at + COMPARED_AT_ONCE] for at in range(0, len(waiting), COMPARED_AT_ONCE)]
    tasks = [_Comparison(tuple((p.a, words[p.a], p.b, words[p.b]) for p in part), open_judge, name) for part in parts]
    done = workers.engine.run(tasks) if workers is not None else (task() for task in tasks)
    for part, accords in zip(parts, done, strict=True):
        yield list(zip(part, accords, strict=True))


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Pairs of texts by their names and words, to be compared here or in another process.

    Attributes:
        judge: name of the judge that has to answer.
    """

    pairs: tuple[tuple[str, str, str, str], ...]
    open_judge: Callable[[], EquivalenceJudge | None]
    judge: str | None

    def __call__(self) -> list[Accord]:
        """Compare them; return their accords in order.

        Raises:
            ArtefactError: the judge's files were replaced since it was opened.
        """
        judge = self.open_judge()
        if (judge.name if judge is not None else None) != self.judge:
            raise ArtefactError(self.judge or "none", "its files were replaced while texts were compared")
        return [compare_texts(candidate_of(a, x), candidate_of(b, y), judge) for a, x, b, y in self.pairs]


def _next(most: int | None, n_done: int, n_writes: int) -> int:
    at_once = COMPARED_AT_ONCE * n_writes
    return at_once if most is None else min(at_once, most - n_done)
