"""Limit the number of concurrent calls of an adjudicator that several threads share."""

from __future__ import annotations

from collections.abc import Sequence
from threading import BoundedSemaphore

from saidonce.errors import SettingsError
from saidonce.foundation.model import Question, Ruling
from saidonce.foundation.ports import Adjudicator


class AtOnce:
    """Calls an adjudicator from a limited number of threads at once; waiting does not count towards its timeout.

    Raises:
        SettingsError: the number is below 1.
    """

    def __init__(self, adjudicator: Adjudicator, most: int) -> None:
        if most < 1:
            raise SettingsError("gate_rulings_at_once", most, "1 or more")
        self._adjudicator = adjudicator
        self._places = BoundedSemaphore(most)

    @property
    def name(self) -> str:
        """The adjudicator's name; the limit does not change rulings."""
        return self._adjudicator.name

    def rule(self, questions: Sequence[Question]) -> tuple[Ruling, ...]:
        """Rule on each question, in input order, as soon as a slot is free."""
        with self._places:
            return self._adjudicator.rule(questions)
