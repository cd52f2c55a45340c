"""calibrate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from saidonce.errors import NotFoundError, SettingsError, UsageError
from saidonce.foundation import extras
from saidonce.foundation.disk import naming_full_disk
from saidonce.foundation.files import write_whole
from saidonce.interfaces.cli.arms import arms_text
from saidonce.interfaces.cli.lines import clean
from saidonce.interfaces.cli.shared import EXIT_FAILED, JsonOption, err, open_base, out, print_json, progress

if TYPE_CHECKING:
    from saidonce.app.knowledge_base import KnowledgeBase
    from saidonce.quality.calibrate import Calibration, RuleFigures, Scored, Shortage

PATHS = (
    "Labelled pairs, JSON lines: id, a, b, label; merge_ok, language, lang_a, lang_b, kind, doc_a, doc_b, source, org."
)


def calibrate(
    files: Annotated[list[Path] | None, typer.Argument(help=PATHS, show_default=False)] = None,
    decisions: Annotated[bool, typer.Option("--decisions", help="Also use the review decisions of this base.")] = False,
    bound: Annotated[float, typer.Option(help="Maximum share of wrong merges.")] = 0.005,
    confidence: Annotated[float, typer.Option(help="Confidence level of the bound.")] = 0.95,
    picture: Annotated[Path | None, typer.Option(help="Write the similarities of all pairs as SVG.")] = None,
    certificate: Annotated[Path | None, typer.Option(help="Write the certificate, if there is one, as JSON.")] = None,
    with_judge: Annotated[
        bool, typer.Option("--with-judge", help="Also certify merges that rest on the equivalence judge.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Measure thresholds on labelled pairs, and certify one whose wrong merges stay under a bound.

    Exits with 1, and prints what is missing, if nothing can be certified.

    **Examples**

    * `saidonce calibrate pairs.jsonl.gz --bound 0.005 --certificate certificate.json`
    * `saidonce calibrate --decisions --bound 0.02 --picture pairs.svg`
    * `saidonce calibrate pairs.jsonl.gz --with-judge --certificate certificate.json`
    """
    from saidonce.foundation.certificate import certificate_json
    from saidonce.matching.guards import guards_name
    from saidonce.quality import calibrate as flow
    from saidonce.quality.calibration_chart import draw

    with open_base() as base:
        _between("--bound", bound)
        _between("--confidence", confidence)
        for path in filter(None, (picture, certificate)):
            _folder_of(path)
        if not files and not decisions:
            raise UsageError("give files of labelled pairs, or use the review decisions with --decisions")
        judge = base.judge
        if with_judge and judge is None:
            extras.need("judge", "--with-judge")
            raise UsageError("the equivalence judge is switched off in the settings; omit --with-judge")
        scored = _score(base, files or [], decisions)
        target = flow.CalibrationTarget(
            bound, round(1.0 - confidence, 12), base.embedder.model, guards_name(),
            judge=judge.name if judge is not None and with_judge else "",
        )  # fmt: skip
        calibration = flow.calibrate(scored, target)
        if picture is not None:
            _write(picture, draw(calibration))
        if certificate is not None and calibration.certificate is not None:
            _write(certificate, certificate_json(calibration.certificate))
    if as_json:
        from saidonce.interfaces.views.reports import CalibrationView

        print_json(CalibrationView.show(calibration))
    else:
        out.print(clean("\n".join(_text(calibration))))
        out.print("\n".join(["", *arms_text(calibration.arms, None, judge.name if judge else "")]))
    if calibration.shortage is not None:
        err.print(clean("saidonce: nothing is certified; " + _advice(calibration.shortage, calibration)), style="red")
        raise typer.Exit(EXIT_FAILED)


def _score(base: KnowledgeBase, files: list[Path], decisions: bool) -> list[Scored]:
    from saidonce.quality import calibrate as flow
    from saidonce.quality.decided import DecidedPairs, decided, score_decided

    pairs = decided(base.base) if decisions else DecidedPairs((), (), 0)
    if pairs.n_gone:
        err.print(f"saidonce: {pairs.n_gone} decided pairs are skipped because their documents were removed")
    with progress("judging", flow.count(files) + len(pairs.pairs), lines=True) as advance:
        scored = flow.score(files, base.embedder, advance, equivalence=base.judge)
        return scored + score_decided(base.base, pairs, advance) if pairs.pairs else scored


def _between(option: str, value: float) -> None:
    if not 0.0 < value < 1.0:
        raise SettingsError(option, value, "more than 0 and less than 1")


def _folder_of(path: Path) -> None:
    if not path.absolute().parent.is_dir():
        raise NotFoundError("folder", str(path.parent), "create it first")


def _write(path: Path, content: str) -> None:
    try:
        with naming_full_disk(path):
            write_whole(path, content)
    except OSError as bad:
        raise UsageError(f"{str(path)!r} cannot be written: {bad.strerror}") from bad


def _one_of(labels: Iterable[str]) -> str:
    *first, last = sorted(labels)
    return f"{', '.join(first)} or {last}"


def _text(calibration: Calibration) -> Iterator[str]:
    from saidonce.quality.pairs import DIFFERENT, SAME

    same = sum(bool(pair.may_merge) for pair in calibration.used)
    yield f"{calibration.n_pairs} rows: {same} pairs may merge, {len(calibration.used) - same} must stay apart"
    unsaid, exact = calibration.n_unsaid, calibration.n_exact
    yield f"not counted: {unsaid} without a usable label, {exact} exact repeats, which merge by hash"
    if unsaid:
        yield f"  usable are merge_ok, or the labels {_one_of(SAME)} (may merge), {_one_of(DIFFERENT)} (stay apart)"
    if calibration.n_exact_wrong:
        yield f"  {calibration.n_exact_wrong} of those exact repeats are labelled 'must stay apart'; check them"
    if calibration.n_disagreed:
        yield f"{calibration.n_disagreed} pairs have contradictory labels and count as distinct"
    choosing, certifying = calibration.choosing, calibration.certifying
    yield f"split by document: {choosing.n_pairs} pairs of {choosing.n_groups} groups choose thresholds, unlabelled;"
    yield f"  {certifying.n_pairs} pairs of {certifying.n_groups} groups certify"
    yield ""
    yield from _lines_text(calibration)
    yield ""
    yield from _steps_text(calibration)
    yield from _certificate_text(calibration)
    if calibration.hard:
        yield ""
        yield "pairs that must stay apart and pass every guard, most similar first:"
        yield from (f"  {pair.similarity:.4f}  {pair.id}" for pair in calibration.hard)


def _lines_text(calibration: Calibration) -> Iterator[str]:
    sure = f"{100 * (1 - calibration.target.delta):g} %"
    heads = ("wrong/merges", "at most", "false merges", "missed merges", "merged or flagged", "to review")
    widths = (14, 9, 23, 23, 23, 11)
    yield f"per 100, with 95 % intervals; 'at most' bounds the wrong merges per 100 at {sure} confidence"
    yield " " * 28 + "".join(f"{head:>{width}}" for head, width in zip(heads, widths, strict=True))
    arms = {"with guards": (True, False), "with guards and judge": (True, True), "cosine alone": (False, False)}
    for name, arm in arms.items():
        lines = [line for line in calibration.lines if (line.guarded, line.judged) == arm]
        if lines:
            yield name
        for line in lines:
            rates = map(str, (line.false_merges, line.missed_merges, line.flagged))
            counts = (f"{line.n_wrong}/{line.n_merges}", f"{100 * line.upper:.2f}")
            cells = (*counts, *rates, f"{line.to_review.per_100 or 0.0:.1f}")
            yield f"  {_rule(line):<26}" + "".join(f"{c:>{width}}" for c, width in zip(cells, widths, strict=True))


def _rule(line: RuleFigures) -> str:
    places = 4 if line.name == "certified" else 2
    return f"{line.duplicate_from:.{places}f} / {line.clear_below:.{places}f} {line.name}"


def _steps_text(calibration: Calibration) -> Iterator[str]:
    from saidonce.foundation.certificate import binomial_cdf

    target = calibration.target
    if not calibration.steps:
        return
    yield f"thresholds, strict to loose; one passes if its p-value is at most {target.delta:g} and all before it pass:"
    yield f"  {'merge from':<12}{'wrong/merges':>14}{'p-value':>10}"
    for step in calibration.steps:
        chance = binomial_cdf(step.k, step.n, target.alpha)
        yield f"  {step.threshold:<12.4f}{f'{step.k}/{step.n}':>14}{chance:>10.4f}"


def _certificate_text(calibration: Calibration) -> Iterator[str]:
    held = calibration.certificate
    if held is None:
        return
    yield ""
    yield f"certified: merge from {held.duplicate_from:.4f}, clear below {held.clear_below:.4f}"
    yield (
        f"  {held.k} of {held.n} merges wrong: at most {100 * held.upper:.3f} in 100 "
        f"(required: {100 * held.alpha:g}), at {100 * (1 - held.delta):g} % confidence"
    )
    if held.judge:
        yield f"  merges may rest on {held.judge} where it confirms what the guards leave open"
    yield f"  certificate {held.digest}"


def _advice(short: Shortage, calibration: Calibration) -> str:
    from saidonce.quality.pairs import DIFFERENT

    step, alpha = short.step, calibration.target.alpha
    if all(pair.may_merge for pair in calibration.used):
        return (
            "no pair is labelled as one that must stay apart, so none could be merged wrongly. Add such pairs, "
            f"labelled {_one_of(DIFFERENT)}"
        )
    seen = f"from {step.threshold:.4f} on, {step.k} of {step.n} merges are wrong"
    if step.k > alpha * step.n:
        return (
            f"{seen}, more than {100 * alpha:g} in 100. More labels will not help: check the pairs listed above, "
            "correct wrong labels, add a guard that keeps such pairs apart, or allow a looser --bound"
        )
    return (
        f"{seen}. {short.needed} merges without another wrong one are needed: label pairs until this half has "
        f"{short.more} more (about {2 * short.more} in both halves), or allow a looser --bound"
    )
