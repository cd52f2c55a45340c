"""Adapters: second opinions on what similarity cannot settle; each fails to no ruling."""

from saidonce.adjudicate.auto_rater import AutoRater, RaterOptions
from saidonce.adjudicate.breaker import Breaker
from saidonce.adjudicate.combined import (
    Budget,
    Budgeted,
    Chain,
    MemoryBudget,
    MemoryCache,
    Remembering,
    RulingCache,
    Watched,
)
from saidonce.adjudicate.model_judge import JudgeOptions, ModelJudge, Price

__all__ = [
    "AutoRater",
    "Breaker",
    "Budget",
    "Budgeted",
    "Chain",
    "JudgeOptions",
    "MemoryBudget",
    "MemoryCache",
    "ModelJudge",
    "Price",
    "RaterOptions",
    "Remembering",
    "RulingCache",
    "Watched",
]
