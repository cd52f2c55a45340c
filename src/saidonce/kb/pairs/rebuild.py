"""Flow: drop the pair table and make it again, and tell whether it came out the same."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from saidonce.foundation.context import Context
from saidonce.foundation.model import PairCounts
from saidonce.kb.pairs.catch_up import OnStep, catch_up, rule_in_force
from saidonce.kb.pairs.near_texts import NearTexts


@dataclass(frozen=True, slots=True)
class PairRebuild:
    """Outcome of a rebuild of the pair table.

    Attributes:
        counts: afterwards.
        is_same: whether every pair is as it was; None if the table had not caught up before.
    """

    counts: PairCounts
    is_same: bool | None


def rebuild_pairs(context: Context, near_texts: NearTexts, on_step: OnStep | None = None) -> PairRebuild:
    """Drop all pairs, list and compare them again; one that is stopped goes on as any catching up.

    What is written to the base meanwhile may show as a difference.
    """
    pairs, rule = context.store.pairs, rule_in_force(context)
    before = None if pairs.counts(rule).n_waiting else _digest(context)
    pairs.drop()
    catch_up(context, near_texts, on_step=on_step)
    return PairRebuild(pairs.counts(rule), None if before is None else before == _digest(context))


def _digest(context: Context) -> str:
    """Name everything in the table; equal tables have equal names."""
    state = hashlib.sha256()
    for batch in context.store.pairs.listed():
        for pair in batch:
            state.update(repr(pair).encode("utf-8", "surrogatepass"))
    return state.hexdigest()
