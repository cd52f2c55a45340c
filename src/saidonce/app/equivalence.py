"""The equivalence judge that the settings name, put together."""

from __future__ import annotations

from functools import lru_cache, partial

from saidonce.adapters.judge import open_network
from saidonce.adjudication.equivalence import EquivalenceRule, StackedJudge, trees_of
from saidonce.foundation.context import Workers
from saidonce.foundation.settings.policy import Settings


def open_judge(choice: str, threads: int = 1) -> StackedJudge | None:
    """Open the equivalence judge that the settings name; its files are checked, the network is not loaded yet.

    Args:
        choice: `auto` for the installed distribution, `none`, or the folder of a judge.
        threads: pairs judged at once.

    Returns:
        None for `none`, and for `auto` where `saidonce-judge` is not installed.

    Raises:
        ArtefactError: the judge's files are absent, altered, or of another version.
    """
    network = open_network(choice, threads)
    if network is None:
        return None
    c = network.card
    rule = EquivalenceRule(c.network, c.likeness, c.offset, c.same_from, c.certain_from, c.margin, c.languages)
    return StackedJudge(network, trees_of(choice, network.trees()), rule)


@lru_cache(maxsize=1)
def _judge_here(choice: str) -> StackedJudge | None:
    """Open a judge once in a process."""
    return open_judge(choice)


def workers_of(settings: Settings) -> Workers | None:
    """Return the processes that compare texts, which start when they are needed; None if this one does alone."""
    from saidonce.foundation.workers import LocalEngine, n_cores  # noqa: PLC0415 - heavy

    n_workers = settings.pair_workers or n_cores()
    return Workers(LocalEngine(n_workers), partial(_judge_here, settings.judge)) if n_workers > 1 else None
