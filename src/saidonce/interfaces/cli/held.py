"""gate held: list, show, decide, undo, assign, note, throughput, audit."""

from __future__ import annotations

import getpass
import sys
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from saidonce.errors import UsageError
from saidonce.interfaces.cli.group import CommandSet, Group
from saidonce.interfaces.cli.lines import clean
from saidonce.interfaces.cli.shared import JsonOption, open_base, out, print_json

if TYPE_CHECKING:
    from datetime import datetime

    from saidonce.foundation.model import GateVerdict, HeldChoice
    from saidonce.gate import HeldPair, HeldResult, HeldUndo

EXIT_LEFT = 4
held_app = CommandSet(
    """Decide what the gate holds for a person; without a command, list it, oldest first.

A submission is held if nobody ruled on it: the adjudicator was unavailable or unsure, its answer was invalid, or none
was asked.

**Examples**

* `saidonce gate held --reason away --age 1d`
* `saidonce gate held --reason canary --ids -n 500 | saidonce gate held decide - --let-through -m "looked through"`
* `saidonce gate held show gv-3f2a9c`"""
)

IdArgument = Annotated[str, typer.Argument(help="Id of a verdict, or its first digits.", show_default=False)]
IdsArgument = Annotated[
    list[str],
    typer.Argument(
        help="Ids of verdicts, or their first digits; - reads them from standard input.", show_default=False
    ),
]
AsOption = Annotated[str, typer.Option("--as", help="Person who acts; you by default.")]
WhyOption = Annotated[str, typer.Option("--why", "-m", help="Reason, stored with the decision.")]


class _ListGroup(Group):
    """A group that lists by itself when no command of it is named."""


@held_app.callback(invoke_without_command=True, no_args_is_help=False, cls=_ListGroup)
def held(
    context: typer.Context,
    gate: Annotated[str, typer.Option("--gate", "-g", help="Only this gate; all by default.")] = "",
    reason: Annotated[
        list[str] | None, typer.Option("--reason", "-r", help="Only this reason, such as away; repeatable.")
    ] = None,
    age: Annotated[str, typer.Option("--age", help="Only those older than this, such as 90m, 12h, 3d, 2w.")] = "",
    judge: Annotated[
        str,
        typer.Option("--judge", help="Only those that this adjudicator was asked about; or a prefix of its name."),
    ] = "",
    assignee: Annotated[
        str | None, typer.Option("--assignee", help="Only those assigned to this person; '' for unassigned ones.")
    ] = None,
    audit: Annotated[
        bool, typer.Option("--audit", help="List adjudicators' clears that were drawn for an audit instead.")
    ] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=10_000, help="Maximum number.")] = 20,
    ids: Annotated[bool, typer.Option("--ids", help="Print ids only, one per line, for 'gate held decide -'.")] = False,
    as_json: JsonOption = False,
) -> None:
    """List held submissions, oldest first, if no subcommand is given."""
    if context.invoked_subcommand is not None:
        return
    from saidonce.foundation.model import HeldState
    from saidonce.interfaces.views.held import HeldCountView, HeldEntryView, HeldListView, age_of, cursor_to

    with open_base() as base:
        states = (HeldState.AUDIT,) if audit else ()
        part = base.held.part(gate, tuple(reason or ()), judge, assignee, age_of(age), states)
        rows, n = base.held.page(part, limit=limit), base.held.n(part)
        if as_json:
            print_json(
                HeldListView(
                    n=n,
                    held=tuple(HeldEntryView.show(v) for v in rows),
                    after=cursor_to(rows[-1] if len(rows) == limit else None),
                    counts=tuple(HeldCountView.show(c) for c in base.held.counts(gate)),
                )
            )
            return
        for verdict in rows:
            out.print(verdict.id if ids else _line(base, verdict, base.base.clock.now()))
        if not ids:
            out.print(_summary(base, n, len(rows), audit))


def _summary(base: Any, n: int, n_shown: int, audit: bool) -> str:
    if not n:
        if audit:
            return "no clears to audit"
        return "nothing is held; 'saidonce gate stats' shows what the gates did"
    waiting: Counter[str] = Counter()
    for count in base.held.counts():
        if count.state == "open":
            waiting[count.reason] += count.n
    by_reason = ", ".join(f"{name} {count}" for name, count in waiting.most_common())
    more = f"; -n {n} lists all" if n_shown < n else ""
    return f"{n} {'to audit' if audit else 'held'} ({by_reason}){more}" if by_reason else f"{n} listed{more}"


def _line(base: Any, verdict: GateVerdict, now: datetime) -> str:
    from saidonce.interfaces.cli.gate_lines import snippet
    from saidonce.interfaces.views.held import reason_in_words

    hours = int((now - verdict.at).total_seconds() // 3_600)
    age = f"{hours // 24} d" if hours >= 24 else f"{hours} h"
    whose = f", {verdict.assignee}" if verdict.assignee else ""
    kept = base.store.gates.admissions([verdict.near[0].id]) if verdict.near else {}
    near = next((snippet(a.submission) for a in kept.values()), "nothing near")
    why = f"{verdict.reason} ({reason_in_words(verdict)})"
    head = f"{verdict.id[:11]} {why}, similarity {verdict.similarity:.4f}, {age}, gate {verdict.gate}{whose}"
    return clean(f"{head}\n  submitted: {snippet(verdict.submission)}\n  kept:      {near}")


@held_app.command()
def show(id: IdArgument, as_json: JsonOption = False) -> None:
    """Show a held submission beside its current neighbours, with its log and its earlier and later attempts.

    **Example**: `saidonce gate held show gv-3f2a9c`
    """
    from saidonce.interfaces.views.held import HeldPairView

    with open_base() as base:
        pair = base.held.pair(id)
        if as_json:
            print_json(HeldPairView.show(pair))
        else:
            out.print("\n".join(clean(line) for line in _pair_lines(pair)))


def _pair_lines(pair: HeldPair) -> list[str]:
    v = pair.verdict
    lines = [f"{v.id} {v.standing}: {v.reason or 'no ruling yet'}, in {v.gate} since {v.at:%Y-%m-%d %H:%M} UTC"]
    if v.submission.submitter:
        lines.append(f"submitted by {v.submission.submitter}")
    if pair.first is not None:
        lines.append(f"retry of {pair.first.id} ({pair.first.standing})")
    lines += [f"retried in other words: {t.id} ({t.standing})" for t in pair.retries]
    lines += ["", "submitted:", *_indent(pair.text), *(f"    {name}: {value}" for name, value in v.submission.fields)]
    for near in pair.near:
        kept = pair.kept.get(near.id)
        since = ", kept since" if near.id in pair.fresh else ""
        lines += ["", f"kept {near.id}, {near.similarity:.4f}{since}:"]
        lines += _indent(kept.candidate.text) if kept is not None else ["    gone"]
        lines += [f"    {name}: {value}" for name, value in (kept.submission.fields if kept is not None else ())]
        lines += [f"    differs, {o.kind}: {o.a.text!r} submitted, {o.b.text!r} kept" for o in near.objections]
    if v.ruling is not None:
        ruling = f"no ruling, {v.ruling.failure}" if v.ruling.failure else f"{v.ruling.opinion}"
        lines += ["", f"{v.ruling.adjudicator}: {ruling} {v.ruling.reason[:400]}".rstrip()]
    lines += ["", *(f"{e.seq} {e.at:%Y-%m-%d %H:%M} {e.act} by {e.actor} {e.detail}".rstrip() for e in pair.events)]
    return lines


def _indent(text: str) -> list[str]:
    return [f"    {line}" for line in text.splitlines() if line.strip()]


@held_app.command()
def decide(
    ids: IdsArgument,
    repeat: Annotated[bool, typer.Option("--repeat", help="They are repeats: keep them out.")] = False,
    let_through: Annotated[bool, typer.Option("--let-through", help="They are not repeats: admit them.")] = False,
    link: Annotated[
        bool, typer.Option("--link", help="They say the same in other words: keep them as wordings.")
    ] = False,
    of: Annotated[
        str, typer.Option("--of", help="Id of the kept submission that they repeat; the nearest by default.")
    ] = "",
    looked_at: Annotated[
        list[str] | None,
        typer.Option("--looked-at", help="Id of a submission kept in the meantime that you also compared; repeatable."),
    ] = None,
    why: WhyOption = "",
    actor: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Decide held submissions in one transaction, which a single undo reverses.

    Submissions that somebody else has decided or that have a ruling by now are skipped, with the reason.

    Exit codes: 0 all decided, 4 some skipped, 2 wrong use.

    **Examples**

    * `saidonce gate held decide gv-3f2a9c --repeat`
    * `saidonce gate held decide gv-3f2a9c gv-91c04b --let-through -m "other shops"`
    """
    from saidonce.gate import HeldItem, HeldOrder, account
    from saidonce.interfaces.views.held import HeldResultView

    choice = _choice(repeat, let_through, link)
    named = [word for line in sys.stdin for word in line.split()] if ids == ["-"] else ids
    if not named:
        raise typer.Exit(0)
    with open_base() as base:
        whole = [account(base.store, each).verdict.id for each in named]
        items = [HeldItem(each, looked_at=tuple(looked_at or ())) for each in whole]
        result = base.held.decide(items, HeldOrder(choice, actor or getpass.getuser(), why, of))
        if as_json:
            print_json(HeldResultView.show(result))
        else:
            _print_result(result, choice)
    if result.left:
        raise typer.Exit(EXIT_LEFT)


def _choice(repeat: bool, let_through: bool, link: bool) -> HeldChoice:
    from saidonce.foundation.model import HeldChoice

    chosen = [
        choice
        for choice, is_chosen in (
            (HeldChoice.REPEAT, repeat), (HeldChoice.LET_THROUGH, let_through), (HeldChoice.LINK, link),
        )
        if is_chosen
    ]  # fmt: skip
    if len(chosen) != 1:
        raise typer.BadParameter("give one of --repeat, --let-through and --link")
    return chosen[0]


def _print_result(result: HeldResult, choice: HeldChoice) -> None:
    words = {"repeat": "marked as repeats", "let_through": "let through", "link": "linked as other wordings"}
    for left in result.left:
        out.print(clean(f"skipped {left.id}: {left.why}"))
    undo = f"; undo with 'saidonce gate held undo {result.decision}'" if result.decision else ""
    out.print(f"{len(result.done)} {words[choice]}, {len(result.left)} skipped{undo}")


@held_app.command()
def undo(
    decision: Annotated[str, typer.Argument(help="Id of a decision, hd- and 32 digits.", show_default=False)],
    why: WhyOption = "",
    actor: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Undo a decision for all its submissions: those that it let through or linked are no longer kept.

    **Example**: `saidonce gate held undo hd-3f2a9c71d0b84e5f9a6c2d1e8b7f4a30`
    """
    from saidonce.interfaces.views.held import HeldUndoView

    with open_base() as base:
        undone = base.held.undo(decision.strip().lower(), actor or getpass.getuser(), why)
        if as_json:
            print_json(HeldUndoView.show(undone))
        else:
            _print_undone(undone)
    if undone.left:
        raise typer.Exit(EXIT_LEFT)


def _print_undone(undone: HeldUndo) -> None:
    for left in undone.left:
        out.print(clean(f"skipped {left.id}: {left.why}"))
    for id_ in undone.leaning:
        out.print(f"{id_} was blocked as a repeat of a submission now withdrawn; it can be submitted again")
    n = len(undone.withdrawn)
    out.print(f"{len(undone.undone)} held again, {n} no longer kept")


@held_app.command()
def assign(
    ids: IdsArgument,
    to: Annotated[str, typer.Option("--to", help="Person to assign to; '' for nobody.")],
    actor: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Assign held submissions to a person.

    **Example**: `saidonce gate held assign gv-3f2a9c --to ann`
    """
    from saidonce.gate import account
    from saidonce.interfaces.views.gate import GateVerdictView

    named = [word for line in sys.stdin for word in line.split()] if ids == ["-"] else ids
    with open_base() as base:
        whole = [account(base.store, each).verdict.id for each in named]
        assigned = base.held.assign(whole, to, actor or getpass.getuser())
        if as_json:
            print_json([GateVerdictView.show(v) for v in assigned])
        else:
            out.print(f"{len(assigned)} assigned to {clean(to) or 'nobody'}")


@held_app.command()
def note(
    id: IdArgument,
    text: Annotated[str, typer.Argument(help="Text of the note.", show_default=False)],
    actor: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Append a note to the log of a submission.

    **Example**: `saidonce gate held note gv-3f2a9c "asked the shop"`
    """
    from saidonce.interfaces.views.held import HeldPairView

    with open_base() as base:
        verdict = base.held.note(id, text, actor or getpass.getuser())
        if as_json:
            print_json(HeldPairView.show(base.held.pair(verdict.id)))
        else:
            out.print(f"note added to {verdict.id}")


@held_app.command("throughput")
def throughput(
    gate: Annotated[str, typer.Option("--gate", "-g", help="Only this gate; all by default.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Show each person's decisions, submissions per hour, undone decisions and audits.

    **Example**: `saidonce gate held throughput --gate tasks`
    """
    from saidonce.gate import held_throughput
    from saidonce.interfaces.views.held import HeldThroughputView

    with open_base() as base:
        rows = held_throughput(base.store.gates, gate)
        if as_json:
            print_json([HeldThroughputView.show(row) for row in rows])
            return
        for t in rows:
            audits = f"{t.n_audits} clears audited, {t.n_wrong} found wrong" if t.n_audits else "no clears audited"
            agreed = f"{t.n_agreed} of {t.n_audited} audits agreed" if t.n_audited else "not audited by others"
            acts = f"{t.n_acts} decision{'' if t.n_acts == 1 else 's'}"
            out.print(
                f"{clean(t.person)}: {t.n_decided} decided in {acts}, {t.per_hour:.0f} an hour,"
                f" {t.n_taken_back} undone ({t.n_by_others} by others), {agreed}; {audits}"
            )
        if not rows:
            out.print("no held submissions have been decided yet")


@held_app.command()
def audit(
    id: IdArgument,
    right: Annotated[
        bool | None,
        typer.Option("--right/--wrong", help="Whether the decision was right; for a clear: it is not a repeat."),
    ] = None,
    why: WhyOption = "",
    actor: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Record whether an adjudicator's clear drawn for an audit, or another person's decision, was right.

    'gate held --audit' lists the clears. While audits find them right, there is no warning about an adjudicator that
    often overrides similarity. Another person's wrong decision stands until it is undone with 'gate held undo'.

    **Example**: `saidonce gate held audit gv-3f2a9c --right`
    """
    from saidonce.interfaces.cli.gate_lines import verdict_line
    from saidonce.interfaces.views.gate import GateVerdictView

    if right is None:
        raise UsageError("give --right or --wrong")
    with open_base() as base:
        verdict = base.held.audit(id, right, actor or getpass.getuser(), why)
        if as_json:
            print_json(GateVerdictView.show(verdict))
            return
        out.print(f"found {'right' if right else 'wrong'}: {verdict_line(verdict)}")
        if verdict.decision is not None:
            if not right:
                out.print(f"it stands until it is undone with 'saidonce gate held undo {verdict.decision.id}'")
            return
        if not right and verdict.admitted and verdict.released_at is None:
            out.print(f"it stays kept until it is withdrawn with 'saidonce gate release {verdict.id}'")
