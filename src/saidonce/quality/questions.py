"""Ask labelled questions of residents over a folder of documents, without a model, and grade the replies.

documents -> a base in memory; each question -> a separate conversation -> its replies and records -> grade
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from saidonce.errors import UsageError
from saidonce.foundation.context import Context, Source
from saidonce.foundation.model import Filters
from saidonce.foundation.model.conversation import Gathering, LandlordEvent
from saidonce.foundation.model.residents import (
    ChannelIdentity,
    Inbound,
    InboundKind,
    Property,
    Resident,
    Tenancy,
    Via,
)
from saidonce.foundation.ports import Embedder, Store
from saidonce.foundation.ports.conversations import Conversations, Passages
from saidonce.kb.ingest import ingest
from saidonce.kb.search import SearchIndex, SearchReport, search
from saidonce.quality.figures import Rate, rate
from saidonce.quality.playing import PHONE, ScenarioClock
from saidonce.repairs import conversation
from saidonce.repairs.conversation import ConversationDeps

QUESTIONS, DOCUMENTS, PROPERTIES = "questions.jsonl", "documents", "properties.json"
CITED = "answered: "
"""Beginning of the effect of a turn that quoted a document."""

_NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


class Grade(StrEnum):
    """The grade of a question; `alarm`: taken for a danger, `not_seen`: not recognised as a question."""

    RIGHT = "right"
    PARTLY = "partly"
    WRONG = "wrong"
    UNKNOWN_RIGHTLY = "unknown_rightly"
    UNKNOWN_WRONGLY = "unknown_wrongly"
    ALARM = "alarm"
    NOT_SEEN = "not_seen"


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question with the expected words of its answer.

    Attributes:
        answers: groups of words of the documents; a right reply has one of each group. Empty if no document answers.
        reports: the message also reports a repair.
        half: "tune" or "held".
    """

    question: str
    property: str
    answers: tuple[tuple[str, ...], ...]
    reports: bool = False
    half: str = ""


@dataclass(frozen=True, slots=True)
class GradedQuestion:
    """A question with its replies.

    Attributes:
        is_report_right: it was taken for a report exactly if it reports.
    """

    asked: LabelledQuestion
    grade: Grade
    replies: tuple[str, ...]
    is_report_right: bool


@dataclass(frozen=True, slots=True)
class QuestionsReport:
    """Graded questions of one folder."""

    graded: tuple[GradedQuestion, ...]

    def count(self, grade: Grade) -> int:
        """Return the number of questions of a grade."""
        return Counter(g.grade for g in self.graded)[grade]

    @property
    def answered_right(self) -> Rate:
        """Share answered right, of the questions that documents answer."""
        return rate(self.count(Grade.RIGHT), sum(bool(g.asked.answers) for g in self.graded))

    @property
    def unknown_rightly(self) -> Rate:
        """Share answered as unknown, of the questions that no document answers."""
        return rate(self.count(Grade.UNKNOWN_RIGHTLY), sum(not g.asked.answers for g in self.graded))

    @property
    def n_wrong(self) -> int:
        """Number of replies that quote words that do not answer."""
        return self.count(Grade.WRONG)

    @property
    def reports_right(self) -> Rate:
        """Share of all messages whose report was recognised correctly."""
        return rate(sum(g.is_report_right for g in self.graded), len(self.graded))


@dataclass(frozen=True, slots=True)
class SmallBase:
    """A knowledge base in memory."""

    context: Context
    index: SearchIndex

    @property
    def store(self) -> Store:
        """Its store."""
        return self.context.store

    @property
    def embedder(self) -> Embedder:
        """Its embedding model."""
        return self.context.embedder

    def search(self, query: str, filters: Filters | None = None, k: int | None = None) -> SearchReport:
        """Search it."""
        return search(self.context, self.index, query, filters or Filters(), k)


def read_labelled(folder: Path, half: str = "") -> tuple[LabelledQuestion, ...]:
    """Read the questions of a folder, of one half or all.

    Raises:
        UsageError: there are none, or a line is malformed.
    """
    path = folder / QUESTIONS
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        read = [
            LabelledQuestion(
                row["question"], row["property"], tuple(tuple(g) for g in row["answers"]),
                bool(row.get("reports")), row.get("half", ""),
            )
            for row in rows
        ]  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError) as bad:
        raise UsageError(f"{path} has no readable questions: {bad}") from bad
    return tuple(q for q in read if not half or q.half == half)


def small_base(context: Context, folder: Path) -> SmallBase:
    """Ingest a folder's documents: each folder in it is a collection.

    Raises:
        UsageError: there are none.
    """
    collections = sorted(d for d in (folder / DOCUMENTS).glob("*") if d.is_dir())
    if not collections:
        raise UsageError(f"{folder / DOCUMENTS} has no folders of documents, one for each collection")
    for collection in collections:
        files = sorted(f for f in collection.iterdir() if f.is_file())
        ingest(context, [Source(f.name, f.read_bytes) for f in files], collection.name)
    return SmallBase(context, SearchIndex(context.embedder.model, context.embedder.dim))


def buildings(folder: Path) -> Mapping[str, str]:
    """Return the names of the properties, by id; empty if the folder has none."""
    path = folder / PROPERTIES
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


def measure(
    asked: Sequence[LabelledQuestion],
    names: Mapping[str, str],
    new_store: Callable[[], Conversations],
    passages_of: Callable[[Conversations], Passages],
    advance: Callable[[int], None] = lambda _: None,
) -> QuestionsReport:
    """Ask each question in a separate conversation, and grade the replies and records."""
    graded = []
    for question in asked:
        graded.append(_graded(question, names, new_store(), passages_of))
        advance(1)
    return QuestionsReport(tuple(graded))


def _graded(
    one: LabelledQuestion,
    names: Mapping[str, str],
    store: Conversations,
    passages_of: Callable[[Conversations], Passages],
) -> GradedQuestion:
    clock = ScenarioClock(_NOON)
    for n, (property_id, name) in enumerate({**names, one.property: names.get(one.property, "")}.items()):
        phones = (PHONE,) if property_id == one.property else ()
        place = Property(property_id, f"{n + 1} Sample Street", "Flat 2", name, f"ZZ{n + 1} 1ZZ")
        resident = Resident(f"r-{property_id}", "Ana Bell", phones)
        store.put_home(place, resident, Tenancy(f"t-{property_id}", property_id, resident.id, _NOON))
    deps = ConversationDeps(store, clock, passages=passages_of(store))
    sender = ChannelIdentity(Via.WHATSAPP, PHONE, PHONE)
    at = clock.now()
    conversation.take_in(deps, (Inbound(sender, "n", "m1", InboundKind.TEXT, at, at, one.question),))
    clock.forward(11)
    turns = []
    while (turn := conversation.work(deps, "evaluation")) is not None:
        turns.append(turn)
    effects = [e for t in turns for e in t.effects]
    replies = tuple(m.text for m in store.outbox())
    is_unknown = any(n.event is LandlordEvent.QUESTION_UNANSWERED for n in store.notices())
    reported = bool(store.issues()) or any(t.gathering[1] is not Gathering.IDLE for t in turns)
    n_cited = sum(e.startswith(CITED) for e in effects)
    return GradedQuestion(
        one,
        Grade.ALARM if store.events() else _grade(one, replies, n_cited, is_unknown),
        replies,
        reported == one.reports,
    )


def _grade(one: LabelledQuestion, replies: Sequence[str], n_cited: int, is_unknown: bool) -> Grade:
    held = [any(words in reply for reply in replies for words in group) for group in one.answers]
    if n_cited > sum(held):
        cited = [r for r in replies if any(words in r for group in one.answers for words in group)]
        if len(cited) < len({r for r in replies if "\nSource: " in r}) or not cited:
            return Grade.WRONG
    if one.answers and all(held):
        return Grade.RIGHT
    if any(held):
        return Grade.PARTLY
    if is_unknown:
        return Grade.UNKNOWN_WRONGLY if one.answers else Grade.UNKNOWN_RIGHTLY
    return Grade.NOT_SEEN


def of_half(report: QuestionsReport, half: str) -> QuestionsReport:
    """Return the part of a report on one half of the questions."""
    return replace(report, graded=tuple(g for g in report.graded if g.asked.half == half))
