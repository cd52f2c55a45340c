"""What a store keeps of second opinions, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from saidonce.adapters.postgres.clean import clean, clean_ruling
from saidonce.foundation.codec import ruling_from_json, ruling_to_json
from saidonce.foundation.model import SecondOpinion


@dataclass(frozen=True, slots=True)
class OpinionRow:
    """A second opinion; `ruling` is JSON, `outcome` and `likelihood` are what is counted and sorted by."""

    seq: int
    flag: int
    texts: str
    adjudicator: str
    outcome: str
    likelihood: float | None
    n_failed: int
    ruling: str
    at: datetime


def opinion_row(opinion: SecondOpinion, seq: int) -> OpinionRow:
    """Give an opinion as its row."""
    likelihood = opinion.likelihood
    return OpinionRow(
        seq, opinion.flag, clean(opinion.texts), clean(opinion.adjudicator), opinion.outcome,
        float(likelihood) if likelihood is not None else None, opinion.n_failed,
        ruling_to_json(clean_ruling(opinion.ruling)), opinion.at.astimezone(UTC),
    )  # fmt: skip


def opinion_of(values: Sequence[Any]) -> SecondOpinion:
    """Put an opinion together from seq, flag, texts, adjudicator, ruling, failures and moment."""
    seq, flag, texts, adjudicator, ruling, n_failed, at = values
    return SecondOpinion(flag, texts, adjudicator, ruling_from_json(ruling), at.astimezone(UTC), n_failed, seq)


def read_opinion(values: Sequence[Any]) -> OpinionRow:
    """Put an opinion's row together."""
    seq, flag, texts, adjudicator, outcome, likelihood, n_failed, ruling, at = values
    return OpinionRow(seq, flag, texts, adjudicator, outcome, likelihood, n_failed, ruling, at.astimezone(UTC))
