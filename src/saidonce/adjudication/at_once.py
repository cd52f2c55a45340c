"""An adjudicator that several threads share, and that is asked by some of them only at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from threading import BoundedSemaphore

from saidonce.errors import SettingsError
from saidonce.foundation.model import Question, Ruling
from saidonce.foundation.ports import Adjudicator


class AtOnce:
    """Asks an adjudicator from so many threads at once, at most; the others wait, and their time has not begun.

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
        """The adjudicator's name: waiting changes no rule."""
        return self._adjudicator.name

    def rule(self, questions: Sequence[Question]) -> tuple[Ruling, ...]:
        """Rule on each question, in input order, once there is a place."""
        with self._places:
            return self._adjudicator.rule(questions)
