"""The equivalence judge that the settings name, put together."""

from __future__ import annotations

from saidonce.adapters.judge import open_network
from saidonce.adjudication.equivalence import EquivalenceRule, StackedJudge, trees_of


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
