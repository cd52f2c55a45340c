"""evaluate questions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from saidonce.interfaces.cli.lines import clean
from saidonce.interfaces.cli.shared import EXIT_FAILED, JsonOption, open_base, out, print_json, progress

if TYPE_CHECKING:
    from saidonce.quality.questions import QuestionsReport


def questions(
    folder: Annotated[
        Path,
        typer.Argument(help="Folder with questions.jsonl and documents/COLLECTION, and optionally properties.json."),
    ],
    half: Annotated[str, typer.Option(help="Only questions of this split, such as held.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Ask residents' questions over a folder of documents without a model, and grade the replies.

    Each question has its own conversation in memory; neither the base nor its documents are touched. A reply is right
    if it contains the labelled words; one that cites other words is wrong, and the command exits with 1.

    **Examples**

    * `saidonce evaluate questions tests/cases/residents_questions`
    * `saidonce evaluate questions tests/cases/residents_questions --half held --json`
    """
    from saidonce.app.repairs_service.passages import PropertyPassages, names_of_others
    from saidonce.quality import questions as flow
    from saidonce.testing import MemoryStore
    from saidonce.testing.memory_conversations import MemoryConversations

    with open_base() as base:
        asked, names = flow.read_labelled(folder, half), flow.buildings(folder)
        context = base.context_over(MemoryStore("questions"))
        small = flow.small_base(context, folder)
        with progress("questions", len(asked)) as advance:
            report = flow.measure(
                asked, names, MemoryConversations, lambda c: PropertyPassages(small, names_of_others(c)), advance
            )
    if as_json:
        from saidonce.interfaces.views.questions import QuestionsView

        print_json(QuestionsView.show(report))
    else:
        for line in _lines(report):
            out.print(line)
    if report.n_wrong:
        raise typer.Exit(EXIT_FAILED)


def _lines(report: QuestionsReport) -> list[str]:
    from saidonce.quality.questions import Grade, of_half

    halves = sorted({g.asked.half for g in report.graded if g.asked.half})
    parts = [("all", report), *((h, of_half(report, h)) for h in halves if len(halves) > 1)]
    lines = [
        f"{name}: answered right {part.answered_right.n} of {part.answered_right.of}, partly"
        f" {part.count(Grade.PARTLY)},"
        f" wrong with a citation {part.n_wrong}; said that they do not know rightly {part.unknown_rightly.n} of"
        f" {part.unknown_rightly.of}, wrongly {part.count(Grade.UNKNOWN_WRONGLY)};"
        f" not seen as a question {part.count(Grade.NOT_SEEN)}, taken for a danger {part.count(Grade.ALARM)};"
        f" reports told from questions {part.reports_right.n} of {part.reports_right.of}"
        for name, part in parts
    ]
    shown = [g for g in report.graded if g.grade not in (Grade.RIGHT, Grade.UNKNOWN_RIGHTLY) or not g.is_report_right]
    return [*lines, *(f"  {g.grade}: {clean(g.asked.question)}" for g in shown)]
