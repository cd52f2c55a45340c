"""Room: the decision ladder, one engine for every "have we this already?"."""

from saidonce.ladder.decide import RUNGS, ask, decide
from saidonce.ladder.greedy import keep_first
from saidonce.ladder.guards import STRUCTURAL_GUARDS
from saidonce.ladder.rung import Case, Finding, Guard, Rung

__all__ = ["RUNGS", "STRUCTURAL_GUARDS", "Case", "Finding", "Guard", "Rung", "ask", "decide", "keep_first"]
