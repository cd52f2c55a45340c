"""adjudicator train, adjudicator evaluate, adjudicator show."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from saidonce.interfaces.cli.group import CommandSet
from saidonce.interfaces.cli.lines import clean
from saidonce.interfaces.cli.shared import JsonOption, errors_reported, open_base, out, print_json, progress

if TYPE_CHECKING:
    from saidonce.adjudication.local_judge import Artefact, TrainingFigures

app = CommandSet("Train, evaluate and show the local judge, which needs no network.")

PAIRS = "Labelled pairs as JSON lines: a, b, label, and optionally fields, merge_ok, lang_a, lang_b."
JudgeOption = Annotated[str, typer.Option("--judge", help="Folder of a judge, or 'shipped'.")]


@app.command()
def train(
    folder: Annotated[Path, typer.Argument(help="Folder to write the judge to.")],
    pairs: Annotated[list[Path] | None, typer.Option(help=PAIRS)] = None,
    decisions: Annotated[bool, typer.Option(help="Also learn from the review decisions of this base.")] = True,
    keep_trees: Annotated[bool, typer.Option(help="Only calibrate the shipped judge; needs fewer labels.")] = False,
    wrong: Annotated[float, typer.Option(min=0.001, max=0.5, help="Maximum share of errors at each cut-off.")] = 0.05,
    as_json: JsonOption = False,
) -> None:
    """Train a local judge on your own review decisions, on labelled pairs, or on both.

    Merges by people count as duplicates; pairs that they kept apart, split or marked as a conflict count as distinct.
    Part of the pairs is held out for the metrics, the calibration and the two cut-offs.

    **Example**: `saidonce adjudicator train ./judge --pairs pairs.jsonl`
    """
    from saidonce.adjudication.local_judge import TrainingOptions
    from saidonce.errors import UsageError
    from saidonce.quality import local_judge as flow

    with open_base() as base:
        if not decisions and not pairs:
            raise UsageError("no training data: give a file with --pairs, or omit --no-decisions")
        examples = [e for file in pairs or () for e in flow.labelled(file)]
        n_labelled = len(examples)
        if decisions:
            examples += flow.decided(base.base.store.ledger)
        chosen = flow.unique(examples)
        with progress("looking", len(chosen)) as advance:
            seen = flow.compute_features(chosen, base.embedder, advance)
        ask = TrainingOptions(wrong_duplicates=wrong, wrong_distinct=wrong)
        description = {
            "on": f"{n_labelled} labelled pairs and {len(examples) - n_labelled} review decisions of one organisation",
            "licence": "the organisation's own",
        }
        artefact, figures = flow.train_judge(folder, seen, base.embedder.model, description, ask, keep_trees)
    if as_json:
        from saidonce.interfaces.views.reports import TrainedView

        print_json(TrainedView(judge=artefact.name, cuts=artefact.cuts, figures=figures))
    else:
        out.print(f"{artefact.name} in {clean(str(folder))}")
        out.print(_figures_text(artefact, figures, "on held-out pairs"))


@app.command()
def evaluate(
    file: Annotated[Path, typer.Argument(help=PAIRS)],
    judge: JudgeOption = "shipped",
    clear_below: Annotated[float, typer.Option(min=0, max=1, help="Lower end of the gray zone (similarity).")] = 0.75,
    as_json: JsonOption = False,
) -> None:
    """Measure a local judge on labelled pairs, over all of them and inside the gray zone.

    **Example**: `saidonce adjudicator evaluate pairs.jsonl --judge ./judge`
    """
    from saidonce.adjudication.local_judge import LocalJudge
    from saidonce.errors import UsageError
    from saidonce.quality import local_judge as flow

    with open_base() as base:
        local = LocalJudge(base.embedder, judge)
        examples = flow.unique(flow.labelled(file))
        if not examples:
            raise UsageError(f"{file} has no usable pairs: two different texts with a consistent label")
        with progress("judging", len(examples)) as advance:
            seen = flow.compute_features(examples, base.embedder, advance)
        measured = flow.measure(local, examples, seen, clear_below)
    if as_json:
        from saidonce.interfaces.views.reports import JudgeView, OpinionCount

        opinions = tuple(OpinionCount(same=s, opinion=o, n=n) for (s, o), n in sorted(measured.opinions.items()))
        print_json(JudgeView(judge=local.name, figures=measured.figures, band=measured.band, opinions=opinions))
        return
    out.print(_figures_text(local.artefact, measured.figures, "on all pairs"))
    if measured.band:
        out.print(_figures_text(local.artefact, measured.band, f"at similarity {clear_below:g} and above"))
    for (same, opinion), n in sorted(measured.opinions.items()):
        out.print(f"  {'duplicate' if same else 'distinct':<10} judged {opinion:<10}{n:>7}")


@app.command()
def show(judge: Annotated[str, typer.Argument(help="Folder of a judge, or 'shipped'.")] = "shipped") -> None:
    """Show a judge's training data, licence, embedder and cut-offs.

    **Example**: `saidonce adjudicator show ./judge`
    """
    from saidonce.adjudication.local_judge import load
    from saidonce.interfaces.views.reports import JudgeFile

    with errors_reported():
        local = load(judge)
    print_json(JudgeFile.show(local, judge=local.name))


def _figures_text(artefact: Artefact, figures: TrainingFigures, where: str) -> str:
    cuts = artefact.cuts
    lines = [
        f"{where}: {figures.n_same} duplicates, {figures.n_distinct} distinct",
        f"  AUC {figures.auc:.3f}; similarity alone {figures.cosine_auc:.3f}",
        f"  at or above {cuts.high:g}, duplicates: {_share(figures.precision)}",
        f"  at or below {cuts.low:g}, duplicates: {_share(figures.lost)}",
        f"  between, unsure: {_share(figures.unsure)} of the pairs",
        "  predicted / observed probability, in bins of 0.1:",
    ]
    for b in figures.bins:
        lines.append(f"    {b.start:.1f}-{b.end:.1f}  {b.said:.2f} / {b.found:.2f}  ({b.n} pairs)")
    return "\n".join(lines)


def _share(value: Any) -> str:
    return "no pairs" if value is None else f"{100 * value:.1f} %"
