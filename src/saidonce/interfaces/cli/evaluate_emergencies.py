"""evaluate emergencies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from saidonce.interfaces.cli.lines import clean
from saidonce.interfaces.cli.shared import JsonOption, effective_settings, errors_reported, out, print_json

if TYPE_CHECKING:
    from saidonce.quality.emergencies import CaughtLine, EmergencyReport

_CASES = Path("tests/cases/emergencies/held")


def emergencies(
    cases: Annotated[Path, typer.Option(help="Folder of cases, one .toml per language.")] = _CASES,
    language: Annotated[str, typer.Option(help="Only this language, such as en.")] = "",
    texts: Annotated[
        list[Path] | None,
        typer.Option(help="JSON lines with `text`, none of them an emergency, instead of cases; repeatable."),
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Also list missed emergencies and false alarms.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Measure how many emergencies are detected, in plain and in other words, and how many false alarms there are.

    Each sentence is tested by words and phrases, by the trained head, and by both, with the configured language pack.

    **Examples**

    * `saidonce evaluate emergencies --language en`
    * `saidonce evaluate emergencies --texts reviews.jsonl.gz`
    """
    from saidonce.adapters.danger.encoder import DangerEncoder
    from saidonce.quality.emergencies import measure, read_cases, read_texts
    from saidonce.repairs.conversation import named_pack
    from saidonce.repairs.conversation.danger_head import DangerHead

    with errors_reported():
        sentences = tuple(c for file in texts for c in read_texts(file)) if texts else read_cases(cases, language)
        pack = named_pack(effective_settings().emergency_pack)
        report = measure(sentences, pack, DangerHead(DangerEncoder()))
    if as_json:
        from saidonce.interfaces.views.reports import EmergenciesView

        print_json(EmergenciesView.show(report))
    else:
        out.print(_text(report, show))


def _text(report: EmergencyReport, show: bool) -> str:
    rows = [("language", "way", "class", "of", "words", "head", "both", "sure"), *map(_row, report.lines)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = [
        *("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows),
        f"processor time for a message, 95th percentile: words {report.words_p95_ms:.1f} ms,"
        f" head {report.head_p95_ms:.1f} ms, together with misspelt words {report.heard_p95_ms:.1f} ms",
    ]
    if show:
        lines += [f"  {s.case.language} {s.case.kind or s.case.way}: {clean(s.case.text)}" for s in report.wrong]
    return "\n".join(lines)


def _row(line: CaughtLine) -> tuple[str, ...]:
    shares = (f"{n / line.of:.0%}" for n in (line.words, line.head, line.both, line.sure))
    return (clean(line.language), line.way, line.kind or "all", str(line.of), *shares)
