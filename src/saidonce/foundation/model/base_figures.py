"""Noun: one number about what an organisation's base holds, for the figures that operators watch."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BaseFigure:
    """A number about an organisation, as its database knows it, whichever program brought it about.

    Attributes:
        name: what is counted:
            documents by format; segments; blocks; max_boost, the highest relative salience boost of a block;
            counter, the running counters by their names; queue, open pairs by why they wait; queue_oldest_s, seconds
            since the oldest of them; syncs, sources by how their last run ended (new, ok, refused, failed);
            syncs_late_s, seconds by which the longest due source is late; verdicts of gates by state or reason;
            conversations, waiting for an answer of ours or quiet; issues by state.
        part: which of them; empty where there is only one.
    """

    org: str
    name: str
    part: str
    n: float
