"""Adjudicators of pairs that similarity cannot decide: an auto-rater, a language model, a local judge, and chains.

In: questions, each a candidate with its nearest texts and their objections. Out: rulings, or failures with a reason.
May touch: `matching`, `foundation`; the auto-rater uses HTTP, the language model the port `Chat`.
Start reading: `model_judge.py`, `auto_rater.py`, `local_judge/judge.py`; `combined.py` chains them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from saidonce.adjudication.at_once import AtOnce
from saidonce.adjudication.circuit_breaker import CircuitBreaker
from saidonce.adjudication.combined import (
    Budget,
    Budgeted,
    Chain,
    MemoryBudget,
    MemoryCache,
    Priced,
    Remembering,
    RulingCache,
    Watched,
)
from saidonce.adjudication.model_judge import JudgeOptions, ModelJudge, Price

if TYPE_CHECKING:
    from saidonce.adjudication.auto_rater import AutoRater, RaterOptions

__all__ = [
    "AtOnce",
    "AutoRater",
    "Budget",
    "Budgeted",
    "Chain",
    "CircuitBreaker",
    "JudgeOptions",
    "MemoryBudget",
    "MemoryCache",
    "ModelJudge",
    "Price",
    "Priced",
    "RaterOptions",
    "Remembering",
    "RulingCache",
    "Watched",
]


def __getattr__(name: str) -> object:
    """Import the adjudicators that use HTTP on first access: most commands need no HTTP client, which is slow to load.

    Raises:
        AttributeError: the package has no attribute of that name.
    """
    if name not in ("AutoRater", "RaterOptions"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from saidonce.adjudication import auto_rater  # noqa: PLC0415  see above

    return getattr(auto_rater, name)
