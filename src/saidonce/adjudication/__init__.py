"""Adapters: second opinions on what similarity cannot settle; each fails to no ruling."""

from saidonce.adjudication.auto_rater import AutoRater, RaterOptions
from saidonce.adjudication.circuit_breaker import Breaker
from saidonce.adjudication.combined import (
    Budget,
    Budgeted,
    Chain,
    MemoryBudget,
    MemoryCache,
    Remembering,
    RulingCache,
    Watched,
)
from saidonce.adjudication.model_judge import JudgeOptions, ModelJudge, Price

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
