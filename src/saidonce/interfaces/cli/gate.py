"""gate check, retry, recheck, import, verdict, held, override, release, export, replay, stats, list, reembed."""

from __future__ import annotations

import getpass
import sys
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from saidonce.errors import UsageError
from saidonce.interfaces.cli.gate_lines import (
    check_lines,
    existing_gate,
    held_line,
    n_lines,
    opened_lines,
    read_line,
    stats_text,
    tell_account,
    verdict_line,
    write_lines,
)
from saidonce.interfaces.cli.group import CommandSet
from saidonce.interfaces.cli.held import held_app
from saidonce.interfaces.cli.lines import clean
from saidonce.interfaces.cli.shared import (
    EXIT_FAILED,
    EXIT_REFUSED,
    JsonOption,
    err,
    errors_reported,
    open_base,
    out,
    print_json,
    print_json_line,
    progress,
)

if TYPE_CHECKING:
    from saidonce.app.knowledge_base import KnowledgeBase
    from saidonce.foundation.model import GateFields, GateVerdict, Submission

EXIT_BLOCKED = 4
app = CommandSet("Check submissions for duplicates before they are created; fails closed and records every verdict.")
app.add_typer(held_app, name="held")

FileArgument = Annotated[Path, typer.Argument(help="JSON lines; - reads standard input.", show_default=False)]
GateOption = Annotated[str, typer.Option("--gate", "-g", help="Name of the gate; created on first use.")]
VerdictArgument = Annotated[str, typer.Argument(help="Id of a verdict, or its first digits.", show_default=False)]
AsOption = Annotated[str, typer.Option("--as", help="Person who acts; you by default.")]


@app.command()
def check(
    file: FileArgument,
    gate: GateOption = "main",
    reserve: Annotated[
        bool, typer.Option(help="Keep cleared submissions, so that a repeat of one is not cleared again.")
    ] = True,
    actor: Annotated[str, typer.Option("--as", help="Person who submits; you by default.")] = "",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the summary only.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per line, in the file's order.")
    ] = False,
) -> None:
    """Check submissions, one per line: `{"id": ..., "title": ..., "text": ..., "persona": ...}`.

    Verdicts are stored one by one: after an interruption the same command continues, and repeats the verdicts that
    exist already. `id` or `key` identifies a submission; by default its place in the file and its content do.
    `retry_of` names the verdict that held or blocked your earlier wording.

    Exit codes: 0 all cleared, 4 some blocked or pending, 3 some lines refused, 1 failed.

    **Examples**

    * `saidonce gate check tasks.jsonl`
    * `saidonce gate check - --gate tickets --json < new.jsonl`
    """
    from saidonce.foundation.model import SubmissionStanding
    from saidonce.gate import authorize
    from saidonce.interfaces.views.gate import GateCheckLine

    n_cleared = n_blocked = n_refused = n_through = 0
    held: Counter[str] = Counter()
    with open_base(creates=True) as base, opened_lines(file) as lines:
        if base.settings.gate_escape_hatch:
            err.print("the escape hatch is open: submissions that nobody can rule on are let through", style="red")
        at = base.gate(gate)
        with progress("checking", n_lines(file)) as advance:
            for place, verdict in check_lines(at, lines, reserve, actor or getpass.getuser()):
                advance()
                if isinstance(verdict, str):
                    n_refused += 1
                    err.print(f"line {place}: {clean(verdict)}", style="red")
                    continue
                is_clear = authorize(verdict)
                is_through = is_clear and verdict.override is not None
                n_through += is_through
                n_cleared, n_blocked = n_cleared + (is_clear and not is_through), n_blocked + (not is_clear)
                held.update([str(verdict.reason)] if verdict.standing is SubmissionStanding.HELD else [])
                if as_json:
                    print_json_line(GateCheckLine.show(verdict, line=place))
                elif not quiet and not is_clear:
                    out.print(f"line {place}: {verdict_line(verdict)}")
    if not as_json:
        through = f"{n_through} let through without a clear, " if n_through else ""
        out.print(f"{n_cleared} cleared, {through}{n_blocked} blocked, {n_refused} refused")
        if held:
            out.print(clean(held_line(gate, held)))
    if n_refused or n_blocked:
        raise typer.Exit(EXIT_REFUSED if n_refused else EXIT_BLOCKED)


@app.command()
def retry(
    gate: GateOption = "main",
    failed: Annotated[
        str,
        typer.Option(
            "--failed",
            help="Causes, separated by commas: away, unsure, nobody, canary, contradiction,"
            " malformed, timeout, unreachable, refused, circuit_open, budget.",
        ),
    ] = "away",
    judge: Annotated[
        str,
        typer.Option("--judge", help="Adjudicator to ask, as in gate_adjudicator; those of that setting by default."),
    ] = "",
    actor: AsOption = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per verdict.")] = False,
) -> None:
    """Ask again about submissions held without a ruling; by default those whose adjudicator was unavailable.

    `away`: down, too slow, refusing, paused after failures, or over its budget. `canary`: wrong about known pairs.
    `contradiction`: gave two answers. `malformed`: gave none that can be read. `unsure`: could not tell. `nobody`: no
    adjudicator was named. After an interruption a worker, or the same command, continues.

    Exit codes: 0 all cleared, 4 some still blocked.

    **Examples**

    * `saidonce gate retry --gate tickets`
    * `saidonce gate retry --failed canary,contradiction,unsure --judge openai:gpt-5-mini`
    """
    from saidonce.foundation.model import SubmissionStanding
    from saidonce.gate import ask_again, authorize, held_without_ruling, reopening
    from saidonce.interfaces.views.gate import GateVerdictView

    n_cleared = n_blocked = 0
    held_still: Counter[str] = Counter()
    with open_base() as base:
        how = reopening(actor or getpass.getuser(), [failed], judge)
        existing_gate(base, gate)
        at = base.gate(gate, asked_again=how.order)
        held = held_without_ruling(base.base, gate, how.causes)
        with progress("asking again", len(held)) as advance:
            for verdict in ask_again(base.base, at, held, how):
                advance()
                is_clear = authorize(verdict)
                n_cleared, n_blocked = n_cleared + is_clear, n_blocked + (not is_clear)
                held_still.update([str(verdict.reason)] if verdict.standing is SubmissionStanding.HELD else [])
                if as_json:
                    print_json_line(GateVerdictView.show(verdict))
    if not as_json:
        out.print(f"{n_cleared} cleared, {n_blocked} blocked")
        if held_still:
            out.print(clean(held_line(gate, held_still)))
    if n_blocked:
        raise typer.Exit(EXIT_BLOCKED)


@app.command()
def recheck(
    gate: Annotated[str, typer.Option("--gate", "-g", help="Only this gate; all by default.")] = "",
    age: Annotated[str, typer.Option("--age", help="Maximum age of the clears to check, such as 12h, 3d, 2w.")] = "1d",
    as_json: JsonOption = False,
) -> None:
    """Ask the auto-rater again about its clears; those that it retracts wait in 'gate held --audit'.

    A worker does so automatically for gate_recheck_hours after each clear. A retracted clear authorises nothing; what
    it admitted stays kept until a person decides. Exit code 4: at least one clear was retracted.

    **Example**: `saidonce gate recheck --age 7d`
    """
    from saidonce.interfaces.views.held import RecheckView, age_of

    with open_base() as base:
        older = age_of(age)
        done = base.held.recheck(gate, base.base.clock.now() - older if older is not None else None)
        if as_json:
            print_json(RecheckView.show(done))
        else:
            for verdict in done.retracted:
                why = verdict.retraction.why if verdict.retraction is not None else ""
                out.print(clean(f"retracted: {verdict_line(verdict)}\n  {why}"))
            unknown = f", {done.n_unknown} unknown" if done.n_unknown else ""
            listed = "; 'saidonce gate held --audit' lists them" if done.retracted else ""
            out.print(f"{done.n_stand} clears stand, {len(done.retracted)} retracted{unknown}{listed}")
    if done.retracted:
        raise typer.Exit(EXIT_BLOCKED)


@app.command(hidden=True)
def again(
    gate: GateOption = "main",
    actor: AsOption = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per verdict.")] = False,
) -> None:
    """Run `gate retry` under the name of older versions."""
    err.print(
        "saidonce: 'gate again' is deprecated, use 'gate retry'; the old name will be removed in the next release",
        style="yellow",
    )
    retry(gate, actor=actor, as_json=as_json)


@app.command(name="import")
def import_(file: FileArgument, gate: GateOption = "main", actor: AsOption = "", as_json: JsonOption = False) -> None:
    """Import existing submissions without a check, so that new ones are compared with them; each content once.

    If a line of the file cannot be read as a submission, nothing is imported.

    **Example**: `saidonce gate import existing-tasks.jsonl`
    """
    n_kept = n_known = 0
    from saidonce.gate import GateImport

    if str(file) != "-":
        with errors_reported(), opened_lines(file) as lines:
            deque(_submissions(lines), 0)  # a wrong line is found before anything is created
    with open_base(creates=True) as base, opened_lines(file) as lines:
        fields = _compared_fields(base, gate)
        if str(file) != "-":
            with opened_lines(file) as read_first:
                deque(_submissions(read_first, fields), 0)
        at = base.gate(gate)
        with progress("importing", n_lines(file)) as advance:
            for batch in at.import_(_submissions(lines, fields), actor or getpass.getuser()):
                n_kept, n_known = n_kept + batch.n_kept, n_known + batch.n_known
                advance(batch.n_kept + batch.n_known)
    if as_json:
        print_json(GateImport(n_kept=n_kept, n_known=n_known))
    else:
        out.print(f"{n_kept} kept, {n_known} kept already")


def _compared_fields(base: KnowledgeBase, gate: str) -> GateFields:
    """Return the parts that a gate compares, or would if it were created; nothing is created."""
    from saidonce.gate.rules import fields_from

    existing = {definition.name: definition.fields for definition in base.store.gates.gates()}
    return existing.get(gate) or fields_from(base.settings)


def _submissions(lines: Iterator[tuple[int, bytes]], fields: GateFields | None = None) -> Iterator[Submission]:
    """Yield the submissions of lines; with `fields`, only such as a gate that compares these can keep.

    Raises:
        UsageError: a line is none, naming it.
    """
    from saidonce.gate.rules import prepare_new

    for place, line in lines:
        submission = read_line(line, 0)
        if isinstance(submission, str):
            raise UsageError(f"line {place}: {submission}")
        try:
            if fields is not None:
                prepare_new(submission, fields)
        except UsageError as bad:
            raise UsageError(f"line {place}: {bad}") from bad
        yield submission


@app.command()
def verdict(id: VerdictArgument, as_json: JsonOption = False) -> None:
    """Show everything known about a verdict; `saidonce why ID` does the same.

    **Example**: `saidonce gate verdict gv-3f2a9c`
    """
    from saidonce.gate import account

    with open_base() as base:
        tell_account(account(base.store, id), as_json)


@app.command()
def override(
    id: VerdictArgument,
    why: Annotated[str, typer.Option("--why", "-m", help="Reason, stored with the verdict.")],
    actor: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Let a blocked submission through in your name.

    **Example**: `saidonce gate override gv-3f2a9c --why "another shop"`
    """
    from saidonce.gate import account

    with open_base() as base:
        stored = account(base.store, id).verdict
        _print_verdict(base.gate(stored.gate).override(stored.id, actor or getpass.getuser(), why), as_json)


@app.command()
def release(
    id: VerdictArgument,
    why: Annotated[str, typer.Option("--why", "-m", help="Reason, stored in the log.")] = "",
    actor: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Withdraw a cleared submission: it is no longer kept, and its verdict no longer authorises anything.

    **Example**: `saidonce gate release gv-3f2a9c --why "the task was dropped"`
    """
    from saidonce.gate import account

    with open_base() as base:
        stored = account(base.store, id).verdict
        _print_verdict(base.gate(stored.gate).release(stored.id, actor or getpass.getuser(), why), as_json)


@app.command()
def export(
    file: Annotated[Path, typer.Argument(help="File to write; - writes standard output.", show_default=False)],
    gate: GateOption = "main",
    force: Annotated[bool, typer.Option(help="Overwrite an existing file.")] = False,
) -> None:
    """Export all verdicts with the submissions they were compared with, one per line: same content, same bytes.

    **Example**: `saidonce gate export audit.jsonl`
    """
    from saidonce.foundation.codec import exported_verdict_to_json

    with open_base() as base:
        log = (exported_verdict_to_json(v, compared) + "\n" for v, compared in existing_gate(base, gate).log())
        with closing(log) as lines:
            if str(file) == "-":
                sys.stdout.writelines(lines)
                return
            if file.exists() and not force:
                raise UsageError(f"{file} exists; --force overwrites it")
            n = write_lines(file, lines)
        out.print(f"{n} verdicts written to {clean(str(file))}")


@app.command()
def replay(
    file: Annotated[
        Path | None, typer.Argument(help="File that 'gate export' wrote; the store by default.", show_default=False)
    ] = None,
    gate: GateOption = "main",
    as_json: JsonOption = False,
) -> None:
    """Replay stored verdicts from their stored inputs, and compare: exit 1 if one differs by a byte.

    **Example**: `saidonce gate replay audit.jsonl`
    """
    from saidonce.foundation.codec import exported_verdict_from_json
    from saidonce.gate import replay as replay_all

    with open_base() as base:
        if file is None:
            report = existing_gate(base, gate).replay()
        else:
            with opened_lines(file) as lines:
                report = replay_all(exported_verdict_from_json(line) for _, line in lines)
        if as_json:
            print_json(report)
        else:
            for id_, flaw in report.different[:20]:
                out.print(f"{clean(id_)}: {flaw}")
            out.print(f"{report.n} verdicts replayed, {len(report.different)} differ, {report.n_pending} pending")
    if report.different:
        raise typer.Exit(EXIT_FAILED)


@app.command()
def stats(gate: GateOption = "main", as_json: JsonOption = False) -> None:
    """Show the statistics of a gate: cleared and held submissions with reasons, rulings requested, times and costs.

    **Example**: `saidonce gate stats --gate tickets`
    """
    from saidonce.interfaces.views.gate import GateStatsView

    with open_base() as base:
        figures = existing_gate(base, gate).stats()
        if as_json:
            print_json(GateStatsView.show(figures))
        else:
            out.print(stats_text(figures))


@app.command(name="list")
def list_(as_json: JsonOption = False) -> None:
    """List the gates and the fields that they compare.

    **Example**: `saidonce gate list`
    """
    from saidonce.interfaces.views.gate import GateView

    with open_base() as base:
        gates = base.store.gates.gates()
        if as_json:
            print_json([GateView.show(g) for g in gates])
            return
        for g in gates:
            exact = f", exactly {', '.join(g.fields.exact)}" if g.fields.exact else ""
            n_kept, n_pending = base.store.gates.n_admitted(g.name), base.store.gates.n_pending(g.name)
            line = f"{clean(g.name)}  compares {', '.join(g.fields.embedded)}{exact}"
            out.print(f"{clean(line)}  {n_kept} kept, {n_pending} pending")


@app.command()
def reembed(gate: GateOption = "main") -> None:
    """Re-embed a gate with the configured embedding model, all or nothing.

    **Example**: `SAIDONCE_EMBEDDER=model2vec:./my-model saidonce gate reembed`
    """
    from saidonce.gate import reembed as move

    with open_base() as base:
        out.print(f"{move(base.base, gate)} kept submissions re-embedded with {base.base.embedder.model}")


def _print_verdict(verdict: GateVerdict, as_json: bool) -> None:
    from saidonce.interfaces.views.gate import GateVerdictView

    if as_json:
        print_json(GateVerdictView.show(verdict))
    else:
        out.print(verdict_line(verdict))
