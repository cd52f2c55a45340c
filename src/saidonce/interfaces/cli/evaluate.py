"""evaluate retrieval, evaluate pairs, evaluate contrast, evaluate said-again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from saidonce.errors import SettingsError, UsageError
from saidonce.foundation import extras
from saidonce.foundation.disk import naming_full_disk
from saidonce.foundation.files import whole_file
from saidonce.interfaces.cli.arms import arms_text
from saidonce.interfaces.cli.evaluate_conversations import quality, scenarios, tenants
from saidonce.interfaces.cli.evaluate_emergencies import emergencies
from saidonce.interfaces.cli.evaluate_questions import questions
from saidonce.interfaces.cli.group import CommandSet
from saidonce.interfaces.cli.lines import clean
from saidonce.interfaces.cli.shared import JsonOption, err, errors_reported, open_base, out, print_json, progress

if TYPE_CHECKING:
    from saidonce.quality.retrieval import RetrievalReport

PAIRS = "JSON lines: id, a, b, label and optionally merge_ok, language, lang_a, lang_b, source, kind, rows_a, rows_b."

app = CommandSet("Measure retrieval, pair decisions, the fact guard and more on labelled data.")


@app.command()
def retrieval(
    folder: Annotated[Path, typer.Argument(help="Folder with corpus, queries and qrels as .jsonl or .jsonl.gz.")],
    polluted: Annotated[bool, typer.Option(help="Use polluted_corpus, polluted_qrels and polluted_truth.")] = False,
    split: Annotated[str, typer.Option(help="Only queries and judgements of this split, such as test.")] = "",
    k: Annotated[int, typer.Option(min=1, max=100, help="Cut-off rank of the metrics.")] = 10,
    run: Annotated[Path | None, typer.Option(help="Write every ranking as JSON lines.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure ranking quality and repeats of lexical, dense, hybrid, RRF, and hybrid search with dedup, side by side.

    The corpus is stored in a separate organisation of the configured database, so that a second run embeds nothing.

    **Example**: `saidonce evaluate retrieval ./scifact --split test --json`
    """
    from saidonce.quality import retrieval as flow

    with errors_reported():
        work, sources = flow.task(folder, polluted, split), flow.corpus(folder, polluted)
    with open_base(creates=True, org=flow.ORG) as base:
        with progress("ingesting", len(sources)) as advance:
            collection = flow.prepare(base.base, sources, advance)
        with progress("searching", len(work.queries)) as advance:
            ranked, took = flow.run(base.base, work, collection, advance)
        report = flow.measure(work, ranked, took, k)
    if run is not None:
        with naming_full_disk(run), whole_file(run) as lines:
            for one in ranked:
                hits = [{"doc": d, "score": s, "also_in": list(twins)} for d, s, twins in one.hits]
                lines.write(json.dumps({"query": one.query, "arm": one.arm, "hits": hits}).encode() + b"\n")
    if as_json:
        print_json(report)
    else:
        out.print(_arms_table(report))


@app.command()
def context(
    folder: Annotated[Path, typer.Argument(help="Folder with corpus, queries and qrels as .jsonl or .jsonl.gz.")],
    polluted: Annotated[bool, typer.Option(help="Use polluted_corpus, polluted_qrels and polluted_truth.")] = False,
    split: Annotated[str, typer.Option(help="Only queries and judgements of this split, such as test.")] = "",
    limit: Annotated[int | None, typer.Option(min=1, help="Only so many queries, the first of the file.")] = None,
    tokens: Annotated[
        list[int] | None,
        typer.Option(min=1, help="Budget in tokens; repeatable. 500, 1000 and 2000 by default.", show_default=False),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure contexts built by top-k, MMR, dedup, packing and in an ideal order, in equal budgets of tokens.

    With a budget that holds everything (`--tokens 200000`), the arms show as many hits of their ranking, and `lost` is
    what an arm lacks of the first 50 hits.

    The corpus is stored as by `evaluate retrieval`, so that a second run embeds nothing, and one after an interrupted
    one only what is missing. Standard error says how far it is and how long it will take.

    **Example**: `saidonce evaluate context ./scifact --polluted --split test`
    """
    from saidonce.kb.packed_context import check_budget
    from saidonce.quality import context as flow
    from saidonce.quality import retrieval

    with errors_reported():
        for budget in tokens or ():
            check_budget(budget)
        work, sources = retrieval.task(folder, polluted, split, limit), retrieval.corpus(folder, polluted)
    with open_base(creates=True, org=retrieval.ORG) as base:
        with progress("ingesting", len(sources), lines=True) as advance:
            collection = retrieval.prepare(base.base, sources, advance)
        with progress("searching", len(work.queries), lines=True) as advance:
            report = flow.run(base.base, work, collection, advance, tuple(tokens) if tokens else flow.BUDGETS)
    if as_json:
        print_json(report)
    else:
        out.print(_contexts_table(report))


@app.command()
def pairs(
    files: Annotated[list[Path], typer.Argument(help=PAIRS, show_default=False)],
    policy: Annotated[str, typer.Option(help="Policy of the decision ladder: repeat, canonical or gate.")] = "repeat",
    verdicts: Annotated[Path | None, typer.Option(help="Write every verdict as JSON lines.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Count false and missed merges of labelled pairs at several thresholds, without and with the guards.

    Also shows what cosine, the guards and the judge behind them would merge, by source, language and kind.

    **Example**: `saidonce evaluate pairs pairs.jsonl.gz --policy canonical --verdicts out.jsonl`
    """
    from saidonce.foundation.settings.policy import POLICIES
    from saidonce.quality import pairs as flow

    with open_base() as base:
        if policy not in POLICIES:
            raise SettingsError("--policy", policy, ", ".join(POLICIES))
        judge = base.judge
        with progress("judging", None, lines=True) as advance:
            judged = [j for file in files for j in flow.judge(file, base.embedder, POLICIES[policy], advance, judge)]
        report = flow.report(judged, POLICIES[policy], judge.name if judge else "")
    if verdicts is not None:
        with naming_full_disk(verdicts), whole_file(verdicts) as lines:
            for j in judged:
                lines.write(json.dumps(_verdict_json(j)).encode() + b"\n")
    if as_json:
        from saidonce.interfaces.views.reports import PairsView

        print_json(PairsView.show(report))
    else:
        out.print("\n".join([_pairs_text(report), *_uncounted(judged)]))


def _uncounted(judged: Any) -> Iterator[str]:
    """Yield the labels of the pairs that no rate counts, and those that would be counted; nothing if all are."""
    from saidonce.quality.pairs import DIFFERENT, ONE_WAY, SAME

    labels = Counter(j.pair.label for j in judged if j.pair.may is None)
    if labels:
        groups = ((SAME, "may merge"), (DIFFERENT, "stay apart"), (ONE_WAY, "one may be dropped"))
        named = ", ".join(f"{clean(label)} ({n})" for label, n in sorted(labels.items()))
        known = (f"{', '.join(sorted(group))} ({what})" for group, what in groups)
        yield f"\nnot counted, neither merge_ok nor a known label: {named}; known are {'; '.join(known)}"


@app.command()
def contrast(
    path: Annotated[Path, typer.Argument(help="File or folder of English text.")],
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of contrasts of one kind and level.")] = 300,
    seed: Annotated[int, typer.Option(help="Random seed for the choice of sentences.")] = 1,
    misses: Annotated[Path | None, typer.Option(help="File for the wrongly decided contrasts.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Change exactly one fact, or none, in your own text, and count what each use of the ladder would merge.

    **Example**: `saidonce evaluate contrast ./handbook --limit 100`
    """
    from saidonce.quality import contrast as flow

    with open_base() as base:
        err.print("reading")
        texts = flow.paragraphs(base.parser, base.find([path]).sources)
        chosen = flow.choose(texts, seed, limit)
        if not chosen:
            raise UsageError(f"no sentence of {str(path)!r} can be changed: English sentences are needed")
        with progress("judging", len(chosen), lines=True) as advance:
            judged = flow.judge(chosen, base.embedder, advance, base.judge)
        report = flow.report(judged)
    if misses is not None:
        with naming_full_disk(misses), whole_file(misses) as lines:
            for row in flow.wrong(judged):
                lines.write(json.dumps(row).encode() + b"\n")
    if as_json:
        print_json(report)
    else:
        out.print(_contrast_text(report))


def _arms_table(report: RetrievalReport) -> str:
    arms = report.arms
    names = list(dict.fromkeys(name for metrics in arms.values() for name in metrics))
    width = max(map(len, names)) + 2
    lines = [f"{report.n_queries} queries", " " * width + "".join(f"{arm:>14}" for arm in arms)]
    for name in names:
        cells = "".join(f"{metrics[name]:>14.4f}" if name in metrics else " " * 14 for metrics in arms.values())
        lines.append(f"{name:<{width}}{cells}")
        spans = [report.intervals.get(arm, {}).get(name) for arm in arms]
        if any(spans):
            cells = "".join(f"{f'{s[0]:.3f}-{s[1]:.3f}' if s else '':>14}" for s in spans)
            lines.append(f"{'  95 % interval':<{width}}{cells}")
    for arm, (gap, low, high) in report.ahead.items():
        lines.append(f"nDCG of hybrid minus {arm}, per query: {gap:+.4f} ({low:+.4f} to {high:+.4f})")
    return "\n".join(lines)


@app.command(name="said-again")
def said_again(
    file: Annotated[Path, typer.Argument(help="JSON lines: id, turns[speaker, text]; may be gzip-compressed.")],
    speaker: Annotated[str, typer.Option(help="Speaker whose turns are examined.")] = "system",
    as_json: JsonOption = False,
) -> None:
    """Count the dialogue turns that would be dropped as repeats of earlier ones, and those dropped wrongly.

    A turn that is not a verbatim repeat and is dropped counts as wrong: an upper bound, and each is listed.

    **Example**: `saidonce evaluate said-again dialogues.jsonl.gz`
    """
    from saidonce.quality import novelty as flow

    with open_base() as base, progress("reading dialogues", None) as advance:
        report = flow.measure(base.embedder, file, speaker, advance)
    if as_json:
        from saidonce.interfaces.views.reports import RepeatedTurnsView

        print_json(RepeatedTurnsView.show(report))
        return
    out.print(
        f"{report.n_dialogues} dialogues, {report.n_turns} turns after the first\n"
        f"verbatim repeats: {report.n_verbatim}, {report.n_found_verbatim} of them detected\n"
        f"other turns detected as repeats: {report.n_other}"
    )
    for each in report.found:
        if not each.is_verbatim:
            out.print(f"  {clean(each.dialogue)}: {clean(each.said)}")


# What the repair assistant does.
for _command in (scenarios, tenants, quality, emergencies, questions):
    app.command(extra=extras.REPAIRS)(_command)


def _pairs_text(report: Any) -> str:
    lines = [f"{report.n_pairs} pairs under policy {report.policy.use}", "", "label            outcome      pairs"]
    for (label, outcome), n in sorted(report.outcomes.items()):
        lines.append(f"{label:<16} {outcome:<10} {n:>7}")
    lines += ["", f"{'':<24}{'false merges per 100':>26}{'missed merges per 100':>26}"]
    for line in (*report.lines, report.policy_line):
        name = "policy" if line is report.policy_line else f"{line.threshold:.2f}"
        guard = "guarded" if line.guarded else "cosine alone"
        lines.append(f"{name:<8}{guard:<16}{line.false_merges!s:>26}{line.missed_merges!s:>26}")
    lines += [f"of the pairs that may merge, merged or flagged per 100: {report.flagged}", ""]
    lines += arms_text(report.arms, report.n_equal, report.judge)
    return "\n".join(lines)


def _contexts_table(report: Any) -> str:
    names = ("relevant", "distinct", "redundancy", "lost", "lost_above", "tokens")
    lines = [f"{report.n_queries} queries", f"{'tokens':>7}  {'arm':<8}" + "".join(f"{name:>12}" for name in names)]
    for budget, arms in report.values.items():
        for arm, values in arms.items():
            lines.append(f"{budget:>7,}  {arm:<8}" + "".join(f"{values[name]:>12.3f}" for name in names))
    return "\n".join(lines)


def _verdict_json(judged: Any) -> dict[str, Any]:
    verdict, borne = judged.verdict, judged.judged
    # The candidate, a side of the ladder, is the row's b.
    objections = [{"kind": o.kind, "a": o.b.text, "b": o.a.text} for o in verdict.objections]
    answers = [
        {"a": rewording.a, "b": rewording.b, "is_same": answer.is_same, "score": answer.score}
        for rewording, answer in (borne.judged if borne else ())
    ]
    return {
        "id": judged.pair.id,
        "outcome": verdict.outcome,
        "similarity": verdict.similarity,
        "agreement": judged.accord.agreement,
        "reasons": judged.accord.reasons,
        "agreement_judged": borne.agreement if borne else None,
        "judge": answers,
        "objections": objections,
    }


def _contrast_text(report: Any) -> str:
    """Return a table with a line for each kind, and a column for each use of the ladder and for the judge, if any."""
    heads = ("cosine alone", "repeat", "canonical", "gate", *(("with judge",) if _has_judge(report) else ()), "any use")
    lines = [f"{'ends as duplicate per 100':<36}{'pairs':>7}" + "".join(f"{head:>23}" for head in heads)]
    for line in report:
        rates = [line.cosine, line.repeat, line.canonical, line.gate, line.judged, line.any_use]
        name = f"{line.relation} {line.level} {line.kind}"
        lines.append(f"{name:<36}{line.cosine.of:>7}" + "".join(f"{r!s:>23}" for r in rates if r is not None))
    lines.append(
        "any use: repeat, canonical or with judge; not the gate, which holds near pairs for a person and loses nothing"
    )
    return "\n".join(lines)


def _has_judge(report: Any) -> bool:
    return any(line.judged is not None for line in report)
