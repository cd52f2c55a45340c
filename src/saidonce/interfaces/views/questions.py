"""Report of `evaluate questions`."""

from __future__ import annotations

from typing import ClassVar

from saidonce.interfaces.views.base import View
from saidonce.quality.figures import Rate
from saidonce.quality.questions import Grade, of_half


class QuestionFigures(View):
    """Figures of questions, all or one half of them."""

    DERIVED: ClassVar = {
        "questions": lambda report: len(report.graded),
        "grades": lambda report: {grade: report.count(grade) for grade in Grade},
    }

    questions: int
    answered_right: Rate
    """of the questions that documents answer"""
    n_wrong: int
    """replies that cite a passage that does not answer the question"""
    unknown_rightly: Rate
    """of the questions that no document answers"""
    reports_right: Rate
    """messages correctly recognised as reports or as other messages"""
    grades: dict[Grade, int]


class QuestionRow(View):
    """A question that was not handled as labelled."""

    DERIVED: ClassVar = {"question": lambda graded: graded.asked.question}

    question: str
    grade: Grade
    is_report_right: bool
    replies: tuple[str, ...]


class QuestionsView(QuestionFigures):
    """Figures of questions asked over a folder of documents."""

    DERIVED: ClassVar = {
        **QuestionFigures.DERIVED,
        "halves": lambda report: {h: of_half(report, h) for h in sorted({g.asked.half for g in report.graded} - {""})},
        "failed": lambda report: [
            g for g in report.graded if g.grade not in (Grade.RIGHT, Grade.UNKNOWN_RIGHTLY) or not g.is_report_right
        ],
    }

    halves: dict[str, QuestionFigures]
    failed: tuple[QuestionRow, ...]
