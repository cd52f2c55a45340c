"""An adjudicator asked about several questions at once, by threads that end with whoever reads its rulings."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Thread

from saidonce.foundation.model import Question, Ruling
from saidonce.foundation.ports import Adjudicator
from saidonce.matching.fail_closed import rulings_on
from saidonce.matching.presentation import question_digest


@dataclass(frozen=True, slots=True)
class Pace:
    """How questions are put.

    Attributes:
        at_once: questions that are with the adjudicator at the same time, 1 or more.
        beat: called every `beat_s` seconds or so while rulings are awaited, such as to renew leases.
    """

    at_once: int = 1
    beat: Callable[[], None] = lambda: None
    beat_s: float = 20.0


@dataclass(slots=True)
class _RulingBatch:
    """Questions that wait, and rulings that were reached; threads of one reader share it."""

    adjudicator: Adjudicator
    waiting: deque[tuple[str, Question]]
    reached: SimpleQueue[tuple[str, Ruling | BaseException]] = field(default_factory=SimpleQueue)

    def work(self) -> None:
        """Have questions ruled on, one at a time, until none waits."""
        while True:
            try:
                name, question = self.waiting.popleft()
            except IndexError:
                return
            try:
                (ruling,) = rulings_on(self.adjudicator, [question])
            except BaseException as failed:  # noqa: BLE001  it ends the reader, as it would without threads
                self.waiting.clear()
                self.reached.put((name, failed))
                return
            self.reached.put((name, ruling))


def rulings_as_reached(
    adjudicator: Adjudicator, questions: Mapping[int, Question], pace: Pace
) -> Generator[tuple[int, Ruling], None, None]:
    """Ask each question separately, several concurrently, in order; yield rulings by position as they arrive.

    Equal questions are put once. Who stops reading puts no further ones. What is under way then goes on for as long as
    its process does: the adjudicator may still remember its ruling.
    """
    places: dict[str, list[int]] = {}
    for place, question in questions.items():
        places.setdefault(question_digest(question), []).append(place)
    waiting = deque((name, questions[own[0]]) for name, own in places.items())
    batch = _RulingBatch(adjudicator, waiting)
    for _ in range(min(max(1, pace.at_once), len(waiting))):
        # A program that is told to end does not wait for an adjudicator: what it has begun is noted by the adjudicator.
        Thread(target=batch.work, name="saidonce-judging", daemon=True).start()
    with closing(_read(batch, len(places), pace)) as rulings:
        for name, ruling in rulings:
            for place in places[name]:
                yield place, ruling


def _read(batch: _RulingBatch, n: int, pace: Pace) -> Generator[tuple[str, Ruling], None, None]:
    beat_at = time.monotonic() + pace.beat_s
    try:
        while n:
            if time.monotonic() >= beat_at:
                pace.beat()
                beat_at = time.monotonic() + pace.beat_s
            try:
                name, ruling = batch.reached.get(timeout=max(0.0, beat_at - time.monotonic()))
            except Empty:
                continue
            if isinstance(ruling, BaseException):
                raise ruling
            n -= 1
            yield name, ruling
    finally:
        batch.waiting.clear()
