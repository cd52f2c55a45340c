"""Adjudicators for tests: they implement the port, and say what a test has them say."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from saidonce.foundation.model import Failure, Opinion, Question, Ruling

Says = Callable[[Question], Ruling]


def distinct(_question: Question) -> Ruling:
    return Ruling(Opinion.DISTINCT, reason="another thing", confidence=0.9, adjudicator="scripted", cost=0.001)


def duplicate(question: Question) -> Ruling:
    return Ruling(Opinion.DUPLICATE, question.shown[0].match.id, "the same", 0.9, "scripted", 12, 40, 0.001)


def unsure(_question: Question) -> Ruling:
    return Ruling(Opinion.UNSURE, reason="who knows", adjudicator="scripted")


def failing(failure: Failure) -> Says:
    return lambda _question: Ruling(Opinion.UNSURE, reason="gone", adjudicator="scripted", failure=failure)


class Judge:
    """Rules as it is told; remembers what it was asked."""

    def __init__(self, says: Says = distinct, meanwhile: Callable[[], object] = lambda: None) -> None:
        self.says = says
        self.meanwhile = meanwhile
        self.asked: list[Question] = []
        self.batches: list[int] = []
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        return "scripted"

    def rule(self, questions: Sequence[Question]) -> tuple[Ruling, ...]:
        with self._lock:
            self.asked.extend(questions)
            self.batches.append(len(questions))
        rulings = tuple(self.says(question) for question in questions)
        self.meanwhile()
        return rulings


class DyingJudge(Judge):
    """Dies after so many rulings, in the middle of a batch."""

    def __init__(self, after: int, error: BaseException) -> None:
        super().__init__(self._say)
        self._left = after
        self._error = error

    def _say(self, question: Question) -> Ruling:
        with self._lock:
            if self._left == 0:
                raise self._error
            self._left -= 1
        return distinct(question)
